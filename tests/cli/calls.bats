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
  capture frozen.mprof <<'PYTHON'
t = ring(mode=FLIGHT)
t.hello(start=True)
t.block(5, pc=f("work") + 1)
t.to(100).switch(0).enter("work")
PYTHON
  calls frozen.mprof --open
  assert_out '^  stopped: frozen at work \(.*\), 0x'
  normal
  calls normal.mprof
  refute_out stopped
}

@test "what is torn, lost or mended: marked, counted, 3 with --strict" {
  capture torn.mprof <<'PYTHON'
t = ring(mode=FLIGHT, bits=24)
t.hello(start=True)
t.to(1000).switch(0).leave("work")
t.put(0, 0)
t.to(1100).enter("other").put(f("mcuprof_poll") | 1, 400)
t.to(1200).enter("work").to(1300).leave("other")
t.to(1350).lose(9, 1350, 1390).to(1400).leave("Reset_Handler")
t.to(1500).enter("work")
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
  assert_out 'the clock changed its rate: seconds are summed by pieces$'
}

@test "the clock stopped in sleep, says the second clock" {
  capture slept.mprof <<'PYTHON'
t = ring(second_hz=32768)
t.hello(start=True)
t.time()
t.to(1000).switch(0).enter("work").to(3000000).leave("work")
t.second = 327680
t.time()
PYTHON
  calls slept.mprof
  assert_out '^  sleep +the clock stood still for 7 s, says the second clock'
}

@test "the cost of hooks: taken out, left in with --raw, never below 0" {
  capture costs.mprof <<'PYTHON'
t = ring(pair=12, inner=5)
t.hello(start=True)
t.to(0).switch(0).enter("Reset_Handler").to(100).enter("work").to(110).leave("work")
t.to(120).enter("other").to(123).leave("other").to(200).leave("Reset_Handler")
PYTHON
  calls costs.mprof
  # 200 less 5 and two pairs; 10 less 5; 3 less 5.
  assert_out '^ +200\.000 +171\.000  \} /\* Reset_Handler \*/$' \
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
# fourth; each lap begins with its context's record.
@test "a ring in memory: before a lap's first record runs the same context" {
  arm-none-eabi-objcopy --add-symbol mcuprof_trace=0x20000000,global \
    "$ELF" ring.elf
  python3 - "$TOOLS" "$ELF" >memory <<'PYTHON'
import struct, sys, zlib
sys.path.insert(0, sys.argv[1])
import mprof, mtrace
f = mprof.elf_facts(sys.argv[2])["symbols"]
t = mtrace.Ring(mode=mtrace.FLIGHT)
t.hello(start=True)
hello = next(mprof.frames(bytes(t.out)))[2]
work, other, at = f["work"] & ~1, f["other"] & ~1, 0x20000000
slots = [(200, 0xF0000000), (200, work | 1), (210, work),
         (100, other), (110, work | 1), (120, work), (130, other | 1),
         (140, other)]
block = struct.pack("<IIII IHHII", 0, at + 132 + 64, at + 132 + 24, 0xE0001004,
                    0x4352544D, 1, 132, at + 132, 8)
block += struct.pack("<II BBHI I IIII", 1, 0, 2, 0, 0, 0, 7, 0, 0, 0, 0) + hello
block += struct.pack("<I", zlib.crc32(block[16:32] + block[48:52]))
assert len(block) == 132
sys.stdout.buffer.write(block + b"".join(struct.pack("<II", *s) for s in slots))
PYTHON
  run_apart "$MCUPROF" calls ram:memory@0x20000000 -e ring.elf
  [ "$status" -eq 0 ] || show_and_fail "exit status $status"
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
