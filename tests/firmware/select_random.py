#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""select_random.py BOARD ELF COUNT [SEED]: selections at random, and what comes
of each.

The original runs once under the truth plugin, which logs each call of a hook.
For the default selection and COUNT others the code may then differ in calls of
hooks alone, each a NOP or a return of the same size, and the selected image,
run in the emulator, must print the same checksum and record just the events of
the original whose calls are still there, in their order, each body that is
entered left. Functions that the rules take out are not seen, unless they are
listed as kept for a doubt; those listed as kept are. Hooks in functions that
clang's outliner has made are of nobody: they stay. The original comes back to
the byte. Files are left in this directory.
"""

import csv
import os
import random
import re
import subprocess
import sys
from collections import defaultdict
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "truth"))
from calls_truth import from_calls  # noqa: E402
from elf32 import Elf32  # noqa: E402

BUILD = Path(os.environ.get("BUILD", HERE.parent.parent / "build"))
MCUPROF = os.environ.get("MCUPROF", str(BUILD / "host/mcuprof"))
CALL = re.compile(r"^ *([0-9a-f]+):\t(?:bl|b\.w|b\.n|b)\t"
                  r".*<(?:__)?__cyg_profile_func_(enter|exit)(?:_veneer)?>$")
# The library measures what a pair costs.
OWN = "mcuprofi_"
NOTHING = {b"\xaf\xf3\x00\x80", b"\x00\xbf\x00\xbf", b"\x70\x47\x00\xbf",
           b"\x70\x47"}
OUTLINED = "OUTLINED_FUNCTION_"


def run(*command):
    result = subprocess.run(list(map(str, command)), capture_output=True,
                            text=True)
    if result.returncode:
        sys.exit(f"{' '.join(map(str, command))}: {result.stderr}")
    return result


def emulate(board, elf, capture, *options):
    run(HERE / "qemu.sh", board, elf, capture, *options)
    found = re.findall(rb"^sum ([0-9a-f]+)", Path(capture).read_bytes(), re.M)
    if len(found) != 1:
        sys.exit(f"select_random.py: {elf}: no checksum")
    return found[0]


def recorded(capture, elf):
    """By context: (> or <, function, note)."""
    result = run(MCUPROF, "calls", capture, "-e", elf, "--style", "plain",
                 "--unit", "cycles", "--demangle", "no")
    if result.stderr:
        sys.exit(f"select_random.py: {elf}: {result.stderr}")
    Path("calls").write_text(result.stdout)
    return from_calls("calls")


def find_sites(path):
    """Where hooks are called, as binutils see it: address: > or <."""
    elf = Elf32(path)
    found = {}
    for line in run("arm-none-eabi-objdump", "-d", "--no-show-raw-insn",
                    path).stdout.splitlines():
        match = CALL.match(line)
        if not match:
            continue
        address = int(match[1], 16)
        names = elf.function_at(address) or set()
        if not any(name.startswith(OWN) for name in names):
            found[address] = ">" if match[2] == "enter" else "<"
    return found


class Original:
    def __init__(self, board, path):
        self.board, self.path = board, path
        self.elf = Elf32(path)
        self.sites = find_sites(path)
        Path("sites").write_text("".join(f"{address:x}\n"
                                         for address in self.sites))
        Path("vectors").write_text(run(HERE.parent / "truth/vectors.py",
                                       path).stdout)
        plugin = (f"{BUILD}/host/tests/truth/truth.so,out=truth,"
                  "vectors=vectors,watch=sites,watched=watched")
        self.sum = emulate(board, path, "capture", "-plugin", plugin)
        self.events = self.join(recorded("capture", path))
        self.names = sorted({function for events in self.events.values()
                             for _, (_, function, _) in events})
        self.outlined = {
            site for site in self.sites
            if any(name.startswith(OUTLINED)
                   for name in self.elf.function_at(site) or ())}
        self.untold = {function for events in self.events.values()
                       for address, (_, function, _) in events
                       if address in self.outlined}

    def join(self, calls):
        """The plugin's addresses and what the firmware recorded of them."""
        logged = defaultdict(list)
        for line in Path("watched").read_text().splitlines():
            context, address, _ = line.split()
            logged[int(context)].append(int(address, 16))
        joined = {}
        if logged.keys() != calls.keys():
            sys.exit(f"select_random.py: {logged.keys()} {calls.keys()}")
        for context, addresses in logged.items():
            told = calls[context]
            if [self.sites[address] for address in addresses] != [
                    what for what, _, _ in told]:
                sys.exit("select_random.py: the original's calls differ")
            joined[context] = list(zip(addresses, told))
        return joined


def loaded(elf):
    """Bytes of what is loaded, by address, but for the build-id."""
    found = {}
    note = next((section for section in elf.sections if section[1] == 7), None)
    for kind, offset, address, _, size, _, _, _ in elf.segments:
        if kind == 1:
            found.update(enumerate(elf.data[offset:offset + size], address))
    for at in range(note[3], note[3] + note[5]) if note else ():
        found.pop(at, None)
    return found


