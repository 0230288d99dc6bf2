#!/usr/bin/env bats
# SPDX-License-Identifier: MIT

@test "the cycle model of bench/ against sums by hand" {
    "$BATS_TEST_DIRNAME/../../bench/test_cycles.py"
}
