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

count() { # BOARD, firmware, name of the outcome
    elf=$fw/tests/firmware/$2.elf
    tests/truth/vectors.py "$elf" >"$runs/$3.vectors"
    plugin=$BUILD/host/tests/truth/truth.so,out=$runs/$3.truth
    plugin=$plugin,vectors=$runs/$3.vectors,profiler=15
    plugin=$plugin,from=$(address "$elf" bench_begin)
    plugin=$plugin,until=$(address "$elf" bench_end)
    tests/firmware/qemu.sh "$1" "$elf" "$runs/$3.text" -plugin "$plugin"
}

for board in microbit mps2-an385 mps2-an386; do
    count $board bench-sampler-$board $board
done
count mps2-an386 bench-baseline baseline

cp "$fw/examples/demo/demo-long-O2.elf" "$runs"
tests/truth/truth_run.sh "$runs/demo-long-O2.elf" "$runs" \
    "$runs/errors.json" >"$runs/truth.table"

bench/host_bench.sh >"$runs/host"

bench/make_elves.py "$BUILD/bench-elves"
gcc -O2 -o "$runs/host_capture" bench/host_capture.c -lz
bench/symbolize_bench.py "$BUILD/host/mcuprof" "$runs/host_capture" \
    "$BUILD/bench-elves" >"$runs/symbolize"
bench/bench.py "$runs" "$fw" "$BUILD/bench.json"
