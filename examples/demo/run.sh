#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Runs the demo firmware on an emulated Cortex-M3, records what its UART sends
# while it runs, and shows where the time went.
# shellcheck source=examples/common.sh
. "$(dirname "$0")/../common.sh"

elf=$examples/demo/demo.elf
capture=$build/demo.mprof

# The emulator's status would be lost in the pipe: it goes round it.
status=$build/demo.status
{
    rc=0
    emulate "$elf" || rc=$?
    echo $rc >"$status"
} | "$mcuprof" record - -e "$elf" -o "$capture"
[ "$(cat "$status")" = 0 ]

"$mcuprof" report "$capture" -e "$elf" --by function,context
