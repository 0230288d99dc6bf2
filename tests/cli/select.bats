#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
#
# mcuprof select: which calls of hooks there are, which go, and that nothing
# else does. What is in an ELF before and after says binutils.

load common
load elf_lint

CALLS=$ROOT/tests/tools/hook_calls.py

# work ELF gcc|clang CPU [FLAG...]: work with hooks
work() {
  local elf=$1 compiler=$2 cpu=$3
  shift 3
  compile "$compiler" "$cpu" "$LINT/lint_boot.c" boot.o
  compile "$compiler" "$cpu" "$LINT/select_bodies.c" work.o \
    -finstrument-functions "$@"
  compile "$compiler" "$cpu" "$LINT/select_other.c" other.o \
    -finstrument-functions "$@"
  compile "$compiler" "$cpu" "$LINT/lint_hooks.c" hooks.o
  compile "$compiler" "$cpu" "$BATS_TEST_DIRNAME/firmware/select_pendsv.c" \
    pendsv.o
  link "$cpu" "$elf" -Wl,--build-id boot.o work.o other.o hooks.o pendsv.o "${LINK[@]}"
}

setup_file() {
  cd "$BATS_FILE_TMPDIR" || return 1
  LINK=()
  work gcc.elf gcc cortex-m4
}

setup() {
  unset MCUPROF_ELF NO_COLOR
  LINK=()
  ELF=$BATS_FILE_TMPDIR/gcc.elf
  cd "$BATS_TEST_TMPDIR" || return 1
}

select_list() { # [OPTION...]: rows in out
  run_apart "$MCUPROF" select "$ELF" --list --format csv "$@"
  [ "$status" -eq 0 ] || show_and_fail "exit status $status"
}

# The functions that have sites of which out says so, one a line.
listed() { # kept|dropped
  python3 -c '
import csv, sys
print(*sorted({row["function"] for row in csv.DictReader(open("out"))
               if row["selection"] == sys.argv[1]}), sep="\n")' "$1"
}

# What out lists is what objdump has, each once, in its function; where r0 tells
# whom a call is for, that one; and an enter and its exits in one body.
check_list() { # elf
  python3 "$CALLS" "$1" >truth
  python3 - <<'PYTHON'
import csv

rows = list(csv.DictReader(open("out")))
truth = [line.split() for line in open("truth")]
assert len(rows) == len(truth), (len(rows), len(truth))
assert len(rows) > 15, len(rows)
bodies, told_count = {}, 0
for row, (address, hook, _, function, told) in zip(rows, truth):
    assert int(row["address"], 16) == int(address, 16), row
    assert row["hook"] == hook, row
    assert row["in"] == function, (row, function)
    body = bodies.setdefault(row["body"], {"hooks": set(), "choice": set(),
                                           "told": set(), "exits": set()})
    body["hooks"].add(hook)
    body["choice"].add(row["selection"])
    if hook == "exit":
        body["exits"].add(told)
    if told != "-":
        told_count += 1
        body["told"].add(told)
        assert row["function"] == told, (row, told)
for number, body in bodies.items():
    assert len(body["choice"]) == 1, (number, body)
    assert "enter" in body["hooks"], (number, body)
    # Several functions are in one body only where they share a call, of which
    # r0 does not say whom it is for.
    assert len(body["told"]) <= 1 or "-" in body["exits"], (number, body)
assert told_count * 5 > len(rows), told_count
assert {"enter", "exit"} in [body["hooks"] for body in bodies.values()]
PYTHON
}

@test "all calls of hooks are listed once, as objdump and r0 have them" {
  local compiler cpu level
  for compiler in gcc clang; do
    for cpu in cortex-m0 cortex-m3 cortex-m4 cortex-m33; do
      for level in -O1 -O2 -O3 -Os; do
        # Those two differ in little that matters here.
        [[ $cpu$level != cortex-m3*-O[1s] ]] || continue
        echo "$compiler $cpu $level"
        work fw.elf "$compiler" "$cpu" "$level"
        ELF=$PWD/fw.elf select_list --demangle no
        check_list fw.elf
      done
    done
  done
}

@test "the same after link time optimization" {
  local cpu level
  for cpu in cortex-m0 cortex-m4; do
    for level in -O2 -O3 -Os; do
      echo "$cpu $level"
      LINK=(-flto "$level" -g -finstrument-functions)
      work fw.elf gcc "$cpu" "$level" -flto
      ELF=$PWD/fw.elf select_list --demangle no
      check_list fw.elf
    done
  done
}

