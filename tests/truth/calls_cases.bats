#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
#
# What users of tracers were bitten by, on firmware that runs: each call there
# was, in its context, and each moment booked once.

bats_require_minimum_version 1.5.0

setup() {
    root=$(cd "$BATS_TEST_DIRNAME/../.." && pwd)
    export BUILD=${BUILD:-$root/build}
    mcuprof=${MCUPROF:-$BUILD/host/mcuprof}
    fw=${FW:-$BUILD/fw}/tests/firmware
    cd "$BATS_TEST_TMPDIR"
}

# called CONTEXT FUNCTION TIMES
called() {
    grep -qx "$1 $2 $3" sums || {
        cat sums
        return 1
    }
}

cases_are_true() { # NAME
    elf=$fw/$1.elf
    # 11 enters and 2 leaves, twice: 18 are not left.
    run -0 "$BATS_TEST_DIRNAME/calls_run.sh" mps2-an385 "$elf" entries jumps=1
    echo "$output"
    [ "${lines[0]}" = '18 unwound, 0 left out' ]
    "$mcuprof" tree capture -e "$elf" --format json --raw --unit cycles >tree
    "$BATS_TEST_DIRNAME/calls_sums.py" calls tree >sums || {
        cat sums
        return 1
    }
    # An interrupt in the middle of thread mode is its own context.
    [ "$(awk '$1 == 15 && $2 == "SysTick_Handler" { print $3 }' sums)" -gt 10 ]
    [ "$(jq -r '[.rows[] | select(.context_id == 15).context][0]' tree)" = \
        'SysTick (15)' ]
    # longjmp: the second one begins no deeper than the first.
    called 0 cases_jump 2
    called 0 cases_dive 18
    jq -e '[.rows[] | select(.function == "cases_jump")]
        | length == 1 and .[0].depth == 0 and .[0].calls == 2' tree
    # Recursion, of two, and by way of interrupts.
    called 0 cases_fib 177
    called 0 cases_even 6
    called 0 cases_odd 5
    for context in 0 24 25; do
        called $context cases_through 1
    done
    # A function that is interrupted by itself.
    called 0 cases_shared 1
    called 24 cases_shared 1
}

@test "interrupts, longjmp, recursion" {
    cases_are_true calls-cases
}

@test "the same by the hooks of a core without LDREX" {
    cases_are_true calls-cases-masked
}

@test "a time that is another's is found" {
    cases_are_true calls-cases
    jq '(.rows[] | select(.function == "cases_tick").self_raw_cycles) += 1
        | (.rows[] | select(.function == "cases_compute").self_raw_cycles) -= 1' \
        tree >wrong
    run -1 "$BATS_TEST_DIRNAME/calls_sums.py" calls wrong
}

# What is called in a tail or inlined has its callers all the same.
tail_is_true() { # BOARD
    elf=$fw/calls-tail-$1.elf
    arm-none-eabi-objdump -d --no-show-raw-insn "$elf" >code
    [ "$1" = microbit ] || sed -n '/<tailer>:/,/^$/p' code |
        grep -qE $'\tb(\.[nw])?\t.*<__cyg_profile_func_exit>'
    run -1 grep $'\tbl\t.*<tiny>' code
    run -0 "$BATS_TEST_DIRNAME/calls_run.sh" "$1" "$elf" hooks
    echo "$output"
    [ "${lines[0]}" = '0: 20 in truth, 20 in calls' ]
    "$mcuprof" tree capture -e "$elf" --format json --raw --unit cycles >tree
    "$BATS_TEST_DIRNAME/calls_sums.py" calls tree
    run -0 jq -r '.rows as $rows | def path: . as $row
        | if .depth == 0 then .function
          else ($rows[] | select(.id == $row.parent) | path) + ";" + .function
          end;
        $rows[] | select(.kind == "function")
            | "\(.context_id) \(path) \(.calls)"' tree
    diff -u - <(printf '%s\n' "${lines[@]}") <<'TEXT'
0 main 1
0 main;tailer 3
0 main;tailer;leaf 3
0 main;tailer;leaf;tiny 3
TEXT
}

@test "a call in a tail, and one that is inlined: M3" {
    tail_is_true mps2-an385
}

@test "a call in a tail, and one that is inlined: M0" {
    tail_is_true microbit
}

# Times of a run of calls_run.sh, which is the same under the plugin once more.
times_are_true() { # BOARD HZ EVENTS
    "$BATS_TEST_DIRNAME/calls_times.py" sites "$elf" >hooks
    plugin=$BUILD/host/tests/truth/truth.so,out=truth,vectors=vectors
    run -0 "$root/tests/firmware/qemu.sh" "$1" "$elf" again \
        -plugin "$plugin,watch=hooks,watched=hooked"
    cmp capture again
    run -0 "$BATS_TEST_DIRNAME/calls_times.py" compare hooks hooked calls "$2"
    echo "$output"
    [[ ${lines[-1]} =~ ^([0-9]+)' exact, '([0-9]+)' by the slow path, 0 wrong'$ ]]
    [ "${BASH_REMATCH[1]}" -gt "$3" ]
    [ "${BASH_REMATCH[1]}" -gt "${BASH_REMATCH[2]}" ]
}

@test "times are those of the executed instructions: M3" {
    cases_are_true calls-cases
    times_are_true mps2-an385 25000000 600
    # A microsecond that is not so is found.
    awk '/ < cases_tick/ && !done { sub(/@ .*/, "@ " last + 25); done = 1 }
        { gsub(/,/, ""); last = $NF } 1' calls >wrong
    run -1 "$BATS_TEST_DIRNAME/calls_times.py" compare hooks hooked wrong \
        25000000
}

@test "times are those of the executed instructions: a core without LDREX" {
    cases_are_true calls-cases-masked
    times_are_true mps2-an385 25000000 600
}

@test "times are those of the executed instructions: M0, by SysTick" {
    tail_is_true microbit
    times_are_true microbit 16000000 16
}

@test "two runs are the same to the bit" {
    for run in 1 2; do
        "$root/tests/firmware/qemu.sh" mps2-an385 "$fw/calls-demo-plain.elf" $run
    done
    cmp 1 2
    [ -s 1 ]
}

# Boot 1 comes out of a ring that was frozen, boot 2 out of one that records:
# enter of the reset handler, of three functions it calls, and leave of two of
# them stand behind what was there, and nothing else has changed.
early_is_harmless() { # NAME
    arm-none-eabi-objdump -d "$fw/$1.elf" |
        sed -n '/<early_reset>:/,/^$/p' | grep -q '<__cyg_profile_func_enter>'
    run -0 "$root/tests/firmware/qemu.sh" mps2-an385 "$fw/$1.elf"
    diff -u - <(printf '%s\n' "${lines[@]}") <<'TEXT'
power-on: head and laps 0
recorded 23
boot 1: kept 1, vectors differ in 0 words, slots below the head in 0, above in 0, gate 0
recorded 23
boot 2: kept 1, vectors differ in 0 words, slots below the head in 0, above in 12, gate 0
TEXT
}

@test "hooks before .data and .bss, after power-on and warm resets" {
    early_is_harmless calls-early-m3
}

@test "hooks of a core without LDREX before .data and .bss" {
    early_is_harmless calls-early-m0
}
