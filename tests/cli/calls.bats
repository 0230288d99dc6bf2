#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
#
# `calls` and, where both say the same, `tree`. Captures are made here by
# tests/tools/mtrace.py; times are worked out by hand from the script above.

load common

# Names: t the ring, ring(...) a new one, to(), enter(), leave() and so on.
capture() { # file; a script on standard input
  python3 "$TOOLS/mtrace.py" "$1" "$ELF"
}

# Reset_Handler calls work, which is interrupted, twice, and other.
normal() {
  capture normal.mprof <<'PYTHON'
t.hello(start=True)
t.time()
t.to(100).switch(0).enter("Reset_Handler")
t.to(200).enter("work").to(300).enter("other")
t.to(350).switch(15).enter("SysTick_Handler")
t.to(360).enter("work").to(400).leave("work").to(450).leave("SysTick_Handler")
t.to(500).switch(0).leave("other").to(600).mark(7, 4096).to(700).leave("work")
t.to(800).enter("work").to(900).leave("work")
t.to(1500).leave("Reset_Handler")
t.time()
PYTHON
}

calls() { # options...
  run_apart "$MCUPROF" calls "$@" -e "$ELF"
  [ "$status" -eq 0 ] || show_and_fail "exit status $status"
}

# The lines of standard output above the notes are those of standard input.
assert_lines() {
  sed '/^  times since/,$d' out >seen
  diff -u - seen
}

@test "lanes with braces, durations without the interrupt, a leaf in one line" {
  normal
  calls normal.mprof
  assert_lines <<'TEXT'
thread: 4 calls
         at us    duration us
       100.000                 Reset_Handler() {
       200.000                   work() {
       300.000                     other() {
       350.000                       -- SysTick (15) for 100.000 us --
       500.000        100.000      } /* other */
       600.000                     -- mark 7 = 4096 (0x1000) --
       700.000        400.000    } /* work */
       800.000        100.000    work();
     1,500.000      1,300.000  } /* Reset_Handler */

SysTick (15): 2 calls
         at us    duration us
       350.000                 SysTick_Handler() {
       360.000         40.000    work();
       450.000        100.000  } /* SysTick_Handler */

TEXT
  assert_out '^  times since mcuprof_init\(\)' \
    '^  calls +6 in 2 contexts, 1 mark$' '^  lost +no records$' \
    '^  mended +no calls$' '^  hooks +what a call costs was not measured'
  refute_out 'left out'
  [ ! -s err ]
}

@test "plain: a line an event, contexts interleaved, in cycles" {
  normal
  calls normal.mprof --style plain --unit cycles
  diff -u - out <<'TEXT'
[thread] > Reset_Handler @ 100
[thread] > work @ 200
[thread] > other @ 300
[SysTick (15)] > SysTick_Handler @ 350
[SysTick (15)] > work @ 360
[SysTick (15)] < work @ 400
[SysTick (15)] < SysTick_Handler @ 450
[thread] < other @ 500
[thread] - mark 7 = 4096 (0x1000) @ 600
[thread] < work @ 700
[thread] > work @ 800
[thread] < work @ 900
[thread] < Reset_Handler @ 1,500
TEXT
}

@test "--context, by number, by name, by pattern; one that is not there" {
  normal
  for which in 15 SysTick 'SysTick (15)' 'Sys*'; do
    calls normal.mprof --context "$which"
    [ "$(grep -c '^[^ ].*calls$' out)" -eq 1 ]
    assert_out '^SysTick \(15\): 2 calls$'
    [ ! -s err ]
  done
  calls normal.mprof --context thread --context 15 --style plain
  [ "$(wc -l <out)" -eq 13 ]
  calls normal.mprof --context nobody
  grep -q "no context is called 'nobody'" err
}

@test "--function and --depth: what was asked for and so many levels below" {
  normal
  calls normal.mprof --function 'w*k' --depth 2
  assert_lines <<'TEXT'
thread: 4 calls
         at us    duration us
       200.000                 work() {
       300.000                   other() {
       350.000                     -- SysTick (15) for 100.000 us --
       500.000        100.000    } /* other */
       600.000                   -- mark 7 = 4096 (0x1000) --
       700.000        400.000  } /* work */
       800.000        100.000  work();

SysTick (15): 2 calls
         at us    duration us
       360.000         40.000  work();

TEXT
  calls normal.mprof --function 'w*k' --depth 1 --context 0
  assert_lines <<'TEXT'
thread: 4 calls
         at us    duration us
       200.000                 work() {
       600.000                   -- mark 7 = 4096 (0x1000) --
       700.000        400.000  } /* work */
       800.000        100.000  work();

TEXT
}

