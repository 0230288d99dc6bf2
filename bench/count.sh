#!/bin/sh
# SPDX-License-Identifier: MIT
#
# count.sh RUNS FW [budget]
#
# Runs the target's firmware in the emulator and counts what it executes, for
# bench.py: RUNS gets a .truth file of each, and a .text of its UART. With
# `budget` only what tests/budget looks at. With COREMARK_DIR, a copy of EEMBC's
# CoreMark, what selecting hooks comes to there as well.
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

mcuprof=$build/host/mcuprof

selected() { # ELF, name, [where the window begins, and ends]
    "$mcuprof" select "$1" -o "$runs/$2-select.elf" >"$runs/$2-select.said"
    count mps2-an386 "$runs/$2-select.elf" "$2-select" "${3:-}" "${4:-}"
}

# What advise says of it, and what comes of that: by default, and for a budget.
advised() { # ELF, name, [where the window begins, and ends]
    count mps2-an386 "$1" "$2" "${3:-}" "${4:-}"
    for budget in '' 1.2; do
        name=$2-advise$budget
        # An option or none.
        "$mcuprof" advise "$runs/$2.text" -e "$1" ${budget:+--budget=$budget} \
            --format json >"$runs/$name.json"
        "$mcuprof" advise "$runs/$2.text" -e "$1" ${budget:+--budget=$budget} \
            --apply "$runs/$name.elf" >/dev/null
        count mps2-an386 "$runs/$name.elf" "$name" "${3:-}" "${4:-}"
    done
}

for level in O2 O3; do
    for hook in ring table; do
        name=trace-mps2-an386-$level-$hook
        selected "$fw/bench/bench-$name.elf" "$name"
    done
    count mps2-an386 "$fw/bench/bench-advise-$level-none.elf" \
        "advise-$level-none"
    advised "$fw/bench/bench-advise-$level-ring.elf" "advise-$level-ring"
done

[ -n "${COREMARK_DIR:-}" ] || exit 0
for level in O2 O3; do
    folder=$build/coremark-$level
    cmake --preset fw -B "$folder" -DCOREMARK_DIR="$COREMARK_DIR" \
        -DCOREMARK_OPT=-$level -DCOREMARK_ITERATIONS=1 >/dev/null
    cmake --build "$folder" --target coremark >/dev/null
    elf=$folder/examples/coremark/coremark
    count mps2-an386 "$elf-none.elf" "coremark-$level-none" \
        start_time stop_time
    selected "$elf-tracing.elf" "coremark-$level-table" start_time stop_time
    selected "$elf-ring.elf" "coremark-$level-ring" start_time stop_time
    advised "$elf-ring.elf" "coremark-$level-ring" start_time stop_time
done
