#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
#
# Firmware with hooks, damaged: what `mcuprof lint` follows through code,
# symbols and debug info comes to an end, without a word from the sanitizers.
# full-hostile-lint.bats goes through more of them.

load hostile_lint

setup_file() {
  cd "$BATS_FILE_TMPDIR" || return 1
  build_hostile_hooks
}

setup() {
  cd "$BATS_FILE_TMPDIR" || return 1
}

@test "cut files" {
  hostile gcc truncated gcc.elf --every 2
}

@test "headers of sections that lie" {
  hostile gcc sections gcc.elf --every 10
}

@test "bytes replaced by chance, in code and symbols too" {
  hostile gcc mutated gcc.elf clang.elf inline.elf --count 60
}
