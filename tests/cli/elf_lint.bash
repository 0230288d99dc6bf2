# SPDX-License-Identifier: MIT
#
# Loaded by the tests of `mcuprof lint`: firmwares with and without hooks, from
# firmware/lint_*.c.

LINT=$(cd "$BATS_TEST_DIRNAME/../cli/firmware" && pwd)

# compile gcc|clang CPU SOURCE OBJECT [FLAG...]: with debug info, no hooks
compile() {
  local compiler=$1 cpu=$2 source=$3 object=$4
  local target=thumbv7em-none-eabi command=()
  shift 4
  [ "$cpu" != cortex-m0 ] || target=thumbv6m-none-eabi
  [ "$cpu" != cortex-m23 ] || target=thumbv8m.base-none-eabi
  case $compiler in
    gcc) command=(arm-none-eabi-gcc -mthumb) ;;
    clang) command=(clang "--target=$target" -fno-short-enums) ;;
  esac
  "${command[@]}" "-mcpu=$cpu" -std=gnu99 -g -O2 -ffreestanding -Wall -Wextra \
    -Werror -DBOOT= "$@" -c "$source" -o "$object"
}

link() { # CPU ELF OBJECT-OR-FLAG...
  local cpu=$1 elf=$2
  shift 2
  arm-none-eabi-gcc "-mcpu=$cpu" -mthumb -nostdlib -T "$LINT/lint.ld" \
    -Wl,--no-enum-size-warning,-z,noexecstack -o "$elf" "$@" -lgcc
}

# firmware ELF gcc|clang CPU SOURCE [FLAG...]: SOURCE and boot code with hooks
firmware() {
  local elf=$1 compiler=$2 cpu=$3 source=$4
  shift 4
  compile "$compiler" "$cpu" "$LINT/lint_boot.c" boot.o \
    -finstrument-functions "$@"
  compile "$compiler" "$cpu" "$source" main.o -finstrument-functions "$@"
  compile "$compiler" "$cpu" "$LINT/lint_hooks.c" hooks.o
  link "$cpu" "$elf" boot.o main.o hooks.o
}

# What LINT says of ELF, as CSV in out; its status in $status.
lint_csv() { # ELF [OPTION...]
  run_apart "$MCUPROF" lint "$@" --format csv
}

# The functions that out has findings of, in their order.
found() { # kind
  python3 -c '
import csv, sys
for row in csv.DictReader(open("out")):
    if row["kind"] == sys.argv[1]:
        print(row["function"])' "$1"
}

# One column of the first finding of a kind.
finding() { # kind, column
  python3 -c '
import csv, sys
for row in csv.DictReader(open("out")):
    if row["kind"] == sys.argv[1]:
        print(row[sys.argv[2]])
        break' "$1" "$2"
}
