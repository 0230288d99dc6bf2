#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
#
# One firmware, built by many compilers and flags (zoo_build.py): every halfword
# of its code is asked, and held against the tools that others use. full-zoo.bats
# asks addr2line once more for each address at which it differs.

bats_require_minimum_version 1.5.0

setup_file() {
  export PYTHONDONTWRITEBYTECODE=1
  export ZOO=$BATS_FILE_TMPDIR/zoo
  python3 "$BATS_TEST_DIRNAME/zoo_build.py" "$ZOO"
}

setup() {
  root=$(cd "$BATS_TEST_DIRNAME/../.." && pwd)
  mcuprof=$(realpath "${MCUPROF:-${BUILD:-$root/build}/host/mcuprof}")
  cd "$BATS_TEST_TMPDIR"
}

elf_of() {
  echo "$ZOO/$1/zoo.elf"
}

# has VARIANT PATTERN COMMAND...: what the command prints of it.
has() {
  local variant=$1 pattern=$2
  shift 2
  "$@" "$(elf_of "$variant")" >"$BATS_TEST_TMPDIR/printed"
  grep -Eq -- "$pattern" "$BATS_TEST_TMPDIR/printed" || {
    echo "$variant: no $pattern in $*"
    return 1
  }
}

@test "the zoo is what it is said to be" {
  local dwarf='llvm-dwarfdump --debug-info' version
  local sections='arm-none-eabi-readelf -SW'
  # Splitting is meant.
  # shellcheck disable=SC2086
  {
    for version in 2 3 4 5; do
      has gcc-O2-dw$version "version = 0x000$version" $dwarf
      has mixed "version = 0x000$version" $dwarf
    done
    has gcc-O2-dw5 'version: 3' llvm-dwarfdump --debug-line
    has clang-O2-dw5 'version: 5' llvm-dwarfdump --debug-line
    has gcc-O2-types 'DW_TAG_type_unit' llvm-dwarfdump --debug-types
    has gcc-O2-gz '\.debug_info .* C ' $sections
    has gcc-O2-zdebug '\.zdebug_info' $sections
    has gcc-O2-relocs '\.rel\.debug_info' $sections
    has gcc-O2-split4 'GNU_dwo_name' $dwarf
    has gcc-O2-split5 'DW_TAG_skeleton_unit' $dwarf
    has gcc-O2-debuglink '\.gnu_debuglink' $sections
    [ -z "$(arm-none-eabi-nm "$(elf_of gcc-O2-debuglink)" 2>&1 | grep ' T ')" ]
    # Discarded: its debug info begins at 0, where no symbol has its name.
    has gcc-O2-dw4 'DW_AT_name.*"zoo_dead"' $dwarf
    has clang-lld-end 'dead code' $dwarf
    has gcc-O2-first '^00000000 0.* T zoo_digest$' arm-none-eabi-nm -S
    # Clones, veneers, labels, jump tables, tables in .text.
    has gcc-O2-dw4 ' t refine\.part\.0$' arm-none-eabi-nm
    has gcc-O2-dw4 ' t scale\.constprop\.0$' arm-none-eabi-nm
    has gcc-O2-dw4 ' t weigh\.isra\.0$' arm-none-eabi-nm
    has gcc-lto ' helper\.lto_priv\.1$' arm-none-eabi-nm
    has clang-cold ' t .*\.cold\.1$' arm-none-eabi-nm
    has gcc-O2-dw4 ' __zoo_hot_veneer$' arm-none-eabi-nm
    has clang-lld ' __Thumbv7ABSLongThunk_helper$' arm-none-eabi-nm
    has gcc-O2-dw4 'tbb|tbh' arm-none-eabi-objdump -d
    has gcc-O2-dw4 'OBJECT .* 1 step_table$' arm-none-eabi-readelf -sW
  }
  [ -e "$ZOO/gcc-O2-split5/zoo_list.dwo" ]
  [ ! -e "$ZOO/gcc-O2-no-dwo/zoo_list.dwo" ]
}

@test "every halfword, against the tables, the other variants and two oracles" {
  python3 "$BATS_TEST_DIRNAME/zoo_compare.py" "$mcuprof" "$ZOO"
}

# A program in front of the real one, whose output goes through a filter.
shadow() { # path of the shadow, real program, filter...
  local path=$1 real=$2
  shift 2
  printf '#!/bin/bash\nset -o pipefail\n%q "$@" | %s\n' "$real" \
    "$(printf '%q ' "$@")" >"$path"
  chmod +x "$path"
}

compare_high() { # program: with the variant that has nothing over live code
  run python3 "$BATS_TEST_DIRNAME/zoo_compare.py" "$1" "$ZOO" gcc-O2-high
  echo "$output" | head -n 40
}

@test "one wrong line, name or kind of ours is found" {
  local place wrong
  place=$((0x$(arm-none-eabi-nm "$(elf_of gcc-O2-high)" |
    sed -n 's/ T zoo_sort$//p')))
  compare_high "$mcuprof"
  [ "$status" -eq 0 ]
  for wrong in '.frames[0].line += 1' '.frames[-1].linkage = "main"
      | .frames[-1].function = "main"' '.kind = "data"' '.frames = []' \
    '.symbol.linkage = "zoo_digest"' '.symbol.start -= 2'; do
    shadow wrong "$mcuprof" jq \
      "(.places[] | select(.address == $place or .address == $place + 1)) |=
        ($wrong)"
    compare_high "$PWD/wrong"
    [ "$status" -eq 1 ]
    [[ $output == *"gcc-O2-high $(printf '0x%x' $place): "*ours*truth* ]]
  done
}

@test "an answer of an oracle that no rule explains is found" {
  mkdir bin
  shadow bin/arm-none-eabi-addr2line "$(command -v arm-none-eabi-addr2line)" \
    sed 's/^zoo_sort$/zoo_step/'
  PATH=$PWD/bin:$PATH compare_high "$mcuprof"
  [ "$status" -eq 1 ]
  [[ $output == *"addr2line differs, and no rule says why"*zoo_step* ]]
  rm bin/*
  shadow bin/llvm-symbolizer "$(command -v llvm-symbolizer)" \
    sed 's/"Line":30,/"Line":31,/'
  PATH=$PWD/bin:$PATH compare_high "$mcuprof"
  [ "$status" -eq 1 ]
  [[ $output == *"llvm-symbolizer differs, and no rule says why"* ]]
}

@test "every rule of disagreement is explained in docs/names.md" {
  python3 - "$BATS_TEST_DIRNAME" "$root/docs/names.md" <<'PYTHON'
import re
import sys
sys.path.insert(0, sys.argv[1])
from zoo_rules import RULES
with open(sys.argv[2]) as file:
    documented = set(re.findall(r"^\| `([a-z0-9-]+)` \|", file.read(), re.M))
missing = set(RULES) | {"query-order"}
assert documented == missing, documented ^ missing
PYTHON
}