@test "calls that are left out leave a trace" {
  normal
  calls normal.mprof --depth 1 --context 15
  assert_out '^ +350\.000 +100\.000  SysTick_Handler\(\) \{ \.\.\. \}$'
}

@test "--time: what happens in it, in the calls around it" {
  normal
  calls normal.mprof --time 0.65ms..850us --context 0
  assert_lines <<'TEXT'
thread: 4 calls
         at us    duration us
       100.000                 Reset_Handler() {
       200.000        400.000    work() { ... }
       800.000        100.000    work();
     1,500.000      1,300.000  } /* Reset_Handler */

TEXT
  calls normal.mprof --time 400c..500c --style plain --unit cycles
  [ "$(wc -l <out)" -eq 3 ]
  calls normal.mprof --time ..300 --style plain
  [ "$(wc -l <out)" -eq 3 ]
  calls normal.mprof --time 900us.. --style plain
  [ "$(wc -l <out)" -eq 2 ]
  for bad in '' .. 5 5us 5us..1us x..y 1us..5c -1..5 5parsec.. 1e999..; do
    run_apart "$MCUPROF" calls normal.mprof -e "$ELF" --time "$bad"
    assert_complaint 2 "--time cannot be '$bad'"
  done
}

@test "--open: what was entered and not left, where a hang hangs" {
  capture hang.mprof <<'PYTHON'
t.hello(start=True)
t.to(100).switch(0).enter("Reset_Handler").to(150).enter("other")
t.to(160).leave("other").to(200).enter("work")
t.to(300).switch(15).enter("SysTick_Handler").to(310).enter("mcuprof_poll")
PYTHON
  calls hang.mprof --open
  assert_lines <<'TEXT'
thread: 2 open
    entered us         for us
         0.000        210.000  Reset_Handler
       100.000        110.000    work

SysTick (15): 2 open
    entered us         for us
       200.000         10.000  SysTick_Handler
       210.000          0.000    mcuprof_poll

TEXT
  assert_out '^  times since the first record' 'mended +4 open at the end$'
  normal
  calls normal.mprof --open
  assert_out '^all calls that were entered were left$'
  run_apart "$MCUPROF" calls normal.mprof -e "$ELF" --open --style plain
  assert_complaint 2 'a list of its own'
}

@test "where the firmware stopped: a fault, a freeze" {
  capture fault.mprof <<'PYTHON'
t = ring(mode=FLIGHT)
t.hello(start=True)
t.block(6, pc=f("other") + 4, lr=f("work") + 7, xpsr=0x21000000, cfsr=0x8200)
t.to(100).switch(0).enter("work").to(150).enter("other")
PYTHON
  local at line
  at=$(printf '0x%08x' $(($(address_of other) + 4)))
  line=$("$ADDR2LINE" -e "$ELF" "$at")
  calls fault.mprof --open
  assert_out \
    "^  stopped: a fault at other\+0x4 \(.*:${line##*:}\), $at; LR work\+0x6, CFSR 0x00008200$" \
    "^  stopped +a fault at other\+0x4 "
  calls fault.mprof
  assert_out "^  stopped +a fault at other\+0x4 "
  capture frozen.mprof <<PYTHON
t = ring(mode=FLIGHT)
t.hello(start=True)
t.block(5, pc=f("Default_Handler") + $(($(size_of Default_Handler))) + 1)
t.to(100).switch(0).enter("work")
PYTHON
  # The last that it did was to freeze: that returns behind its end.
  calls frozen.mprof --open
  assert_out '^  stopped: frozen at Default_Handler \(.*\), 0x'
  run_apart "$MCUPROF" report frozen.mprof -e "$ELF"
  assert_out '^ +frozen at 0x[0-9a-f]+, Default_Handler$'
  normal
  calls normal.mprof
  refute_out stopped
}