@test "a landing pad's calls belong to the bodies that it leaves" {
  local cpu level
  for cpu in cortex-m0 cortex-m4; do
    for level in -O1 -O2 -O3 -Os; do
      echo "$cpu $level"
      compile gcc "$cpu" "$LINT/lint_hooks.c" hooks.o
      arm-none-eabi-g++ "-mcpu=$cpu" -mthumb "$level" -g \
        -finstrument-functions --specs=nosys.specs -Wl,-w -o fw.elf \
        "$LINT/select_throw.cpp" hooks.o
      ELF=$PWD/fw.elf select_list --demangle no
      check_list fw.elf
      refute_out 'in doubt'
      # Thrown through, each is left in two ways at least.
      python3 -c '
import csv
rows = [row for row in csv.DictReader(open("out"))
        if row["function"] in ("_Z7guardedi", "_ZN5GuardD1Ev")]
for body in {row["body"] for row in rows}:
    kinds = [row["hook"] for row in rows if row["body"] == body]
    if "_Z7guardedi" in {r["function"] for r in rows if r["body"] == body}:
        assert kinds.count("exit") >= 2, (body, kinds)'
    done
  done
}

@test "inlined bodies go by default, and nothing but their calls changes" {
  local compiler cpu
  for compiler in gcc clang; do
    # A v8-M Baseline core has no NOP of four bytes, as the M0.
    for cpu in cortex-m0 cortex-m4 cortex-m23 cortex-m33; do
      work fw.elf "$compiler" "$cpu" -O2
      ELF=$PWD/fw.elf select_list
      run_apart "$MCUPROF" select fw.elf -o new.elf
      [ "$status" -eq 0 ] || show_and_fail "status $status"
      ELF=$PWD/fw.elf select_list
      python3 "$CALLS" new.elf >left
      awk -F, '$3 == "kept" { print $1 }' out | sed 's/0x0*//' >kept
      cut -d' ' -f1 left | diff - kept
      arm-none-eabi-objcopy -O binary fw.elf fw.bin
      arm-none-eabi-objcopy -O binary new.elf new.bin
      python3 - "$cpu" <<'PYTHON'
import csv, sys

NOP = bytes.fromhex("00bf00bf" if sys.argv[1] in ("cortex-m0", "cortex-m23")
                    else "aff30080")
old, new = open("fw.bin", "rb").read(), open("new.bin", "rb").read()
want = bytearray(old)
dropped = 0
for row in csv.DictReader(open("out")):
    at = int(row["address"], 16)
    if row["selection"] == "dropped":
        dropped += 1
        assert row["function"] != row["in"] or row["why"] != "inlined", row
        want[at:at + 4] = NOP
assert dropped > 4, dropped
# The build-id is new as well.
ids = [i for i in range(len(old)) if want[i] != new[i]]
assert not ids or max(ids) - min(ids) < 20, ids
PYTHON
    done
  done
}

@test "the summary counts functions and calls, and says what it is" {
  run_apart "$MCUPROF" select "$ELF" -o new.elf
  [ "$status" -eq 0 ] || show_and_fail "status $status"
  python3 "$CALLS" "$ELF" >before
  python3 "$CALLS" new.elf >after
  local all left
  all=$(wc -l <before)
  left=$(wc -l <after)
  # Own bodies that are called; gcc keeps those of what was inlined, too.
  local called functions
  functions=$(cut -d' ' -f4 after | sort -u)
  called=$(arm-none-eabi-objdump -d new.elf |
    sed -nE 's/.*\t(bl|b\.[nw])\t.*<([a-z_]+)>$/\2/p' | sort -u |
    comm -12 - <(echo "$functions"))
  [ "$(wc -w <<<"$functions")" -eq 11 ]
  assert_out "^dropped $((all - left)) of $all hook calls:\
 $(wc -w <<<"$called") of 11 functions instrumented\$"
  [ "$(wc -w <<<"$called")" -lt 11 ]
  refute_out 'in doubt'
}

