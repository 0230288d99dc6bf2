#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
#
# Interrupts of three nested priorities before every instruction of the hooks,
# on every way through them, and more of them than the line takes: no record is
# torn, out of order or another context's, and what was called is there or told
# to be lost. That they came everywhere is known from the truth plugin.

bats_require_minimum_version 1.5.0

setup() {
    root=$(cd "$BATS_TEST_DIRNAME/../.." && pwd)
    BUILD=${BUILD:-$root/build}
    mcuprof=${MCUPROF:-$BUILD/host/mcuprof}
    fw=${FW:-$BUILD/fw}/tests/firmware
    firmware=$root/tests/firmware
    plugin=$BUILD/host/tests/truth/truth.so
    cd "$BATS_TEST_TMPDIR"
}

# The capture of $elf has COUNT events that are there or lost, LOST of them, as
# our own decoder finds them and as the program tells.
conserves() { # COUNT LOST
    run -0 "$root/tests/tools/trace_sums.py" "$elf" <capture
    echo "$output"
    [ "${lines[-1]}" = "lost $2 line 0" ]
    [[ ${lines[-2]} =~ ^'records '([0-9]+)' events '([0-9]+)" told $2"$ ]]
    [ $((BASH_REMATCH[2] + $2)) -eq "$1" ]
    "$mcuprof" info capture --format json | jq -e --argjson count "$1" \
        --argjson lost "$2" --argjson records "${BASH_REMATCH[1]}" '
        .quality.ring | .entered + .left + $lost == $count
            and .lost_target == $lost and .lost_line == 0
            and .records == $records'
}

# owned NUMBER NAME: these functions are that context's, and no other's are.
owned() {
    run -0 "$root/tests/tools/trace_sums.py" "$elf" <capture
    [ "$(awk -v number="$1" '$1 == "context" && $2 == number { print $3 }' \
        <<<"$output" | xargs)" = "sweep_$2 sweep_$2_leaf" ]
}

# swept HOOKS BOARD: hooks in assembly are 1, in C 0
swept() {
    elf=$fw/trace-sweep-$1-$2.elf
    # An instruction takes more than a tick: none is stepped over.
    QEMU_SHIFT=6 run -0 "$firmware/qemu.sh" "$2" "$elf" capture \
        -plugin "$plugin,out=truth"
    said=$(grep -a -A 1 '^errors' capture)
    echo "$said"
    [[ $said =~ ^'errors 0 arrivals '([0-9]+)' events '([0-9]+)' switches '([0-9]+)' laps '([0-9]+)' full '([0-9]+)$'\n''lost '([0-9]+)' of '([0-9]+)$ ]]
    local told=("${BASH_REMATCH[@]}")
    [ "${told[1]}" -eq 48000 ]
    [ "${told[2]}" -gt 150000 ]
    [ "${told[4]}" -gt 1000 ]
    [ "${told[5]}" -gt 1000 ]
    [ "${told[6]}" -gt 10000 ]
    conserves "${told[7]}" "${told[6]}"
    run -0 "$firmware/trace_cover.py" "$elf" capture truth
    echo "$output"
}

@test "hooks in assembly, stepped through: M0" {
    swept 1 microbit
}

@test "hooks in assembly, stepped through: M3" {
    swept 1 mps2-an385
}

@test "hooks in assembly, stepped through: M4F" {
    swept 1 mps2-an386
}

@test "hooks in C, stepped through: M0, M4F" {
    swept 0 microbit
    swept 0 mps2-an386
}

@test "an instruction before which no interrupt came is found" {
    elf=$fw/trace-sweep-1-mps2-an385.elf
    QEMU_SHIFT=6 run -0 "$firmware/qemu.sh" mps2-an385 "$elf" capture \
        -plugin "$plugin,out=truth"
    strex=$(arm-none-eabi-objdump -d --no-show-raw-insn "$elf" |
        sed -n '/<__cyg_profile_func_enter>:/,/^$/s/^ *\([0-9a-f]*\):\tstrex.*/\1/p')
    grep -a '^hit ' capture | grep -v "^hit 0*$strex " >hits
    run -1 "$firmware/trace_cover.py" "$elf" hits truth
    [[ $output == *", 1 missed" ]]
}

# flooded HOOKS BOARD
flooded() {
    elf=$fw/trace-flood-$1-$2.elf
    run -0 "$firmware/qemu.sh" "$2" "$elf" capture
    grep -a '^arrivals\|^level' capture | tee said
    [ "$(awk '$1 == "arrivals" { print $2 }' said)" -gt 20000 ]
    count=$(awk '$1 == "level" { sum += $3 } END { print sum }' said)
    lost=$("$root/tests/tools/trace_sums.py" "$elf" <capture |
        awk '$1 == "lost" { print $2 }')
    [ "$lost" -gt 10000 ]
    [ $((count - lost)) -gt 10000 ]
    conserves "$count" "$lost"
    # Of no level there is more than there was.
    awk '$1 == "level" { there[$2] = $3 } $1 == "context" { seen[$2] += $4 }
        END { for (c in seen) wrong += seen[c] > there[c]; exit wrong > 0 }' \
        said - <<<"$output"
    names=(thread low middle high)
    for i in 0 1 2 3; do
        owned "$(sed -n "$((i + 2))s/level \([0-9]*\) .*/\1/p" said)" "${names[i]}"
    done
}

@test "a stream that overflows: M0" {
    flooded 1 microbit
    flooded 0 microbit
}

@test "a stream that overflows: M3" {
    flooded 1 mps2-an385
    flooded 0 mps2-an385
}

@test "a stream that overflows: M4F" {
    flooded 1 mps2-an386
    flooded 0 mps2-an386
}
