#!/bin/bash
# SPDX-License-Identifier: MIT
#
# What cppcheck and gcc's own analyser find: in host/, in target/ in each of
# its configurations, and in what the builds compile besides.
# lint_analyzers.sh [TREE [COMPILE_COMMANDS...]]
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
cd "${1:-$here/..}"
[ $# -gt 0 ] && shift
[ $# -gt 0 ] ||
  set -- build/host/compile_commands.json build/fw/compile_commands.json

status=0
jobs=${JOBS:-$(nproc)}
mapfile -d '' -t host < <(git ls-files -z 'host/*.c')
mapfile -d '' -t target < <(git ls-files -z 'target/*.c')
mapfile -t configurations < <(echo && grep -v '^#' \
  "$here/lint_configurations.txt")

check() { # flag or file...
  # An #error is no finding: a configuration may be pulled in by a macro that
  # only its user sets.
  cppcheck --quiet --enable=warning,performance,portability --std=c11 \
    --inline-suppr --suppress=preprocessorErrorDirective --error-exitcode=1 \
    --template='{file}:{line}: {severity}: {message} [{id}]' \
    -j "$jobs" -Ihost/lib -Ihost/cli -Itarget -Itarget/port/host "$@" ||
    status=1
}

host_gcc() {
  gcc -std=c11 -Ihost/lib -Ihost/cli -Itarget -Itarget/port/host \
    -D_POSIX_C_SOURCE=200809L -D_FILE_OFFSET_BITS=64 \
    '-DMCUPROF_PROGRAM_VERSION=""' -O1 -fanalyzer -Werror -S -o /dev/null "$@"
}
arm_gcc() {
  arm-none-eabi-gcc -std=c99 -mthumb -mcpu=cortex-m4 -Itarget \
    -O1 -fanalyzer -Werror -S -o /dev/null "$@"
}

analyze() { # file, flags
  local flags
  read -r -a flags <<<"$2"
  case $1 in
  host/* | target/port/host/*) host_gcc "${flags[@]}" "$1" ;;
  *) arm_gcc "${flags[@]}" "$1" ;;
  esac
}
export -f analyze host_gcc arm_gcc

each() { # flags, file...: as many at a time as there are jobs
  local with=$1
  shift
  [ $# -eq 0 ] || printf '%s\0' "$@" |
    FLAGS=$with xargs -0 -n 1 -P "$jobs" bash -c 'analyze "$1" "$FLAGS"' x ||
    status=1
}

[ ${#host[@]} -eq 0 ] || check "${host[@]}"
each '' "${host[@]}"
if [ ${#target[@]} -gt 0 ]; then
  for flags in "${configurations[@]}"; do
    # shellcheck disable=SC2086 # a list of flags
    check $flags "${target[@]}"
    each "$flags" "${target[@]}"
  done
fi

# A test may leak when it fails, a plugin of the emulator lives as long as
# that; and the analyser takes what a naked function returns, or an interrupt
# has set, for never set.
tolerated='-Wno-analyzer-malloc-leak -Wno-analyzer-file-leak'
tolerated+=' -Wno-analyzer-use-of-uninitialized-value'
tolerated+=' -Wno-analyzer-null-dereference'
export tolerated
for commands; do
  [ -f "$commands" ] || continue
  git ls-files 'tests/*.c' 'examples/*.c' 'bench/*.c' |
    jq -r --arg root "$PWD/" --slurpfile built "$commands" --raw-input \
      --null-input '[inputs | $root + .] as $ours
        | $built[0] | unique_by(.file)[]
        | select(.file | IN($ours[])) | .command' |
    tr '\n' '\0' |
    xargs -0 -r -n 1 -P "$jobs" bash -c \
      'eval "$1 -O1 -fanalyzer -Werror $tolerated -o /dev/null"' x ||
    status=1
done
exit "$status"