@test "of what nothing calls the list says so" {
  "$MCUPROF" select "$ELF" --list --format json >out
  local called name why
  called=$(arm-none-eabi-objdump -d "$ELF" |
    sed -nE 's/.*\t(bl|b\.[nw])\t.*<([a-z_]+)>$/\2/p' | sort -u)
  json '.rows[] | select(.selection == "kept") | [.in, .why // ""] | @csv' |
    sort -u >kept
  grep -q nothing kept
  while IFS=, read -r name why; do
    if grep -qx "${name//\"/}" <<<"$called"; then
      [ "$why" = '""' ] || show_and_fail "$name: $why"
    else
      [ "$why" = '"nothing calls it"' ] || show_and_fail "$name: $why"
    fi
  done <kept
}

# As binutils sees what is left, and the summary when it was made.
@test "--list alone of a selected image shows what that holds" {
  "$MCUPROF" select "$ELF" -o one.elf --drop 'c*' --keep-inlined >summary
  python3 "$CALLS" one.elf | cut -d' ' -f1 >left
  ELF=one.elf select_list
  awk -F, '$3 == "kept" { print $1 }' out | sed 's/0x0*//' | diff left -
  grep -q 'what one.elf holds, selected by: --drop c\* --keep-inlined;' err
  run_apart "$MCUPROF" select one.elf --list
  assert_out 'what one.elf holds, selected by: --drop c\* --keep-inlined;'
  grep -qxF "$(cat summary)" out
  "$MCUPROF" select one.elf --list --format json >out
  [ "$(json '.held, .rules')" = $'true\n--drop c* --keep-inlined' ]
  # Rules make a new one, of the whole.
  "$MCUPROF" select "$ELF" --list --only 'w*' >new
  run_apart "$MCUPROF" select one.elf --list --only 'w*'
  diff new out
  "$MCUPROF" select one.elf --list --format json --drop 'w*' >out
  [ "$(json '.held, .rules')" = $'false\n--drop w*' ]
  # And so does what writes one.
  "$MCUPROF" select "$ELF" --list -o two.elf >new
  "$MCUPROF" select one.elf --list -o three.elf >out
  diff new out
  cmp two.elf three.elf
}

@test "a jump to the exit hook becomes a return" {
  local jump function
  read -r jump function < <(python3 "$CALLS" "$ELF" |
    awk '$3 == "b" && !seen++ { print $1, $4 }')
  [ -n "$jump" ]
  run_apart "$MCUPROF" select "$ELF" --drop "$function" -o new.elf
  [ "$status" -eq 0 ] || show_and_fail "status $status"
  arm-none-eabi-objdump -d new.elf | grep -qE "^ +$jump:.*bx[[:space:]]lr"
}

@test "--only, --drop and --file, and what a ! takes out" {
  select_list --only 'crc*' --keep-inlined
  [ "$(listed kept)" = $'crc_all\ncrc_step' ]
  assert_out ',not in --only$'
  select_list --only 'crc*' --only '!crc_all'
  [ "$(listed kept)" = crc_step ]
  select_list --only '!main' --keep-inlined
  [ "$(listed dropped)" = main ]
  select_list --drop 'c*' --drop walk --keep-inlined
  [ "$(listed dropped)" = $'choose\ncrc_all\ncrc_step\nwalk' ]
  assert_out ',--drop walk$' ',--drop c\*$'
  select_list --file select_other.c --keep-inlined
  [ "$(listed kept)" = $'deep\nother_file' ]
  assert_out ',not in --file$'
  select_list --file '*/firmware/select_other.c' --file '!*_bodies.c' --only 'o*'
  [ "$(listed kept)" = other_file ]
}

@test "--section goes by where the code is" {
  work fw.elf gcc cortex-m4 '-DFAST=__attribute__((section(".fast")))'
  LINK=('-Wl,--section-start=.fast=0x10000')
  link cortex-m4 fw.elf boot.o work.o other.o hooks.o pendsv.o "${LINK[@]}"
  ELF=$PWD/fw.elf select_list --section '.fast'
  [ "$(listed kept)" = crc_all ]
  assert_out ',not in --section$'
  ELF=$PWD/fw.elf select_list --section '!.fast'
  [[ "$(listed dropped)" == *crc_all* ]]
}

