#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
#
# mcuprof.c, alone in a folder: by the compilers and flags that people use, the
# same code as target/, and set up wrongly.

load readme.bash

setup() {
  cd "$BATS_TEST_TMPDIR"
  amalgamate
  include=/usr/lib/arm-none-eabi/include
  transports=()
  local name
  for name in $(transport_switches mcuprof.c); do
    transports+=("-D$name=1")
  done
}

transport_switches() { # file
  sed -n 's|^//#define \(MCUPROF_TRANSPORT_[A-Z_]*\) 0$|\1|p' "$1"
}

# Compiles without a word.
silently() { # compiler and flags...
  echo "$*"
  run "$@" -c mcuprof.c -o mcuprof.o
  echo "$output"
  [ "$status" -eq 0 ]
  [ -z "$output" ]
}

# The warnings of the build.
warnings() {
  sed -n 's/^  \(-W[a-z-]*\)$/\1/p' "$ROOT/cmake/mcuprof_warnings.cmake"
}

@test "one file: the same tree gives the same bytes" {
  mkdir -p again elsewhere/tree
  cp -r "$ROOT/target" "$ROOT/tools" elsewhere/tree/
  LC_ALL=C.UTF-8 TZ=Asia/Tokyo elsewhere/tree/tools/amalgamate.py again
  cmp mcuprof.c again/mcuprof.c
  cmp mcuprof.h again/mcuprof.h
  # And says where each part comes from.
  local file
  for file in "$ROOT"/target/*.[ch] "$ROOT"/target/port/cortexm/*.c \
    "$ROOT"/target/transport/*.c; do
    grep -qx "/\* From target/${file#"$ROOT"/target/} \*/" mcuprof.c
  done
}

@test "one file: needs no other, whatever the flags" {
  rm mcuprof.h
  silently arm-none-eabi-gcc -Os -mcpu=cortex-m4
  local core std setting
  for core in cortex-m0 cortex-m0plus cortex-m3 cortex-m7 cortex-m33 \
    cortex-m55; do
    silently arm-none-eabi-gcc -O2 -mthumb -mcpu=$core
  done
  for std in c99 gnu11 gnu17; do
    silently arm-none-eabi-gcc -Os -std=$std -mthumb -mcpu=cortex-m4 \
      -Wall -Wextra -Wpedantic -Wundef "${transports[@]}"
  done
  silently arm-none-eabi-gcc -O2 -flto -mthumb -mcpu=cortex-m4
  # shellcheck disable=SC2046
  silently arm-none-eabi-gcc -O2 -fanalyzer $(warnings) -mthumb \
    -mcpu=cortex-m4 -DMCUPROF_HOTSPOTS=1 -DMCUPROF_VECTORS=64 \
    "${transports[@]}"
  for core in cortex-m0 cortex-m4 cortex-m33; do
    # shellcheck disable=SC2046
    silently clang --target=arm-none-eabi -mcpu=$core -Os -isystem $include \
      $(warnings) "${transports[@]}"
  done
  for setting in -DMCUPROF_STREAM=0 -DMCUPROF_ENABLED=0; do
    silently arm-none-eabi-gcc -Os -mthumb -mcpu=cortex-m0 -Wall -Wextra $setting
    silently clang --target=arm-none-eabi -mcpu=cortex-m0 -Os \
      -isystem $include -Wall -Wextra $setting
  done
}

@test "one file: no assembly file, and in the end no strange symbol" {
  arm-none-eabi-gcc -Os -mthumb -mcpu=cortex-m4 -c "${transports[@]}" mcuprof.c
  run bash -c "arm-none-eabi-nm -g mcuprof.o | grep -v ' [Uvw] ' |
    grep -vE ' mcuprofi?_[A-Za-z0-9_.]+$' |
    grep -vE ' W __cyg_profile_func_(enter|exit)$'"
  [ -z "$output" ]
}

