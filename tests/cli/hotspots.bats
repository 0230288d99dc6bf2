#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
#
# `report --hotspots`. Captures are made here by tests/tools/mprof.py, so every
# number has its source in the test; what lies in a block is asked of binutils.

load common

# The script's names: t the target, pc("name+4"), hotspots as t.hotspots().
capture() { # file; a script on standard input
  {
    cat <<'PYTHON'
import sys
sys.path.insert(0, sys.argv[2])
import mprof
facts = mprof.elf_facts(sys.argv[3])
def target(**settings):
    return mprof.Target(**{
        "start": 0, "length": facts["length"], "engines": 3,
        "value": mprof.crc_value(facts["crc"]), **settings})
def pc(name, offset=4):
    return facts["symbols"][name] + offset
t = target()
PYTHON
    cat
    echo 'open(sys.argv[1], "wb").write(t.out)'
  } | python3 - "$1" "$TOOLS" "$ELF"
}

# One second at 1 kHz, and one view at its end.
normal() {
  capture normal.mprof <<'PYTHON'
t.hello(start=True)
t.time()
t.sample(pc("work"), count=600)
t.sample(pc("other"), count=400)
t.flush()
t.hotspots([(pc("work"), 696, 10), (pc("sleep_here", 0), 300, 0),
            (0x30000000, 20, 20), (0xFFFFFFF0, 5, 0)],
           sequence=7, samples=990, ignored=10, grain=5)
t.time()
PYTHON
}

hotspots() { # options...
  run_apart "$MCUPROF" report --hotspots "$@" -e "$ELF"
  [ "$status" -eq 0 ] || show_and_fail "exit status $status"
}

# The functions with code in START to LAST but OWN, as nm and readelf say,
# those with most of it first: "name start bytes".
functions_within() { # elf, start, last, own
  {
    arm-none-eabi-nm -S "$1" | sed 's/^/S /'
    arm-none-eabi-readelf -sW "$1" | sed 's/^/M /'
  } | python3 -c '
import sys
first, last, own = int(sys.argv[1], 16), int(sys.argv[2], 16), sys.argv[3]
functions, marks = {}, {}
for line in sys.stdin:
    words = line.split()
    if words[0] == "S" and len(words) == 5 and words[3] in "tT":
        start = int(words[1], 16) & ~1
        functions[start] = (start + int(words[2], 16), words[4])
    if words[0] == "M" and words[-1] in ("$t", "$d"):
        marks[int(words[2], 16)] = words[-1]
found = {}
for address in range(first, last, 2):
    before = [mark for mark in marks if mark <= address]
    if not before or marks[max(before)] == "$d":
        continue
    for start, (end, name) in functions.items():
        if start <= address < end and name != own:
            found[start] = found.get(start, 0) + 2
for start, count in sorted(found.items(), key=lambda f: (-f[1], f[0])):
    print(functions[start][1], start, count)
' "$2" "$3" "$4"
}

@test "blocks with share, bound, function, line and the others" {
  normal
  hotspots normal.mprof
  # 696 and 696 - 10 of 1,024, 300, 20 less 20, 5.
  local begin=$((($(address_of work) + 4) & ~31))
  block=$(printf '0x%08x-0x%08x' $begin $((begin + 31)))
  line=$(arm-none-eabi-addr2line -e "$ELF" \
    "$(printf '%x' $(($(address_of work) + 4)))")
  assert_out '^ +share +at least +block +file:line +function +others in the block$' \
    "^ +67\.97 +66\.99 +$block +small\.c:${line##*:} +work\+0x4 +UART0_Handler, Default_Handler$" \
    '^ +29\.30 +29\.30 +0x[0-9a-f]{8}-0x[0-9a-f]{8} +small\.c:[0-9]+ +Reset_Handler\+0x[0-9a-f]+ \[idle\] ' \
    '^ +1\.95 +0\.00 +0x30000000-0x3000001f +- +\[unknown\] +-$' \
    '^ +0\.49 +0\.49 +- +- +\[secure\] +-$'
  # A second to the last TIME; 1,021 of 1,024, and 1,021 less 30.
  assert_out '^  a block is 32 bytes,' \
    '^  shares in % of 990 samples \(10 ignored, not among them\); ' \
    '^  a sample weighs half after 8,192 more, about 8\.192 s$' \
    '^  all rows together: 99\.71 %, at least 96\.78 %; no other block was sampled$' \
    '^  the last of 1 view: as it was 1 s after mcuprof_init\(\), or up to 1 s before$'
  [ "$(awk '{ if (length > 120) print }' out)" = "" ]
  [ ! -s err ]
}

