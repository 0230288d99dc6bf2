#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
#
# `mcuprof report` and `info`: every number has its source in the scenario
# of tests/tools/mprof.py that the capture was made from.

load common

report() { # scenario, options of report...
  local scenario=$1
  shift
  make_capture "$scenario" elf="$ELF" >"$scenario.mprof"
  run_apart "$MCUPROF" report "$scenario.mprof" -e "$ELF" "$@"
  [ "$status" -eq 0 ] || show_and_fail "exit status $status"
}

@test "functions with their share and confidence" {
  report normal
  # Half of the score interval's width at 600, 200, 150 and 50 of 1,000.
  assert_out '^ +share +\+/- +samples +function$' \
    '^ +60\.00 +3\.03 +600 +work$' '^ +20\.00 +2\.48 +200 +other$' \
    '^ +15\.00 +2\.21 +150 +\[idle\]$' \
    '^ +5\.00 +1\.36 +50 +SysTick_Handler$'
  [ "$(awk '{ if (length > 100) print }' out)" = "" ]
}

@test "contexts, with idle apart" {
  report normal --by context
  assert_out '80\.00 .* 800 +thread$' '15\.00 .* 150 +\[idle\]$' \
    '5\.00 .* 50 +SysTick \(15\)$'
  report strange --by context
  assert_out '50\.00 .* control \(512\)$' '20\.00 .* task 513$'
}

@test "addresses" {
  report normal --by address
  assert_out '60\.00 .* 600 +0x[0-9a-f]{8} +small\.c:[0-9]+ +work\+0x4$' \
    '15\.00 .* 150 +0x[0-9a-f]{8} .* Reset_Handler\+0x[0-9a-f]+ \[idle\]$'
}

@test "several tables over one quality block" {
  report normal --by context,function
  assert_out '80\.00 .* 800 +thread$' '60\.00 .* 600 +work$'
  [ "$(grep -c '^quality$' out)" -eq 1 ]
  [ "$(grep -n 'thread$' out | cut -d: -f1)" -lt \
    "$(grep -n ' work$' out | cut -d: -f1)" ]
  for format in csv json; do
    run_apart "$MCUPROF" report normal.mprof -e "$ELF" \
      --by function,context --format $format
    assert_complaint 2 'csv and json hold one table'
  done
  for list in 'function,' ',context' 'function,other' \
    'function,function,function,function,function,function'; do
    run_apart "$MCUPROF" report normal.mprof -e "$ELF" --by $list
    assert_complaint 2 "cannot be '$list'"
  done
}

@test "sorting and the number of rows" {
  report normal --sort name --format csv
  [ "$(cut -d, -f8 out | tr '\n' ' ')" = \
    "function SysTick_Handler [idle] other work " ]
  report normal --sort address --format csv
  [ "$(cut -d, -f8 out | tail -n 1)" = "[idle]" ]
  report normal -n 1
  assert_out ' work$' '\[idle\]$' \
    '2 more functions, 25\.00 % together \(-n 0 shows all\)'
  refute_out ' other$'
  report normal -n 0
  refute_out 'more functions'
}

@test "CSV: the table on stdout, quality on stderr" {
  report normal --format csv
  [ "$(wc -l <out)" -eq 5 ]
  [ "$(head -n 1 out)" = "share_percent,low_percent,high_percent,samples,\
address,size,kind,function,linkage,module" ]
  # Wilson's interval of 600 of 1,000: 0.569309 to 0.629925.
  assert_out '^60\.0000,56\.9309,62\.9925,600,0x[0-9a-f]{8},[0-9]+,function,work,work,fw\.elf$'
  grep -q '^quality' err
  grep -q 'none lost' err
}

