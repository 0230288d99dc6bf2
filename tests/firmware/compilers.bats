#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
#
# The library by compilers and flags that people really use: the selftest must
# come out right in each.

setup() {
    root=$BATS_TEST_DIRNAME/../..
    mcuprof=${MCUPROF:-$root/build/host/mcuprof}
    elf=$BATS_TEST_TMPDIR/selftest.elf
    capture=$BATS_TEST_TMPDIR/selftest.mprof
    include=/usr/lib/arm-none-eabi/include
}

build() {
    "$BATS_TEST_DIRNAME/build_with.sh" "$1" "$elf" "$2" \
        "${3:-$BATS_TEST_DIRNAME/selftest.c}"
}

# build BOARD COMPILER [SOURCE], run it, and let the report judge.
selftest() {
    build "$@"
    "$BATS_TEST_DIRNAME/qemu.sh" "$1" "$elf" "$capture"
    "$mcuprof" report "$capture" -e "$elf" >"$BATS_TEST_TMPDIR/report"
    cat "$BATS_TEST_TMPDIR/report"
    grep -q 'identity *the ELF matches' "$BATS_TEST_TMPDIR/report"
    grep -q 'capture right' "$BATS_TEST_TMPDIR/report"
    grep -q 'clock right' "$BATS_TEST_TMPDIR/report"
    grep -q 'names right' "$BATS_TEST_TMPDIR/report"
}

gcc='arm-none-eabi-gcc -mthumb -std=gnu99'

@test "gcc -O0" {
    selftest mps2-an386 "$gcc -O0"
}

@test "gcc -O3 with link-time optimisation, whole program" {
    selftest mps2-an386 "$gcc -O3 -flto -fwhole-program -DWITH_BODY"
}

@test "gcc -Os with link-time optimisation, M0" {
    selftest microbit "$gcc -Os -flto -DWITH_BODY"
}

@test "gcc -O2, the C sampler, M4 and M33" {
    selftest mps2-an386 "$gcc -O2 -DMCUPROF_SAMPLER_ASM=0"
    selftest mps2-an505 "$gcc -O2"
}

@test "gcc -O2 with a stack protector and frame pointers" {
    selftest mps2-an385 \
        "$gcc -O2 -fstack-protector-strong -fno-omit-frame-pointer -DWITH_BODY"
}

@test "clang -Os, M4" {
    selftest mps2-an386 "clang --target=thumbv7em-none-eabi -Os -DWITH_BODY -isystem $include"
}

@test "clang -O0, M0" {
    selftest microbit "clang --target=thumbv6m-none-eabi -O0 -isystem $include"
}

@test "an application in C++" {
    cp "$BATS_TEST_DIRNAME/selftest.c" "$BATS_TEST_TMPDIR/selftest.cpp"
    selftest mps2-an385 \
        'arm-none-eabi-g++ -mthumb -std=c++11 -O2 -Wall -Wextra -Werror -DWITH_BODY' \
        "$BATS_TEST_TMPDIR/selftest.cpp"
}

@test "the sampler in assembly does what its C reference does" {
    for board in mps2-an385 mps2-an386 mps2-an500; do
        build $board "$gcc -O2" "$BATS_TEST_DIRNAME/sampler_reference.c"
        run "$BATS_TEST_DIRNAME/qemu.sh" $board "$elf"
        [ "$status" -eq 0 ]
        [[ $output =~ "0 of 20000 differ" ]]
    done
}

@test "a ring of eight and one of 2048 records" {
    selftest mps2-an386 "$gcc -O2 -DMCUPROF_SAMPLE_RING=2048"
    build mps2-an386 "$gcc -O2 -DMCUPROF_SAMPLE_RING=8"
    "$BATS_TEST_DIRNAME/qemu.sh" mps2-an386 "$elf" "$capture"
    run "$mcuprof" report "$capture" -e "$elf"
    [ "$status" -eq 0 ]
    # In one file it is polled just often enough.
    [ -n "${ONE_FILE:-}" ] || [[ $output =~ "on the target" ]]
    size=$(arm-none-eabi-nm -S "$elf" |
        sed -n 's/^[0-9a-f]* \([0-9a-f]*\) B mcuprofi_sampler$/\1/p')
    [ $((0x$size)) -gt 64 ] && [ $((0x$size)) -lt 256 ]
}

