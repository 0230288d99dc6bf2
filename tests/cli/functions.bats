#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
#
# The function table, from frames and from text. Both are made here by
# tests/tools/mfunctions.py; what is expected is worked out by hand from the
# script above, or by Python from the numbers in it.

load common

# Names: t the table; row(), outside(), snapshot(), print() and so on.
capture() { # file; a script on standard input
  python3 "$TOOLS/mfunctions.py" "$1" "$ELF"
}

# 100 million ticks of 25 MHz, all of them told. Reset_Handler calls work and
# other; work is called by SysTick_Handler as well.
rows() {
  cat <<'PYTHON'
t.pair = 100
t.row("Reset_Handler", calls=1, open=1, self=20000000, total=79000000)
t.row("work", calls=50000, self=50000000, total=50000000, min=900, max=2500)
t.row("other", calls=3, self=9000000, total=9000000, min=2000000, max=4000000)
t.row("SysTick_Handler", calls=400, context=15, self=4000000, total=10000000,
      min=20000, max=30001)
t.row("work", calls=400, context=15, self=6000000, min=800, max=16000)
t.row("work", calls=7, context=512, self=7007, min=1000, max=1002)
t.outside(0, 1000000)
t.outside(512, 4762693)
t.counts["hooks"] = 149200
t.wall = 100000000
PYTHON
}

frames() { # file, what to do behind the rows
  {
    echo 't.hello(start=True); t.context(512, "control"); t.time()'
    rows
    echo "${2:-t.snapshot()}; t.time(ticks=t.wall)"
  } | capture "$1"
}

text() { # file, print()'s options
  {
    echo 't.names = {512: "control"}'
    rows
    echo "t.text('boot: all is well\n'); t.print(${2:-}); t.text('idle\n')"
  } | capture "$1"
}

report() { # options...
  run_apart "$MCUPROF" report "$@" -e "$ELF"
  [ "$status" -eq 0 ] || show_and_fail "exit status $status"
}

# The lines of standard output above the notes are those of standard input.
assert_rows() {
  sed '/^$/,$d' out >seen
  diff -u - seen
}

# Where the declaration of a function stands.
line() { # function
  line_of small.c "^void $1(void)\$"
}

@test "a row a function; self, total and the rest add up to the clock" {
  frames run.mprof
  report run.mprof --unit cycles
  assert_rows <<TEXT
     address   calls        self       total     average        min        max  share  file:line   function
  $(address_of work)  50,407  56,007,007  56,007,007       1,111        800     16,000  56.01  small.c:$(line work)  work
  $(address_of Reset_Handler)       1  20,000,000  79,000,000  79,000,000          -          -  20.00  small.c:$(line Reset_Handler)  Reset_Handler
  $(address_of other)       3   9,000,000   9,000,000   3,000,000  2,000,000  4,000,000   9.00  small.c:$(line other)  other
           -       -   5,230,300           -           -          -          -   5.23  -           [hooks]
           -       -   4,762,693           -           -          -          -   4.76  -           [outside] control (512)
  $(address_of SysTick_Handler)     400   4,000,000  10,000,000      25,000     20,000     30,001   4.00  small.c:$(line SysTick_Handler)  SysTick_Handler
           -       -   1,000,000           -           -          -          -   1.00  -           [outside] thread
TEXT
  assert_out \
    '^  self 89,007,007 \+ outside 5,762,693 \+ hooks 5,230,300 = 100,000,000 of 100,000,000 cycles by the clock: 0.00 % apart$' \
    '^  times without what the hooks of calls took \(compensated\): 100 cycles a call, 149,200 off' \
    '^  the last of 1 snapshot: 100,000,000 cycles from its start or reset on$' \
    '^  time  *4 s in 1 segment$' '^ +4 s in the function table$' \
    '^  functions  *1 snapshot \(64 slots\); 0 incomplete, 0 not credible, 0 damaged frames$' \
    '^ +every call found a slot, a place on the stack and a context$' \
    '^ +1 call not left: '
  refute_out 'DOES NOT|no samples|share.*\+/-'
  [ ! -s err ]
}