@test "what is torn, lost or mended: marked, counted, 3 with --strict" {
  capture torn.mprof <<'PYTHON'
t = ring(mode=FLIGHT, bits=24)
t.hello()
t.made = 100
t.block(2, records=16)
t.to(1000).switch(0).leave("work")
t.put(0, 0)
t.to(1100).enter("other").to(1200).enter("work").to(1300).leave("other")
t.to(1350).lose(9, 1350, 1390).to(1400).leave("Reset_Handler")
t.to(1500).enter("work").put(f("mcuprof_poll") | 1, 400).switch(15)
PYTHON
  run_apart "$MCUPROF" calls torn.mprof -e "$ELF" --strict
  [ "$status" -eq 3 ]
  assert_lines <<'TEXT'
thread: 5 calls
         at us    duration us
         0.000          0.000  work();  [entered before]
       100.000                 other() {
       200.000        100.000    work();  [unwound]
       300.000        200.000  } /* other */
       350.000                 -- 9 records lost for want of room, within 50.000 us, or more: whole wraps of the clock cannot be seen --
       400.000          0.000  Reset_Handler();  [entered before]
       500.000          0.000  work();  [not left]

TEXT
  assert_out '^  lost +9 records on the target \(no room\), in gaps: 1; 0 on' \
    '^  mended +2 entered before the record or in a gap, 1 unwound ' ', 1 open at the end$' \
    '^  left out +1 reserved and never written, 1 of an earlier lap of the ring' \
    '^  wraps +nothing tells .* a silence of 16\.78 s or more cannot be'
  run_apart "$MCUPROF" calls torn.mprof -e "$ELF"
  [ "$status" -eq 0 ]
  normal
  run_apart "$MCUPROF" calls normal.mprof -e "$ELF" --strict
  [ "$status" -eq 0 ]
  capture cut.mprof <<'PYTHON'
t.hello(start=True)
t.to(100).switch(0).leave("work")
PYTHON
  for verb in calls tree; do
    run_apart "$MCUPROF" $verb cut.mprof -e "$ELF" --strict
    [ "$status" -eq 3 ]
  done
  run_apart "$MCUPROF" tree torn.mprof -e "$ELF" --strict --format json
  [ "$status" -eq 3 ]
  [ "$(json '.quality | "\(.records_torn) \(.records_stale)"')" = "1 1" ]
  [ "$(json '.quality | "\(.calls_entered_before) \(.calls_unwound)"')" = \
    "2 1" ]
  [ "$(json '.quality | "\(.records_lost_target) \(.gaps_target)"')" = "9 1" ]
}

@test "tasks, named and deleted; their time is their own" {
  capture tasks.mprof <<'PYTHON'
t.hello(start=True)
t.context(512, "control")
t.to(100).switch(512).enter("work")
t.to(200).switch(513).to(250).enter("other")
t.to(300).switch(512).to(400).leave("work").delete(513)
PYTHON
  calls tasks.mprof
  assert_lines <<'TEXT'
control (512): 1 call
         at us    duration us
         0.000                 work() {
       100.000                   -- task 513 for 100.000 us --
       300.000        200.000  } /* work */

task 513: 1 call
         at us    duration us
       150.000         50.000  other();  [its context was deleted]
       300.000                 -- deleted --

TEXT
}

@test "a clock that changes its rate: seconds by pieces" {
  capture rate.mprof <<'PYTHON'
t.hello(start=True)
t.to(0).switch(0).enter("work").to(100).clock_is(4000000).to(300).leave("work")
PYTHON
  calls rate.mprof
  assert_lines <<'TEXT'
thread: 1 call
         at us    duration us
         0.000                 work() {
       100.000                   -- the clock runs at 4 MHz from here on --
       150.000        150.000  } /* work */

TEXT
  assert_out '^  rate +the clock changed it: seconds are summed by pieces$'
}

@test "a ring whose clock changed: both rates; without the record, the last" {
  capture rate.mprof <<'PYTHON'
t = ring(mode=FLIGHT, hz=4000000)
t.hello(start=True)
t.to(0).switch(0).enter("work").to(100).clock_is(4000000, 1000000)
t.to(300).leave("work").to(400).enter("other").to(800).leave("other")
PYTHON
  calls rate.mprof
  # 100 ticks of 1 us, and of 0.25 us: 200, 100 and 400.
  assert_lines <<'TEXT'
thread: 2 calls
         at us    duration us
         0.000                 work() {
       100.000                   -- the clock runs at 4 MHz from here on --
       150.000        150.000  } /* work */
       175.000        100.000  other();

TEXT
  capture overwritten.mprof <<'PYTHON'
t = ring(mode=FLIGHT, hz=4000000)
t.hello(start=True)
t.to(400).switch(0).enter("other").to(800).leave("other")
PYTHON
  calls overwritten.mprof
  assert_out '^ +0\.000 +100\.000  other\(\);$'
  refute_out '^  rate'
}

