#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
#
# Each lint check is shown a tree with one violation and must name it. The
# tree without the violation must be clean, or the finding would prove nothing.

setup() {
  tools=$(cd "$BATS_TEST_DIRNAME/../../tools" && pwd)
  tree=$BATS_TEST_TMPDIR/tree
  export PYTHONDONTWRITEBYTECODE=1
  mkdir -p "$tree"
  cd "$tree"
  git init -q .

  plant target/mcuprof_wire.h <<'EOF'
#ifndef MCUPROF_WIRE_H
#define MCUPROF_WIRE_H
#define MCUPROF_WIRE_VERSION 1
#endif
EOF
  plant target/mcuprof_engine.c <<'EOF'
#include "mcuprof_wire.h"

#ifndef MCUPROF_ENABLED
int mcuprof_engine_version(void);

int mcuprof_engine_version(void)
{
    return MCUPROF_WIRE_VERSION;
}
#endif
EOF
  plant host/lib/model.h <<'EOF'
#ifndef MODEL_H
#define MODEL_H
int model_new(void);
#endif
EOF
  plant host/lib/image.h <<'EOF'
#ifndef IMAGE_H
#define IMAGE_H
int image_open(void);
#endif
EOF
  plant host/lib/frame.h <<'EOF'
#ifndef FRAME_H
#define FRAME_H
int frame_read(void);
#endif
EOF
}

# Writes stdin below the license line and has git know the file.
plant() { # file
  local path=$1
  mkdir -p "$(dirname "$path")"
  case $path in
  *.[ch]) echo '/* SPDX-License-Identifier: MIT */' ;;
  *) echo '# SPDX-License-Identifier: MIT' ;;
  esac >"$path"
  cat >>"$path"
  git add "$path"
}

# The check passes now; after the rest of the command it fails and says text.
catches() { # check, text, command...
  local check=$1 text=$2
  shift 2
  "$tools/$check" "$tree" </dev/null
  "$@"
  run "$tools/$check" "$tree" </dev/null
  echo "$output"
  [ "$status" -ne 0 ]
  [[ "$output" == *"$text"* ]]
}

@test "layers: target looks outside" {
  catches lint_layers.py 'target may not include host/lib/model.h' \
    plant target/bad.c <<<'#include "model.h"'
}

@test "layers: target needs a C library" {
  catches lint_layers.py 'target/bad.c:2: <stdio.h> needs a C library' \
    plant target/bad.c <<<'#include <stdio.h>'
}

@test "layers: lib includes another target header" {
  plant target/mcuprof.h </dev/null
  catches lint_layers.py 'host/lib may not include target/mcuprof.h' \
    plant host/lib/bad.c <<<'#include "mcuprof.h"'
}

@test "layers: lib includes the program" {
  plant host/cli/verb.h </dev/null
  catches lint_layers.py 'host/lib may not include host/cli/verb.h' \
    plant host/lib/bad.c <<<'#include "verb.h"'
}

@test "layers: program includes the wire" {
  catches lint_layers.py 'host/cli may not include target/mcuprof_wire.h' \
    plant host/cli/bad.c <<<'#include "mcuprof_wire.h"'
}

@test "layers: decoder sees the ELF through a header" {
  plant host/lib/between.h <<<'#include "image.h"'
  catches lint_layers.py 'sees the ELF through host/lib/image.h' \
    plant host/lib/decode.c <<<'#include "between.h"'
}

@test "layers: image sees the wire" {
  catches lint_layers.py 'sees the wire through target/mcuprof_wire.h' \
    plant host/lib/image.c <<<'#include "mcuprof_wire.h"'
}

@test "layers: report sees more than the model" {
  plant host/lib/report.c <<<'#include "model.h"'
  catches lint_layers.py 'should see the model alone' \
    plant host/lib/report_csv.c <<<'#include "frame.h"'
}

@test "layers: libelf outside image and lines" {
  catches lint_layers.py '<libelf.h> belongs to image, lines, modules alone' \
    plant host/lib/bad.c <<<'#include <libelf.h>'
}

@test "symbols: global without prefix" {
  catches lint_symbols.py 'symbol stranger (cortex-m0) lacks' \
    plant target/bad.c <<<'int stranger;'
}

@test "symbols: something is left when disabled" {
  catches lint_symbols.py 'MCUPROF_ENABLED=0 leaves mcuprof_state in' \
    plant target/bad.c <<<'static int mcuprof_state = 1; int *mcuprof_p(void);
int *mcuprof_p(void) { return &mcuprof_state; }'
}

@test "symbols: macro without prefix" {
  catches lint_symbols.py 'target/bad.h:2: macro RING_SIZE lacks' \
    plant target/bad.h <<<'#define RING_SIZE 4'
}