@test "by context: a function in thread and interrupt is two rows" {
  frames run.mprof
  report run.mprof --by context --unit cycles -n 0
  assert_rows <<TEXT
     address   calls        self       total     average        min        max  share  context        file:line   function
  $(address_of work)  50,000  50,000,000  50,000,000       1,000        900      2,500  50.00  thread         small.c:$(line work)  work
  $(address_of Reset_Handler)       1  20,000,000  79,000,000  79,000,000          -          -  20.00  thread         small.c:$(line Reset_Handler)  Reset_Handler
  $(address_of other)       3   9,000,000   9,000,000   3,000,000  2,000,000  4,000,000   9.00  thread         small.c:$(line other)  other
  $(address_of work)     400   6,000,000   6,000,000      15,000        800     16,000   6.00  SysTick (15)   small.c:$(line work)  work
           -       -   5,230,300           -           -          -          -   5.23  -              -           [hooks]
           -       -   4,762,693           -           -          -          -   4.76  control (512)  -           [outside]
  $(address_of SysTick_Handler)     400   4,000,000  10,000,000      25,000     20,000     30,001   4.00  SysTick (15)   small.c:$(line SysTick_Handler)  SysTick_Handler
           -       -   1,000,000           -           -          -          -   1.00  thread         -           [outside]
  $(address_of work)       7       7,007       7,007       1,001      1,000      1,002   0.01  control (512)  small.c:$(line work)  work
TEXT
}

@test "units: one that fits, the one asked for, another rate" {
  frames run.mprof
  report run.mprof
  # The longest is 3.16 s in all, and 160 ms a call.
  assert_out '^ +address +calls +self ms +total ms +average ms +min ms +max ms' \
    '  3  +360.000 +360.000 +120.000 +80.000 +160.000 +9.00 .*  other$' \
    'outside 230.508 \+ hooks 209.212 = 4,000.000 of 4,000.000 ms by'
  report run.mprof --unit us
  assert_out 'self us .* max us' \
    '  400 +160,000.000 +400,000.000 +1,000.000 +800.000 +1,200.040 '
  report run.mprof --unit s
  assert_out 'self s .* max s' '  50,407 +2.240 +2.240 +0.000 +0.000 +0.001 '
  report run.mprof --unit s --clock 1000000
  assert_out '  50,407 +56.007 +56.007 +0.001 ' \
    '^ +its rate is what --clock says, not what the firmware does$' \
    '^ +100 s in the function table$'
  report run.mprof --clock 1000000
  assert_out 'self s +total s +average ms +min ms' # 79 s, 4 s a call
  # Where the rate is not known all is in cycles.
  { echo 't.settings["hz"] = 0'; rows; echo 't.print()'; } | capture run.log
  report run.log --unit ms
  assert_out '^ +address +calls +self +total +average' ' 56,007,007 '
}

# A program gets what was counted, to the last digit.
check_against_script() { # csv or json
  python3 - "$1" "$TOOLS" "$ELF" 3<<<"$(rows)" <<'PYTHON'
import csv, json, os, sys
sys.path.insert(0, sys.argv[2])
import mfunctions, mprof
t = mfunctions.Table(mprof.elf_facts(sys.argv[3])["symbols"])
exec(os.fdopen(3).read())
with open("out") as file:
    if sys.argv[1] == "csv":
        seen = list(csv.DictReader(file))
    else:
        seen = json.load(file)["rows"]
def number(value):
    return None if value in ("", None) else int(value, 0) if isinstance(
        value, str) else value
keys = ["calls", "open", "self_ticks", "total_ticks", "min_ticks", "max_ticks"]
got = {}
for row in seen:
    got[row["kind"], number(row["address"]), number(row["context_id"])] = row
for kind, n in t.rows:
    if kind == 0:
        row = got.pop(("function", n[0], n[1]))
        expected = n[2:6] + (n[6:8] if n[2] > n[3] else [None, None])
        assert [number(row[key]) for key in keys] == expected, (row, n)
        assert number(row["average_ticks"]) == n[5] // n[2]
        us = {"self_us": n[4], "total_us": n[5]}
        for key, ticks in us.items():
            assert abs(float(row[key]) - ticks / 25) < 0.06, (key, row)
        own = n[4]
    else:
        row = got.pop(("outside", None, n[0]))
        assert number(row["self_ticks"]) == n[1] and row["calls"] in ("", None)
        own = n[1]
    assert abs(float(row["share_percent"]) - own / 1e6) < 1e-4, row
row = got.pop(("hooks", None, None))
assert number(row["self_ticks"]) == 149200 + 100 * 50811
assert not got, got
assert sum(number(r["self_ticks"]) for r in seen) == 100000000
PYTHON
}

