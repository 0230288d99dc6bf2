#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
#
# The exact profile must itself be true: QEMU's log of single steps is the
# judge, over nested, tail-chained and called handlers.

bats_require_minimum_version 1.5.0

setup() {
    root=$(cd "$BATS_TEST_DIRNAME/../.." && pwd)
    build=${BUILD:-$root/build}
    fw=${FW:-$build/fw}
    plugin=$build/host/tests/truth/truth.so
    cd "$BATS_TEST_TMPDIR"
}

# firmware BOARD OUT [QEMU-OPTION...]
firmware() {
    board=$1
    out=$2
    shift 2
    elf=$fw/tests/firmware/exceptions-$board.elf
    "$BATS_TEST_DIRNAME/vectors.py" "$elf" >vectors
    "$root/tests/firmware/qemu.sh" "$board" "$elf" "$out.text" \
        -plugin "$plugin,out=$out,vectors=vectors" "$@"
}

agrees_with_log() {
    firmware "$1" stepped -singlestep -d int,exec,nochain -D log
    run -0 "$BATS_TEST_DIRNAME/execlog.py" log stepped
    # The log has something to say: every kind of entry occurs.
    for exception in 11 14 24 25; do
        [[ ${lines[0]} == *"$exception: "* ]]
    done
    grep -q tailchaining log
}

@test "every instruction and entry as in QEMU's log, M3" {
    agrees_with_log mps2-an385
}

@test "every instruction and entry as in QEMU's log, M0" {
    agrees_with_log microbit
}

@test "the same at full speed" {
    firmware mps2-an385 stepped -singlestep
    firmware mps2-an385 fast
    cmp stepped fast
    cmp stepped.text fast.text
}

@test "a difference is found" {
    firmware mps2-an385 stepped -singlestep -d int,exec,nochain -D log
    awk '$1 == "count" && !done { $4++; done = 1 } { print }' stepped >wrong
    run -1 "$BATS_TEST_DIRNAME/execlog.py" log wrong
    awk '$1 == "run" && !done { $3++; done = 1 } { print }' stepped >wrong
    run -1 "$BATS_TEST_DIRNAME/execlog.py" log wrong
}
