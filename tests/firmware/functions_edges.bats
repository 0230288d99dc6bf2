#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
#
# Where the function table's hooks must leave their fast path: by the hooks in
# assembly and in C.

bats_require_minimum_version 1.5.0

setup() {
    root=$(cd "$BATS_TEST_DIRNAME/../.." && pwd)
    fw=${FW:-${BUILD:-$root/build}/fw}/tests/firmware
}

edges_are_right() { # NAME BOARD
    run -0 --separate-stderr "$BATS_TEST_DIRNAME/qemu.sh" "$2" \
        "$fw/functions-edges-$1.elf"
    echo "$output"
    [ "$output" = "stale right
no children right
longest right
below nothing right
epoch right" ]
}

@test "M4" {
    edges_are_right m4 mps2-an386
}

@test "M4, hooks in C" {
    edges_are_right c mps2-an386
}

@test "M3, by the hooks of a core without LDREX" {
    edges_are_right masked mps2-an385
}
