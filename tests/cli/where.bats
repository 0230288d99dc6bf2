#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
#
# `mcuprof where`: what is at an address. Truth comes from nm and addr2line,
# asked for one address at a time, and from the text of the sources.

load common

setup_file() {
  cd "$BATS_FILE_TMPDIR" || return 1
  build_linked chain.elf -O2 -g "$SMALL/chain_one.c" "$SMALL/chain_two.c"
  build_linked mangled.elf "$SMALL/mangled.S"
}

setup() {
  unset MCUPROF_ELF NO_COLOR
  cd "$BATS_TEST_TMPDIR" || return 1
  ELF=$BATS_FILE_TMPDIR/chain.elf
  MANGLED=$BATS_FILE_TMPDIR/mangled.elf
}

where() { # arguments...
  run_apart "$MCUPROF" where -e "$ELF" "$@"
  [ "$status" -eq 0 ] || show_and_fail "exit status $status"
}

@test "text: an inline chain, innermost first" {
  at=$(address_of in_innermost_one)
  offset=$(printf '0x%x' $((at - $(address_of outer_one))))
  where "$at" --strip-prefix "$SMALL"
  cat >expected <<END
$at  innermost (inlined)  chain.h:$(line_of chain.h 'spot innermost')
            middle (inlined)     chain.h:$(line_of chain.h 'call innermost')
            outer_one+$offset       chain_one.c:$(line_of chain_one.c 'call middle one')  .text
END
  diff expected out
  [ ! -s err ]
}

