#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
#
# `advise` as a command: what it prints for whom, and what it refuses. Captures
# are made by tests/tools/mtrace.py; that predictions come true is shown in
# tests/truth/advise_truth.bats.

load common
load elf_lint

CORE=cortex-m4

setup_file() {
  export BATS_WORK=$BATS_FILE_TMPDIR
  cd "$BATS_FILE_TMPDIR" || return 1
  export LINT
  LINT=$(cd "$BATS_TEST_DIRNAME/firmware" && pwd)
  advise_elf fw.elf
}

advise_elf() { # ELF [FLAG...]
  local elf=$1
  shift
  compile gcc "$CORE" "$LINT/lint_boot.c" boot.o
  compile gcc "$CORE" "$LINT/advise_work.c" work.o -finstrument-functions "$@"
  compile gcc "$CORE" "$LINT/lint_hooks.c" hooks.o
  link "$CORE" "$elf" boot.o work.o hooks.o -Wl,--defsym=etext=lint_text_end
}

# 100 calls of each of two short functions, one of a long one, one copy.
# Durations are of 40 ticks for a pair, and what is told above it.
normal() { # [a line of the script that is run first]
  python3 "$TOOLS/mtrace.py" normal.mprof "$ELF" <<PYTHON
t.pair = 40
t.inner = 20
${1:-}
t.hello(start=True)
t.time()
t.to(100).switch(0).enter("main")
now = 200
for name in ("short_one", "short_one_more"):
    for _ in range(100):
        t.to(now).enter(name).to(now + 30).leave(name)
        now += 60
t.to(now).enter("long_one").to(now + 60000).leave("long_one")
now += 60100
t.to(now).enter("copied").to(now + 50).enter("inlined")
t.to(now + 100).leave("inlined").to(now + 150).leave("copied")
t.to(now + 200).leave("main")
t.time()
PYTHON
}

advise() { # options...
  run_apart "$MCUPROF" advise normal.mprof -e "$ELF" "$@"
}

@test "calls, and what their hooks cost, by the script" {
  normal
  advise --format json
  [ "$status" -eq 0 ] || show_and_fail "exit status $status"
  [ "$(json .source)" = "the call ring" ]
  [ "$(json '.pairs == 204 and .pair_ticks == 40')" = true ]
  # 100 to 200 + 200 * 60 + 60100 + 200 is the time of all, and of the hooks of
  # main() 40 - 20 are around it.
  [ "$(json '.wall == 72420')" = true ]
  [ "$(json '.rows[] | select(.function == "short_one") | .calls')" = 100 ]
  [ "$(json '.rows[] | select(.function == "short_one") | .hooks_ticks')" = 4000 ]
  [ "$(json '.rows[] | select(.function == "inlined") | .inlined_calls')" = 1 ]
  [ "$(json '.rows[] | select(.function == "inlined") | .own_calls')" = 0 ]
  [ "$(json '.rows[] | select(.function == "copied") | .own_calls')" = 1 ]
}

@test "what is advised to drop comes first, then what costs most" {
  normal
  advise --format csv
  [ "$(sed -n '2,4s/,.*//p' out | tr '\n' ' ')" = "inlined short_one short_one_more " ]
  [ "$(sed -n '$=' out)" -gt 5 ]
  advise --format csv --budget 1.02
  [ "$(sed -n '2,4s/.*,\(drop\|keep\),.*/\1/p' out | tr '\n' ' ')" = "drop drop keep " ]
  advise --budget 1.02 -n 2
  assert_out '^  short_one  .* drop ' '^  short_one_more  .* drop '
  advise -n 1
  assert_out '^  and [0-9]+ functions more: -n 0 shows all' '^  estimate: ' \
    '^  its base: 72,420 ticks in calls by the call ring; less 204 pairs of hooks'
}

