# SPDX-License-Identifier: MIT
#
# Loaded by the tests of the command line. Captures are made by
# tests/tools/mprof.py, the ELF from firmware/small.c.

ROOT=$(cd "$BATS_TEST_DIRNAME/../.." && pwd)
MCUPROF=${MCUPROF:-${BUILD:-$ROOT/build}/host/mcuprof}
MCUPROF=$(realpath "$MCUPROF")
TOOLS=$ROOT/tests/tools
SMALL=$BATS_TEST_DIRNAME/firmware

build_elf() { # output, flags...
  local output=$1
  shift
  arm-none-eabi-gcc -mcpu=cortex-m3 -mthumb -O1 -g -nostdlib \
    -T "$SMALL/small.ld" -o "$output" "$@" "$SMALL/small.c"
}

ADDR2LINE=arm-none-eabi-addr2line

# For the code's names alone: linked at 0x8000, and never run.
build_linked() { # output, flags and sources...
  local output=$1
  shift
  arm-none-eabi-gcc -mcpu=cortex-m3 -mthumb -nostdlib -Wl,-Ttext=0x8000 \
    -o "$output" "$@"
}

# The first symbol of that name in $ELF, as 0x%08x.
address_of() { # symbol
  arm-none-eabi-nm "$ELF" | awk -v name="$1" \
    '$3 == name { print "0x" $1; exit }'
}

size_of() { # symbol
  arm-none-eabi-nm -S "$ELF" | awk -v name="$1" \
    '$4 == name { print "0x" $2; exit }'
}

line_of() { # source, basic regular expression
  grep -n -- "$2" "$SMALL/$1" | head -n 1 | cut -d: -f1
}

make_capture() { # scenario, key=value...
  python3 "$TOOLS/mprof.py" make "$@"
}

# Compiled once a file; tests run in a folder of their own.
setup_file() {
  build_elf "$BATS_FILE_TMPDIR/fw.elf"
}

setup() {
  unset MCUPROF_ELF NO_COLOR
  ELF=$BATS_FILE_TMPDIR/fw.elf
  cd "$BATS_TEST_TMPDIR" || return 1
}

# Standard output and error apart; status in $status.
run_apart() {
  status=0
  "$@" >out 2>err || status=$?
}

# One line of cause, one of remedy, nothing on standard output.
assert_complaint() { # status, part of the cause
  [ "$status" -eq "$1" ] || show_and_fail "exit status $status, not $1"
  [ ! -s out ] || show_and_fail "something on standard output"
  [ "$(wc -l <err)" -eq 2 ] || show_and_fail "not two lines"
  grep -q "^mcuprof: .*$2" err || show_and_fail "the cause is not '$2'"
  grep -qE '^  [^ ]' err || show_and_fail "no remedy"
}

show_and_fail() {
  echo "$1"
  echo "--- out"
  head -n 40 out
  echo "--- err"
  head -n 40 err
  return 1
}

assert_out() { # extended regular expression...
  local pattern
  for pattern; do
    grep -qE -- "$pattern" out || show_and_fail "not there: $pattern"
  done
}

refute_out() {
  ! grep -qE -- "$1" out ||
    show_and_fail "should not be there: $1"
}

# What `! grep` cannot do: fail a test.
refute_grep() { # basic regular expression, file
  if grep -q -- "$1" "$2"; then
    echo "should not be in $2: $1"
    return 1
  fi
}

# A value of the JSON document in out.
json() { # jq filter
  jq -r "$1" out
}