@test "CSV: as many fields in each row, others whole" {
  normal
  hotspots normal.mprof --format csv
  python3 - out <<'PYTHON'
import csv, sys
rows = list(csv.DictReader(open(sys.argv[1], newline="")))
assert list(rows[0]) == [
    "share_percent", "least_percent", "block_start", "block_last", "address",
    "offset", "kind", "file", "line", "function", "linkage", "module",
    "others"], list(rows[0])
assert all(None not in row and None not in row.values() for row in rows)
assert [row["share_percent"] for row in rows] == [
    "67.9688", "29.2969", "1.9531", "0.4883"]
assert [row["least_percent"] for row in rows] == [
    "66.9922", "29.2969", "0.0000", "0.4883"]
assert [row["kind"] for row in rows] == [
    "function", "idle", "unknown", "secure"]
work = rows[0]
assert int(work["block_last"], 16) - int(work["block_start"], 16) == 31
assert work["function"] == "work" and work["offset"] == "4"
assert work["others"] == "UART0_Handler; Default_Handler"
assert rows[3]["block_start"] == "" and rows[3]["address"] == "0xfffffff0"
PYTHON
  grep -q '^quality' err
}

@test "JSON: rows, others with their bytes, the view" {
  normal
  hotspots normal.mprof --format json
  [ "$(json .by)" = hotspots ]
  [ "$(json '.rows | length')" -eq 4 ]
  [ "$(json '.rows[0] | .share_percent * 1024 / 100 | round')" = 696 ]
  [ "$(json '.rows[0] | .least_percent * 1024 / 100 | round')" = 686 ]
  [ "$(json '.rows[0].frames[0].function')" = work ]
  [ "$(json '.rows[3] | .block_start, .block_last' | tr '\n' ' ')" = \
    "null null " ]
  [ "$(json '.hotspots | "\(.views) \(.sequence) \(.segment) \(.segments)"')" \
    = "1 7 1 1" ]
  [ "$(json '.hotspots | "\(.samples) \(.ignored) \(.block_bytes)"')" = \
    "990 10 32" ]
  [ "$(json '.hotspots | "\(.units) \(.units_used) \(.half_life_samples)"')" = \
    "16 4 8192" ]
  [ "$(json '.hotspots | .sum_percent * 1024 / 100 | round')" = 1021 ]
  [ "$(json '.hotspots | .sum_least_percent * 1024 / 100 | round')" = 991 ]
  [ "$(json '.hotspots.outside_most_percent')" = 0 ]
  [ "$(json '.hotspots | "\(.earliest_seconds) \(.latest_seconds)"')" = "0 1" ]
  [ "$(json .quality.hotspot_views)" -eq 1 ]
}

