#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
#
# What `mcuprof advise` predicts against what the emulator counts: instructions
# of the benchmark's work between two places, with hooks, with those taken out
# that were advised, and of a firmware that was compiled without hooks.

bats_require_minimum_version 1.5.0

setup() {
    root=$(cd "$BATS_TEST_DIRNAME/../.." && pwd)
    mcuprof=$(realpath "${MCUPROF:-${BUILD:-$root/build}/host/mcuprof}")
    plugin=$(dirname "$mcuprof")/tests/truth/truth.so
    board=mps2-an386
    cd "$BATS_TEST_TMPDIR" || return 1
    # Only the work has hooks; clang has no flag that says so.
    cat >traced <<'SH'
#!/bin/sh
case "$*" in *bench_trace_work.c*) exec "$@" -finstrument-functions ;; esac
exec "$@"
SH
    chmod +x traced
}

gcc='arm-none-eabi-gcc -mthumb'
clang='clang --target=thumbv7em-none-eabi -isystem /usr/lib/arm-none-eabi/include'

build() { # ELF, compiler and flags
    "$root/tests/firmware/build_with.sh" $board "$1" \
        "$2 -std=gnu99 -I$root/bench" "$root/tests/firmware/advise_bench.c" \
        "$root/bench/bench_trace_work.c"
}

address() { # ELF SYMBOL
    arm-none-eabi-nm "$1" | sed -n "s/^\([0-9a-f]*\) T $2\$/0x\1/p"
}

# Instructions of thread mode in the work; what it printed is in ELF.text.
count() { # ELF
    "$root/tests/truth/vectors.py" "$1" >vectors
    "$root/tests/firmware/qemu.sh" $board "$1" "$1.text" -plugin \
        "$plugin,out=truth,vectors=vectors,profiler=15,from=$(address "$1" bench_begin),until=$(address "$1" bench_end)"
    awk '$1 == "count" && $2 == "0" { sum += $4 } END { print sum }' truth
}

# is_within FROM TO COUNT PERCENT: a slowdown of COUNT to $plain instructions is
# from FROM to TO, or within so many percent of them.
is_within() {
    awk -v from="$1" -v to="$2" -v is="$3" -v plain="$plain" -v percent="$4" \
        'BEGIN { is /= plain; printf "%.3f to %.3f, is %.3f\n", from, to, is
            exit !(is > from * (1 - percent / 100) \
                && is < to * (1 + percent / 100) && from > 1) }'
}

sum_of() { # ELF
    grep -a '^sum ' "$1.text"
}

# holds COMPILER ENGINE OPTION...: before and after, and the work does the same.
holds() {
    build plain.elf "$1 -DMCUPROF_ENABLED=0"
    build hooked.elf "./traced $1 $2"
    plain=$(count plain.elf)
    hooked=$(count hooked.elf)
    shift 2
    for budget in "" "--budget=1.5" "--budget=1.1"; do
        # Nothing is split: an option or none.
        "$mcuprof" advise hooked.elf.text -e hooked.elf ${budget:+$budget} \
            --format json "$@" >said.json
        is_within "$(jq .slowdown said.json)" "$(jq .slowdown said.json)" \
            "$hooked" 10
        "$mcuprof" advise hooked.elf.text -e hooked.elf ${budget:+$budget} \
            --apply selected.elf >/dev/null
        is_within "$(jq .slowdown_after_least said.json)" \
            "$(jq .slowdown_after said.json)" "$(count selected.elf)" 10
        [ "$(sum_of plain.elf)" = "$(sum_of selected.elf)" ]
        [ "$(sum_of plain.elf)" = "$(sum_of hooked.elf)" ]
    done
    # A budget that is kept is worth something: less than all is dropped.
    "$mcuprof" advise hooked.elf.text -e hooked.elf --budget 1.5 \
        --format json >said.json
    jq -e '.reached and .slowdown_after <= 1.5 and .told_percent > 50' said.json
}

ring='-DMCUPROF_TRACE=1 -DMCUPROF_TRACE_RING=16384'
table='-DMCUPROF_FUNCTIONS=1 -DROUNDS=20'

@test "gcc -O2, call ring" {
    holds "$gcc -O2" "$ring"
}

@test "gcc -O3, call ring" {
    holds "$gcc -O3" "$ring"
}

@test "gcc -Os, call ring" {
    holds "$gcc -Os" "$ring"
}

@test "what is sent between the rounds is not the firmware's time" {
    build plain.elf "$gcc -O2 -DMCUPROF_ENABLED=0"
    build hooked.elf "./traced $gcc -O2 $ring"
    build polling.elf "./traced $gcc -O2 $ring -DPOLL_EACH"
    plain=$(count plain.elf)
    hooked=$(count hooked.elf)
    # Sending takes longer than the work does.
    [ "$(count polling.elf)" -gt $((hooked * 2)) ]
    "$mcuprof" advise polling.elf.text -e polling.elf --format json >said.json
    is_within "$(jq .slowdown_least said.json)" "$(jq .slowdown said.json)" \
        "$hooked" 10
    jq -e '.outside > .wall' said.json
}

@test "gcc -O2, function table" {
    holds "$gcc -O2 -DROUNDS=20" "$table"
}

@test "gcc -O3, function table" {
    holds "$gcc -O3 -DROUNDS=20" "$table"
}

@test "clang -O2, call ring" {
    holds "$clang -O2" "$ring"
}

@test "clang -Os, function table" {
    holds "$clang -Os -DROUNDS=20" "$table"
}

@test "M3, gcc -O2, call ring" {
    board=mps2-an385
    holds "$gcc -O2" "$ring"
}
