#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
#
# 264 selections, 220 of them at random, in firmware of 44 kinds: compilers,
# levels and cores; see select_random.py.

setup() {
    root=$(cd "$BATS_TEST_DIRNAME/../.." && pwd)
    export BUILD=${BUILD:-$root/build}
    cd "$BATS_TEST_TMPDIR" || return 1
}

gcc='arm-none-eabi-gcc -mthumb'
include='-isystem /usr/lib/arm-none-eabi/include'

selections() { # BOARD TARGET
    local compiler seed=100
    for compiler in "$gcc -O1" "$gcc -O2" "$gcc -O3" "$gcc -Os" \
        "$gcc -O2 -flto" "$gcc -Os -flto" \
        "clang --target=$2 $include -O1" "clang --target=$2 $include -O2" \
        "clang --target=$2 $include -O3" "clang --target=$2 $include -Os" \
        "clang --target=$2 $include -Oz"; do
        echo "$1 $compiler"
        seed=$((seed + 1))
        "$BATS_TEST_DIRNAME/select_random.sh" "$1" "$compiler" 5 $seed
    done
}

@test "M0" {
    selections microbit thumbv6m-none-eabi
}

@test "M3" {
    selections mps2-an385 thumbv7m-none-eabi
}

@test "M4F" {
    selections mps2-an386 thumbv7em-none-eabi
}

@test "M33" {
    selections mps2-an505 thumbv8m.main-none-eabi
}