@test "the same frames as addr2line's, at every halfword" {
  local at end data
  end=$(address_of _start)
  # Literal pools begin at $d and end at $t.
  data=$(arm-none-eabi-nm --special-syms -n "$ELF" | awk '
    $3 == "$d" { from = $1 } $3 == "$t" && from { print from, $1; from = "" }')
  in_data() {
    while read -r from to; do
      if ((0x$from <= $1 && $1 < 0x$to)); then
        return 0
      fi
    done <<<"$data"
    return 1
  }
  for ((at = $(address_of helper); at < end; at += 2)); do
    where "$(printf %x "$at")" --format json
    if in_data "$at"; then
      [ "$(json '.places[0] | .kind, (.frames | length)' | xargs)" = "data 0" ]
      continue
    fi
    # Two lines a frame; addr2line says discriminators unasked.
    "$ADDR2LINE" -f -i -e "$ELF" "$(printf %x "$at")" |
      sed 's/ (discriminator .*//' >expected
    json '.places[0].frames[] | .function, "\(.file):\(.line)"' |
      diff expected - || show_and_fail "at $(printf %x "$at")"
  done
}

@test "JSON says all of it" {
  at=$(address_of in_innermost_two)
  where "$at" --format json
  [ "$(json '.schema, .schema_version, (.places | length)' | xargs)" = \
    "mcuprof-where 1 1" ]
  [ "$(json '.places[0].address')" -eq $((at)) ]
  [ "$(json '.places[0] | .kind, .module, .section' | xargs)" = \
    "function chain.elf .text" ]
  start=$(address_of outer_two)
  size=$(($(size_of outer_two)))
  [ "$(json '.places[0].symbol | .name, .linkage, .offset, .start, .size,
    .suffix == ""' | xargs)" = \
    "outer_two outer_two $((at - start)) $((start)) $size true" ]
  [ "$(json '[.places[0].frames[].inlined] | tostring')" = \
    "[true,true,false]" ]
  [ "$(json '.places[0].frames[0].column')" -gt 0 ]
}

@test "CSV has a row for each frame" {
  at=$(address_of in_innermost_two)
  where "$at" fffffff0 --format csv --strip-prefix "$SMALL"
  offset=$((at - $(address_of outer_two)))
  # Not the column, which only the compiler knows, nor what tells blocks apart.
  cut -d, -f1-11 out >shown
  cat >expected <<END
address,kind,module,section,frame,function,linkage,inlined,offset,file,line
$at,function,chain.elf,.text,0,innermost,innermost,true,,chain.h,$(line_of chain.h 'spot innermost')
$at,function,chain.elf,.text,1,middle,middle,true,,chain.h,$(line_of chain.h 'call innermost')
$at,function,chain.elf,.text,2,outer_two,outer_two,false,$offset,chain_two.c,$(line_of chain_two.c 'call middle two')
0xfffffff0,unknown,,,0,,,false,,,
END
  diff expected shown
  [ "$(head -n 1 out | cut -d, -f12-)" = column,discriminator ]
}

@test "every way of writing an address; odd is as even" {
  at=$(address_of in_outer_one)
  plain=$(printf %x $((at)))
  where "$at" --format json
  json '.places[0] | del(.address)' >first
  for word in "$plain" "0X${plain^^}" "${plain^^}" "0x0000000000$plain" \
    "$(printf %x $((at + 1)))" in_outer_one \
    "outer_one+$(printf 0x%x $((at - $(address_of outer_one))))"; do
    where "$word" --format json
    json '.places[0] | del(.address)' | diff first -
  done
}

@test "hexadecimal and a name: the name if nothing is at the address" {
  printf '.global add, fad0\nadd = 0x1234\nfad0 = 0x1234\n' >both.s
  build_linked both.elf -Wl,-Ttext=0xfad0 both.s "$SMALL/mangled.S"
  run_apart "$MCUPROF" where -e both.elf add fad0 0xadd
  [ "$(cut -d ' ' -f 1 out | tr '\n' ' ')" = \
    '0x00001234 0x0000fad0 0x00000add ' ]
}

@test "a name of several functions: one is shown, and said so" {
  where helper
  [ "$(wc -l <err)" -eq 2 ]
  grep -q "'helper' is the name of 2 places" err
  where outer_one
  [ ! -s err ]
}

@test "what is no address and no name: nothing, an offset alone" {
  for word in '' +4; do
    run_apart "$MCUPROF" where -e "$ELF" "$word"
    assert_complaint 1 'is no address'
  done
}

@test "standard input that cannot be read" {
  run_apart "$MCUPROF" where -e "$ELF" <.
  assert_complaint 1 'standard input: Is a directory'
  run_apart "$MCUPROF" where -e "$ELF" <&-
  [ "$status" -eq 0 ]
  [ ! -s out ]
  [ ! -s err ]
}

@test "standard input: many in a line, empty lines, DOS line ends" {
  one=$(address_of outer_one)
  two=$(address_of outer_two)
  where "$one" "$two" "$one" >args
  cp out args
  printf '%s %s\n\n\t\n %s' "${one#0x}" "$two" "$one" |
    "$MCUPROF" where -e "$ELF" | diff args -
  printf '%s\r\n%s\r\n%s\r\n' "$one" "$two" "$one" |
    "$MCUPROF" where -e "$ELF" | diff args -
  for format in csv json; do
    where "$one" "$two" --format $format
    printf '%s\n' "$one" "$two" |
      "$MCUPROF" where -e "$ELF" --format $format | diff out -
  done
  "$MCUPROF" where -e "$ELF" --format json </dev/null >out
  [ "$(json '.places | length')" -eq 0 ]
}

@test "another program asks word by word and waits for each answer" {
  local format line pid
  for format in table csv; do
    coproc WHERE { exec "$MCUPROF" where -e "$ELF" --format $format; }
    pid=$WHERE_PID # bash forgets it when the process has ended
    exec 7>&"${WHERE[1]}" 8<&"${WHERE[0]}"
    if [ $format = csv ]; then
      read -r -t 20 line <&8
    fi
    for name in outer_one outer_two outer_one; do
      echo "$(address_of $name)" >&7
      read -r -t 20 line <&8
      [[ "$line" == "$(address_of $name)"*"$name"* ]]
    done
    eval "exec ${WHERE[1]}>&-"
    exec 7>&- 8<&-
    wait "$pid"
  done
}

@test "100,000 addresses on standard input" {
  seq $((0x8000)) 2 $((0x8000 + 199998)) | awk '{ printf "%x\n", $1 }' >many
  for format in table csv json; do
    "$MCUPROF" where -e "$ELF" --format $format <many >out
  done
  [ "$(json '.places | length')" -eq 100000 ]
  [ "$(json '.places[99999].address')" -eq $((0x8000 + 199998)) ]
}

@test "a word that is no address: the others are answered, exit 1" {
  run_apart "$MCUPROF" where -e "$ELF" xyz "$(address_of outer_one)" \
    0x100000000 8000- --format json
  [ "$status" -eq 1 ]
  [ "$(json '.places[0].symbol.name')" = outer_one ]
  [ "$(json '.places | length')" -eq 1 ]
  [ "$(wc -l <err)" -eq 2 ]
  grep -q "^mcuprof: 'xyz' is no address.*, nor are 2 more" err
  grep -q '^  .*hexadecimal' err
  printf '8000\nwh\033at\n8000' |
    run_apart "$MCUPROF" where -e "$ELF"
  [ "$(grep -c '^0x00008000 ' out)" -eq 2 ]
  [ "$(sed -n 2p out)" = 'wh?at  [no address]' ]
  refute_grep "$(printf '\033')" err
}

@test "words of a megabyte, bytes that are no text" {
  head -c 1000000 /dev/zero | tr '\0' 8 >long
  head -c 100000 /dev/urandom >noise
  for file in long noise; do
    run_apart "$MCUPROF" where -e "$ELF" <$file
    [ "$status" -eq 1 ] || [ "$status" -eq 0 ] ||
      show_and_fail "exit status $status"
  done
}

@test "data, gaps and addresses outside" {
  ELF=$MANGLED
  at=$(address_of table)
  run_apart "$MCUPROF" where -e "$ELF" "$(printf %x $((at + 4)))" fffffff9
  [ "$status" -eq 0 ]
  assert_out '^0x[0-9a-f]+  table\+0x4 \[data\]  -  \.rodata$' \
    '^0xfffffff9  \[unknown\]  -$'
  run_apart "$MCUPROF" where -e "$ELF" "$at" fffffff9 --format json
  [ "$(json '.places[0] | .kind, .symbol.name, (.frames | length)' | xargs)" \
    = "data table 0" ]
  [ "$(json '.places[1] | .kind, .symbol, .module, .section,
    (.frames | length)' | xargs)" = "unknown null null null 0" ]
}

@test "without debug info: names, and one warning with its remedy" {
  ELF=$MANGLED
  at=$(address_of crc.cold)
  run_apart "$MCUPROF" where -e "$ELF" "$at" "$(address_of crc)"
  [ "$status" -eq 0 ]
  assert_out "^$at  crc\.cold  -  \.text$"
  [ "$(wc -l <err)" -eq 2 ]
  grep -q '^mcuprof: warning: .*no debug info' err
  grep -q '^  compile with -g' err
}

@test "names as the linker has them, simple, full" {
  ELF=$MANGLED
  local at style
  for name in _Z3addi _ZN3net5queueIiE4pushEi; do
    at=$(address_of "$name")
    for style in simple full no; do
      run_apart "$MCUPROF" where -e "$ELF" "$at" --demangle $style \
        --format json
      json '.places[0].symbol.name, .places[0].frames[0].function' >$style
      [ "$(json '.places[0].symbol.linkage')" = "$name" ]
    done
    # c++filt -p leaves the parameters out as well.
    arm-none-eabi-c++filt -p "$name" "$name" | diff simple -
    arm-none-eabi-c++filt "$name" "$name" | diff full -
    printf '%s\n' "$name" "$name" | diff no -
  done
  # Rust, by its own rules: no hash, and "::" between the parts.
  run_apart "$MCUPROF" where -e "$ELF" \
    "$(address_of _ZN3app3run17hfedcba9876543210E)" \
    "$(address_of _RNvCs1234_3app4stop)"
  assert_out '  app::run  ' '  app::stop  '
}

@test "paths of another system" {
  build_linked windows.elf -O2 -g -ffile-prefix-map="$SMALL=C:\\proj/src" \
    "$SMALL/chain_one.c" "$SMALL/chain_two.c"
  ELF=windows.elf
  at=$(address_of outer_two)
  line=$(("$(line_of chain_two.c 'void outer_two(void)$')" + 1))
  where "$at"
  assert_out " C:\\\\proj/src[/\\\\]chain_two\.c:$line "
  where "$at" --path-map 'C:\proj=/home/u/proj'
  assert_out " /home/u/proj/src/chain_two\.c:$line "
  where "$at" --path-map 'D:\x=/x' --path-map 'c:/proj\src=/y'
  assert_out " /y/chain_two\.c:$line "
  where "$at" --strip-prefix 'C:\proj\'
  assert_out " src[/\\\\]chain_two\.c:$line "
}

@test "a path that would write on the terminal" {
  printf '#line 7 "a\\033[31m\\nb.c"\nvoid _start(void) {}\n' >odd.c
  build_linked odd.elf -g odd.c
  ELF=odd.elf
  for format in table csv json; do
    where "$(address_of _start)" --format $format
    assert_out 'a\?\[31m\?b\.c'
    refute_out "$(printf '\033')"
  done
}

@test "which ELF, without a capture" {
  run_apart "$MCUPROF" where 8000
  assert_complaint 1 "no ELF given, and no \*.elf here"
  cp "$ELF" one.elf
  run_apart "$MCUPROF" where outer_one
  [ "$status" -eq 0 ]
  assert_out 'outer_one'
  cp "$ELF" two.elf
  run_apart "$MCUPROF" where outer_one
  assert_complaint 1 "more than one \*.elf here"
  MCUPROF_ELF=two.elf run_apart "$MCUPROF" where outer_one
  [ "$status" -eq 0 ]
  run_apart "$MCUPROF" where -e none.elf 8000
  assert_complaint 1 "none.elf"
}

@test "usage" {
  run_apart "$MCUPROF" where -e "$ELF" 8000 --demangle most
  assert_complaint 2 "--demangle cannot be 'most'"
  run_apart "$MCUPROF" where -e "$ELF" 8000 --path-map /a
  assert_complaint 2 "--path-map cannot be '/a'"
  run_apart "$MCUPROF" where -e "$ELF" 8000 --strip-prefix=
  assert_complaint 2 "--strip-prefix cannot be ''"
  run_apart "$MCUPROF" where 8000 -e
  assert_complaint 2 "needs a value"
  run_apart "$MCUPROF" where -e "$ELF@12345x" 8000
  assert_complaint 2 "is not an address"
  local many=()
  for ((i = 0; i < 17; i++)); do
    many+=(-e "$ELF")
  done
  run_apart "$MCUPROF" where "${many[@]}" 8000
  assert_complaint 2 "more than 16"
}

@test "output that nobody takes" {
  "$MCUPROF" where -e "$ELF" 8000 >/dev/full 2>err || status=$?
  [ "$status" -eq 1 ]
  grep -q 'cannot write' err
  seq -f %g 100000 199999 >many
  (
    "$MCUPROF" where -e "$ELF" <many 2>err || echo $? >status
  ) | head -n 1 >/dev/null
  [ "$(cat status)" -eq 141 ]
  [ ! -s err ]
}
