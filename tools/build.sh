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
    # From the first failed step on; the whole of a failed configuration.
    if grep -q '^FAILED:' "$log"; then
      sed -n '/^FAILED:/,$p' "$log" | grep -vE '^\[[0-9]+/[0-9]+\] ' >&2
    else
      cat "$log" >&2
    fi
    echo "build of $preset failed, see $log" >&2
    exit 1
  fi
done
