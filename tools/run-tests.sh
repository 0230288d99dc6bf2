#!/bin/bash
# SPDX-License-Identifier: MIT
#
# run-tests.sh fast|full
#
# fast: the unit tests under gcc with sanitizers, then every tests/*/*.bats
# except full-*. full: the unit tests under clang with sanitizers and under gcc
# without, then the full-*.bats.
# Ends with what was counted, as "tests: N passed, N failed".
set -euo pipefail
cd "$(dirname "$0")/.."

mode=$1
jobs=${JOBS:-$(nproc)}
logs=build/test-logs/$mode
rm -rf "$logs"
mkdir -p "$logs"

# What the caller's shell holds is not part of a test.
unset MCUPROF_ELF
export LC_ALL=C
export BUILD=${BUILD:-$PWD/build}
export FW=${FW:-$BUILD/fw}
export ASAN_OPTIONS=detect_leaks=1:abort_on_error=0
export UBSAN_OPTIONS=print_stacktrace=1

passed=0
failed=0
skipped=0

# One line for a group of tests; the rest only if some failed.
conclude() { # name, passed, failed, skipped, log
  local skips=''
  [ "$4" -eq 0 ] || skips=", $4 skipped"
  printf '  %-40s %4d passed, %d failed%s\n' "$1" "$2" "$3" "$skips"
  passed=$((passed + $2))
  failed=$((failed + $3))
  skipped=$((skipped + $4))
  [ "$3" -eq 0 ] || cat "$5"
}

run_unit() { # preset
  local log=$logs/unit-$1.log status=0 good bad
  ctest --preset "$1" --output-on-failure --no-tests=error \
    >"$log" 2>&1 || status=$?
  good=$(grep -cE '^ *[0-9]+/[0-9]+ Test .* Passed ' "$log" || true)
  bad=$(grep -cE '^ *[0-9]+/[0-9]+ Test .*\*\*\*' "$log" || true)
  # ctest itself may fail: no tests, no build.
  if [ "$status" -ne 0 ] && [ "$bad" -eq 0 ]; then
    bad=1
  fi
  conclude "unit, $1" "$good" "$bad" 0 "$log"
}

log_of() { # file
  local flat=${1//\//-}
  echo "$logs/$flat.tap"
}

# The command line is tested in the sanitized program; where time counts or
# the firmware is the subject, the plain one.
run_bats_file() { # file
  local log status=0
  log=$(log_of "$1")
  case "$1" in
  tests/cli/*) export MCUPROF=${MCUPROF:-$BUILD/asan-gcc/mcuprof} ;;
  *) export MCUPROF=${MCUPROF:-$BUILD/host/mcuprof} ;;
  esac
  bats --formatter tap "$1" >"$log" 2>&1 </dev/null || status=$?
  echo "$status" >"$log.status"
}
export -f log_of run_bats_file
export logs

count_bats_file() { # file
  local log planned good bad skips
  log=$(log_of "$1")
  planned=$(sed -n 's/^1\.\.\([0-9]*\)$/\1/p' "$log" | head -n 1)
  skips=$(grep -cE '^ok [0-9]+ .*# skip' "$log" || true)
  good=$(($(grep -cE '^ok [0-9]+ ' "$log" || true) - skips))
  bad=$(grep -cE '^not ok [0-9]+ ' "$log" || true)
  # What was planned and never reported has failed; so has a file without
  # tests.
  [ "${planned:-0}" -gt 0 ] || planned=1
  if [ $((good + bad + skips)) -lt "$planned" ]; then
    bad=$((planned - good - skips))
  fi
  if [ "$(cat "$log.status")" -ne 0 ] && [ "$bad" -eq 0 ]; then
    bad=1
  fi
  conclude "$1" "$good" "$bad" "$skips" "$log"
}

run_bats() { # file...
  [ $# -gt 0 ] || return 0
  printf '%s\0' "$@" |
    xargs -0 -n 1 -P "$jobs" bash -c 'run_bats_file "$1"' bats
  local file
  for file; do
    count_bats_file "$file"
  done
}

shopt -s nullglob
files=()
short=()
for file in tests/*/*.bats; do
  case "$mode:$file" in
  full:*/full-*) files+=("$file") ;;
  full:* | fast:*/full-*) ;;
  fast:tests/cli/*) short+=("$file") ;;
  fast:*) files+=("$file") ;;
  *)
    echo "usage: $0 fast|full" >&2
    exit 2
    ;;
  esac
done

case $mode in
fast) presets=(asan-gcc) ;;
full) presets=(asan-clang host) ;;
esac
for preset in "${presets[@]}"; do
  run_unit "$preset"
done
# The short ones at the end, so that nobody waits for a long one there.
run_bats "${files[@]}" "${short[@]}"

summary="tests: $passed passed, $failed failed"
[ "$skipped" -eq 0 ] || summary="$summary, $skipped skipped"
echo "$summary"
[ "$failed" -eq 0 ]
