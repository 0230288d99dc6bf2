#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
#
# The hot-spot table in assembly does what it does in C, which is proved on
# the host (tests/unit/test_target_hotspots.c).

bats_require_minimum_version 1.5.0

setup() {
    root=$(cd "$BATS_TEST_DIRNAME/../.." && pwd)
    fw=${FW:-${BUILD:-$root/build}/fw}/tests/firmware
}

same() { # infix: "" or "alone-"
    for board in mps2-an385 mps2-an386 mps2-an500; do
        elf=$fw/hotspots-reference-$1$board.elf
        # The one really is assembly: it does not call the other.
        ! arm-none-eabi-objdump -d --disassemble=mcuprofi_sample "$elf" |
            grep -q mcuprofi_hotspots_put
        run -0 --separate-stderr "$BATS_TEST_DIRNAME/qemu.sh" $board "$elf"
        [[ $output =~ ^'0 of 24000 differ, 2'[0-9]' views' ]]
    done
}

# 16 units of 256 bytes, 4 of 16, 64 of 65536.
@test "assembly and C leave the same table: M3, M4F, M7" {
    same ""
}

# 16 units, and 12, which is no power of two.
@test "so they do with the table alone" {
    same alone-
}
