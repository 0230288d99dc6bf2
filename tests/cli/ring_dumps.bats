#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
#
# Dumps of memory with a call ring in it: the right records, oldest first, and
# what is said where that cannot be. Rings and what they hold come from
# tests/tools/ring_memory.py.

load common

ring() {
  python3 "$TOOLS/ring_memory.py" "$@"
}

setup_file() {
  build_elf "$BATS_FILE_TMPDIR/fw.elf"
  arm-none-eabi-objcopy --add-symbol mcuprof_trace=0x20000100,global \
    "$BATS_FILE_TMPDIR/fw.elf" "$BATS_FILE_TMPDIR/ring.elf"
  arm-none-eabi-objcopy --add-symbol mcuprof_ram=0x20001000,global \
    "$BATS_FILE_TMPDIR/ring.elf" "$BATS_FILE_TMPDIR/both.elf"
}

setup() {
  unset MCUPROF_ELF NO_COLOR
  ELF=$BATS_FILE_TMPDIR/ring.elf
  cd "$BATS_TEST_TMPDIR" || return 1
}

# What record makes of the dump is what the ring has.
same_records() { # source, keys of the ring...
  local source=$1
  shift
  run_apart "$MCUPROF" record "$source" -e "$ELF" -o capture
  [ "$status" -eq 0 ] || show_and_fail "record $source: $*"
  ring records <capture >got
  ring expected "$@" >expected
  diff expected got || show_and_fail "$*"
}

@test "a ring that has not wrapped, is full, and has wrapped" {
  local made
  for made in 1 2 63 64 65 127 128 129 200 5000; do
    ring memory made=$made lost=3 >memory
    same_records ram:memory@0x20000000 made=$made lost=3
  done
  grep -qx 'capture: 64 records of the call ring, 3 lost' err
  ring memory room=4096 made=100000 >memory
  same_records ram:memory@0x20000000 room=4096 made=100000
  # One-shot: what came later found no room.
  ring memory mode=1 made=64 lost=1000 >memory
  same_records ram:memory@0x20000000 mode=1 made=64 lost=1000
}

@test "clocks that count down, and narrow ones" {
  local clock
  for clock in 152 24 16 160; do
    ring memory made=300 clock=$clock >memory
    same_records ram:memory@0x20000000 made=300 clock=$clock
  done
}

@test "records that were reserved and not written come as they are" {
  ring memory made=50 skip=48,49 >memory
  same_records ram:memory@0x20000000 made=50 skip=48,49
  grep -q '^49 .* 00000000$' got
  ring memory made=150 skip=20,21 >memory
  same_records ram:memory@0x20000000 made=150 skip=20,21
  # Older than those around them: of the lap before.
  [ "$(awk '$1 == 148 { print $2 }' got)" -lt \
    "$(awk '$1 == 147 { print $2 }' got)" ]
}

@test "halted where a new lap has begun and was not counted yet" {
  local made
  for made in 65 66 67 129 640; do
    [ $((made % 64)) -ne 0 ] || made=$((made + 1))
    ring memory made=$made torn=1 skip=0 >memory
    same_records ram:memory@0x20000000 made=$made torn=1 skip=0
  done
}

@test "a ring that is sent: what is still in it" {
  ring memory mode=2 made=200 taken=20 >memory
  same_records ram:memory@0x20000000 mode=2 made=200 taken=20
  ring memory mode=2 made=30 taken=30 >memory
  same_records ram:memory@0x20000000 mode=2 made=30 taken=30
}

@test "Intel HEX and core files say their addresses" {
  ring hex made=200 >memory.hex
  same_records ram:memory.hex made=200
  ring core made=200 >core
  same_records ram:core made=200
  run_apart "$MCUPROF" record ram:memory.hex@0x20000000 -e "$ELF"
  assert_complaint 2 'memory.hex says its addresses itself'
  run_apart "$MCUPROF" record ram:core@20000000 -e "$ELF"
  assert_complaint 2 'core says its addresses itself'
}

