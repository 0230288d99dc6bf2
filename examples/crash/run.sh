#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Runs the firmware that faults, resets itself, and tells its last calls.
set -eu

cd "$(dirname "$0")/../.."
build=${BUILD:-build}
mcuprof=${MCUPROF:-$build/host/mcuprof}
elf=${FW:-$build/fw}/examples/crash/crash.elf
capture=$build/crash.mprof

tests/firmware/qemu.sh mps2-an385 "$elf" "$capture"
"$mcuprof" calls "$capture" -e "$elf"
