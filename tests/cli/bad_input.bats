#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
#
# What goes wrong at the bench: one line of cause, one of remedy, the right
# exit status, nothing lost.

load common

@test "not an ELF" {
  make_capture normal elf="$ELF" >capture.mprof
  echo "int main(void);" >fw.elf
  run_apart "$MCUPROF" report -e fw.elf
  assert_complaint 1 fw.elf
}

@test "an ELF of another machine" {
  make_capture normal elf="$ELF" >capture.mprof
  run_apart "$MCUPROF" report -e "$(command -v true)"
  assert_complaint 1 ""
}

@test "an ELF that is not there" {
  make_capture normal elf="$ELF" >capture.mprof
  run_apart "$MCUPROF" report -e nowhere.elf
  assert_complaint 1 nowhere.elf
}

@test "record wants a readable ELF before it begins" {
  echo nonsense >fw.elf
  make_capture normal elf="$ELF" >bytes
  run_apart "$MCUPROF" record bytes -e fw.elf
  assert_complaint 1 fw.elf
  [ ! -e capture.mprof ]
}

@test "an ELF without symbols: no functions, but addresses" {
  make_capture normal elf="$ELF" >capture.mprof
  arm-none-eabi-strip -o stripped.elf "$ELF"
  run_apart "$MCUPROF" report -e stripped.elf
  assert_complaint 1 symbols
  run_apart "$MCUPROF" report -e stripped.elf --by address
  [ "$status" -eq 0 ]
  grep -q "^mcuprof: warning: .*symbols" err
  [ "$(wc -l <err)" -eq 2 ]
  assert_out "60.00 +3.03 +600 +0x0000"
  run_apart "$MCUPROF" report -e stripped.elf --by context
  [ "$status" -eq 0 ]
  assert_out "95.00 .* thread" "SysTick \(15\)"
}

@test "another build of the firmware" {
  build_elf other.elf -DVARIANT=2
  make_capture normal elf="$ELF" >capture.mprof
  run_apart "$MCUPROF" report -e other.elf
  assert_complaint 1 "another build"
  # Both identities: the same range, two values, as binutils and zlib say.
  local facts theirs ours
  facts=$(python3 "$TOOLS/mprof.py" elf "$ELF")
  ours=$(jq -r .crc <<<"$facts")
  theirs=$(python3 "$TOOLS/mprof.py" elf other.elf | jq -r .crc)
  grep -q "firmware has CRC-32 $(printf 0x%08x "$ours") over 0x00000000-" err
  grep -q "ELF has CRC-32 $(printf 0x%08x "$theirs") over 0x00000000-" err
  run_apart "$MCUPROF" report -e other.elf --force
  [ "$status" -eq 0 ]
  assert_out "MISMATCH, forced: .*$(printf 0x%08x "$ours")"
  run_apart "$MCUPROF" report -e other.elf --force --format json
  [ "$(json .quality.identity)" = mismatch ]
  [ "$(json .quality.identity_forced)" = true ]
}

@test "the right ELF with --force is not forced" {
  make_capture normal elf="$ELF" >capture.mprof
  run_apart "$MCUPROF" report -e "$ELF" --force --format json
  [ "$(json .quality.identity)" = match ]
  [ "$(json .quality.identity_forced)" = false ]
}

@test "two firmwares in one capture" {
  make_capture two_builds elf="$ELF" >capture.mprof
  run_apart "$MCUPROF" report -e "$ELF"
  assert_complaint 1 "2 different firmwares"
  run_apart "$MCUPROF" report -e "$ELF" --force
  [ "$status" -eq 0 ]
  assert_out "samples +2,000" "2 different firmwares are mixed"
}

@test "an empty file" {
  : >capture.mprof
  run_apart "$MCUPROF" report -e "$ELF"
  assert_complaint 1 "no valid frame"
  run_apart "$MCUPROF" info
  assert_complaint 1 "no valid frame"
}

# Memory before anything was written to it, or a line that is held low.
@test "a file of zeros" {
  head -c 70000 /dev/zero >capture.mprof
  for verb in "report -e $ELF" info "info -"; do
    # shellcheck disable=SC2086 # several words
    run_apart "$MCUPROF" $verb <capture.mprof
    assert_complaint 1 "no valid frame in .*: nothing but zero bytes$"
    grep -q 'mcuprof_ram_init()' err
    refute_grep baud err
  done
  # One other byte, and they are not.
  printf '\377' >>capture.mprof
  run_apart "$MCUPROF" info
  assert_complaint 1 "0 bytes of text, 1 of something else$"
}

@test "a text file" {
  printf 'hello\r\nworld\n' >capture.mprof
  run_apart "$MCUPROF" report -e "$ELF"
  assert_complaint 1 \
    "no valid frame .* 13 bytes of text, and no function table in it$"
  grep -q 'call mcuprof_functions_print()' err
  refute_grep baud err
  # Of noise nobody knows what it would have been.
  printf 'hello\r\nworld\0\x80\x01\x02' >capture.mprof
  run_apart "$MCUPROF" report -e "$ELF"
  assert_complaint 1 "12 bytes of text, 3 of something else$"
  grep -q 'baud rate' err
}

