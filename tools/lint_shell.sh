#!/bin/bash
# SPDX-License-Identifier: MIT
#
# Every shell script and bats file of the tree parses, and shellcheck has
# nothing to say.
set -euo pipefail
cd "${1:-$(dirname "$0")/..}"

status=0
while IFS= read -r -d '' file; do
  exclude=()
  case "$file" in
  # A cd that fails ends the test anyway.
  *.bats) exclude=(--exclude=SC2164) ;;
  *.sh) bash -n "$file" || status=1 ;;
  *.bash)
    bash -n "$file" || status=1
    # What it sets is for those that load it.
    exclude=(--exclude=SC2034)
    ;;
  *)
    # Scripts without a suffix are known by their first line.
    IFS= read -r first <"$file" || true
    case "$first" in
    '#!'*sh) bash -n "$file" || status=1 ;;
    *) continue ;;
    esac
    ;;
  esac
  shellcheck -x --format=gcc --severity=warning "${exclude[@]}" "$file" ||
    status=1
done < <(git ls-files -z '*.sh' '*.bats' '*.bash' .ci/run)
exit "$status"
