#!/bin/sh
# SPDX-License-Identifier: MIT
#
# run.sh [COREMARK_DIR]: what mcuprof costs a benchmark on the emulated
# Cortex-M4, and where the time goes: sampled, with the function table (tracing),
# the call ring, and that without the hooks of inlined bodies (selected). The benchmark is CoreMark from a copy of
# https://github.com/eembc/coremark, or one of our own of the same kind. An
# emulated instruction takes 32 ns, whichever it is.
set -eu

if [ $# -gt 1 ] || { [ $# -eq 1 ] && [ ! -f "$1/coremark.h" ]; }; then
    echo "usage: run.sh [COREMARK_DIR] (a copy of eembc/coremark)" >&2
    exit 2
fi
coremark=${1:+$(cd "$1" && pwd)}
# shellcheck source=examples/common.sh
. "$(dirname "$0")/../common.sh"
export QEMU_TIMEOUT=600

if [ -n "$coremark" ]; then
    examples=$build/coremark/examples
    cmake --preset fw -B "$build/coremark" -DCOREMARK_DIR="$coremark" >/dev/null
    cmake --build "$build/coremark" --target coremark >/dev/null
fi
runs=$build/coremark-runs
mkdir -p "$runs"
"$mcuprof" select "$examples/coremark/coremark-ring.elf" \
    -o "$examples/coremark/coremark-selected.elf"
echo
for engine in none sampling tracing ring selected; do
    tests/firmware/qemu.sh mps2-an386 \
        "$examples/coremark/coremark-$engine.elf" "$runs/$engine.mprof"
done
if [ -n "$coremark" ]; then
    strings -n 12 "$runs/none.mprof" | grep ' : \|rror\|alidated'
    echo
fi
for engine in none sampling tracing ring selected; do
    grep -a '^ticks ' "$runs/$engine.mprof" | sed "s/^/$engine /"
done | awk '
    NR == 1 { printf "%-10s%14s%14s%12s\n", "", "iterations/s", "ticks each",
                     "overhead"
              alone = $3 }
    { printf "%-10s%14.2f%14d%11.2f %%\n", $1, $5 / $3 * 25000000, $3 / $5,
             100 * ($3 / alone - 1) }'
for engine in sampling tracing; do
    printf '\n%s\n' "$engine"
    "$mcuprof" report "$runs/$engine.mprof" -n 10 \
        -e "$examples/coremark/coremark-$engine.elf"
done
