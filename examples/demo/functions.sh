#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Runs the demo with a table of all functions of its work: calls, self, total.
# shellcheck source=examples/common.sh
. "$(dirname "$0")/../common.sh"

elf=$examples/demo/demo-functions.elf
capture=$build/functions.mprof

tests/firmware/qemu.sh mps2-an386 "$elf" "$capture"
"$mcuprof" report "$capture" -e "$elf" --functions
