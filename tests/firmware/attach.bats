#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
#
# Sampling in the interrupt of a handler that exists already. The handler
# itself is the judge of what it gets, and of what must have been sampled.

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
    elf=$fw/$2.elf
    run "$BATS_TEST_DIRNAME/qemu.sh" "$1" "$elf" capture
    strings -n 8 capture | grep -v '^seen' || true
    [ "$status" -eq 0 ]
}

# An RTOS's tick, from main() and from a task: before, during and after.
undisturbed() { # BOARD NAME
    firmware "$1" "$2"
    # It checked half of its entries and more, and found each as by hardware, in each
    # of four phases, twice; at the priority that the system gave it.
    for phase in before idle attached after; do
        [ "$(grep -aoE "$phase ticks 6[0-9] checked [3-6][0-9] wrong 0 priority 00000040" \
            capture | wc -l)" -eq 2 ]
    done
}

tick() { # BOARD [NAME]
    undisturbed "$1" "${2:-attach-$1}"
    # Where it saw itself, and in what, it was sampled, and nowhere else.
    run -0 "$BATS_TEST_DIRNAME/attach_samples.py" capture
    echo "$output"
    for context in 0 11 512 513; do
        [ "$(sed -n "s/^context $context //p" <<<"$output")" -gt 5 ]
    done
    # A table of our own in RAM, but the firmware's identity and names.
    samples=$(sed -n 's/.* samples //p' <<<"$output")
    "$mcuprof" report capture -e "$elf" --by context --format json -n 0 >report
    jq -c .quality report
    jq -e ".quality.samples == $samples and .quality.missed == 0" report
    jq -e '[.quality.lines[].text] | any(contains("the sampler SysTick (15)"))' \
        report
}

# The second init came while attached: from the linked table on, all the same,
# or from its alias at 0, where the M55 board begins.
identified() { # BOARD
    tick "$1"
    vectors=$(arm-none-eabi-nm "$elf" | sed -n 's/ . board_vectors$//p')
    jq -e ".quality.identity == \"match\"" report
    jq -e ".quality.identity_firmware | test(\" over 0x(00000000|$vectors)-\")" \
        report
}

@test "an RTOS's tick, M0" {
    identified microbit
}

@test "an RTOS's tick, M3" {
    identified mps2-an385
}

@test "an RTOS's tick, M4F" {
    identified mps2-an386
}

@test "an RTOS's tick, M33" {
    identified mps2-an505
}

@test "an RTOS's tick, M55" {
    identified mps3-an547
}

# The firmware itself compares the table with what it saw.
@test "an RTOS's tick, with the hot-spot table alone, M0, M3 and M33" {
    for board in microbit mps2-an385 mps2-an505; do
        undisturbed $board attach-alone-$board
        [ "$(grep -aoE 'seen [0-9a-f]{8} (0|11|512|513)' capture | wc -l)" -gt 100 ]
    done
}

@test "a vector table that the system has in RAM already" {
    tick mps2-an385 attach-ram-table
}

# attach and detach under an interrupt at every moment of them.
swept() { # BOARD [NAME]
    # An instruction takes as long as a step of the sweep, or longer: 64 ns.
    QEMU_SHIFT=6 firmware "$1" "${2:-attach-timer-$1}"
    for act in attach detach; do
        read -r _ rounds _ early _ old _ new <<<"$(grep -aoE "$act [0-9]+ early.*" capture)"
        # Some before the end of the call and some behind it, by both tables.
        [ "$early" -ge 10 ]
        [ "$early" -lt "$rounds" ]
        [ "$old" -ge 10 ]
        [ $((old + new)) -eq "$rounds" ]
    done
}

@test "an interrupt at every moment of attach and detach, M0" {
    swept microbit
}

@test "an interrupt at every moment of attach and detach, M3" {
    swept mps2-an385
}

@test "a timer of others: which it is, what was missed, how late it was" {
    firmware mps2-an385 attach-timer-mps2-an385
    read -r _ ticks _ periods _ longest _ wrapping <<<"$(grep -aoE 'ticks [0-9]+ of .*' capture)"
    "$mcuprof" report capture -e "$elf" --format json -n 0 >report
    jq -c .quality report
    # So late that the next is about to come: the two are one sample.
    jq -e ".quality.samples == $ticks - $wrapping" report
    jq -e ".quality.missed == $periods - .quality.samples" report
    jq -e ".quality.missed > 50 and $wrapping > 3" report
    jq -e '.quality.missed_is_exact' report
    # 25 ticks are 1 us; the interrupt takes some, and so does the start.
    jq -e ".quality.longest_masked_seconds * 25e6 - $longest | fabs < 50" report
    jq -e '[.quality.lines[].text]
        | any(contains("the sampler TIMER0_Handler (24)"))' report
}

# By SysTick, which is the clock as well, and by another.
@test "a tick that begins after the start, and not at the rate that was said" {
    for board in microbit mps2-an385; do
        firmware $board attach-late-$board
        ticks=$(grep -aoE 'ticks [0-9]+' capture | cut -d' ' -f2)
        "$mcuprof" report capture -e "$elf" --format json -n 0 >report
        jq -c .quality report
        jq -e ".quality.samples == $ticks and .quality.missed == 0" report
        jq -e '.quality.nominal_rate_hz == 4000' report
        # Less than two periods.
        jq -e '.quality.longest_masked_seconds < 0.0005' report
        # The quarter of a second before it counts where a clock ran.
        [ $board = microbit ] && before=0 || before=0.25
        jq -e ".quality.wall_seconds - $before - $ticks / 4000 | fabs < 0.001" report
    done
}

# So slow that SysTick as the clock, of 24 bits, cannot tell how late one is.
@test "a tick that begins after the start, and very slow" {
    for board in microbit mps2-an385; do
        firmware $board attach-slow-$board
        "$mcuprof" report capture -e "$elf" --format json -n 0 >report
        jq -c .quality report
        jq -e '.quality.samples == 8 and .quality.missed == 0' report
        jq -e '.quality.nominal_rate_hz == 2' report
        [ $board = microbit ] && late=null || late=0
        jq -e ".quality.longest_masked_seconds == $late" report
        [ $board = microbit ] && before=0 || before=0.25
        jq -e ".quality.wall_seconds - $before - 4 | fabs < 0.001" report
    done
}

@test "as many vectors as the chip has, one less, and none" {
    for board in microbit mps2-an386; do
        firmware $board attach-room-48-$board
        grep -aqx "attach 0 detach 0 moved 1" capture
        for vectors in 47 0; do
            # MCUPROF_ETABLE, MCUPROF_ESTATE
            firmware $board attach-room-$vectors-$board
            grep -aqx "attach -12 detach -2 moved 0" capture
        done
        # No table, no RAM: what remains is the code.
        run -0 arm-none-eabi-nm "$fw/attach-room-0-$board.elf"
        [[ $output != *vector_table* ]]
        [[ $output != *mcuprofi_attached* ]]
    done
}

@test "vectors seen at address 0 may be an alias: the image's own count" {
    # As if the image's table were behind its first 64 bytes.
    "$BATS_TEST_DIRNAME/build_with.sh" mps2-an386 selftest.elf \
        "arm-none-eabi-gcc -mthumb -std=gnu99 -O2 -Wl,--defsym=__Vectors=0x40" \
        "$BATS_TEST_DIRNAME/selftest.c"
    "$BATS_TEST_DIRNAME/qemu.sh" mps2-an386 selftest.elf capture
    run -0 "$mcuprof" report capture -e selftest.elf
    echo "$output"
    [[ $output == *"the ELF matches: CRC-32 "*" over 0x00000040-"* ]]
}

@test "link-time optimisation of the whole program, and clang" {
    include=/usr/lib/arm-none-eabi/include
    gcc='arm-none-eabi-gcc -mthumb -std=gnu99 -O3 -flto -fwhole-program'
    clang="clang --target=thumbv6m-none-eabi -Os -isystem $include"
    "$BATS_TEST_DIRNAME/build_with.sh" mps2-an385 lto.elf \
        "$gcc -DMCUPROF_VECTORS=48" "$BATS_TEST_DIRNAME/attach_timer.c"
    "$BATS_TEST_DIRNAME/build_with.sh" microbit clang.elf \
        "$clang -DMCUPROF_VECTORS=48" "$BATS_TEST_DIRNAME/attach_timer.c"
    fw=.
    swept mps2-an385 lto
    swept microbit clang
}