@test "a list names what goes and what stays, its last line counts" {
  cat >list <<'EOF'
# of a build
drop crc_step

drop  walk
keep walk
drop-inlined deep
keep mix
drop gone_by_now
EOF
  run_apart "$MCUPROF" select "$ELF" --list --format csv --from list \
    --keep-inlined
  [ "$status" -eq 0 ] || show_and_fail "status $status"
  [ "$(listed dropped)" = $'crc_step\ndeep' ]
  grep -q '1 line of list matches no function with hooks.*8: gone_by_now' err
  assert_out ',drop in the list$' ',drop-inlined in the list$' \
    ',keep in the list$'
  run_apart "$MCUPROF" select "$ELF" --list --format csv --from list
  [[ "$(listed kept)" == *mix* ]]
  [[ "$(listed dropped)" == *twice* ]]
  # An editor's mark of UTF-8 is no part of it.
  printf '\357\273\277drop crc_step\n' >list
  select_list --from list --keep-inlined
  [ "$(listed dropped)" = crc_step ]
  printf 'drop crc_step\r\nleave walk\n' >list
  run_apart "$MCUPROF" select "$ELF" --list --from list
  assert_complaint 1 "list:2: 'leave walk'"
  run_apart "$MCUPROF" select "$ELF" --list --from missing
  assert_complaint 1 missing
}

@test "of several names of one function the last line counts" {
  local names=(_Z7guardedi 'guarded(int)' guarded) one other
  compile gcc cortex-m4 "$LINT/lint_hooks.c" hooks.o
  arm-none-eabi-g++ -mcpu=cortex-m4 -mthumb -O2 -g -finstrument-functions \
    --specs=nosys.specs -Wl,-w -o fw.elf "$LINT/select_throw.cpp" hooks.o
  ELF=$PWD/fw.elf
  for one in "${names[@]}"; do
    for other in "${names[@]}"; do
      printf '%s\n' "keep $one" "drop $other" >list
      select_list --from list --demangle no
      [[ "$(listed dropped)" == *_Z7guardedi* ]]
      [[ "$(listed kept)" != *_Z7guardedi* ]]
      [ ! -s err ]
      printf '%s\n' "drop $one" "keep $other" >list
      select_list --from list --demangle no
      [[ "$(listed kept)" == *_Z7guardedi* ]]
      [[ "$(listed dropped)" != *_Z7guardedi* ]]
    done
  done
}

@test "the record has the rules as they were given" {
  printf 'drop walk\n' >list
  "$MCUPROF" select "$ELF" -o new.elf --only 'c*' --only '!crc_all' \
    --drop choose --file 'select_*' --section '.text*' --from list \
    --keep-inlined
  arm-none-eabi-objcopy -O binary --set-section-flags .mcuprof.select=alloc \
    -j .mcuprof.select new.elf record
  grep -aqF -- "--only c* --only !crc_all --drop choose --file select_*\
 --section .text* --from list --keep-inlined" record
  "$MCUPROF" select "$ELF" -o new.elf
  arm-none-eabi-objcopy -O binary --set-section-flags .mcuprof.select=alloc \
    -j .mcuprof.select new.elf record
  run grep -aqF -- '--' record
  [ "$status" -eq 1 ]
}

@test "what matches nothing is a typing error" {
  local option
  for option in only drop file section; do
    run_apart "$MCUPROF" select "$ELF" --list "--$option" 'zz*'
    assert_complaint 2 "$option zz.* matches no function with hooks"
    grep -qF "\`mcuprof select $ELF --list\`" err
  done
  run_apart "$MCUPROF" select "$ELF" --list --only '!zz'
  assert_complaint 2 'only !zz'
  run_apart "$MCUPROF" select "$ELF" -o new.elf --only twice
  grep -q keep-inlined err
}

@test "the list as JSON has the summary, as a table the summary's line" {
  run_apart "$MCUPROF" select "$ELF" --list --format json
  python3 - <<'PYTHON'
import json

data = json.load(open("out"))
rows = data["rows"]
assert data["schema"] == "mcuprof-select", data
assert data["sites"] == len(rows)
assert data["sites_kept"] == sum(r["selection"] == "kept" for r in rows)
assert data["doubts"] == {}
assert data["functions"] == len({r["function"] for r in rows})
chains = [r["chain"] for r in rows if r["function"] == "mix"]
assert any(c.startswith("mix < twice < ") for c in chains), chains
PYTHON
  run_apart "$MCUPROF" select "$ELF" --list
  assert_out '^dropped ' '0x[0-9a-f]{8}  enter  dropped  mix'
}

