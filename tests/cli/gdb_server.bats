#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
#
# The call ring read through a gdb server, one that behaves and many that do
# not (tests/rigs/gdb_stub.py): the right records or a clear word, never a hang,
# and the target runs in the end wherever that can be had.

load common

STUB=$ROOT/tests/rigs/gdb_stub.py

setup_file() {
  build_elf "$BATS_FILE_TMPDIR/fw.elf"
  arm-none-eabi-objcopy --add-symbol mcuprof_trace=0x20000100,global \
    "$BATS_FILE_TMPDIR/fw.elf" "$BATS_FILE_TMPDIR/ring.elf"
}

setup() {
  unset MCUPROF_ELF NO_COLOR
  ELF=$BATS_FILE_TMPDIR/ring.elf
  cd "$BATS_TEST_TMPDIR" || return 1
  ring_memory
}

# More memory behind the ring, as a chip has.
ring_memory() { # keys...
  { python3 "$TOOLS/ring_memory.py" memory made=200 lost=5 "$@"
    head -c 100 /dev/zero; } >memory
}

teardown() {
  [ -z "${stub:-}" ] || kill "$stub" 2>/dev/null || true
}

# serve [KEY=VALUE...]: a server for one connection at $port.
serve() {
  rm -f port
  mkfifo port
  python3 "$STUB" memory 0x20000000 log "$@" >port 3>&- &
  stub=$!
  read -r port <port
}

# What became of the target, when the server has seen the end.
target() {
  wait "$stub" || true
  stub=
  grep -x 'halted\|running' log | tail -n 1
}

record_it() { # options of the server...
  serve "$@"
  rm -f capture
  run_apart timeout 60 "$MCUPROF" record "gdb:localhost:$port" -e "$ELF" \
    -o capture
}

assert_right() { # options of the server...
  record_it "$@"
  [ "$status" -eq 0 ] || show_and_fail "$* exit status $status"
  [ "$(target)" = running ] || show_and_fail "$*: left halted"
  python3 "$TOOLS/ring_memory.py" records <capture >got
  python3 "$TOOLS/ring_memory.py" expected made=200 lost=5 | diff - got
}

# assert_wrong STATUS CAUSE TARGET [options of the server...]
assert_wrong() {
  record_it "${@:4}"
  assert_complaint "$1" "$2"
  [ ! -e capture ]
  [ "$(target)" = "$3" ] || show_and_fail "${*:4}: not $3"
}

@test "read, resumed, and for how long it was halted" {
  assert_right
  grep -qE '^gdb:localhost:[0-9]+: the target was halted for [0-9.]+ m?s$' err
  run_apart "$MCUPROF" info capture
  assert_out 'call ring .*64 records' 'the target was halted for'
  run_apart "$MCUPROF" info capture --format json
  [ "$(json .quality.ring.halted_us)" -gt 0 ]
  # Nothing was said after the target was told to run.
  [ "$(grep -vx 'halted\|running\|ended' log | tail -n 1)" = c ]
}

@test "every verb that reads" {
  local verb
  for verb in info report; do
    serve
    run_apart "$MCUPROF" $verb "gdb:localhost:$port" -e "$ELF"
    [ "$status" -eq 0 ] || show_and_fail "$verb"
    assert_out 'call ring +flight recorder of 64, recording: 64 records'
    [ "$(target)" = running ]
  done
  for verb in calls tree; do
    serve
    run_apart "$MCUPROF" $verb "gdb:localhost:$port" -e "$ELF"
    [ "$status" -eq 0 ] || show_and_fail "$verb"
    assert_out 'sensor hub|control'
    [ "$(target)" = running ]
  done
}

@test "packets of any size, short answers, run lengths, and a chat" {
  assert_right packet=4096
  [ "$(grep -c '^m' log)" -lt 12 ]
  assert_right packet=1048576
  assert_right packet=64
  assert_right packet=1
  assert_right packet=4096 short=10
  assert_right rle=1 packet=4096
  assert_right console=1
  assert_right drip=1
}

@test "a line that damages what is on it" {
  assert_right badsum=1
  grep -q refused log
  assert_right badsum=2
  assert_right nak=2
  assert_wrong 1 'have wrong checksums' halted badsum=1000
  assert_wrong 1 'refuses what is sent to it as damaged' running nak=3
}

