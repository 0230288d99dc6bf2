#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
#
# Verbs, options, help.

load common

@test "no arguments: a short usage" {
  run_apart "$MCUPROF"
  [ "$status" -eq 2 ]
  [ ! -s out ]
  grep -q "^usage: mcuprof VERB" err
  [ "$(wc -l <err)" -lt 17 ]
}

@test "help goes to standard output" {
  run_apart "$MCUPROF" --help
  [ "$status" -eq 0 ]
  assert_out "^usage: mcuprof" "record" "report" "where" "info"
  for verb in record report where info; do
    run_apart "$MCUPROF" "$verb" --help
    [ "$status" -eq 0 ]
    assert_out "^usage: mcuprof $verb" "--help"
    cp out first
    run_apart "$MCUPROF" help "$verb"
    cmp out first
    [ "$(awk '{ if (length > 100) print }' out)" = "" ]
  done
  run_apart "$MCUPROF" --version
  [ "$status" -eq 0 ]
  assert_out "^mcuprof [0-9]+\.[0-9]+\.[0-9]+$"
}

@test "a misspelt verb or option gets a suggestion" {
  run_apart "$MCUPROF" reprot
  assert_complaint 2 "no verb 'reprot'"
  grep -q "did you mean .mcuprof report" err
  run_apart "$MCUPROF" xyzzy
  assert_complaint 2 xyzzy
  run_apart "$MCUPROF" help reprot
  assert_complaint 2 reprot
  run_apart "$MCUPROF" report --fromat csv
  assert_complaint 2 "no option --fromat"
  grep -q "did you mean --format?" err
  run_apart "$MCUPROF" report -q
  assert_complaint 2 "no option -q"
}

@test "values are checked" {
  run_apart "$MCUPROF" report --format xml
  assert_complaint 2 "--format cannot be 'xml'"
  grep -q "one of: table, csv, json" err
  run_apart "$MCUPROF" report --by lines
  assert_complaint 2 "--by cannot be"
  run_apart "$MCUPROF" report -n -1
  assert_complaint 2 "cannot be '-1'"
  run_apart "$MCUPROF" report -n
  assert_complaint 2 "needs a value"
  run_apart "$MCUPROF" report --force=yes
  assert_complaint 2 "takes no value"
  for duration in 0 x 5y -1s 99999999999999999999s; do
    run_apart "$MCUPROF" record - --duration "$duration"
    assert_complaint 2 "--duration cannot be"
  done
  run_apart "$MCUPROF" record
  assert_complaint 2 "record"
  run_apart "$MCUPROF" report one two
  assert_complaint 2 "one argument too many: two"
}

@test "options in every way of writing" {
  make_capture normal elf="$ELF" >capture.mprof
  run_apart "$MCUPROF" report -e "$ELF" --format=csv
  cp out first
  run_apart "$MCUPROF" report capture.mprof "-e$ELF" --format csv
  cmp out first
  run_apart "$MCUPROF" report --elf="$ELF" --format csv -- capture.mprof
  cmp out first
}