@test "time outside of all calls is left out, whatever it was" {
  twice() { # ticks between the calls
    python3 "$TOOLS/mtrace.py" normal.mprof "$ELF" <<PYTHON
t.pair = 40
t.inner = 20
t.hello(start=True)
t.time()
t.to(100).switch(0).enter("long_one").to(1100).leave("long_one")
t.to(1100 + $1).enter("long_one").to(2100 + $1).leave("long_one")
t.time()
PYTHON
    advise --format json
    [ "$status" -eq 0 ] || show_and_fail "exit status $status"
  }
  twice 30
  # Two of 1000 ticks, and 20 around each.
  [ "$(json '.wall == 2040 and .outside == 30')" = true ]
  json .slowdown >short
  twice 5000000
  [ "$(json '.wall == 2040 and .outside == 5000000')" = true ]
  json .slowdown >long
  cmp short long
  advise
  assert_out '^  left out: 5,000,000 ticks outside of calls, 100.0 %'
}

@test "of a function that polls any part may be the profiler's: two ends" {
  advise_elf polls.elf -DPOLLS
  ELF=polls.elf
  polling() { # call
    python3 "$TOOLS/mtrace.py" normal.mprof "$ELF" <<PYTHON
t.pair = 40
t.inner = 20
t.hello(start=True)
t.time()
t.to(100).switch(0)
for at in range(100, 10100, 100):
    t.to(at).enter("short_one").to(at + 90).leave("short_one")
$1
t.time()
PYTHON
  }
  # 20000 ticks, 20 of them its hooks'.
  advise_elf inlined.elf -DPOLLS -DPOLL_IS_INLINED
  arm-none-eabi-nm inlined.elf >symbols
  refute_grep mcuprof_poll symbols
  ELF=inlined.elf
  polling 't.to(20000).enter("polling").to(40000).leave("polling")'
  advise --format json
  [ "$(json '.ticks_unsure == 19980')" = true ]
  ELF=polls.elf
  polling 't.to(20000).enter("polling").to(40000).leave("polling")'
  advise --format json
  [ "$(json '.ticks_unsure == 19980')" = true ]
  [ "$(json '.slowdown_least < .slowdown and .slowdown_after_least < .slowdown_after')" = true ]
  # What hooks take is the same at both ends.
  [ "$(json '(.slowdown_least - 1) * .ticks_without - (.slowdown - 1) * (.ticks_without - 19980) | fabs < 0.001')" = true ]
  advise
  assert_out '^  polling calls mcuprof_poll\(\) or the like: how much of 19,980 ticks' \
    '^  estimate: 1\.[0-9]+ to [0-9.]+ times the time without hooks now, 1\.'
  # Nothing but polling: nothing is left to compare with.
  python3 "$TOOLS/mtrace.py" normal.mprof "$ELF" <<PYTHON
t.pair = 40
t.inner = 20
t.hello(start=True)
t.time()
t.to(100).switch(0).enter("polling").to(40000).leave("polling")
t.time()
PYTHON
  advise
  assert_out 'polling calls mcuprof_poll' '^  no prediction'
  advise --budget 1.2
  assert_complaint 2 "polling calls it"
  # One that was never called is no doubt.
  polling ''
  advise --format json
  [ "$(json '.ticks_unsure == 0 and .slowdown == .slowdown_least')" = true ]
}

@test "a list for select, and what select makes of it" {
  normal
  advise --budget 1.02 --for select
  assert_out '^drop short_one$' '^drop short_one_more$' \
    '^keep inlined$' 'cannot be reached'
  refute_out 'long_one|main|copied'
  cp out list
  advise --budget 1.02 --apply lean.elf
  [ "$status" -eq 0 ] || show_and_fail "exit status $status"
  diff list lean.elf.list
  run_apart "$MCUPROF" select "$ELF" -o other.elf --from list
  [ "$status" -eq 0 ] || show_and_fail "exit status $status"
  # Whatever they were called: the code is the same.
  arm-none-eabi-objcopy -O binary -j .text lean.elf lean.bin
  arm-none-eabi-objcopy -O binary -j .text other.elf other.bin
  cmp lean.bin other.bin
  arm-none-eabi-objdump -d lean.elf --disassemble=short_one >code
  refute_grep __cyg_profile code
  arm-none-eabi-objdump -d lean.elf --disassemble=long_one >code
  grep -q '__cyg_profile_func_enter' code
}

