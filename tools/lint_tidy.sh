#!/bin/bash
# SPDX-License-Identifier: MIT
#
# clang-tidy over host/ and target/. What the host build compiles is checked
# as it is compiled there; the rest of target/, and all of it in its other
# configurations, as for an ARMv7-M core, without a C library. Takes the tree
# and its host build, or finds the project's.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
cd "${1:-$here/..}"
build=${2:-build/host}

tidy_file() { # file|definitions
  local file=${1%%|*} definitions=${1#*|} flags=()
  if [ -n "$definitions" ] ||
    ! grep -qF "$PWD/$file\"" "$BUILD_DIR/compile_commands.json"; then
    # shellcheck disable=SC2206 # a list of flags
    flags=(-- -std=c99 --target=thumbv7em-none-eabi -ffreestanding
      -Itarget -Itarget/port/cortexm -Itarget/transport $definitions)
  fi
  # What clang-tidy says on stderr is how many warnings it did not show.
  if ! output=$(clang-tidy --quiet -p "$BUILD_DIR" "$file" "${flags[@]}" 2>&1)
  then
    grep -vE '^[0-9]+ warnings? (generated|treated)' <<<"$output"
    return 1
  fi
}
export -f tidy_file
export BUILD_DIR=$build

{
  git ls-files 'host/*.c' 'target/*.c' | sed 's/$/|/'
  while read -r definitions; do
    git ls-files 'target/*.c' ':!target/port/host' | sed "s/\$/|$definitions/"
  done < <(grep -v '^#' "$here/lint_configurations.txt")
} | tr '\n' '\0' |
  xargs -0 -r -n 1 -P "${JOBS:-$(nproc)}" bash -c 'tidy_file "$1"' tidy
