#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
#
# `tree`: paths, self and total. Captures are made here by tests/tools/mtrace.py;
# times are worked out by hand, or by tests/tools/call_model.py.

load common

capture() { # file; a script on standard input
  python3 "$TOOLS/mtrace.py" "$1" "$ELF"
}

tree() { # options...
  run_apart "$MCUPROF" tree "$@" -e "$ELF"
  [ "$status" -eq 0 ] || show_and_fail "exit status $status"
}

# Twice Reset_Handler -> work -> other, and an interrupt in the first.
normal() {
  capture normal.mprof <<'PYTHON'
t = ring(pair=10, inner=4)
t.hello(start=True)
t.time()
t.to(1000).switch(0).enter("Reset_Handler")
t.to(1100).enter("work").to(1200).enter("other")
t.to(1250).switch(15).enter("SysTick_Handler").to(1350).leave("SysTick_Handler")
t.to(1500).switch(0).leave("other").to(1700).leave("work")
t.to(1800).enter("other").to(1900).leave("other")
t.to(2000).enter("work").to(2100).leave("work")
t.to(2500).leave("Reset_Handler").to(2900).enter("mcuprof_poll")
t.to(3000).leave("mcuprof_poll")
t.time()
PYTHON
}

@test "paths below their context, with shares; all time is somewhere" {
  normal
  tree normal.mprof --raw
  sed '/^  times as/,$d' out >seen
  # From 1,000 to 3,000; the interrupt's 100 are in nothing else.
  diff -u - seen <<'TEXT'
      %   total us  self us  calls  function
  95.00  1,900.000        -      6  thread
  70.00  1,400.000  700.000      1    Reset_Handler
  30.00    600.000  400.000      2      work
  10.00    200.000  200.000      1        other
   5.00    100.000  100.000      1      other
   5.00    100.000  100.000      1    mcuprof_poll
  20.00    400.000  400.000      -    [outside of calls]
   5.00    100.000        -      1  SysTick (15)
   5.00    100.000  100.000      1    SysTick_Handler

  self 1,600.000 + hooks 0.000 + outside 400.000 + lost 0.000 = 2,000.000 us from first to last record
TEXT
}

@test "without what the hooks took" {
  normal
  tree normal.mprof --unit cycles
  # Reset_Handler: 700 - 4 - 3 * 6 and 1,400 - 4 - 4 * 10; work: 400 - 2 * 4 - 6
  # and 600 - 2 * 4 - 10; 7 calls cost 7 * 4 and those below others 4 * 6.
  assert_out '^ +%  total cycles  self cycles  calls  function$' \
    ' 1,356 +678 +1    Reset_Handler$' ' 582 +386 +2      work$' \
    ' 196 +196 +1        other$' ' 96 +96 +1      other$' \
    '^ +2\.60 +52 +52 +-  \[hooks of calls\]$' \
    '^  self 1,548 \+ hooks 52 \+ outside 400 \+ lost 0 = 2,000 cycles' \
    '^  times without what the hooks of calls took, 10 cycles a call; --raw'
  refute_out 'DOES NOT ADD UP'
}

# At -O0, or of what is open: hooks that took less than they do as a rule.
@test "hooks that outweigh what was measured: no total is below its self" {
  capture light.mprof <<'PYTHON'
t = ring(pair=12, inner=5)
t.hello(start=True)
t.to(0).switch(0).enter("Reset_Handler").to(100).enter("work")
t.to(110).enter("other").to(112).leave("other").to(130).leave("work")
t.to(160).enter("mcuprof_poll")
PYTHON
  tree light.mprof --format json
  json '.rows[] | select(.kind == "function")
    | [.function, .total_cycles, .self_cycles] | @csv' >seen
  # Reset_Handler: 130 - 2 * 7; work: 28 - 5 - 7; other: 2, less than its 5.
  diff -u - seen <<'TEXT'
"Reset_Handler",132,116
"work",16,16
"other",0,0
"mcuprof_poll",0,0
TEXT
  tree light.mprof
  assert_out 'paths whose hooks took more than was measured, shown as 0: 1$'
  refute_out 'DOES NOT ADD UP'
}

@test "JSON and CSV: numbers, both with and without the hooks" {
  normal
  tree normal.mprof --format json
  [ "$(json '"\(.schema) \(.schema_version) \(.compensated)"')" = \
    "mcuprof-tree 1 true" ]
  [ "$(json '[.wall, .self, .hooks, .outside, .lost | .cycles] | @csv')" = \
    "2000,1548,52,400,0" ]
  json '.rows[] | select(.kind == "function")
    | [.id, .parent, .context_id, .depth, .function, .calls, .total_cycles,
       .self_cycles, .total_raw_cycles, .self_raw_cycles, .total_us] | @csv' \
    >seen
  diff -u - seen <<'TEXT'
0,,0,0,"Reset_Handler",1,1356,678,1400,700,1356
1,0,0,1,"work",2,582,386,600,400,582
2,1,0,2,"other",1,196,196,200,200,196
4,0,0,1,"other",1,96,96,100,100,96
5,,0,0,"mcuprof_poll",1,96,96,100,100,96
3,,15,0,"SysTick_Handler",1,96,96,100,100,96
TEXT
  [ "$(json '.rows[1].address')" -eq "$(($(address_of Reset_Handler) & ~1))" ]
  tree normal.mprof --format csv
  python3 - out <<'PYTHON'
import csv, sys
rows = list(csv.DictReader(open(sys.argv[1], newline="")))
assert all(None not in row and None not in row.values() for row in rows)
kinds = [row["kind"] for row in rows]
assert kinds == ["context"] + 5 * ["function"] + [
    "outside", "context", "function", "hooks"], kinds
assert rows[2]["function"] == "work" and rows[2]["total_us"] == "582.000"
PYTHON
  grep -q '^quality' err
}