@test "symbols: library prints" {
  catches lint_symbols.py 'printing is left to the program: printf' \
    plant host/lib/bad.c <<'EOF'
#include <stdio.h>
int bad(void);
int bad(void)
{
    return printf("bad\n");
}
EOF
}

@test "symbols: library exits" {
  catches lint_symbols.py 'ending the process is left to the program: exit' \
    plant host/lib/bad.c <<'EOF'
#include <stdlib.h>
void bad(void);
void bad(void)
{
    exit(1);
}
EOF
}

@test "symbols: library reads the environment" {
  catches lint_symbols.py 'reading the environment is left to the program' \
    plant host/lib/bad.c <<'EOF'
#include <stdlib.h>
char *bad(void);
char *bad(void)
{
    return getenv("HOME");
}
EOF
}

@test "symbols: library keeps a global" {
  catches lint_symbols.py 'mutable at file scope: count' \
    plant host/lib/bad.c <<'EOF'
int bad(void);
int bad(void)
{
    static int count;
    return count++;
}
EOF
}

@test "symbols: constant tables of pointers are no globals" {
  plant host/lib/good.c <<'EOF'
const char *good(int n);
const char *good(int n)
{
    static const char *const names[] = {"one", "two"};
    return names[n];
}
EOF
  "$tools/lint_symbols.py" "$tree"
}

@test "headers: target header does not compile alone" {
  catches lint_headers.py 'arm-none-eabi-gcc c -std=c99 -mthumb -mcpu=cortex-m33' \
    plant target/bad.h <<<'uint32_t mcuprof_bad(void);'
}

@test "headers: target header is no C++" {
  catches lint_headers.py 'does not compile alone (g++ c++ -std=c++11' \
    plant target/bad.h <<<'int mcuprof_bad(int class);'
}

@test "headers: host header does not compile alone" {
  catches lint_headers.py 'does not compile alone (gcc c -std=c11' \
    plant host/lib/bad.h <<<'size_t bad(void);'
}

lines() { # count
  yes 'int mcuprof_line;' | head -n "$1"
}

@test "files: over the limit of target" {
  catches lint_files.py 'target/bad.c: 601 lines, the limit is 600' \
    plant target/bad.c < <(lines 600)
}

@test "files: over the limit elsewhere" {
  plant host/lib/good.c < <(lines 899)
  catches lint_files.py 'host/lib/bad.c: 901 lines, the limit is 900' \
    plant host/lib/bad.c < <(lines 900)
}

@test "files: one name twice" {
  plant host/README.md </dev/null
  plant target/README.md </dev/null
  catches lint_files.py 'the same name as host/cli/util.c' \
    plant_two host/cli/util.c host/lib/util.c
}

plant_two() { # file, file
  plant "$1" </dev/null
  plant "$2" </dev/null
}

@test "files: no license line" {
  catches lint_files.py 'host/lib/bad.c: the first line is not' \
    plant_bare host/lib/bad.c
  catches_more bad.py 'bad.py: no line # SPDX'
}

plant_bare() { # file
  echo 'int bad;' >"$1"
  git add "$1"
}

catches_more() { # file, text
  plant_bare "$1"
  run "$tools/lint_files.py" "$tree"
  [[ "$output" == *"$2"* ]]
}

@test "files: a list of tests kept by hand" {
  plant tests/unit/test_ring.c </dev/null
  catches lint_files.py 'Makefile:2: names the test test_ring' \
    plant Makefile <<<'TESTS = test_ring'
}

@test "shell: does not parse" {
  catches lint_shell.sh 'bad.sh' plant bad.sh <<<'if true; then'
}

@test "shell: shellcheck has something to say" {
  catches lint_shell.sh 'SC2046' plant bad.sh <<'EOF'
# shellcheck shell=bash
rm $(cat list)
EOF
}

@test "format: not as clang-format would" {
  cp "$tools/../.clang-format" .
  catches lint_format.sh 'host/lib/bad.c:2:' \
    plant host/lib/bad.c <<<'int  bad;'
}

@test "analyzers: cppcheck finds something" {
  catches lint_analyzers.sh '[zerodiv]' \
    plant host/lib/bad.c <<'EOF'
int bad(int a);
int bad(int a)
{
    int zero = 0;
    return a / zero;
}
EOF
}

@test "analyzers: gcc finds something" {
  catches lint_analyzers.sh '[-Werror=analyzer-double-free]' \
    plant host/lib/bad.c <<'EOF'
#include <stdlib.h>
void bad(void *pointer);
void bad(void *pointer)
{
    free(pointer);
    free(pointer);
}
EOF
}

