#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
#
# The hot-spot table read by a debugger and nothing else.

bats_require_minimum_version 1.5.0

setup() {
    root=$(cd "$BATS_TEST_DIRNAME/../.." && pwd)
    export BUILD=${BUILD:-$root/build}
    fw=${FW:-$BUILD/fw}/tests/firmware
    truth=$root/tests/truth
    cd "$BATS_TEST_TMPDIR"
}

teardown() {
    [ -z "${qemu-}" ] || kill "$qemu" 2>/dev/null || true
}

# qemu ELF [QEMU-OPTION...]: runs it in the background, with a gdb server.
qemu() {
    elf=$1
    shift
    "$BATS_TEST_DIRNAME/qemu.sh" mps2-an385 "$elf" capture \
        -chardev socket,path=gdb.sock,server=on,wait=off,id=gdb \
        -gdb chardev:gdb "$@" 3>&- 2>qemu.err &
    qemu=$!
    until [ -S gdb.sock ]; do
        kill -0 $qemu
        sleep 0.05
    done
}

# gdb: runs the commands of standard input, attached; writes ./log.
gdb() {
    {
        echo "source $root/target/mcuprof_hotspots.gdb"
        echo 'target remote gdb.sock'
        cat
    } >commands
    # Ends at the first error.
    timeout 60 gdb-multiarch -nx -batch -x commands "$elf" >log 2>&1 || {
        tail -n 20 log
        return 1
    }
}

# The name on the Nth row of the first table in ./log.
row() {
    sed -n 's/^ *[0-9.]* % .*0x[0-9a-f]* <\([^+>]*\).*/\1/p' log | sed -n "$1p"
}

@test "attached to the running demo: the five hottest blocks are the truth's" {
    "$truth/truth_run.sh" "$fw/hotspots-demo.elf" run
    wall=$(strings run/capture |
        awk '/^demo: done in/ { print $4 / 25000000 }')
    # More blocks than units: what travels is within its bounds as well.
    "$truth/hotspots_truth.py" stream run/capture
    # In step with this machine's clock, so that there is time to look.
    qemu "$fw/hotspots-demo.elf" -icount shift=5,align=on,sleep=on
    : >all
    # By what it has sent, a moment is the same however fast it runs.
    for kilobytes in 25 45 65; do
        until [ "$(stat -c %s capture)" -ge $((kilobytes * 1000)) ]; do
            kill -0 $qemu
            sleep 0.05
        done
        gdb <<'GDB'
mcuprof-hotspots
p mcuprof_hotspots_view
p/a mcuprof_hotspots_view
detach
GDB
        cat log >>all
    done
    run "$truth/hotspots_truth.py" gdb all "$elf" run/truth "$wall" 64
    echo "$output"
    [ "$status" -eq 0 ]
    [ "${lines[-1]}" = '9 tables' ]
    # Three moments, not one.
    [ "$(grep -o 'sequence = [0-9]*,' all | sort -u | wc -l)" -eq 3 ]
}

@test "a hung main loop: the view goes on and names the hang" {
    qemu "$fw/hotspots-hang.elf" -S
    gdb <<'GDB'
mcuprof-hotspots
break hotspots_hang
continue
delete
mcuprof-hotspots
p mcuprof_hotspots_view.sequence
p mcuprof_hotspots_view.samples
watch mcuprof_hotspots_view.sequence
ignore 2 39
continue
p mcuprof_hotspots_view.sequence
p mcuprof_hotspots_view.samples
p mcuprof_hotspots_view.units[0]
detach
GDB
    cat log
    grep -q 'nothing was sampled yet' log
    [ "$(row 1)" = hotspots_work ]
    value() { # of $N
        sed -n "s/^\$$1 = //p" log
    }
    [ "$(($(value 3) - $(value 1)))" -eq 40 ]
    [ "$(($(value 4) - $(value 2)))" -ge $((20 * 1024)) ]
    [[ $(value 5) =~ ^"{pc = 0x"[0-9a-f]*" <hotspots_hang"[+0-9]*">, "ratio\ =\ ([0-9]*) ]]
    # Work ended less than a view after the one seen at its end. What of its
    # weight is left by the definition, but for the step of a sixteenth:
    awk -v worked="$(value 2)" -v all="$(value 4)" -v ratio="${BASH_REMATCH[1]}" '
        function work(n) {
            return (2 ^ (n / 8192) - 1) / (2 ^ (all / 8192) - 1)
        }
        BEGIN {
            most = 1024 * (1 - work(worked) / 1.05)
            least = 1024 * (1 - work(worked + 1024) * 1.05) - 1
            print least, ratio, most
            exit !(least <= ratio && ratio <= most)
        }'
}

