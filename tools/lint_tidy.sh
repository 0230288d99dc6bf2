#!/bin/bash
# SPDX-License-Identifier: MIT
#
# clang-tidy over host/ and target/. What the host build compiles is checked
# as it is compiled there; the rest of target/ as for an ARMv7-M core, without
# a C library. Takes the tree and its host build, or finds the project's.
set -euo pipefail
cd "${1:-$(dirname "$0")/..}"
build=${2:-build/host}

tidy_file() { # file
  local flags=()
  if ! grep -qF "$PWD/$1\"" "$BUILD_DIR/compile_commands.json"; then
    flags=(-- -std=c99 --target=thumbv7em-none-eabi -ffreestanding
      -Itarget -Itarget/port/cortexm -Itarget/transport)
  fi
  # What clang-tidy says on stderr is how many warnings it did not show.
  if ! output=$(clang-tidy --quiet -p "$BUILD_DIR" "$1" "${flags[@]}" 2>&1)
  then
    grep -vE '^[0-9]+ warnings? (generated|treated)' <<<"$output"
    return 1
  fi
}
export -f tidy_file
export BUILD_DIR=$build

git ls-files -z 'host/*.c' 'target/*.c' |
  xargs -0 -r -n 1 -P "${JOBS:-$(nproc)}" bash -c 'tidy_file "$1"' tidy
