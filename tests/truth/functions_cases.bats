#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
#
# What users of function tables were bitten by: recursion, interrupts, long
# times, jumps, tasks, full tables and stacks, each to the last tick.

bats_require_minimum_version 1.5.0

setup() {
    root=$(cd "$BATS_TEST_DIRNAME/../.." && pwd)
    fw=${FW:-${BUILD:-$root/build}/fw}/tests/firmware/functions-cases
    cd "$BATS_TEST_TMPDIR"
}

cases_are_right() { # NAME BOARD [ABSENT...]
    run -0 "$root/tests/firmware/qemu.sh" "$2" "$fw-$1.elf" capture
    run -0 "$BATS_TEST_DIRNAME/functions_cases.py" "$fw-$1.elf" capture \
        "${@:3}"
    echo "$output"
}

@test "M4" {
    cases_are_right m4 mps2-an386
}

@test "M4, hooks in C" {
    cases_are_right c mps2-an386
}

@test "M3, by the hooks of a core without LDREX" {
    cases_are_right masked mps2-an385
}

@test "clocks of 24 bits, up and down" {
    for name in up down; do
        cases_are_right $name mps2-an385 switched wide endless
    done
    for name in down-c down-m4; do
        cases_are_right $name mps2-an386 switched wide endless
    done
}

@test "a tick too many is found" {
    "$root/tests/firmware/qemu.sh" mps2-an386 "$fw-m4.elf" capture
    sed 's/cases_fib"): (177, 1770/cases_fib"): (177, 1771/' \
        "$BATS_TEST_DIRNAME/functions_cases.py" >wrong.py
    cp "$BATS_TEST_DIRNAME/elf32.py" .
    PYTHONPATH="$root/tests/tools" run -1 python3 wrong.py "$fw-m4.elf" capture
    [[ $output == *"fib10: (0, 'cases_fib') is (177, 1770"* ]]
}
