#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Runs the firmware that traces its boot, and shows where the time went.
set -eu

cd "$(dirname "$0")/../.."
build=${BUILD:-build}
mcuprof=${MCUPROF:-$build/host/mcuprof}
elf=${FW:-$build/fw}/examples/boot/boot.elf
capture=$build/boot.mprof

tests/firmware/qemu.sh mps2-an385 "$elf" "$capture"
"$mcuprof" calls "$capture" -e "$elf"
