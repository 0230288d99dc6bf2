#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
#
# What `calls` and `tree` say of what they cannot show: options that fit
# nothing, losses without a place, calls that were not recorded.

load common

capture() { # file; a script on standard input
  python3 "$TOOLS/mtrace.py" "$1" "$ELF"
}

nested() { # of ring()...
  capture nested.mprof <<PYTHON
t = ring($1)
t.hello(start=True)
t.to(100).switch(0).enter("Reset_Handler").to(200).enter("work")
t.to(300).enter("other")
t.time()
PYTHON
}

@test "a function that nothing fits: said, as a context is" {
  nested
  run_apart "$MCUPROF" calls nested.mprof -e "$ELF" --function 'nosuch*'
  [ "$status" -eq 0 ]
  grep -q "^mcuprof: .*no function that was called fits 'nosuch\*'" err
  run_apart "$MCUPROF" calls nested.mprof -e "$ELF" --function 'othe*'
  [ "$status" -eq 0 ]
  refute_grep 'no function' err
  # It is in the ELF, and was not called.
  run_apart "$MCUPROF" calls nested.mprof -e "$ELF" --function 'Default_Handler'
  grep -q "no function that was called fits 'Default_Handler'" err
}

@test "--open --depth: the outer ones, and how many are within" {
  nested
  run_apart "$MCUPROF" calls nested.mprof -e "$ELF" --open --depth 1
  assert_out '^thread: 3 open$' '^ +0\.000 +200\.000  Reset_Handler' \
    '^ +2 more within \(--depth\)$'
  refute_out ' work$'
  run_apart "$MCUPROF" calls nested.mprof -e "$ELF" --open --depth 3
  assert_out ' other$'
  refute_out 'more within'
  run_apart "$MCUPROF" calls nested.mprof -e "$ELF" --open
  assert_out ' other$'
  refute_out 'more within'
}

@test "records that a ring lost have no place, and are not 'no records'" {
  local verb
  arm-none-eabi-objcopy --add-symbol mcuprof_trace=0x20000100,global \
    "$ELF" ring.elf
  python3 "$TOOLS/ring_memory.py" memory made=200 lost=3 >memory
  for verb in calls tree; do
    run_apart "$MCUPROF" $verb ram:memory@20000000 -e ring.elf
    [ "$status" -eq 0 ] || show_and_fail "$verb"
    assert_out 'lost +3 records on the target, nobody knows where' \
      'lost 3 on the target'
    refute_out 'no room'
    refute_out 'lost +no records'
  done
  run_apart "$MCUPROF" calls ram:memory@20000000 -e ring.elf --format json
  [ "$(json .quality.records_lost_anywhere)" -eq 3 ]
  python3 "$TOOLS/ring_memory.py" memory made=200 >memory
  run_apart "$MCUPROF" calls ram:memory@20000000 -e ring.elf
  assert_out 'lost +no records'
}

@test "not every call is recorded: the others' hooks are in their callers" {
  local verb
  nested selected=1,pair=12,inner=5
  for verb in calls tree; do
    run_apart "$MCUPROF" $verb nested.mprof -e "$ELF"
    assert_out '^ +hooks +a call costs 12 cycles.*; not every call'
  done
  run_apart "$MCUPROF" info nested.mprof
  assert_out 'not every call was recorded'
  run_apart "$MCUPROF" info nested.mprof --format json
  [ "$(json .quality.ring.selected)" = true ]
  nested pair=12,inner=5
  run_apart "$MCUPROF" calls nested.mprof -e "$ELF"
  [ "$status" -eq 0 ]
  refute_out 'not every call'
  run_apart "$MCUPROF" info nested.mprof
  [ "$status" -eq 0 ]
  refute_out 'not every call'
}