@test "static functions of one name are dropped together, and counted so" {
  normal
  # As the linker has them: one table of symbols, several times one name.
  arm-none-eabi-objcopy --redefine-sym long_one=short_one "$ELF" twins.elf
  ELF=$PWD/twins.elf advise --budget 1.02 --format json
  [ "$status" -eq 0 ] || show_and_fail "exit status $status"
  [ "$(json '[.rows[] | select(.function == "short_one") | .advice] | unique == ["drop"]')" = true ]
  [ "$(json '[.rows[] | select(.function == "short_one")] | length')" = 2 ]
  # long_one() has almost all of the time.
  [ "$(json '.told_percent < 50')" = true ]
}

@test "without a budget, copies go" {
  normal
  advise --for select
  assert_out '^drop-inlined inlined$'
  refute_out '^drop '
}

@test "a budget that holds already drops nothing: copies are kept by name" {
  normal
  advise --budget 99 --for select
  assert_out '^keep inlined$'
  refute_out '^drop'
}

@test "gcc: what would hit another one is left out, with a warning" {
  normal
  advise --budget 1.02 --for gcc
  grep -q '^-finstrument-functions-exclude-function-list=short_one' out
  # Both go, so that the shorter name hits no other.
  assert_out 'short_one_more'
  python3 "$TOOLS/mtrace.py" normal.mprof "$ELF" <<'PYTHON'
t.pair = 40
t.inner = 20
t.hello(start=True)
t.time()
t.to(100).switch(0).enter("main")
for at in range(200, 10000, 100):
    t.to(at).enter("short_one").to(at + 40).leave("short_one")
t.to(20000).enter("short_one_more").to(90000).leave("short_one_more")
t.to(99000).leave("main")
t.time()
PYTHON
  advise --budget 1.01 --for gcc
  refute_out short_one
  grep -q '^mcuprof: warning: short_one is left out: gcc would leave' err
}

@test "clang and a filter" {
  normal
  advise --for clang
  [ "$(cat out)" = -finstrument-functions-after-inlining ]
  advise --budget 1.02 --for clang
  refute_out after-inlining
  assert_out "advise_work.c:$(line_of advise_work.c ' short_one(void)$'): short_one: __attribute__"
  advise --budget 1.02 --for filter
  grep -qE '^mcuprof_trace_only\(0x[0-9a-f]{8}u, 0x[0-9a-f]{8}u\);$' out
  [ "$(grep -c mcuprof_trace_only out)" -le 4 ]
  # Each range is of kept functions: none of them begins in another's place.
  python3 - "$(address_of short_one)" "$(address_of long_one)" <<'PYTHON'
import re
import sys
dropped, kept = (int(text, 16) for text in sys.argv[1:])
ranges = [tuple(int(x, 16) for x in pair) for pair in
          re.findall(r"only\((\w+)u, (\w+)u\)", open("out").read())]
assert any(a <= kept < b for a, b in ranges)
assert not any(a <= dropped < b for a, b in ranges)
PYTHON
}

@test "an empty list says so, on standard error" {
  normal
  for whom in gcc clang; do
    advise --budget 99 --for $whom
    [ "$status" -eq 0 ] || show_and_fail "exit status $status"
    [ ! -s out ]
    [ "$(cat err)" = "mcuprof: nothing to leave out: the budget is kept with all hooks" ]
  done
  advise --budget 1.02 --for gcc
  refute_grep 'nothing to leave out' err
}

@test "refused, with a remedy" {
  normal
  advise --budget 0.9
  assert_complaint 2 "--budget cannot be '0.9'"
  advise --budget 1.2x
  assert_complaint 2 "--budget cannot be '1.2x'"
  advise --for select --format json
  assert_complaint 2 "--for is text"
  advise --for nobody
  assert_complaint 2 nobody
  normal 't.pair = 0'
  advise --budget 1.2
  assert_complaint 2 "what a pair of hooks costs is not in"
  advise
  [ "$status" -eq 0 ]
  assert_out 'no prediction'
}

