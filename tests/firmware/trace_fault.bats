#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
#
# MCUPROF_FAULT_HANDLER_THEN(): the frame's PC and LR are in the ring's block,
# the last record is the call that faulted, and the body runs.

bats_require_minimum_version 1.5.0

setup() {
    root=$(cd "$BATS_TEST_DIRNAME/../.." && pwd)
    fw=${FW:-${BUILD:-$root/build}/fw}/tests/firmware
}

@test "a fault freezes the ring: M0, M3, M4F, M7, M33" {
    for board in microbit mps2-an385 mps2-an386 mps2-an500 mps2-an505; do
        run -0 "$BATS_TEST_DIRNAME/qemu.sh" $board \
            "$fw/trace-fault-$board.elf"
    done
}

# nmi BOARD: an NMI that has hooks itself
nmi() {
    elf=$BATS_TEST_TMPDIR/nmi.elf
    "$BATS_TEST_DIRNAME/build_with.sh" "$1" "$elf" \
        "arm-none-eabi-gcc -mthumb -std=gnu99 -O2 -finstrument-functions -DMCUPROF_TRACE=1 -DMCUPROF_TRACE_RING=256" \
        "$BATS_TEST_DIRNAME/trace_nmi.c"
    run -0 --separate-stderr "$BATS_TEST_DIRNAME/qemu.sh" "$1" "$elf"
    echo "$output"
    [[ $output =~ ^'wrong 0 nmis ' ]]
}

@test "an NMI with hooks is recorded, or counted where nothing masks it" {
    nmi microbit
    nmi mps2-an386
}

@test "a ring that is to outlive a reset has the name that lint looks for" {
    run -0 arm-none-eabi-nm "$fw/calls-early-m3.elf"
    [ "$(grep -c ' mcuprof_trace\(_keep\)\?$' <<<"$output")" -eq 2 ]
    run -0 arm-none-eabi-nm "$fw/trace-fault-mps2-an385.elf"
    [ "$(grep -c ' mcuprof_trace\(_keep\)\?$' <<<"$output")" -eq 1 ]
}