@test "a change of the clock that was lost: between which times" {
  capture lost.mprof <<'PYTHON'
t.hello(start=True)
t.time()
t.to(0).switch(0).enter("work").to(100).enter("other").to(150).leave("other")
t.to(200).lose(3, 200, 260).to(300).switch(0).enter("other")
t.flush()
t.hello(hz=4000000)
t.to(700).leave("other").to(900).leave("work")
t.time()
PYTHON
  run_apart "$MCUPROF" calls lost.mprof -e "$ELF" --strict
  [ "$status" -eq 3 ]
  # The gap's 60 us and 40 ticks at 4 MHz; then 400 ticks, and 200.
  assert_lines <<'TEXT'
thread: 3 calls
         at us    duration us
         0.000                 work() {
       100.000         50.000    other();
       200.000                   -- 3 records lost for want of room, within 70.000 us --
       200.000                   -- the clock changed to 4 MHz at an unknown time between 200.000 and 270.000 us --
       270.000        100.000    other();
       420.000        350.000  } /* work */

TEXT
  assert_out '^  rate +the clock changed it: .* by pieces, 1 at an unknown time: '
  calls lost.mprof --style plain --unit cycles
  assert_out '^-- the clock changed to 4 MHz at .* between 200 and 300 cycles -- @'
  capture before.mprof <<'PYTHON'
t.hello(start=True)
t.time()
t.to(0).switch(0).enter("work").flush()
t.hello(hz=4000000)
t.time()
t.to(100).leave("work")
PYTHON
  calls before.mprof
  assert_out '-- the clock runs at 4 MHz, since an unknown time before --'
  capture two.mprof <<'PYTHON'
t.hello(start=True)
t.to(0).switch(0).enter("work").to(10).lose(1, 10, 10)
t.to(20).mark(1, 1).to(30).lose(1, 30, 30)
t.to(40).leave("work").flush()
t.hello(hz=4000000)
t.time()
PYTHON
  calls two.mprof
  assert_out 'between 10\.000 and 12\.500 us, or in one of the next gaps, of 1 --$'
}

# Off from some time after 300 until 1000.
paused() {
  capture paused.mprof <<'PYTHON'
t = ring(mode=FLIGHT)
t.hello(start=True)
t.to(0).switch(0).enter("Reset_Handler").to(100).enter("work")
t.to(200).switch(15).enter("SysTick_Handler").to(300).leave("SysTick_Handler")
t.to(1000).resume(0).to(1100).enter("other").to(1150).leave("other")
t.to(1200).leave("work").to(1300).enter("mcuprof_poll")
PYTHON
}

@test "recording was off: calls end before it, and its time is nobody's" {
  paused
  run_apart "$MCUPROF" calls paused.mprof -e "$ELF" --strict
  [ "$status" -eq 3 ]
  assert_lines <<'TEXT'
thread: 5 calls
         at us    duration us
         0.000                 Reset_Handler() {
       100.000                   work() {
       200.000                     -- SysTick (15) for 100.000 us --
       300.000        100.000    } /* work */  [open when recording went off]
       300.000        200.000  } /* Reset_Handler */  [open when recording went off]
       300.000                 -- recording was off, within 700.000 us, or more: whole wraps of the clock cannot be seen --
     1,000.000                 work() {  [entered before]
     1,100.000         50.000    other();
     1,200.000        200.000  } /* work */
     1,300.000          0.000  mcuprof_poll();  [not left]

SysTick (15): 1 call
         at us    duration us
       200.000        100.000  SysTick_Handler();
       300.000                 -- recording was off, within 700.000 us, or more: whole wraps of the clock cannot be seen --

TEXT
  assert_out '^  off +1 pause of recording, 700 us in total, or more: whole' \
    '^  mended .*, 2 open when recording went off, 1 open at$'
  calls paused.mprof --open
  assert_lines <<'TEXT'
thread: 1 open
    entered us         for us
     1,300.000          0.000  mcuprof_poll
  2 more when recording went off for a while; whether they were left is not known

TEXT
  run_apart "$MCUPROF" tree paused.mprof -e "$ELF"
  # 1,300 in all: 700 off, 100 of the interrupt, and 100 after work was left.
  assert_out '^ +53\.85 +700\.000 +700\.000 +-  \[recording was off\]$' \
    ' self 500\.000 \+ hooks 0\.000 \+ outside 100\.000 \+ lost 0\.000 \+ off 700\.000 = 1,300\.000 us'
  refute_out 'DOES NOT ADD UP'
  run_apart "$MCUPROF" tree paused.mprof -e "$ELF" --format json
  [ "$(json '.off.cycles')" -eq 700 ]
  [ "$(json '.rows[] | select(.kind == "off") | .total_cycles')" -eq 700 ]
  [ "$(json '.quality | "\(.pauses) \(.calls_left_off)"')" = "1 2" ]
}

@test "two pauses: what was open at the last one; all bits told: no more" {
  capture twice.mprof <<'PYTHON'
t = ring(mode=FLIGHT)
t.hello(start=True)
t.to(0).switch(0).sync().enter("Reset_Handler").to(100).enter("work")
t.to(300).resume().to(310).sync().enter("other")
t.to(400).resume(0).to(410).sync()
PYTHON
  calls twice.mprof --open
  assert_lines <<'TEXT'
thread: 0 open
    entered us         for us
  1 more when recording went off for a while; whether they were left is not known

TEXT
  assert_out '^  off +2 pauses of recording, 290 us in total$'
}

