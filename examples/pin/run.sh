#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Runs the firmware that records between two edges of a pin, and reads its calls
# as through a debug probe. PIN_PORT is the port of the emulator's gdb server
# (1234).
# shellcheck source=examples/common.sh
. "$(dirname "$0")/../common.sh"

elf=$examples/pin/pin.elf
port=${PIN_PORT:-1234}

emulate_until 'pin: done' "$elf" "$port"
"$mcuprof" calls "gdb:localhost:$port" -e "$elf"