# Of the rows alone: each call's self is in one row, and totals are their sums.
@test "CSV and JSON say the same, and it adds up" {
  normal
  tree normal.mprof --format csv
  mv out rows.csv
  tree normal.mprof --format json
  python3 - rows.csv out <<'PYTHON'
import csv, json, sys
table = list(csv.DictReader(open(sys.argv[1], newline="")))
document = json.load(open(sys.argv[2]))
assert len(table) == len(document["rows"])
for text, row in zip(table, document["rows"]):
    assert text.keys() == row.keys()
    for key, value in row.items():
        if value is None:
            assert text[key] == ""
        elif isinstance(value, str):
            assert text[key] == value
        else:
            assert abs(float(int(text[key], 16) if key == "address" else
                             text[key]) - value) < 0.001, (key, text, row)
rows = document["rows"]
functions = [row for row in rows if row["kind"] == "function"]
for unit in "cycles", "us":
    both = sum(row["self_" + unit] for row in functions) + sum(
        row["total_" + unit] for row in rows
        if row["kind"] in ("outside", "hooks", "lost", "off"))
    # From 1,000 to 3,000 by the script, at 1 MHz.
    assert both == document["wall"][unit] == 2000, (unit, both)
    for row in functions:
        below = sum(child["total_raw_cycles"] for child in functions
                    if child["parent"] == row["id"])
        assert row["total_raw_cycles"] == row["self_raw_cycles"] + below
PYTHON
}

# `calls` says the same.
@test "the clock stopped in sleep, says the second clock" {
  capture slept.mprof <<'PYTHON'
t = ring(second_hz=32768)
t.hello(start=True)
t.time()
t.to(1000).switch(0).enter("work").to(3000000).leave("work")
t.second = 327680
t.time()
PYTHON
  run_apart "$MCUPROF" calls slept.mprof -e "$ELF"
  # The call's 2.999 s are by the clock that slept for 7 of the 10 that passed.
  assert_out '^ +1,000\.000  2,999,000\.000  work\(\);$' \
    '^  sleep +the clock stood still for 7 s of 10 s, says the second clock:' \
    '^ +no time of a call has it'
  run_apart "$MCUPROF" calls slept.mprof -e "$ELF" --format json
  [ "$(json '.quality.wall_seconds')" = 10 ]
  [ "$(json '.quality.clock_stopped_seconds')" = 7 ]
  tree slept.mprof
  assert_out 'the clock stood still for 7 s of 10 s' ' = 2,999,000\.000 us from'
  refute_out 'whose time counts'
}

@test "--context and --depth" {
  normal
  tree normal.mprof --context SysTick
  [ "$(grep -c 'thread$' out)" -eq 0 ]
  assert_out 'SysTick_Handler$'
  tree normal.mprof --depth 2
  assert_out '    Reset_Handler$' '      work$'
  refute_out '        other$'
}

# What call_site would get wrong: a tail call, and an inlined function's hooks.
@test "the tree is that of the nesting" {
  capture nested.mprof <<'PYTHON'
t.hello(start=True)
t.to(0).switch(0)
names = ["Reset_Handler", "work", "other", "mcuprof_poll"]
for i, name in enumerate(names):
    t.to(10 * i).enter(name)
for i, name in enumerate(reversed(names)):
    t.to(100 + 10 * i).leave(name)
PYTHON
  tree nested.mprof --format json
  [ "$(json '[.rows[] | select(.kind == "function") | .function] | join(";")')" \
    = "Reset_Handler;work;other;mcuprof_poll" ]
  [ "$(json '[.rows[] | select(.kind == "function") | .total_cycles] | @csv')" \
    = "130,110,90,70" ]
}

# fib(10) by the script itself: 177 calls, of which fib(1) and fib(0) are 89.
@test "recursion: calls are exact, self sums to wall, total is at most that" {
  capture fib.mprof <<'PYTHON'
t.hello(start=True)
t.to(0).switch(0)
def fib(n):
    t.enter("work").after(1)
    if n > 1:
        fib(n - 1)
        fib(n - 2)
    t.after(1).leave("work")
fib(10)
PYTHON
  tree fib.mprof --format json
  [ "$(json '[.rows[] | select(.kind == "function") | .calls] | add')" -eq 177 ]
  [ "$(json '[.rows[] | select(.kind == "function") | .self_cycles] | add')" \
    -eq 354 ]
  [ "$(json '.wall.cycles')" -eq 354 ]
  [ "$(json '.rows[1].total_cycles')" -eq 354 ]
  [ "$(json '[.rows[] | select(.kind == "function")] | length')" -eq 10 ]
}

@test "random firmwares: each path's calls, self and total; what losses leave" {
  python3 "$TOOLS/call_model.py" "$MCUPROF" "$ELF" 1 25
}
