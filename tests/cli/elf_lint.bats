#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
#
# mcuprof lint: what is wrong with firmwares that are made to be wrong, and
# nothing of those that are not. tests/firmware/hook_cures.bats runs what it
# recommends.

load common
load elf_lint

setup_file() {
  cd "$BATS_FILE_TMPDIR" || return 1
  firmware naked.elf gcc cortex-m4 "$LINT/lint_naked.c"
  compile gcc cortex-m4 "$LINT/lint_boot.c" plain_boot.o
  compile gcc cortex-m4 "$LINT/lint_naked.c" plain_main.o
  link cortex-m4 plain.elf plain_boot.o plain_main.o
}

setup() {
  unset MCUPROF_ELF NO_COLOR
  ELF=$BATS_FILE_TMPDIR/naked.elf
  cd "$BATS_TEST_TMPDIR" || return 1
}

# A firmware of C text on standard input, with what it says of hooks.
custom() { # ELF [FLAG...]
  local elf=$1
  shift
  cat >custom.c
  firmware "$elf" gcc cortex-m4 custom.c "$@"
}

# As if the library with the call ring were there.
with_library='
unsigned mcuprof_trace[4], mcuprof_control;
void mcuprof_init(void);
__attribute__((no_instrument_function, used)) void mcuprof_init(void)
{
    mcuprof_trace[0] = mcuprof_control;
}
void PendSV_Handler(void);
'
quiet='__attribute__((no_instrument_function))'

@test "a naked function with hooks, by compiler, core and level" {
  for compiler in gcc clang; do
    for cpu in cortex-m0 cortex-m4; do
      for level in -O0 -O1 -O2 -O3 -Os; do
        firmware fw.elf $compiler $cpu "$LINT/lint_naked.c" $level
        lint_csv fw.elf
        [ "$status" -eq 1 ]
        [ "$(found naked)" = PendSV_Handler ] || show_and_fail "$compiler $cpu"
        firmware fw.elf $compiler $cpu "$LINT/lint_naked.c" $level \
          "-DCURE=$quiet"
        lint_csv fw.elf
        [ -z "$(found naked)" ] || show_and_fail "$compiler $cpu, cured"
      done
    done
  done
}

@test "a finding says where, what is lost, and both cures" {
  run_apart "$MCUPROF" lint "$ELF"
  [ "$status" -eq 1 ]
  [ ! -s err ]
  local start hook line
  start=$(address_of PendSV_Handler)
  line=$(line_of lint_naked.c "naked)) void PendSV_Handler")
  hook=$(arm-none-eabi-objdump -d "$ELF" --disassemble=PendSV_Handler |
    awk '/bl.*_func_enter/ { sub(":", "", $1); print $1; exit }')
  assert_out "^error: .* \[naked\]$" \
    "^  $start PendSV_Handler .*lint_naked.c:$line: the hook at 0x0*$hook loses LR" \
    "gcc: -finstrument-functions-exclude-function-list=PendSV_Handler$" \
    "clang: __attribute__\(\(no_instrument_function\)\)"
}

@test "hooks before .bss is cleared, and not those behind" {
  for level in -O0 -O2; do
    firmware fw.elf gcc cortex-m4 "$LINT/lint_naked.c" $level -DCURE="$quiet"
    lint_csv fw.elf
    # By the source: clear() has no hooks, main() comes after it.
    [ "$(found early | sort | paste -sd,)" = \
      Reset_Handler,SystemInit,prepare_clock ] || show_and_fail "$level"
    lint_csv fw.elf --strict
    [ "$status" -eq 1 ]
  done
  firmware fw.elf gcc cortex-m4 "$LINT/lint_naked.c" \
    -finstrument-functions-exclude-file-list=lint_boot.c
  lint_csv fw.elf
  [ -z "$(found early)" ]
}

