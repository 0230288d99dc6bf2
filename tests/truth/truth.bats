#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
#
# A sampled profile of 100,000 samples against the exact one: the ten greatest
# functions and all contexts within 0.5 percentage points, idle within 2.

bats_require_minimum_version 1.5.0

setup() {
    root=$(cd "$BATS_TEST_DIRNAME/../.." && pwd)
    export BUILD=${BUILD:-$root/build}
    demo=${FW:-$BUILD/fw}/examples/demo/demo-long
    mcuprof=${MCUPROF:-$BUILD/host/mcuprof}
}

is_true() {
    "$BATS_TEST_DIRNAME/truth_run.sh" "$demo-$1.elf" "$BATS_FILE_TMPDIR/$1" \
        2>"$BATS_TEST_TMPDIR/said"
    [ -z "$(grep warning "$BATS_TEST_TMPDIR/said")" ]
    # The comparison means something: enough samples, and none lost.
    run -0 --separate-stderr "$mcuprof" info --format json \
        "$BATS_FILE_TMPDIR/$1/capture"
    samples=$(jq .quality.samples <<<"$output")
    [ "$samples" -ge 99000 ]
    [ "$(jq .quality.produced <<<"$output")" -eq "$samples" ]
    [ "$(jq .quality.missed <<<"$output")" -eq 0 ]
}

# A core twice as fast: at -O0 an interrupt of a fifth of the time would be off
# by the sampler's own 2 % of that already (docs/accuracy.md).
@test "-O0" {
    export QEMU_SHIFT=4
    is_true O0
}

@test "-O2" {
    is_true O2
}

@test "a profile of another run is refused" {
    # That of the test before, unless this is the only one.
    [ -s "$BATS_FILE_TMPDIR/O2/context.json" ] || is_true O2
    cd "$BATS_FILE_TMPDIR/O2"
    # One percentage point from the first function to the second.
    jq '.rows[1].share_percent -= 1 | .rows[2].share_percent += 1' \
        function.json >wrong.json
    run -1 "$BATS_TEST_DIRNAME/compare.py" "$demo-O2.elf" truth 10 \
        wrong.json context.json
    [ "$(grep -c ' ! ' <<<"$output")" -eq 2 ]
}
