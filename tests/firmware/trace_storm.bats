#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
#
# The hooks under interrupts of three nested priorities that come everywhere:
# no record torn or lost, none out of its order or its context. The rules are
# proved on the host (tests/unit/test_target_trace.c); here are the real cores'
# exclusive monitor and masks.

bats_require_minimum_version 1.5.0

setup() {
    root=$(cd "$BATS_TEST_DIRNAME/../.." && pwd)
    fw=${FW:-${BUILD:-$root/build}/fw}/tests/firmware
}

# storm HOOKS BOARD: 1 in assembly, 0 in C
storm() {
    elf=$fw/trace-storm-$1-$2.elf
    run -0 --separate-stderr "$BATS_TEST_DIRNAME/qemu.sh" "$2" "$elf"
    echo "$output"
    [[ $output =~ ^'errors 0 arrivals '([0-9]+)' switches '([0-9]+)' events '([0-9]+)$ ]]
    [ "${BASH_REMATCH[1]}" -gt 10000 ]
    [ "${BASH_REMATCH[2]}" -gt 5000 ]
    [ "${BASH_REMATCH[3]}" -gt 100000 ]
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

# masks HOOKS BOARD: each instruction that holds off an interrupt of any kind
masks() {
    arm-none-eabi-objdump -d "$fw/trace-storm-$1-$2.elf" >code
    grep -iE $'\tcpsi[de]|\tmsr\t(primask|basepri|basepri_max|faultmask),' \
        code || true
}

@test "where the core has LDREX, nothing masks an interrupt" {
    cd "$BATS_TEST_TMPDIR"
    for hooks in 0 1; do
        for board in mps2-an385 mps2-an386 mps2-an500 mps2-an505; do
            [ -z "$(masks $hooks $board)" ]
            grep -q ldrex code
        done
        [ "$(masks $hooks microbit | grep -c cpsid)" -gt 3 ]
        [ "$(masks $hooks microbit | grep -ci 'msr.*primask')" -gt 3 ]
        run -1 grep ldrex code
    done
}

@test "a mask of any kind is found" {
    cd "$BATS_TEST_TMPDIR"
    for mask in 'cpsid i' 'cpsid f' 'cpsie i' 'cpsid if' 'msr primask, r0' \
        'msr basepri, r1' 'msr basepri_max, r2' 'msr faultmask, r3'; do
        printf '.syntax unified\n%s\n' "$mask" |
            arm-none-eabi-gcc -mcpu=cortex-m4 -mthumb -c -x assembler - \
                -o trace-storm-1-x.elf
        fw=. masks 1 x | grep -iq "${mask%% *}.*${mask##* }"
    done
    printf '.syntax unified\nmsr apsr_nzcvq, r0\nmsr msp, r0\nmrs r0, primask\n' |
        arm-none-eabi-gcc -mcpu=cortex-m4 -mthumb -c -x assembler - \
            -o trace-storm-1-x.elf
    [ -z "$(fw=. masks 1 x)" ]
}

# built BOARD "COMPILER AND FLAGS" RECORDS: all of it with hooks, the library too
built() {
    elf=$BATS_TEST_TMPDIR/storm.elf
    "$BATS_TEST_DIRNAME/build_with.sh" "$1" "$elf" \
        "$2 -finstrument-functions -DMCUPROF_TRACE=1 -DMCUPROF_TRACE_RING=$3 -DROUNDS=10" \
        "$BATS_TEST_DIRNAME/trace_storm.c" \
        "$BATS_TEST_DIRNAME/trace_storm_calls.c"
    run -0 --separate-stderr "$BATS_TEST_DIRNAME/qemu.sh" "$1" "$elf"
    echo "$output"
    [[ $output =~ ^'errors 0 arrivals ' ]]
}

@test "with hooks in the library, no hook calls one: gcc and clang, M0 and M3" {
    gcc='arm-none-eabi-gcc -mthumb -std=gnu99'
    include=/usr/lib/arm-none-eabi/include
    built mps2-an385 "$gcc -O0 -DSTORM_SCALE=4u" 1024
    built microbit "$gcc -O1" 256
    built mps2-an386 "$gcc -O2 -DMCUPROF_HOOKS_ASM=0" 1024
    built mps2-an386 "clang --target=thumbv7em-none-eabi -Os -isystem $include" 1024
    built microbit "clang --target=thumbv6m-none-eabi -O2 -isystem $include" 256
}

@test "link-time optimisation keeps the hooks" {
    gcc='arm-none-eabi-gcc -mthumb -std=gnu99'
    built mps2-an386 "$gcc -O2 -flto" 1024
    built mps2-an386 "$gcc -Os -flto -fwhole-program" 1024
    built microbit "$gcc -Os -flto" 256
}
