#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Runs the demo with every call of its work recorded: a moment of it, and where
# the calls took their time.
# shellcheck source=examples/common.sh
. "$(dirname "$0")/../common.sh"

elf=$examples/demo/demo-traced.elf
capture=$build/calls.mprof

emulate "$elf" "$capture"
# Each quality block would be the same.
"$mcuprof" calls "$capture" -e "$elf" --context thread \
    --time 4.37ms..4.5ms --depth 3 | sed '/^quality$/,$d'
"$mcuprof" tree "$capture" -e "$elf" --depth 3