@test "--apply writes over nothing but a list of its own" {
  normal
  cp normal.mprof was
  cp "$ELF" fw.elf
  ln -s normal.mprof link
  local place
  for place in normal.mprof ./link; do
    advise --apply "$place"
    assert_complaint 2 'would be overwritten: it is the recording'
  done
  run_apart "$MCUPROF" advise normal.mprof -e fw.elf --apply fw.elf
  assert_complaint 2 'would be overwritten: it is an ELF that is read'
  run_apart "$MCUPROF" advise - -e fw.elf --apply normal.mprof <normal.mprof
  assert_complaint 2 'would be overwritten: it is the recording'
  cp normal.mprof lean.elf.list
  run_apart "$MCUPROF" advise lean.elf.list -e fw.elf --apply lean.elf
  assert_complaint 2 'would be overwritten: it is the recording'
  advise --apply -
  assert_complaint 2 'an ELF is a file, not a stream'
  echo '# my own notes' >lean.elf.list
  advise --apply lean.elf
  assert_complaint 2 'lean.elf.list would be overwritten, and is no list'
  [ "$(cat lean.elf.list)" = '# my own notes' ]
  [ ! -e lean.elf ]
  cmp normal.mprof was
  cmp fw.elf "$ELF"
  rm lean.elf.list
  advise --apply lean.elf
  [ "$status" -eq 0 ] || show_and_fail "exit status $status"
  cp lean.elf.list first
  advise --budget 1.02 --apply lean.elf
  [ "$status" -eq 0 ] || show_and_fail "exit status $status"
  grep -q -- '--budget 1.02' lean.elf.list
}

@test "an ELF without hooks, and one without debug info" {
  build_elf plain.elf
  normal
  run_apart "$MCUPROF" advise normal.mprof -e plain.elf --force
  assert_complaint 1 "has no calls of hooks"
  arm-none-eabi-objcopy --strip-debug "$ELF" bare.elf
  run_apart "$MCUPROF" advise normal.mprof -e bare.elf
  assert_complaint 1 "has no debug info"
}

@test "samples: shares, and no prediction" {
  build_elf sampled.elf -finstrument-functions "$LINT/lint_hooks.c"
  ELF=sampled.elf
  make_capture normal elf="$ELF" >samples.mprof
  run_apart "$MCUPROF" advise samples.mprof -e "$ELF"
  [ "$status" -eq 0 ] || show_and_fail "exit status $status"
  # 600, 200, 150 and 50 of 1000, the most first.
  assert_out '^  work  .* 60\.00 ' '^  other .* 20\.00 '
  [ "$(sed -n 's/^  \([a-zA-Z_]*\) .*[0-9] .*/\1/p' out | sed -n '1,4p' | tr '\n' ' ')" \
    = "work other Reset_Handler SysTick_Handler " ]
  assert_out 'samples count no calls: nothing is predicted'
  run_apart "$MCUPROF" advise samples.mprof -e "$ELF" --for filter
  [ "$status" -eq 0 ] || show_and_fail "exit status $status"
  refute_out only
  grep -q '^mcuprof: warning: no ranges: samples do not say what was called' err
  run_apart "$MCUPROF" advise samples.mprof -e "$ELF" --budget 1.2
  assert_complaint 2 "nothing can be predicted"
}

@test "a selected ELF: the list says again what is out already" {
  normal
  "$MCUPROF" select "$ELF" -o selected.elf --drop long_one >/dev/null
  python3 "$TOOLS/mtrace.py" normal.mprof selected.elf <<'PYTHON'
t.pair = 40
t.inner = 20
t.hello(start=True)
t.time()
t.to(100).switch(0).enter("main")
for at in range(200, 10000, 100):
    t.to(at).enter("short_one").to(at + 40).leave("short_one")
t.to(20000).leave("main")
t.time()
PYTHON
  ELF=selected.elf
  advise
  [ "$status" -eq 0 ] || show_and_fail "exit status $status"
  assert_out '^  the ELF is selected: '
  advise --budget 1.01 --for select
  assert_out '^drop short_one$' '^drop long_one$' '^drop-inlined inlined$'
  refute_out '^keep'
  advise --budget 1.01 --apply less.elf
  [ "$status" -eq 0 ] || show_and_fail "exit status $status"
  for name in short_one long_one copied; do
    arm-none-eabi-objdump -d less.elf --disassemble=$name >$name.code
  done
  refute_grep __cyg_profile short_one.code
  refute_grep __cyg_profile long_one.code
  # Its own stay, those of the copy in it are out.
  [ "$(grep -c __cyg_profile copied.code)" = 2 ]
}

