#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
#
# Dumps of memory with a function table in it: its numbers, and what is said
# where it cannot be read. Tables come from tests/tools/function_memory.py;
# tests/unit/test_function_block.c has all that can be in one.

load common

table() {
  python3 "$TOOLS/function_memory.py" elf="$ELF" "$@"
}

setup_file() {
  build_elf "$BATS_FILE_TMPDIR/fw.elf"
  arm-none-eabi-objcopy --add-symbol mcuprof_functions=0x20000100,global \
    "$BATS_FILE_TMPDIR/fw.elf" "$BATS_FILE_TMPDIR/table.elf"
  arm-none-eabi-objcopy --add-symbol mcuprof_ram=0x20002000,global \
    "$BATS_FILE_TMPDIR/table.elf" "$BATS_FILE_TMPDIR/stream.elf"
  arm-none-eabi-objcopy --add-symbol mcuprof_trace=0x20001000,global \
    "$BATS_FILE_TMPDIR/table.elf" "$BATS_FILE_TMPDIR/ring.elf"
}

setup() {
  unset MCUPROF_ELF NO_COLOR
  ELF=$BATS_FILE_TMPDIR/table.elf
  cd "$BATS_TEST_TMPDIR" || return 1
}

# calls, self and total of work(), in ticks
work() { # source
  run_apart "$MCUPROF" report "$1" -e "$ELF" --by context --format json
  [ "$status" -eq 0 ] || show_and_fail "report $1"
  json '.rows[] | select(.function == "work") | [.context, .calls, .self_ticks,
    .total_ticks] | join(" ")'
}

refused() { # status, part of the cause, source, ELF
  run_apart "$MCUPROF" report "$3" -e "${4:-$ELF}"
  assert_complaint "$1" "$2"
}

@test "a dump, HEX and a recording of it" {
  table >memory
  [ "$(work ram:memory@0x20000000)" = 'control (512) 3 600 600' ]
  [ "$(json .quality.function_table.adds_up)" = true ]
  [ "$(json .quality.identity)" = match ]
  arm-none-eabi-objcopy -I binary -O ihex --change-addresses 0x20000000 \
    memory memory.hex
  [ "$(work ram:memory.hex)" = 'control (512) 3 600 600' ]
  run_apart "$MCUPROF" record ram:memory@20000000 -e "$ELF" -o capture
  [ "$status" -eq 0 ] || show_and_fail record
  [ "$(work capture)" = 'control (512) 3 600 600' ]
  run_apart "$MCUPROF" report capture
  [ "$status" -eq 0 ]
  # 900, 100 and 1,000 ticks of 25 MHz.
  assert_out 'self 36.000 \+ outside 4.000 .* = 40.000 of 40.000 us' '1 snapshot \(16 slots'
  # No sampler, no frames on a line.
  refute_out 'sampl|stream|missing'
}

@test "a table that does not add up is shown, and said to be so" {
  table self=550 >memory
  run_apart "$MCUPROF" report ram:memory@20000000 -e "$ELF"
  [ "$status" -eq 0 ]
  assert_out 'DOES NOT ADD UP' 'its parts and its time by the clock are 5.00 % apart'
}

@test "an ELF without the table says how to get one" {
  table >memory
  refused 1 'fw.elf has no symbol mcuprof_functions, mcuprof_trace or mcuprof_ram' \
    ram:memory@20000000 "$BATS_FILE_TMPDIR/fw.elf"
  grep -q 'MCUPROF_FUNCTIONS 1' err
}

@test "a dump that is too short, or not from there" {
  table >memory
  refused 1 'does not hold what is at 0x20000100' ram:memory@0x10000000
  refused 1 'there is no function table at 0x20000100' ram:memory@0x1FFFFFFC
  head -c $((0x100 + 183)) memory >short
  refused 1 'short ends within the 184 bytes at 0x20000100' ram:short@20000000
  table cut=1 >short
  refused 1 'short does not hold the whole function table, 1456 bytes at 0x20000100' \
    ram:short@20000000
  grep -q 'mcuprof_functions.gdb' err
  head -c 4096 /dev/zero >memory
  refused 1 'the function table in memory was not started' ram:memory@20000000
  grep -q 'mcuprof_functions_start' err
}

@test "another version, and one that contradicts itself" {
  bad() { # part of the cause, keys...
    table "${@:2}" >memory
    refused 1 "$1" ram:memory@20000000
  }
  bad 'is version 2; this mcuprof knows version 1' version=0xB80002
  bad 'version 0' version=0xB80000
  bad 'a head of 100 bytes' version=0x640001
  bad '0 slots' slots=0x30000
  bad '65535 slots, 65535 contexts' slots=0xFFFFFFFF
  bad '65535 frames' frames=0x88FFFF
  # No more of it is there than fits the sizes: it was torn, or is a lie.
  bad 'does not hold the whole function table' slots=0x31000
  bad 'its clock is before its start' began=0x80000000
  bad 'what runs is context 9' gate=1 index=9
  bad 'the calls of context 0 are outside of it' gate=1 top=0xFFFFFFE0
  grep -q 'with the core halted' err
}

@test "a head and contexts that are longer are of a newer firmware, and fine" {
  table longer=8 >memory
  [ "$(work ram:memory@0x20000000)" = 'control (512) 3 600 600' ]
  [ "$(json .quality.function_table.adds_up)" = true ]
}

@test "a dump is no capture: how it is read" {
  table >memory
  refused 1 'memory is no capture, but looks like a dump of memory' memory
  grep -q 'ram:FILE@ADDRESS, where the dump begins, with -e' err
}

@test "what was sent before is not counted again" {
  python3 "$TOOLS/mfunctions.py" bytes "$ELF" <<'PYTHON'
t.hello(start=True, boot=77)
t.row("work", calls=2, context=512, self=400)
t.snapshot()
PYTHON
  table >memory
  python3 - <<'PYTHON'
import struct
stream = open("bytes", "rb").read()
memory = open("memory", "rb").read().ljust(0x2000, b"\0")
memory += struct.pack("<IIIIQ", 0x4D41524D, 1, 3, 4096, len(stream))
open("memory", "wb").write(memory + stream.ljust(4096, b"\0"))
PYTHON
  ELF=$BATS_FILE_TMPDIR/stream.elf
  [ "$(work ram:memory@20000000)" = 'control (512) 3 600 600' ]
  [ "$(json '.quality.function_table | [.snapshots, .periods] | join(" ")')" = \
    '2 1' ]
  [ "$(json .quality.frames_missing)" -eq 0 ]
}

@test "beside a ring: one of both may not have been started" {
  table >first
  python3 "$TOOLS/ring_memory.py" memory made=40 check=1 | tail -c +257 >second
  join() {
    { head -c 4096 first; head -c $((4096 - $(stat -c %s first))) /dev/zero
      cat "$1"; } >memory
  }
  ELF=$BATS_FILE_TMPDIR/ring.elf
  join second
  # What is damaged is not passed over.
  refused 1 'its checksum is wrong' ram:memory@20000000
  head -c 4096 /dev/zero >nothing
  join nothing
  [ "$(work ram:memory@20000000)" = 'control (512) 3 600 600' ]
  [ "$(json .quality.ring)" = null ]
  head -c 8192 /dev/zero >memory
  refused 1 'was not started' ram:memory@20000000
}
