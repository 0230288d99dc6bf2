# SPDX-License-Identifier: MIT
#
# Loaded by the tests of `mcuprof lint` on damaged firmware.

load ../cli/common
load ../cli/elf_lint

# With hooks, by two compilers for two cores, and without any.
build_hostile_hooks() {
  firmware gcc.elf gcc cortex-m4 "$LINT/lint_naked.c"
  firmware clang.elf clang cortex-m0 "$LINT/lint_naked.c"
  compile gcc cortex-m4 "$LINT/lint_boot.c" boot.o
  compile gcc cortex-m4 "$LINT/lint_inline.c" inline.o
  link cortex-m4 inline.elf boot.o inline.o
}

hostile() { # sanitizer's compiler, arguments of hostile.py...
  local program=${BUILD:-$BATS_TEST_DIRNAME/../../build}/asan-$1/mcuprof
  shift
  PYTHONDONTWRITEBYTECODE=1 "$BATS_TEST_DIRNAME/hostile.py" --jobs 2 --lint \
    "$program" "$@"
}
