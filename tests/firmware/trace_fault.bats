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