@test "each kind of sampling timer" {
    timers=$BATS_TEST_DIRNAME/timers.c
    selftest mps2-an385 "$gcc -O2 -DTIMER_CMSDK -DMCUPROF_TIMER_RELOAD=2" "$timers"
    grep -q 'jitter on' "$BATS_TEST_TMPDIR/report"
    selftest mps2-an385 "$gcc -O2 -DTIMER_SHARED" "$timers"
    grep -q 'jitter off' "$BATS_TEST_TMPDIR/report"
    selftest mps2-an385 "$gcc -O2 -DTIMER_BARE" "$timers"
    grep -q 'jitter off' "$BATS_TEST_TMPDIR/report"
}

@test "a build-id identifies the firmware" {
    selftest mps2-an386 "$gcc -O2 -Wl,--build-id"
    id=$(arm-none-eabi-readelf -n "$elf" | sed -n 's/.*Build ID: //p')
    [ ${#id} -eq 40 ]
    grep -q "build-id .*${id:0:16}" "$BATS_TEST_TMPDIR/report"
    # Another build has another id.
    cp "$elf" "$BATS_TEST_TMPDIR/first.elf"
    build mps2-an386 "$gcc -O2 -Wl,--build-id -DMCUPROF_CONTEXTS=7"
    run "$mcuprof" report "$capture" -e "$elf"
    [ "$status" -eq 1 ]
    [[ $output =~ ${id:0:16} ]]
    run "$mcuprof" report "$capture" -e "$BATS_TEST_TMPDIR/first.elf"
    [ "$status" -eq 0 ]
}

@test "vectors in RAM, and no symbol at the image's end" {
    # M33: its flash is not at 0, where gcc makes reading the table a trap.
    selftest mps2-an505 "$gcc -O2 -DVECTORS_IN_RAM=0x10000000"
    grep -q 'CRC-32 .* over 0x1000' "$BATS_TEST_TMPDIR/report"
    sed 's/__etext = /end_of_nothing = /' \
        "$BATS_TEST_DIRNAME/boards/image.ld" >"$BATS_TEST_TMPDIR/image.ld"
    export IMAGE_LD=$BATS_TEST_TMPDIR/image.ld
    build mps2-an386 "$gcc -O2"
    "$BATS_TEST_DIRNAME/qemu.sh" mps2-an386 "$elf" "$capture"
    "$mcuprof" report "$capture" -e "$elf" >"$BATS_TEST_TMPDIR/report"
    cat "$BATS_TEST_TMPDIR/report"
    grep -q 'identity .*as far as was compared: CRC-32' "$BATS_TEST_TMPDIR/report"
    grep -q 'capture right' "$BATS_TEST_TMPDIR/report"
}

@test "MCUPROF_ENABLED=0 leaves nothing in the image" {
    build mps2-an386 "$gcc -O2 -DMCUPROF_ENABLED=0 -DWITH_BODY"
    run arm-none-eabi-nm "$elf"
    [ "$status" -eq 0 ]
    [[ ! $output =~ mcuprof ]]
    [[ $output =~ SysTick_Handler ]]
    "$BATS_TEST_DIRNAME/qemu.sh" mps2-an386 "$elf" "$capture"
    [ ! -s "$capture" ]
}

@test "the port template is complete" {
    root_target=$root/target
    cat >"$BATS_TEST_TMPDIR/main.c" <<'C'
#include "mcuprof.h"
static size_t nowhere(const uint8_t *data, size_t size)
{
    (void)data;
    return size;
}
int main(void)
{
    static const struct mcuprof_timer timer = {0, 1000000, 0, 0, 0, 0};
    struct mcuprof_config config = {0};
    config.write = nowhere;
    config.core_hz = 1000000;
    config.rate_hz = 1000;
    config.timer = &timer;
    if (mcuprof_init(&config) != 0 || mcuprof_start() != 0) {
        return 1;
    }
    for (int i = 0; i < 100; i++) {
        mcuprof_sample_put(0x1000, 0);
    }
    return mcuprof_stop() == 0 ? 0 : 2;
}
C
    # Not polled: there is no image here whose code could be read.
    gcc -std=c99 -Wall -Wextra -Werror -I"$root_target" \
        "$BATS_TEST_TMPDIR/main.c" "$root_target"/*.c \
        "$root_target"/port/template/*.c -o "$BATS_TEST_TMPDIR/main"
    "$BATS_TEST_TMPDIR/main"
}

@test "a wrong setting is refused in words" {
    run build mps2-an386 "$gcc -O2 -DMCUPROF_SAMPLE_RING=100"
    [ "$status" -ne 0 ]
    [[ $output =~ "MCUPROF_SAMPLE_RING must be a power of two" ]]
    run build mps2-an386 "$gcc -O2 -DMCUPROF_BUILD=\"0123456789012345678901234567890123456789012345678\""
    [ "$status" -ne 0 ]
    [[ $output =~ "check_build_at_most_48_bytes" ]]
}
