#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
#
# The hot-spot table over so many samples that its weights are at their most.

setup() {
    root=$(cd "$BATS_TEST_DIRNAME/../.." && pwd)
    unit=${BUILD:-$root/build}/host/tests/unit/test_target_hotspots
}

@test "60 million samples of the longest half-life" {
    HOTSPOTS_LONG=1 "${unit}_16_16_10m"
}
