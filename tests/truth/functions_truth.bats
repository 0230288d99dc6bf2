#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
#
# The function table against the truth plugin: calls and times of every function
# in every context.

bats_require_minimum_version 1.5.0

setup() {
    root=$(cd "$BATS_TEST_DIRNAME/../.." && pwd)
    export BUILD=${BUILD:-$root/build}
    fw=${FW:-$BUILD/fw}/tests/firmware/functions
    cd "$BATS_TEST_TMPDIR"
}

# is_raw NAME BOARD CALLS [SHIFT]: every figure, to the tick, of so many calls
is_raw() {
    run -0 "$BATS_TEST_DIRNAME/functions_run.sh" "$2" "$fw-$1.elf" raw \
        "${@:4}"
    echo "$output"
    [[ $output =~ ' rows, '([0-9]+)' calls' ]]
    [ "${BASH_REMATCH[1]}" -ge "$3" ]
}

# is_true NAME BOARD: the ten largest, without the hooks
is_true() {
    run -0 "$BATS_TEST_DIRNAME/functions_run.sh" "$2" "$fw-$1.elf" true 10
    echo "$output"
}

@test "raw times: M4" {
    is_raw raw-bench mps2-an386 3500
    is_raw raw-demo mps2-an386 5000
    # The same function in thread mode and in both interrupts.
    [ "$(grep -cE '^crc16 +(0|24|25) ' <<<"$output")" -eq 3 ]
}

@test "the report has the same numbers" {
    is_raw raw-demo mps2-an386 5000
    elf=$fw-raw-demo.elf
    "${MCUPROF:-$BUILD/host/mcuprof}" report capture -e "$elf" --functions \
        --by context --format json -n 0 >report
    "$BATS_TEST_DIRNAME/functions_report.py" "$elf" capture report
    jq '(.rows[] | select(.function == "crc16").self_ticks) += 1' report >wrong
    run -1 "$BATS_TEST_DIRNAME/functions_report.py" "$elf" capture wrong
}

@test "raw times: M7" {
    is_raw raw-m7 mps2-an500 5000
}

@test "raw times: M4, hooks in C" {
    is_raw raw-bench-c mps2-an386 3500
    is_raw raw-demo-c mps2-an386 5000
}

@test "raw times: M3, by the hooks of a core without LDREX" {
    is_raw raw-masked mps2-an385 5000
}

# wraps AT-LEAST: of 18 bits of the clock
wraps() {
    [[ $output =~ ' wall '([0-9]+) ]]
    [ "${BASH_REMATCH[1]}" -ge $(($1 << 18)) ]
}

@test "raw times by a clock of 18 bits: M3 without LDREX, M4 in C" {
    is_raw raw-narrow mps2-an385 5000
    wraps 3
    is_raw raw-narrow-c mps2-an386 5000
    wraps 3
}

@test "raw times: three tasks, one deleted within a call" {
    is_raw tasks mps2-an386 8000
    [ "$(grep -cE '^tasks_leaf +(25|513|514) ' <<<"$output")" -eq 3 ]
    [[ $output =~ "'unwound': "[1-9] ]]
}

@test "what the hooks cost is not in the times: M4" {
    is_true true-bench mps2-an386
    # Leaves of one instruction and of three.
    [ "$(grep -cE '^(weigh|by_index) ' <<<"$output")" -eq 2 ]
    is_true true-demo mps2-an386
}

@test "what the hooks cost is not in the times: M4, hooks in C" {
    is_true true-bench-c mps2-an386
    is_true true-demo-c mps2-an386
}

@test "what the hooks cost is not in the times: M3, without LDREX" {
    is_true true-masked mps2-an385
}

@test "what the hooks cost is not in the times: 24 bits, without LDREX" {
    is_true true-narrow mps2-an385
}

# share NAME OUTPUT-COLUMN
share() {
    awk -v column="$1" '$1 == "leaf_is_digit" {
        sub("%", "", $column); print $column }' <<<"$output"
}

@test "a leaf of 5 % of the time is not told to be 20 %" {
    is_raw raw-leaf mps2-an386 1200 10
    awk '{ exit !($1 > 12) }' <<<"$(share 5)"
    is_true true-leaf mps2-an386
    awk '{ exit !($1 > 4 && $1 < 6) }' <<<"$(share 8)"
    awk '{ exit !($2 > $1 - 0.5 && $2 < $1 + 0.5) }' \
        <<<"$(share 8) $(share 9)"
}

@test "a call, a tick or a time that is another's is found" {
    is_raw raw-demo mps2-an386 5000
    compare() { # WATCHED
        run "$BATS_TEST_DIRNAME/functions_truth.py" raw "$fw-raw-demo.elf" \
            sites "$1" capture 0x40028018 25000000 5
    }
    compare watched
    [ "$status" -eq 0 ]
    # A hook that has read the clock two instructions later; a call that was
    # another context's.
    clock=$(awk '$2 == "40028018" { n++ } n == 4000 { print NR; exit }' watched)
    awk -v at="$clock" 'NR == at { $3 += 2 } 1' watched >later
    compare later
    [ "$status" -eq 1 ]
    site=$(awk '$2 == ">" && $3 == "crc16" { print $1; exit }' sites)
    awk -v site="$site" '$2 ~ site "$" && $1 == 24 && !n { n = 1; $1 = 25 } 1' \
        watched >other
    compare other
    [ "$status" -eq 1 ]
}

# swept NAME BOARD
swept() {
    is_raw "sweep-$1" "$2" 96000 6
    [[ $output == *'8 rows, 96000 calls'* ]]
    grep -qax 'arrivals 18000' capture
    # Each context has called both functions as often as any.
    [ "$(grep -cE '^functions_sweep +(0|15|24|25) +12000 ' \
        <<<"$output")" -eq 4 ]
    [ "$(grep -cE '^functions_sweep_leaf +(0|15|24|25) +12000 ' \
        <<<"$output")" -eq 4 ]
}

# covered NAME: an interrupt has come before every instruction that runs often
covered() {
    run -0 "$root/tests/firmware/functions_cover.py" "$fw-sweep-$1.elf" \
        capture truth
    echo "$output"
}

@test "interrupts of three priorities, stepped through the hooks: M3" {
    swept m3 mps2-an385
    covered m3
}

@test "interrupts of three priorities, stepped through the hooks: M4" {
    swept m4 mps2-an386
    covered m4
}

@test "interrupts of three priorities, stepped through the hooks in C" {
    swept c mps2-an386
    covered c
}

@test "interrupts of three priorities, stepped through hooks without LDREX" {
    swept masked mps2-an385
}
