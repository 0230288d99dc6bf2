#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
#
# Hooks taken out at random, in firmware that then runs: see select_random.py.
# full-select.bats has more compilers, cores, and selections.

bats_require_minimum_version 1.5.0

setup() {
    root=$(cd "$BATS_TEST_DIRNAME/../.." && pwd)
    export BUILD=${BUILD:-$root/build}
    cd "$BATS_TEST_TMPDIR" || return 1
}

gcc='arm-none-eabi-gcc -mthumb'
include='-isystem /usr/lib/arm-none-eabi/include'

selections() { # BOARD COMPILER COUNT
    run "$BATS_TEST_DIRNAME/select_random.sh" "$@"
    echo "$output"
    [ "$status" -eq 0 ]
    # Out of what there is some, and all but a few.
    [[ $output =~ ^([0-9]+)' calls of hooks, '.*' out '([0-9]+)' to '([0-9]+)$ ]]
    [ "${BASH_REMATCH[1]}" -gt 80 ]
    [ "${BASH_REMATCH[3]}" -gt $((BASH_REMATCH[1] / 2)) ]
}

@test "M4F, gcc -O3" {
    selections mps2-an386 "$gcc -O3" 8
}

@test "M0, gcc -O2" {
    selections microbit "$gcc -O2" 5
}

@test "M3, gcc -Os with link-time optimization" {
    selections mps2-an385 "$gcc -Os -flto" 5
}

@test "M3, gcc -Os" {
    selections mps2-an385 "$gcc -Os" 5
}

@test "M33, clang -O2" {
    selections mps2-an505 \
        "clang --target=thumbv8m.main-none-eabi -O2 $include" 5
}

@test "without a build-id the CRC over the code follows by itself" {
    local mcuprof=${MCUPROF:-$BUILD/host/mcuprof} elf
    sed '/mcuprof_build_id/d' "$BATS_TEST_DIRNAME/boards/image.ld" >crc.ld
    IMAGE_LD=$PWD/crc.ld selections mps2-an386 "$gcc -O2" 0
    run -1 grep ' mcuprof_build_id$' <(arm-none-eabi-nm fw.elf)
    "$mcuprof" select fw.elf -o other.elf --drop mix
    for elf in fw selected; do
        # From the vectors to the end of what never changes, but for vector 7,
        # as zlib has it: docs/wire.md.
        arm-none-eabi-objcopy -O binary $elf.elf $elf.bin
        crc=$(python3 -c 'import sys, zlib
data = open(sys.argv[1], "rb").read()[:int(sys.argv[2], 16)]
print(format(zlib.crc32(data[:28] + data[32:]), "08x"))' \
            $elf.bin "$(arm-none-eabi-nm $elf.elf | sed -n 's/ . __etext$//p')")
        [ $elf = fw ] && capture=capture || capture=capture.selected
        run -0 "$mcuprof" info $capture
        [[ $output == *"CRC-32 0x$crc over "* ]]
        echo "$crc" >>sums
    done
    [ "$(sort -u sums | wc -l)" -eq 2 ]
    for verb in calls tree; do
        run -0 "$mcuprof" $verb capture -e fw.elf
        run -0 "$mcuprof" $verb capture.selected -e selected.elf
        run -1 "$mcuprof" $verb capture -e selected.elf
        [[ $output == *'another build'* ]]
        run -1 "$mcuprof" $verb capture.selected -e fw.elf
        [[ $output == *'another build'* ]]
        run -1 "$mcuprof" $verb capture.selected -e other.elf
        [[ $output == *'another build'* ]]
    done
}

@test "half a pair, or a byte beside, is noticed" {
    selections mps2-an386 "$gcc -O2" 0
    real=${MCUPROF:-$BUILD/host/mcuprof}
    cat >worse.py <<'PY'
import os
import subprocess
import sys
from pathlib import Path
result = subprocess.run([os.environ["REAL"], *sys.argv[1:]], text=True,
                        capture_output=True)
how = os.environ["HOW"]
if sys.argv[1] == "select" and "-o" in sys.argv and "--restore" not in sys.argv:
    path = Path(sys.argv[sys.argv.index("-o") + 1])
    old, new = Path(sys.argv[2]).read_bytes(), bytearray(
        path.read_bytes())
    at = [i for i in range(52, len(old)) if old[i:i + 4] != new[i:i + 4]
          and new[i:i + 4] == b"\xaf\xf3\x00\x80"]
    if how == "half":
        new[at[0]:at[0] + 4] = old[at[0]:at[0] + 4]
    elif how == "beside":
        new[at[0] - 2] ^= 1
    path.write_bytes(new)
sys.stdout.write(result.stdout)
sys.stderr.write(result.stderr)
sys.exit(result.returncode)
PY
    printf '#!/bin/sh\nexec python3 %s/worse.py "$@"\n' "$PWD" >worse
    chmod +x worse
    for HOW in half beside fine; do
        REAL=$real HOW=$HOW MCUPROF=$PWD/worse run \
            "$BATS_TEST_DIRNAME/select_random.py" mps2-an386 fw.elf 0
        echo "$HOW: $output"
        [ "$status" -eq "$([ $HOW = fine ] && echo 0 || echo 1)" ]
    done
}
