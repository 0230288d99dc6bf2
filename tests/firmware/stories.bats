#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
#
# The examples with the call ring, run as a user runs them: what they print is
# held against what each firmware is written to do.

bats_require_minimum_version 1.5.0

setup() {
    root=$(cd "$BATS_TEST_DIRNAME/../.." && pwd)
    build=${BUILD:-$root/build}
    export FW=${FW:-$build/fw} MCUPROF=${MCUPROF:-$build/host/mcuprof}
    export BUILD=$BATS_TEST_TMPDIR
    cd "$BATS_TEST_TMPDIR"
}

# The calls in the order of their begins, a level by two spaces, nothing else.
begun() {
    grep -oE ' {2,}[a-z][A-Za-z0-9_]*\(\)( \{|;)' <<<"$output" |
        sed -E 's/\(\).*//; s/^ +//'
}

duration() { # function: of its first call, in us
    awk -v name="$1" '$0 ~ " " name "\\(\\);" || $0 ~ "/\\* " name " \\*/" {
            gsub(",", ""); sub(name "\\(\\);.*", ""); sub("} /\\*.*", "")
            print $NF; exit }' <<<"$output"
}

@test "a crash: the last calls of the boot before, and where it was" {
    run -0 --separate-stderr "$root/examples/crash/run.sh"
    elf=$FW/examples/crash/crash.elf
    # Line for line as crash_link.c calls, for each of the four lines received.
    mode='link_receive link_copy link_dispatch link_is link_set_mode link_count'
    speed=${mode/link_is link_set_mode/link_is link_is link_set_speed}
    [ "$(begun | xargs)" = "$mode $speed $mode $speed" ]
    # Only the last two have not returned.
    [ "$(grep 'not left' <<<"$output" | grep -oE 'link_[a-z]+' | xargs)" = \
        'link_count link_receive' ]
    # The fault's address is an instruction of link_count, where counters are
    # counted, says another program; BFAR is valid, the error was precise.
    pc=$(tr '\n' ' ' <<<"$output" |
        sed -n 's/.*stopped .* \(0x[0-9a-f]\{8\}\);.*/\1/p')
    where=$(arm-none-eabi-addr2line -fe "$elf" -i "$pc" | head -n 2)
    [[ $where == link_count* ]]
    line=${where##*:}
    sed -n "${line%% *}p" "$root/examples/crash/crash_link.c" |
        grep -q 'link.counters->lines++'
    grep -q 'CFSR 0x00008200' <<<"$output"
    grep -q 'the ELF matches' <<<"$output"
    # It has been reset: the text of both boots is there, in order.
    [ "$(grep -ao 'crash: [a-z ]*' "$BUILD/crash.mprof" | xargs -d '\n')" = \
        'crash: the first boot crash: the ring of the last boot is there' ]
    # Two boots, of which the first has measured its hooks; nothing came twice.
    "$MCUPROF" info "$BUILD/crash.mprof" --format json >info.json
    jq -e '.quality | .boots == 2 and .frames_repeated == 0
        and .ring.hook_pair_ticks > 0 and .ring_seconds > 0' info.json
    refute='missed|rate|masked|unseen|own share'
    "$MCUPROF" info "$BUILD/crash.mprof" >info
    grep -q 'samples  *none: sampling was never started' info
    run ! grep -E "^ *($refute) " info
}

@test "a boot: right times on both sides of the clock's change" {
    run -0 --separate-stderr "$root/examples/boot/run.sh"
    steps='boot_run supply_wait clock_setup oscillator_wait pll_start'
    steps+=' memory_test radio_setup radio_load radio_load radio_load'
    [ "$(begun | xargs)" = "$steps" ]
    # Delays by a counter that does not change, in us. The clock that was
    # recorded ran at a sixteenth in the first two, and in a half of the third.
    while read -r name us; do
        took=$(duration "$name")
        echo "$name took $took of $us"
        awk -v took="$took" -v us="$us" \
            'BEGIN { exit !(took >= us && took < us * 1.01) }'
    done <<'DELAYS'
supply_wait 3000
oscillator_wait 2000
pll_start 1000
memory_test 3000
radio_load 1000
DELAYS
    # Time that nobody sampled is not that of samples.
    "$MCUPROF" info "$BUILD/boot.mprof" --format json >info.json
    jq -e '.quality | .traced_seconds > 0 and .wall_seconds == null' info.json
    [ "$(grep -c 'the clock runs at' <<<"$output")" -eq 1 ]
    grep -q 'the clock runs at 25 MHz from here on' <<<"$output"
}

free_port() {
    python3 - <<'PYTHON'
import socket
server = socket.create_server(("127.0.0.1", 0))
print(server.getsockname()[1])
PYTHON
}

@test "a hang: the interrupt that waits, and what it interrupted" {
    HANG_PORT=$(free_port)
    export HANG_PORT
    run -0 --separate-stderr "$root/examples/hang/run.sh"
    # As hang_log.c calls, outermost first.
    open=$(sed -n '/^  stopped/q; /us$/d; s/^ .* \([A-Za-z0-9_]*\)$/\1/p' \
        <<<"$output")
    calls='work_step work_measure'
    calls+=' TIMER0_Handler sensor_read log_line log_wait'
    [ "$(xargs <<<"$open")" = "$calls" ]
    grep -q '^thread: 2 open' <<<"$output"
    grep -q '^TIMER0_Handler (24): 4 open' <<<"$output"
    # The watchdog froze it.
    grep -q 'stopped: frozen at TIMER1_Handler+' <<<"$output"
    grep -q 'the ELF matches' <<<"$output"
}

@test "a pin: what is between two edges, and nothing else" {
    PIN_PORT=$(free_port)
    export PIN_PORT
    # Not by `run`: it would wait for an emulator that is left behind.
    "$root/examples/pin/run.sh" >story 3>&-
    output=$(<story)
    # As pin_main.c has its edges: what is filled, and the last heat, is outside.
    heat='kettle_heat heater_run sensor_read'
    [ "$(begun | xargs)" = "$heat $heat kettle_pour valve_open" ]
    # Between the second edge and the third, and that is all there is to mend.
    begun_and_off=$(sed -n 's/^ .*recording was off.*/off/p; /) {$/p; /();$/p' \
        <<<"$output" | sed 's/.* \([a-z_]*\)().*/\1/' | xargs)
    [ "$begun_and_off" = "$heat $heat off kettle_pour valve_open" ]
    grep -q '^  off  *1 pause of recording, [1-9][0-9.]* ' <<<"$output"
    grep -q '^  mended  *no calls$' <<<"$output"
    [ "$(grep -c '^  left out' <<<"$output")" -eq 0 ]
    grep -q 'flight recorder of 1,024, off' <<<"$output"
    # Nobody polls: its identity is that of its memory, and the ELF's.
    grep -q 'the ELF matches' <<<"$output"
    grep -q 'mcuprof did, of the code in its memory' <<<"$output"
    # It ends with the story, and leaves the port.
    run ! bash -c 'exec 3<>"/dev/tcp/127.0.0.1/$PIN_PORT"'
}

count() { # function: of its calls on all paths
    jq "[.rows[] | select(.function == \"$1\") | .calls] | add" tree.json
}

@test "the demo's calls: as many of each as a round of its work makes" {
    run -0 --separate-stderr "$root/examples/demo/calls.sh"
    grep -q '^ *[0-9,.]* *work_round() {$' <<<"$output"
    grep -q '^thread: ' <<<"$output"
    cd "$BUILD"
    "$MCUPROF" tree calls.mprof -e "$FW/examples/demo/demo-traced.elf" \
        --format json >tree.json
    jq -e '.quality.ring | .lost_target + .lost_line == 0' tree.json
    rounds=$(count work_round)
    [ "$rounds" -gt 0 ]
    # 192 nodes: a list of n is sorted by 2n - 1 calls, and n - 1 merges.
    # The text has 20 fields and is parsed 12 times.
    text=$(sed -n '/text\[\] =/,/;/p' "$root/examples/demo/work_parse.c" |
        grep -o '"[^"]*"' | tr -d '"\n')
    fields=$(tr -cd , <<<"$text" | wc -c)
    while read -r name calls; do
        echo "$name $(count "$name") of $((calls * rounds))"
        [ "$(count "$name")" -eq $((calls * rounds)) ]
    done <<CALLS
list_sort $((2 * 192 - 1))
list_merge $((192 - 1))
list_find 16
crc16 3
matrix_fill 2
parse_field $((12 * fields))
parse_next $((12 * (${#text} - fields)))
CALLS
}

@test "the function table of the demo: as the README shows it" {
    run -0 --separate-stderr "$root/examples/demo/functions.sh"
    # Times move with every change; who is there and the order do not.
    names() { sed -n 's/^  0x[0-9a-f]* .*:[0-9]*  *\([a-z_0-9]*\)$/\1/p'; }
    section=$(sed -n '/^## Every function/,/^## With/p' "$root/README.md")
    names <<<"$section" >shown
    names <<<"$output" >printed
    [ "$(wc -l <shown)" -eq 10 ]
    # But for the one that waits: its time is what the others leave.
    busy() { grep -v '^work_wait_tick$' "$1" | head -n 3; }
    diff <(busy shown) <(busy printed)
    diff <(sort shown) <(sort printed)
    columns=$(head -n 1 <<<"$output" | xargs)
    [ -n "$columns" ]
    grep -F "$columns" < <(tr -s ' ' <<<"$section")
    grep -q ' apart$' <<<"$output"
    run ! grep 'DOES NOT ADD UP' <<<"$output"
}
