#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
#
# The call ring of a firmware that hangs, found by a debugger: through QEMU's
# gdb server, and in what gdb itself saves.

bats_require_minimum_version 1.5.0

setup() {
    root=$(cd "$BATS_TEST_DIRNAME/../.." && pwd)
    export BUILD=${BUILD:-$root/build}
    mcuprof=${MCUPROF:-$BUILD/host/mcuprof}
    fw=${FW:-$BUILD/fw}/tests/firmware
    tool=$root/tests/tools/ring_memory.py
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

# hang BOARD NAME: runs it in the background until it hangs; gdb at $port.
hang() {
    elf=$fw/$2.elf
    port=$(free_port)
    "$BATS_TEST_DIRNAME/qemu.sh" "$1" "$elf" capture \
        -gdb "tcp:127.0.0.1:$port" -qmp unix:qmp,server=on,wait=off \
        3>&- 2>qemu.err &
    qemu=$!
    until [ -S qmp ] && by_gdb 'p ring_round' &&
        grep -q 'ring_deepest (round=' log; do
        kill -0 $qemu
        sleep 0.1
    done
}

# by_gdb COMMAND...: attached, then detached; writes ./log.
by_gdb() {
    {
        echo "source $root/target/mcuprof_trace.gdb"
        echo "target remote localhost:$port"
        printf '%s\n' "$@"
        echo detach
    } >commands
    timeout 60 gdb-multiarch -nx -batch -x commands "$elf" >log 2>&1
}

# What QEMU says of its guest: "running" or "paused".
guest() {
    python3 - <<'PYTHON'
import json, socket
peer = socket.socket(socket.AF_UNIX)
peer.connect("qmp")
lines = peer.makefile("rw")
json.loads(lines.readline())
for command in "qmp_capabilities", "query-status":
    print(json.dumps({"execute": command}), file=lines, flush=True)
    answer = json.loads(lines.readline())
print(answer["return"]["status"])
PYTHON
}

address() { # symbol
    printf '0x%s' "$(arm-none-eabi-nm "$elf" | awk -v name="$1" \
        '$3 == name { print $1 }')"
}

# SOURCE holds what a reader of our own makes of gdb's dump.
same() { # source
    "$mcuprof" record "$1" -e "$elf" -o made 2>err || {
        cat err
        return 1
    }
    python3 "$tool" records <made | diff expected -
    [ "$(python3 "$tool" names <made)" = '512 the only task' ]
}

# Every way to it gives the same records.
every_way() {
    by_gdb 'mcuprof-trace-dump ring.bin' \
        'dump ihex memory ring.hex 0x20000000 0x20003f00' \
        'generate-core-file core'
    cat log
    source=$(sed -n 's/.*read them with: mcuprof calls \([^ ]*\) .*/\1/p' log)
    begin=0x$(sed 's/.*@0x//' <<<"$source")
    python3 "$tool" read ring.bin "$begin" "$(address mcuprof_trace)" >expected
    [ "$(stat -c %s ring.bin)" -lt 20000 ]
    same "$source"
    same ram:ring.hex
    same "gdb:localhost:$port"
    grep -q 'the target was halted for' err
    [ "$(guest)" = running ]
    # Again: nothing was changed.
    same "gdb:localhost:$port"
    [ "$(guest)" = running ]
}

# The calls that hang, as ring_hang.c is written.
hangs_there() { # source
    "$mcuprof" calls "$1" -e "$elf" --open >open 2>err
    cat open
    [ "$(sed -n 's/.* \(ring_deep[a-z]*\)$/\1/p' open | tr '\n' ' ')" = \
        'ring_deep ring_deeper ring_deepest ' ]
    grep -q '^the only task (512): 3 open' open
}

@test "a flight recorder that has wrapped" {
    hang mps2-an385 ring-flight
    every_way
    sums=$(tail -n 1 expected)
    [[ $sums == 'received 1024 skipped '* && $sums == *' lost 0 line 0' ]]
    [ "$(wc -w <<<"$sums")" -eq 8 ]
    # 1,000 rounds of three calls, the last of which is under way: more than
    # that were made, with the interrupts and contexts.
    skipped=$(awk '{ print $4 }' <<<"$sums")
    [ "$((skipped + 1024))" -gt $((999 * 6 + 3)) ]
    # The innermost enter is the last record, and its address the function's.
    [ "$(sed -n '1024p' expected | cut -d' ' -f3)" = \
        "$(printf '%08x' $(($(address ring_deepest) | 1)))" ]
    hangs_there "gdb:localhost:$port"
    "$mcuprof" info "gdb:localhost:$port" -e "$elf" 2>err >info
    grep -q 'flight recorder of 1,024, recording: 1,024 records' info
}

@test "one-shot: the first calls, and then no more" {
    hang mps2-an386 ring-one-shot
    every_way
    [ "$(tail -n 1 expected)" = 'received 300 skipped 0 lost 0 line 0' ]
    # The first call is the first there was.
    [ "$(awk '$3 !~ /^f/ { print $3; exit }' expected)" = \
        "$(printf '%08x' $(($(address ring_deep) | 1)))" ]
    "$mcuprof" info "gdb:localhost:$port" -e "$elf" 2>err | grep -q \
        'one-shot of 300, full: 300 records, none lost; 0 older'
}

@test "a clock of 24 bits that counts down, and a ring that is not full" {
    hang microbit ring-short
    every_way
    # 30 rounds of three calls: the last three are not left; and a context.
    calls=$(awk 'NF == 3 && $3 !~ /^f/' expected | wc -l)
    [ "$calls" -eq $((30 * 6 - 3)) ]
    hangs_there "gdb:localhost:$port"
    awk 'NF == 3 { if (NR > 1 && ($2 - last + 2^24) % 2^24 > 2^20) exit 1
                   last = $2 }' expected
}

@test "a core file" {
    hang mps2-an385 ring-flight
    by_gdb 'mcuprof-trace-dump ring.bin' 'generate-core-file core'
    cat log
    [ -s core ] || skip 'this gdb makes no core files of such a target'
    begin=0x$(sed -n 's/.*@0x\([0-9a-f]*\) .*/\1/p' log)
    python3 "$tool" read ring.bin "$begin" "$(address mcuprof_trace)" >expected
    same ram:core
    hangs_there ram:core
}

@test "the gdb command says what is wrong" {
    hang mps2-an385 ring-flight
    by_gdb 'mcuprof-trace-dump' 'help mcuprof-trace-dump' \
        'set var *(int *)((int)&mcuprof_trace + 16) = 0' \
        'mcuprof-trace-dump none.bin'
    grep -q 'name the file, as in' log
    grep -q 'there is no call ring yet' log
    grep -q 'Save the call ring' log
    [ ! -e none.bin ]
    run -1 "$mcuprof" info "gdb:localhost:$port" -e "$elf"
    [[ $output == *'there is no call ring at'* ]]
    [ "$(guest)" = running ]
}
