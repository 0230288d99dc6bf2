#!/bin/bash
# SPDX-License-Identifier: MIT
#
# Speed and memory of the host: a capture of SAMPLES samples (20 million) is
# decoded, aggregated and reported on one core. Prints
#
#     host_events_per_second N
#     host_report_kib N          peak memory of that report
#     host_report_tenth_kib N    the same for a tenth of the samples
#
# The best of three runs counts: others may be using the machine.
set -euo pipefail
cd "$(dirname "$0")/.."

samples=${SAMPLES:-20000000}
mcuprof=${MCUPROF:-${BUILD:-build}/host/mcuprof}
elf=${1:-}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

gcc -O2 -o "$folder/generate" bench/host_capture.c -lz
"$folder/generate" "$samples" >"$folder/whole.mprof"
"$folder/generate" $((samples / 10)) >"$folder/tenth.mprof"

# `info` reads, decodes and aggregates as report does, and needs no ELF.
command=("$mcuprof" info)
[ -z "$elf" ] || command=("$mcuprof" report -e "$elf" --force)

run() { # capture; prints seconds, those of the processor, and KiB
  bench/measure.py "$folder/result" "${command[@]}" "$1" >/dev/null
  cat "$folder/result"
}

best=
for _ in 1 2 3; do
  read -r seconds _ kib < <(run "$folder/whole.mprof")
  best=$(echo "$seconds ${best:-$seconds}" |
    awk '{ print $1 < $2 ? $1 : $2 }')
done
read -r _ _ tenth < <(run "$folder/tenth.mprof")

awk -v n="$samples" -v s="$best" \
  'BEGIN { printf "host_events_per_second %.0f\n", n / s }'
echo "host_report_kib $kib"
echo "host_report_tenth_kib $tenth"
