#!/bin/sh
# SPDX-License-Identifier: MIT
#
# count.sh RUNS FW [budget]
#
# Runs the target's firmware in the emulator and counts what it executes, for
# bench.py: RUNS gets a .truth file of each, and a .text of its UART. With
# `budget` only what tests/budget looks at.
set -eu

cd "$(dirname "$0")/.."
runs=$1
fw=$2
what=${3:-all}
build=${BUILD:-$PWD/build}
mkdir -p "$runs"

address() { # ELF, symbol
    arm-none-eabi-nm "$1" | sed -n "s/^\([0-9a-f]*\) T $2\$/0x\1/p"
}

count() { # BOARD, ELF, name of the outcome, where the window begins, and ends
    tests/truth/vectors.py "$2" >"$runs/$3.vectors"
    plugin=$build/host/tests/truth/truth.so,out=$runs/$3.truth
    plugin=$plugin,vectors=$runs/$3.vectors,profiler=15
    plugin=$plugin,from=$(address "$2" "${4:-bench_begin}")
    plugin=$plugin,until=$(address "$2" "${5:-bench_end}")
    QEMU_TIMEOUT=120 tests/firmware/qemu.sh "$1" "$2" "$runs/$3.text" \
        -plugin "$plugin"
}

for board in microbit mps2-an385 mps2-an386; do
    count $board "$fw/tests/firmware/bench-sampler-$board.elf" $board
done

ways='take_empty replace find'
[ "$what" = budget ] || ways="$ways copy row publish decay"
for way in $ways; do
    for table in hotspots hotspots-alone; do
        count mps2-an386 "$fw/tests/firmware/bench-$table-$way.elf" \
            "$table-$way"
    done
done

count mps2-an386 "$fw/examples/demo/demo-hotspots-m4f.elf" demo-hotspots \
    mcuprof_start mcuprof_stop

hooks='none ring table'
levels=O2
if [ "$what" = all ]; then
    hooks="$hooks empty counting published published_table published_small"
    levels='O2 O3'
fi
for board in microbit mps2-an385 mps2-an386 mps2-an500; do
    for level in $levels; do
        for hook in $hooks; do
            name=trace-$board-$level-$hook
            count $board "$fw/bench/bench-$name.elf" "$name"
        done
    done
done
for functions in 8 40 300; do
    name=many-table-$functions-512
    count mps2-an386 "$fw/bench/bench-$name.elf" "$name"
done
count mps2-an386 "$fw/bench/bench-wire.elf" wire

[ "$what" = all ] || exit 0
for name in many-published_table-8-256 many-published_table-40-256 \
    many-published_table-300-256 many-table-300-64; do
    count mps2-an386 "$fw/bench/bench-$name.elf" "$name"
done
count mps2-an386 "$fw/tests/firmware/bench-baseline.elf" baseline
count mps2-an386 "$fw/examples/demo/demo-alone-m4f.elf" demo-alone \
    mcuprof_start mcuprof_stop
count mps2-an386 "$fw/examples/demo/demo-baseline-m4f.elf" demo-baseline
