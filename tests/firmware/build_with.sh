#!/bin/sh
# SPDX-License-Identifier: MIT
#
# build_with.sh BOARD ELF "COMPILER AND FLAGS" SOURCE...
#
# Builds a firmware with the library by a compiler that the CMake frame does
# not know, every file by its own call; links with gcc. C++ compilers get the
# sources given and leave the rest to gcc. With ONE_FILE=1 the library is the
# one file of tools/amalgamate.py, with LIBRARY=0 there is none.
set -eu

board=$1
elf=$2
compiler=$3
shift 3
root=$(cd "$(dirname "$0")/../.." && pwd)
boards=$root/tests/firmware/boards
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# The board file is CMake's; let CMake read it.
cat >"$work/board.cmake" <<EOC
include($boards/$board.cmake)
list(TRANSFORM BOARD_DEFINES PREPEND -D)
list(TRANSFORM BOARD_MEMORY PREPEND -Wl,--defsym=BOARD_)
list(JOIN BOARD_CPU " " cpu)
list(JOIN BOARD_DEFINES " " defines)
list(JOIN BOARD_MEMORY " " memory)
list(TRANSFORM BOARD_DRIVERS PREPEND $boards/)
list(JOIN BOARD_DRIVERS " " drivers)
file(WRITE $work/board.sh
    "cpu='\${cpu}'\ndefines='\${defines}'\nmemory='\${memory}'\ndrivers='\${drivers}'\n")
EOC
cmake -P "$work/board.cmake"
cpu='' defines='' memory='' drivers=''
# shellcheck source=/dev/null
. "$work/board.sh"

gcc=arm-none-eabi-gcc
set -f
compile() {
    cc=$1
    source=$2
    # Splitting is meant: each variable holds a list of flags.
    $cc $cpu $defines -g -ffunction-sections -fdata-sections \
        -I"$boards" -I"$root/target" -I"$root/target/transport" \
        -c "$source" -o "$work/$(basename "$source").o"
}

for source in "$@"; do
    compile "$compiler" "$source"
done
set +f
for source in $drivers "$boards"/startup.c "$boards"/board_common.c; do
    compile "$gcc -mthumb -std=gnu99 -O2" "$source"
done
library="$root/target/*.c $root/target/port/cortexm/*.c"
if [ "${ONE_FILE:-0}" = 1 ]; then
    "$root/tools/amalgamate.py" "$work"
    library=$work/mcuprof.c
fi
[ "${LIBRARY:-1}" = 1 ] || library=''
# A pattern or a name: splitting is meant.
for source in $library; do
    case $compiler in
    *++*) compile "$gcc -mthumb -std=gnu99 -O2" "$source" ;;
    *) compile "$compiler" "$source" ;;
    esac
done
case $compiler in
$gcc*) link=$compiler ;;
*) link=$gcc ;;
esac
$link $cpu -mthumb -nostartfiles --specs=nano.specs --specs=nosys.specs \
    -Wl,--gc-sections,--no-warn-rwx-segments,--no-warnings \
    $memory -T"${IMAGE_LD:-$boards/image.ld}" "$work"/*.o -o "$elf"