@test "a ring that was recording at a reset: no invented time" {
  # 0x40000000 us, a quarter of the clock, are 1073.741824 s.
  for state in KEPT+2 2; do
    capture reset.mprof <<PYTHON
KEPT = 0x80
t = ring(mode=FLIGHT)
t.hello(start=True)
t.block($state)
t.to(0xA0000000).switch(0).enter("work").to(0xA0000064).enter("other")
t.to(0xA00000C8).mark(1, 2)
t.to(0x1E00000C8).enter("Reset_Handler").to(0x1E00000FA).leave("Reset_Handler")
PYTHON
    run_apart "$MCUPROF" calls reset.mprof -e "$ELF" --strict
    if [ $state = 2 ]; then
      [ "$status" -eq 0 ]
      assert_out '^1,073,742,024\.000 +50\.000 +Reset_Handler'
      refute_out 'reset'
      continue
    fi
    [ "$status" -eq 3 ]
    assert_lines <<'TEXT'
thread: 3 calls
         at us    duration us
         0.000                 -- recording 1 --
         0.000                 work() {
       100.000                   other() {
       200.000                     -- mark 1 = 2 (0x2) --
       200.000        100.000    } /* other */  [not left]
       200.000        200.000  } /* work */  [not left]
         0.000                 -- recording 2: the chip was reset here, or nothing ran for long: the time between is not known --
         0.000         50.000  Reset_Handler();

TEXT
    tr -s '\n ' ' ' <out >flat
    grep -q 'reset the ring was recording when the chip was reset: .*`mcuprof lint` names them (early); time jumps in 1 place, ' flat
    grep -q 'recording, left by a boot before: ' flat
    calls reset.mprof --open
    assert_lines <<'TEXT'
recording 1

thread: 2 open
    entered us         for us
         0.000        200.000  work
       100.000        100.000    other

recording 2, after a reset, or when nothing had run for long

TEXT
  done
}

# A freeze that returns behind an address within an inlined function.
@test "stopped: the innermost inlined function, in the one in memory" {
  cat >inline.c <<'SOURCE'
extern volatile int sink;
volatile int sink;
static inline __attribute__((always_inline)) void innermost(int n)
{
    sink = n;
}
void outer(void);
void outer(void)
{
    innermost(1);
}
SOURCE
  build_linked inline.elf -O1 -g -Wl,-e,outer inline.c
  ELF=inline.elf
  local line
  line=$(grep -n 'sink = n' inline.c)
  python3 "$TOOLS/mtrace.py" frozen.mprof - <<PYTHON
t = ring(mode=FLIGHT)
t.hello(start=True)
t.block(5, pc=($(address_of outer) & ~1) + 6)
t.to(100).switch(0).enter($(address_of outer))
PYTHON
  # What others say of this address.
  [ "$("$ADDR2LINE" -f -i -e inline.elf \
    "$(printf '%x' $((($(address_of outer) & ~1) + 4)))" |
    sed -n '1p;3p' | xargs)" = 'innermost outer' ]
  calls frozen.mprof --open --force
  assert_out \
    "^  stopped: frozen at innermost in outer\+0x4 \(.*inline.c:${line%%:*}\), 0x"
}

rows() { # what, options...
  calls "${@:2}" --format "$1"
}