# The hooks are 5 instructions each, with 2 calls and 4 arguments 16 in 40
# ticks: 2.5 each. So a pair is 40 - 4 * 2.5 = 30 ticks, and a NOP 2.5.
@test "what is left of a pair: the NOPs that select puts there" {
  saved() { # of the one call that is dropped, in thousandths of a tick
    json '(.slowdown - .slowdown_after) * .ticks_without * 1000 | round'
  }
  arm-none-eabi-objdump -d "$ELF" --disassemble=__cyg_profile_func_enter >code
  [ "$(sed -n '/bx/q; s/^ *[0-9a-f]*:\t//p' code | grep -c .)" = 4 ]
  normal
  advise --format json
  [ "$(saved)" = 25000 ]
  CORE=cortex-m0 advise_elf m0.elf
  ELF=m0.elf
  # Whatever core the build runs on.
  normal 't.settings["cpuid"] = 0x410FC241'
  "$MCUPROF" info normal.mprof | grep -q Cortex-M4
  advise --format json
  [ "$(saved)" = 20000 ]
  "$MCUPROF" select m0.elf -o lean.elf >/dev/null
  arm-none-eabi-objdump -d lean.elf --disassemble=copied >code
  # Two pairs of them; gcc has none of its own there.
  [ "$(grep -cE '\sbf00\s' code)" = 4 ]
}

# main() has no exit, short_one() no enter, and time without records is nobody's.
@test "half pairs, and time that was not recorded" {
  script() {
    { printf 't.pair = 40\nt.inner = 20\nt.hello(start=True)\nt.time()\n'
      cat
      echo 't.time()'; } | python3 "$TOOLS/mtrace.py" normal.mprof "$ELF"
    advise --format json
    [ "$status" -eq 0 ] || show_and_fail "exit status $status"
  }
  figures() {
    json '"\(.wall) \(.outside) \(.pairs)"'
  }
  # Open at the end: 900 ticks to the last record, 20 around long_one() are in
  # them, and half of main()'s 20.
  script <<'PYTHON'
t.to(100).switch(0).enter("main")
t.to(200).enter("long_one").to(700).leave("long_one")
t.to(900).enter("short_one").to(1000).leave("short_one")
PYTHON
  [ "$(figures)" = "910 0 2.5" ]
  # Open before: 200 to 700.
  script <<'PYTHON'
t.to(200).switch(0)
t.to(200).mark(1, 1).to(700).leave("long_one")
PYTHON
  [ "$(figures)" = "510 0 0.5" ]
  # Off from 700 on: 600 ticks and half of 20, then 100 outside, 100 and 20.
  script <<'PYTHON'
t.to(100).switch(0).enter("main")
t.to(200).enter("long_one").to(700).leave("long_one")
t.to(5000).resume(0).to(5100).enter("short_one").to(5200).leave("short_one")
PYTHON
  [ "$(figures)" = "730 100 2.5" ]
  # Lost from 600 to 2000: 500 ticks, and 200 after it.
  script <<'PYTHON'
t.to(100).switch(0).enter("main")
t.to(200).enter("long_one").to(500).leave("long_one")
t.to(600).lose(4, 600, 2000)
t.to(2000).switch(0).mark(1, 1).to(2200).leave("main")
PYTHON
  [ "$(figures)" = "720 0 2" ]
  # The same, and it was left in there: 300 ticks, and 200.
  script <<'PYTHON'
t.to(100).switch(0).enter("main").to(200).enter("long_one")
t.to(400).lose(4, 400, 600)
t.to(600).switch(0).mark(1, 1).to(800).leave("main")
PYTHON
  [ "$(figures)" = "520 0 1.5" ]
  # Left by way of its caller.
  script <<'PYTHON'
t.to(100).switch(0).enter("main").to(200).enter("long_one")
t.to(300).leave("main")
PYTHON
  [ "$(figures)" = "220 0 1.5" ]
  # An exception without an end, as what it interrupted goes on.
  script <<'PYTHON'
t.to(100).switch(0).enter("main").to(200).switch(15).enter("PendSV_Handler")
t.to(300).switch(0).mark(1, 1).to(500).leave("main")
PYTHON
  [ "$(figures)" = "430 0 1.5" ]
  # A task that is deleted in it.
  script <<'PYTHON'
t.to(100).switch(512).enter("long_one").to(300).delete(512)
PYTHON
  [ "$(figures)" = "210 0 0.5" ]
}

