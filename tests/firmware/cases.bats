#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
#
# What the users of other samplers were bitten by. The right values follow
# from how each firmware is made, or are its own count on the board's clock.

bats_require_minimum_version 1.5.0

setup() {
    root=$(cd "$BATS_TEST_DIRNAME/../.." && pwd)
    build=${BUILD:-$root/build}
    fw=${FW:-$build/fw}/tests/firmware
    mcuprof=${MCUPROF:-$build/host/mcuprof}
    cd "$BATS_TEST_TMPDIR"
}

# firmware BOARD NAME: runs it, with its UART in ./capture.
firmware() {
    board=$1
    elf=$fw/$2.elf
    "$BATS_TEST_DIRNAME/qemu.sh" "$board" "$elf" capture
}

# report [OPTION...]: of ./capture, as JSON in ./report.
report() {
    "$mcuprof" report capture -e "$elf" -n 0 --format json "$@" >report
}

# is JQ-EXPRESSION: true of ./report?
is() {
    jq -e "$1" report >truth || {
        echo "not so: $1"
        jq -c '.rows, (.quality | del(.lines))' report
        return 1
    }
}

share_of() { # function
    jq "[.rows[] | select(.function == \"$1\") | .share_percent] | add // 0" \
        report
}

# counted NAME: what the firmware measured, in percent.
counted() {
    strings capture | awk -v name="$1" \
        '$1 == name { print 100 * $2 / $4; found = 1 } END { exit !found }'
}

# within A B TOLERANCE
within() {
    echo "$1 and $2, at most $3 apart"
    awk "BEGIN { d = $1 - $2; exit !(d <= $3 && -d <= $3) }"
}

@test "no cycle counter: which clock, and why (M0)" {
    firmware microbit clockless-microbit
    cp capture first
    firmware microbit clockless-microbit
    cmp first capture
    report
    is '.quality.clock | contains("SysTick")'
    is '.quality.clock_reason | contains("no DWT")'
    is '.quality.clock_hz == 16000000'
    # Half a second at 2 kHz; jitter makes that a little uncertain.
    is '.quality.wall_seconds > 0.499 and .quality.wall_seconds < 0.501'
    is '.quality.samples > 950 and .quality.samples < 1050'
}

@test "no cycle counter: which clock, and why (M3, M4: not emulated)" {
    for board in mps2-an385 mps2-an386; do
        firmware $board clockless-$board
        cp capture first
        firmware $board clockless-$board
        cmp first capture
        report
        is '.quality.clock | contains("SysTick")'
        is '.quality.clock_reason | contains("TRCENA")'
        is '.quality.clock_hz == 25000000'
        is '.quality.wall_seconds > 0.499 and .quality.wall_seconds < 0.501'
    done
}

@test "a task in step with the sampling interrupt: right with jitter" {
    firmware mps2-an385 periodic-jitter
    report
    within "$(counted periodic_task)" 25 0.5
    within "$(counted periodic_task)" "$(share_of periodic_task)" 2
    is '.quality.jitter'
}

@test "a task in step with the sampling interrupt: wrong without, and said" {
    firmware mps2-an385 periodic-in-task
    within "$(counted periodic_task)" 25 0.5
    report
    within 100 "$(share_of periodic_task)" 2
    firmware mps2-an385 periodic-in-rest
    within "$(counted periodic_task)" 25 0.5
    report
    within 0 "$(share_of periodic_task)" 2
    is '.quality.jitter | not'
    is '[.quality.lines[].text] | any(contains("without jitter"))'
}

@test "critical sections of 2 ms: the longest, where it ended, what was missed" {
    firmware mps2-an385 masked
    report
    # A deadline falls into the first 150 us of a section.
    is '.quality.longest_masked_seconds > 0.00185'
    is '.quality.longest_masked_seconds < 0.00201'
    is '.quality.longest_masked_function | startswith("masked_section+")'
    # 2 ms are 20 periods, of which one is sampled, late.
    is '.quality.missed > 50 * 17.5 and .quality.missed < 50 * 20'
    within "$(share_of '[not sampled]')" 9 0.5
    is '.quality.missed_is_exact'
}

