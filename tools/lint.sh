#!/bin/bash
# SPDX-License-Identifier: MIT
#
# Runs every static check and reports what each found; fails if any did.
set -euo pipefail
cd "$(dirname "$0")/.."
export PYTHONDONTWRITEBYTECODE=1

status=0
check() { # name, command...
  local name=$1 begin=$SECONDS output
  shift
  if output=$("$@" 2>&1); then
    printf '  %-11s clean (%d s)\n' "$name" $((SECONDS - begin))
  else
    status=1
    printf '%s\n  %-11s FAILED\n' "$output" "$name"
  fi
}

check format tools/lint_format.sh
check files tools/lint_files.py
check layers tools/lint_layers.py
check symbols tools/lint_symbols.py
check headers tools/lint_headers.py
check one-file tools/lint_amalgamation.py
check shell tools/lint_shell.sh
check analyzers tools/lint_analyzers.sh
check tidy tools/lint_tidy.sh
[ "$status" -eq 0 ] && echo 'lint: clean'
exit "$status"