@test "csv and json: every number of every row" {
  frames run.mprof
  report run.mprof --by context --format csv
  check_against_script csv
  grep -q '^quality' err
  mv out frames.csv
  report run.mprof --by context --format json
  check_against_script json
  [ "$(json .schema)" = mcuprof-report ]
  [ "$(json .schema_version)" -eq 1 ]
  [ "$(json .by)" = calls ]
  [ "$(json '.function_table | [.self_ticks, .outside_ticks, .hooks_ticks,
    .no_slot_ticks, .sum_ticks, .wall_ticks, .snapshots, .pair_ticks] |
    join(" ")')" = "89007007 5762693 5230300 0 100000000 100000000 1 100" ]
  [ "$(json .function_table.compensated)" = true ]
  [ "$(json .quality.function_table.open)" -eq 1 ]
  [ "$(json .quality.function_table.clock_agrees)" = null ]
  # A function without its contexts is all of them together.
  report run.mprof --format json
  [ "$(json '.rows[] | select(.function == "work") | [.calls, .self_ticks,
    .min_ticks, .max_ticks] | join(" ")')" = "50407 56007007 800 16000" ]
}

@test "text in a log says the same as frames" {
  frames run.mprof
  text run.log
  text crlf.log 'end="\r\n", change=lambda ls: ["[12.3] app: " + l for l in ls]'
  for log in run.log crlf.log; do
    for by in function context; do
      report run.mprof --by $by --format csv
      mv out frames.csv
      report "$log" --by $by --format csv
      cmp out frames.csv
    done
    report "$log"
    assert_out '^  identity  *the ELF matches' \
      '^  time  *4 s in the function table$' \
      '^  stream  *[0-9,]* bytes: [0-9,]* of text, 0 of something else; no frames$' \
      '^  functions  *1 snapshot \(64 slots\), 1 of them as text;'
    refute_out 'segment|sampl|hot spots|missing'
  done
  run_apart "$MCUPROF" report - -e "$ELF" --format csv <run.log
  [ "$status" -eq 0 ]
  run_apart "$MCUPROF" info run.log
  [ "$status" -eq 0 ]
  assert_out '^  functions  *1 snapshot' '^  context 512  *control \(512\)$'
}

@test "torn text: told, exit 1 if nothing is left, 3 with --strict" {
  text whole.log
  text torn.log 'change=lambda ls: [l.replace("50407", "50507").replace(
    "50000 ", "50 000 ") for l in ls]'
  run_apart "$MCUPROF" report torn.log -e "$ELF"
  assert_complaint 1 'no function table came whole into torn.log'
  cat torn.log whole.log >both.log
  report both.log
  assert_out '^  functions  *1 snapshot .*; 1 incomplete'
  run_apart "$MCUPROF" report both.log -e "$ELF" --strict
  [ "$status" -eq 3 ]
  run_apart "$MCUPROF" report whole.log -e "$ELF" --strict
  [ "$status" -eq 0 ]
}

@test "every --sort, and -n; rows in brackets stay" {
  frames run.mprof
  for key in self total average min max calls share samples; do
    report run.mprof --by context --sort $key --format csv
    python3 - $key <<'PYTHON'
import csv, sys
key = {"calls": "calls", "share": "share_percent",
       "samples": "self_ticks"}.get(sys.argv[1], sys.argv[1] + "_ticks")
with open("out") as file:
    values = [float(row[key] or 0) for row in csv.DictReader(file)]
assert len(values) == 9
assert values == sorted(values, reverse=True), values
PYTHON
  done
  report run.mprof --sort name --format csv
  [ "$(tail -n +2 out | head -n 3 | cut -d, -f21 | tr '\n' ' ')" = \
    "Reset_Handler SysTick_Handler [hooks] " ]
  report run.mprof --sort address --format csv
  [ "$(sed -n 2p out | cut -d, -f1)" = "$(address_of SysTick_Handler)" ]
  report run.mprof -n 1 --sort calls
  [ "$(grep -c '  \[' out)" -eq 3 ]
  assert_out '  work$' '^  3 more functions, 33.00 % together'
  refute_out '  other$'
}

@test "samples and table: each under its title; csv holds one of them" {
  make_capture normal elf="$ELF" >samples.mprof
  {
    echo 'sampled = open("samples.mprof", "rb").read()'
    rows
    echo 't.seq = max(s for k, s, p in mprof.frames(sampled)) + 1'
    echo 't.snapshot(); t.out = sampled + t.out'
  } | capture both.mprof
  report both.mprof
  [ "$(grep -nE '^(samples|function table|quality)$' out | cut -d: -f2 |
    tr '\n' ' ')" = "samples function table quality " ]
  assert_out '^  shares in % of 1,000 samples' '^  self 3,560'
  report both.mprof --format csv
  head -n 1 out | grep -q '^share_percent,low_percent'
  report both.mprof --functions --format csv
  head -n 1 out | grep -q '^address,calls,open,self_us'
  report both.mprof --functions
  refute_out '^samples$|shares in % of'
  # Other tables are of samples alone.
  report both.mprof --by line
  refute_out '^function table$|^  self'
}

