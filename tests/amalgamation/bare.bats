#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
#
# A project that has nothing but mcuprof.c, its header, and the README's twenty
# lines: a debugger reads where the time goes. The shares follow from the loops
# of bare.c.

load readme.bash

setup() {
  cd "$BATS_TEST_TMPDIR"
  cp "$BATS_TEST_DIRNAME"/bare.* "$BATS_TEST_DIRNAME/project.h" .
  readme_blocks
  amalgamate 'MCUPROF_STREAM 0'
  # The application is bare.c's, the rest the README's.
  {
    echo 'void board_setup(void), application(void), settings_are_wrong(void);'
    cat block1.c
  } >main.c
}

# What gdb prints when the table has seen enough samples.
debug() { # board, core, gdb command...
  local board=$1 core=$2 command commands=()
  shift 2
  for command; do
    commands+=(-ex "$command")
  done
  arm-none-eabi-gcc -mcpu="$core" -mthumb -Os -g -Wall -Wextra -Werror \
    -nostartfiles --specs=nano.specs -Wl,--no-warn-rwx-segments -T bare.ld \
    bare.c main.c mcuprof.c -o bare.elf
  timeout 120 gdb-multiarch -q -batch -nx \
    -ex "target remote | exec qemu-system-arm -machine $board -kernel bare.elf \
      -S -gdb stdio -icount shift=5,align=off,sleep=off -display none \
      -monitor none -serial null" \
    -ex 'break settings_are_wrong' -ex 'break enough' -ex continue \
    "${commands[@]}" -ex kill bare.elf >out 2>&1 ||
    echo "status $?" >>out # the emulator may be gone before gdb says so
  cat out
  grep -q 'Breakpoint 2, enough' out
}

# The view's rows in out: names in order, and shares that differ from the
# loops' by less than five standard deviations of 1,024 samples.
view_is_right() {
  python3 - out <<'PY'
import math
import re
import sys

LOOPS = {"sixteen": 16, "eight": 8, "four": 4, "two": 2, "one": 1}
text = open(sys.argv[1], encoding="utf-8").read()
view = re.search(r"\{sequence = (\d+), samples = (\d+), ignored = 0, units = "
                 r"(.*)\}", text)
assert int(view[1]) % 2 == 0 and int(view[2]) == 1024, view[0]
rows = re.findall(r"\{pc = 0x[0-9a-f]+ <(\w+)\+?\d*>, ratio = (\d+), "
                  r"bound = (\d+)\}", view[3])[:5]
assert [name for name, _, _ in rows] == list(LOOPS), rows
for name, ratio, bound in rows:
    share = LOOPS[name] / 31
    apart = int(ratio) / 1024 - share
    assert abs(apart) < 5 * math.sqrt(share * (1 - share) / 1024), (name,
                                                                    ratio)
    # Five blocks have room in sixteen units.
    assert int(bound) == 0, (name, bound)
assert sum(int(ratio) for _, ratio, _ in rows) <= 1024
PY
}

@test "bare project, M4" {
  debug mps2-an386 cortex-m4 'p mcuprof_hotspots_view'
  view_is_right
}

@test "bare project, M0" {
  debug microbit cortex-m0 'p mcuprof_hotspots_view'
  view_is_right
}

@test "bare project: p/a and the gdb command file name the same" {
  debug mps2-an386 cortex-m4 'p/a mcuprof_hotspots_view' \
    'source mcuprof_hotspots.gdb' mcuprof-hotspots
  named=$(grep '^\$1' out | grep -oE 'pc = 0x[0-9a-f]+ <[a-z]+' |
    sed 's/.*<//' | head -n 5 | xargs)
  [ "$named" = 'sixteen eight four two one' ]
  listed=$(grep -E '^ +[0-9.]+ %' out | sed -E 's/.*<([a-z]+)\+.*>.*/\1/' |
    xargs)
  [ "$listed" = 'sixteen eight four two one' ]
}
