#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
#
# What other verbs know of a selected image: the quality block of calls, tree
# and the function table, lint, where; and where select may write.

load common
load elf_lint.bash

setup_file() {
  cd "$BATS_FILE_TMPDIR" || return 1
  # Calls of hooks for in_flash and in_ram, two each: objdump counts them.
  arm-none-eabi-gcc -mcpu=cortex-m3 -mthumb -O2 -g -ffreestanding -nostdlib \
    -finstrument-functions -T "$SMALL/live.ld" "$SMALL/live.c" -o live.elf
  "$MCUPROF" select live.elf -o selected.elf --drop in_ram >out
  "$MCUPROF" select live.elf -o none.elf --drop '*' >out
}

setup() {
  unset MCUPROF_ELF NO_COLOR
  ELF=$BATS_FILE_TMPDIR/selected.elf
  cd "$BATS_TEST_TMPDIR" || return 1
}

hooks_in() { # elf
  arm-none-eabi-objdump -d "$1" | grep -c '<__cyg_profile_func_[a-z]*>$'
}

ring() { # elf
  python3 "$TOOLS/mtrace.py" ring.mprof "$1" <<'PYTHON'
t.hello(start=True)
t.time()
t.to(100).switch(0).enter("in_flash").to(200).leave("in_flash")
t.time()
PYTHON
}

table() { # elf
  python3 "$TOOLS/mfunctions.py" table.mprof "$1" <<'PYTHON'
t.hello(start=True); t.time()
t.pair = 100
t.row("in_flash", calls=1, self=900, total=900, min=900, max=900)
t.outside(0, 100)
t.counts["hooks"] = 2
t.wall = 1000
t.snapshot(); t.time(ticks=t.wall)
PYTHON
}

@test "calls, tree and the function table say how many functions have hooks" {
  [ "$(hooks_in "$BATS_FILE_TMPDIR/live.elf")" -eq 4 ]
  [ "$(hooks_in "$ELF")" -eq 2 ]
  ring "$ELF"
  table "$ELF"
  local line='selection +1 of 2 functions instrumented, 2 of 4 calls of hooks'
  for verb in calls tree; do
    run_apart "$MCUPROF" $verb ring.mprof -e "$ELF"
    [ "$status" -eq 0 ] || show_and_fail "$verb: $status"
    cat err >>out
    assert_out "$line"
  done
  run_apart "$MCUPROF" report table.mprof -e "$ELF"
  assert_out "$line"
  for command in 'calls ring.mprof' 'tree ring.mprof' 'report table.mprof'; do
    # shellcheck disable=SC2086 # words
    run_apart "$MCUPROF" $command -e "$ELF" --format json
    [ "$(json '.quality.selection | "\(.functions) \(.instrumented) \(.hook_calls) \(.hook_calls_kept)"')" = "2 1 4 2" ]
  done
}

@test "nothing of the kind is said of other ELFs, or of samples" {
  ring "$BATS_FILE_TMPDIR/live.elf"
  run_apart "$MCUPROF" calls ring.mprof -e "$BATS_FILE_TMPDIR/live.elf"
  cat err >>out
  refute_out 'selection'
  run_apart "$MCUPROF" calls ring.mprof -e "$BATS_FILE_TMPDIR/live.elf" \
    --format json
  [ "$(json .quality.selection)" = null ]
  # Samples are of another ELF; here it is about the block alone.
  build_elf small.elf
  make_capture normal elf=small.elf >samples.mprof
  run_apart "$MCUPROF" report samples.mprof -e "$ELF" --force
  assert_out '^quality'
  refute_out 'selection'
}

@test "a record that is damaged, or of another version: not known" {
  ring "$ELF"
  python3 - "$ELF" damaged.elf version.elf <<'PYTHON'
import struct, sys, zlib
data = bytearray(open(sys.argv[1], "rb").read())
at = data.index(b"mcuprofS")
size, = struct.unpack_from("<I", data, at + 12)
hurt = data[:]
hurt[at + 80] ^= 1
open(sys.argv[2], "wb").write(hurt)
data[at + 8] = 9
data[at + 16:at + 20] = bytes(4)
data[at + 16:at + 20] = struct.pack("<I", zlib.crc32(data[at:at + size]))
open(sys.argv[3], "wb").write(data)
PYTHON
  run_apart "$MCUPROF" calls ring.mprof -e damaged.elf --force
  cat err >>out
  assert_out 'selection +not known: damaged.elf is selected, but its record is'
  run_apart "$MCUPROF" calls ring.mprof -e version.elf --force
  cat err >>out
  assert_out 'selection +not known: .* but by another version of'
  run_apart "$MCUPROF" select version.elf -o out.elf
  [ "$status" -ne 0 ]
  grep -q 'another version' err
  [ ! -e out.elf ]
  run_apart "$MCUPROF" select damaged.elf --restore -o out.elf
  [ "$status" -ne 0 ]
  grep -q 'damaged' err
  [ ! -e out.elf ]
}

