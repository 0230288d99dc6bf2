#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
#
# What hooks break, and that what `mcuprof lint` recommends mends it: run.

bats_require_minimum_version 1.5.0

setup() {
    load ../cli/common
    load ../cli/elf_lint
    cd "$BATS_TEST_TMPDIR" || return 1
}

# The board of each core, and its end: main()'s status, or 9 if it hung.
run_on() { # CPU ELF
    local board=mps2-an386
    [ "$1" != cortex-m0 ] || board=microbit
    run "$BATS_TEST_DIRNAME/qemu.sh" $board "$2" file:/dev/null
}

quiet='-DCURE=__attribute__((no_instrument_function))'

# The flag that lint prints for gcc after naming the kind.
flag_of() { # kind, ELF
    "$MCUPROF" lint "$2" --format csv >out || true
    finding "$1" gcc
}

@test "CASE 3: a naked PendSV hangs with hooks, and not with the cure" {
    for compiler in gcc clang; do
        for cpu in cortex-m0 cortex-m4; do
            for level in -O0 -Os; do
                echo "$compiler $cpu $level"
                firmware fw.elf $compiler $cpu "$LINT/lint_naked.c" $level
                run_on $cpu fw.elf
                [ "$status" -eq 9 ]
                # The attribute is for both, ...
                firmware fixed.elf $compiler $cpu "$LINT/lint_naked.c" \
                    $level "$quiet"
                run_on $cpu fixed.elf
                [ "$status" -eq 0 ]
            done
            [ $compiler = gcc ] || continue
            # ... the flag for gcc alone; clang does not know it.
            flag=$(flag_of naked fw.elf)
            [[ $flag = -finstrument-functions-exclude-function-list=* ]]
            firmware fixed.elf gcc $cpu "$LINT/lint_naked.c" "$flag"
            run_on $cpu fixed.elf
            [ "$status" -eq 0 ]
        done
    done
}

@test "CASE 3: clang has no flag that helps" {
    run compile clang cortex-m4 "$LINT/lint_naked.c" naked.o \
        -finstrument-functions \
        -finstrument-functions-exclude-function-list=PendSV_Handler
    [ "$status" -ne 0 ]
    compile clang cortex-m4 "$LINT/lint_naked.c" naked.o \
        -finstrument-functions-after-inlining
    run arm-none-eabi-objdump -dr naked.o --disassemble=PendSV_Handler
    [[ $output =~ __cyg_profile_func_enter ]]
}

@test "CASE 8: an inline function without definition, and its cures" {
    for compiler in gcc clang; do
        echo $compiler
        compile $compiler cortex-m4 "$LINT/lint_boot.c" boot.o
        compile $compiler cortex-m4 "$LINT/lint_hooks.c" hooks.o
        compile $compiler cortex-m4 "$LINT/lint_inline.c" inline.o
        link cortex-m4 fw.elf boot.o inline.o
        run_on cortex-m4 fw.elf
        [ "$status" -eq 0 ]
        compile $compiler cortex-m4 "$LINT/lint_inline.c" hooked.o \
            -finstrument-functions
        run link cortex-m4 broken.elf boot.o hooked.o hooks.o
        [ "$status" -ne 0 ]

        # An extern definition, or no hooks in that function.
        sed 's/^extern inline uint32_t stretch.*/&\nextern inline uint32_t squeeze(uint32_t value);/' \
            "$LINT/lint_inline.c" >defined.c
        compile $compiler cortex-m4 defined.c hooked.o -I"$LINT" \
            -finstrument-functions
        link cortex-m4 fixed.elf boot.o hooked.o hooks.o
        run_on cortex-m4 fixed.elf
        [ "$status" -eq 0 ]
        compile $compiler cortex-m4 "$LINT/lint_inline.c" hooked.o \
            -finstrument-functions "$quiet"
        link cortex-m4 fixed.elf boot.o hooked.o hooks.o
        run_on cortex-m4 fixed.elf
        [ "$status" -eq 0 ]
    done
    flag=$(flag_of c99-inline fw.elf)
    compile gcc cortex-m4 "$LINT/lint_inline.c" hooked.o \
        -finstrument-functions "$flag"
    link cortex-m4 fixed.elf boot.o hooked.o hooks.o
    run_on cortex-m4 fixed.elf
    [ "$status" -eq 0 ]
}

@test "with all of the library instrumented the hooks call nothing that is" {
    cat >main.c <<'C'
#include "mcuprof.h"
static size_t nowhere(const uint8_t *data, size_t size)
{
    (void)data;
    return size;
}
int main(void)
{
    struct mcuprof_config config = {0};
    config.write = nowhere;
    config.core_hz = 25000000;
    return mcuprof_init(&config) + mcuprof_trace_start(NULL);
}
C
    include=/usr/lib/arm-none-eabi/include
    for compiler in 'arm-none-eabi-gcc -mthumb -std=gnu99' \
        "clang --target=thumbv7em-none-eabi -isystem $include"; do
        for level in -O0 -Os -O2; do
            for assembly in 0 1; do
                echo "$compiler $level $assembly"
                "$BATS_TEST_DIRNAME/build_with.sh" mps2-an386 fw.elf \
                    "$compiler $level -DMCUPROF_TRACE=1 -DMCUPROF_HOOKS_ASM=$assembly -finstrument-functions" \
                    main.c
                "$MCUPROF" lint fw.elf --format csv >out
                [ -n "$(found library)" ]
                [ -z "$(found recursion)" ]
                [ -z "$(found naked)" ]
            done
        done
    done
}

# hooked DEFINE: the functions in an object of main.c, without optimisation,
# that call hooks
hooked() {
    arm-none-eabi-gcc -mthumb -mcpu=cortex-m3 -O0 -finstrument-functions "$1" \
        -I"$BATS_TEST_DIRNAME/../../target" \
        -I"$BATS_TEST_DIRNAME/../../target/transport" -c main.c -o main.o
    arm-none-eabi-objdump -dr main.o |
        awk '/^[0-9a-f]+ </ { name = $2 } /__cyg_profile/ { print name }' |
        sort -u
}

@test "what mcuprof's headers inline has no hooks" {
    cat >main.c <<'C'
#include "mcuprof.h"
#include "mcuprof_ram.h"
#include "mcuprof_rtt.h"
#include "mcuprof_semihosting.h"
#include "mcuprof_uart.h"
int main(void)
{
    return mcuprof_init(NULL) + mcuprof_start() + mcuprof_poll()
           + mcuprof_trace_start(NULL) + mcuprof_trace_stop()
           + mcuprof_context_name(1, "") + mcuprof_uart_get();
}
C
    [ "$(hooked -DMCUPROF_ENABLED=0)" = '<main>:' ]
    [ "$(hooked -DMCUPROF_TRACE=1)" = '<main>:' ]
}

@test "hooks that nothing of mcuprof wants are called, and do nothing" {
    cat >main.c <<'C'
#include "mcuprof.h"
__attribute__((noinline)) static int leaf(int a)
{
    return a + 1;
}
int main(void)
{
    return leaf(-1) + mcuprof_trace_stop();
}
C
    for off in ENABLED TRACE; do
        "$BATS_TEST_DIRNAME/build_with.sh" mps2-an386 fw.elf \
            "arm-none-eabi-gcc -mthumb -std=gnu99 -O1 -DMCUPROF_$off=0 -finstrument-functions" \
            main.c
        arm-none-eabi-objdump -d fw.elf | grep -q 'bl.*__cyg_profile_func_enter'
        run -0 "$BATS_TEST_DIRNAME/qemu.sh" mps2-an386 fw.elf
    done
}