# As MCUPROF_TRACE_KEEP says that there is one; SECTION "" is .bss.
kept_ring() { # ELF, section, its place in the linker script, its type
  local elf=$1 attribute=
  [ -z "$2" ] || attribute="__attribute__((section(\"$2\")))"
  compile gcc cortex-m4 "$LINT/lint_naked.c" main.o
  cat >kept.c <<C
$attribute unsigned mcuprof_trace[4];
unsigned mcuprof_control;
C
  compile gcc cortex-m4 kept.c kept.o
  sed "s/__bss_end__ = .;/$3&/; s/^ *stack_top/    $4\n&/" \
    "$LINT/lint.ld" >kept.ld
  arm-none-eabi-gcc -mcpu=cortex-m4 -mthumb -nostdlib -T kept.ld -o "$elf" \
    -Wl,-z,noexecstack "$BATS_FILE_TMPDIR/plain_boot.o" main.o kept.o \
    "${@:5}"
}

@test "a ring that is to be kept, and will not be" {
  local keep=-Wl,--defsym=mcuprof_trace_keep=mcuprof_trace
  local own='.noinit (NOLOAD) : { *(.noinit) } > ram'
  kept_ring fw.elf .noinit '' "$own" $keep
  lint_csv fw.elf
  [ -z "$(finding not-kept kind)" ]
  # Among what is cleared, by the section's name or by the limits.
  kept_ring fw.elf '' '' '' $keep
  lint_csv fw.elf
  [ "$(finding not-kept severity)" = warning ]
  [[ $(finding not-kept detail) = "at 0x2"*" in .bss, which is cleared"* ]]
  kept_ring fw.elf .noinit '*(.noinit) ' '' $keep
  sed 's/\.bss (NOLOAD)/.zeroes (NOLOAD)/' kept.ld >named.ld
  arm-none-eabi-gcc -mcpu=cortex-m4 -mthumb -nostdlib -T named.ld -o fw.elf \
    -Wl,-z,noexecstack "$BATS_FILE_TMPDIR/plain_boot.o" main.o kept.o $keep
  lint_csv fw.elf
  [[ $(finding not-kept detail) = *" in .zeroes, which is cleared"* ]]
  # With contents: gcc makes such a section for what is not named .noinit.
  kept_ring fw.elf .kept '' '.kept : { *(.kept) BYTE(0) } > ram' $keep
  lint_csv fw.elf
  [[ $(finding not-kept detail) = *" in .kept, which has contents"* ]]
  # A ring that need not be kept is fine in .bss.
  kept_ring fw.elf '' '' ''
  lint_csv fw.elf
  [ -z "$(finding not-kept kind)" ]
}

@test "an assembler's reset handler with labels in it" {
  cat >start.S <<'S'
    .syntax unified
    .thumb
    .section .text.start, "ax"
    .global Reset_Handler
    .type Reset_Handler, %function
Reset_Handler:
    bl SystemInit
    bl early_init
    ldr r0, =__bss_start__
    ldr r1, =__bss_end__
    movs r2, #0
    b LoopFillZerobss
FillZerobss:
    str r2, [r0]
    adds r0, #4
LoopFillZerobss:
    cmp r0, r1
    bcc FillZerobss
    bl late_init
    bl main
    b .
    .size Reset_Handler, . - Reset_Handler
    .section .vectors, "a"
    .word stack_top, Reset_Handler, 0, 0
S
  cat >custom.c <<'C'
void SystemInit(void);
void early_init(void);
void late_init(void);
int main(void);
/* At the begin of .bss: whoever uses it need not be who clears that. */
volatile int level;
void early_init(void)
{
    level = 3;
}
void SystemInit(void)
{
    level = 1;
}
void late_init(void)
{
    level = 2;
}
int main(void)
{
    return level;
}
C
  arm-none-eabi-gcc -mcpu=cortex-m4 -mthumb -c start.S -o start.o
  compile gcc cortex-m4 custom.c main.o -finstrument-functions
  compile gcc cortex-m4 "$LINT/lint_hooks.c" hooks.o
  link cortex-m4 fw.elf start.o main.o hooks.o
  lint_csv fw.elf
  [ "$(found early | sort | paste -sd,)" = SystemInit,early_init ]
}

