#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
#
# The end of the stream, left in RAM: what a dump holds is the end of what went
# over the UART in the same run.

bats_require_minimum_version 1.5.0

setup() {
    root=$(cd "$BATS_TEST_DIRNAME/../.." && pwd)
    rigs=$root/tests/rigs
    build=${BUILD:-$root/build}
    fw=${FW:-$build/fw}/tests/firmware
    mcuprof=${MCUPROF:-$build/host/mcuprof}
    cd "$BATS_TEST_TMPDIR"
}

# ran BOARD NAME [RESET-AT]: its UART in ./uart, the bytes in RAM in ./kept, what
# is said of them in $generation, $written, $size.
ran() {
    elf=$fw/$2.elf
    rm -f memory
    truncate -s 16M memory
    python3 "$rigs/ram_dump.py" "$elf" memory "ram_reset_at=${3:-0}"
    "$BATS_TEST_DIRNAME/qemu.sh" "$1" "$elf" uart \
        -machine memory-backend=ram -object \
        memory-backend-file,id=ram,size=16M,mem-path=memory,share=on
    python3 "$rigs/ram_dump.py" "$elf" memory >kept 2>said
    cat said
    read -r generation written size <said
    # What mcuprof makes of the same memory, behind the frame of its own.
    "$mcuprof" record ram:memory@0x21000000 -e "$elf" -o recorded
    tail -c "$size" recorded | cmp - kept
    head -c -"$size" recorded | python3 "$root/tests/tools/mprof.py" dump |
        grep -q '^7f '
}

dump() { # capture
    python3 "$root/tests/tools/mprof.py" dump <"$1"
}

# quality FILE FIELD
quality() {
    "$mcuprof" report "$1" -e "$elf" --format json | jq ".quality.$2"
}

# The dump is the stream's end, and a capture: its frames are the last ones.
is_the_end() {
    [ "$written" -eq "$(stat -c %s uart)" ]
    tail -c "$size" uart | cmp - kept
    dump kept >frames
    [ "$(wc -l <frames)" -gt 3 ]
    dump uart | tail -n "$(wc -l <frames)" | diff - frames
    grep -q '^01 ' frames
}

# Rows of all samples, by address.
rows() { # capture
    "$mcuprof" report "$1" -e "$elf" --by address -n 0 --format json |
        jq -c '.rows'
}

@test "the end of a long stream" {
    ran mps2-an385 ram
    [ "$size" -eq 16383 ]
    is_the_end
    records=$(grep -c '^10 ' frames)
    [ "$records" -gt 50 ]
    [ "$(quality kept samples)" -gt 5000 ]
    [ "$(quality kept lost_line)" -eq 0 ]
    tail -c "$size" uart >end
    [ "$(rows end)" = "$(rows kept)" ]
    [ "$(quality kept 'identity | tostring')" = \
        "$(quality uart 'identity | tostring')" ]
}

@test "the block alone, as gdb dumps it, is a capture" {
    ran mps2-an385 ram
    at=0x$(arm-none-eabi-nm "$elf" | sed -n 's/ . mcuprof_ram$//p')
    bytes=0x$(arm-none-eabi-nm -S "$elf" |
        sed -n 's/^[^ ]* \([^ ]*\) . mcuprof_ram$/\1/p')
    tail -c +$((at - 0x21000000 + 1)) memory | head -c $((bytes)) >block
    [ "$(stat -c %s block)" -eq $((24 + 16384)) ]
    [ "$(rows block)" = "$(rows kept)" ]
    [ "$(rows ram:memory@21000000)" = "$(rows kept)" ]
}

@test "a stream that is shorter than the buffer is there from its start" {
    ran mps2-an385 ram-short
    [ "$size" -eq "$written" ]
    is_the_end
    [ "$(rows uart)" = "$(rows kept)" ]
    [ "$(quality kept produced)" = "$(quality uart produced)" ]
    [ "$(quality kept produced)" -ge 1000 ]
}

@test "a buffer of 1 KiB holds a HELLO" {
    ran mps2-an386 ram-small
    [ "$size" -eq 1023 ]
    is_the_end
    [ "$(quality kept samples)" -gt 100 ]
}

@test "a reset at any moment leaves what was sent" {
    for at in 777 3000 3001 3002 3010 3077 5555 5556 9999; do
        ran mps2-an385 ram $at
        [ "$generation" -gt 0 ]
        # The UART has at most one write more.
        python3 - <<'PYTHON'
kept = open("kept", "rb").read()
sent = open("uart", "rb").read()
at = sent.rfind(kept)
behind = len(sent) - at - len(kept)
print(len(kept), "bytes,", behind, "before the end")
assert at >= 0 and 0 <= behind <= 250
assert len(kept) == min(16383, len(sent) - behind)
PYTHON
        dump kept | grep -q '^10 '
    done
}

@test "a size that cannot work is refused in words" {
    for size in 8192 24576; do
        run "$BATS_TEST_DIRNAME/build_with.sh" mps2-an385 none.elf \
            "arm-none-eabi-gcc -mthumb -std=gnu99 -DMCUPROF_RAM_SIZE=$size" \
            "$BATS_TEST_DIRNAME/ram.c" "$root/target/transport/mcuprof_ram.c"
        [ "$status" -ne 0 ]
        [[ $output =~ "MCUPROF_RAM_SIZE must be" ]]
    done
    run "$BATS_TEST_DIRNAME/build_with.sh" mps2-an385 none.elf \
        "arm-none-eabi-gcc -mthumb -std=gnu99 -DMCUPROF_RTT_UP_SIZE=8" \
        "$BATS_TEST_DIRNAME/rtt_echo.c" "$root/target/transport/mcuprof_rtt.c"
    [ "$status" -ne 0 ]
    [[ $output =~ "MCUPROF_RTT_UP_SIZE must be" ]]
}
