#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
#
# RTT: a probe that maps the guest's RAM (tests/rigs) reads while the firmware
# runs, at any pace, and `record` gets what it read. Right is what the firmware
# counted itself.

bats_require_minimum_version 1.5.0

setup() {
    root=$(cd "$BATS_TEST_DIRNAME/../.." && pwd)
    rigs=$root/tests/rigs
    build=${BUILD:-$root/build}
    fw=${FW:-$build/fw}/tests/firmware
    mcuprof=${MCUPROF:-$build/host/mcuprof}
    cd "$BATS_TEST_TMPDIR"
    # What is asserted are counts, which a core half as fast brings as well.
    export QEMU_SHIFT=6
    power_on
}

# Nothing is in RAM.
power_on() {
    rm -f memory
    truncate -s 16M memory
}

teardown() {
    [ -z "${probe:-}" ] || kill "$probe" 2>/dev/null || true
}

# probe BOARD NAME [OPTION...]: the firmware under the rig, waiting for a client;
# the port in $port.
probe() {
    board=$1
    elf=$fw/$2.elf
    shift 2
    rm -f port
    python3 "$rigs/rtt_probe.py" "$@" "$elf" memory port -- \
        "$BATS_TEST_DIRNAME/qemu.sh" "$board" "$elf" uart \
        -machine memory-backend=ram -object \
        memory-backend-file,id=ram,size=16M,mem-path=memory,share=on 2>log &
    probe=$!
    for _ in $(seq 200); do
        [ -e port ] && break
        sleep 0.05
    done
    port=$(cat port)
}

# recorded BOARD NAME [OPTION...]: what `record` gets, in ./capture; its report
# in ./report.
recorded() {
    probe "$@"
    "$mcuprof" record "tcp:localhost:$port" -e "$elf" -o capture 2>record.log
    wait "$probe"
    cat log uart
    "$mcuprof" report capture -n 0 --format json >report
}

# is JQ-EXPRESSION: true of ./report?
is() {
    jq -e "$1" report >truth || {
        echo "not so: $1"
        jq -c '.quality | del(.lines)' report
        return 1
    }
}

# counted N: what the firmware printed when it had produced everything, Nth boot.
counted() {
    sed -n 's/^produced //p' uart | sed -n "${1:-1}p"
}

# boot N FIELD: of what numbered.py says.
boot() {
    sed -n "$1p" numbers | cut -d ' ' -f "$2"
}

# Nothing is lost but what the target says it lost; every sample is itself.
adds_up() {
    [ "$(counted)" -gt 0 ]
    is ".quality.produced == $(counted)"
    is '.quality.samples + .quality.lost_target == .quality.produced'
    is '.quality.lost_line == 0 and .quality.damaged_bytes == 0'
    is '.quality.text_bytes == 0'
    python3 "$rigs/numbered.py" <capture >numbers
    cat numbers
    is ".quality.samples == $(boot 1 1)"
    is ".quality.lost_target == $(boot 1 4)"
}

@test "as fast as the probe can" {
    recorded mps2-an385 rtt
    adds_up
    is '.quality.samples > 1000'
}

@test "a byte at a time" {
    recorded mps2-an385 rtt --piece 1
    adds_up
}

@test "far slower than the firmware" {
    recorded mps2-an385 rtt --rate 8000
    adds_up
    is '.quality.lost_target > 1000'
}

@test "a reader that stops, and goes on while samples come" {
    recorded mps2-an385 rtt --pause 9001:rtt_numbered=25000 --piece 333
    adds_up
    is '.quality.lost_target > 1000'
    is '.quality.samples > 2000'
}

@test "a reader that stops until all is over" {
    recorded mps2-an385 rtt --pause 20000:rtt_over=1
    adds_up
    is '.quality.lost_target > 1000'
}

@test "a reader that starts in the middle" {
    recorded mps2-an385 rtt --start rtt_numbered=20000
    adds_up
    # It gets the oldest: what the buffer and the ring have kept.
    [ "$(boot 1 2)" -eq 1 ]
    is '.quality.lost_target > 1000'
}

@test "a reader that starts when all is over" {
    recorded mps2-an385 rtt --start rtt_over=1
    adds_up
    # The ring holds 255, the buffer what fits into 1,023 bytes, a frame waits.
    is '.quality.samples > 255 and .quality.samples < 1000'
}

@test "a buffer of 61 bytes, a quarter of a frame" {
    recorded mps2-an386 rtt-small
    adds_up
    power_on
    recorded mps2-an386 rtt-small --piece 1 --rate 5000
    adds_up
    is '.quality.lost_target > 1000'
}

@test "the sampler's own entry, read in fits" {
    recorded mps2-an386 rtt-sampler --pause 5000:rtt_numbered=25000
    is ".quality.produced == $(counted)"
    is '.quality.samples + .quality.lost_target == .quality.produced'
    is '.quality.lost_target > 1000'
    is '.quality.lost_line == 0 and .quality.damaged_bytes == 0'
    "$mcuprof" report capture -e "$elf" --format json >report
    is '.rows[0].function | startswith("[") | not'
}

