#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
#
# What users of tracers were bitten by, on firmware that runs: each call there
# was, in its context, and each moment booked once.

bats_require_minimum_version 1.5.0

setup() {
    root=$(cd "$BATS_TEST_DIRNAME/../.." && pwd)
    export BUILD=${BUILD:-$root/build}
    mcuprof=${MCUPROF:-$BUILD/host/mcuprof}
    fw=${FW:-$BUILD/fw}/tests/firmware
    cd "$BATS_TEST_TMPDIR"
}

# called CONTEXT FUNCTION TIMES
called() {
    grep -qx "$1 $2 $3" sums || {
        cat sums
        return 1
    }
}

cases_are_true() { # NAME
    elf=$fw/$1.elf
    # 11 enters and 2 leaves, twice: 18 are not left.
    run -0 "$BATS_TEST_DIRNAME/calls_run.sh" mps2-an385 "$elf" entries jumps=1
    echo "$output"
    [ "${lines[0]}" = '18 unwound, 0 left out' ]
    "$mcuprof" tree capture -e "$elf" --format json --raw --unit cycles >tree
    "$BATS_TEST_DIRNAME/calls_sums.py" calls tree >sums || {
        cat sums
        return 1
    }
    # An interrupt in the middle of thread mode is its own context.
    [ "$(awk '$1 == 15 && $2 == "SysTick_Handler" { print $3 }' sums)" -gt 10 ]
    [ "$(jq -r '[.rows[] | select(.context_id == 15).context][0]' tree)" = \
        'SysTick (15)' ]
    # longjmp: the second one begins no deeper than the first.
    called 0 cases_jump 2
    called 0 cases_dive 18
    jq -e '[.rows[] | select(.function == "cases_jump")]
        | length == 1 and .[0].depth == 0 and .[0].calls == 2' tree
    # Recursion, of two, and by way of interrupts.
    called 0 cases_fib 177
    called 0 cases_even 6
    called 0 cases_odd 5
    for context in 0 24 25; do
        called $context cases_through 1
    done
    # A function that is interrupted by itself.
    called 0 cases_shared 1
    called 24 cases_shared 1
}

@test "interrupts, longjmp, recursion" {
    cases_are_true calls-cases
}

@test "the same by the hooks of a core without LDREX" {
    cases_are_true calls-cases-masked
}

@test "a time that is another's is found" {
    cases_are_true calls-cases
    jq '(.rows[] | select(.function == "cases_tick").self_raw_cycles) += 1
        | (.rows[] | select(.function == "cases_compute").self_raw_cycles) -= 1' \
        tree >wrong
    run -1 "$BATS_TEST_DIRNAME/calls_sums.py" calls wrong
}

@test "two runs are the same to the bit" {
    for run in 1 2; do
        "$root/tests/firmware/qemu.sh" mps2-an385 "$fw/calls-demo-plain.elf" $run
    done
    cmp 1 2
    [ -s 1 ]
}

# Boot 1 comes out of a ring that was frozen, boot 2 out of one that records:
# enter of the reset handler, of three functions it calls, and leave of two of
# them stand behind what was there, and nothing else has changed.
early_is_harmless() { # NAME
    arm-none-eabi-objdump -d "$fw/$1.elf" |
        sed -n '/<early_reset>:/,/^$/p' | grep -q '<__cyg_profile_func_enter>'
    run -0 "$root/tests/firmware/qemu.sh" mps2-an385 "$fw/$1.elf"
    diff -u - <(printf '%s\n' "${lines[@]}") <<'TEXT'
power-on: head and laps 0
recorded 23
boot 1: kept 1, vectors differ in 0 words, slots below the head in 0, above in 0, gate 0
recorded 23
boot 2: kept 1, vectors differ in 0 words, slots below the head in 0, above in 12, gate 0
TEXT
}

@test "hooks before .data and .bss, after power-on and warm resets" {
    early_is_harmless calls-early-m3
}

@test "hooks of a core without LDREX before .data and .bss" {
    early_is_harmless calls-early-m0
}