@test "no file, and a folder" {
  run_apart "$MCUPROF" report -e "$ELF"
  assert_complaint 1 "capture.mprof"
  mkdir folder
  run_apart "$MCUPROF" report folder -e "$ELF"
  assert_complaint 1 "folder"
}

@test "a capture cut in the middle of a frame" {
  make_capture normal elf="$ELF" >whole
  local size cut
  size=$(stat -c %s whole)
  for cut in 90 300 1000 $((size - 20)); do
    head -c "$cut" whole >part
    run_apart "$MCUPROF" report part -e "$ELF"
    [ "$status" -eq 0 ] || show_and_fail "cut at $cut"
    assert_out "quality" "ends in the middle of a frame"
    run_apart "$MCUPROF" report part -e "$ELF" --strict
    [ "$status" -eq 3 ] || show_and_fail "--strict, cut at $cut"
    assert_out "quality"
  done
  run_apart "$MCUPROF" report whole -e "$ELF" --strict
  [ "$status" -eq 0 ]
}

@test "a flipped byte costs its frame and is counted" {
  make_capture normal elf="$ELF" >whole
  local at
  for at in 500 1000 1500 2000; do
    python3 - "$at" <<'PYTHON'
import sys
data = bytearray(open("whole", "rb").read())
data[int(sys.argv[1])] ^= 0xFF
open("flipped", "wb").write(data)
PYTHON
    run_apart "$MCUPROF" report flipped -e "$ELF" --format json
    [ "$status" -eq 0 ] || show_and_fail "flipped at $at"
    [ "$(json .quality.frames_missing)" -eq 1 ]
    [ "$(json .quality.damaged_bytes)" -gt 0 ]
    [ "$(json .quality.lost_line)" -gt 0 ]
    [ "$(json '.quality.samples + .quality.lost_line')" -eq 1000 ]
    run_apart "$MCUPROF" report flipped -e "$ELF" --strict
    [ "$status" -eq 3 ]
  done
}

# By docs/wire.md a frame takes 250 bytes at most, two of them delimiters.
@test "in front: the rest of a frame is no damage, more is" {
  make_capture normal elf="$ELF" >whole
  local size
  for size in 1 248 300 2000; do
    { head -c "$size" /dev/zero | tr '\0' '\377'; cat whole; } >joined
    run_apart "$MCUPROF" report joined -e "$ELF" --strict
    [ "$status" -eq $((size > 248 ? 3 : 0)) ] || show_and_fail "$size bytes"
    run_apart "$MCUPROF" report joined -e "$ELF" --format json
    [ "$(json .quality.samples)" -eq 1000 ]
    [ "$(json .quality.damaged_bytes)" -eq "$size" ]
  done
}

@test "a newer format" {
  make_capture newer elf="$ELF" >capture.mprof
  run_apart "$MCUPROF" report -e "$ELF"
  assert_complaint 1 "format version 2"
  run_apart "$MCUPROF" info
  assert_complaint 1 "format version 2"
}

@test "recording a newer format saves it" {
  make_capture newer elf="$ELF" >bytes
  run_apart "$MCUPROF" record bytes
  [ "$status" -eq 1 ]
  grep -q "format version 2" err
  tail -c "$(stat -c %s bytes)" capture.mprof | cmp - bytes
}

@test "records of an unknown type are skipped and counted" {
  make_capture unknown_type elf="$ELF" >capture.mprof
  run_apart "$MCUPROF" report -e "$ELF" --format json
  [ "$status" -eq 0 ]
  [ "$(json .quality.frames_of_unknown_type)" -eq 2 ]
  [ "$(json .quality.samples)" -eq 1000 ]
  [ "$(json .quality.frames_missing)" -eq 0 ]
}

@test "recording onto a full disk" {
  make_capture normal elf="$ELF" >bytes
  run_apart "$MCUPROF" record bytes -o /dev/full
  [ "$status" -eq 1 ]
  grep -q "^mcuprof: cannot write /dev/full: No space left" err
  tail -n 1 err | grep -q "^  free some space"
}

@test "a file that may not grow: what was saved stays and can be reported" {
  make_capture normal elf="$ELF" >bytes
  # shellcheck disable=SC2016 # expanded by the inner shell
  run_apart bash -c 'ulimit -f 1; exec "$0" record bytes -e "$1"' \
    "$MCUPROF" "$ELF"
  [ "$status" -eq 1 ]
  grep -q "^mcuprof: cannot write capture.mprof: File too large (1,024 " err
  tail -n 1 err | grep -q "^  free some space"
  [ "$(stat -c %s capture.mprof)" -eq 1024 ]
  run_apart "$MCUPROF" report
  [ "$status" -eq 0 ]
  assert_out "work" "quality"
}

