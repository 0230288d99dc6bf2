#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Measures, prints tables and writes bench.json into the build folder. Exit 1
# if a goal is missed. Target figures count instructions in the emulator and do
# not depend on the machine; those of the host do.
set -eu

cd "$(dirname "$0")/.."
export BUILD="${BUILD:-$PWD/build}"
fw=${FW:-$BUILD/fw}
runs=$BUILD/bench
mkdir -p "$runs"

address() { # ELF, symbol
    arm-none-eabi-nm "$1" | sed -n "s/^\([0-9a-f]*\) T $2\$/0x\1/p"
}

count() { # BOARD, ELF, name of the outcome, where the window begins, and ends
    tests/truth/vectors.py "$2" >"$runs/$3.vectors"
    plugin=$BUILD/host/tests/truth/truth.so,out=$runs/$3.truth
    plugin=$plugin,vectors=$runs/$3.vectors,profiler=15
    plugin=$plugin,from=$(address "$2" "${4:-bench_begin}")
    plugin=$plugin,until=$(address "$2" "${5:-bench_end}")
    QEMU_TIMEOUT=120 tests/firmware/qemu.sh "$1" "$2" "$runs/$3.text" \
        -plugin "$plugin"
}

for board in microbit mps2-an385 mps2-an386; do
    count $board "$fw/tests/firmware/bench-sampler-$board.elf" $board
done
count mps2-an386 "$fw/tests/firmware/bench-baseline.elf" baseline
for way in take_empty replace find copy row publish decay; do
    for table in hotspots hotspots-alone; do
        count mps2-an386 "$fw/tests/firmware/bench-$table-$way.elf" \
            $table-$way
    done
done
demo=$fw/examples/demo
for table in hotspots alone; do
    count mps2-an386 "$demo/demo-$table-m4f.elf" demo-$table \
        mcuprof_start mcuprof_stop
done
count mps2-an386 "$demo/demo-baseline-m4f.elf" demo-baseline

for board in microbit mps2-an385 mps2-an386 mps2-an500; do
    for image in "$fw"/bench/bench-trace-$board-*.elf; do
        name=$(basename "$image" .elf)
        count $board "$image" "${name#bench-}"
    done
done

cp "$fw/examples/demo/demo-long-O2.elf" "$runs"
tests/truth/truth_run.sh "$runs/demo-long-O2.elf" "$runs" \
    "$runs/errors.json" >"$runs/truth.table"

bench/host_bench.sh >"$runs/host"

bench/make_elves.py "$BUILD/bench-elves"
gcc -O2 -o "$runs/host_capture" bench/host_capture.c -lz
bench/symbolize_bench.py "$BUILD/host/mcuprof" "$runs/host_capture" \
    "$BUILD/bench-elves" >"$runs/symbolize"
bench/bench.py "$runs" "$fw" "$BUILD/bench.json"