@test "a server that does not halt the target by itself" {
  assert_right runs=1
  grep -qx interrupt log
  assert_right mute=1
  grep -qx interrupt log
  # Not halted while it was not: it took two seconds to find out.
  run_apart "$MCUPROF" info capture --format json
  [ "$(json .quality.ring.halted_us)" -lt 1500000 ]
  assert_wrong 4 'does not stop' '' runs=1 deaf=1
}

@test "nobody is there, or not a gdb server" {
  run_apart "$MCUPROF" info gdb:localhost:1 -e "$ELF"
  assert_complaint 4 'cannot connect to localhost:1'
  run_apart "$MCUPROF" info gdb:localhost -e "$ELF"
  assert_complaint 2 'no host and port in gdb:localhost$'
  grep -q 'gdb:HOST:PORT' err
  run_apart "$MCUPROF" info gdb:localhost:99999 -e "$ELF"
  assert_complaint 2 "'99999' is no port"
  assert_wrong 1 'is no answer of a gdb server' running garbage=1
  assert_wrong 1 'is no answer of a gdb server' halted flood=1
}

@test "a server without a target" {
  assert_wrong 4 'has no target: it answers E01' running gone=1
}

@test "a server that says nothing, from the start or from somewhere on" {
  SECONDS=0
  assert_wrong 4 'does not answer' halted silent=1
  assert_wrong 4 'does not answer; the target may have stayed halted' halted \
    silent=9
  [ "$SECONDS" -le 40 ]
}

@test "a server that dies" {
  local commands
  for commands in 1 2 3 8 12; do
    assert_wrong 4 'closed the connection' halted packet=64 close=$commands
  done
  grep -q 'may have stayed halted' err
  # With the last word of all.
  serve
  run_apart "$MCUPROF" info "gdb:localhost:$port" -e "$ELF"
  target
  commands=$(grep -cvx 'halted\|running\|ended' log)
  assert_wrong 4 'did not let the target run again' halted close="$commands"
}

@test "memory that cannot be read" {
  assert_wrong 1 'cannot read 132 bytes at 0x20000100: it answers E01' running \
    errors=E01
  grep -q 'the ELF' err
  assert_wrong 1 'cannot read 132 bytes .*: it answers E.Memory not here' \
    running 'errors=E.Memory not here'
  assert_wrong 1 'cannot read 132 bytes .*: it answers nothing' running errors=
  assert_wrong 1 'is no answer of a gdb server' running errors=0
  assert_wrong 1 'is no answer of a gdb server' running errors=zz
  head -c 1024 /dev/zero >memory
  assert_wrong 1 'was not started' running
  # Names that cannot be read are no reason to give up.
  ring_memory flash=1
  assert_right
}

@test "names that cannot be read, in any words: the ring all the same" {
  local words
  ring_memory flash=1
  for words in E14 'E.no memory' ''; do
    assert_right "outside=$words"
    run_apart "$MCUPROF" info capture
    assert_out '3 names of contexts could not be read'
    run_apart "$MCUPROF" info capture --format json
    [ "$(json .quality.ring.unnamed)" -eq 3 ]
  done
  ring_memory
  assert_right
  run_apart "$MCUPROF" info capture
  refute_out 'could not be read'
}

@test "another debugger is connected already" {
  serve
  # It has the server; who comes next waits, and may wait for ever.
  exec 8<>"/dev/tcp/localhost/$port"
  run_apart timeout 60 "$MCUPROF" info "gdb:localhost:$port" -e "$ELF"
  exec 8>&-
  assert_complaint 4 'does not answer'
  grep -q 'end the other debugger' err
  # Or the server hangs up.
  assert_wrong 4 'closed the connection without a word' halted close=1
  grep -q 'end the other debugger' err
  assert_wrong 4 'closed the connection' halted close=2
  refute_grep 'the other debugger' err
}

@test "a target that will not run again" {
  assert_right refuse=c
  assert_wrong 4 'did not let the target run again' halted refuse=cD
  assert_wrong 4 'stopped again at once' halted again=1
}

