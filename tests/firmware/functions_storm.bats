#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
#
# The function table under interrupts of three nested priorities that come
# everywhere, with the same functions in all of them: calls are what the
# functions have counted themselves, and all times add up. The rules are proved
# on the host (tests/unit/test_target_functions.c); here are the real cores'
# exclusive monitor and masks.

bats_require_minimum_version 1.5.0

setup() {
    root=$(cd "$BATS_TEST_DIRNAME/../.." && pwd)
    fw=${FW:-${BUILD:-$root/build}/fw}/tests/firmware
}

# storm HOOKS BOARD: 1 in assembly, 0 in C
storm() {
    elf=$fw/functions-storm-$1-$2.elf
    run -0 --separate-stderr "$BATS_TEST_DIRNAME/qemu.sh" "$2" "$elf"
    echo "$output"
    [[ $output =~ ^'errors 0 arrivals '([0-9]+)' calls '([0-9]+)' off ' ]]
    [ "${BASH_REMATCH[1]}" -gt 10000 ]
    [ "${BASH_REMATCH[2]}" -gt 100000 ]
}

@test "hooks in assembly: M0, M3, M4F, M7, M33" {
    for board in microbit mps2-an385 mps2-an386 mps2-an500 mps2-an505; do
        storm 1 $board
    done
}

@test "hooks in C: M0, M3, M4F, M7, M33" {
    for board in microbit mps2-an385 mps2-an386 mps2-an500 mps2-an505; do
        storm 0 $board
    done
}

@test "beside the call ring" {
    for hooks in 0 1 masked; do
        board=mps2-an386
        [ $hooks != masked ] || board=mps2-an385
        elf=$fw/functions-storm-ring-$hooks.elf
        run -0 --separate-stderr "$BATS_TEST_DIRNAME/qemu.sh" $board "$elf"
        echo "$output"
        [[ $output =~ ^'errors 0 arrivals '([0-9]+)' calls '([0-9]+)' off ' ]]
        [ "${BASH_REMATCH[2]}" -gt 50000 ]
    done
}

@test "what slow hooks cost is known, wherever the table is" {
    bits=
    for name in 1-mps2-an386 moved; do
        elf=$fw/functions-storm-$name.elf
        run -0 --separate-stderr "$BATS_TEST_DIRNAME/qemu.sh" mps2-an386 "$elf"
        [[ $output == 'errors 0 '* ]]
        at=$(arm-none-eabi-nm "$elf" | sed -n 's/ B mcuprof_functions$//p')
        bits+=$((0x$at >> 10 & 1))
    done
    [[ $bits == 01 || $bits == 10 ]]
}

@test "where the core has LDREX, nothing masks an interrupt" {
    for hooks in 0 1; do
        for board in mps2-an385 mps2-an386 mps2-an500 mps2-an505; do
            run -0 arm-none-eabi-objdump -d \
                "$fw/functions-storm-$hooks-$board.elf"
            [[ $output =~ ldrex ]]
            [[ ! $output =~ cpsid ]]
        done
    done
}