@test "HEX as others write it: small letters, segments, starts, no order" {
  ring memory made=200 >memory
  arm-none-eabi-objcopy -I binary -O ihex --change-addresses 0x20000000 \
    memory objcopy.hex
  same_records ram:objcopy.hex made=200
  tr A-F a-f <objcopy.hex | sed 's/$/\r/' >small.hex
  same_records ram:small.hex made=200
  # The ring behind the block, with the end record behind both.
  local lines
  lines=$(wc -l <objcopy.hex)
  { head -n 1 objcopy.hex
    sed -n '2,$p' objcopy.hex | grep '^:10' | tac
    echo ':04000005000000CD2A'
    sed -n "2,${lines}p" objcopy.hex | grep -v '^:10'
  } >turned.hex
  same_records ram:turned.hex made=200
}

@test "the ring's block reaches the reports" {
  ring memory made=200 lost=7 state=6 >memory
  run_apart "$MCUPROF" record ram:memory@20000000 -e "$ELF" -o capture
  [ "$(ring ring <capture)" = \
    '6 0 64 08000154 08000123 61000003 00008200' ]
  run_apart "$MCUPROF" info capture
  [ "$status" -eq 0 ]
  assert_out 'call ring +flight recorder of 64, frozen by a fault: 64 records' \
    'lost 7 on the target' '\(their' '136 older ones overwritten' \
    'frozen at 0x08000154' 'CFSR 0x00008200' "hooks cost 70 ticks"
  run_apart "$MCUPROF" info capture --format json
  [ "$(json '.quality.ring | [.mode, .state, .size, .records, .before,
    .lost_target, .lost_line, .frozen_pc, .cfsr] | join(" ")')" = \
    'flight recorder frozen by a fault 64 64 136 7 0 134218068 33280' ]
  # That it lost something is no secret.
  run_apart "$MCUPROF" info capture --strict
  [ "$status" -eq 3 ]
  ring memory made=200 >memory
  run_apart "$MCUPROF" info ram:memory@20000000 -e "$ELF" --strict
  [ "$status" -eq 0 ]
  refute_out 'frozen at'
  # A firmware that keeps its ring in RAM says where to look.
  make_capture normal elf="$ELF" >plain
  run_apart "$MCUPROF" info plain --format json
  [ "$(json .quality.ring)" = null ]
}

@test "more was overwritten than 32 bits count" {
  ring memory made=200 laps=0x7FFFFFFF >memory
  run_apart "$MCUPROF" info ram:memory@20000000 -e "$ELF"
  # (2^31 - 1) * 64 + 200 % 64, without the 64 that are there.
  assert_out '137,438,953,352 older'
  run_apart "$MCUPROF" info ram:memory@20000000 -e "$ELF" --format json
  [ "$(json .quality.ring.before)" = $((0x7FFFFFFF * 64 + 200 % 64 - 64)) ]
}

@test "what a ring that is sent had sent is not overwritten" {
  ring memory mode=2 made=200 taken=20 lost=9 >memory
  run_apart "$MCUPROF" info ram:memory@20000000 -e "$ELF"
  assert_out '44 records, lost 9 on the target \(no room\)' '; 156 sent before'
}

@test "a clock that stood still is no time of 0" {
  local verb
  for step in 0 1; do
    python3 "$TOOLS/mtrace.py" still.mprof "$ELF" <<PYTHON
t.hello(start=True)
t.put(0xF0000000)
for i in range(4):
    t.enter(0x8001000).after($step).leave(0x8001000)
t.time()
PYTHON
    for verb in info calls; do
      run_apart "$MCUPROF" $verb still.mprof -e "$ELF"
      [ "$status" -eq 0 ] || show_and_fail "$verb"
      if [ $step = 0 ]; then
        assert_out 'the clock never moved while these were made'
      else
        refute_out 'never moved'
      fi
    done
    run_apart "$MCUPROF" info still.mprof --format json
    [ "$(json '.quality.ring_clock_stood | tostring')" = \
      "$([ $step = 1 ] || echo true)$([ $step = 0 ] || echo false)" ]
  done
}

