#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
#
# Debug info that is damaged, lies, or was made to do harm, read by the
# sanitized program: no crash, no hang, no leak, and the names that the symbol
# table still has. hostile.py says what is asserted of each file;
# full-hostile.bats goes through more of them.

bats_require_minimum_version 1.5.0

setup_file() {
  "$BATS_TEST_DIRNAME/hostile_base.sh" "$BATS_FILE_TMPDIR"
}

setup() {
  BUILD=${BUILD:-$BATS_TEST_DIRNAME/../../build}
  SANITIZED=$BUILD/asan-gcc/mcuprof
  PLAIN=$BUILD/host/mcuprof
  BASE=$BATS_FILE_TMPDIR
}

hostile() { # mcuprof, arguments of hostile.py...
  PYTHONDONTWRITEBYTECODE=1 "$BATS_TEST_DIRNAME/hostile.py" --jobs 2 "$@"
}

@test "sound debug info is no cause for complaint" {
  hostile "$SANITIZED" cases baseline --report
}

@test "nesting 10,000 and 200,000 deep" {
  hostile "$SANITIZED" cases deep --report
}

@test "cycles of origins, specifications, siblings and imports" {
  hostile "$SANITIZED" cases cycles imports --report
}

@test "a malformed unit header: one warning, names from the symbols" {
  hostile "$SANITIZED" cases headers
}

@test "abbreviations and forms that are missing, unknown or cut" {
  hostile "$SANITIZED" cases abbrevs
}

@test "strings and ranges out of their sections" {
  hostile "$SANITIZED" cases strings ranges aranges
}

@test "line tables whose header or program makes no sense" {
  hostile "$SANITIZED" cases line_fields line_files line_programs
}

@test "small files that ask for much work" {
  hostile "$SANITIZED" cases amounts --report
}

@test "compressed sections that lie, and bombs" {
  hostile "$SANITIZED" cases compression --report
}

@test "debug info elsewhere: itself, a pipe, a device" {
  hostile "$SANITIZED" cases elsewhere --report
}

@test "memory stays bounded" {
  hostile "$PLAIN" cases deep ranges line_files line_programs amounts \
    compression --report --memory 256
}

@test "an ELF cut at and within every section" {
  hostile "$SANITIZED" truncated "$BASE/gcc-5.elf" --report
}

@test "headers whose fields lie" {
  hostile "$SANITIZED" sections "$BASE/gcc-5.elf" --every 10
}

@test "bytes changed by chance" {
  hostile "$SANITIZED" mutated "$BASE"/*.elf --count 150
}
