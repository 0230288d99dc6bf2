#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Runs the firmware that hangs, and asks it where, through the emulator's gdb
# server as through that of a debug probe. HANG_PORT is its port (1234).
# shellcheck source=examples/common.sh
. "$(dirname "$0")/../common.sh"

elf=$examples/hang/hang.elf
port=${HANG_PORT:-1234}

emulate_until 'stands still' "$elf" "$port"
"$mcuprof" calls "gdb:localhost:$port" -e "$elf" --open
