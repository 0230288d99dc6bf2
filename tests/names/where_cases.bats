#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
#
# What users of symbolizers were bitten by, asked of `where`: the right names
# follow from the sources, the addresses from nm.

bats_require_minimum_version 1.5.0
load where

setup() {
  cd "$BATS_TEST_TMPDIR"
}

# Names on Thumb: tests/unit/fixtures/names.c and names_asm.S are made of them.
thumb_elf() {
  local fixtures=$ROOT/tests/unit/fixtures
  ELF=$BATS_TEST_TMPDIR/names.elf
  $CC -Os -T "$fixtures/names.ld" "$fixtures/names.c" \
    "$fixtures/names_asm.S" -o "$ELF" "$@"
}

# The last halfword of code of a sized function: in front of its literals.
last_code() {
  local start end
  start=$(address_of "$1")
  end=$((start + $(size_of "$1")))
  arm-none-eabi-nm -n --special-syms "$ELF" | awk '$3 ~ /^\$d/ { print $1 }' |
    while read -r mark; do
      mark=$((16#$mark))
      if [ $mark -gt "$start" ] && [ $mark -lt $end ]; then
        echo $((mark - 2))
      fi
    done | head -n 1 | grep . || echo $((end - 2))
}

expect_whole() { # symbol, name
  expect_code "$(address_of "$1")" "$2"
  expect_code $(($(address_of "$1") + 2)) "$2"
  expect_code "$(last_code "$1")" "$2"
}

names_on_thumb() {
  expect_whole quiet_sum quiet_sum
  expect_whole UART0_Handler UART0_Handler
  expect_whole Reset_Handler Reset_Handler
  expect_whole hot_ram hot_ram
  [ "$(address_of hot_ram)" -ge $((0x20000000)) ]
  # Three names of one handler: one of them, for ever.
  [ "$(address_of UART1_Handler)" -eq "$(address_of Default_Handler)" ]
  expect_whole UART2_Handler Default_Handler
  # Two instructions without type or size, then a literal.
  expect_code "$(address_of bare_label)" bare_label
  expect_code $(($(address_of bare_label) + 2)) bare_label
  expect_no_function $(($(address_of bare_label) + 4)) data
  expect_no_function $(($(address_of bare_label) + 6)) data
  # .thumb_func without a size, then a table.
  expect_code "$(address_of thumbed)" thumbed
  expect_code $(($(address_of thumbed) + 2)) thumbed
  expect_no_function $(($(address_of thumbed) + 4)) data rom_table
  # A veneer is a load and a literal.
  expect_code "$(address_of __hot_ram_veneer)" hot_ram '[veneer]'
  expect_code $(($(address_of __hot_ram_veneer) + 2)) hot_ram '[veneer]'
  expect_no_function $(($(address_of __hot_ram_veneer) + 4)) data
  # A pool within a function, with the address of another in it.
  expect_code "$(address_of pooled)" pooled
  expect_code "$(address_of inner_loop)" pooled
  expect_no_function $(($(address_of pooled) + 8)) data
  expect_no_function $(($(address_of pooled) + 14)) data
  expect_code $(($(address_of pooled) + 16)) pooled
  expect_no_function "$(address_of vectors)" data vectors
  # Padding behind a sized function. Behind the last one, which ends in a
  # literal, the mapping symbols say data up to the section's end.
  expect_no_function $(($(address_of pooled) + 18)) unknown
  expect_no_function $(($(address_of __hot_ram_veneer) + 8)) data
  expect_no_function $(($(address_of _etext) - 2)) data
  expect_no_function "$(address_of ram_counter)" data ram_counter
  expect_no_function $((0x20000F00)) unknown
  expect_no_function $((0xFFFFFFF9)) unknown
  "$MCUPROF" where FFFFFFF9 -e "$ELF" | grep -q '\[unknown\]'
}

@test "names on Thumb: every kind of symbol, first to last halfword" {
  thumb_elf
  names_on_thumb
}

@test "names on Thumb: the same without debug info" {
  thumb_elf -g0
  names_on_thumb
  ask "$(address_of quiet_sum)"
  [ "$(grep -c '^mcuprof: ' warnings)" -eq 1 ]
}

@test "names on Thumb: an always-inline function is never in memory" {
  thumb_elf
  # Both copies of it are there, and nothing else of that name.
  seq "$(address_of quiet_sum)" 2 "$(last_code quiet_sum)" |
    xargs printf '%x\n' | "$MCUPROF" where -e "$ELF" --format json >answer
  jq -e 'all(.places[]; .symbol.name == "quiet_sum"
      and .frames[-1].function == "quiet_sum"
      and all(.frames[:-1][]; .inlined and .function == "inlined_mix"))
    and ([.places[].frames | length - 1] | add > 4)' answer
}

@test "names on Thumb: RAM functions in flash are their load image" {
  thumb_elf
  local image
  image=$(($(address_of _sidata) + $(address_of hot_ram) \
    - $(address_of ram_counter)))
  expect_no_function $image data hot_ram
  is '.symbol.suffix == "[load image]"'
}

chain_of() { # compiler and flags
  local source=$BATS_TEST_DIRNAME/inline_chain.c
  ELF=$BATS_TEST_TMPDIR/chain.elf
  # shellcheck disable=SC2086
  $1 -g -c "$source" -o chain.o
  link_at_flash "$ELF" chain.o
  local in_outer in_middle
  in_outer=$source:$(line_of "$source" '/* calls middle */')
  in_middle=$source:$(line_of "$source" '/* calls inner */')
  expect_chain "$(address_of mark_inner)" \
    inner "$source:$(line_of "$source" '/* at inner */')" \
    middle "$in_middle" outer "$in_outer"
  is '[.frames[].inlined] == [true, true, false]'
  is '.symbol.name == "outer" and .symbol.offset > 0'
  expect_chain "$(address_of mark_middle)" \
    middle "$source:$(line_of "$source" '/* at middle */')" outer "$in_outer"
  expect_chain "$(address_of mark_outer)" \
    outer "$source:$(line_of "$source" '/* at outer */')"
}

@test "inline chain: innermost first, each with file and line" {
  local level
  for level in 0 1 2 3 s; do
    chain_of "arm-none-eabi-gcc -mcpu=cortex-m3 -mthumb -O$level"
  done
  chain_of "clang --target=arm-none-eabi -mcpu=cortex-m3 -O2 -ffreestanding"
  chain_of "clang --target=arm-none-eabi -mcpu=cortex-m0 -O0 -ffreestanding"
}

@test "inline chain: as text and CSV, and in reports" {
  chain_of "arm-none-eabi-gcc -mcpu=cortex-m3 -mthumb -O2"
  local source=$BATS_TEST_DIRNAME/inline_chain.c mark line
  mark=$(printf '%08x' "$(address_of mark_inner)")
  line=$(line_of "$source" '/* at inner */')
  "$MCUPROF" where "$mark" -e "$ELF" >text
  [ "$(wc -l <text)" -eq 3 ]
  sed -n 1p text | grep -Eq "^0x$mark  inner \(inlined\) +$source:$line\$"
  sed -n 2p text | grep -Eq "^            middle \(inlined\) +$source:[0-9]+\$"
  sed -n 3p text | grep -Eq "^            outer\+0x[0-9a-f]+ +.*  \.text\$"
  "$MCUPROF" where "$mark" -e "$ELF" --format csv >csv
  [ "$(wc -l <csv)" -eq 4 ]
  python3 "$ROOT/tests/tools/mprof.py" make at "at=0x$mark:100" >capture
  report() {
    "$MCUPROF" report capture -e "$ELF" --format json "$@" |
      jq -r '.rows[] | "\(.function // .line // .file) \(.samples)"'
  }
  [ "$(report)" = "outer 100" ]
  [ "$(report --inline)" = "inner 100" ]
  "$MCUPROF" report capture -e "$ELF" --by line --format json |
    jq -e ".rows | length == 1 and .[0].line == $line and .[0].samples == 100"
}

@test "clones: one row a function, --clones tells them apart" {
  ELF=$BATS_TEST_TMPDIR/clones.elf
  link_at_flash "$ELF" -O3 "$BATS_TEST_DIRNAME/scale_clones.c"
  local whole=scale clone=scale.constprop.0
  ask "$(address_of $clone)"
  is ".symbol.linkage == \"$clone\" and .symbol.offset == 0"
  python3 "$ROOT/tests/tools/mprof.py" make at "at=$(printf '0x%x:30,0x%x:70' \
    $(($(address_of $whole) + 2)) $(($(address_of $clone) + 2)))" >capture
  rows() {
    "$MCUPROF" report capture -e "$ELF" --format json "$@" |
      jq -r '.rows[] | "\(.function) \(.samples)"' | sort
  }
  [ "$(rows)" = "scale 100" ]
  [ "$(rows --clones)" = "$(printf 'scale 30\nscale.constprop.0 70')" ]
}

@test "clones: every suffix, a part without its function, and no clone" {
  ELF=$BATS_TEST_TMPDIR/suffixes.elf
  {
    printf '.syntax unified\n.thumb\n.text\n'
    for name in work work.constprop.0 work.isra.0 work.part.0 work.cold \
      work.part.0.lto_priv.0 alone.cold worker other.lto_priv.0 \
      other.lto_priv.1; do
      printf '.type %s, %%function\n%s:\nnop\nnop\n.size %s, 4\n' \
        $name $name $name
    done
  } >suffixes.S
  link_at_flash "$ELF" -g0 suffixes.S
  at=$(seq 0 4 36 | while read -r offset; do
    printf '0x%x:10,' $((0x8000000 + offset))
  done)
  python3 "$ROOT/tests/tools/mprof.py" make at "at=${at%,}" >capture
  "$MCUPROF" report capture -e "$ELF" --format json |
    jq -r '.rows[] | "\(.function) \(.samples)"' | sort >rows
  # Made private by link-time optimisation, two functions stay two.
  diff rows - <<'ROWS'
alone 10
other 10
other 10
work 60
worker 10
ROWS
  "$MCUPROF" report capture -e "$ELF" --clones -n 0 --format json |
    jq -e '.rows | length == 10'
}

crafted() { # name
  ELF=$BATS_TEST_TMPDIR/$1.elf
  link_at_flash "$ELF" -g0 "$BATS_TEST_DIRNAME/crafted/crafted_$1.S"
}

flash() { # offset
  echo $((0x8000000 + $1))
}

@test "Windows paths: kept absolute, mixed separators, mapped" {
  crafted windows
  expect_chain "$(flash 0)" main 'C:\proj\src\main.c:3'
  expect_chain "$(flash 2)" main 'C:\proj\inc\clock.h:4'
  expect_chain "$(flash 4)" main 'c:/proj\lib\crc.c:5'
  expect_chain "$(flash 6)" main '\\server\share\rtos\queue.c:6'
  ask "$(flash 0)" --path-map 'C:\proj=/home/me/fw'
  is '.frames[0].file == "/home/me/fw/src/main.c"'
  ask "$(flash 2)" --path-map 'c:/proj=/home/me/fw'
  is '.frames[0].file == "/home/me/fw/inc/clock.h"'
  ask "$(flash 4)" --strip-prefix 'C:\proj'
  is '.frames[0].file == "lib\\crc.c"'
  ask "$(flash 0)" --path-map 'C:\pro=/other'
  is '.frames[0].file == "C:\\proj\\src\\main.c"'
}

@test "Windows paths: as gcc writes them" {
  cp "$BATS_TEST_DIRNAME/inline_chain.c" .
  ELF=$BATS_TEST_TMPDIR/windows.elf
  local version
  for version in 2 4 5; do
    link_at_flash "$ELF" -O2 -gdwarf-$version \
      "-fdebug-prefix-map=$PWD=D:\\work" "$PWD/inline_chain.c"
    ask "$(address_of mark_inner)"
    is '[.frames[].file] | all(. == "D:\\work\\inline_chain.c")'
    ask "$(address_of mark_inner)" --path-map "D:/work=$PWD"
    is "[.frames[].file] | all(. == \"$PWD/inline_chain.c\")"
  done
}

@test "armlink: units that do not cover their functions, no aranges" {
  crafted armlink
  run -0 arm-none-eabi-readelf -SW "$ELF"
  [[ ! $output =~ aranges ]]
  expect_chain "$(flash 0)" first /firmware/motor.c:10
  expect_chain "$(flash 6)" second /firmware/motor.c:20
  is '.symbol.linkage == "second" and .symbol.offset == 2'
  expect_chain "$(flash 8)" ramp /firmware/motor.c:5 second /firmware/motor.c:21
  expect_chain "$(flash 12)" second /firmware/motor.c:22
}

@test "IAR and assemblers: labels with the type of a function" {
  crafted iar
  expect_chain "$(flash 2)" task /firmware/task.c:31
  is '.symbol.name == "task" and .symbol.offset == 2'
  expect_chain "$(flash 6)" poll /firmware/task.c:7 task /firmware/task.c:32
  expect_chain "$(flash 8)" poll /firmware/task.c:7 task /firmware/task.c:32
  expect_chain "$(flash 10)" task /firmware/task.c:33
  is '.symbol.name == "task" and .symbol.offset == 10'
}

@test "Rust: both manglings, no aranges" {
  crafted rust
  expect_chain "$(flash 2)" blinky::toggle /firmware/src/main.rs:14
  is '.symbol.linkage == "_ZN6blinky6toggle17h05af221e174051e9E"'
  expect_chain "$(flash 4)" blinky::wait /firmware/src/main.rs:19
  ask "$(flash 4)" --demangle no
  is '.symbol.name == "_RNvCskwGfYPst2Cb_6blinky4wait"'
  ask "$(flash 0)" --demangle full
  is '.symbol.name == "blinky::toggle::h05af221e174051e9"
    or .symbol.name == "blinky::toggle"'
}

@test "DWARF 5 with the line table of version 3, as gcc and gas write it" {
  local source=$BATS_TEST_DIRNAME/inline_chain.c
  chain_of "arm-none-eabi-gcc -mcpu=cortex-m3 -mthumb -O2 -gdwarf-5"
  run -0 llvm-dwarfdump --debug-info "$ELF"
  [[ $output =~ "version = 0x0005" ]]
  run -0 llvm-dwarfdump --debug-line "$ELF"
  [[ $output =~ version:\ 3 ]]
}
