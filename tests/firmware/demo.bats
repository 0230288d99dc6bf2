#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
#
# What `make demo` shows, streamed while the firmware runs.

bats_require_minimum_version 1.5.0

setup() {
    root=$(cd "$BATS_TEST_DIRNAME/../.." && pwd)
    build=${BUILD:-$root/build}
    export FW=${FW:-$build/fw} MCUPROF=${MCUPROF:-$build/host/mcuprof}
}

@test "the demo: hot functions, contexts with idle, quality" {
    export BUILD=$BATS_TEST_TMPDIR
    run -0 --separate-stderr "$root/examples/demo/run.sh"
    for row in matrix_multiply list_merge crc16 '\[idle\]' thread \
        'TIMER0_Handler (24)'; do
        grep -Eq "^ +[0-9]+\.[0-9]{2} .* ${row//[()]/.}\$" <<<"$output"
    done
    [ "$(grep -c '^quality$' <<<"$output")" -eq 1 ]
    grep -q 'the ELF matches' <<<"$output"
    # One second at 10 kHz, give or take the jitter; a pipe loses nothing.
    samples=$("$MCUPROF" info --format json "$BUILD/demo.mprof" |
        jq '.quality | select(.lost_target + .lost_line == 0) | .samples')
    [ "$samples" -gt 9800 ]
    [ "$samples" -lt 10200 ]
}
