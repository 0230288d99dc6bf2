#!/bin/sh
# SPDX-License-Identifier: MIT
#
# hostile_base.sh FOLDER: hostile_base.c as several compilers describe it, into
# FOLDER/*.elf.
set -eu

here=$(cd "$(dirname "$0")" && pwd)
folder=$1
common="-mcpu=cortex-m4 -mthumb -ffreestanding -ffunction-sections"

build() { # name, flash address, compiler, flags...
  name=$1 flash=$2
  shift 2
  # shellcheck disable=SC2086 # flags are words
  "$@" $common -c "$here/hostile_base.c" -o "$folder/$name.o"
  arm-none-eabi-ld --gc-sections -e start -Ttext="$flash" \
    -Tdata=0x20000000 -o "$folder/$name.elf" "$folder/$name.o"
}

build gcc-2 0x8000 arm-none-eabi-gcc -O2 -gdwarf-2
build gcc-4 0 arm-none-eabi-gcc -O2 -gdwarf-4
build gcc-5 0x8000 arm-none-eabi-gcc -O2 -gdwarf-5
build clang-5 0 clang --target=armv7em-none-eabi -O2 -gdwarf-5
build clang-4 0x8000 clang --target=armv7em-none-eabi -Os -gdwarf-4
arm-none-eabi-objcopy --compress-debug-sections=zlib-gabi \
  "$folder/gcc-5.elf" "$folder/gz.elf"
arm-none-eabi-objcopy --compress-debug-sections=zlib-gnu \
  "$folder/gcc-4.elf" "$folder/zdebug.elf"
