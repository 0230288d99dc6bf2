#!/bin/bash
# SPDX-License-Identifier: MIT
#
# build.sh PRESET... configures and builds presets, one line each; more is
# shown only when one fails.
set -euo pipefail
cd "$(dirname "$0")/.."
mkdir -p build

for preset in "$@"; do
  log=build/$preset.log
  if { cmake --preset "$preset" && cmake --build --preset "$preset"; } \
    >"$log" 2>&1; then
    echo "built $preset"
  else
    grep -vE '^\[[0-9]+/[0-9]+\] (Building|Linking)' "$log" >&2
    echo "build of $preset failed, see $log" >&2
    exit 1
  fi
done