@test "reporting onto a full disk" {
  make_capture normal elf="$ELF" >capture.mprof
  status=0
  "$MCUPROF" report -e "$ELF" >/dev/full 2>err || status=$?
  : >out
  assert_complaint 1 "standard output: No space left"
  status=0
  "$MCUPROF" report -e "$ELF" >&- 2>err || status=$?
  assert_complaint 1 "standard output"
}

@test "an output pipe closed early" {
  make_capture normal elf="$ELF" >capture.mprof
  mkfifo pipe
  # The reader goes without reading: every write finds the pipe broken.
  (exec 3<pipe; sleep 0.1) &
  status=0
  (sleep 0.5; exec "$MCUPROF" report -e "$ELF" 2>err) >pipe || status=$?
  [ "$status" -eq 141 ]
  [ ! -s err ]
  wait
}

@test "nothing comes: that is said, and the previous capture is left alone" {
  echo old >capture.mprof
  run_apart "$MCUPROF" record - </dev/null
  assert_complaint 1 "no valid frame: nothing came from standard input before it ended"
  grep -q '^  check the command that writes to it, .* calls mcuprof_poll()$' err
  [ "$(cat capture.mprof)" = old ]
  [ ! -e capture.mprof.old ]
}

@test "nothing comes: what to look at depends on where from" {
  for verb in report info; do
    run_apart "$MCUPROF" $verb - < <(:)
    assert_complaint 1 "nothing came from standard input before it ended"
    grep -q '^  check the command that writes to it,' err
  done
  mkfifo line
  sleep 5 >line &
  writer=$!
  run_apart "$MCUPROF" record line --duration 100ms
  assert_complaint 1 "nothing came from line$"
  grep -q '^  check the wires and the baud rate if it is a port,' err
  kill "$writer"
  : >nothing
  for verb in report info record; do
    run_apart "$MCUPROF" $verb nothing
    assert_complaint 1 "no valid frame: nothing is empty"
  done
}

@test "only text comes: it is saved all the same" {
  run_apart "$MCUPROF" record - < <(echo "boot ok")
  [ "$status" -eq 1 ]
  grep -q "^mcuprof: no valid frame .* 8 bytes of text" err
  tail -c 8 capture.mprof | grep -q "boot ok"
}

@test "hostile identities and lengths do no harm" {
  make_capture normal elf="$ELF" >whole
  python3 - "$TOOLS" <<'PYTHON'
import sys
sys.path.insert(0, sys.argv[1])
import mprof
for number, (start, length) in enumerate(
        ((0xFFFFFFF0, 0xFFFFFFFF), (0, 0), (0x08000000, 0x7FFFFFFF))):
    target = mprof.Target(start=start, length=length, value=b"12345678",
                          vectors=0xFFFFFFFC, hz=0, period=0, shift=255,
                          bits=255, clock=99, reason=99, cpuid=0)
    target.hello(start=True)
    target.time()
    target.sample(0x100, context=40000, lateness=65535, count=3)
    target.sample(0x100, context=300, count=3)
    target.time()
    open(f"hostile{number}", "wb").write(target.out)
PYTHON
  for capture in hostile?; do
    run_apart "$MCUPROF" report "$capture" -e "$ELF" --force
    [ "$status" -eq 0 ] || show_and_fail "$capture"
    assert_out "MISMATCH" "6, none lost"
    run_apart "$MCUPROF" info "$capture"
    [ "$status" -eq 0 ] || show_and_fail "$capture"
  done
}

@test "names that are not UTF-8" {
  python3 - "$TOOLS" <<'PYTHON'
import sys
sys.path.insert(0, sys.argv[1])
import mprof
target = mprof.Target()
target.hello(start=True)
target.send(mprof.BUILD, b"caf\xe9 \x1b[31m")
target.send(mprof.CONTEXT, b"\0\2\1\4\xff\xfe\xfd\n")
target.time()
target.sample(0x100, context=512, count=3)
target.time()
open(b"caf\xe9.mprof", "wb").write(target.out)
PYTHON
  run_apart "$MCUPROF" report caf* -e "$ELF" --by context --format json
  [ "$status" -eq 0 ]
  [ "$(json .capture)" = 'caf?.mprof' ]
  [ "$(json '.rows[0].context')" = '???. (512)' ]
  [ "$(json .quality.build)" = 'caf? .[31m' ]
  run_apart "$MCUPROF" report caf* -e "$ELF" --by context
  [ "$status" -eq 0 ]
  refute_grep $'\033' out
}

@test "a .bss with a name that compressed debug info has had" {
  printf '%s\n' '.text' '.global _start' '_start: b _start' \
    '.section .zeroes, "aw", %nobits' '.space 64' >zeroes.S
  build_linked zeroes.elf -Wl,-e,_start zeroes.S
  run_apart "$MCUPROF" where -e zeroes.elf 0x8000
  [ "$status" -eq 0 ] || show_and_fail "exit status $status"
  assert_out _start
}
