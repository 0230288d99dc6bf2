#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
#
# What hostile_lint.bats samples, whole.

load hostile_lint

setup_file() {
  cd "$BATS_FILE_TMPDIR" || return 1
  build_hostile_hooks
}

setup() {
  cd "$BATS_FILE_TMPDIR" || return 1
}

@test "headers of sections that lie" {
  for elf in gcc.elf clang.elf; do
    hostile clang sections $elf
  done
}

@test "bytes replaced by chance, in code and symbols too" {
  hostile gcc mutated gcc.elf clang.elf inline.elf --count 1000
}
