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
cd "$(dirname "$0")/../.."
build=${BUILD:-build}
mcuprof=${MCUPROF:-$build/host/mcuprof}

cmake --preset fw -B "$build/coremark" -DCOREMARK_DIR="$coremark" >/dev/null
cmake --build "$build/coremark" --target coremark
elf=$build/coremark/examples/coremark/coremark.elf
capture=$build/coremark.mprof
tests/firmware/qemu.sh mps2-an385 "$elf" "$capture"
strings -n 12 "$capture" | grep ' : \|rror\|alidated'
echo
"$mcuprof" report "$capture" -e "$elf"