@test "handlers with hooks are fine; in a sampling one they are an error" {
  custom fw.elf <<C
$with_library
void mcuprof_sample_put(unsigned pc, unsigned context);
$quiet __attribute__((noinline)) void mcuprof_sample_put(unsigned pc,
                                                  unsigned context)
{
    mcuprof_trace[1] = pc + context;
}
void PendSV_Handler(void)
{
    mcuprof_sample_put(3, 4);
}
int main(void)
{
    return 0;
}
C
  lint_csv fw.elf
  [ "$status" -eq 1 ]
  [ "$(found sampler)" = PendSV_Handler ]
  [ -z "$(found handler)" ]
  [[ $(finding sampler detail) = "PendSV (14): "* ]]
  custom fw.elf <<C
$with_library
void PendSV_Handler(void)
{
    mcuprof_trace[2]++;
}
int main(void)
{
    return 0;
}
C
  lint_csv fw.elf
  [ "$status" -eq 0 ]
  [ -z "$(found sampler)" ]
  [ "$(found handler)" = PendSV_Handler ]
  [ "$(finding handler severity)" = note ]
}

@test "what the hooks call must have none" {
  cat >helper.c <<'C'
void hook_helper(void *function);
volatile unsigned last;
void hook_helper(void *function)
{
    last = (unsigned)function;
}
C
  firmware fw.elf gcc cortex-m4 "$LINT/lint_naked.c" -DCURE="$quiet"
  compile gcc cortex-m4 helper.c helper.o -finstrument-functions
  compile gcc cortex-m4 "$LINT/lint_hooks.c" hooks.o -fno-inline \
    "-DHELPER(f)=hook_helper(f)"
  link cortex-m4 fw.elf boot.o main.o hooks.o helper.o
  lint_csv fw.elf
  [ "$status" -eq 1 ]
  [ "$(found recursion)" = hook_helper ]
  compile gcc cortex-m4 helper.c helper.o
  link cortex-m4 fw.elf boot.o main.o hooks.o helper.o
  lint_csv fw.elf
  [ -z "$(found recursion)" ]
}

@test "a hook that is instrumented itself" {
  firmware fw.elf gcc cortex-m4 "$LINT/lint_naked.c" -DCURE="$quiet"
  sed 's/^QUIET void __cyg_profile_func_enter/void __cyg_profile_func_enter/' \
    "$LINT/lint_hooks.c" >hooks.c
  compile gcc cortex-m4 hooks.c hooks.o -finstrument-functions -Wno-error -O0
  link cortex-m4 fw.elf boot.o main.o hooks.o
  lint_csv fw.elf
  [ "$(found recursion)" = __cyg_profile_func_enter ]
}

@test "the ring without hooks, hooks without the ring, neither" {
  cp "$BATS_FILE_TMPDIR/plain.elf" fw.elf
  lint_csv fw.elf
  [ "$status" -eq 1 ]
  [ "$(finding no-mcuprof severity)" = error ]
  [ -z "$(finding no-hooks kind)$(finding other-hooks kind)" ]

  lint_csv "$ELF"
  [ "$(finding other-hooks severity)" = warning ]
  [ -z "$(finding no-hooks kind)" ]

  { echo "$with_library" && cat "$LINT/lint_naked.c"; } >ring.c
  compile gcc cortex-m4 ring.c ring.o
  link cortex-m4 fw.elf "$BATS_FILE_TMPDIR/plain_boot.o" ring.o
  lint_csv fw.elf
  [ "$status" -eq 0 ]
  [ "$(finding no-hooks severity)" = warning ]
  [ -z "$(finding other-hooks kind)$(finding no-mcuprof kind)" ]
  lint_csv fw.elf --strict
  [ "$status" -eq 3 ]
}