@test "snapshots: the last whole one; periods are summed" {
  {
    echo 't.hello(start=True); t.time()'
    rows
    cat <<'PYTHON'
t.snapshot()
t.time(ticks=t.wall)
t.clear()                       # mcuprof_functions_reset()
t.row("work", calls=10, self=10000, min=700, max=20000)
t.outside(0, 38800)
t.snapshot()
t.time(ticks=100000000 + 50000)
t.row("other", calls=1, self=10)
t.snapshot(most=40, parts=[0])
t.time()
PYTHON
  } | capture run.mprof
  report run.mprof --unit cycles
  assert_out '  50,417 +56,017,007 .* 700 +20,000 .*  work$' \
    '^  the last of 2 snapshots, and the last before each of 1 starts or resets' \
    '100,049,800 of 100,049,800 cycles' \
    '^  functions  *2 snapshots .*; 1 incomplete'
}

@test "what could not be counted is said" {
  frames run.mprof 't.counts.update(hooks=149200, unwound=5, unmatched=1,
    deep=3, no_slot=12, no_context=2, tries=9)
t.no_slot(0, 11, 1000); t.no_slot(15, 1, 50); t.flags = 2; t.snapshot()'
  report run.mprof --unit cycles
  assert_out '  12 +1,050 +- .*  \[no slot\]$' \
    '\+ no slot 1,050 \+ ' \
    '^ +12 calls of functions that found no slot: ' \
    '^ +3 calls deeper than the stack of the table: ' \
    '^ +1 exit of what had not been entered, ignored$' \
    '^ +2 events of contexts too many, ignored$' \
    '^ +5 calls left by no exit of their own ' \
    '^ +9 events tried again, ' \
    '^ +rows are not of one moment: '
  refute_out 'every call found'
  report run.mprof --format json
  [ "$(json '.quality.function_table | [.unwound, .unmatched, .deep, .no_slot,
    .no_context, .tries, .of_one_moment] | join(" ")')" = \
    "5 1 3 12 2 9 false" ]
  [ "$(json '[.quality.lines[] | select(.about == "functions" and .warning)] |
    length')" -eq 5 ]
  report run.mprof --by context --format csv
  [ "$(grep -c 'no_slot' out)" -eq 2 ]
}

@test "parts that do not add up, and a clock that another contradicts" {
  frames run.mprof 't.wall = 102000000; t.snapshot()'
  report run.mprof
  assert_out '^  self .* ms by the clock: 1.96 %: DOES NOT ADD UP$' \
    '^ +its parts and its time by the clock are 1.96 % apart$'
  run_apart "$MCUPROF" report run.mprof -e "$ELF" --strict
  [ "$status" -eq 3 ]
  frames run.mprof 't.wall = 100400000; t.snapshot()'
  run_apart "$MCUPROF" report run.mprof -e "$ELF" --strict
  [ "$status" -eq 0 ]
  report run.mprof
  assert_out '^  self .*: 0.40 % apart$'
  {
    echo 't.hello(start=True)'
    rows
    cat <<'PYTHON'
t.wall = 1000000; t.time(ticks=5000); t.snapshot(); t.time(ticks=1005000)
t.wall = 100000000; t.time(ticks=103000000); t.snapshot()
t.time(ticks=104000000)
PYTHON
  } | capture clock.mprof
  report clock.mprof
  # 99 of 25 million a second, where TIMEs are 101.995 to 104 - 0.005 apart.
  assert_out 'its clock contradicts the stream.s: from its first snapshot to its' \
    '^ +3.96 s, the stream 4.08 s at least and 4.16 s at most$'
  report clock.mprof --format json
  [ "$(json .quality.function_table.clock_agrees)" = false ]
}

