# SPDX-License-Identifier: MIT
# shellcheck shell=sh disable=SC2034 # for those that load it
#
# What run.sh of an example begins with: from here on it is in the project's
# folder, whose programs it has by their paths.
set -eu

cd "$(dirname "$0")/../.."
build=${BUILD:-build}
mcuprof=${MCUPROF:-$build/host/mcuprof}
examples=${FW:-$build/fw}/examples

# emulate ELF [SERIAL [OPTION...]]
emulate() {
    tests/firmware/qemu.sh mps2-an385 "$@"
}

# emulate_until TEXT ELF PORT: until it has printed TEXT; it goes on behind a
# gdb server at PORT, until this script ends.
emulate_until() {
    uart=$build/${2##*/}.uart
    rm -f "$uart"
    # Not emulate: the shell that a function runs in would end alone.
    tests/firmware/qemu.sh mps2-an385 "$2" "$uart" \
        -gdb "tcp:127.0.0.1:$3" &
    emulator=$!
    trap 'kill "$emulator" 2>/dev/null || true' EXIT
    until grep -qs "$1" "$uart"; do
        kill -0 "$emulator"
        sleep 0.1
    done
}
