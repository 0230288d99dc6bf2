#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
#
# The entry and the exception frame: right PC, context and stack pointer for
# each kind of frame, and a stack at 0 mod 8 in the user's body.

bats_require_minimum_version 1.5.0

setup() {
    root=$(cd "$BATS_TEST_DIRNAME/../.." && pwd)
    fw=${FW:-$root/build/fw}
}

# frames BOARD [FIRMWARE]: runs and checks what is the same on every core.
frames() {
    run -0 "$BATS_TEST_DIRNAME/qemu.sh" "$1" \
        "$fw/tests/firmware/${2:-frames-$1}.elf"
    # Thread on both stacks and a handler, each aligned and not. xPSR bit 9
    # is set where SP was 4 mod 8; bit 2 of EXC_RETURN tells the stack.
    for frame in "msp 0 - 0 .* frame 0 0 0" "msp 0 - 11 .* frame 0 0 0" \
        "psp 0 - 0 .* frame 0 0 1" "msp 4 - 0 .* frame 1 0 0" \
        "msp 4 - 11 .* frame 1 0 0" "psp 4 - 0 .* frame 1 0 1"; do
        grep -q "^$frame\$" <<<"$output"
    done
    # After the entry a 64-bit argument in a va_list is read right.
    bodies=$(grep -c "^body 5 0123456789abcdef 7\$" <<<"$output")
    [ "$bodies" -eq "$(grep -c "pc 1 sp 1 body 1" <<<"$output")" ]
    [ "$bodies" -eq "$(grep -c " frame " <<<"$output")" ]
}

with_fpu() {
    frames "$@"
    for frame in "msp 0 fpu 0 .* frame 0 1 0" "msp 0 fpu 11 .* frame 0 1 0" \
        "psp 0 fpu 0 .* frame 0 1 1" "msp 4 fpu 0 .* frame 1 1 0" \
        "msp 4 fpu 11 .* frame 1 1 0" "psp 4 fpu 0 .* frame 1 1 1"; do
        grep -q "^$frame\$" <<<"$output"
    done
}

@test "M0" {
    frames microbit
}

@test "M3" {
    frames mps2-an385
}

@test "M4F" {
    with_fpu mps2-an386
}

@test "M7" {
    with_fpu mps2-an500
}

@test "M33" {
    with_fpu mps2-an505
}

@test "M55" {
    with_fpu mps3-an547
}

@test "M33 and M55, secure, with all of the FPU in the frame" {
    for board in mps2-an505 mps3-an547; do
        with_fpu $board frames-secure-$board
    done
}
