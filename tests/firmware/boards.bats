#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
#
# Every board boots, speaks, takes interrupts, and repeats itself to the bit.

bats_require_minimum_version 1.5.0

setup() {
    root=$(cd "$BATS_TEST_DIRNAME/../.." && pwd)
    fw=${FW:-$root/build/fw}
}

# hello BOARD: two runs agree to the bit.
hello() {
    elf=$fw/tests/firmware/hello-$1.elf
    for run in 1 2; do
        QEMU_TIMEOUT=20 "$BATS_TEST_DIRNAME/qemu.sh" "$1" "$elf" \
            "$BATS_TEST_TMPDIR/$run"
    done
    cat "$BATS_TEST_TMPDIR/1"
    cmp "$BATS_TEST_TMPDIR/1" "$BATS_TEST_TMPDIR/2"
    grep -qx "hello board -7 42 600dda7a 0123456789abcdef" "$BATS_TEST_TMPDIR/1"
    grep -qx "bss 0 fpu 6 ram 23" "$BATS_TEST_TMPDIR/1"
}

# time_of COUNTER_MHZ: three milliseconds of SysTick are three on the counter.
time_of() {
    ticks=$(sed -n 's/^three ticks //p' "$BATS_TEST_TMPDIR/1")
    [ "$ticks" -ge $((3000 * $1)) ]
    [ "$ticks" -le $((3010 * $1)) ]
}

@test "microbit (M0)" {
    hello microbit
    time_of 16
}

@test "mps2-an385 (M3)" {
    hello mps2-an385
    time_of 25
}

@test "mps2-an386 (M4F)" {
    hello mps2-an386
    time_of 25
}

@test "mps2-an500 (M7)" {
    hello mps2-an500
    time_of 25
}

@test "mps2-an505 (M33)" {
    hello mps2-an505
    time_of 20
}

@test "mps3-an547 (M55)" {
    hello mps3-an547
    time_of 20
}

@test "the status of a firmware is the status of qemu.sh" {
    # HardFault is exception 3, which startup.c reports as 103.
    run -103 "$BATS_TEST_DIRNAME/qemu.sh" mps2-an385 \
        "$fw/tests/firmware/fault.elf"
}
