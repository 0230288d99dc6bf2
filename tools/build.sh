#!/bin/bash
# SPDX-License-Identifier: MIT
#
# build.sh PRESET[:TARGET]... configures and builds presets, or one target of
# them. One line each; more is shown only when one fails.
set -euo pipefail
cd "$(dirname "$0")/.."
mkdir -p build

build() { # preset, target or nothing
  cmake --preset "$1" && cmake --build --preset "$1" ${2:+--target "$2"}
}

for wanted; do
  preset=${wanted%%:*}
  target=${wanted#"$preset"}
  log=build/$preset.log
  if build "$preset" "${target#:}" >"$log" 2>&1; then
    echo "built $wanted"
  else
    # From the first failed step on; the whole of a failed configuration.
    if grep -q '^FAILED:' "$log"; then
      sed -n '/^FAILED:/,$p' "$log" | grep -vE '^\[[0-9]+/[0-9]+\] ' >&2
    else
      cat "$log" >&2
    fi
    echo "build of $wanted failed, see $log" >&2
    exit 1
  fi
done
