#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
#
# Selecting in a target that runs: through a gdb server that misbehaves
# (tests/rigs/gdb_stub.py) the memory is as wanted or as it was; in QEMU the
# hooks that were taken out are not called any more, and then again.

load common

STUB=$ROOT/tests/rigs/gdb_stub.py

live_elf() { # ELF [FLAG or SOURCE...]
  arm-none-eabi-gcc -mcpu=cortex-m3 -mthumb -O2 -g -ffreestanding -nostdlib \
    -finstrument-functions -T "$SMALL/live.ld" "$SMALL/live.c" -o "$@"
}

setup_file() {
  live_elf "$BATS_FILE_TMPDIR/live.elf"
}

setup() {
  unset MCUPROF_ELF NO_COLOR
  ELF=$BATS_FILE_TMPDIR/live.elf
  cd "$BATS_TEST_TMPDIR" || return 1
  fresh
}

teardown() {
  [ -z "${stub:-}" ] || kill "$stub" 2>/dev/null || true
  [ -z "${qemu:-}" ] || kill "$qemu" 2>/dev/null || true
}

# What runs, as objcopy has it: flash and, where it was copied to, the rest.
fresh() {
  arm-none-eabi-objcopy -O binary -j .text "$ELF" text
  arm-none-eabi-objcopy -O binary -j .fast "$ELF" fast
  { cat text; head -c $((0x100000 - $(stat -c %s text))) /dev/zero; cat fast
    head -c 64 /dev/zero; } >memory
  cp memory was
}

# Calls and jumps of hooks in a function, as objdump sees them: "0x10 bl".
hooks_in() { # function
  arm-none-eabi-objdump -d --disassemble="$1" "$ELF" |
    sed -n 's/^ *\([0-9a-f]*\):.*\t\(b[lw.]*\)\t.*<__cyg_profile_.*/0x\1 \2/p'
}

sites_of() { # function
  hooks_in "$1" | cut -d' ' -f1
}

# Whether the memory is what it was, but for the hooks of FUNCTION.
is_selected() { # function
  local site branch
  cp was wanted
  while read -r site branch; do
    case $branch in
    bl) printf '\257\363\000\200' ;;
    *) printf '\160\107\000\277' ;;
    esac | dd of=wanted bs=1 seek="$((site))" conv=notrunc status=none
  done < <(hooks_in "$1")
  [ "$(cmp wanted was | wc -l)" -eq 1 ] && cmp memory wanted
}

serve() { # KEY=VALUE...
  rm -f port
  mkfifo port
  python3 "$STUB" memory 0 log "$@" >port 3>&- &
  stub=$!
  # shellcheck disable=SC2094 # the variable, and a file
  read -r port <port
}

target() {
  wait "$stub" || true
  stub=
  grep -x 'halted\|running' log | tail -n 1
}

