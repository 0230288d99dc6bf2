#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
#
# Several ELFs at once: a boot loader, an application, code that was loaded
# elsewhere than linked.

load common

setup_file() {
  cd "$BATS_FILE_TMPDIR" || return 1
  build_elf boot.elf
  build_linked app.elf -O2 -g -Dhelper=work "$SMALL/chain_one.c" \
    "$SMALL/chain_two.c"
  arm-none-eabi-gcc -mcpu=cortex-m3 -mthumb -nostdlib -Wl,-Ttext=0 -O2 -g \
    -o pic.elf "$SMALL/chain_one.c" "$SMALL/chain_two.c"
}

setup() {
  unset MCUPROF_ELF NO_COLOR
  cd "$BATS_TEST_TMPDIR" || return 1
  cp "$BATS_FILE_TMPDIR"/*.elf .
  export ELF=boot.elf
}

in_elf() { # elf, symbol
  ELF=$1 address_of "$2"
}

both() { # options...
  run_apart "$MCUPROF" report both.mprof -e boot.elf -e app.elf "$@"
  [ "$status" -eq 0 ] || show_and_fail "exit status $status"
}

make_both() {
  make_capture at elf=boot.elf at="$(in_elf boot.elf work):30,\
$(in_elf boot.elf other):20,$(in_elf app.elf work):40,\
$(in_elf app.elf in_innermost_one):10" >both.mprof
}

@test "where: each address is its own ELF's" {
  run_apart "$MCUPROF" where -e boot.elf -e app.elf \
    "$(in_elf boot.elf other)" "$(in_elf app.elf in_innermost_two)"
  [ "$status" -eq 0 ]
  assert_out '^0x[0-9a-f]+  other  .*small\.c:[0-9]+  \.text  boot\.elf$' \
    '^ +outer_two\+0x10 .* \.text  app\.elf$'
  run_apart "$MCUPROF" where -e boot.elf -e app.elf --format json \
    "$(in_elf boot.elf other)" "$(in_elf app.elf outer_two)" fffffff0
  [ "$(json '[.places[].module] | tostring')" = '["boot.elf","app.elf",null]' ]
}

@test "report: names that both have carry the module" {
  make_both
  both
  assert_out ' 30 +work \(boot\.elf\)$' \
    " 40 +work.* \(app\.elf\)$" ' 20 +other$' ' 10 +outer_one$'
  both --format json
  [ "$(json '.rows[] | select(.samples == 30) | .function, .module' | xargs)" \
    = "work boot.elf" ]
  [ "$(json '.elfs | tostring')" = '["boot.elf","app.elf"]' ]
  both --by line
  assert_out ' 10 +[^ ]*chain\.h:[0-9]+ +innermost$' \
    ' 20 +[^ ]*small\.c:[0-9]+ +other$'
}

@test "report: a line of both is a row of each" {
  arm-none-eabi-gcc -mcpu=cortex-m3 -mthumb -nostdlib -O2 -g \
    -Wl,-Ttext=0x20000 -o app.elf "$SMALL/chain_one.c" "$SMALL/chain_two.c"
  arm-none-eabi-gcc -mcpu=cortex-m3 -mthumb -nostdlib -O2 -g \
    -Wl,-Ttext=0x10000 -o boot.elf "$SMALL/chain_one.c" "$SMALL/chain_two.c"
  make_capture at at="$(in_elf boot.elf in_innermost_one):30,\
$(in_elf app.elf in_innermost_one):70" >both.mprof
  both --by line
  assert_out '^ +30\.00 .* innermost \(boot\.elf\)$' \
    '^ +70\.00 .* innermost \(app\.elf\)$'
  both --by line --format json
  [ "$(json '[.rows[] | "\(.samples) \(.module)"] | sort | join(",")')" = \
    "30 boot.elf,70 app.elf" ]
  both --by address
  assert_out ' outer_one.* \(boot\.elf\)$' ' outer_one.* \(app\.elf\)$'
  both --by file
  assert_out '^ +100\.00 .* chain\.h$'
}

@test "identity: one has to match, and which did is said" {
  make_both
  both
  assert_out 'the ELF matches: CRC-32' \
    'that is boot\.elf; the other ELF is not checked by it'
  both --format json
  [ "$(json '.quality | .identity, .identity_path' | xargs)" = \
    "match boot.elf" ]
  # In any order.
  run_apart "$MCUPROF" report both.mprof -e app.elf -e boot.elf --format json
  [ "$(json '.quality | .identity, .identity_path' | xargs)" = \
    "match boot.elf" ]
  build_elf wrong.elf -DVARIANT=2
  run_apart "$MCUPROF" report both.mprof -e wrong.elf -e app.elf
  assert_complaint 1 'another build'
  run_apart "$MCUPROF" report both.mprof -e boot.elf
  [ "$status" -eq 0 ]
  assert_out 'the ELF matches'
  refute_out 'not checked'
  assert_out ' 50 +\[unknown\]$'
}

@test "contexts are named by the vector table's ELF" {
  make_capture normal elf=boot.elf >both.mprof
  run_apart "$MCUPROF" report both.mprof -e app.elf -e boot.elf --by context
  [ "$status" -eq 0 ]
  assert_out ' 50 +SysTick \(15\)$' ' 150 +\[idle\]$' 'UART0_Handler \(16\)'
}

@test "an ELF that was loaded elsewhere" {
  at=$(($(in_elf pic.elf in_innermost_one) + 0x20001000))
  run_apart "$MCUPROF" where -e pic.elf@0x20001000 --format json \
    "$(printf %x $at)" "$(in_elf pic.elf in_innermost_one)"
  [ "$status" -eq 0 ]
  "$ADDR2LINE" -f -i -e pic.elf "$(in_elf pic.elf in_innermost_one)" >expected
  json '.places[0].frames[] | .function, "\(.file):\(.line)"' | diff expected -
  [ "$(json '.places[0].symbol.start')" -eq \
    $(($(in_elf pic.elf outer_one) + 0x20001000)) ]
  [ "$(json '.places[1].kind')" = unknown ]
  # With and without 0x.
  run_apart "$MCUPROF" where -e pic.elf@20001000 "$(printf %x $at)"
  assert_out ' outer_one\+0x10 '
  make_capture at elf=boot.elf \
    at="$(printf %x $at):60,$(in_elf boot.elf work):40" >both.mprof
  run_apart "$MCUPROF" report both.mprof -e boot.elf -e pic.elf@0x20001000
  [ "$status" -eq 0 ]
  assert_out ' 60 +outer_one$' ' 40 +work$'
}

@test "idle code is found in every ELF" {
  cp boot.elf second.elf
  at=$(($(in_elf second.elf sleep_here) + 0x8000))
  make_capture at elf=boot.elf \
    at="$(printf %x $at):60,$(in_elf boot.elf work):40" >both.mprof
  run_apart "$MCUPROF" report both.mprof -e boot.elf -e second.elf@0x8000
  [ "$status" -eq 0 ]
  assert_out ' 60 +\[idle\]$' ' 40 +work$'
}

@test "two ELFs that claim the same addresses: the first wins, with a warning" {
  make_capture normal elf=boot.elf >both.mprof
  cp boot.elf again.elf
  run_apart "$MCUPROF" report both.mprof -e boot.elf -e again.elf
  [ "$status" -eq 0 ]
  grep -q '^mcuprof: warning: ' err
  assert_out '^  names +' ' 600 +work$'
  run_apart "$MCUPROF" report both.mprof -e boot.elf -e again.elf \
    --format json
  [ "$(json '.quality.name_problems | length')" -ge 1 ]
  run_apart "$MCUPROF" where -e boot.elf -e again.elf work
  [ "$status" -eq 0 ]
  grep -q '^mcuprof: warning: ' err
}

@test "record keeps one ELF" {
  make_capture normal elf=boot.elf >bytes
  run_apart "$MCUPROF" record bytes -e boot.elf -e app.elf
  assert_complaint 2 'one ELF, not of 2'
  run_apart "$MCUPROF" record bytes -e boot.elf
  [ "$status" -eq 0 ]
  run_apart "$MCUPROF" report
  [ "$status" -eq 0 ]
  assert_out ' 600 +work$'
}