@test "only the table: nothing is said of other engines" {
  # A firmware that samples and has a hot-spot table, too.
  { echo 't.settings["engines"] = 15'; rows; echo 't.print()'; } |
    capture run.log
  report run.log
  refute_out 'sampl|hot spots|missing'
  make_capture normal elf="$ELF" >samples.mprof
  {
    echo 'sampled = open("samples.mprof", "rb").read()'
    rows
    echo 't.seq = max(s for k, s, p in mprof.frames(sampled)) + 1'
    echo 't.snapshot(); t.out = sampled + t.out'
  } | capture both.mprof
  report both.mprof --functions
  assert_out '^  stream .*frames: 0 missing' '^  clock '
  refute_out '^  (samples|missed|unresolved|rate|masked|unseen|own share|hot)'
  # A program gets them all the same.
  report both.mprof --functions --format json
  [ "$(json .quality.samples)" -eq 1000 ]
  # A clock that was set to another rate concerns the table.
  {
    echo 't.hello(start=True); t.time()'
    rows
    echo 't.snapshot(); t.hello(hz=16000000); t.time(ticks=t.wall)'
  } | capture clock.mprof
  report clock.mprof
  assert_out '^ +the clock changed within the capture: its times are in terms'
}

@test "a clock of fewer bits: what it may miss" {
  { echo 't.settings.update(hz=16000000, bits=24)'; rows; echo 't.print()'; } |
    capture run.log
  report run.log
  # Seven eighths of 2^24 / 16 MHz, 917,504 us.
  assert_out '^ +its clock has 24 bits: where nothing looked at it for 917.5 ms or'
  run_apart "$MCUPROF" report run.log -e "$ELF" --strict
  [ "$status" -eq 0 ]
  # It counts down.
  { echo 't.settings.update(hz=0, bits=0x98)'; rows; echo 't.print()'; } |
    capture run.log
  report run.log
  assert_out '^ +its clock has 24 bits: .* for 14,680,064 ticks'
  # A sampler looks at it; so wide a one need not be looked at.
  { echo 't.settings.update(engines=9, bits=24)'; rows; echo 't.print()'; } |
    capture run.log
  report run.log
  refute_out 'looked at it'
  text run.log
  report run.log
  refute_out 'looked at it'
}

@test "the last snapshot of a period was not sent: said" {
  frames run.mprof 't.flags = 20; t.snapshot()'
  report run.mprof
  assert_out "^ +a period's last snapshot was not sent, and calls are missing: "
  report run.mprof --format json
  [ "$(json .quality.function_table.periods_whole)" = false ]
  frames run.mprof
  report run.mprof
  refute_out 'was not sent'
  report run.mprof --format json
  [ "$(json .quality.function_table.periods_whole)" = true ]
}

@test "--strict fails whatever the table could not count or is not sure of" {
  local change
  for change in 't.counts["no_slot"] = 1; t.no_slot(0, 1, 0)' \
    't.counts["deep"] = 1' 't.counts["unmatched"] = 1' \
    't.counts["no_context"] = 1' 't.flags = 2' 't.flags = 8' 't.flags = 16' \
    't.wall = 102000000'; do
    frames run.mprof "$change; t.snapshot()"
    run_apart "$MCUPROF" report run.mprof -e "$ELF" --strict
    [ "$status" -eq 3 ] || show_and_fail "$change: exit status $status"
  done
  frames run.mprof
  run_apart "$MCUPROF" report run.mprof -e "$ELF" --strict
  [ "$status" -eq 0 ]
}

# 10 s by the second clock, in which the first one counts 4 s: it stands still
# between the snapshots for 1 s, and behind them for 5 s.
sleeps() { # file; Hz of the second clock
  {
    echo "t.settings['second_hz'] = $2"
    cat <<'PYTHON'
t.hello(start=True)
t.time(ticks=0)
t.row("work", calls=10, self=15000000, total=15000000)
t.outside(0, 10000000)
t.second = 32768
t.time(ticks=25000000)
t.snapshot()
t.time(ticks=25000000)
t.clear()
t.row("work", calls=20, self=30000000, total=30000000)
t.outside(0, 70000000)
t.second = 5 * 32768
t.time(ticks=100000000)
t.snapshot()
t.time(ticks=100000000)
t.second = 10 * 32768
t.time(ticks=100000000)
PYTHON
  } | capture "$1"
}

