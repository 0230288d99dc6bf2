#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
#
# Selected images against the truth plugin: each call of a function that keeps
# its hooks, in thread mode and interrupts, and its times, as they were counted.

bats_require_minimum_version 1.5.0

setup() {
    root=$(cd "$BATS_TEST_DIRNAME/../.." && pwd)
    export BUILD=${BUILD:-$root/build}
    fw=${FW:-$BUILD/fw}/tests/firmware
    mcuprof=${MCUPROF:-$BUILD/host/mcuprof}
    cd "$BATS_TEST_TMPDIR" || return 1
}

# selected NAME OPTION...: selected.elf, fewer calls of hooks than in NAME
selected() {
    run -0 "$mcuprof" select "$fw/$1.elf" -o selected.elf "${@:2}"
    echo "$output"
    [[ $output == 'dropped '[1-9]* ]]
}

# calls_are_true OPTION...: the demo's, with two interrupts
calls_are_true() {
    selected calls-demo-inlined "$@"
    run -0 "$BATS_TEST_DIRNAME/calls_run.sh" mps2-an385 selected.elf hooks
    echo "$output"
    [[ $output == *' records, 0 lost' ]]
    # Balanced: nothing had to be mended, or is said.
    [ ! -s said ]
    run -1 grep -F '[' <(cut -d@ -f2 calls)
}

names() { # the functions in calls
    sed -n 's/^\[.*\] > \([^ ]*\) @.*/\1/p' calls | sort -u
}

kept() { # those that are said to keep their hooks
    "$mcuprof" select "$fw/calls-demo-inlined.elf" --list --format csv |
        python3 -c '
import csv, sys
print(*sorted({row["function"] for row in csv.DictReader(sys.stdin)
               if row["selection"] == "kept"}), sep="\n")'
}

@test "calls: without inlined bodies" {
    calls_are_true
    [ "$(wc -l <calls)" -gt 1000 ]
    # Of what is kept but never called hooks tell nothing: own bodies of what
    # was inlined wherever it is called.
    [ -z "$(comm -23 <(names) <(kept | sort))" ]
    run -0 "$mcuprof" tree capture -e selected.elf
    [[ $output == *" $(names | wc -l) of "*' functions instrumented'* ]]
}

@test "calls: two functions and what was inlined of them" {
    calls_are_true --only crc16 --only filter_step --keep-inlined
    [ "$(names)" = $'crc16\nfilter_step' ]
    [ "$(grep -c '^\[TIMER0_Handler' calls)" -gt 100 ]
}

@test "calls: all but some, inlined bodies as well" {
    calls_are_true --keep-inlined --drop crc16 --drop 'parse_*'
    run -1 grep '^crc16$\|^parse_' <(names)
    [ "$(wc -l <calls)" -gt 1000 ]
}

# times_are_true raw|true LOAD OPTION...: of the function table
times_are_true() {
    selected "functions-$1-$2" "${@:3}"
    if [ "$1" = raw ]; then
        set -- raw
    else
        set -- true 10
    fi
    run -0 "$BATS_TEST_DIRNAME/functions_run.sh" mps2-an386 selected.elf "$@"
    echo "$output"
}

@test "self, total, min and max of each function, to the tick" {
    times_are_true raw bench
    [[ $output =~ ' rows, '[1-9][0-9]{2,}' calls' ]]
    times_are_true raw bench --keep-inlined --drop weigh --drop crc8
    [[ $output =~ ' rows, '[1-9][0-9]{2,}' calls' ]]
    times_are_true raw demo
    [ "$(grep -cE '^crc16 +(0|24|25) ' <<<"$output")" -ge 1 ]
}

@test "self without hooks is that of the instructions" {
    times_are_true true bench
    times_are_true true bench --keep-inlined --drop weigh --drop crc8
    times_are_true true demo
}

@test "what was dropped is its caller's" {
    selected functions-true-bench --keep-inlined --drop weigh
    "$root/tests/firmware/qemu.sh" mps2-an386 selected.elf less
    "$root/tests/firmware/qemu.sh" mps2-an386 "$fw/functions-true-bench.elf" all
    self() { # CAPTURE ELF FUNCTION
        "$mcuprof" report "$1" -e "$2" --functions --format json -n 0 |
            jq "[.rows[] | select(.function == \"$3\").self_ticks] | add // 0"
    }
    weigh=$(self all "$fw/functions-true-bench.elf" weigh)
    before=$(self all "$fw/functions-true-bench.elf" by_key)
    after=$(self less selected.elf by_key)
    echo "$weigh $before $after"
    [ "$(self less selected.elf weigh)" -eq 0 ]
    [ "$after" -gt $((before + weigh / 2)) ]
}
