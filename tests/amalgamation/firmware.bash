# SPDX-License-Identifier: MIT
#
# Loaded by the tests that run the firmware's tests once more, on images whose
# library is one file: with every inlining across what were files that the
# compiler finds.

setup() {
    root=$(cd "$BATS_TEST_DIRNAME/../.." && pwd)
    export BUILD=${BUILD:-$root/build}
    export FW=${FW:-$BUILD/fw}/one-file
    # And for tests that compile.
    export ONE_FILE=1
    demo=$FW/examples/demo/demo.elf
}

# again FILE [PATTERN]: its tests (whose names match) all pass.
again() {
    arm-none-eabi-objdump --dwarf=decodedline "$demo" >"$BATS_TEST_TMPDIR/lines"
    grep -q '/amalgamation/mcuprof\.c' "$BATS_TEST_TMPDIR/lines"
    run bats --formatter tap ${2:+--filter "$2"} "$root/tests/$1.bats"
    # run sets both.
    # shellcheck disable=SC2154
    # shellcheck disable=SC2154 # run sets them
    echo "$output"
    # shellcheck disable=SC2154
    # shellcheck disable=SC2154
    [ "$status" -eq 0 ]
    [ "$(grep -c '^ok ' <<<"$output")" -gt 0 ]
    # A skip would hide what is to be shown.
    [ "$(grep -c '^ok .*# skip' <<<"$output")" -eq 0 ]
}
