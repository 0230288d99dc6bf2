#!/bin/sh
# SPDX-License-Identifier: MIT
#
# qemu.sh BOARD ELF [SERIAL [QEMU-OPTION...]]
#
# Runs a firmware until it ends itself and exits with its status; 124 after
# QEMU_TIMEOUT seconds (60). SERIAL is a file for the first UART, or any other
# QEMU character device ("file:x", "pipe:x"); standard output without it.
#
# One instruction takes 2^QEMU_SHIFT ns (5) and time does not stop for a sleep
# of the host, so two runs are the same to the bit.
set -eu

if [ $# -lt 2 ]; then
    echo "usage: qemu.sh BOARD ELF [SERIAL [QEMU-OPTION...]]" >&2
    exit 2
fi
board=$1
elf=$2
serial=${3:-stdio}
shift $(($# < 3 ? 2 : 3))
case $serial in
stdio | *:*) ;;
*) serial=file:$serial ;;
esac

exec timeout "${QEMU_TIMEOUT:-60}" qemu-system-arm -machine "$board" \
    -icount "shift=${QEMU_SHIFT:-5},align=off,sleep=off" \
    -display none -monitor none -serial "$serial" \
    -semihosting-config enable=on,target=native \
    -kernel "$elf" "$@" </dev/null