@test "what cannot be changed is left alone with its whole body" {
  LINK=('-Wl,--section-start=.far=0x08000000')
  work fw.elf gcc cortex-m4
  compile gcc cortex-m4 "$LINT/lint_hooks.c" hooks.o -ffunction-sections
  arm-none-eabi-objcopy \
    --rename-section .text.__cyg_profile_func_exit=.far hooks.o
  link cortex-m4 fw.elf boot.o work.o other.o hooks.o pendsv.o "${LINK[@]}"
  run_apart "$MCUPROF" select fw.elf -o new.elf
  [ "$status" -eq 0 ] || show_and_fail "status $status"
  assert_out '^dropped 0 of ' '^  kept in doubt: [0-9]+ in [0-9]+ functions: '
  run_apart "$MCUPROF" select fw.elf -o new.elf --drop '*'
  [ "$status" -eq 0 ] || show_and_fail "status $status"
  # All that is left through a veneer, and what is entered there.
  python3 "$CALLS" fw.elf >calls
  local functions sites
  functions=$(arm-none-eabi-objdump -d fw.elf | awk '
    /^[0-9a-f]+ </ { name = $2 }
    /\t(bl|b\.w|b\.n|b)\t.*func_exit_veneer>$/ { print name }' | sort -u |
    tr -d '<>:')
  sites=$(awk '{ print $4 }' calls | grep -cxF "$functions")
  [ "$(wc -w <<<"$functions")" -gt 5 ]
  assert_out "^  kept in doubt: $sites in $(wc -w <<<"$functions") functions:\
 .*veneer\$" "^dropped $(($(wc -l <calls) - sites)) of $(wc -l <calls) "
  work fw.elf gcc cortex-m4 -mlong-calls
  run_apart "$MCUPROF" select fw.elf -o new.elf
  assert_out 'through a register'
  assert_out '^dropped 0 of '
}

@test "refused with one line and a remedy" {
  run_apart "$MCUPROF" select "$ELF"
  assert_complaint 2 'nothing says where to write'
  run_apart "$MCUPROF" select "$ELF" -o "$ELF"
  assert_complaint 2 'would be overwritten'
  run_apart "$MCUPROF" select "$ELF" --in-place -o new.elf
  assert_complaint 2 'different places'
  run_apart "$MCUPROF" select "$ELF" --list --bin new.bin
  assert_complaint 2 'beside an ELF'
  arm-none-eabi-strip -g -o plain.elf "$ELF"
  run_apart "$MCUPROF" select plain.elf -o new.elf
  assert_complaint 1 'no debug info'
  build_elf none.elf
  run_apart "$MCUPROF" select none.elf -o new.elf
  assert_complaint 1 'no calls of hooks'
  echo text >text
  run_apart "$MCUPROF" select text -o new.elf
  assert_complaint 1 'not an ELF'
  run_apart "$MCUPROF" select missing -o new.elf
  assert_complaint 1 missing
  run_apart "$MCUPROF" select "$ELF" -o no/where.elf
  assert_complaint 1 'no/where.elf'
  LINK=('-Wl,--emit-relocs')
  work relocs.elf gcc cortex-m4
  run_apart "$MCUPROF" select relocs.elf -o new.elf
  assert_complaint 1 'has relocations for its code'
  LINK=(-shared)
  work pie.elf gcc cortex-m4 -fpic
  run_apart "$MCUPROF" select pie.elf -o new.elf
  assert_complaint 1 'position-independent'
  [ ! -e new.elf ]
}

@test "a firmware that captures could not tell from another is refused" {
  # It sends captures, and neither a build-id nor a CRC over its code.
  LINK=('-Wl,--defsym=mcuprof_init=main' '-Wl,--build-id=none')
  work fw.elf gcc cortex-m4
  run_apart "$MCUPROF" select fw.elf -o new.elf
  assert_complaint 1 'captures could not tell the selected firmware'
  grep -q -e --force err
  [ ! -e new.elf ]
  # A CRC over a part of it is none.
  local middle
  middle=$(arm-none-eabi-nm -n fw.elf | awk '$3 == "crc_all" { print $1 }')
  LINK+=('-Wl,--defsym=mcuprof_image_end=lint_text_end')
  work whole.elf gcc cortex-m4
  run_apart "$MCUPROF" select whole.elf -o new.elf
  [ "$status" -eq 0 ] || show_and_fail "status $status"
  rm new.elf
  LINK[2]=-Wl,--defsym=mcuprof_image_end=0x$middle
  work part.elf gcc cortex-m4
  run_apart "$MCUPROF" select part.elf -o new.elf
  assert_complaint 1 'no CRC over the code at 0x'
  [ ! -e new.elf ]
  run_apart "$MCUPROF" select part.elf -o new.elf --force
  [ "$status" -eq 0 ] || show_and_fail "status $status"
  "$MCUPROF" select --restore new.elf -o back.elf
  cmp back.elf part.elf
}