@test "JSON: schema, rows, quality" {
  report normal --format json
  [ "$(json .schema_version)" -eq 1 ]
  [ "$(json .by)" = function ]
  [ "$(json '[.rows[].samples] | add')" -eq 1000 ]
  [ "$(json '.rows[0] | .function, .kind, .samples' | tr '\n' ' ')" = \
    "work function 600 " ]
  [ "$(json '.rows[0] | .low_percent < .share_percent
      and .share_percent < .high_percent')" = true ]
  [ "$(json .quality.identity)" = match ]
  [ "$(json .quality.build)" = "demo 1.2-3-gabcdef0" ]
  [ "$(json .quality.core)" = "Cortex-M3 r2p1" ]
  [ "$(json '.quality.wall_seconds == 1')" = true ]
  [ "$(json .quality.selftest)" = null ]
  [ "$(json .quality.clock_stopped_seconds)" = null ]
  [ ! -s err ]
}

@test "losses apart, missed periods in the shares" {
  report lossy --format json
  [ "$(json .quality.samples)" -eq 150 ]
  [ "$(json .quality.lost_target)" -eq 7 ]
  [ "$(json .quality.lost_line)" -eq 30 ]
  [ "$(json .quality.missed)" -eq 50 ]
  [ "$(json .quality.produced)" -eq 187 ]
  # 110 of 150 samples and 50 missed periods.
  [ "$(json '.rows[] | select(.function == "work")
      | .share_percent == 55')" = true ]
  [ "$(json '.rows[] | select(.kind == "not_sampled")
      | .samples == 50 and .share_percent == 25 and .low_percent == null')" \
    = true ]
  run_apart "$MCUPROF" report lossy.mprof -e "$ELF" --strict
  [ "$status" -eq 3 ]
  assert_out '\[not sampled\]'
}

@test "what cannot be named" {
  report strange
  assert_out '8\.00 .* 8 +\[unknown\]$' '4\.00 .* 4 +\[secure\]$' \
    '6\.00 .* 6 +\[non-secure\]$' \
    '\[unknown\] is 2 addresses: 0x30000000 \(5\), 0x40000010 \(3\)' \
    'unresolved +8 samples at 2 addresses'
}

@test "which clock, and why; twice the same" {
  python3 - "$TOOLS" <<'PYTHON'
import sys
sys.path.insert(0, sys.argv[1])
import mprof
target = mprof.Target(clock=3, reason=2, bits=0x98, cpuid=0x410CC200, sampler=2)
target.hello(start=True)
target.time()
target.sample(0x100, count=10)
target.time()
open("m0.mprof", "wb").write(target.out)
PYTHON
  run_apart "$MCUPROF" report m0.mprof -e "$ELF"
  [ "$status" -eq 0 ]
  assert_out "firmware +Cortex-M0 r0p0" \
    "clock +SysTick, 25 MHz, 24 bits down: this core has no DWT" \
    "at least: this clock cannot count more than one" "jitter off" \
    "not yet known"
  cp out first
  run_apart "$MCUPROF" report m0.mprof -e "$ELF"
  cmp out first
}

@test "no child process in report" {
  make_capture normal elf="$ELF" >capture.mprof
  # The leak checker of a sanitized program would fork at exit.
  export ASAN_OPTIONS=detect_leaks=0
  run_apart python3 "$TOOLS/nochild.py" bash -c 'ls; true'
  [ "$status" -eq 159 ] || show_and_fail "the filter does not work: $status"
  for by in function context address; do
    run_apart python3 "$TOOLS/nochild.py" "$MCUPROF" report -e "$ELF" --by $by
    [ "$status" -eq 0 ] || show_and_fail "exit status $status"
    assert_out "quality"
  done
}

@test "no escape bytes into a pipe, nor with NO_COLOR" {
  export TERM=xterm-256color
  make_capture normal elf="$ELF" >capture.mprof
  "$MCUPROF" report -e "$ELF" | cat >piped
  refute_grep $'\033' piped
  script -qec "'$MCUPROF' report -e '$ELF'" /dev/null >terminal
  grep -q $'\033\\[1m' terminal
  NO_COLOR=1 script -qec "'$MCUPROF' report -e '$ELF'" /dev/null >terminal
  refute_grep $'\033' terminal
  TERM=dumb script -qec "'$MCUPROF' report -e '$ELF'" /dev/null >terminal
  refute_grep $'\033' terminal
  script -qec "'$MCUPROF' report -e '$ELF' --color=never" /dev/null >terminal
  refute_grep $'\033' terminal
  NO_COLOR=1 "$MCUPROF" report -e "$ELF" --color=always | cat >piped
  grep -q $'\033\\[1m' piped
  # Colour or not, the words are the same.
  sed 's/\x1b\[[0-9;]*m//g' piped | cmp - <("$MCUPROF" report -e "$ELF")
}

@test "long names are shortened on a terminal only" {
  make_capture strange elf="$ELF" >capture.mprof
  "$MCUPROF" report -e "$ELF" >piped
  grep -q 'a_function_with_a_name_.*_in_full_on_one_line$' piped
  script -qec "stty cols 70; '$MCUPROF' report -e '$ELF' --color=never" \
    /dev/null | tr -d '\r' >terminal
  grep -q 'a_function_with.*\.\..*on_one_line$' terminal
  [ "$(grep -F .. terminal | awk '{ if (length != 70) print }')" = "" ]
}

@test "greeting, half a frame, printf in between, rubbish" {
  report normal --format json
  json '.rows' >clean
  report noisy --format json
  json '.rows' | cmp - clean
  [ "$(json .quality.samples)" -eq 1000 ]
  [ "$(json .quality.lost_line)" -eq 0 ]
  [ "$(json .quality.frames_missing)" -eq 0 ]
  # "SEGGER J-Link ...\r\n" and half a frame are one stretch.
  [ "$(json .quality.text_bytes)" -eq \
    "$(printf 'printf: hello world\nbye\r\n' | wc -c)" ]
  [ "$(json .quality.damaged_bytes)" -gt 20 ]
}

@test "joining a running target in the middle of a frame is no damage" {
  make_capture normal elf="$ELF" >whole
  # Into the HELLO: it has no zero byte in its last ten.
  tail -c +60 whole >capture.mprof
  run_apart "$MCUPROF" report -e "$ELF" --strict --force
  [ "$status" -eq 0 ] || show_and_fail "exit status $status"
  assert_out 'it begins in the middle of a frame' 'samples +1,000, none lost' \
    'clock +not known: no HELLO' 'rate +not measured' 'identity +not yet known'
}

@test "one address, one sample, no sample at all" {
  local scenario by format
  for scenario in one_address one_sample empty; do
    for by in function context address; do
      for format in table csv json; do
        report "$scenario" --by "$by" --format "$format"
      done
    done
    run_apart "$MCUPROF" info "$scenario.mprof"
    [ "$status" -eq 0 ]
  done
  report one_address
  assert_out '100\.00 +0\.19 +1,000 +work$'
  report one_sample
  assert_out '100\.00 +39\.67 +1 +work$'
  report empty
  assert_out 'no samples in this capture' 'samples +0, none lost'
  report empty --format json
  [ "$(json '.rows | length')" -eq 0 ]
}

@test "the longest stretch without sampling and where it ended" {
  report masked
  # TIME's 50,000 ticks at 25 MHz beat the samples' 700.
  assert_out 'masked +sampling was kept off for 2 ms at most, until other\+0x4 '
}

@test "what sampling cannot see" {
  report normal
  assert_out 'unseen +the sampler SysTick \(15\), UART0_Handler \(16\); it'
}

@test "a clock that stops in sleep" {
  report slept --format json
  [ "$(json '.quality.wall_seconds == 10')" = true ]
  [ "$(json '.quality.clock_stopped_seconds == 7')" = true ]
  report slept
  assert_out 'stood still for 7 s'
  report normal
  assert_out 'no second clock'
}

@test "the selftest's verdict" {
  local words='.quality.selftest | "\(.capture) \(.clock) \(.names)"'
  report tested --format json
  [ "$(json "$words")" = "right right right" ]
  make_capture tested elf="$ELF" hits=500,500 >capture.mprof
  run_apart "$MCUPROF" report -e "$ELF" --format json
  [ "$(json "$words")" = "WRONG right right" ]
  make_capture tested elf="$ELF" ticks=3000000,1100000 >capture.mprof
  run_apart "$MCUPROF" report -e "$ELF" --format json
  [ "$(json "$words")" = "right WRONG right" ]
  make_capture tested elf="$ELF" hits=6,2 >capture.mprof
  run_apart "$MCUPROF" report -e "$ELF" --format json
  [ "$(json "$words")" = "open right right" ]
  arm-none-eabi-strip -o stripped.elf "$ELF"
  run_apart "$MCUPROF" report -e stripped.elf --by address --format json
  [ "$(json "$words")" = "open right WRONG" ] ||
    [ "$(json "$words")" = "open right open" ]
}

@test "which ELF: named at recording, environment, the one that matches" {
  make_capture normal elf="$ELF" >capture.mprof
  run_apart "$MCUPROF" report
  assert_complaint 1 "no ELF given"
  MCUPROF_ELF=$ELF run_apart "$MCUPROF" report
  [ "$status" -eq 0 ]
  cp "$ELF" right.elf
  build_elf wrong.elf -DVARIANT=2
  echo nonsense >broken.elf
  run_apart "$MCUPROF" report --format json
  [ "$status" -eq 0 ]
  [ "$(json .elf)" = right.elf ]
  cp "$ELF" again.elf
  run_apart "$MCUPROF" report
  assert_complaint 1 "more than one"
  make_capture hosted elf="$ELF" path="$PWD/right.elf" >capture.mprof
  MCUPROF_ELF=wrong.elf run_apart "$MCUPROF" report --format json
  [ "$status" -eq 0 ]
  [ "$(json .elf)" = "$PWD/right.elf" ]
  run_apart "$MCUPROF" report -e wrong.elf
  assert_complaint 1 "another build"
}

@test "from standard input" {
  make_capture normal elf="$ELF" >bytes
  run_apart "$MCUPROF" report - -e "$ELF" <bytes
  [ "$status" -eq 0 ]
  assert_out ' work$'
}

@test "info needs no ELF" {
  make_capture hosted elf="$ELF" path=/some/fw.elf >capture.mprof
  run_apart "$MCUPROF" info
  [ "$status" -eq 0 ]
  assert_out "2023-11-14 22:13:20 UTC" "/some/fw.elf" "frames, SAMPLE +[0-9]" \
    "clock +DWT"
  run_apart "$MCUPROF" info --format json
  [ "$(json .quality.samples)" -eq 1000 ]
  run_apart "$MCUPROF" info --format csv
  [ "$(head -n 1 out)" = "item,value" ]
}

@test "the fixture of the damage tests is what the tool makes" {
  make_capture rough | cmp - "$ROOT/tests/unit/fixtures/rough.wire"
}

@test "names that would write on the terminal, or fill the memory" {
  # Without debug info, whose names objcopy leaves alone.
  build_elf odd.elf -g0 -Dwork='work_' -Wl,--defsym=unused=0
  long=$(head -c 3000 /dev/zero | tr '\0' x)
  arm-none-eabi-objcopy --redefine-sym work_="$(printf 'w\033[31m\nk')" \
    --redefine-sym other="$long" odd.elf
  make_capture normal elf="$ELF" >normal.mprof
  run_apart "$MCUPROF" report normal.mprof -e odd.elf --force
  [ "$status" -eq 0 ]
  assert_out ' w\?\[31m\?k$'
  refute_out "$(printf '\033')"
  [ "$(awk '{ if (length > 1100) print }' out)" = "" ]
}

@test "the sampling interrupt's cost, without a time, and not measured" {
  made() { # settings, then what comes behind the HELLO
    python3 - "$TOOLS" "$1" "$2" <<'PYTHON'
import sys
sys.path.insert(0, sys.argv[1])
import mprof
t = eval(f"mprof.Target({sys.argv[2]})")
exec(sys.argv[3])
open("capture.mprof", "wb").write(t.out)
PYTHON
    run_apart "$MCUPROF" info --format json
    json '.quality.lines[] | select(.about == "own share") | .text' >text
    json '.quality | "\(.sampler_cost_ticks) \(.sampler_share)"' >facts
  }
  # The end of a stream: one TIME, or none.
  local behind
  for behind in 't.sample(0x100, count=10); t.flush()' \
    't.sample(0x100, count=10); t.time()'; do
    made cost=107 "t.hello(); $behind"
    [ "$(cat facts)" = '107 null' ]
    grep -q '^107 ticks in each .*; its share needs the time, which is not known' text
  done
  # 100 samples in 2,500,000 ticks.
  behind='t.time(); t.sample(0x100, count=100); t.time()'
  made cost=107 "t.hello(start=True); $behind"
  grep -q '^0.43 % in the sampling interrupt (107 ticks each' text
  made cost=0,sampler=8 "t.hello(start=True); $behind"
  [ "$(cat facts)" = 'null null' ]
  grep -q 'cost was not measured' text
  made cost=107 "$behind"
  [ "$(cat facts)" = 'null null' ]
  grep -q 'cost is not known: no HELLO' text
}

@test "more samples than the time has room for: whose fault that is" {
  local sampler
  # JITTER is what says that the timer is ours.
  for sampler in 0 1; do
    python3 - "$TOOLS" $sampler <<'PYTHON'
import sys
sys.path.insert(0, sys.argv[1])
import mprof
t = mprof.Target(sampler=int(sys.argv[2]))
t.hello(start=True)
t.time()
t.sample(0x100, count=1000)
t.ticks //= 2
t.time()
open("capture.mprof", "wb").write(t.out)
PYTHON
    run_apart "$MCUPROF" info --format json
    [ "$(json .quality.clock_wrapped_unseen)" = true ]
    json '.quality.lines[].text' >"lines$sampler"
    grep -q 'more was sampled .* core_hz or clock_hz is not its rate' \
      "lines$sampler"
  done
  grep -q 'not ours, is faster than rate_hz says, and time and rate are right' \
    lines0
  refute_grep rate_hz lines1
}

@test "a rate that nothing measured is not called so" {
  local clock
  for clock in 1:measured 2:measured 3:measured 4:programmed 5:assumed; do
    python3 - "$TOOLS" "${clock%:*}" <<'PYTHON'
import sys
sys.path.insert(0, sys.argv[1])
import mprof
t = mprof.Target(clock=int(sys.argv[2]))
t.hello(start=True)
t.time()
t.sample(0x100, count=1000)
t.selftest(0x100, 0x200)
t.time()
open("capture.mprof", "wb").write(t.out)
PYTHON
    run_apart "$MCUPROF" info
    assert_out "rate +1 kHz ${clock#*:}, 1 kHz nominal"
    run_apart "$MCUPROF" info --format json
    [ "$(json .quality.rate_basis)" = "${clock#*:}" ]
    json '.quality.lines[].text' >lines
    # That the rate is the nominal one is a finding only if it was measured.
    if [ "${clock#*:}" = measured ]; then
      grep -q 'rate 1.000 of nominal' lines
      refute_grep assumed lines
    else
      grep -q 'rate ? of nominal' lines
    fi
    if [ "${clock#*:}" = assumed ]; then
      grep -q '^1 s in 1 segment, assumed (see rate)$' lines
      grep -q '^nothing measures it: ' lines
    else
      refute_grep 'nothing measures it' lines
    fi
  done
  # A second clock that ran longer has measured the time, though not the rate.
  python3 - "$TOOLS" <<'PYTHON'
import sys
sys.path.insert(0, sys.argv[1])
import mprof
t = mprof.Target(clock=5, second_hz=32768)
t.hello(start=True)
t.time()
t.sample(0x100, count=1000)
t.second = 65536
t.time()
open("capture.mprof", "wb").write(t.out)
PYTHON
  run_apart "$MCUPROF" info
  assert_out 'time +2 s in 1 segment$' 'rate +1 kHz assumed,'
}

@test "a ring alone: no line about samples, but how long it went" {
  arm-none-eabi-objcopy --add-symbol mcuprof_trace=0x20000100,global \
    "$ELF" ring.elf
  python3 "$TOOLS/ring_memory.py" memory made=40 >memory
  run_apart "$MCUPROF" info ram:memory@20000000 -e ring.elf
  [ "$status" -eq 0 ]
  # Record n is made at 37 n, of 1 MHz: 39 of them.
  assert_out 'samples +none: the firmware has no sampler' \
    'time +1\.443 ms from the first to the last record of the call ring' \
    "hooks cost 70 ticks, measured on this chip$"
  refute_out '(missed|rate|masked|unseen|own share) '
  run_apart "$MCUPROF" info ram:memory@20000000 -e ring.elf --format json
  [ "$(json '.quality | .ring_seconds, .wall_seconds, .ring.kept' |
    xargs)" = '0.001443 null false' ]
  [ "$(json '.quality.identity')" = 'not yet known' ]
  # Left by a boot before: bit 7 of the state.
  python3 "$TOOLS/ring_memory.py" memory made=40 state=6 elf="$ELF" >memory
  run_apart "$MCUPROF" record ram:memory@20000000 -e ring.elf -o read
  python3 - "$TOOLS" <<'PYTHON'
import sys
sys.path.insert(0, sys.argv[1])
import mprof
with open("kept", "wb") as out:
    for kind, seq, payload in mprof.frames(open("read", "rb").read()):
        if kind == 7:
            payload = bytes([payload[0] | 0x80]) + payload[1:]
        if kind != mprof.HOST:
            out.write(mprof.frame(kind, seq, payload))
PYTHON
  run_apart "$MCUPROF" info kept
  assert_out 'of 64, frozen by a fault, left by a boot before: 40 records' \
    'frozen at 0x08000154'
  run_apart "$MCUPROF" info kept --format json
  [ "$(json '.quality | .identity, .ring.state, .ring.kept' | paste -sd,)" = \
    'not checked,frozen by a fault,true' ]
}