@test "lint says it, and nothing of hooks that are gone" {
  lint_csv "$ELF"
  [ "$(finding selected detail)" = \
    '1 of 2 functions instrumented, 2 of 4 calls of hooks' ]
  [ "$(finding selected severity)" = note ]
  lint_csv "$BATS_FILE_TMPDIR/live.elf"
  [ -z "$(finding selected detail)" ]
  lint_csv "$BATS_FILE_TMPDIR/none.elf"
  [ "$(finding selected detail)" = \
    '0 of 2 functions instrumented, 0 of 4 calls of hooks' ]
  [ -z "$(finding no-hooks kind)" ]
  [ -z "$(finding c99-inline kind)" ]
}

# Functions that are outweighed and their instructions, in out.
weighed() {
  python3 -c '
import csv
for row in csv.DictReader(open("out")):
    if row["kind"] == "outweighed":
        print(row["function"], row["detail"].split()[0])' | sort
}

@test "a function weighs the same with hooks and without those beside it" {
  cat >weight.c <<'C'
volatile int sink;
static inline void once(int a) { sink = a; }
__attribute__((noinline, used)) void some(int a);
void some(int a) { once(a); once(a + 1); once(a + 2); }
void PendSV_Handler(void);
void PendSV_Handler(void) { sink++; }
int main(void);
int main(void) { for (;;) some(sink); }
C
  firmware fw.elf gcc cortex-m3 weight.c -O2
  lint_csv fw.elf
  weighed >all
  grep -q '^some ' all
  "$MCUPROF" select fw.elf -o sel.elf --force >sum
  # The inlined bodies' are gone, its own are there.
  [ "$(arm-none-eabi-objdump -d --disassemble=some fw.elf | grep -c _func_)" -gt \
    "$(arm-none-eabi-objdump -d --disassemble=some sel.elf | grep -c _func_)" ]
  lint_csv sel.elf
  weighed | grep '^some ' >kept
  grep '^some ' all | diff - kept
}

@test "where says the same of a selected image" {
  local address
  for address in $(arm-none-eabi-nm "$ELF" | awk '/ [tT] / {print $1}'); do
    run_apart "$MCUPROF" where "0x$address" -e "$ELF"
    mv out one
    run_apart "$MCUPROF" where "0x$address" -e "$BATS_FILE_TMPDIR/live.elf"
    sed 's/live.elf/selected.elf/g' out | diff - one
  done
}

@test "through links, in place, beside itself, and never by half" {
  cp "$BATS_FILE_TMPDIR/live.elf" fw.elf
  chmod 750 fw.elf
  ln -s fw.elf link.elf
  run_apart "$MCUPROF" select fw.elf -o link.elf
  assert_complaint 2 'would be overwritten'
  cmp fw.elf "$BATS_FILE_TMPDIR/live.elf"
  run_apart "$MCUPROF" select link.elf --in-place --drop in_ram
  [ "$status" -eq 0 ] || show_and_fail "$status"
  [ -L link.elf ]
  [ "$(hooks_in fw.elf)" -eq 2 ]
  [ "$(stat -c %a fw.elf)" = 750 ]
  run_apart "$MCUPROF" select fw.elf --restore --in-place
  [ "$status" -eq 0 ] || show_and_fail "$status"
  cmp fw.elf "$BATS_FILE_TMPDIR/live.elf"
  # Out is a link to elsewhere: that is written.
  echo old >target
  ln -s target out.elf
  run_apart "$MCUPROF" select fw.elf -o out.elf --drop in_ram
  [ -L out.elf ]
  [ "$(hooks_in target)" -eq 2 ]
}

@test "a disk that is full, a pipe, a folder" {
  cp "$BATS_FILE_TMPDIR/live.elf" fw.elf
  run_apart "$MCUPROF" select fw.elf -o /dev/full
  assert_complaint 1 '/dev/full: No space left on device'
  [ -c /dev/full ]
  (
    ulimit -f 1
    run_apart "$MCUPROF" select fw.elf --in-place
    assert_complaint 1 'fw.elf: File too large'
  )
  cmp fw.elf "$BATS_FILE_TMPDIR/live.elf"
  [ "$(find . -type f | sort | xargs)" = "./err ./fw.elf ./out" ]
  mkfifo pipe
  run_apart "$MCUPROF" select pipe -o out.elf
  assert_complaint 1 'not a regular file'
  mkdir folder
  run_apart "$MCUPROF" select fw.elf -o folder
  assert_complaint 1 'folder: Is a directory'
  run_apart "$MCUPROF" select fw.elf -o absent/out.elf
  assert_complaint 1 'absent/out.elf: No such file'
}
