#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
#
# Dumps of a stream that the firmware left in RAM. They are made here, from
# docs/wire.md, out of a capture that is known.

load common

# block LENGTH [WORD=VALUE...]: what writing ./bytes leaves, in ./block, and the
# bytes of it that are in order in ./kept. The one that may be torn is so.
block() {
  python3 - "$@" <<'PYTHON'
import struct, sys
length = int(sys.argv[1])
stream = open("bytes", "rb").read()
words = {"magic": 0x4D41524D, "version": 1, "generation": 3, "length": length,
         "written": len(stream)}
words.update((k, int(v, 0)) for k, v in (a.split("=") for a in sys.argv[2:]))
buffer = bytearray(b"\xA5" * length)
for number, byte in enumerate(stream):
    buffer[number % length] = byte
if len(stream) >= length:
    buffer[len(stream) % length] ^= 0xFF
open("kept", "wb").write(stream[-(length - 1):])
open("block", "wb").write(struct.pack("<IIIIQ", *words.values()) + buffer)
PYTHON
}

# The same report but for the capture's name.
same_report() { # capture, source, [ELF]
  local elf=${3:-$ELF}
  run_apart "$MCUPROF" report "$1" -e "$elf" --format json
  [ "$status" -eq 0 ] || show_and_fail "exit status $status"
  json 'del(.capture)' >expected
  run_apart "$MCUPROF" report "$2" -e "$elf" --format json
  [ "$status" -eq 0 ] || show_and_fail "exit status $status"
  json 'del(.capture)' | diff expected -
}

setup_file() {
  build_elf "$BATS_FILE_TMPDIR/fw.elf"
  # The same, with the block's symbol at 0x20000100.
  arm-none-eabi-objcopy --add-symbol mcuprof_ram=0x20000100,global \
    "$BATS_FILE_TMPDIR/fw.elf" "$BATS_FILE_TMPDIR/ram.elf"
}

@test "a dump of the block alone: the oldest byte first" {
  make_capture normal elf="$ELF" >bytes
  local length
  for length in 512 1024 2048; do
    block "$length"
    [ "$(stat -c %s kept)" -eq $((length - 1)) ]
    same_report kept block
  done
  # All of it is there, and what is behind it in the file is not part of it.
  block 65536
  cmp bytes kept
  same_report bytes block
  cat bytes >>block
  same_report bytes block
}

@test "exactly as many bytes as there is room for, and one less" {
  make_capture normal elf="$ELF" >whole
  head -c 1024 whole >bytes
  block 1024
  [ "$(stat -c %s kept)" -eq 1023 ]
  same_report kept block
  head -c 1023 whole >bytes
  block 1024
  cmp bytes kept
  same_report kept block
  # A count whose carry was torn: its low word is right.
  head -c 2000 whole >bytes
  block 1024 written=$(((1 << 32) + 2000))
  same_report kept block
}

@test "record, and standard input if it is a file" {
  make_capture normal elf="$ELF" >bytes
  block 2048
  run_apart "$MCUPROF" record block
  [ "$status" -eq 0 ]
  tail -c 2047 capture.mprof | cmp - kept
  run_apart "$MCUPROF" info - <block
  [ "$status" -eq 0 ]
  assert_out 'stream +2,047 bytes'
  # From where it stands on.
  head -c 100 /dev/zero | cat - block >behind
  { dd bs=100 count=1 of=first status=none && run_apart "$MCUPROF" info -; } \
    <behind
  assert_out 'stream +2,047 bytes'
  # A pipe gives its begin first, which is in the middle of the stream.
  for verb in "record -" "info -"; do
    # shellcheck disable=SC2086 # two words
    run_apart "$MCUPROF" $verb < <(cat block)
    [ "$status" -eq 1 ]
    grep -q "standard input is a stream left in RAM, .* from a pipe$" err
  done
}