@test "halted within the interrupt, at every other instruction" {
    qemu "$fw/hotspots-hang.elf" -S
    # The first sample of all, the first of another block, and a view.
    gdb <<'GDB'
define steps
  set $step = 0
  while $step < $arg0
    stepi 2
    mcuprof-hotspots
    set $step = $step + 1
  end
end
tbreak *mcuprofi_sample
continue
steps 70
tbreak hotspots_hang
continue
tbreak *mcuprofi_sample
continue
steps 70
tbreak mcuprofi_hotspots_view_step
continue
steps 40
detach
GDB
    grep -q 'nothing was sampled yet' log
    awk '
        /nothing was sampled yet/ { tables++ }
        /share  at least  / { tables++; wrong += sum > 0 && off(sum); sum = 0 }
        / %  0x/ { sum += $1; name[substr($6, 2, 13)]++ }
        function off(sum) { return sum < 99.8 || sum > 100.2 }
        END {
            print tables, wrong, off(sum)
            for (n in name) { print n, name[n]; names++ }
            exit !(tables == 180 && wrong == 0 && !off(sum) && names == 2 &&
                   name["hotspots_work"] > 120 && name["hotspots_hang"] > 40)
        }' log
}

@test "names of C++ are those of the source, and the setting stays" {
    # The compiler goes by the name of a file, the library stays C.
    cp "$BATS_TEST_DIRNAME/hotspots_hang.c" hang.cpp
    "$BATS_TEST_DIRNAME/build_with.sh" mps2-an385 cpp.elf "arm-none-eabi-gcc \
        -mthumb -Os -DMCUPROF_STREAM=0" hang.cpp
    qemu cpp.elf -S
    gdb <<'GDB'
set var mcuprof_hotspots[0].pc = (void *)hotspots_work
set var mcuprof_hotspots[0].weight = 1000
mcuprof-hotspots
show print asm-demangle
set print asm-demangle on
mcuprof-hotspots
show print asm-demangle
detach
GDB
    cat log
    # Mangled, it is a word without a parenthesis.
    arm-none-eabi-nm "$elf" | grep -q ' _Z13hotspots_workP'
    [ "$(row 1)" = 'hotspots_work(unsigned long volatile*)' ]
    [ "$(row 2)" = "$(row 1)" ]
    [ "$(grep -c _Z log)" -eq 0 ]
    [ "$(sed -n 's/^Demangling .* is //p' log | tr '\n' ' ')" = 'off. on. ' ]
}

@test "what the command prints, of units by hand" {
    qemu "$fw/hotspots-hang.elf" -S
    gdb <<'GDB'
set var mcuprof_hotspots[0].pc = hotspots_hang
set var mcuprof_hotspots[0].weight = 1000
set var mcuprof_hotspots[15].pc = hotspots_work
set var mcuprof_hotspots[15].weight = 3000
set var mcuprof_hotspots[15].error = 1000
set var mcuprof_hotspots_view.sequence = 1
mcuprof-hotspots
set var mcuprof_hotspots_view.sequence = 2
set var mcuprof_hotspots_view.samples = 3000000000
set var mcuprof_hotspots_view.ignored = 7
mcuprof-hotspots
help mcuprof-hotspots
detach
GDB
    cat log
    # Twice the table, without the units that are not in use.
    run sed -nE 's/^( *(share|[0-9.]+ %).*)  (one|0x).*/\1/p' log
    table=$'   share  at least\n  75.0 %    50.0 %\n  25.0 %    25.0 %'
    [ "$output" = "$table"$'\n'"$table" ]
    [ "$(row 1) $(row 2)" = 'hotspots_work hotspots_hang' ]
    # Their lines in the source.
    local name
    for name in hotspots_work hotspots_hang; do
        arm-none-eabi-nm "$elf" | awk -v name=$name '$3 == name { print $1 }' |
            arm-none-eabi-addr2line -e "$elf"
    done | sed -E 's/.*:([0-9]+).*/\1/' >lines
    diff lines <(grep -oE '  Line [0-9]+ of ' log | head -n 2 |
        grep -oE '[0-9]+')
    # Not while the first view is being written.
    [ "$(grep -o '.* samples and .* ignored' log)" = \
        '3000000000 samples and 7 ignored' ]
    # Each column is explained.
    [ "$(grep -cE '^(share|at least|address)  ' log)" -eq 3 ]
}
