#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
#
# All tests of the firmware, on images whose library is one file.

load firmware.bash

setup_file() {
    local root
    root=$(cd "$BATS_TEST_DIRNAME/../.." && pwd)
    cmake --build "${FW:-${BUILD:-$root/build}/fw}" --target one-file \
        >"$BATS_FILE_TMPDIR/log" 2>&1 || {
        tail -n 40 "$BATS_FILE_TMPDIR/log"
        return 1
    }
}

@test "in one file: all of tests/firmware" {
    local file
    for file in "$root"/tests/firmware/*.bats; do
        case ${file##*/} in
        # Boards without the library.
        boards.bats | full-*) ;;
        *) again "firmware/$(basename "$file" .bats)" ;;
        esac
    done
}

@test "in one file: all of tests/truth" {
    again truth/truth
    again truth/full-truth '^-Os$'
    again truth/hotspots_truth
}