@test "a ring that a boot before has left, in each state" {
  local state
  local -a names=(off 'waiting for its function' recording triggered full frozen
    'frozen by a fault')
  for state in 0 1 2 3 4 5 6; do
    ring memory made=200 state=$((0x80 + state)) >memory
    same_records ram:memory@0x20000000 made=200
    [ "$(ring ring <capture | cut -d' ' -f1)" -eq $((0x80 + state)) ]
    run_apart "$MCUPROF" info capture --format json
    [ "$(json '.quality.ring | "\(.state) \(.kept)"')" = \
      "${names[state]} true" ]
  done
  ring memory made=200 state=2 >memory
  run_apart "$MCUPROF" info ram:memory@20000000 -e "$ELF" --format json
  [ "$(json '.quality.ring.kept')" = false ]
}

# Slots 40 and 41 are as hooks of the next boot leave them, by a clock that has
# begun anew; what was at 3,000,000,000 is 70 % of 32 bits before them.
@test "what was added behind a reset has no time, in a kept ring alone" {
  local state
  for state in 2 0x82 0x86; do
    ring memory made=0 state=$state >memory
    python3 - memory <<'PYTHON'
import struct, sys
memory = bytearray(open(sys.argv[1], "rb").read())
records = [(3000000000, 0xF0000000), (3000000000, 0x08000101),
           (3000000100, 0x08001111), (50, 0x08002121), (90, 0x08002120)]
for i, record in enumerate(records):
    struct.pack_into("<II", memory, 0x188 + 8 * i, *record)
struct.pack_into("<I", memory, 0x108, 0x20000188 + 8 * len(records))
open(sys.argv[1], "wb").write(memory)
PYTHON
    run_apart "$MCUPROF" calls ram:memory@20000000 -e "$ELF" --unit cycles \
      --raw --force --format csv
    [ "$status" -eq 0 ]
    cut -d, -f 1,2,12,13,14,19 out | grep -v '^kind' >seen
    if [ $state = 0x82 ]; then
      printf '%s\n' recording,1,0,,, call,1,100,100,0,open call,1,0,100,100,open \
        recording,2,0,,,reset call,2,0,40,40, >expected
    else
      # 2^32 - 3,000,000,000 + 50, and 40 on.
      printf '%s\n' recording,1,0,,, call,1,1294967346,1294967386,40, \
        call,1,100,1294967386,1294967286,open \
        call,1,0,1294967386,1294967386,open >expected
    fi
    diff expected seen
  done
}

@test "names of contexts, from the dump or from the ELF" {
  ring memory >memory
  run_apart "$MCUPROF" record ram:memory@20000000 -e "$ELF" -o capture
  [ "$(ring names <capture)" = $'512 control\n513 sensor hub' ]
  # Texts in flash, which is not dumped.
  printf 'control\0sensor hub\0' >texts
  arm-none-eabi-objcopy --add-section .texts=texts \
    --set-section-flags .texts=alloc,load,readonly,data \
    --change-section-address .texts=0x08001000 "$ELF" flash.o
  ring memory flash=1 >memory
  run_apart "$MCUPROF" record ram:memory@20000000 -e "$ELF" -o capture
  [ "$status" -eq 0 ]
  [ -z "$(ring names <capture)" ]
  elf_with_texts flash.elf
  run_apart "$MCUPROF" record ram:memory@20000000 -e flash.elf -o capture
  [ "$status" -eq 0 ]
  [ "$(ring names <capture)" = $'512 control\n513 sensor hub' ]
}

