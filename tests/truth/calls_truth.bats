#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
#
# The call ring of the demo's work, streamed: the sequence of calls of thread
# mode and of both interrupts is the truth plugin's, over the whole run.

bats_require_minimum_version 1.5.0

setup() {
    root=$(cd "$BATS_TEST_DIRNAME/../.." && pwd)
    export BUILD=${BUILD:-$root/build}
    demo=${FW:-$BUILD/fw}/tests/firmware/calls-demo
    cd "$BATS_TEST_TMPDIR"
}

# is_true NAME BOARD entries|hooks: and what the comparison saw is enough.
is_true() {
    run -0 "$BATS_TEST_DIRNAME/calls_run.sh" "$2" "$demo-$1.elf" "$3"
    echo "$output"
    for context in 0:6000 24:3000 25:40; do
        [ "$(sed -n "s/^${context%:*}: \([0-9]*\) in truth.*/\1/p" \
            <<<"$output")" -gt "${context#*:}" ]
    done
    [[ $output == *' records, 0 lost' ]]
    [ ! -s said ]
}

@test "M3" {
    is_true plain mps2-an385 entries
    # The log is what the plugin counted, too.
    awk 'NR == FNR { counts[$1 " " $2]++; watched[$2] = 1; next }
        $1 == "count" && $3 in watched {
            wrong += counts[$2 " " $3] != $4; seen++ }
        END { exit wrong > 0 || seen < 30 }' watched truth
}

@test "M3, by the hooks of a core without LDREX" {
    is_true masked mps2-an385 entries
}

@test "M7" {
    is_true m7 mps2-an500 entries
}

@test "M3, functions inlined" {
    is_true inlined mps2-an385 hooks
    grep -q '^\[thread\] > parse_field' calls
}

@test "a call too many, missing, another, elsewhere, or back in time" {
    is_true plain mps2-an385 entries
    for wrong in '999p' '999d' '999s/ [<>] [^ ]*/ < crc16/' \
        '999s/thread/TIMER0_Handler (24)/' '999s/@ .*/@ 1/'; do
        sed "$wrong" calls >calls.wrong
        run -1 cmp -s calls calls.wrong
        run -1 "$BATS_TEST_DIRNAME/calls_truth.py" compare sites watched \
            calls.wrong capture
    done
}

# What its number's second owner calls follows what the first had open.
tasks_are_true() { # NAME BOARD
    demo=${demo%-demo}-tasks
    run -0 "$BATS_TEST_DIRNAME/calls_run.sh" "$2" "$demo-$1-$2.elf" entries \
        515=514
    echo "$output"
    [ "$(grep -cE '^(24|25|513|514): [0-9]{3,} in truth' <<<"$output")" -eq 4 ]
    [[ $output == *' records, 0 lost' ]]
    # A leaf that one task called, among another's calls, would be noticed.
    sed 's/^\[task 514\] \(. tasks_leaf\)/[steady (513)] \1/' calls >wrong
    run -1 "$BATS_TEST_DIRNAME/calls_truth.py" compare sites watched wrong \
        capture 515=514
}

@test "tasks that are announced, M3" {
    tasks_are_true set mps2-an385
}

@test "tasks that are announced, M0" {
    tasks_are_true set microbit
}

@test "tasks that are asked for, M3" {
    tasks_are_true pull mps2-an385
}

@test "tasks that are asked for, M0" {
    tasks_are_true pull microbit
}

@test "tasks, and some switches that nobody announces" {
    elf=${demo%-demo}-tasks-missed.elf
    run -0 "$BATS_TEST_DIRNAME/calls_run.sh" mps2-an385 "$elf" entries \
        untold=516
    echo "$output"
    [[ ${lines[0]} =~ ^([0-9]+)' unwound, '([0-9]+)' left out'$ ]]
    [ "${BASH_REMATCH[1]}" -gt 0 ]
    "${MCUPROF:-$BUILD/host/mcuprof}" calls capture -e "$elf" >braces
    grep -q "^  mended  *${BASH_REMATCH[1]} unwound" braces
    grep -q "^  left out  *${BASH_REMATCH[2]} leaves of what was not" braces
    # The switches that follow put it right: nothing is open in the end.
    run -1 grep -F '[not left]' calls
    # But it is not what the tasks did.
    run -1 "$BATS_TEST_DIRNAME/calls_truth.py" compare sites watched calls \
        capture
}
