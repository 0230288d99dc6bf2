#!/bin/sh
# SPDX-License-Identifier: MIT
#
# select_random.sh BOARD "COMPILER AND FLAGS" COUNT [SEED]: the firmware of
# select_truth.c in this directory as fw.elf, and select_random.py of it.
set -eu

here=$(cd "$(dirname "$0")" && pwd)
ring=4096
[ "$1" != microbit ] || ring=1024 # of its 16 KiB of RAM
"$here/build_with.sh" "$1" fw.elf \
    "$here/hooked.sh $2 -fno-builtin-abort -DWITH_OBJECTS -DMCUPROF_TRACE=1 -DMCUPROF_TRACE_RING=$ring" \
    "$here/select_truth.c" "$here/select_truth_work.c" \
    "$here/select_exits_work.c" "$here/select_falls.S" \
    "$here/select_objects_work.cpp" >log 2>&1 || { cat log >&2 && exit 1; }
exec "$here/select_random.py" "$1" fw.elf "$3" "${4:-1}"