@test "the others in a block are what binutils find there" {
  local grain
  for grain in 4 6 8 16; do
    capture all.mprof <<PYTHON
t.hello(start=True)
blocks = {}
for name in facts["symbols"]:
    if name not in ("vectors", "counter", "stack_top", "etext"):
        blocks.setdefault(pc(name, 0) >> $grain, pc(name, 0))
t.hotspots([(at, 1024 // len(blocks), 0) for at in blocks.values()], grain=$grain, units=64)
t.time()
PYTHON
    hotspots all.mprof --format json
    [ "$(json '.rows | length')" -ge 1 ]
    [ "$(json ".rows[] | .block_start % $((1 << grain)),
      .block_last - .block_start + 1" | sort -nu | tr '\n' ' ')" = \
      "0 $((1 << grain)) " ]
    json '.rows[] | "\(.block_start) \(.block_last) \(.function)"' |
      while read -r first last own; do
        functions_within "$ELF" "$(printf '%x' "$first")" \
          "$(printf '%x' "$last")" "$own" >expected
        json ".rows[] | select(.block_start == $first) | .others[]
            | \"\(.function) \(.address) \(.bytes)\"" >seen
        diff expected seen
      done
  done
  # The last grain: all in one block.
  [ "$(json '.rows | length')" -eq 1 ]
  [ "$(json '.rows[0].others | length')" -ge 9 ]
  hotspots all.mprof
  assert_out ' other, [A-Za-z_0-9]+ and [0-9]+ more$'
}

@test "functions of one name in a block are apart" {
  local file
  for file in a b; do
    cat >$file.c <<SOURCE
__attribute__((noinline, noclone)) static int helper(int x) { return x * x + 1; }
int run_$file(int x) { return helper(x) + helper(x + 3); }
SOURCE
  done
  echo 'int run_a(int), run_b(int); int main(int n) { return run_a(n) ^ run_b(n); }' \
    >main.c
  ELF=$PWD/twice.elf
  build_linked "$ELF" -O1 -g -Wl,-emain,--defsym,etext=_etext \
    main.c a.c b.c
  capture twice.mprof <<'PYTHON'
t = target(value=b"")
t.hello(start=True)
t.hotspots([(pc("main", 0), 1024, 0)])
PYTHON
  hotspots twice.mprof --format json
  json '.rows[0].others[] | "\(.function) \(.address) \(.bytes)"' >seen
  functions_within "$ELF" 8000 80ff main | diff - seen
  [ "$(grep -c '^helper ' seen)" -eq 2 ]
}

@test "a full table: what is not in it has a bound" {
  capture full.mprof <<'PYTHON'
t.hello(start=True, period=12500)
t.hotspots([(0x100, 532, 0), (0x140, 200, 50), (0x180, 200, 50),
            (0x2C0, 90, 80)], units=4, grain=6, samples=1 << 20, half_life=0)
PYTHON
  hotspots full.mprof
  # 1,022 and 1,022 - 180; (90 + 1) of 1,024.
  assert_out 'all rows together: 99\.80 %, at least 82\.23 %; all above 25\.00 % \(1/4\) are there, no other has more than 8\.89 %$' \
    '^  all samples weigh the same, old ones too$' \
    'shares in % of 1,048,576 samples \(none ignored' \
    '^  the last of 1 view$' 'hot spots +1 view \(4 units of 64 bytes, nothing is forgotten\)'
  # Wilson's interval of a half of 2^20 is 0.0957 points to each side.
  assert_out 'chance adds \+/- 0\.10 \(95 %\)$'
  # No block that is not there has more than one that is, nor than a quarter.
  capture even.mprof <<'PYTHON'
t.hello(start=True)
t.hotspots([(64 * i, 256, 0) for i in range(4)], units=4, grain=6)
PYTHON
  hotspots even.mprof
  assert_out 'no other has more than 25\.00 %$'
  # 8,192 a half-life of many: 2 * 8192 / ln 2 samples, 0.637 points.
  capture decayed.mprof <<'PYTHON'
t.hello(start=True, period=12500)
t.hotspots([(0x100, 1024, 0)], samples=1 << 20, half_life=8192)
PYTHON
  hotspots decayed.mprof
  assert_out 'chance adds \+/- 0\.64 \(95 %\)$' \
    'a sample weighs half after 8,192 more, about 4\.096 s$'
}

@test "order and number of rows" {
  capture rows.mprof <<'PYTHON'
t.hello(start=True)
t.hotspots([(pc("work"), 404, 0), (pc("other", 0x20), 300, 0),
            (pc("SysTick_Handler"), 300, 0), (pc("Reset_Handler"), 20, 0)],
           grain=4)
PYTHON
  hotspots rows.mprof --format csv
  names() { cut -d, -f10 out | tail -n +2 | tr '\n' ' '; }
  # Of equals the target's order counts.
  [ "$(names)" = "work other SysTick_Handler Reset_Handler " ]
  hotspots rows.mprof --format csv --sort name
  [ "$(names)" = "Reset_Handler SysTick_Handler other work " ]
  hotspots rows.mprof --format csv --sort address
  [ "$(names)" = "SysTick_Handler work other Reset_Handler " ]
  hotspots rows.mprof -n 2
  assert_out ' other\+0x20 ' '2 more blocks, 31\.25 % together \(-n 0 shows all\)'
  refute_out 'SysTick_Handler\+'
}

@test "options that have no say in it" {
  normal
  run_apart "$MCUPROF" report --hotspots --by line normal.mprof -e "$ELF"
  assert_complaint 2 'hotspots is a table of its own'
  for option in --inline --clones; do
    hotspots normal.mprof $option
    grep -q -- "^mcuprof: warning: $option changes nothing but tables by function$" err
    for by in address context; do
      run_apart "$MCUPROF" report --by $by $option normal.mprof -e "$ELF"
      [ "$status" -eq 0 ]
      grep -q -- "^mcuprof: warning: $option changes nothing but tables by function$" err
    done
    run_apart "$MCUPROF" report --by address,function $option normal.mprof \
      -e "$ELF"
    [ "$status" -eq 0 ]
    [ ! -s err ]
  done
}

@test "names: --demangle, --path-map, no debug info, no symbols" {
  normal
  hotspots normal.mprof --path-map "$SMALL=/elsewhere" --format csv
  assert_out ',/elsewhere/small\.c,'
  arm-none-eabi-strip -g -o nodebug.elf "$ELF"
  run_apart "$MCUPROF" report --hotspots normal.mprof -e nodebug.elf
  [ "$status" -eq 0 ]
  assert_out '^ +share +at least +block +function +others in the block$' \
    ' work\+0x4 '
  arm-none-eabi-strip -o stripped.elf "$ELF"
  run_apart "$MCUPROF" report --hotspots normal.mprof -e stripped.elf
  [ "$status" -eq 0 ]
  assert_out '67\.97 .* \[unknown\] +-$'
  grep -q 'stripped.elf has no symbols' err
}

@test "the table alone, without samples; no samples in the table" {
  capture alone.mprof <<'PYTHON'
t.hello(start=True, engines=2)
t.hotspots([(pc("work"), 1024, 0)], samples=1)
PYTHON
  for format in table csv json; do
    hotspots alone.mprof --format $format
  done
  [ "$(json '.rows[0].share_percent')" = 100 ]
  [ "$(json '.quality.samples')" -eq 0 ]
  hotspots alone.mprof
  assert_out '^  shares in % of 1 sample \(none ignored'
  capture early.mprof <<'PYTHON'
t.hello(start=True)
t.hotspots([], samples=0, ignored=300)
PYTHON
  for format in csv json table; do
    hotspots early.mprof --format $format
  done
  assert_out 'no samples in the table \(300 ignored\)'
  refute_out '(nan|inf)'
}

@test "when the view was made, as far as that is known" {
  made() { # what comes before the view, what comes behind it
    capture made.mprof <<PYTHON
t.hello(start=True, period=12500)
$1
t.ticks = 10000000
t.hotspots([(pc("work"), 1024, 0)])
t.ticks = 12500000
$2
PYTHON
    hotspots made.mprof
  }
  # At 25 MHz.
  made 't.ticks = 7500000; t.time()' 't.time()'
  assert_out '^  the last of 1 view: as it was 500 ms after mcuprof_init\(\), or up to 200 ms before$'
  # No sample came between: the nominal 2 kHz count.
  assert_out 'weighs half after 8,192 more, about 4\.096 s$'
  made '' 't.time()'
  assert_out '^  the last of 1 view: as it was 500 ms after mcuprof_init\(\), or before$'
  made 't.ticks = 7500000; t.time()' ''
  assert_out '^  the last of 1 view: as it was later than 300 ms after mcuprof_init\(\)$'
  made '' ''
  assert_out '^  the last of 1 view$'
}

@test "quality: what is about the table, and all warnings" {
  normal
  hotspots normal.mprof
  sed -n '/^quality$/,$p' out | cut -c -14 | tr -d ' \n' >labels
  [ "$(cat labels)" = qualityidentityfirmwareunseenhotspots ] ||
    show_and_fail "$(cat labels)"
  hotspots normal.mprof --format csv
  [ "$(sed -n '/^quality$/,$p' err | cut -c -14 | tr -d ' \n')" = \
    "$(cat labels)" ]
  # All of it is in JSON, and in a report of the samples.
  hotspots normal.mprof --format json
  [ "$(json '[.quality.lines[] | select(.about == "samples")] | length')" -eq 1 ]
  run_apart "$MCUPROF" report normal.mprof -e "$ELF"
  assert_out '^  samples +1,000, none lost$' '^  stream ' '^  hot spots '
  # A line that goes on after one that is left out has its label.
  capture warned.mprof <<'PYTHON'
t.hello(start=True)
t.time()
t.sample(pc("work"), count=1000)
t.lose(5)
t.ticks *= 2
t.hotspots([(pc("work"), 1024, 0)])
t.time()
PYTHON
  hotspots warned.mprof
  assert_out '^  samples +1,000; lost 5 on the target' \
    '^  rate +the two differ: is rate_hz the rate of the timer'
  refute_out 'measured|^  (stream|masked|time) '
}

@test "no table, and no whole one" {
  make_capture normal elf="$ELF" >capture.mprof
  run_apart "$MCUPROF" report --hotspots -e "$ELF"
  assert_complaint 1 'capture.mprof has no hot-spot table'
  grep -q 'MCUPROF_HOTSPOTS=1' err
  run_apart "$MCUPROF" report -e "$ELF" --format json
  [ "$(json .quality.hotspot_views)" = null ]
  refute_out 'hot spots'
  capture short.mprof <<'PYTHON'
t.hello(start=True)
t.sample(pc("work"), count=10)
t.time()
PYTHON
  run_apart "$MCUPROF" report --hotspots short.mprof -e "$ELF"
  assert_complaint 1 'no hot-spot table came whole into short.mprof'
  run_apart "$MCUPROF" info short.mprof
  assert_out 'hot spots +0 views; 0 incomplete, 0 not credible, 0 damaged frames'
}

@test "views in parts: only whole ones count, the others are said" {
  capture parts.mprof <<'PYTHON'
rows = [(0x100 * i, 48 - i, 0) for i in range(30)]
t.hello(start=True)
t.hotspots(rows, sequence=1, units=32)
t.hotspots([(0, 60, 0)] + rows[1:], sequence=2, units=32, parts=[0])
t.hotspots([(0x101, 900, 0)], sequence=3, units=32)
t.hotspots([(0x100, 1025, 0)], sequence=4, units=32)
t.hotspots([(0x100, 1, 0)], sequence=5, units=32, used=33)
t.hotspots([(0x100, 1000, 0)], sequence=6, units=32)
t.time()
PYTHON
  hotspots parts.mprof --format json
  [ "$(json '.hotspots | "\(.views) \(.sequence)"')" = "1 1" ]
  [ "$(json '.rows | length')" -eq 30 ]
  [ "$(json '.rows[0] | "\(.block_start) \(.share_percent * 1024 / 100 | round)"')" = \
    "0 48" ]
  [ "$(json '.quality | "\(.hotspot_views) \(.hotspot_views_incomplete)"')" = \
    "1 1" ]
  [ "$(json .quality.hotspot_views_refused)" -eq 1 ]
  [ "$(json .quality.hotspot_frames_refused)" -eq 3 ]
  [ "$(json .quality.damaged_bytes)" -gt 0 ]
  [ "$(json '.quality.lines[] | select(.about == "hot spots") | .warning')" = \
    true ]
  run_apart "$MCUPROF" report --hotspots parts.mprof -e "$ELF" --strict
  [ "$status" -eq 3 ]
  assert_out 'hot spots +1 view .*; 1 incomplete, 1 not'
}

@test "a view that contradicts itself is counted, and never shown" {
  local view
  for view in '[], samples=1' '[(0x100, 1024, 0)], samples=0, ignored=9' \
    '[(0x100, 1023, 0)]' '[(0x100, 600, 0), (0x200, 422, 0)]' \
    '[(0x100, 500, 0), (0x200, 524, 0)]' \
    '[(0x100, 600, 0), (0x104, 424, 0)]'; do
    echo "$view"
    capture first.mprof <<PYTHON
t.hello(start=True)
t.hotspots($view)
t.time()
PYTHON
    run_apart "$MCUPROF" report --hotspots first.mprof -e "$ELF"
    assert_complaint 1 'hot-spot table came into first.mprof, but it is not credible'
    run_apart "$MCUPROF" info first.mprof
    assert_out 'hot spots +0 views; 0 incomplete, 1 not credible, 0 damaged frames'
    capture second.mprof <<PYTHON
t.hello(start=True)
t.hotspots([(0x100, 513, 0), (0x200, 510, 0)], sequence=1)
t.hotspots($view, sequence=2)
t.time()
PYTHON
    hotspots second.mprof --format json
    [ "$(json '.hotspots | "\(.views) \(.sequence)"')" = "1 1" ]
    [ "$(json '.quality | "\(.hotspot_views_incomplete) \(.hotspot_views_refused)"')" \
      = "0 1" ]
  done
  # What no single part may hold.
  capture odd.mprof <<'PYTHON'
t.hello(start=True)
t.hotspots([(0x101, 1024, 0)])
t.time()
PYTHON
  run_apart "$MCUPROF" report --hotspots odd.mprof -e "$ELF"
  assert_complaint 1 'hot-spot table came into odd.mprof, but it is not credible'
}

@test "several segments: the last view, and which it is" {
  capture restarted.mprof <<'PYTHON'
t.hello(start=True)
t.time()
t.sample(pc("work"), count=2000)
t.hotspots([(pc("work"), 1024, 0)], sequence=1)
t.hotspots([(pc("work"), 1024, 0)], sequence=2)
t.time()
first = t.out
t = target(boot=9)
t.hello(start=True)
t.time()
t.sample(pc("other"), count=500)
t.hotspots([(pc("other"), 1024, 0)], sequence=1)
t.time()
t.out = first + t.out
PYTHON
  hotspots restarted.mprof
  assert_out '100\.00 .* other\+0x4 ' \
    'the last of 3 views: as it was 500 ms after mcuprof_init\(\), or up to 500 ms before, in segment 2 of 2$'
  refute_out ' work\+0x4'
}

@test "another build, several builds, --force" {
  capture other.mprof <<'PYTHON'
t = target(value=mprof.crc_value(0xDEADBEEF))
t.hello(start=True)
t.hotspots([(pc("work"), 1024, 0)])
PYTHON
  run_apart "$MCUPROF" report --hotspots other.mprof -e "$ELF"
  assert_complaint 1 'another build'
  hotspots other.mprof --force
  assert_out ' work\+0x4 ' 'MISMATCH'
  normal
  cat normal.mprof other.mprof >mixed.mprof
  run_apart "$MCUPROF" report --hotspots mixed.mprof -e "$ELF"
  assert_complaint 1 'different firmwares'
  hotspots mixed.mprof --force
  assert_out '100\.00 .* work\+0x4 ' 'in segment 2 of 2'
}

@test "info tells of the table" {
  normal
  run_apart "$MCUPROF" info normal.mprof
  assert_out 'hot spots +1 view \(16 units of 32 bytes, half-life 8,192 samples\)' \
    'frames, HOTSPOTS +1$'
}

@test "the demo: blocks are named as its samples, and hold their shares" {
  elf=${FW:-${BUILD:-$ROOT/build}/fw}/examples/demo/demo-hotspots.elf
  "$ROOT/tests/firmware/qemu.sh" mps2-an385 "$elf" demo.mprof
  run_apart "$MCUPROF" report demo.mprof -e "$elf" --by address --format json
  mv out addresses
  ELF=$elf hotspots demo.mprof --format json
  [ "$(json '.quality.lost_target + .quality.lost_line')" -eq 0 ]
  python3 - "$TOOLS" demo.mprof out addresses <<'PYTHON'
import json, sys
sys.path.insert(0, sys.argv[1])
import mprof
capture = open(sys.argv[2], "rb").read()
samples = [s[0] for kind, _, payload in mprof.frames(capture)
           if kind == mprof.SAMPLE for s in mprof.unpack_samples(payload)]
report = json.load(open(sys.argv[3]))
named = {row["address"]: row for row in json.load(open(sys.argv[4]))["rows"]}
view = report["hotspots"]
assert view["samples"] == len(samples), (view, len(samples))
# docs/wire.md: twice the weight a half-life, in sixteenths of it.
weights = {}
for number, pc in enumerate(samples):
    block = pc // view["block_bytes"]
    step = number // (view["half_life_samples"] // 16)
    weights[block] = weights.get(block, 0) + 2 ** (step / 16)
whole = sum(weights.values())
assert len(report["rows"]) == min(16, len(weights)) > 10, len(weights)
for row in report["rows"]:
    share = 100 * weights[row["block_start"] // view["block_bytes"]] / whole
    # Ratios and bounds are in 1/1024, weights on the target in 1/65536.
    assert row["least_percent"] - 0.1 <= share, (row, share)
    assert share <= row["share_percent"] + 0.2, (row, share)
    same = named[row["address"]]
    for key in ("function", "kind", "offset", "file", "line", "module"):
        assert row[key] == same[key], (row, same)
missing = [0] + [share for block, share in weights.items()
           if all(row["block_start"] // view["block_bytes"] != block
                  for row in report["rows"])]
assert 100 * max(missing) / whole <= view["outside_most_percent"] + 0.1
PYTHON
}