@test "an ELF without the ring: nobody is asked" {
  serve
  run_apart "$MCUPROF" info "gdb:localhost:$port" -e "$BATS_FILE_TMPDIR/fw.elf"
  assert_complaint 1 'has no symbol mcuprof_functions, mcuprof_trace'
  grep -q 'MCUPROF_TRACE 1' err
}

# end_by SIGNAL [prefix command...]: in the middle of a slow read.
end_by() {
  python3 - "$@" "$MCUPROF" record "gdb:localhost:$port" -e "$ELF" -o capture \
    <<'PYTHON'
import signal, subprocess, sys, time
number = getattr(signal, sys.argv[1])
with open("out", "w") as out, open("err", "w") as err:
    process = subprocess.Popen(sys.argv[2:], stdout=out, stderr=err)
    while open("log").read().count("\nm") < 3:
        time.sleep(0.01)
    process.send_signal(number)
    print(process.wait())
PYTHON
}

@test "a signal ends it, once the target runs" {
  local signal
  for signal in SIGINT SIGTERM SIGHUP SIGQUIT; do
    serve slow=100
    [ "$(ulimit -c 0; end_by $signal)" = "-$(kill -l "${signal#SIG}")" ]
    [ ! -e capture ]
    [ "$(target)" = running ] || show_and_fail "$signal"
    # It was in the middle.
    [ "$(grep -c '^m' log)" -lt 12 ]
  done
}

@test "a signal that is ignored changes nothing" {
  serve slow=20
  [ "$(end_by SIGHUP nohup)" = 0 ]
  [ "$(target)" = running ]
  python3 "$TOOLS/ring_memory.py" records <capture >got
  python3 "$TOOLS/ring_memory.py" expected made=200 lost=5 | diff - got
}

# crc_of FROM TO: of memory's bytes, without those of vector 7.
crc_of() {
  python3 -c 'import sys, zlib
data = open("memory", "rb").read()[int(sys.argv[1]):int(sys.argv[2])]
assert len(set(data)) > 50 and len(data) > 1024 + 32 and any(data[28:32])
print(f"CRC-32 0x{zlib.crc32(data[:28] + data[32:]):08x}")' "$1" "$2"
}

@test "an identity that the firmware has not computed: of its memory" {
  ring_memory room=256 made=300 start=0x20000100 length=2000
  record_it
  [ "$status" -eq 0 ] || show_and_fail "exit status $status"
  [ "$(target)" = running ]
  run_apart "$MCUPROF" info capture
  assert_out "$(crc_of 256 2256) over 0x20000100-0x200008cf" \
    'mcuprof did, of the code in its memory'
  run_apart "$MCUPROF" info capture --format json
  [ "$(json .quality.identity_read_from_memory)" = true ]
  # The same of a dump.
  run_apart "$MCUPROF" info ram:memory@0x20000000 -e "$ELF"
  assert_out "$(crc_of 256 2256) over 0x20000100-0x200008cf"
  # Another build than the ELF, then: it has nothing there.
  run_apart "$MCUPROF" calls capture -e "$ELF"
  assert_complaint 1 'another build: the firmware has CRC-32'
}

@test "an identity that cannot be computed: the ring, and how to get one" {
  # Not readable to its end, none there, longer than any code, too slow.
  local keys
  for keys in start=0x20000100,length=200000 start=0x20000100,length=0 \
    start=0x20000100,length=0xFFFFFFFF start=0x00000000,length=2000; do
    ring_memory room=256 made=300 ${keys/,/ }
    record_it
    [ "$status" -eq 0 ] || show_and_fail "$keys: exit status $status"
    [ "$(target)" = running ]
    run_apart "$MCUPROF" info capture
    assert_out 'identity +not yet known' 'call ring .* 256 records'
  done
  assert_out 'mcuprof does, too, where it can' '0x00000000-0x000007cf, with the'
  python3 "$TOOLS/ring_memory.py" memory start=0x20000100 length=900000 >memory
  head -c 900000 /dev/zero >>memory
  record_it slow=50 packet=1024
  [ "$status" -eq 0 ] || show_and_fail "slow: exit status $status"
  [ "$(target)" = running ]
  run_apart "$MCUPROF" info capture
  assert_out 'identity +not yet known' 'the target was halted for [0-9]' \
    'call ring .* 40 records'
}