# What is there stays: each name of what is read or written, against each.
@test "nothing is written over what is read, nor twice to one place" {
  local names
  cp "$ELF" fw.elf
  ln -s fw.elf link.elf
  ln fw.elf hard.elf
  ln -s new.elf later.elf
  echo 'keep main' >list
  cp list was
  for names in '-o new.elf --bin fw.elf' '-o new.elf --hex ./fw.elf' \
    '-o link.elf' '-o hard.elf' '-o new.elf --bin link.elf' \
    '-o new.elf --hex hard.elf' '-o new.elf --bin new.elf' \
    '-o new.elf --hex later.elf' '-o later.elf --bin ../'"${PWD##*/}"'/new.elf' \
    '-o new.elf --bin x --hex x' '-o list --from list' \
    '-o new.elf --bin list --from list' '--in-place --bin fw.elf' \
    '--in-place --hex link.elf' '--restore -o new.elf --bin fw.elf'; do
    # shellcheck disable=SC2086 # several words
    run_apart "$MCUPROF" select fw.elf $names
    assert_complaint 2 'would be overwritten' || show_and_fail "$names"
    cmp fw.elf "$ELF"
    cmp list was
    [ ! -e new.elf ]
  done
  # shellcheck disable=SC2094 # that is the point
  run_apart "$MCUPROF" select fw.elf -o new.elf --from - --bin list <list
  assert_complaint 2 'list would be overwritten'
  for names in '-o -' '-o new.elf --bin -' '-o new.elf --hex -'; do
    # shellcheck disable=SC2086 # several words
    run_apart "$MCUPROF" select fw.elf $names
    assert_complaint 2 'an ELF is a file, not a stream'
    [ ! -e - ]
  done
  run_apart "$MCUPROF" select fw.elf -o later.elf --bin /dev/null --hex /dev/null
  [ "$status" -eq 0 ] || show_and_fail "status $status"
}

@test "what a programmer takes is no program" {
  cp "$ELF" fw.elf
  chmod 755 fw.elf
  (umask 027 && "$MCUPROF" select fw.elf -o new.elf --bin new.bin --hex new.hex)
  [ "$(stat -c %a new.elf new.bin new.hex | tr '\n' ' ')" = '755 640 640 ' ]
}

@test "--restore takes no rules and lists nothing" {
  local words
  "$MCUPROF" select "$ELF" -o one.elf
  echo 'keep main' >list
  for words in --list '--only main' '--drop main' '--file x' '--section x' \
    '--from list' --keep-inlined; do
    # shellcheck disable=SC2086 # several words
    run_apart "$MCUPROF" select one.elf --restore -o back.elf $words
    assert_complaint 2 '--restore gives back all hooks'
    # shellcheck disable=SC2086 # several words
    run_apart "$MCUPROF" select gdb:localhost:1 -e one.elf --restore $words
    assert_complaint 2 '--restore gives back all hooks'
  done
  [ ! -e back.elf ]
  run_apart "$MCUPROF" select one.elf --restore
  assert_complaint 2 'nothing says where to write'
}

@test "an image is restored to the byte, and selected anew from the original" {
  "$MCUPROF" select "$ELF" -o one.elf
  "$MCUPROF" select "$ELF" -o two.elf --only 'crc*'
  "$MCUPROF" select one.elf -o both.elf --only 'crc*'
  cmp two.elf both.elf
  "$MCUPROF" select --restore both.elf -o back.elf
  cmp back.elf "$ELF"
  cp "$ELF" here.elf
  "$MCUPROF" select here.elf --in-place --bin here.bin --hex here.hex
  cmp here.elf one.elf
  arm-none-eabi-objcopy -O binary one.elf one.bin
  cmp one.bin here.bin
  arm-none-eabi-objcopy -I ihex -O binary here.hex hex.bin
  cmp one.bin hex.bin
  "$MCUPROF" select --restore here.elf --in-place --bin here.bin --hex here.hex
  cmp here.elf "$ELF"
  arm-none-eabi-objcopy -O binary "$ELF" fw.bin
  cmp fw.bin here.bin
  arm-none-eabi-objcopy -I ihex -O binary here.hex hex.bin
  cmp fw.bin hex.bin
}
