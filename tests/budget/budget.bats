#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
#
# What the target costs, against limits.txt.

setup_file() {
    cd "$BATS_TEST_DIRNAME/../.."
    export BUILD=${BUILD:-$PWD/build}
    export FW=${FW:-$BUILD/fw}
    bench/count.sh "$BATS_FILE_TMPDIR/runs" "$FW" budget
}

setup() {
    bench=$BATS_TEST_DIRNAME/../../bench
    limits=$BATS_TEST_DIRNAME/limits.txt
}

@test "nothing costs more than it may" {
    run "$bench/budget.py" "$BATS_FILE_TMPDIR/runs" "$FW"
    echo "$output"
    [ "$status" -eq 0 ]
}

@test "whatever costs more fails, and so does what nobody measures" {
    sed -e '/^ /d' -e 's/<= .*/<= 0/' "$limits" >"$BATS_TEST_TMPDIR/limits"
    sed -i 's/^\[bench\]/no_such_figure <= 0\n&/' "$BATS_TEST_TMPDIR/limits"
    run "$bench/budget.py" "$BATS_FILE_TMPDIR/runs" "$FW" \
        "$BATS_TEST_TMPDIR/limits"
    echo "$output"
    [ "$status" -eq 1 ]
    [[ "$output" = *"no_such_figure has a limit and was not measured"* ]]
    # All of them but those that are 0.
    grep -o '^.* is .*; at most 0$' <<<"$output" | cut -d' ' -f1 | sort \
        >"$BATS_TEST_TMPDIR/exceeded"
    sed -n '/^\[test\]/,/^\[bench\]/s/ <= .*//p' "$limits" |
        grep -vE '^((ring|table)_masked_cycles_m4|ring_stack_bytes_.*)$' | sort |
        diff - "$BATS_TEST_TMPDIR/exceeded"
}

@test "limits, goals and what is accepted, by hand" {
    "$bench/test_results.py"
}

@test "the stack of instructions against sums by hand" {
    "$bench/test_stack_depth.py"
}
