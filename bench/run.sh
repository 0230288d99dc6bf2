#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Measures, prints tables and writes bench.json into the build folder. Exit 1
# if a limit is exceeded (tests/budget/limits.txt). Target figures count
# instructions in the emulator and do not depend on the machine; those of the
# host do.
set -eu

cd "$(dirname "$0")/.."
export BUILD="${BUILD:-$PWD/build}"
fw=${FW:-$BUILD/fw}
runs=$BUILD/bench
mkdir -p "$runs"

bench/count.sh "$runs" "$fw"

cp "$fw/examples/demo/demo-long-O2.elf" "$runs"
tests/truth/truth_run.sh "$runs/demo-long-O2.elf" "$runs" \
    "$runs/errors.json" >"$runs/truth.table"

bench/host_bench.sh >"$runs/host"

bench/make_elves.py "$BUILD/bench-elves"
gcc -O2 -o "$runs/host_capture" bench/host_capture.c -lz
bench/symbolize_bench.py "$BUILD/host/mcuprof" "$runs/host_capture" \
    "$BUILD/bench-elves" >"$runs/symbolize"
bench/bench.py "$runs" "$fw" "$BUILD/bench.json"
