#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Runs the firmware that hangs, and asks it where, through the emulator's gdb
# server as through that of a debug probe. HANG_PORT is its port (1234).
set -eu

cd "$(dirname "$0")/../.."
build=${BUILD:-build}
mcuprof=${MCUPROF:-$build/host/mcuprof}
elf=${FW:-$build/fw}/examples/hang/hang.elf
port=${HANG_PORT:-1234}
uart=$build/hang.uart

rm -f "$uart"
tests/firmware/qemu.sh mps2-an385 "$elf" "$uart" \
    -gdb "tcp:127.0.0.1:$port" &
emulator=$!
trap 'kill "$emulator" 2>/dev/null || true' EXIT

until grep -qs 'stands still' "$uart"; do
    kill -0 "$emulator"
    sleep 0.1
done
"$mcuprof" calls "gdb:localhost:$port" -e "$elf" --open