@test "CSV and JSON: a row a call, marks and gaps too" {
  capture all.mprof <<'PYTHON'
t.hello(start=True)
t.time()
t.context(512, 'a, "b"')
t.to(100).switch(512).enter("Reset_Handler").to(200).enter("work")
t.to(250).switch(15).enter("SysTick_Handler").to(300).leave("SysTick_Handler")
t.to(310).switch(512).mark(7, 4096).put(0xF2000008)
t.to(400).lose(5, 400, 420).to(440).switch(512).leave("work")
t.to(500).clock_is(4000000, 1000000).to(600).leave("Reset_Handler")
t.to(610).enter("other").to(1000).resume(512).to(1400).delete(512)
t.time()
PYTHON
  local at
  at=$(("$(address_of work)" & ~1))
  rows csv all.mprof --unit cycles
  python3 - out "$at" "$("$ADDR2LINE" -e "$ELF" -f "$(printf %#x $at)" | tail -1)" <<'PYTHON'
import csv, sys
rows = list(csv.DictReader(open(sys.argv[1], newline="")))
assert all(None not in row and None not in row.values() for row in rows)
seen = [(r["kind"], r["function"] or r["number"] or r["value"] or r["count"],
         r["start_cycles"], r["end_cycles"], r["duration_cycles"],
         r["self_cycles"], r["flags"]) for r in rows]
expected = [
    ("recording", "", "100", "", "", "", ""),
    ("call", "SysTick_Handler", "250", "300", "50", "50", ""),
    ("mark", "7", "310", "", "", "", ""),
    ("mark", "8", "310", "", "", "", ""),
    ("gap", "5", "400", "440", "40", "", ""),
    # 300 to 310 pass in the interrupt's handler's shadow: its context goes on.
    ("call", "work", "200", "440", "150", "150", ""),
    ("clock", "4000000", "500", "", "", "", ""),
    ("call", "Reset_Handler", "100", "600", "410", "260", ""),
    ("call", "other", "610", "610", "0", "0", "recording_off"),
    ("off", "", "610", "1000", "390", "", ""),
    ("deleted", "", "1400", "", "", "", ""),
]
assert seen == expected, "\n".join(map(str, seen))
work = rows[5]
assert (work["context"], work["context_id"], work["depth"]) == \
    ('a, "b" (512)', "512", "1"), work
assert work["parent"] == rows[7]["id"] and rows[7]["parent"] == ""
assert int(work["address"], 16) == int(sys.argv[2])
file, line = sys.argv[3].rsplit(":", 1)
assert work["file"] == file, (work["file"], file)
# Where it is declared: at its code or just before.
assert 0 <= int(line.split()[0]) - int(work["line"]) <= 2, (work["line"], line)
assert rows[2]["context_id"] == "512" and rows[2]["depth"] == "2"
assert rows[2]["value"] == "4096" and rows[3]["value"] == ""
PYTHON
  grep -q '^quality' err
  # In microseconds: 100 us before the change count 1 us a tick, then 0.25.
  rows json all.mprof
  [ "$(json '"\(.schema) \(.schema_version) \(.unit) \(.since) \(.compensated)"')" = \
    'mcuprof-calls 1 us mcuprof_init false' ]
  [ "$(json '.quality.pauses')" -eq 1 ]
  json '.rows[] | [.kind, .function, .start_us, .duration_us, (.flags | join("+"))]
    | @csv' >seen
  diff -u - seen <<'TEXT'
"recording",,100,,""
"call","SysTick_Handler",250,50,""
"mark",,310,,""
"mark",,310,,""
"gap",,400,40,""
"call","work",200,150,""
"clock",,500,,""
"call","Reset_Handler",100,335,""
"call","other",527.5,0,"recording_off"
"off",,527.5,97.5,""
"deleted",,725,,""
TEXT
  [ "$(json '.rows[1].address')" -eq "$(($(address_of SysTick_Handler) & ~1))" ]
}

@test "CSV and JSON: filters, --open, hooks, and what does not go together" {
  normal
  rows csv normal.mprof --context 15 --unit cycles
  [ "$(cut -d, -f 1,5,8,12,13 out)" = "kind,id,function,start_cycles,end_cycles
recording,,,100,
call,4,work,360,400
call,3,SysTick_Handler,350,450" ]
  rows csv normal.mprof --function work --depth 1 --unit cycles
  [ "$(grep -c '^call' out)" -eq 3 ]
  rows csv normal.mprof --time 650..850
  # What is open then, too.
  [ "$(grep -c '^call' out)" -eq 3 ]
  refute_out '^mark'
  rows csv normal.mprof --time ..320
  [ "$(cut -d, -f 1,8 out | grep -v '^kind')" = "recording,
call,other
call,work
call,Reset_Handler" ]
  # The mark is not within it.
  rows csv normal.mprof --function other
  [ "$(cut -d, -f 1,8 out | grep -v '^kind')" = $'recording,\ncall,other' ]
  rows csv normal.mprof --open
  [ "$(wc -l <out)" -eq 1 ]
  capture hang.mprof <<'PYTHON'
t.hello(start=True)
t.to(0).switch(0).enter("Reset_Handler").to(10).enter("work").to(20).leave("work")
t.to(30).enter("other").mark(1, 1)
PYTHON
  rows json hang.mprof --open
  [ "$(json '[.rows[] | "\(.kind) \(.function) \(.flags[0])"] | join(";")')" = \
    'call other open;call Reset_Handler open' ]
  capture costs.mprof <<'PYTHON'
t = ring(pair=12, inner=5)
t.hello(start=True)
t.to(0).switch(0).enter("Reset_Handler").to(100).enter("work").to(110).leave("work")
t.to(200).leave("Reset_Handler")
PYTHON
  # 200 less 5 and a pair; of its own 190 less 5 and what is not within work.
  rows json costs.mprof --unit cycles
  [ "$(json '.compensated')" = true ]
  [ "$(json '.rows[2] | "\(.duration_cycles) \(.self_cycles)"')" = '183 178' ]
  rows json costs.mprof --unit cycles --raw
  [ "$(json '.compensated')" = false ]
  [ "$(json '.rows[2] | "\(.duration_cycles) \(.self_cycles)"')" = '200 190' ]
  for format in csv json; do
    run_apart "$MCUPROF" calls normal.mprof -e "$ELF" --style plain --format $format
    assert_complaint 2 'style is about text'
    status=0
    "$MCUPROF" calls normal.mprof -e "$ELF" --format $format >/dev/full 2>err ||
      status=$?
    [ "$status" -eq 1 ]
    grep -q 'No space left on device' err
  done
  # Late in a long record, nanoseconds are there still.
  capture late.mprof <<'PYTHON'
t = ring(hz=1000000000)
t.hello(start=True)
t.now = 123456789012345
t.time()
t.switch(0).enter("work").after(1).leave("work")
PYTHON
  rows json late.mprof
  [ "$(grep -o '"start_us": [0-9.]*, "end_us": [0-9.]*' out | tail -1)" = \
    '"start_us": 123456789012.345, "end_us": 123456789012.346' ]
}

@test "the cost of hooks: taken out, left in with --raw, never below 0" {
  capture costs.mprof <<'PYTHON'
t = ring(pair=12, inner=5)
t.hello(start=True)
t.to(0).switch(0).enter("Reset_Handler").to(100).enter("work").to(110).leave("work")
t.to(120).enter("other").to(123).leave("other").to(200).leave("Reset_Handler")
PYTHON
  calls costs.mprof
  # 200 less 5, two pairs' 7 around, 5 and no more than 3 within; 10 less 5; 3
  # less 5.
  assert_out '^ +200\.000 +173\.000  \} /\* Reset_Handler \*/$' \
    '^ +100\.000 +5\.000    work\(\);$' '^ +120\.000 +0\.000    other\(\);$' \
    '^  calls that took less than their hooks, shown as 0: 1$' \
    'what the hooks took, 12 cycles a call; --raw' \
    '^  hooks +a call costs 12 cycles, measured on this chip, 5 of them within'
  calls costs.mprof --raw
  assert_out '^ +200\.000 +200\.000  \} /\* Reset_Handler \*/$' \
    '^ +120\.000 +3\.000    other\(\);$'
  refute_out 'shown as 0|--raw shows'
}

@test "a ring that had wrapped: whose its first calls were" {
  capture wrapped.mprof <<'PYTHON'
t = ring(mode=FLIGHT)
t.hello(start=True)
t.running = 0xFFFF
t.to(100).leave("other").enter("work")
t.to(110).switch(15).enter("SysTick_Handler").to(120).leave("SysTick_Handler")
t.to(140).switch(0).leave("work").to(150).leave("Reset_Handler")
PYTHON
  calls wrapped.mprof --context 0
  assert_lines <<'TEXT'
thread: 3 calls
         at us    duration us
         0.000                 Reset_Handler() {  [entered before]
         0.000          0.000    other();  [entered before]
         0.000                   work() {
        10.000                     -- SysTick (15) for 10.000 us --
        40.000         30.000    } /* work */
        50.000         40.000  } /* Reset_Handler */

TEXT
  capture nobody.mprof <<'PYTHON'
t = ring(mode=FLIGHT)
t.hello(start=True)
t.running = 0xFFFF
t.to(100).enter("work").to(110).switch(0).enter("other")
PYTHON
  calls nobody.mprof
  assert_out '^\[context not known\]: 1 call$' '^thread: 1 call$'
}

# docs/wire.md, "The call ring in RAM": 8 slots behind the block, the head at the
# fourth; each lap begins with its context's record, whose bit 16 says whether it
# ran before, too.
@test "a ring in memory: whose the calls before a lap's first record are" {
  arm-none-eabi-objcopy --add-symbol mcuprof_trace=0x20000000,global \
    "$ELF" ring.elf
  for same in 1 0; do
    python3 - "$TOOLS" "$ELF" "$same" >"memory$same" <<'PYTHON'
import struct, sys, zlib
sys.path.insert(0, sys.argv[1])
import mprof, mtrace
f = mprof.elf_facts(sys.argv[2])["symbols"]
t = mtrace.Ring(mode=mtrace.FLIGHT)
t.hello(start=True)
hello = next(mprof.frames(bytes(t.out)))[2]
work, other, at = f["work"] & ~1, f["other"] & ~1, 0x20000000
same = int(sys.argv[3]) << 16
slots = [(200, 0xF0000000 | same), (200, work | 1), (210, work),
         (100, other), (110, work | 1), (120, work), (130, other | 1),
         (140, other)]
block = struct.pack("<IIII IHHII", 0, at + 132 + 64, at + 132 + 24, 0xE0001004,
                    0x4352544D, 1, 132, at + 132, 8)
block += struct.pack("<II BBHI I IIII", 1, 0, 2, 0, 0, 0, 7, 0, 0, 0, 0) + hello
block += struct.pack("<I", zlib.crc32(block[16:32] + block[48:52]))
assert len(block) == 132
sys.stdout.buffer.write(block + b"".join(struct.pack("<II", *s) for s in slots))
PYTHON
    run_apart "$MCUPROF" calls "ram:memory$same@0x20000000" -e ring.elf
    [ "$status" -eq 0 ] || show_and_fail "exit status $status"
    cp out "out$same"
  done
  assert_out '^thread: 1 call$' '^\[context not known\]: 3 calls$'
  mv out1 out
  assert_lines <<'TEXT'
thread: 4 calls
         at us    duration us
         0.000          0.000  other();  [entered before]
        10.000         10.000  work();
        30.000         10.000  other();
       100.000         10.000  work();

TEXT
}

@test "two boots in a capture" {
  capture boots.mprof <<'PYTHON'
t.hello(start=True)
t.to(0).switch(0).enter("work").to(10).enter("other").flush()
first = t.out
t = ring(boot=99)
t.hello(start=True)
t.to(5).switch(0).enter("work").to(25).leave("work").flush()
t.out = first + t.out
PYTHON
  calls boots.mprof --context 0
  assert_lines <<'TEXT'
thread: 3 calls
         at us    duration us
         0.000                 -- recording 1 --
         0.000                 work() {
        10.000          0.000    other();  [not left]
        10.000         10.000  } /* work */  [not left]
         0.000                 -- recording 2 --
         0.000         20.000  work();

TEXT
}

@test "no call ring, none started, another build, no symbols" {
  make_capture normal elf="$ELF" >samples.mprof
  for verb in calls tree; do
    run_apart "$MCUPROF" $verb samples.mprof -e "$ELF"
    assert_complaint 1 'samples.mprof has no call ring'
    capture none.mprof <<<'t.hello(start=True)'
    run_apart "$MCUPROF" $verb none.mprof -e "$ELF"
    assert_complaint 1 'no call came into none.mprof'
    capture other.mprof <<'PYTHON'
t = ring(value=mprof.crc_value(0xDEADBEEF))
t.hello(start=True)
t.switch(0).enter("work")
PYTHON
    run_apart "$MCUPROF" $verb other.mprof -e "$ELF"
    assert_complaint 1 'another build'
    run_apart "$MCUPROF" $verb other.mprof -e "$ELF" --force
    [ "$status" -eq 0 ]
    assert_out 'MISMATCH, forced'
    normal
    arm-none-eabi-strip -o stripped.elf "$ELF"
    run_apart "$MCUPROF" $verb normal.mprof -e stripped.elf
    [ "$status" -eq 0 ]
    grep -q 'has no symbols' err
    assert_out "$(address_of work)"
  done
}

@test "a reader that goes, a full disk, standard input, colour" {
  # Long enough for a pipe to be full.
  capture long.mprof <<'PYTHON'
t.hello(start=True)
t.switch(0)
for i in range(20000):
    t.after(1).enter("work").after(1).leave("work")
PYTHON
  for arguments in calls 'calls --style plain' tree; do
    # shellcheck disable=SC2086
    { "$MCUPROF" $arguments long.mprof -e "$ELF" 2>err || echo $? >code; } |
      true
    if [ "$arguments" != tree ]; then
      [ "$(cat code)" -eq 141 ]
    fi
    [ ! -s err ]
    status=0
    # shellcheck disable=SC2086
    "$MCUPROF" $arguments long.mprof -e "$ELF" >/dev/full 2>err || status=$?
    [ "$status" -eq 1 ]
    grep -q 'No space left on device' err
    # shellcheck disable=SC2086
    run_apart "$MCUPROF" $arguments - -e "$ELF" <long.mprof
    [ "$status" -eq 0 ]
    refute_out $'\033'
  done
  calls long.mprof --color=always
  assert_out $'\033\\[1mthread'
}

@test "60 levels: as many spaces as fit, and then the number" {
  capture deep.mprof <<'PYTHON'
t.hello(start=True)
t.switch(0)
for i in range(60):
    t.after(1).enter("work")
for i in range(60):
    t.after(1).leave("work")
PYTHON
  calls deep.mprof
  # The innermost is entered 60 after the switch and left one later.
  assert_out '^ +60\.000 +1\.000 {82}\[59\] work\(\);$'
  run_apart "$MCUPROF" tree deep.mprof -e "$ELF"
  [ "$status" -eq 0 ]
  assert_out '^ +0\.83 +1\.000 +1\.000 +1 {82}\[60\] work$'
}
