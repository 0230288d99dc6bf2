#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
#
# The code of the README and of docs/porting.md compiles and links as a user would
# paste it, with target/ and with the library in one file.

load readme.bash

setup() {
  cd "$BATS_TEST_TMPDIR"
  readme_blocks
}

# Links the program of these blocks.
links() { # transports and definitions, block...
  local with=$1 block
  shift
  echo '#include "mcuprof.h"' >program.c
  for block; do
    cat "block$block.c" >>program.c
  done
  cat program.c
  link cortex-m4 "$with"
  link_one_file cortex-m0 "$with"
}

gcc=(arm-none-eabi-gcc -mthumb -Os -Wall -Wextra -Werror --specs=nano.specs
  --specs=nosys.specs "-Wl,--no-warnings" -include "$BATS_TEST_DIRNAME/project.h")

link() { # core, transports and definitions
  local word flags=()
  for word in $2; do
    case $word in
    -*) flags+=("$word") ;;
    *) flags+=("$ROOT/target/transport/mcuprof_$word.c") ;;
    esac
  done
  "${gcc[@]}" -mcpu="$1" -I"$ROOT/target" -I"$ROOT/target/transport" \
    program.c "$ROOT"/target/*.c "$ROOT"/target/port/cortexm/*.c \
    "${flags[@]}" -o program.elf
}

# There all headers are mcuprof.h, and a transport is a setting.
link_one_file() { # core, transports and definitions
  local word flags=()
  for word in $2; do
    case $word in
    -*) flags+=("$word") ;;
    *) flags+=("-DMCUPROF_TRANSPORT_${word^^}=1") ;;
    esac
  done
  mkdir -p one
  sed 's/"mcuprof_[a-z]*\.h"/"mcuprof.h"/' program.c >one/program.c
  (cd one && amalgamate && "${gcc[@]}" -mcpu="$1" program.c mcuprof.c \
    "${flags[@]}" -o program.elf)
}

@test "what gdb shows of the demo" {
  local elf=demo.elf
  "$ROOT/tests/firmware/build_with.sh" mps2-an385 $elf "arm-none-eabi-gcc \
    -mthumb -std=gnu99 -O2 -DMCUPROF_STREAM=0 -DMCUPROF_HOTSPOT_GRAIN=64 \
    -DDEMO_TICKS=400" "$ROOT"/examples/demo/*.c
  gdb-multiarch -q -batch -nx \
    -ex "target remote | exec qemu-system-arm -machine mps2-an385 -kernel $elf \
      -S -gdb stdio -icount shift=5,align=off,sleep=off -display none \
      -monitor none -serial null" \
    -ex 'break work_stop' -ex continue -ex 'p mcuprof_hotspots_view' -ex kill \
    $elf >out 2>&1 || echo "status $?" >>out
  cat out
  # Addresses move with every change; the order of the names does not.
  rows() { # file
    grep -oE 'pc = 0x[0-9a-f]+ <[a-z_]+\+' "$1" | sed 's/.*<//' | head -n 3
  }
  [ "$(rows "$ROOT/README.md" | wc -l)" -eq 3 ]
  cmp <(rows "$ROOT/README.md") <(rows out)
}

@test "there is no other block of C in the README" {
  [ "$(ls block*.c | wc -l)" -eq 7 ]
}

@test "with nothing but a debugger" {
  links -DMCUPROF_STREAM=0 1
}

@test "with nothing but a debugger, SysTick taken" {
  echo 'int main(void) { return profile(); }' >block0.c
  links '-DMCUPROF_STREAM=0 -DMCUPROF_VECTORS=112' 2 0
}

@test "in your firmware: SysTick free, a UART" {
  links uart 3 5 7
}

@test "in your firmware: SysTick shared with a HAL" {
  links uart 4 5 7
}

@test "in your firmware: RTT" {
  echo 'int main(void) { mcuprof_rtt_init(); return mcuprof_init(&config); }' \
    >block0.c
  links rtt 3 6 0
}

@test "porting: semihosting, and it runs" {
  porting_block 'Semihosting: a file on the desk' c >program.c
  [ "$(wc -l <program.c)" -gt 10 ]
  link cortex-m4 semihosting
  link_one_file cortex-m0 semihosting
  local firmware=$ROOT/tests/firmware elf=semihosting.elf
  "$firmware/build_with.sh" mps2-an386 $elf "arm-none-eabi-gcc -mthumb \
    -std=gnu99 -O2 -include $BATS_TEST_DIRNAME/project.h \
    -DMCUPROF_SEMIHOSTING_CHECK=0" program.c \
    "$ROOT/target/transport/mcuprof_semihosting.c"
  "$firmware/qemu.sh" mps2-an386 $elf null
  python3 "$ROOT/tests/tools/mprof.py" dump <run.mprof >frames
  head -n 3 frames
  # From the first HELLO to the last TIME.
  grep -q '^01 ' <(head -n 1 frames)
  grep -q '^03 ' <(tail -n 1 frames)
}

# Of 64 KiB: gdb takes no value of that size.
@test "porting: what gdb dumps is a capture" {
  local firmware=$ROOT/tests/firmware
  porting_block 'RAM: the end of the stream, for a dump' '' >commands
  [ "$(grep -c '^dump ' commands)" -eq 2 ]
  "$firmware/build_with.sh" mps2-an385 ram.elf "arm-none-eabi-gcc -mthumb \
    -std=gnu99 -O2 -DMCUPROF_RAM_SIZE=65536" "$firmware/ram.c" \
    "$ROOT/target/transport/mcuprof_ram.c"
  gdb-multiarch -q -batch -nx \
    -ex "target remote | exec qemu-system-arm -machine mps2-an385 -kernel \
      ram.elf -S -gdb stdio -icount shift=5,align=off,sleep=off -display none \
      -monitor none -serial null" \
    -ex 'tbreak mcuprof_stop' -ex continue -ex 'source commands' -ex kill \
    ram.elf >out 2>&1 || echo "status $?" >>out
  cat out
  [ "$(stat -c %s ram.bin)" -eq $((24 + 65536)) ]
  [ "$(stat -c %s sram.bin)" -eq 65536 ]
  "${MCUPROF:-${BUILD:-$ROOT/build}/host/mcuprof}" info ram.bin >info
  cat info
  grep -q '^ *samples  *[1-9].*, none lost' info
}

# C++ from the oldest that the headers promise on; the library stays C.
@test "porting: C++" {
  porting_block C++ cpp >program.cpp
  [ "$(wc -l <program.cpp)" -gt 10 ]
  cat >>program.cpp <<'CPP'
size_t uart_write(const uint8_t *, size_t size) { return size; }
CPP
  amalgamate
  local standard board=(-mthumb -mcpu=cortex-m4 -Os -include
    "$BATS_TEST_DIRNAME/project.h")
  arm-none-eabi-gcc "${board[@]}" -c mcuprof.c
  for standard in c++11 gnu++17 c++20; do
    arm-none-eabi-g++ "${board[@]}" -std=$standard -Wall -Wextra -Wpedantic \
      -Werror -c program.cpp
    clang++ --target=arm-none-eabi "${board[@]}" -std=$standard -Wall -Wextra \
      -Wpedantic -Werror -isystem "$(arm-none-eabi-gcc -print-sysroot)/include" \
      -fsyntax-only program.cpp
    arm-none-eabi-g++ "${board[@]}" --specs=nano.specs --specs=nosys.specs \
      -Wl,--no-warnings program.o mcuprof.o -o program.elf
    # By the name that a vector table has.
    arm-none-eabi-nm program.elf | grep ' T SysTick_Handler$'
  done
}

# Fields have to be named in the header's order there.
@test "with nothing but a debugger, in C++20" {
  amalgamate
  local block
  for block in 1 2; do
    echo '#include "mcuprof.h"' | cat - block$block.c >block.cpp
    arm-none-eabi-g++ -mthumb -mcpu=cortex-m4 -Os -std=c++20 -Wall -Wpedantic \
      -Werror -include "$BATS_TEST_DIRNAME/project.h" -c block.cpp
  done
}
