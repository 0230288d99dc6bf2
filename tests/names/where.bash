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

# ask ADDRESS [OPTION...]: ./answer is the JSON of it with and without bit 0.
ask() {
  local address=$(($1 & ~1))
  shift
  "$MCUPROF" where "$(printf '0x%x' $address)" \
    "$(printf '%X' $((address | 1)))" -e "$ELF" --format json "$@" \
    >answer 2>warnings
}

# is JQ-EXPRESSION: true of both places of ./answer?
is() {
  jq -e "(.places | length == 2) and all(.places[]; $1)" answer >/dev/null || {
    echo "not so: $1"
    jq -c '.places[]' answer
    return 1
  }
}

# What nobody wants to see as a name: mapping symbols, the linker script's.
helper_names='^([$]|_sdata|_edata|_stext|_etext|_code_begin|_sramfunc)'

# expect_code ADDRESS NAME [SUFFIX]: odd and even, in the JSON and in the text.
expect_code() {
  ask "$1"
  is ".kind == \"function\" and .symbol.name == \"$2\"
    and .symbol.suffix == \"${3:-}\" and .frames[-1].function == \"$2\"
    and all(.frames[].function; test(\"$helper_names\") | not)"
  "$MCUPROF" where "$(printf '%x' "$1")" -e "$ELF" >text 2>warnings
  [[ $(tail -n 1 text) == *"$2"*"${3:-}"* ]]
}

# expect_no_function ADDRESS KIND [OBJECT]
expect_no_function() {
  ask "$1"
  is ".kind == \"$2\" and (.symbol.name // \"\") == \"${3:-}\"
    and [.frames[].function] - [null] == []"
}

# expect_chain ADDRESS FUNCTION FILE:LINE...: innermost first.
expect_chain() {
  ask "$1"
  shift
  local expected got
  expected=$(printf '%s %s\n' "$@")
  expected=$(printf '%s\n' "$expected" "$expected")
  got=$(jq -r '.places[].frames[] | "\(.function) \(.file):\(.line)"' answer)
  [ "$expected" = "$got" ] || {
    printf 'expected\n%s\ngot\n%s\n' "$expected" "$got"
    return 1
  }
}