@test "critical sections of 2 ms: a clock that cannot tell says so (M0)" {
    firmware microbit masked-clockless
    report
    is '.quality.missed_is_exact | not'
    # SysTick's count since its reload: less than the longest period.
    is '.quality.longest_masked_seconds <= 0.00015'
    # Time stands still after the first period of a section, and never jumps.
    ran=$(strings capture | sed -n 's/^ran \(.*\) ticks/\1/p')
    is ".quality.wall_seconds < $ran / 16e6"
    is ".quality.wall_seconds > $ran / 16e6 - 200 * 0.002"
}

sleeps() {
    firmware mps2-an385 "$1"
    report
    within "$(counted asleep)" 70 1
    within "$(counted asleep)" "$(share_of '[idle]')" 2
    is '.quality.missed == 0'
    # Sleep is nobody's work: what runs around it is next to nothing.
    awk "BEGIN { exit !($(share_of sleepy_idle) < 0.5) }"
    report --by context
    within "$(counted asleep)" \
        "$(jq '.rows[] | select(.kind == "idle") | .share_percent' report)" 2
}

@test "70 % of the time in WFI" {
    sleeps sleepy-masked-0
}

@test "70 % of the time in cpsid; wfi; cpsie" {
    sleeps sleepy-masked-1
}

@test "no sample, one sample, a thousand at one address" {
    expected=0
    for name in none one thousand; do
        firmware mps2-an385 by-hand-$name
        point=$(arm-none-eabi-nm "$elf" | sed -n 's/ . by_hand_point$//p')
        for by in function context address; do
            report --by $by
            is ".quality.samples == $expected"
            is "[.rows[].samples] | add // 0 == $expected"
            is ".rows | length == ([$expected, 1] | min)"
            for format in table csv; do
                "$mcuprof" report capture -e "$elf" --by $by --format $format
            done
        done
        is "[.rows[].address] - [$((0x$point))] == []"
        report --by function
        is '[.rows[].function] - ["by_hand_take"] == []'
        "$mcuprof" info capture
        expected=$((expected == 0 ? 1 : 1000))
    done
}

@test "a host that does not read: produced = delivered + lost" {
    # Nothing goes out before the last sample: what the ring holds arrives.
    firmware mps2-an385 by-hand-blocked
    report
    is '.quality.produced == 2910'
    is '.quality.samples + .quality.lost_target == 2910'
    is '.quality.samples == 255'
    is '[.rows[].samples] | add == 255'
    # Nothing before the 1,000th, everything after it.
    firmware mps2-an385 by-hand-late
    report
    is '.quality.produced == 2910'
    is '.quality.samples + .quality.lost_target == 2910'
    is '.quality.samples == 255 + 1910'
}

@test "text and garbage on the line" {
    firmware mps2-an385 by-hand-talk
    report
    is '.quality.samples == 1000'
    is '.quality.text_bytes == 260'
    is '.quality.damaged_bytes == 0'

    # A greeting in front, and bytes of a device that was on the line before.
    mv capture clean
    { printf 'SEGGER J-Link V7.94e\r\n'; cat clean; } >capture
    report
    is '.quality.samples == 1000'
    is '.quality.text_bytes == 260 + 22'
    is '.quality.damaged_bytes == 0'
    { printf '\377\200\001garbage\377'; cat clean; } >capture
    report
    is '.quality.samples == 1000'
    is '.quality.text_bytes == 260'
    is '.quality.damaged_bytes == 11'
}

@test "half a frame at the start" {
    firmware mps2-an385 by-hand-talk
    mv capture clean
    # Each cut falls into another of the first frames.
    for skipped in 1 20 59 60 61 130 300; do
        tail -c +$((skipped + 1)) clean >capture
        # Where the first whole record frame begins, by another reader: it
        # says how many samples came before it.
        first=$(python3 "$root/tests/tools/mprof.py" dump <capture |
            awk '$1 == 10 && !found { print $3; found = 1 }')
        first=$((16#${first:6:2}${first:4:2}${first:2:2}${first:0:2}))
        report
        is ".quality.samples == 1000 - $first"
        is ".quality.text_bytes == 260"
    done
    [ "$first" -gt 0 ]
}
