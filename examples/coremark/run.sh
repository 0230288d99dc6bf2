#!/bin/sh
# SPDX-License-Identifier: MIT
#
# run.sh COREMARK_DIR: builds CoreMark from a copy of
# https://github.com/eembc/coremark, runs it on the emulated Cortex-M3, and
# shows where its time goes.
set -eu

if [ $# -ne 1 ] || [ ! -f "$1/coremark.h" ]; then
    echo "usage: run.sh COREMARK_DIR (a copy of eembc/coremark)" >&2
    exit 2
fi
coremark=$(cd "$1" && pwd)
# shellcheck source=examples/common.sh
. "$(dirname "$0")/../common.sh"

cmake --preset fw -B "$build/coremark" -DCOREMARK_DIR="$coremark" >/dev/null
cmake --build "$build/coremark" --target coremark
elf=$build/coremark/examples/coremark/coremark.elf
capture=$build/coremark.mprof
emulate "$elf" "$capture"
strings -n 12 "$capture" | grep ' : \|rror\|alidated'
echo
"$mcuprof" report "$capture" -e "$elf"
