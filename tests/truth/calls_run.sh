#!/bin/sh
# SPDX-License-Identifier: MIT
#
# calls_run.sh BOARD ELF entries|hooks [COMPARE-ARGUMENT...]
#
# Runs a firmware that streams its calls under the truth plugin and compares, as
# calls_truth.py does; the files are left in this directory. Tasks say that they
# run by a store into one of tasks_markers.
set -eu

here=$(cd "$(dirname "$0")" && pwd)
root=$here/../..
build=${BUILD:-$root/build}
mcuprof=${MCUPROF:-$build/host/mcuprof}
board=$1
elf=$2
"$here/calls_truth.py" sites "$elf" "$3" >sites
shift 3

"$here/vectors.py" "$elf" >vectors
plugin=$build/host/tests/truth/truth.so,out=truth,vectors=vectors
plugin=$plugin,watch=sites,watched=watched
markers=$(arm-none-eabi-nm -S "$elf" |
    awk '$4 == "tasks_markers" { print "0x" $1, "0x" $2 }')
if [ -n "$markers" ]; then
    first=$((${markers% *}))
    for address in $(seq $first 4 $((first + ${markers#* } - 4))); do
        plugin=$plugin,task=$address
    done
fi
"$root/tests/firmware/qemu.sh" "$board" "$elf" capture -plugin "$plugin"
"$mcuprof" calls capture -e "$elf" --style plain --unit cycles >calls 2>said ||
    { cat said >&2 && exit 1; }
records=$("$mcuprof" info capture --format json | jq .quality.ring.records)
"$here/calls_truth.py" compare sites watched calls capture \
    "records=$records" "$@"