# live RULES... [-- KEY=VALUE...]
live() {
  local rules=()
  while [ $# -gt 0 ] && [ "$1" != -- ]; do
    rules+=("$1")
    shift
  done
  serve "${@:2}"
  run_apart timeout 60 "$MCUPROF" select "gdb:localhost:$port" -e "$ELF" \
    "${rules[@]}"
}

assert_fine() {
  [ "$status" -eq 0 ] || show_and_fail "exit status $status"
  [ "$(target)" = running ] || show_and_fail "left halted"
}

# assert_as_before STATUS CAUSE TARGET: and the memory is what it was.
assert_as_before() {
  assert_complaint "$1" "$2"
  [ "$(target)" = "$3" ] || show_and_fail "not $3"
  cmp memory was
}

@test "hooks in RAM are taken out and put back, those in flash left alone" {
  [ "$(sites_of in_ram | wc -l)" -eq 2 ]
  [ "$(sites_of in_flash | wc -l)" -eq 2 ]
  live --drop in_ram
  assert_fine
  is_selected in_ram
  assert_out '2 hook calls changed in RAM, 2 were as they shall be' \
    'halted for [0-9.]+ m?s' 'live.elf is not changed' \
    '^dropped 2 of 4 hook calls: 1 of 2 functions instrumented$'
  refute_out 'flash'
  # Again: nothing to do.
  live --drop in_ram
  assert_fine
  assert_out '0 hook calls changed in RAM, 4 were'
  refute_grep '^M' log
  # Others: the first come back.
  live --drop in_flash
  assert_fine
  assert_out '2 hook calls changed in RAM, 0 were' 'left alone in flash: 2;' \
    '^dropped 0 of 4 hook calls: 2 of 2 functions instrumented$'
  cmp memory was
  live --drop '*'
  assert_fine
  assert_out '2 hook calls changed in RAM, 0 were' 'left alone in flash: 2;' \
    '^dropped 2 of 4 hook calls: 1 of 2 functions instrumented$' \
    'by .mcuprof select .*/live.elf -o OUT.elf. with the same rules$'
  live --restore
  assert_fine
  assert_out '2 hook calls changed in RAM, 2 were'
  cmp memory was
}

@test "what was inlined goes by default, and comes back" {
  ELF=$PWD/inlined.elf
  live_elf "$ELF" -DWITH_INLINED
  fresh
  [ "$(sites_of in_ram | wc -l)" -eq 4 ]
  live --drop in_flash
  assert_fine
  # Those of within() alone; it has code of its own in flash as well.
  assert_out '2 hook calls changed in RAM, 4 were' 'left alone in flash: 2;'
  [ "$(cmp -l memory was | wc -l)" -gt 4 ]
  live --restore
  assert_fine
  assert_out '2 hook calls changed in RAM, 6 were'
  cmp memory was
  live --drop in_ram
  assert_fine
  is_selected in_ram
  live --restore
  assert_fine
  assert_out '4 hook calls changed in RAM, 4 were'
  cmp memory was
}

# What is out of memory is the whole of a body or nothing.
@test "a body of which a part is in flash is left alone" {
  local ELF=$PWD/split.elf
  live_elf "$ELF" "$SMALL/live_split.c"
  [ "$(sites_of split | wc -l)" -eq 2 ]
  [ "$(sites_of split.cold | wc -l)" -eq 1 ]
  fresh
  live --drop split --drop in_ram
  assert_fine
  is_selected in_ram
  assert_out '2 hook calls changed in RAM' 'left alone in flash: 3;'
  # Flash has it out already: then it can go.
  "$MCUPROF" select "$ELF" -o selected.elf --drop split
  ELF=$PWD/selected.elf fresh
  arm-none-eabi-objcopy -O binary -j .fast "$ELF" fast
  dd if=fast of=memory bs=1 seek=$((0x100000)) conv=notrunc status=none
  live --drop split
  assert_fine
  assert_out '2 hook calls changed in RAM, 5 were' '^dropped 3 of 7 hook calls'
  refute_out flash
}

@test "what is in doubt is told" {
  local ELF=$PWD/long.elf
  live_elf "$ELF" -mlong-calls
  fresh
  live --drop in_ram
  assert_fine
  cmp memory was
  assert_out '^  kept in doubt: 2 in 1 function: .* register$'
  live --restore
  assert_fine
  refute_out 'in doubt'
}

@test "--list says what would change, and asks nobody" {
  run_apart "$MCUPROF" select gdb:localhost:1 -e "$ELF" --drop '*' --list
  [ "$status" -eq 0 ] || show_and_fail "exit status $status"
  local site
  for site in $(sites_of in_ram); do
    assert_out "^ +$(printf 0x%08x "$site") .* dropped  in_ram .* RAM "
  done
  for site in $(sites_of in_flash); do
    assert_out "^ +$(printf 0x%08x "$site") .* dropped  in_flash .* flash "
  done
  assert_out 'which gdb:localhost:1 would change: 2;' 'in flash: 2;'
  run_apart "$MCUPROF" select gdb:localhost:1 -e "$ELF" --list --format csv
  [ "$(cut -d, -f10 out | sort | uniq -c | tr -s ' \n' ' ')" \
    = ' 2 RAM 2 flash 1 memory ' ]
  # Half of a body in flash: none of it would change.
  live_elf split.elf "$SMALL/live_split.c"
  run_apart "$MCUPROF" select gdb:localhost:1 -e split.elf --drop split --list
  assert_out 'would change: 0;' 'in flash: 3;'
}

@test "packets of any size, and every kind of answer" {
  local options
  for options in packet=4096 packet=64 packet=1 short=3 rle=1 console=1 drip=1 \
    badsum=2 nak=2 runs=1 mute=1 pc=00100004 outside=; do
    fresh
    live --drop in_ram -- $options
    assert_fine
    is_selected in_ram
  done
}

@test "an instruction cache is emptied" {
  live --drop in_ram
  assert_fine
  refute_grep '^Me000ef50' log
  fresh
  live --drop in_ram -- cache=1
  assert_fine
  [ "$(grep '^M' log | tail -n 1)" = 'Me000ef50,4:00000000' ]
}

@test "another firmware: nothing is changed" {
  printf '\001' | dd of=memory bs=1 seek=$(($(sites_of in_ram | head -n 1))) \
    conv=notrunc status=none
  cp memory was
  live --drop in_ram
  assert_as_before 1 'is of another firmware; nothing was changed' running
  fresh
  printf '\001' | dd of=memory bs=1 conv=notrunc status=none \
    seek=$(($(sites_of in_flash | head -n 1)))
  cp memory was
  live --drop in_ram
  assert_as_before 1 'is of another firmware; nothing was changed' running
  head -c 4096 /dev/zero >memory
  cp memory was
  live --drop in_ram
  assert_as_before 1 'cannot read 18 bytes at 0x00100008' running
  refute_grep '^M' log
}

@test "a target that stands between two halves of a call" {
  local pc
  for pc in $(sites_of in_ram); do
    live --drop in_ram -- pc="$(printf %08x $((pc + 2)))"
    assert_as_before 4 'stands within a call of a hook' running
  done
}

@test "a write that is refused, or does nothing: all is put back" {
  local n
  for n in 1 2; do
    fresh
    live --drop in_ram -- badwrite=$n
    assert_as_before 1 'cannot write 4 bytes .*: it answers E01; all is as it was' \
      running
  done
  fresh
  live --drop in_ram -- writes=0
  assert_as_before 1 'cannot write 4 bytes .*; all is as it was' running
  # It cannot be put back: that is said, with how much.
  fresh
  live --drop in_ram -- writes=1
  assert_complaint 1 '; 1 call of hooks may have stayed changed: reset'
  [ "$(target)" = running ]
  [ "$(cmp memory was | wc -l)" -eq 1 ]
  fresh
  live --drop in_ram -- rom=0x100000-0x200000
  assert_as_before 1 'is not there: that is no RAM; all is as it was' running
  # One of both.
  fresh
  live --drop in_ram -- rom="$(sites_of in_ram | head -n 1)-0x100012"
  assert_as_before 1 'is not there: that is no RAM; all is as it was' running
}

@test "a server that dies or falls silent at any moment" {
  local n all
  live --drop in_ram
  assert_fine
  all=$(grep -cvx 'halted\|running\|ended' log)
  for ((n = 1; n < all; n++)); do
    fresh
    live --drop in_ram -- close=$n
    [ "$status" -eq 4 ] || show_and_fail "close=$n: exit status $status"
    wait "$stub" || true
    # As it was; or it is said how much is not.
    cmp -s memory was || grep -q 'may have stayed changed' err ||
      { is_selected in_ram && grep -q 'the hooks are as they shall be' err; }
  done
  fresh
  SECONDS=0
  live --drop in_ram -- silent=$((all - 2))
  [ "$status" -eq 4 ]
  grep -q 'may have stayed changed' err
  [ "$SECONDS" -le 40 ]
}

@test "a signal ends it with all as it was, or as it shall be" {
  local signal
  for signal in SIGINT SIGTERM SIGHUP; do
    fresh
    serve slow=300
    python3 - $signal "$MCUPROF" select "gdb:localhost:$port" -e "$ELF" \
      --drop in_ram <<'PYTHON'
import signal, subprocess, sys, time
process = subprocess.Popen(sys.argv[2:])
while "\nM" not in open("log").read():
    time.sleep(0.01)
process.send_signal(getattr(signal, sys.argv[1]))
assert process.wait() == -getattr(signal, sys.argv[1])
PYTHON
    [ "$(target)" = running ]
    cmp memory was
  done
}

@test "what it wants to know" {
  run_apart "$MCUPROF" select gdb:localhost:1 --drop in_ram
  assert_complaint 2 "needs the firmware's ELF"
  run_apart "$MCUPROF" select gdb:localhost:1 -e "$ELF" -o out.elf
  assert_complaint 2 'not a file'
  run_apart "$MCUPROF" select gdb:localhost:1 -e "$ELF" --drop in_ram
  assert_complaint 4 'cannot connect'
  run_apart "$MCUPROF" select gdb:localhost:1 -e "$ELF" --drop nothing
  assert_complaint 2 'nothing'
}

free_port() {
  python3 -c 'import socket
print(socket.create_server(("127.0.0.1", 0)).getsockname()[1])'
}

# Counters of the firmware, which goes on.
counters() {
  gdb-multiarch -nx -batch -ex "target remote localhost:$port" \
    -ex 'printf "%u %u %u %u\n", ram_calls, flash_calls, exits, rounds' \
    -ex detach "$ELF" 2>/dev/null | tail -n 2 | head -n 1
}

# What is counted between two looks, as 0 or 1: ram_calls flash_calls exits.
counted() {
  local ram flash exits rounds ram_now flash_now exits_now rounds_now
  read -r ram flash exits rounds <<<"$(counters)"
  sleep 0.2
  read -r ram_now flash_now exits_now rounds_now <<<"$(counters)"
  [ "$rounds_now" -gt "$rounds" ]
  echo $((ram_now > ram)) $((flash_now > flash)) $((exits_now > exits))
}

@test "a firmware in QEMU goes on without these hooks, and with them again" {
  port=$(free_port)
  qemu-system-arm -M mps2-an385 -kernel "$ELF" -display none -monitor none \
    -serial none -gdb "tcp:127.0.0.1:$port" 3>&- &
  qemu=$!
  until [ -n "$(counters)" ]; do
    kill -0 $qemu
    sleep 0.1
  done
  [ "$(counted)" = "1 1 1" ]
  "$MCUPROF" select "gdb:localhost:$port" -e "$ELF" --drop in_ram >out
  assert_out '2 hook calls changed in RAM, 2 were'
  [ "$(counted)" = "0 1 1" ]
  "$MCUPROF" select "gdb:localhost:$port" -e "$ELF" --restore >out
  assert_out '2 hook calls changed in RAM, 2 were'
  [ "$(counted)" = "1 1 1" ]
  # A selected ELF stands for the one that it was made of.
  "$MCUPROF" select "$ELF" -o selected.elf --drop in_ram >out
  "$MCUPROF" select "gdb:localhost:$port" -e selected.elf --drop in_ram >out
  assert_out '2 hook calls changed in RAM, 2 were'
  [ "$(counted)" = "0 1 1" ]
}