def still_there(original, path):
    """Sites whose calls are as they were. Of all else nothing has changed."""
    new = Elf32(path)
    before, after = loaded(original.elf), loaded(new)
    changed = {at for at in before.keys() | after.keys()
               if before.get(at) != after.get(at)}
    kept = set()
    for site in original.sites:
        size = 2 if original.elf.read(site, 2)[1] >> 3 < 0x1D else 4
        there = new.read(site, size)
        if there == original.elf.read(site, size):
            kept.add(site)
        elif there not in NOTHING:
            sys.exit(f"select_random.py: {site:#x}: {there.hex()}")
        changed -= set(range(site, site + size))
    if changed:
        sys.exit(f"select_random.py: changed: {sorted(changed)[:4]}")
    return kept


def expect(original, kept):
    """What is left of the original's events; it must be whole bodies."""
    expected = {}
    for context, events in original.events.items():
        left = [event for address, event in events if address in kept]
        opened = []
        for what, function, _ in left:
            if what == ">":
                opened.append(function)
            elif not opened or opened.pop() != function:
                sys.exit(f"select_random.py: {function} is left, not entered")
        if opened:
            sys.exit(f"select_random.py: {opened} are not left")
        if left:
            expected[context] = left
    return expected


def choose(dice, names):
    """Options, and the functions that these take out whole."""
    some = dice.sample(names, dice.randrange(1, len(names)))
    options = ["--keep-inlined"] if dice.randrange(3) else []
    kind = dice.randrange(3)
    if kind == 0:
        Path("list").write_text("".join(
            f"{dice.choice(['drop', 'drop', 'keep'])} {name}\n"
            for name in some))
        out = {line.split()[1] for line in Path("list").read_text().splitlines()
               if line.startswith("drop ")}
        return [*options, "--from", "list"], out
    some = some[:16]
    if kind == 1:
        return [*options, *(word for name in some
                            for word in ("--drop", name))], set(some)
    return [*options, *(word for name in some
                        for word in ("--only", name))], set(names) - set(some)


def listed(path, options):
    """Functions with hooks that stay; of those, which only for a doubt; and
    where the calls are."""
    rows = list(csv.DictReader(run(
        MCUPROF, "select", path, "--list", "--format", "csv", "--demangle",
        "no", *options).stdout.splitlines()))
    kept = {row["function"] for row in rows if row["selection"] == "kept"}
    excused = {row["function"] for row in rows if row["selection"] == "kept"
               and row["why"].startswith(("in doubt", "shares"))}
    return kept, excused, {int(row["address"], 16) for row in rows
                           if row["selection"] == "kept"}


def check(original, options, out):
    path = "selected.elf"
    said = run(MCUPROF, "select", original.path, "-o", path, *options).stdout
    kept_sites = still_there(original, path)
    expected = expect(original, kept_sites)
    summed = emulate(original.board, path, "capture.selected")
    if summed != original.sum:
        sys.exit(f"select_random.py: {summed} is not {original.sum}")
    events = recorded("capture.selected", path) if expected else {}
    if events != expected:
        sys.exit(f"select_random.py: {options}: other calls than "
                 f"{ {c: len(e) for c, e in expected.items()} }")
    seen = {function for calls in events.values()
            for _, function, _ in calls}
    kept, excused, there = listed(original.path, options)
    if there != kept_sites:
        sys.exit(f"select_random.py: {options}: listed are others: "
                 f"{sorted(there ^ kept_sites)[:4]}")
    if original.outlined - kept_sites:
        sys.exit(f"select_random.py: {options}: outlined, taken out: "
                 f"{sorted(original.outlined - kept_sites)[:4]}")
    seen -= original.untold
    if not seen <= kept or (seen & out) - excused:
        sys.exit(f"select_random.py: {options}: {seen - kept} {seen & out}")
    # All of this work's functions that can be called are.
    count = f" {len(seen)} of {len(original.names)} functions instrumented"
    if count not in said and not original.outlined:
        sys.exit(f"select_random.py: {options}: not{count}: {said}")
    run(MCUPROF, "select", "--restore", path, "-o", "restored.elf")
    if Path("restored.elf").read_bytes() != original.elf.data:
        sys.exit("select_random.py: it was not restored")
    return len(original.sites) - len(kept_sites)


def main():
    if len(sys.argv) not in (4, 5):
        sys.exit(__doc__)
    board, path, count = sys.argv[1], sys.argv[2], int(sys.argv[3])
    dice = random.Random(int(sys.argv[4]) if len(sys.argv) > 4 else 1)
    original = Original(board, path)
    dropped = [check(original, [], set())]
    names = [name for name in original.names if name not in original.untold]
    for _ in range(count):
        dropped.append(check(original, *choose(dice, names)))
    print(f"{len(original.sites)} calls of hooks, {len(original.names)} "
          f"functions; {len(dropped)} selections took out {min(dropped)} to "
          f"{max(dropped)}")


if __name__ == "__main__":
    main()