@test "the library with hooks" {
  custom fw.elf <<C
${with_library/no_instrument_function, /}
void PendSV_Handler(void)
{
}
int main(void)
{
    return 0;
}
C
  lint_csv fw.elf
  [ "$(found library)" = mcuprof_init ]
}

# The library itself, of target/, in one file or joined by the linker, with
# engines that are set on.
real_library() { # apart|one|lto [FLAG...]
  local way=$1 cc=() flags=() source
  local sources=("$ROOT"/target/*.c "$ROOT"/target/port/cortexm/*.c)
  shift
  cc=(arm-none-eabi-gcc -mcpu=cortex-m4 -mthumb -Os -g -ffunction-sections
    -I"$ROOT/target" -DMCUPROF_STREAM=0 -DMCUPROF_TRACE_RING=64
    -DMCUPROF_FUNCTIONS_SLOTS=16 -DMCUPROF_FUNCTIONS_CONTEXTS=2
    -DMCUPROF_FUNCTIONS_DEPTH=12 "$@")
  if [ "$way" = one ]; then
    "$ROOT/tools/amalgamate.py" one
    sources=(one/mcuprof.c)
  fi
  [ "$way" != lto ] || flags=(-flto)
  rm -f library_*.o
  for source in "${sources[@]}"; do
    "${cc[@]}" "${flags[@]}" -c "$source" -o "library_$(basename "$source").o"
  done
  cat >use.c <<'C'
#include "mcuprof.h"
void PendSV_Handler(void);
void PendSV_Handler(void)
{
}
int main(void)
{
    static const struct mcuprof_config config = {.core_hz = 1000000};
    int error = mcuprof_init(&config);
#if MCUPROF_FUNCTIONS
    error |= mcuprof_functions_start(0);
#endif
#if MCUPROF_TRACE
    error |= mcuprof_trace_start(0);
#endif
    return error;
}
C
  "${cc[@]}" -finstrument-functions -c use.c -o use.o
  "${cc[@]}" "${flags[@]}" -nostdlib -T "$LINT/lint.ld" -Wl,--gc-sections \
    -Wl,-z,noexecstack,--defsym=etext=lint_text_end -o fw.elf \
    "$BATS_FILE_TMPDIR/plain_boot.o" use.o library_*.o -lgcc -lc 2>warnings
}

@test "a table, a ring, both: measuring what hooks cost is no site" {
  local set
  for set in "apart -DMCUPROF_FUNCTIONS=1" "one -DMCUPROF_TRACE=1" \
    "one -DMCUPROF_FUNCTIONS=1" "lto -DMCUPROF_FUNCTIONS=1 -DMCUPROF_TRACE=1" \
    "one -DMCUPROF_FUNCTIONS=1 -DMCUPROF_TRACE=1 -O0"; do
    # shellcheck disable=SC2086 # a list of flags
    real_library $set
    lint_csv fw.elf --strict
    [ "$status" -eq 0 ] || show_and_fail "$set: status $status"
    [ -z "$(found library)$(found inlined-only)" ] || show_and_fail "$set"
    [ "$(found handler)" = PendSV_Handler ]
  done
  # With hooks of its own it is found.
  real_library one -DMCUPROF_FUNCTIONS=1 -finstrument-functions
  lint_csv fw.elf
  [ "$(found library | grep -cx mcuprof_functions_start)" -eq 1 ]
}

@test "the table without hooks" {
  { echo "$with_library" && cat "$LINT/lint_naked.c"; } >table.c
  sed -i 's/mcuprof_trace/mcuprof_functions/' table.c
  compile gcc cortex-m4 table.c table.o
  link cortex-m4 fw.elf "$BATS_FILE_TMPDIR/plain_boot.o" table.o
  lint_csv fw.elf
  [ "$(finding no-hooks severity)" = warning ]
  [ -z "$(finding other-hooks kind)$(finding no-mcuprof kind)" ]
}

@test "debug info and identity" {
  { echo "$with_library" && cat "$LINT/lint_naked.c"; } >ring.c
  compile gcc cortex-m4 ring.c ring.o
  link cortex-m4 fw.elf "$BATS_FILE_TMPDIR/plain_boot.o" ring.o
  lint_csv fw.elf
  [ "$(finding no-identity severity)" = warning ]
  [ -z "$(finding no-debug-info kind)" ]
  for name in mcuprof_build_id mcuprof_image_end __etext _etext etext; do
    link cortex-m4 named.elf "$BATS_FILE_TMPDIR/plain_boot.o" ring.o \
      "-Wl,--defsym=$name=lint_text_end"
    lint_csv named.elf
    [ -z "$(finding no-identity kind)" ] || show_and_fail "$name"
  done
  arm-none-eabi-strip -g fw.elf
  lint_csv fw.elf
  [ "$(finding no-debug-info severity)" = warning ]
}

@test "a build-id in the place of the vector table" {
  # Where a linker script does not place it, it comes first.
  link cortex-m4 fw.elf "$BATS_FILE_TMPDIR"/plain_*.o -Wl,--build-id
  arm-none-eabi-readelf -SW fw.elf |
    grep -q '\.note\.gnu\.build-id *NOTE *00000000'
  lint_csv fw.elf
  [ "$(finding build-id-first severity)" = error ]
  lint_csv "$BATS_FILE_TMPDIR/plain.elf"
  [ -z "$(finding build-id-first kind)" ]
}

@test "an inline function of C99 that hooks will not let link" {
  for compiler in gcc clang; do
    compile $compiler cortex-m4 "$LINT/lint_inline.c" inline.o
    link cortex-m4 fw.elf "$BATS_FILE_TMPDIR/plain_boot.o" inline.o
    lint_csv fw.elf
    [ "$(found c99-inline)" = squeeze ] || show_and_fail "$compiler"
    [[ $(finding c99-inline file) = *lint_inline.h ]]
    [ "$(finding c99-inline line)" = \
      "$(line_of lint_inline.h 'inline uint32_t squeeze')" ]
    # It is so: the linker is the witness.
    compile $compiler cortex-m4 "$LINT/lint_inline.c" inline.o \
      -finstrument-functions
    compile $compiler cortex-m4 "$LINT/lint_hooks.c" hooks.o
    run link cortex-m4 fw.elf "$BATS_FILE_TMPDIR/plain_boot.o" inline.o hooks.o
    [ "$status" -ne 0 ]
    [[ $output =~ "undefined reference to \`squeeze'" ]]
    [[ ! $output =~ "\`stretch'" ]]
  done
}

@test "hooks that outweigh: the smallest and the most called first" {
  cat >custom.c <<'C'
typedef unsigned u;
volatile u level;
u tiny(void), small(u), big(u), loop(u), rare(void), rare_too(void);
int main(void);
void PendSV_Handler(void);
void PendSV_Handler(void)
{
}
#define KEPT __attribute__((noinline, noclone))
KEPT u tiny(void)
{
    return level;
}
KEPT u rare(void)
{
    return level;
}
KEPT u small(u a)
{
    return a * 3 + level * (a ^ 5);
}
KEPT u loop(u a)
{
    while (a-- > 3)
        level += a;
    return a;
}
KEPT u big(u a)
{
    level = a; level = a + 1; level = a + 2; level = a * 3; level = a ^ 4;
    level = a; level = a + 1; level = a + 2; level = a * 3; level = a ^ 4;
    level = a; level = a + 1; level = a + 2; level = a * 3; level = a ^ 4;
    level = a; level = a + 1; level = a + 2; level = a * 3; level = a ^ 4;
    level = a; level = a + 1; level = a + 2; level = a * 3; level = a ^ 4;
    level = a; level = a + 1; level = a + 2; level = a * 3; level = a ^ 4;
    level = a; level = a + 1; level = a + 2; level = a * 3; level = a ^ 4;
    level = a; level = a + 1; level = a + 2; level = a * 3; level = a ^ 4;
    level = a; level = a + 1; level = a + 2; level = a * 3; level = a ^ 4;
    return a;
}
KEPT u rare_too(void)
{
    return loop(level) + big(level);
}
int main(void)
{
    tiny(); tiny(); tiny(); tiny(); tiny(); tiny(); tiny(); tiny();
    small(1); small(2);
    return (int)(rare() + rare_too());
}
C
  firmware fw.elf gcc cortex-m4 custom.c \
    -finstrument-functions-exclude-file-list=lint_boot.c
  lint_csv fw.elf
  found outweighed >names
  [ "$(head -n 2 names | paste -sd,)" = tiny,small ]
  grep -qx rare names
  refute_grep '^big$' names
  refute_grep '^loop$' names
  # All but four instructions for each of the two calls of hooks.
  local instructions calls
  instructions=$(arm-none-eabi-objdump -d fw.elf --disassemble=tiny |
    grep -P '^ .*\t' | grep -vc '\.word')
  calls=$(arm-none-eabi-objdump -d fw.elf | grep -c 'bl.*<tiny>')
  [ "$calls" -eq 8 ]
  [ "$(finding outweighed detail)" = \
    "$((instructions - 8)) instructions; called from 8 places, inlined in 0" ]
  run_apart "$MCUPROF" lint fw.elf -n 3
  assert_out "and [0-9]+ more: -n 0 shows all"
  run_apart "$MCUPROF" lint fw.elf -n 0
  refute_out "-n 0"
}

@test "gcc's flag takes parts of names: it says what else that hits" {
  cat >custom.c <<'C'
void crc(void), crc_update(unsigned), PendSV_Handler(void);
int main(void);
volatile unsigned level;
__attribute__((naked)) void crc(void)
{
    __asm volatile("bx lr");
}
void crc_update(unsigned a)
{
    while (a-- > 0)
        level += a;
}
void PendSV_Handler(void)
{
}
int main(void)
{
    crc();
    crc_update(level);
    return 0;
}
C
  firmware fw.elf gcc cortex-m4 custom.c -fno-inline
  run_apart "$MCUPROF" lint fw.elf
  assert_out "function-list=crc \(hits 1 more by parts of names: crc_update\)$"
  # It does.
  firmware fw.elf gcc cortex-m4 custom.c -fno-inline \
    -finstrument-functions-exclude-function-list=crc
  run arm-none-eabi-objdump -d fw.elf --disassemble=crc_update
  [[ ! $output =~ __cyg_profile ]]
}

@test "functions that exist inlined only" {
  cat >custom.c <<'C'
typedef unsigned u;
volatile u level;
u (*pointer)(u);
__attribute__((noinline)) void point(void);
int main(void);
void PendSV_Handler(void);
void PendSV_Handler(void)
{
}
static inline __attribute__((always_inline)) u only_inlined(u a)
{
    return a + level;
}
static inline __attribute__((always_inline)) u called_too(u a)
{
    return a - level;
}
static inline __attribute__((always_inline)) u pointed_at(u a)
{
    return a ^ level;
}
void point(void)
{
    pointer = pointed_at;
}
int main(void)
{
    u sum = only_inlined(1) + only_inlined(2) + called_too(3) + pointed_at(4);
    point();
    return (int)sum;
}
C
  # called_too is called by name, in a file that sees no body of it.
  sed -i 's/^static inline \(.*called_too\)/extern inline \1/; 1a u called_too(u);' custom.c
  cat >other.c <<'C'
unsigned called_too(unsigned), other(void);
unsigned other(void)
{
    return called_too(1);
}
C
  compile gcc cortex-m4 other.c other.o
  firmware fw.elf gcc cortex-m4 custom.c \
    -finstrument-functions-exclude-file-list=lint_boot.c
  link cortex-m4 fw.elf boot.o main.o hooks.o other.o
  lint_csv fw.elf
  [ "$(found inlined-only)" = only_inlined ] ||
    show_and_fail "$(found inlined-only)"
  [[ $(finding inlined-only detail) = "inlined 2 times; "* ]]
}

@test "csv, json and table tell the same" {
  lint_csv "$ELF"
  local rows
  rows=$(python3 -c 'import csv
print(len(list(csv.DictReader(open("out")))))')
  head -n 1 out | grep -qx \
    'severity,kind,function,address,file,line,detail,what,gcc,clang'
  run_apart "$MCUPROF" lint "$ELF" --format json
  [ "$(json '.rows | length')" -eq "$rows" ]
  [ "$(json .schema)" = mcuprof-lint ]
  [ "$(json .schema_version)" = 1 ]
  [ "$(json '.rows[] | select(.kind == "naked") | .address')" -eq \
    "$(($(address_of PendSV_Handler)))" ]
  # The jump in an exit hook would be no call; objdump counts the calls.
  [ "$(json .hook_calls)" -eq "$(arm-none-eabi-objdump -d "$ELF" |
    grep -cE '\sbl?(\.w)?\s.*<__cyg_profile_func_(enter|exit)>$')" ]
  run_apart "$MCUPROF" lint "$ELF" -n 0
  [ "$(grep -cE '^  (0x|[a-z0-9_]+ calls of hooks)' out)" -ge $((rows - 2)) ]
  assert_out '^2 errors, [0-9]+ warnings, [0-9]+ notes; '
}

@test "a firmware in order has no errors and no warnings" {
  custom fw.elf -finstrument-functions-exclude-file-list=lint_boot.c <<C
$with_library
volatile unsigned level;
unsigned work(unsigned count);
unsigned work(unsigned count)
{
    while (count-- > 0)
        level += count;
    return level;
}
void PendSV_Handler(void)
{
}
int main(void)
{
    return (int)work(level);
}
C
  link cortex-m4 fw.elf boot.o main.o hooks.o -Wl,--defsym=etext=lint_text_end
  lint_csv fw.elf --strict
  [ "$status" -eq 0 ] || show_and_fail "status $status"
  [ -z "$(grep -E '^(error|warning)' out)" ] || show_and_fail "findings"
}

@test "without an argument the only ELF here" {
  cp "$ELF" here.elf
  run_apart "$MCUPROF" lint
  [ "$status" -eq 1 ]
  assert_out '\[naked\]'
  MCUPROF_ELF=here.elf run_apart "$MCUPROF" lint
  assert_out '\[naked\]'
}

@test "bad input: no ELF, not an ELF, no symbols, wrong usage" {
  run_apart "$MCUPROF" lint missing.elf
  assert_complaint 1 'cannot open missing.elf'
  echo 'int main;' >text.elf
  run_apart "$MCUPROF" lint text.elf
  assert_complaint 1 'text.elf is not an ELF file'
  cp "$ELF" bare.elf
  arm-none-eabi-strip bare.elf
  run_apart "$MCUPROF" lint bare.elf
  assert_complaint 1 'symbol'
  run_apart "$MCUPROF" lint "$ELF" "$ELF"
  assert_complaint 2 ''
  run_apart "$MCUPROF" lint "$ELF" --formt csv
  assert_complaint 2 ''
}

@test "paths and names are the user's" {
  lint_csv "$ELF" --strip-prefix "$LINT"
  [ "$(finding naked file)" = lint_naked.c ]
  run_apart "$MCUPROF" lint "$ELF" --color=always
  grep -q $'\033' out
  run_apart "$MCUPROF" lint "$ELF"
  refute_grep $'\033' out
}
