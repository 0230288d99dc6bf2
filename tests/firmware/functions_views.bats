#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
#
# One function table in every way there is to read it: printed by the firmware,
# sent by it, and found in its memory by mcuprof and by gdb alone.

bats_require_minimum_version 1.5.0

setup() {
    root=$(cd "$BATS_TEST_DIRNAME/../.." && pwd)
    export BUILD=${BUILD:-$root/build}
    mcuprof=${MCUPROF:-$BUILD/host/mcuprof}
    fw=${FW:-$BUILD/fw}/tests/firmware/functions-views
    cd "$BATS_TEST_TMPDIR"
}

teardown() {
    [ -z "${qemu-}" ] || kill "$qemu" 2>/dev/null || true
}

free_port() {
    python3 - <<'PYTHON'
import socket
server = socket.create_server(("127.0.0.1", 0))
print(server.getsockname()[1])
PYTHON
}

# qemu BOARD NAME [OPTION...]: in the background, gdb at $port
qemu() {
    elf=$fw-$2.elf
    port=$(free_port)
    "$BATS_TEST_DIRNAME/qemu.sh" "$1" "$elf" capture \
        -gdb "tcp:127.0.0.1:$port" "${@:3}" 3>&- 2>qemu.err &
    qemu=$!
}

# stands: until it has told all, and stands where it ends
stands() {
    until by_gdb 'info symbol $pc' && grep -q '^views_stand' log; do
        kill -0 $qemu
        sleep 0.1
    done
    python3 - <<'PYTHON'
# What was printed in ./text, what was sent in ./frames.
with open("capture", "rb") as file:
    told = file.read()
begin = told.index(b"mcuprof functions 1")
end = told.index(b"\n", told.index(b"mcuprof end", begin)) + 1
with open("text", "wb") as file:
    file.write(told[begin:end])
with open("frames", "wb") as file:
    file.write(told[:begin] + told[end:])
PYTHON
}

# by_gdb COMMAND...: attached, then detached; writes ./log.
by_gdb() {
    {
        echo "source $root/target/mcuprof_functions.gdb"
        echo "target remote localhost:$port"
        printf '%s\n' 'set print elements unlimited' \
            'set print repeats unlimited' "$@"
        echo detach
    } >commands
    timeout 60 gdb-multiarch -nx -batch -x commands "$elf" >log 2>&1
}

# report NAME SOURCE: json, csv and table of it
report() {
    local form
    for form in json csv table; do
        "$mcuprof" report "$2" -e "$elf" --by context --unit cycles -n 0 \
            --functions --format $form >"$1.$form" 2>"$1.err" || {
            cat "$1.err"
            return 1
        }
        told+=("$form=$1.$form")
    done
}

# span_of SYMBOL...: bytes from the first's begin to the last's end
span_of() {
    arm-none-eabi-nm -S "$elf" | python3 -c '
import sys
spans = [(int(words[0], 16), int(words[1], 16)) for words in
         map(str.split, sys.stdin) if words[-1] in sys.argv[1:]]
print(max(map(sum, spans)) - min(spans)[0])' "$@"
}

agree() {
    run "$BATS_TEST_DIRNAME/functions_agree.py" "$@"
    echo "$output"
    [ "$status" -eq 0 ]
}

# The firmware's own words, its frames, reports of both, of its memory through a
# gdb server and of dumps, and what gdb prints.
all_agree() {
    told=(text=text frames=frames)
    report text text
    report frames frames
    report gdb "gdb:localhost:$port"
    grep -q 'the target was halted for' gdb.err
    by_gdb 'p mcuprof_functions_view' 'mcuprof-functions 100' \
        'mcuprof-functions-dump table.bin' \
        'dump ihex memory table.hex 0x20000000 0x20010000'
    cp log view
    told+=(view=view rows=view)
    dump=$(sed -n 's/.*read them with: mcuprof report \([^ ]*\) .*/\1/p' view)
    # No more than the table, and the names with what lies between.
    [ "$(stat -c %s table.bin)" -le "$(span_of mcuprof_functions \
        mcuprofi_stream)" ]
    report hex ram:table.hex
    if [ "$1" = stopped ]; then
        report dump "$dump"
    fi
    agree "${told[@]}"
    [[ $output == *' rows, '* ]]
    [ "${output%% *}" -ge 17 ]
    # All kinds of rows, and of what goes wrong.
    grep -q 'deep=[1-9][0-9]* no_slot=[1-9]' text
    grep -q 'unwound=[1-9]' text
    grep -Eq '^mcuprof 0x[0-9a-f]{8} +512 +[0-9]+ +8 ' text
    [ "$(grep -cE '^mcuprof 0x[0-9a-f]{8} +(24|25|512|513) ' text)" -eq 16 ]
    # Names of contexts come with it.
    jq -e '[.rows[].context] | index("second task (513)")' gdb.json
    # One digit is enough to tell.
    jq '.rows[3].self_ticks += 1' gdb.json >wrong.json
    awk -F, -v OFS=, 'NR == 3 { $4 += 1 } 1' gdb.csv >wrong.csv
    awk '/^ +0x/ && !n++ { $2 += 1; $1 = " " $1 } 1' hex.table >wrong.table
    awk '$2 ~ /^0x/ && !n++ { $10 += 1 } 1' text >wrong.text
    sed '0,/open = /s/open = /open = 1/' view >wrong.view
    awk '$7 ~ /^</ && $1 ~ /^[0-9]+$/ && !n++ { $3 += 1 } 1' view >wrong.rows
    local kind
    for kind in json csv table text view rows; do
        echo "$kind"
        run -1 "$BATS_TEST_DIRNAME/functions_agree.py" "${told[@]}" \
            $kind=wrong.$kind
        [[ $output == *', 1 of them differ, 0 rows are missing' ]]
    done
    # And so is a row that is not there.
    jq 'del(first(.rows[] | select(.kind == "function")))' gdb.json >less.json
    sed '0,/^0x/{/^0x/d}' gdb.csv >less.csv
    sed '0,/^ *0x/{/^ *0x/d}' hex.table >less.table
    sed '0,/^mcuprof  *no_slot/{/^mcuprof  *no_slot/d}' text >less.text
    for kind in json csv table text; do
        echo "less $kind"
        run -1 "$BATS_TEST_DIRNAME/functions_agree.py" "${told[@]}" \
            $kind=less.$kind
        [[ $output == *', 0 of them differ, '[1-9]*' rows are missing' ]]
    done
    run -1 "$BATS_TEST_DIRNAME/functions_agree.py" text=text text=text
    [[ $output == *'each by 1 at least, 0 of them differ, 0 rows '* ]]
}