@test "a clock that stops in sleep: the stop is said, and is in no row" {
  sleeps run.mprof 32768
  report run.mprof --unit ms
  assert_out '  20 +1,200.000 +1,200.000 +60.000 ' \
    '  2,800.000 .*  \[outside\] thread$' \
    '^  self 1,200.000 \+ outside 2,800.000 \+ hooks 0.000 = 4,000.000 of 4,000' \
    '^  time +10 s in 1 segment$' '^ +4 s in the function table$' \
    '^  sleep +the clock stood still for 6 s, says the second clock: no time of ' \
    "^ +its clock agrees with the stream's: "
  refute_out 'DOES NOT|never stood still'
  report run.mprof --format json
  [ "$(json '.quality | [.wall_seconds, .function_table_seconds,
    .clock_stopped_seconds, .function_table.clock_agrees] |
    map(tostring) | join(" ")')" = "10 4 6 true" ]
  run_apart "$MCUPROF" report run.mprof -e "$ELF" --strict
  [ "$status" -eq 0 ]
  # Nothing is known of it where there is no other.
  sleeps blind.mprof 0
  report blind.mprof
  assert_out '^  time +4 s in 1 segment$' \
    '^  sleep +time in which the clock stood still is not counted: '
  refute_out 'stood still for'
  report blind.mprof --format json
  [ "$(json .quality.clock_stopped_seconds)" = null ]
}

@test "raw times are said to be raw" {
  frames run.mprof 't.pair = 0; t.flags = 1; t.counts["hooks"] = 0
t.outside(15, 5230300); t.snapshot()'
  report run.mprof --unit cycles
  assert_out '^  times as they were measured \(raw\)' \
    '\+ hooks 0 = 100,000,000 of 100,000,000 cycles'
  refute_out '\[hooks\]|compensated'
}