@test "analyzers: gcc finds something in one configuration of target" {
  catches lint_analyzers.sh '[-Werror=analyzer-null-dereference]' \
    plant target/bad.c <<'EOF'
#if defined(MCUPROF_STREAM) && !MCUPROF_STREAM
int mcuprof_bad(void);
int mcuprof_bad(void)
{
    int *nothing = 0;
    return *nothing;
}
#endif
EOF
}

@test "analyzers: cppcheck finds something in one configuration of target" {
  catches lint_analyzers.sh '[arrayIndexOutOfBounds]' \
    plant target/bad.c <<'EOF'
#if defined(MCUPROF_VECTORS) && defined(MCUPROF_HOTSPOT_IGNORE)
int mcuprof_bad(void);
int mcuprof_bad(void)
{
    int four[4] = {1, 2, 3, 4};
    return four[MCUPROF_VECTORS / 16];
}
#endif
EOF
}

@test "analyzers: gcc finds something in what else is built" {
  compile_commands tests/unit/bad.c
  catches lint_analyzers.sh '[-Werror=analyzer-use-after-free]' \
    plant tests/unit/bad.c <<'EOF'
#include <stdlib.h>
int bad(void);
int bad(void)
{
    int *pointer = malloc(sizeof(int));
    if (!pointer) {
        return 0;
    }
    *pointer = 1;
    free(pointer);
    return *pointer;
}
EOF
}

# The least that can be one file.
plant_library() {
  mkdir -p cmake
  cp "$tools/../cmake/mcuprof_warnings.cmake" cmake/
  plant target/mcuprof_config.h <<'EOF'
#ifndef MCUPROF_CONFIG_H
#define MCUPROF_CONFIG_H
/* MCUPROF_ENABLED: the engine is left out. */
#endif
EOF
  plant target/mcuprof.h <<'EOF'
#ifndef MCUPROF_H
#define MCUPROF_H
#include "mcuprof_config.h"
#define MCUPROF_VERSION "1.2.3"
#endif
EOF
}

@test "one-file: a static of the same name in two files" {
  plant_library
  plant target/mcuprof_one.c <<'EOF'
int mcuprof_one(void);
static int count(void)
{
    return 1;
}
int mcuprof_one(void)
{
    return count();
}
EOF
  catches lint_amalgamation.py 'target/mcuprof_two.c: error: ' \
    plant target/mcuprof_two.c <<'EOF'
unsigned mcuprof_two(void);
static unsigned count;
unsigned mcuprof_two(void)
{
    return count++;
}
EOF
}

@test "one-file: a setting that no comment explains" {
  plant_library
  catches lint_amalgamation.py 'tests MCUPROF_SECRET: no comment' \
    plant target/mcuprof_two.c <<'EOF'
#ifdef MCUPROF_SECRET
#endif
EOF
}

# A build folder for the tree, as the tidy check wants it.
compile_commands() { # file...
  local file comma=
  mkdir -p build/host
  {
    echo '['
    for file; do
      printf '%s{"directory": "%s", "file": "%s", "command": "%s"}' "$comma" \
        "$tree" "$tree/$file" "gcc -std=c11 -Itarget -c $tree/$file"
      comma=,
    done
    echo ']'
  } >build/host/compile_commands.json
}

@test "tidy: a finding in the host" {
  cp "$tools/../.clang-tidy" .
  compile_commands host/lib/bad.c
  catches lint_tidy.sh 'bugprone-suspicious-semicolon' \
    plant host/lib/bad.c <<'EOF'
int bad(int a);
int bad(int a)
{
    if (a > 3);
        a = 0;
    return a;
}
EOF
}

# A function of so many lines, the braces not counted.
long_function() { # name, lines
  echo "int $1(int a);"
  echo "int $1(int a)"
  echo '{'
  yes '    a++;' | head -n $(($2 - 1))
  echo '    return a;'
  echo '}'
}

@test "tidy: functions end at 60 lines in target, at 80 in host" {
  cp "$tools/../.clang-tidy" .
  cp "$tools/../target/.clang-tidy" target/
  compile_commands host/lib/good.c
  plant target/good.c < <(long_function mcuprof_good 59)
  plant host/lib/good.c < <(long_function good 79)
  catches lint_tidy.sh 'readability-function-size' \
    plant target/bad.c < <(long_function mcuprof_bad 62)
}

@test "lint: every failure is reported, not the first alone" {
  cp -r "$tools" "$tools"/../.clang-* .
  compile_commands target/mcuprof_engine.c
  plant host/lib/bad.c <<'EOF'
#include <libelf.h>
int  bad;
EOF
  run tools/lint.sh
  echo "$output"
  [ "$status" -eq 1 ]
  [[ "$output" == *'[-Wclang-format-violations]'* ]]
  [[ "$output" == *'<libelf.h> belongs to'* ]]
  [[ "$output" == *'mutable at file scope: bad'* ]]
  [[ "$output" == *'files       clean'* ]]
}
