#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Checks that one object holds the same code and data as several others.

same_code.py ONE OTHER...

All were compiled without optimisation, with a section for each function and
object, so that nothing depends on what else is in a file: every function must
be the same instructions with the same relocations, every object the same
bytes. Only the numbers that a compiler puts behind local names may differ, and
where in .rodata a constant without a name lies: it is compared where it is
used.
"""

import difflib
import re
import subprocess
import sys

NAMED = re.compile(r"\.(text|data|rodata|bss)\.\w")


def plain(name):
    """A local name without its number."""
    return re.sub(r"\.\d+\b", "", name)


def objdump(*arguments):
    return subprocess.run(["arm-none-eabi-objdump", *arguments], check=True,
                          capture_output=True, text=True).stdout.splitlines()


def sections(path):
    """{section: [[offset, what is there, relocation or ""]]} of an object."""
    found = {}
    for line in objdump("-Drz", path):
        head = re.match(r"Disassembly of section (\S+):", line)
        row = re.match(r"\s+([0-9a-f]+):\s+(R_ARM_\S+\s+\S+|.*)", line)
        if head:
            rows = found.setdefault(head[1], [])
        elif row and row[2].startswith("R_ARM_"):
            rows[-1][2] = " ".join(row[2].split())
        elif row:
            # Names in angle brackets are guesses; relocations say it.
            rows.append([int(row[1], 16), re.sub(r" <.*>|@.*", "", row[2]), ""])
    return found


class Constants:
    """What lies in .rodata, where there are no names."""

    def __init__(self, path, rows):
        self.relocations = {offset: relocation for offset, _, relocation in rows
                            if relocation}
        dump = objdump("-s", "-j", ".rodata", path) if rows else []
        self.bytes = b"".join(
                bytes.fromhex(line[line.index(" ", 1):][:36].replace(" ", ""))
                for line in dump if re.match(r" [0-9a-f]{4,} ", line))

    def at(self, offset):
        """Addresses one after the other, or a text."""
        if offset not in self.relocations:
            return self.bytes[offset:].split(b"\0")[0]
        found = []
        while offset in self.relocations:
            found.append(self.relocations[offset])
            offset += 4
        return found


def contents(path):
    """{section: its lines} of an object's named code and data."""
    held = sections(path)
    constants = Constants(path, held.get(".rodata", []))
    found = {}
    for name, rows in held.items():
        if not NAMED.match(name):
            continue
        lines = found[plain(name)] = []
        for offset, text, relocation in rows:
            if relocation.endswith(" .rodata"):
                text = constants.at(int(text.split()[0], 16))
            lines.append(plain(f"{offset:x}: {text} {relocation}"))
    return found


def main():
    one = contents(sys.argv[1])
    others = {}
    for path in sys.argv[2:]:
        others.update(contents(path))
    different = sorted(name for name in one.keys() | others.keys()
                       if one.get(name) != others.get(name))
    for name in different:
        print(f"{name} differs")
        print(*difflib.unified_diff(others.get(name, []), one.get(name, []),
                                    lineterm="", n=1), sep="\n")
    print(f"{len(one)} sections, {len(different)} differ")
    sys.exit(1 if different or not one else 0)


main()
