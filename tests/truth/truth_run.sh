#!/bin/sh
# SPDX-License-Identifier: MIT
#
# truth_run.sh ELF DIRECTORY [OUT]
#
# Runs a demo firmware under the truth plugin, with its UART in a file (a pipe
# would make the run depend on the host), reports the capture and compares. OUT
# as in compare.py. BOARD is mps2-an385 unless set, or one as fast as that.
set -eu

here=$(cd "$(dirname "$0")" && pwd)
root=$here/../..
build=${BUILD:-$root/build}
mcuprof=${MCUPROF:-$build/host/mcuprof}
elf=$1
directory=$2
shift 2
mkdir -p "$directory"

# Counter of the MPS2 boards, as in their board files.
counter_hz=25000000

"$here/vectors.py" "$elf" >"$directory/vectors"
address() {
    arm-none-eabi-nm "$elf" | sed -n "s/^\([0-9a-f]*\) T $1\$/0x\1/p"
}
plugin=$build/host/tests/truth/truth.so,out=$directory/truth
plugin=$plugin,vectors=$directory/vectors,profiler=15
plugin=$plugin,from=$(address mcuprof_start),until=$(address mcuprof_stop)
QEMU_TIMEOUT=${QEMU_TIMEOUT:-120} \
    "$root/tests/firmware/qemu.sh" "${BOARD:-mps2-an385}" "$elf" \
    "$directory/capture" -plugin "$plugin"

ticks=$(strings "$directory/capture" | sed -n 's/^demo: done in \([0-9]*\) ticks.*/\1/p')
wall=$(awk "BEGIN { print $ticks / $counter_hz }")
report() { # by, options
    "$mcuprof" report "$directory/capture" -e "$elf" --by "$@" -n 0 \
        --format json
}
report function --clones --demangle no >"$directory/function.json"
report context >"$directory/context.json"
"$here/compare.py" "$elf" "$directory/truth" "$wall" \
    "$directory/function.json" "$directory/context.json" "$@"
