#!/bin/bash
# SPDX-License-Identifier: MIT
#
# C files that `make format` would change.
set -euo pipefail
cd "${1:-$(dirname "$0")/..}"

git ls-files -z '*.c' '*.h' | xargs -0 -r clang-format --dry-run -Werror