# As drop says it for copies too, a function has one line, and only one that
# has copies needs to be kept by name.
@test "lines that drop, drop copies and keep, in one list" {
  advise_elf two.elf -DTWO_COPIES
  ELF=$PWD/two.elf
  python3 "$TOOLS/mtrace.py" normal.mprof "$ELF" <<'PYTHON'
t.pair = 40
t.inner = 20
t.hello(start=True)
t.time()
t.to(0).switch(0)
at = 100
def call(*names):
    global at
    for name in names:
        t.to(at).enter(name)
        at += 25
    for name in reversed(names):
        t.to(at).leave(name)
        at += 25
for _ in range(100):
    call("short_one")
    call("copied", "inlined")
call("copied_too", "inlined_too")
t.to(at).enter("long_one").to(at + 20000).leave("long_one")
t.time()
PYTHON
  # 25 ticks a call: 2500 for short_one(), 2500 for inlined(), 25 for the other
  # copy, which are not needed.
  advise --format json
  budget=$(json '.slowdown - 4990 / .ticks_without')
  advise --budget "$budget" --for select
  [ "$status" -eq 0 ] || show_and_fail "exit status $status"
  refute_out 'cannot be reached'
  sed '/^#/d' out | diff -u - <(printf '%s\n' 'drop short_one' \
    'drop-inlined inlined' 'keep inlined_too')
  advise --budget "$budget" --format json
  [ "$(json '(.slowdown - .slowdown_after) * .ticks_without | round')" = 5000 ]
  # Without 20 for its own hooks, and 20 for those of a call in it, 5 ticks are
  # left of 25, 10 of 50, 19980 of 20000: 100 calls of short_one(), inlined()
  # and copied(), one of each other. What is told of a copy is of whose it is.
  [ "$(json '(.told_percent * (500 + 500 + 1000 + 15 + 19980) / 100) | round')" \
    = $((500 + 1000 + 15 + 19980)) ]
  [ "$(json '(.told_of_source_percent * 21995 / 100) | round')" \
    = $((1000 + 15 + 19980)) ]
  advise --budget "$budget" --apply lean.elf
  [ "$status" -eq 0 ] || show_and_fail "exit status $status"
  local place
  for place in short_one:0 copied:2 copied_too:4 long_one:2; do
    arm-none-eabi-objdump -d lean.elf "--disassemble=${place%:*}" >code
    [ "$(grep -c '__cyg_profile' code)" = "${place#*:}" ] \
      || show_and_fail "$place"
  done
}

# Calls without a place, halves, hooks that took
# more, and what was outside.
@test "a function table: what its rows and counters say" {
  python3 "$TOOLS/mfunctions.py" normal.mprof "$ELF" <<'PYTHON'
t.pair = 40
t.hello(start=True)
t.time()
t.row("main", calls=1, open=1, self=1000, total=30000)
t.row("short_one", calls=100, self=2000, min=10, max=50)
t.no_slot(0, 10, 300)
t.outside(0, 500)
t.counts["hooks"] = 70
t.snapshot()
t.time()
PYTHON
  advise --format json
  [ "$status" -eq 0 ] || show_and_fail "exit status $status"
  [ "$(json .source)" = "the function table" ]
  # 3300 ticks, 70, and 111 * 40 for the calls; of main() one hook was called.
  [ "$(json '"\(.wall) \(.outside) \(.pairs)"')" = "7810 500 110.5" ]
  [ "$(json '.pair_ticks * 110.5 * 1000 | round')" = 4510000 ]
  [ "$(json '.rows[] | select(.function == "short_one") | .calls')" = 100 ]
  # At 40 / 16 ticks an instruction, of which 4 are no hooks: all is as measured.
  [ "$(json '.slowdown * .ticks_without | round')" = 7810 ]
}