@test "addresses that the ELF does not have, and clones" {
  capture run.mprof <<'PYTHON'
t.hello(start=True)
t.row(0x30000000, calls=2, self=600)
t.row(0x30000010, calls=1, self=300)
t.row("work", calls=1, self=100)
t.snapshot()
PYTHON
  report run.mprof --unit cycles
  assert_out '^  0x30000000 +2 +600 .*  -  +\[unknown\]$' \
    '^  0x30000010 +1 +300 .*\[unknown\]$'
  cat >clones.s <<'ASM'
.syntax unified
.thumb
.text
.irp name, _start, "crc", "crc.constprop.0", "crc.isra.0"
.global "\name"
.type "\name", %function
.thumb_func
"\name": nop
bx lr
.size "\name", 4
.endr
ASM
  build_linked clones.elf clones.s
  python3 "$TOOLS/mfunctions.py" clones.mprof - <<'PYTHON'
t.hello(start=True)
for i in range(4):
    t.row(0x8000 + 4 * i, calls=1 + i, self=100 * (i + 1), min=9 - i, max=50)
t.snapshot()
PYTHON
  ELF=clones.elf
  report clones.mprof --format csv
  [ "$(cut -d, -f1,2,9,12,21 out | tail -n +2)" = \
    "0x00008004,9,900,6,crc
0x00008000,1,100,9,_start" ]
  report clones.mprof --format csv --clones
  [ "$(cut -d, -f21 out | tail -n +2 | tr '\n' ' ')" = \
    "crc.isra.0 crc.constprop.0 crc _start " ]
}

@test "no table, another build, mixed builds, wrong options" {
  make_capture normal elf="$ELF" >samples.mprof
  run_apart "$MCUPROF" report samples.mprof -e "$ELF" --functions
  assert_complaint 1 'samples.mprof has no function table'
  echo 't.hello(start=True); t.time(); t.time(ticks=5000)' | capture none.mprof
  run_apart "$MCUPROF" report none.mprof -e "$ELF" --functions
  assert_complaint 1 "none.mprof has nothing of the firmware's function table"
  grep -q 'call mcuprof_functions_start()' err
  report none.mprof
  assert_out '^  functions  *no snapshot: mcuprof_functions_start\(\) was not'
  refute_out '0 snapshots'
  frames part.mprof 't.snapshot(most=60, parts=[1])'
  run_apart "$MCUPROF" report part.mprof -e "$ELF" --functions
  assert_complaint 1 'no function table came whole into part.mprof'
  frames twice.mprof 't.row("work", self=1); t.snapshot()'
  run_apart "$MCUPROF" report twice.mprof -e "$ELF" --functions
  assert_complaint 1 'but it is not credible'
  build_elf other.elf -DVARIANT=2
  frames run.mprof
  run_apart "$MCUPROF" report run.mprof -e other.elf
  assert_complaint 1 'another build'
  text run.log
  run_apart "$MCUPROF" report run.log -e other.elf
  assert_complaint 1 'another build'
  run_apart "$MCUPROF" report run.log -e other.elf --force
  [ "$status" -eq 0 ]
  ELF=other.elf text other.log
  cat run.log other.log >mixed.log
  run_apart "$MCUPROF" report mixed.log -e "$ELF"
  assert_complaint 1 'different firmwares'
  run_apart "$MCUPROF" report run.log -e "$ELF" --functions --hotspots
  assert_complaint 2 'two tables'
  run_apart "$MCUPROF" report run.log -e "$ELF" --functions --by line
  assert_complaint 2 'is by function'
  run_apart "$MCUPROF" report run.log -e "$ELF" --clock 5000000000
  assert_complaint 2 'no clock'
  run_apart "$MCUPROF" report run.log -e "$ELF" --unit minutes
  assert_complaint 2 'unit cannot be'
}

# Two tables of one work each, printed into one log; what the HELLO of the
# second one changes is Python. No identity is computed yet.
two_tables() { # file, changes
  capture "$1" <<PYTHON
t.settings["value"] = b""
t.row("work", calls=7, self=700)
t.print()
t.clear()
t.settings.update($2)
t.row("work", calls=10, self=5000)
t.print()
PYTHON
}

# Three functions of a firmware whose identity was not computed; so many of them
# begin an instruction behind those of the ELF.
strangers() { # file, how many of three
  capture "$1" <<PYTHON
t.settings["value"] = b""
for i, name in enumerate(("work", "other", "Reset_Handler")):
    t.row(f[name] + 2 * (i < $2), calls=1 + i, self=100)
    t.row(f[name] + 2 * (i < $2), context=15, calls=1 + i, self=100)
t.$3
PYTHON
}

@test "another build without an identity: by where functions begin" {
  local how
  for how in 'print()' 'hello(); t.snapshot()'; do
    strangers run.log 0 "$how"
    report run.log
    refute_out 'do not begin'
    strangers run.log 1 "$how"
    report run.log
    assert_out '^ +1 of 3 functions do not begin where the ELF has functions'
    report run.log --format json
    [ "$(json .quality.functions_not_in_elf)" -eq 1 ]
    strangers run.log 2 "$how"
    run_apart "$MCUPROF" report run.log -e "$ELF"
    assert_complaint 1 'another build: 2 of 3 functions in the table do not begin'
    report run.log --force
    assert_out '^ +2 of 3 functions do not begin'
  done
  # Without names there is nothing to compare.
  arm-none-eabi-strip -o bare.elf "$ELF"
  run_apart "$MCUPROF" report run.log -e bare.elf --by context
  [ "$status" -eq 0 ] || show_and_fail "stripped"
  refute_out 'do not begin'
}

@test "text of two builds: refused, or the last one's alone; never summed" {
  local change
  for change in 'cpuid=0x410cc601' 'hz=16000000' 'clock=2' 'bits=24' \
    'length=settings["length"] + 64'; do
    two_tables two.log "$change"
    run_apart "$MCUPROF" report two.log -e "$ELF"
    assert_complaint 1 'two.log holds function tables of different firmwares'
    run_apart "$MCUPROF" report two.log -e "$ELF" --force --unit cycles
    [ "$status" -eq 0 ] || show_and_fail "$change: exit status $status"
    assert_out '^  0x[0-9a-f]* +10 +5,000 .*  work$' \
      '^ +1 snapshot of another firmware left out: ' \
      '^  the last of 1 snapshot'
    run_apart "$MCUPROF" report two.log -e "$ELF" --force --strict
    [ "$status" -eq 3 ]
  done
  # Another boot of the same one is summed.
  two_tables two.log 'boot=77'
  report two.log --unit cycles
  assert_out '^  0x[0-9a-f]* +17 +5,700 .*  work$'
  refute_out 'left out'
  # So is one whose identity was not computed yet.
  two_tables two.log 'boot=77, value=settings["value"]'
  report two.log --unit cycles
  assert_out '^  0x[0-9a-f]* +17 +5,700 .*  work$'
  # Those of two identities are not.
  build_elf other.elf -DVARIANT=2
  text run.log
  ELF=other.elf text other.log
  cat other.log run.log >mixed.log
  run_apart "$MCUPROF" report mixed.log -e "$ELF" --force
  [ "$status" -eq 0 ]
  assert_out '^  the last of 1 snapshot' '1 snapshot of another firmware'
}

@test "numbers at their limits" {
  capture run.mprof <<'PYTHON'
t.hello(start=True, hz=1)
t.row("work", calls=2**62, self=2**62, total=2**63 - 1, min=0, max=2**63 - 1)
t.row(0xfffffffe, calls=1, context=65535, open=1, self=1)
t.row("other", calls=0, self=0)
t.no_slot(511, 2**61, 0)
t.wall = 2**60
t.snapshot()
t.wall = 0
t.snapshot()
PYTHON
  for unit in auto cycles us s; do
    for by in function context; do
      report run.mprof --unit $unit --by $by
      assert_out 'DOES NOT ADD UP' '\[unknown\]'
    done
  done
  report run.mprof --by context
  assert_out '  0xfffffffe .*  \[context not known\]  '
  report run.mprof --unit us
  assert_out '  92233720368547758[0-9]{8} '
  report run.mprof --format csv --by context
  grep -q "^$(address_of work),9223372036854775807,0,.*,9223372036854775807,1," out
  grep -q '^0xfffffffe,2,2,' out
  grep -q "^$(address_of other),0,0,0.000,0.000,,,,0,0,,,,0.0000,thread," out
  report run.mprof --format json --sort average
  # jq's numbers are not as wide.
  grep -q '"total_ticks": 9223372036854775807,' out
}

# 100 calls of work of 1 to 100 us, the last of them in other; one more is
# interrupted, one is not left.
traced() { # file
  python3 "$TOOLS/mtrace.py" "$1" "$ELF" <<'PYTHON'
import mfunctions
t.settings["engines"] = 12
t.hello(start=True)
t.time()
now = 1000
t.to(now).switch(0).enter("Reset_Handler")
for i in range(1, 101):
    length = i * 37 % 101          # each from 1 to 100 once
    now += 10
    if length == 100:
        t.to(now).enter("other")
    t.to(now).enter("work").to(now + length).leave("work")
    now += length
    if length == 100:
        worst = now - 100
        t.to(now).leave("other")
now += 10
t.to(now).enter("work").to(now + 20).switch(15).enter("SysTick_Handler")
t.to(now + 520).leave("SysTick_Handler").switch(0)
t.to(now + 530).leave("work").to(now + 540).enter("work")
t.to(now + 99999).mark(1, 2)
t.flush()
table = mfunctions.Table(functions=t.functions, hz=1000000)
table.row("Reset_Handler", calls=1, open=1, self=100, total=200000)
table.row("work", calls=102, open=1, self=5000, total=5200, min=1, max=100)
table.row("SysTick_Handler", calls=1, context=15, self=500)
table.sequence = 1
for payload in table.frames():
    t.send(mfunctions.FUNCTIONS, payload)
t.time()
with open("worst", "w") as file:
    file.write(str(worst))
PYTHON
}

@test "with the calls themselves: percentiles, the longest and its path" {
  traced run.mprof
  report run.mprof --unit cycles
  # 101 calls were left: 1 to 100, and 30 us without the interrupt's 500.
  assert_out 'average +min +max +p50 +p95 +p99 +share' \
    ' 102 +5,000 +5,200 +50 +1 +100 +50 +95 +99 +[0-9.]+ .*  work$' \
    "^    100 cycles at $(sed 's/...$/,&/' worst).000 us: Reset_Handler;other;work, of 101 calls$" \
    '^    500 cycles at .*: SysTick_Handler, of 1 call$'
  report run.mprof --by context --format csv
  python3 - "$(cat worst)" <<'PYTHON'
import csv, sys
with open("out") as file:
    rows = {r["function"]: r for r in csv.DictReader(file)}
calls = sorted([30] + list(range(1, 101)))
rank = lambda p: calls[-(-p * len(calls) // 100) - 1]
work = rows["work"]
assert work["traced_calls"] == "101"
for p in 50, 95, 99:
    assert int(work[f"p{p}_ticks"]) == rank(p), (p, work)
    assert float(work[f"p{p}_us"]) == rank(p)
assert work["worst_ticks"] == "100" and work["worst_us"] == "100.000"
assert float(work["worst_at_us"]) == float(sys.argv[1])
assert work["worst_path"] == "Reset_Handler;other;work"
assert rows["SysTick_Handler"]["worst_path"] == "SysTick_Handler"
assert rows["Reset_Handler"]["p50_ticks"] == ""
PYTHON
  # 101 of work, one each of other and SysTick_Handler, whatever rows are shown.
  report run.mprof -n 1
  assert_out '^  p50, p95 and p99 are of the last 103 finished calls, as the call ring has' \
    '^  of every call, so that min and max need not lie around them; the longest'
  # Without a ring there is nothing to say of single calls.
  frames run.mprof
  report run.mprof --format csv
  head -n 1 out >columns
  refute_grep 'p50\|worst' columns
}