@test "a dump of memory: the ELF says where the block is" {
  make_capture normal elf="$ELF" >bytes
  block 2048
  head -c 256 /dev/zero | cat - block bytes >memory
  local with=$BATS_FILE_TMPDIR/ram.elf
  same_report kept ram:memory@0x20000000 "$with"
  same_report kept ram:memory@20000000 "$with"
  tail -c +241 memory >"from@240"
  same_report kept ram:from@240@0x200000f0 "$with"
  run_apart "$MCUPROF" info ram:memory@20000000 -e "$with"
  [ "$status" -eq 0 ]
  assert_out 'stream +2,047 bytes'
  cp "$with" only.elf
  run_apart "$MCUPROF" info ram:memory@20000000
  [ "$status" -eq 0 ]
  run_apart "$MCUPROF" record ram:memory@20000000 -e "$with"
  [ "$status" -eq 0 ]
  tail -c 2047 capture.mprof | cmp - kept
}

@test "a dump of memory that is not what it is said to be" {
  make_capture normal elf="$ELF" >bytes
  block 2048
  head -c 256 /dev/zero | cat - block >memory
  local with=$BATS_FILE_TMPDIR/ram.elf
  refused() { # status, part of the cause, source, ELF
    run_apart "$MCUPROF" report "$3" -e "$4"
    assert_complaint "$1" "$2"
  }
  refused 1 'has no symbol mcuprof_functions, mcuprof_trace or mcuprof_ram' ram:memory@20000000 "$ELF"
  refused 1 'no stream at mcuprof_ram in memory' ram:memory@20000004 "$with"
  refused 1 'mcuprof_ram is at 0x20000100, which memory does not hold' \
    ram:memory@20000104 "$with"
  refused 1 'mcuprof_ram is at 0x20000100, which memory does not hold' \
    ram:memory@10000000 "$with"
  head -c 2000 memory >short
  refused 1 'short ends within the stream left in RAM' ram:short@20000000 \
    "$with"
  for form in memory@ memory@nowhere @20000000 memory@120000000; do
    refused 2 "no file and address in ram:$form" "ram:$form" "$with"
  done
  grep -q 'ram:FILE@ADDRESS' err
  refused 1 'cannot open absent' ram:absent@20000000 "$with"
  mkdir folder
  refused 1 'folder is a directory' ram:folder@20000000 "$with"
  refused 1 '/dev/null is no ordinary file' ram:/dev/null@20000000 "$with"
  mkdir empty
  cd empty
  run_apart "$MCUPROF" report ram:../memory@20000000
  assert_complaint 1 'no ELF given'
}

@test "a block that contradicts itself" {
  make_capture normal elf="$ELF" >bytes
  refused() { # part of the cause
    run_apart "$MCUPROF" report block -e "$ELF"
    assert_complaint 1 "$1"
    run_apart "$MCUPROF" record block
    assert_complaint 1 "$1"
    [ ! -e capture.mprof ]
  }
  block 2048 version=2
  refused 'is version 2; this mcuprof knows version 1'
  block 2048 version=0
  refused 'has no version'
  for length in 0 1023 2049 0xFFFFFFFF; do
    block 2048 "length=$length"
    refused "room for $((length)) bytes, which is no power of two"
  done
  for length in 4096 0x80000000; do
    block 2048 "length=$length"
    refused 'block ends within the stream left in RAM'
  done
  # However little of it was written.
  block 65536 length=0x80000000
  refused 'block ends within the stream left in RAM'
  block 2048 written=0
  refused 'nothing was written to the stream left in RAM in block'
  block 2048
  truncate -s $((24 + 2047)) block
  refused 'block ends within the stream left in RAM'
  truncate -s 23 block
  refused 'block ends within the stream left in RAM'
  # Room for one byte, the one that may be torn.
  block 1
  refused 'nothing came from\|is empty'
}

@test "text that begins like a block is text" {
  make_capture normal elf="$ELF" >bytes
  local text
  for text in 'MRAM test ok\r\n' 'MRAM' 'MRAM\n'; do
    # shellcheck disable=SC2059 # the format is the text
    { printf "$text"; cat bytes; } >noisy
    run_apart "$MCUPROF" report noisy -e "$ELF" --format json
    [ "$status" -eq 0 ] || show_and_fail "$text"
    [ "$(json .quality.samples)" -eq 1000 ]
  done
  printf 'MRAM\1\0\0' >short
  run_apart "$MCUPROF" info short
  assert_complaint 1 'no valid frame in short'
}