@test "stopped: M4, what hooks cost taken out" {
    qemu mps2-an386 m4
    stands
    all_agree stopped
    # Nobody has stood by: it is not the sum of nothing.
    grep -Eq 'hooks=[1-9][0-9]{3}' text
    run ! grep -q running text
}

@test "stopped: M3" {
    qemu mps2-an385 m3
    stands
    all_agree stopped
}

@test "recording, with calls open, by a clock that stands" {
    qemu mps2-an386 live
    stands
    all_agree running
    grep -q ' running' text
    jq -e '.quality.function_table | .open == 8 and .up_to_halt and .adds_up' \
        gdb.json
}

@test "beside the call ring: report has the table, calls the ring" {
    qemu mps2-an386 both
    stands
    told=(text=text)
    report gdb "gdb:localhost:$port"
    "$mcuprof" record "gdb:localhost:$port" -e "$elf" -o recorded 2>err
    report recorded recorded
    agree "${told[@]}"
    # Of the nine calls that are open, the ring has each.
    "$mcuprof" calls recorded -e "$elf" --open >open
    [ "$(grep -c ' views_descend$' open)" -eq 10 ]
    # Without being asked for: report the table.
    "$mcuprof" report "gdb:localhost:$port" -e "$elf" --format json >report.json
    jq -e '.function_table.snapshots == 1 and .quality.ring != null' report.json
}

# Intel HEX of memory and of the clock, at each of many moments.
@test "halted anywhere, also in the hooks of nested interrupts" {
    qemu mps2-an386 m4 -S
    cat >steps <<'GDB'
define steps
  set $step = 0
  while $step < $arg0
    stepi 47
    eval "dump ihex memory %d.hex 0x20000000 0x20004000", $step + $arg1
    eval "dump ihex memory %d.clock 0x40028018 0x4002801c", $step + $arg1
    set $step = $step + 1
  end
end
GDB
    # Thread mode, then an interrupt, then one within it.
    by_gdb 'source steps' 'break views_leaf' 'ignore 1 600' 'continue' \
        'delete' 'steps 16 0' 'tbreak TIMER0_Handler' 'continue' \
        'steps 16 100' 'tbreak TIMER1_Handler' 'continue' 'steps 16 200' ||
        cat log
    local number
    for number in $(seq 0 15) $(seq 100 115) $(seq 200 215); do
        { sed '$d' $number.hex; cat $number.clock; } >all.hex
        "$mcuprof" report ram:all.hex -e "$elf" --by context --format json \
            >known.json 2>/dev/null
        jq -e '.quality.function_table | .adds_up and .up_to_halt' known.json
        "$mcuprof" report ram:$number.hex -e "$elf" --by context --format json \
            >unknown.json 2>/dev/null
        jq -e '.quality.function_table | .adds_up and (.up_to_halt | not)' \
            unknown.json
        # Without its clock it is not later, but for what a hook that it stands
        # in has still to take; what the innermost call took itself is missing.
        jq -s '[.[].function_table.wall_ticks]' known.json unknown.json |
            jq -e '.[0] + 200 >= .[1] and .[0] < .[1] + 4000 and .[1] > 100000'
        jq -r '.rows[] | select(.open > 0) | .context' known.json >>open
    done >result
    # What is open in an interrupt is its own.

    for context in '.* task (51[23])' 'TIMER0_Handler (24)' \
        'TIMER1_Handler (25)'; do
        grep -qx "$context" open || { sort open | uniq -c; false; }
    done
}

@test "the gdb commands say what is wrong" {
    qemu mps2-an386 m4 -S
    by_gdb 'mcuprof-functions' 'mcuprof-functions-dump' \
        'mcuprof-functions-dump none.bin' 'help mcuprof-functions' \
        'help mcuprof-functions-dump'
    cat log
    [ "$(grep -c 'there is no function table yet' log)" -eq 2 ]
    grep -q 'name the file, as in' log
    grep -q 'Print the function table as it is now' log
    grep -q 'Save the function table' log
    [ ! -e none.bin ]
    # Each column is explained.
    [ "$(grep -cE '^(calls|self|total|average|open|context)  ' log)" -eq 6 ]
    stands
    by_gdb 'set var *(int *)((int)&mcuprof_functions + 40) = 0'
    run -1 "$mcuprof" report "gdb:localhost:$port" -e "$elf"
    [[ $output == *'the function table in gdb:localhost:'*' was not started'* ]]
}
