#!/bin/bash
# SPDX-License-Identifier: MIT
#
# What cppcheck and gcc's own analyser find in host/ and target/.
set -euo pipefail
cd "${1:-$(dirname "$0")/..}"

status=0
mapfile -d '' -t files < <(git ls-files -z 'host/*.c' 'target/*.c')
[ ${#files[@]} -gt 0 ] || exit 0

# A configuration may be pulled in by a macro that only its user sets.
cppcheck --quiet --enable=warning,performance,portability --std=c11 \
  --inline-suppr --suppress=preprocessorErrorDirective --error-exitcode=1 \
  --template='{file}:{line}: {severity}: {message} [{id}]' \
  -j "${JOBS:-$(nproc)}" -Ihost/lib -Ihost/cli -Itarget -Itarget/port/host \
  "${files[@]}" || status=1

analyze() { # file
  local command=(gcc -std=c11 -Itarget/port/host
    -D_POSIX_C_SOURCE=200809L -D_FILE_OFFSET_BITS=64
    '-DMCUPROF_PROGRAM_VERSION=""')
  case $1 in
  *port/cortexm/* | *transport/*)
    command=(arm-none-eabi-gcc -std=c99 -mthumb -mcpu=cortex-m4
      -Itarget/port/cortexm)
    ;;
  esac
  "${command[@]}" -Ihost/lib -Ihost/cli -Itarget -O1 -fanalyzer -Werror \
    -S -o /dev/null "$1"
}
export -f analyze

printf '%s\0' "${files[@]}" |
  xargs -0 -n 1 -P "${JOBS:-$(nproc)}" bash -c 'analyze "$1"' analyze ||
  status=1
exit "$status"