@test "one file: the header alone, in C and C++, with every setting" {
  local flags compiler
  for flags in '' -DMCUPROF_ENABLED=0 -DMCUPROF_STREAM=0 \
    -DMCUPROF_TRANSPORT_RTT_ADAPTER=1; do
    for compiler in 'arm-none-eabi-gcc -x c -std=c99' \
      'arm-none-eabi-g++ -x c++ -std=c++11' \
      "clang --target=arm-none-eabi -isystem $include -x c -std=c99"; do
      # shellcheck disable=SC2086
      $compiler -mcpu=cortex-m4 -mthumb -Wall -Wextra -Wundef -Wpedantic \
        -Werror $flags -fsyntax-only - <<<'#include "mcuprof.h"
int not_empty;'
    done
  done
  # What stands over another's RTT is for those who ask for it.
  local preprocess='arm-none-eabi-gcc -E -P mcuprof.h'
  run grep -c SEGGER_RTT_Write <($preprocess)
  [ "$output" -eq 0 ]
  $preprocess -DMCUPROF_TRANSPORT_RTT_ADAPTER=1 | grep -q SEGGER_RTT_Write
  # Which is the only transport that has no source to be in mcuprof.c.
  [ "$(transport_switches mcuprof.h)" = MCUPROF_TRANSPORT_RTT_ADAPTER ]
}

# The report counts them as the profiler's own by that.
@test "one file: its functions have mcuprof in their names" {
  local core optimise
  for core in cortex-m0 cortex-m4; do
    for optimise in -O2 -Os; do
      arm-none-eabi-gcc $optimise -mthumb -mcpu=$core -DMCUPROF_HOTSPOTS=1 \
        -DMCUPROF_TRACE=1 "${transports[@]}" -c mcuprof.c
      run bash -c "arm-none-eabi-readelf -sW mcuprof.o |
        awk '\$4 == \"FUNC\" { print \$8 }'"
      [[ $output == *mcuprofi_systick_start* ]]
      run grep -vE '^(mcuprofi?_|__cyg_profile_func_)' <<<"$output"
      echo "$core $optimise: $output"
      [ -z "$output" ]
    done
  done
}

