#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
#
# As zoo.bats, with addr2line in a process of its own for every single address
# at which it differs.

bats_require_minimum_version 1.5.0

@test "every halfword, a fresh addr2line for every one that differs" {
  export PYTHONDONTWRITEBYTECODE=1
  root=$(cd "$BATS_TEST_DIRNAME/../.." && pwd)
  python3 "$BATS_TEST_DIRNAME/zoo_build.py" "$BATS_TEST_TMPDIR"
  python3 "$BATS_TEST_DIRNAME/zoo_compare.py" --each \
    "${MCUPROF:-${BUILD:-$root/build}/host/mcuprof}" "$BATS_TEST_TMPDIR"
}
