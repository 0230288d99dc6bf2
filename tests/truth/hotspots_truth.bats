#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
#
# The hot-spot table of the demo, as it travels, against the samples that
# travelled with it and against the exact profile of the same run.

bats_require_minimum_version 1.5.0

setup() {
    root=$(cd "$BATS_TEST_DIRNAME/../.." && pwd)
    export BUILD=${BUILD:-$root/build}
    elf=${FW:-$BUILD/fw}/examples/demo/demo-hotspots-long.elf
    cd "$BATS_TEST_TMPDIR"
}

@test "the demo: every view within its bounds, the last one true" {
    "$BATS_TEST_DIRNAME/truth_run.sh" "$elf" .
    run -0 "$BATS_TEST_DIRNAME/hotspots_truth.py" stream capture
    echo "$output"
    [[ $output =~ ^([0-9]+)' views, '([0-9]+)' samples' ]]
    [ "${BASH_REMATCH[1]}" -ge 9 ]
    [ "${BASH_REMATCH[2]}" -ge 99000 ]
    wall=$(strings capture | awk '/^demo: done in/ { print $4 / 25000000 }')
    "$BATS_TEST_DIRNAME/hotspots_truth.py" last capture "$elf" truth "$wall"
}