@test "down: what the host sends comes back as it was" {
    probe mps2-an385 rtt-echo
    { head -c 20000 /dev/urandom | tr -d '\n'; echo; } >sent
    timeout 60 python3 "$rigs/rtt_client.py" "$port" <sent >received
    wait "$probe"
    cmp sent received
}

# The block and what it says of itself.
generations() {
    sed -n 's/.*block at \(0x[0-9a-f]*\), generation \([0-9]*\),.*/\1 \2/p' log
}

symbol() {
    printf '0x%x' $((0x$(arm-none-eabi-nm "$elf" | sed -n "s/ . $1\$//p")))
}

@test "a reset in mid capture: the old offsets are dropped" {
    # The probe stands still at an offset that the new block does not have.
    recorded mps2-an385 rtt-reset --pause 3000:rtt_boots=2
    at=$(symbol mcuprof_rtt)
    [ "$(generations)" = "$at 1
$at 2" ]
    [ "$(grep -c 'offsets 0 0' uart)" -eq 2 ]
    is '.quality.segments == 2'
    python3 "$rigs/numbered.py" <capture >numbers
    cat numbers
    [ "$(wc -l <numbers)" -eq 2 ]
    # Of the first boot what was read before it ended; none of it twice.
    [ "$(boot 1 1)" -gt 500 ]
    [ "$(boot 1 3)" -le "$(counted 1)" ]
    # All of the second, or counted as lost.
    [ "$(boot 2 2)" -eq $(($(counted 1) + 1)) ]
    [ $(($(boot 2 1) + $(boot 2 4))) -eq "$(counted 2)" ]
    is ".quality.samples == $(boot 1 1) + $(boot 2 1)"
    # One frame at most was cut.
    is '.quality.damaged_bytes < 250'
    is '.quality.text_bytes == 0'
}

@test "resets while the probe reads" {
    for rate in 20000 100000; do
        power_on
        recorded mps2-an385 rtt-reset --rate $rate
        python3 "$rigs/numbered.py" <capture >numbers
        cat numbers
        [ $(($(boot 2 1) + $(boot 2 4))) -eq "$(counted 2)" ]
        [ "$(boot 1 3)" -le "$(counted 1)" ]
        is ".quality.samples == $(boot 1 1) + $(boot 2 1)"
    done
}

# Of an earlier boot, in ./old.
old_capture() {
    [ -s "$BATS_FILE_TMPDIR/old" ] || {
        recorded mps2-an385 rtt --start rtt_over=1
        mv capture "$BATS_FILE_TMPDIR/old"
        power_on
    }
    cp "$BATS_FILE_TMPDIR/old" .
    elf=$fw/rtt.elf
}

@test "a stale block at the same address" {
    old_capture
    python3 "$rigs/rtt_stale.py" "$elf" memory here <old
    recorded mps2-an385 rtt --start rtt_numbered=1
    at=$(symbol mcuprof_rtt)
    [ "$(generations)" = "$at 41
$at 42" ]
    grep -q 'generation 42 offsets 0 0' uart
    adds_up
}

@test "a stale block elsewhere: the symbol wins" {
    old_capture
    python3 "$rigs/rtt_stale.py" "$elf" memory elsewhere <old
    # Who searches finds that one first.
    loader=$(symbol rtt_loader)
    [ "$(grep -abo 'SEGGER RTT' memory | head -n 1)" = \
        "$((loader - 0x21000000)):SEGGER RTT" ]
    cp memory before
    recorded mps2-an385 rtt
    [ "$(generations)" = "$(symbol mcuprof_rtt) 1" ]
    adds_up
    # Nobody touched it.
    cmp -i $((loader - 0x21000000)) -n 256 before memory
}

@test "the id is nowhere in the image, whatever the compiler does" {
    section='__attribute__((section(".shared")))'
    gcc='arm-none-eabi-gcc -mthumb -std=gnu99'
    clang="clang --target=thumbv7em-none-eabi -isystem /usr/lib/arm-none-eabi/include"
    number=0
    for compiler in "$gcc -O0" "$gcc -O2" "$gcc -O3" "$gcc -Os" \
        "$gcc -Os -flto" "$gcc -O3 -flto -fwhole-program" \
        "$clang -O0" "$clang -Os" "$clang -O3"; do
        number=$((number + 1))
        LIBRARY=0 "$BATS_TEST_DIRNAME/build_with.sh" mps2-an386 fw-$number.elf \
            "$compiler -DMCUPROF_RTT_SECTION=$section" \
            "$BATS_TEST_DIRNAME/rtt_echo.c" "$root/target/transport/mcuprof_rtt.c"
        arm-none-eabi-objcopy -O binary fw-$number.elf image
        [ -s image ]
        for id in 'SEGGER RTT' 'SEGG' 'ER R'; do
            echo "$compiler: $id"
            run ! grep -aqF "$id" image
        done
        # The block is not a part of it, and is found by its name.
        arm-none-eabi-nm fw-$number.elf | grep -q ' [Bb] mcuprof_rtt$'
    done
}