# same_code CORE FLAG...: as the files of target/ by themselves.
same_code() {
  local core=$1 file
  shift
  local gcc=(arm-none-eabi-gcc -O0 -std=c99 -mthumb "-mcpu=$core"
    -ffunction-sections -fdata-sections -c "$@")
  rm -f ./*.o
  "${gcc[@]}" "${transports[@]}" mcuprof.c -o one.o
  for file in "$ROOT"/target/*.c "$ROOT"/target/port/cortexm/*.c \
    "$ROOT"/target/transport/*.c; do
    "${gcc[@]}" -I"$ROOT/target" "$file" -o "of-$(basename "$file" .c).o"
  done
  "$BATS_TEST_DIRNAME/same_code.py" one.o of-*.o
}

@test "one file: the same code as target/, function by function" {
  same_code cortex-m0 -DMCUPROF_HOTSPOTS=1 -DMCUPROF_VECTORS=48
  same_code cortex-m4
  same_code cortex-m4 -DMCUPROF_STREAM=0 -DMCUPROF_HOTSPOT_IGNORE=2
  same_code cortex-m33 -DMCUPROF_HOTSPOTS=1 -DMCUPROF_VECTORS=64
}

@test "one file: the settings on top are all there are, and the defaults" {
  # All of it, by which every setting counts.
  sed -E 's|^//(#define MCUPROF_(HOTSPOTS\|TRANSPORT_\w+)) .*|\1 1|
    s|^//(#define MCUPROF_VECTORS) 0|\1 64|' mcuprof.c >some.c
  # A setting without a default has no value to be set to.
  sed -E 's|^//(#define MCUPROF_\w+ .)|\1|' some.c >all.c
  [ "$(diff some.c all.c | grep -c '^>')" -gt 20 ]
  local file
  for file in some all; do
    arm-none-eabi-gcc -Os -mthumb -mcpu=cortex-m4 -Wall -Werror -c $file.c
    arm-none-eabi-objdump -dr $file.o | tail -n +4 >$file
    arm-none-eabi-nm -S $file.o >>$file
  done
  cmp some all
  # And none is missing: what target/ gives a default can be set.
  local name
  for name in $(grep -ohE '^#ifndef MCUPROF_[A-Z0-9_]+$' \
    "$ROOT"/target/*.h "$ROOT"/target/transport/*.h |
    grep -vE '_H$|ADAPTER' | cut -d' ' -f2); do
    grep -qE "^//#define $name( |\$)" mcuprof.c
  done
  # A sentence over each, and one only; two that belong together share one.
  local unexplained
  unexplained=$(awk '/^\/\/#define/ && before !~ /^\/\/ / { print $2 }
    { before = $0 }' mcuprof.c mcuprof.h)
  [ "$unexplained" = MCUPROF_TIMER_PER_CLOCK ]
  run grep -hE '^// .*[.] [A-Z]' mcuprof.c mcuprof.h
  [ -z "$output" ]
}

@test "one file: a setting on top counts" {
  amalgamate 'MCUPROF_STREAM 0' 'MCUPROF_HOTSPOT_UNITS 8'
  arm-none-eabi-gcc -Os -mthumb -mcpu=cortex-m4 -c mcuprof.c
  # 8 units of 16 bytes.
  [ "$(size_of mcuprof_hotspots)" = 00000080 ]
  [ -z "$(size_of mcuprofi_stream)" ]
}

size_of() { # symbol
  arm-none-eabi-nm -S mcuprof.o | awk -v name="$1" '$4 == name { print $2 }'
}

application='#include "mcuprof.h"
int main(void)
{
    static const struct mcuprof_config config = {.core_hz = 1000000};
    return mcuprof_init(&config);
}'

# link_with FLAG...: main.c with these, mcuprof.c as it is.
link_with() {
  echo "$application" >main.c
  local gcc=(arm-none-eabi-gcc -mthumb -mcpu=cortex-m4 -Os)
  "${gcc[@]}" -c mcuprof.c
  "${gcc[@]}" "$@" -c main.c
  "${gcc[@]}" main.o mcuprof.o --specs=nosys.specs -Wl,--gc-sections \
    -o main.elf
}

@test "one file: with another number of units it does not link" {
  amalgamate 'MCUPROF_STREAM 0'
  # What callers do not see need not be said to them.
  link_with
  run link_with -DMCUPROF_HOTSPOT_UNITS=32
  [ "$status" -ne 0 ]
  [[ $output =~ 'undefined reference to `mcuprofi_init_'.*UNITS_32 ]]
  amalgamate 'MCUPROF_STREAM 0' 'MCUPROF_HOTSPOT_UNITS 32'
  run link_with
  [ "$status" -ne 0 ]
  [[ $output =~ UNITS_16 ]]
  sed -i 's|^//#define MCUPROF_HOTSPOT_UNITS.*|#define MCUPROF_HOTSPOT_UNITS 32|' \
    mcuprof.h
  link_with
}

@test "one file: with other sizes of a transport it does not link" {
  local transport size
  for transport in RAM:_SIZE RTT:_UP_SIZE RTT:_DOWN_SIZE; do
    size=MCUPROF_${transport/:/}
    transport=${transport%:*}
    application="#include \"mcuprof.h\"
int main(void) { mcuprof_${transport,,}_init(); return 0; }"
    amalgamate "MCUPROF_TRANSPORT_$transport 1"
    link_with
    run link_with "-D$size=65536"
    [ "$status" -ne 0 ]
    [[ $output =~ 'undefined reference to `mcuprofi_'.*65536 ]]
    amalgamate "MCUPROF_TRANSPORT_$transport 1" "$size 65536"
    run link_with
    [ "$status" -ne 0 ]
    link_with "-D$size=65536"
  done
}

# first_error FILE SETTING: what the compiler says before all else.
first_error() {
  run arm-none-eabi-gcc -mthumb -mcpu=cortex-m4 -c "${transports[@]}" \
    -DMCUPROF_HOTSPOTS=1 "-D$2" "$1" -o none.o
  [ "$status" -ne 0 ]
  grep -m1 error: <<<"$output"
}

@test "one file: what cannot be is refused in words, and they come first" {
  cp "$BATS_TEST_DIRNAME/every_call.c" main.c
  local name file
  for name in HOTSPOT_UNITS RAM_SIZE RTT_UP_SIZE RTT_DOWN_SIZE; do
    for file in mcuprof.c main.c; do
      first_error $file MCUPROF_$name=-4 | grep -qF "MCUPROF_$name must be"
    done
  done
  [[ $(first_error mcuprof.c MCUPROF_HOTSPOT_IGNORE_IF=) =~ \
    ignore_if_names_a_function ]]
  for file in mcuprof.c main.c; do
    [[ $(first_error $file 'MCUPROF_HOTSPOT_UNITS=(16)') =~ \
      hotspot_units_is_a_plain_number ]]
  done
  [[ $(first_error mcuprof.c MCUPROF_GENERATION_SEED=) =~ \
    generation_seed_is_an_expression ]]
}

@test "one file: with the header of another version it does not link" {
  sed -i 's/define MCUPROF_VERSION ".*"/define MCUPROF_VERSION "0.0.9"/' \
    mcuprof.h
  run link_with
  [ "$status" -ne 0 ]
  [[ $output =~ mcuprofi_init_0\.0\.9 ]]
}

@test "one file: switched off, nothing links by mistake" {
  amalgamate 'MCUPROF_ENABLED 0'
  run link_with
  [ "$status" -ne 0 ]
  [[ $output =~ 'undefined reference' ]]
  link_with -DMCUPROF_ENABLED=0
  run arm-none-eabi-nm main.elf
  [[ ! $output =~ mcuprof ]]
}

@test "one file: switched off, every call compiles, links and vanishes" {
  amalgamate 'MCUPROF_ENABLED 0'
  cp "$BATS_TEST_DIRNAME/every_call.c" main.c
  cp main.c main.cpp
  local name flags
  for name in $(arm-none-eabi-gcc -E -P mcuprof.h |
    grep -oE '\bmcuprof_[a-z0-9_]+\(' | sort -u); do
    grep -qF "$name" main.c
  done
  arm-none-eabi-gcc -mthumb -mcpu=cortex-m4 -c mcuprof.c
  local link=(-mthumb -mcpu=cortex-m4 --specs=nosys.specs main.o mcuprof.o
    -o main.elf)
  for flags in 'arm-none-eabi-gcc -O0 main.c' 'arm-none-eabi-g++ -O0 main.cpp' \
    "clang --target=arm-none-eabi -isystem $include -O0 main.c" \
    'arm-none-eabi-gcc -O1 main.c' 'arm-none-eabi-g++ -O2 main.cpp'; do
    # shellcheck disable=SC2086
    $flags -mcpu=cortex-m4 -mthumb -Wall -Wextra -Wpedantic -Werror -c \
      -DMCUPROF_ENABLED=0 -DMCUPROF_TRANSPORT_RTT_ADAPTER=1 -o main.o
    arm-none-eabi-gcc "${link[@]}"
  done
  run arm-none-eabi-nm main.elf
  [[ ! $output =~ mcuprof ]]
}

@test "one file: beside vendors' headers, included by another file" {
  cat >unity.c <<EOF
#include "$BATS_TEST_DIRNAME/project.h"
#include "mcuprof.h"
#include "mcuprof.c"
uint32_t vtor(void);
uint32_t vtor(void)
{
    return SCB->VTOR + SCB->CPUID + SCB->ICSR + SCB->AIRCR;
}
EOF
  arm-none-eabi-gcc -Os -mthumb -mcpu=cortex-m4 -Wall -Wextra -Werror -c \
    "${transports[@]}" unity.c
}
