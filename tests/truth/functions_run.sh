#!/bin/sh
# SPDX-License-Identifier: MIT
#
# functions_run.sh BOARD ELF raw|true [SHIFT]
#
# Runs a firmware with a function table under the truth plugin and compares, as
# functions_truth.py does; the files are left in this directory. An instruction
# takes 2^SHIFT ns (5); the clock counts each 40.
set -eu

here=$(cd "$(dirname "$0")" && pwd)
root=$here/../..
build=${BUILD:-$root/build}
clock=0x40028018
export QEMU_SHIFT="${4:-5}"

"$here/functions_truth.py" sites "$2" >sites
"$here/vectors.py" "$2" >vectors
plugin=$build/host/tests/truth/truth.so,out=truth,vectors=vectors
plugin=$plugin,watch=sites,watched=watched,clock=$clock
markers=$(arm-none-eabi-nm -S "$2" |
    awk '$4 == "tasks_markers" { print "0x" $1, "0x" $2 }')
if [ -n "$markers" ]; then
    first=$((${markers% *}))
    for address in $(seq $first 4 $((first + ${markers#* } - 4))); do
        plugin=$plugin,task=$address
    done
fi
"$root/tests/firmware/qemu.sh" "$1" "$2" capture -plugin "$plugin"
"$here/functions_truth.py" "$3" "$2" sites watched capture "$clock" 25000000 \
    "$QEMU_SHIFT"
