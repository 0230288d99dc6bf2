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

# firmware BOARD OUT [QEMU-OPTION...]: what is in $arguments goes to the plugin.
firmware() {
    board=$1
    out=$2
    shift 2
    elf=$fw/tests/firmware/${name:-exceptions}-$board.elf
    "$BATS_TEST_DIRNAME/vectors.py" "$elf" >vectors
    "$root/tests/firmware/qemu.sh" "$board" "$elf" "$out.text" \
        -plugin "$plugin,out=$out,vectors=vectors${arguments:-}" "$@"
}

# The same with the handler of exception $1 attached.
attached() {
    name=exceptions-attached
    elf=$fw/tests/firmware/$name-$2.elf
    trampoline=$(arm-none-eabi-nm "$elf" |
        sed -n 's/ T mcuprofi_attach_entry$//p')
    arguments=,trampoline=$1@0x$trampoline
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

# TIMER0 is exception 24 on both boards.
@test "the same with a handler attached, M3" {
    attached 24 mps2-an385
    agrees_with_log mps2-an385
}

@test "the same with a handler attached, M0" {
    attached 24 microbit
    agrees_with_log microbit
}

@test "an attached handler's own context is what it is without" {
    for board in mps2-an385 microbit; do
        firmware $board plain
        attached 24 $board
        firmware $board sampled
        # As long an execution each time, attached or not: it does always the
        # same. And all of the profiler is apart, once for each.
        [ "$(awk '$1 == "run" && $2 == "24" { print $4, $5 }' plain)" = \
            "$(awk '$1 == "run" && $2 == "24" { print $4, $5 }' sampled)" ]
        [ "$(awk '$1 == "run" && $2 == "24" { print $3 }' sampled)" -eq \
            "$(awk '$1 == "run" && $2 == "p24" { print $3 }' sampled)" ]
        # No instruction is both the profiler's and the handler's.
        for context in 24 p24; do
            awk -v context=$context '$1 == "count" && $2 == context { print $3 }' \
                sampled >"addresses-$context"
            [ -s "addresses-$context" ]
        done
        run -0 comm -12 addresses-24 addresses-p24
        [ -z "$output" ]
        unset name arguments
    done
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
