#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Runs the demo with every call of its work recorded: a moment of it, and where
# the calls took their time.
set -eu

cd "$(dirname "$0")/../.."
build=${BUILD:-build}
mcuprof=${MCUPROF:-$build/host/mcuprof}
elf=${FW:-$build/fw}/examples/demo/demo-traced.elf
capture=$build/calls.mprof

tests/firmware/qemu.sh mps2-an385 "$elf" "$capture"
# Each quality block would be the same.
"$mcuprof" calls "$capture" -e "$elf" --context thread \
    --time 4.37ms..4.5ms --depth 3 | sed '/^quality$/,$d'
"$mcuprof" tree "$capture" -e "$elf" --depth 3
