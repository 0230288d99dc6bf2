# SPDX-License-Identifier: MIT
#
# Loaded by the tests of names: building small ELFs, asking where.

ROOT=$(cd "$BATS_TEST_DIRNAME/../.." && pwd)
MCUPROF=$(realpath "${MCUPROF:-${BUILD:-$ROOT/build}/host/mcuprof}")
CC='arm-none-eabi-gcc -mcpu=cortex-m3 -mthumb -nostdlib -g'

# link_at_flash OUTPUT COMPILER-ARGUMENT...
link_at_flash() {
  local output=$1
  shift
  # Splitting is meant.
  # shellcheck disable=SC2086
  $CC -Wl,-Ttext=0x8000000,-e0,--no-warnings "$@" -o "$output"
}

# address_of SYMBOL: by nm, without the Thumb bit, which it leaves out itself.
address_of() {
  local found
  found=$(arm-none-eabi-nm --special-syms "$ELF" |
    awk -v name="$1" '$3 == name { print $1; exit }')
  [ -n "$found" ] || return 1
  echo $((16#$found))
}

size_of() { # symbol
  local found
  found=$(arm-none-eabi-nm -S "$ELF" |
    awk -v name="$1" '$4 == name { print $2; exit }')
  echo $((16#${found:-0}))
}

# line_of FILE TEXT: the number of the only line that has it.
line_of() {
  [ "$(grep -cF -- "$2" "$1")" -eq 1 ] && grep -nF -- "$2" "$1" | cut -d: -f1
}

# ask ADDRESS [OPTION...]: ./place is the JSON of one address.
ask() {
  local address=$1
  shift
  "$MCUPROF" where "$(printf '0x%x' "$address")" -e "$ELF" --format json "$@" \
    >answer 2>warnings
  jq -e '.places | length == 1' answer >/dev/null
  jq '.places[0]' answer >place
}

# is JQ-EXPRESSION: true of ./place?
is() {
  jq -e "$1" place >/dev/null || {
    echo "not so: $1"
    jq -c . place
    return 1
  }
}

# What nobody wants to see as a name: mapping symbols, the linker script's.
refute_helper_names() {
  is '[.symbol.name, .frames[].function] | map(select(. != null))
    | all(test("^([$]|_sdata|_edata|_stext|_etext|_code_begin|_sramfunc)")
      | not)'
}

# expect_code ADDRESS NAME [SUFFIX]: odd and even, in the JSON and in the text.
expect_code() {
  local bit text
  for bit in 0 1; do
    ask $(($1 | bit))
    is ".kind == \"function\" and .symbol.name == \"$2\""
    is ".symbol.suffix == \"${3:-}\" and .frames[-1].function == \"$2\""
    refute_helper_names
    text=$("$MCUPROF" where "$(printf '%x' $(($1 | bit)))" -e "$ELF" 2>warnings |
      tail -n 1)
    [[ $text == *"$2"*"${3:-}"* ]]
  done
}

# expect_no_function ADDRESS KIND [OBJECT]
expect_no_function() {
  local bit
  for bit in 0 1; do
    ask $(($1 | bit))
    is ".kind == \"$2\" and (.symbol.name // \"\") == \"${3:-}\""
    is '[.frames[].function] - [null] == []'
    refute_helper_names
  done
}

# expect_chain ADDRESS FUNCTION FILE:LINE...: innermost first.
expect_chain() {
  ask "$1"
  shift
  local expected got
  expected=$(printf '%s %s\n' "$@")
  got=$(jq -r '.frames[] | "\(.function) \(.file):\(.line)"' place)
  [ "$expected" = "$got" ] || {
    printf 'expected\n%s\ngot\n%s\n' "$expected" "$got"
    return 1
  }
}
