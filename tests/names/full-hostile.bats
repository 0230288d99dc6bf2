#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
#
# What hostile.bats samples, whole: every cut, every lying field, and
# thousands of changes by chance.

bats_require_minimum_version 1.5.0

setup_file() {
  "$BATS_TEST_DIRNAME/hostile_base.sh" "$BATS_FILE_TMPDIR"
}

setup() {
  BUILD=${BUILD:-$BATS_TEST_DIRNAME/../../build}
  BASE=$BATS_FILE_TMPDIR
}

hostile() { # sanitizer's compiler, arguments of hostile.py...
  local program=$BUILD/asan-$1/mcuprof
  shift
  PYTHONDONTWRITEBYTECODE=1 "$BATS_TEST_DIRNAME/hostile.py" --report \
    "$program" "$@"
}

@test "hand-made debug info" {
  hostile clang cases
}

@test "ELFs cut at and within every section" {
  for elf in "$BASE"/*.elf; do
    hostile clang truncated "$elf"
  done
}

@test "headers whose fields lie" {
  for elf in "$BASE"/*.elf; do
    hostile gcc sections "$elf"
  done
}

@test "bytes changed by chance" {
  hostile gcc mutated "$BASE"/*.elf --seed 100000 --count 2000
  hostile clang mutated "$BASE"/*.elf --seed 200000 --count 2000
}