# Of three builds with the ring at two places; and things that are no ELF.
@test "a directory of ELFs: the one that ran, by its identity" {
  local base=$BATS_FILE_TMPDIR/fw.elf source name
  mkdir builds builds/more.elf
  echo text >builds/a.txt
  build_elf old.elf -DOLD -O2
  build_elf new.elf -O0
  cmp -s old.elf new.elf && return 1
  cp new.elf builds/aa_without.elf
  add() { # output, ELF, place
    arm-none-eabi-objcopy --add-symbol "mcuprof_trace=$3,global" "$2" "builds/$1"
  }
  add elsewhere.elf new.elf 0x20000140
  add a_old.elf old.elf 0x20000100
  add ran.elf "$base" 0x20000100
  add z_new.elf new.elf 0x20000100
  ring memory made=200 elf="$base" >memory
  for name in '' moved; do
    [ -z "$name" ] || mv builds/ran.elf builds/0_ran.elf
    run_apart "$MCUPROF" info ram:memory@20000000 -e builds
    [ "$status" -eq 0 ] || show_and_fail info
    assert_out 'call ring .* 64 records'
    run_apart "$MCUPROF" calls ram:memory@20000000 -e builds --format json
    [ "$status" -eq 0 ] || show_and_fail calls
    [ "$(json .elf)" = "builds/${name:+0_}ran.elf" ]
    [ "$(json .quality.identity)" = match ]
  done
  # Recorded so, the directory is named in the capture.
  run_apart "$MCUPROF" record ram:memory@20000000 -e builds -o capture
  [ "$status" -eq 0 ] || show_and_fail record
  run_apart "$MCUPROF" calls capture --format json
  [ "$status" -eq 0 ] || show_and_fail "calls capture"
  [ "$(json .elf)" = "$PWD/builds/0_ran.elf" ]
  # None of them ran, or nothing tells.
  rm builds/0_ran.elf
  run_apart "$MCUPROF" calls ram:memory@20000000 -e builds
  assert_complaint 1 'no ELF in builds matches the firmware'
  ring memory made=200 >memory
  run_apart "$MCUPROF" calls ram:memory@20000000 -e builds
  assert_complaint 1 'nothing to tell by which ELF in builds ran'
  head -c 2048 /dev/zero | tr '\0' x >memory
  run_apart "$MCUPROF" calls ram:memory@20000000 -e builds
  assert_complaint 1 'there is no call ring at 0x20000'
  rm builds/elsewhere.elf builds/*_*.elf
  run_apart "$MCUPROF" calls ram:memory@20000000 -e builds
  assert_complaint 1 'no ELF in builds has a symbol mcuprof_functions, mcuprof_trace or mcuprof_ram'
}

@test "names of contexts come from the ELF of the directory that ran" {
  mkdir builds
  texts() { # output, one, the other, flags...
    printf '.section .names, "a"\n.asciz "%s"\n.asciz "%s"\n.byte 0\n' \
      "$2" "$3" >names.S
    build_elf "$1" -Wl,--section-start=.names=0x08001000 \
      -Wl,--defsym=mcuprof_trace=0x20000100 names.S "${@:4}"
  }
  texts builds/right.elf control 'sensor hub'
  texts builds/a_wrong.elf another 'one of all' -O0
  ring memory made=9 flash=1 elf=builds/right.elf >memory
  run_apart "$MCUPROF" record ram:memory@20000000 -e builds -o capture
  [ "$status" -eq 0 ] || show_and_fail record
  ring names <capture >names
  grep -qx '512 control' names || { cat names; return 1; }
}

@test "a dump is no capture: how it is read" {
  ring memory made=200 >memory
  run_apart "$MCUPROF" calls memory
  assert_complaint 1 'memory is no capture, but looks like a dump of memory'
  grep -q 'ram:FILE@ADDRESS, where the dump begins, with -e' err
  # Far behind its begin, over the end of a block that is read.
  { head -c 12020 /dev/zero; tail -c +257 memory; } >far
  run_apart "$MCUPROF" info far
  assert_complaint 1 'far is no capture'
  ring hex made=200 >memory.hex
  run_apart "$MCUPROF" calls memory.hex
  assert_complaint 1 'looks like a dump'
  grep -q 'read it as ram:FILE with -e' err
  printf ':00000001FF\n' >end.hex # no shorter one is whole
  run_apart "$MCUPROF" calls end.hex
  assert_complaint 1 'looks like a dump'
  ring core made=200 >core
  run_apart "$MCUPROF" calls core
  assert_complaint 1 'looks like a dump'
  grep -q 'read it as ram:FILE with -e' err
  head -c 4096 memory | tr 'M' 'N' >noise
  run_apart "$MCUPROF" calls noise
  assert_complaint 1 'no valid frame in noise'
  run_apart "$MCUPROF" calls "$ELF"
  assert_complaint 1 'no valid frame in'
}

elf_with_texts() { # output
  cat >texts.S <<'SOURCE'
.section .texts,"a"
.asciz "control"
.asciz "sensor hub"
.byte 0
.text
.global _start
_start: b _start
SOURCE
  build_linked "$1" -Wl,--section-start=.texts=0x08001000 \
    -Wl,--defsym=mcuprof_trace=0x20000100 -Wl,-e,_start texts.S
}

refused() { # status, part of the cause, source, ELF
  run_apart "$MCUPROF" info "$3" -e "${4:-$ELF}"
  assert_complaint "$1" "$2"
}

@test "an ELF without the ring says how to get one" {
  ring memory >memory
  refused 1 'fw.elf has no symbol mcuprof_functions, mcuprof_trace' ram:memory@20000000 \
    "$BATS_FILE_TMPDIR/fw.elf"
  grep -q 'MCUPROF_TRACE 1' err
}

@test "a dump that is too short, or not from there" {
  ring memory made=200 >memory
  refused 1 'does not hold what is at 0x20000100' ram:memory@0x10000000
  refused 1 'does not hold what is at 0x20000100' ram:memory@0x20000104
  refused 1 'there is no call ring at 0x20000100' ram:memory@0x20000004
  head -c $((0x100 + 131)) memory >short
  refused 1 'short ends within the 132 bytes at 0x20000100' ram:short@20000000
  head -c $((0x188 + 8 * 64 - 1)) memory >short
  refused 1 'short does not hold the whole call ring, 512 bytes at 0x20000188' \
    ram:short@20000000
  grep -q 'mcuprof_trace.gdb' err
  # Without the names' table it is still a ring.
  head -c $((0x188 + 8 * 64)) memory >short
  same_records ram:short@20000000 made=200
  : >empty
  refused 1 'does not hold what is at' ram:empty@20000000
  refused 1 'cannot open absent' ram:absent@20000000
  refused 2 'memory is neither Intel HEX nor a core file' ram:memory
}

@test "a ring that was never started" {
  head -c 4096 /dev/zero >memory
  refused 1 'the call ring in memory was not started' ram:memory@20000000
  grep -q 'mcuprof_trace_start' err
  ring memory made=0 state=0 >memory
  run_apart "$MCUPROF" info ram:memory@20000000 -e "$ELF"
  [ "$status" -eq 0 ]
  assert_out 'call ring +flight recorder of 64, off: 0 records'
}

@test "a block of another version, or one that contradicts itself" {
  bad() { # part of the cause, keys...
    ring memory made=200 "${@:2}" >memory
    refused 1 "$1" ram:memory@20000000
  }
  bad 'is version 2; this mcuprof knows version 1' version=2
  bad 'version 0, a head of 132 bytes' version=0 sum=1
  bad 'a head of 100 bytes' size=100 sum=1
  bad 'its checksum is wrong' check=0x12345678
  bad 'its checksum is wrong' records=65
  bad 'its checksum is wrong' generation=4
  bad 'room for 0 records' records=0 sum=1
  bad 'room for 65537 records' records=65537 sum=1
  bad 'room for 4294967295 records' records=0xFFFFFFFF sum=1
  bad 'no ring of 64 records is at 0xfffffff8' ring=0xFFFFFFF8 sum=1
  bad 'no ring of 64 records is at 0x2000018a' ring=0x2000018A sum=1
  bad 'does not hold the whole call ring' ring=0x30000000 head=0x30000000 \
    limit=0x30000200 sum=1
  bad 'its head or its limit lies outside' head=0x20000180
  bad 'its head or its limit lies outside' head=0x20000390
  bad 'its head or its limit lies outside' head=0x20000189
  bad 'its head or its limit lies outside' head=0
  bad 'its head or its limit lies outside' limit=0
  bad 'state 9' state=9
  bad 'state 135' state=0x87
  bad 'mode 3' mode=3
}

@test "damaged HEX and core files" {
  ring hex made=200 >good.hex
  sed '5s/^:20/:21/' good.hex >bad.hex
  refused 1 'line 5 of bad.hex is no Intel HEX' ram:bad.hex
  sed '7s/^:20../:20FF/' good.hex >bad.hex
  refused 1 'line 7 of bad.hex is no Intel HEX' ram:bad.hex
  sed '3s/./x/9' good.hex >bad.hex
  refused 1 'line 3 of bad.hex is no Intel HEX' ram:bad.hex
  head -n -1 good.hex >bad.hex
  refused 1 'bad.hex ends without the end record' ram:bad.hex
  head -n 3 good.hex >bad.hex
  tail -n 1 good.hex >>bad.hex
  refused 1 'does not hold what is at 0x20000100' ram:bad.hex
  refused 1 'fw.elf is a program, no core file' "ram:$BATS_FILE_TMPDIR/fw.elf"
  refused 1 'no core file of a little-endian 32-bit' ram:/proc/self/exe
  ring core made=200 >core
  head -c 60 core >bad
  refused 1 'bad ends within its headers' ram:bad
  head -c 600 core >bad
  refused 1 'bad does not hold\|bad ends within' ram:bad
}

@test "a ring and a stream in one memory" {
  make_capture normal elf="$BATS_FILE_TMPDIR/fw.elf" >bytes
  ELF=$BATS_FILE_TMPDIR/both.elf
  stream() { # length, bytes
    python3 - "$1" "$2" <<'PYTHON'
import struct, sys
length, stream = int(sys.argv[1]), open(sys.argv[2], "rb").read()
buffer = bytearray(length)
for number, byte in enumerate(stream):
    buffer[number % length] = byte
memory = open("ring", "rb").read().ljust(0x1000, b"\0")
head = struct.pack("<IIIIQ", 0x4D41524D, 1, 3, length, len(stream))
open("memory", "wb").write(memory + head + buffer)
PYTHON
  }
  ring memory made=200 >ring
  for length in 65536 2048; do
    stream $length bytes
    same_records ram:memory@20000000 made=200
    run_apart "$MCUPROF" report ram:memory@20000000 -e "$ELF" --format json
    [ "$status" -eq 0 ]
    [ "$(json .quality.damaged_bytes)" -eq 0 ]
    [ "$(json .quality.frames_missing)" -eq 0 ]
    [ "$(json .quality.ring.records)" -eq 64 ]
    [ "$(json .quality.lost_line)" -eq 0 ]
    [ "$length" -eq 2048 ] || [ "$(json .quality.samples)" -eq 1000 ]
    [ "$(json .quality.samples)" -gt 100 ]
  done
  # A ring that is sent is in the stream.
  ring memory made=200 mode=2 >ring
  stream 65536 bytes
  run_apart "$MCUPROF" info ram:memory@20000000 -e "$ELF" --format json
  [ "$(json .quality.ring)" = null ]
  # One of the two may not be there.
  : >ring
  stream 65536 bytes
  run_apart "$MCUPROF" info ram:memory@20000000 -e "$ELF" --format json
  [ "$(json .quality.samples)" -eq 1000 ]
  ring memory made=200 >memory
  same_records ram:memory@20000000 made=200
  # But what is damaged is not passed over.
  ring memory made=200 check=1 >ring
  stream 65536 bytes
  refused 1 'its checksum is wrong' ram:memory@20000000
}
