#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Runs the firmware that faults, resets itself, and tells its last calls.
# shellcheck source=examples/common.sh
. "$(dirname "$0")/../common.sh"

elf=$examples/crash/crash.elf
capture=$build/crash.mprof

emulate "$elf" "$capture"
"$mcuprof" calls "$capture" -e "$elf"
