#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Runs the firmware that traces its boot, and shows where the time went.
# shellcheck source=examples/common.sh
. "$(dirname "$0")/../common.sh"

elf=$examples/boot/boot.elf
capture=$build/boot.mprof

emulate "$elf" "$capture"
"$mcuprof" calls "$capture" -e "$elf"
