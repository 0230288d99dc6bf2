#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Checks that includes run in the direction of docs/design.md.

cli -> lib -> target/mcuprof_wire.h, and nothing in target/ looks outside it.
In lib, what reads the wire and what reads the ELF never meet, and the faces
(reports, exporters) see the model alone.
"""

import re

from lint_common import Lint, without_comments

INCLUDE = re.compile(r"^[ \t]*#[ \t]*include[ \t]*([<\"])([^>\"]+)[>\"]",
                     re.MULTILINE)
WIRE_HEADER = "target/mcuprof_wire.h"

# First words of file names in host/lib.
WIRE = ("source", "frame", "decode")
ELF = ("image", "lines", "modules")
FACES = ("report", "export")

ELF_HEADERS = re.compile(r"(libelf|gelf|dwarf|libdw)\.h|elfutils/.*")

# What a freestanding compiler brings; the engines must build without a libc.
FREESTANDING = {"float.h", "iso646.h", "limits.h", "stdarg.h", "stdbool.h",
                "stddef.h", "stdint.h"}


def group_of(path):
    """wire, elf or face for a file of host/lib; None for the neutral ones."""
    if str(path) == WIRE_HEADER:
        return "wire"
    if path.parts[:2] != ("host", "lib"):
        return None
    word = re.split(r"[_.]", path.name)[0]
    for name, words in (("wire", WIRE), ("elf", ELF), ("face", FACES)):
        if word in words:
            return name
    return None


def zone_of(path):
    return "target" if path.parts[0] == "target" else "/".join(path.parts[:2])


class Includes:
    """Who includes whom, by file."""

    def __init__(self, lint):
        self.lint = lint
        self.by_name = {path.name: path for path in
                        lint.under("target", "host", "tests", "examples",
                                   "bench", suffixes=(".h",))}
        self.direct = {}
        for path in lint.under("target", "host"):
            text = without_comments(lint.read(path))
            self.direct[path] = [
                    (text.count("\n", 0, match.start()) + 1, match[1],
                     match[2]) for match in INCLUDE.finditer(text)]

    def resolve(self, name):
        return self.by_name.get(name.split("/")[-1])

    def reached(self, path):
        """Files of the tree that path sees, through other headers too."""
        seen, waiting = set(), [path]
        while waiting:
            for _, _, name in self.direct.get(waiting.pop(), []):
                found = self.resolve(name)
                if found and found not in seen:
                    seen.add(found)
                    waiting.append(found)
        return seen


ALLOWED = {
    "target": lambda found: zone_of(found) == "target",
    "host/lib": lambda found: (zone_of(found) == "host/lib"
                               or str(found) == WIRE_HEADER),
    "host/cli": lambda found: zone_of(found) in ("host/cli", "host/lib"),
}


def check_direction(lint, includes, path):
    zone = zone_of(path)
    for line, quote, name in includes.direct[path]:
        where = f"{path}:{line}"
        found = includes.resolve(name)
        if found and zone in ALLOWED and not ALLOWED[zone](found):
            lint.report(where, f"{zone} may not include {found}")
        if quote == '"' and name.startswith("../"):
            lint.report(where, f"include by a path that leaves the folder: "
                        f"{name}")
        if quote == "<" and ELF_HEADERS.fullmatch(name) \
                and group_of(path) != "elf":
            lint.report(where, f"<{name}> belongs to {', '.join(ELF)} alone")
        if quote == "<" and zone == "target" and name not in FREESTANDING \
                and "port/host" not in str(path):
            lint.report(where, f"<{name}> needs a C library")


FORBIDDEN = {
    "wire": {"elf": "reads the wire and sees the ELF through"},
    "elf": {"wire": "reads the ELF and sees the wire through"},
    "face": {"wire": "should see the model alone, sees the wire through",
             "elf": "should see the model alone, sees the ELF through"},
}


def check_groups(lint, includes, path):
    forbidden = FORBIDDEN.get(group_of(path), {})
    for found in sorted(includes.reached(path)):
        if group_of(found) in forbidden:
            lint.report(path, f"{forbidden[group_of(found)]} {found}")


def main():
    lint = Lint(__doc__)
    includes = Includes(lint)
    for path in includes.direct:
        check_direction(lint, includes, path)
        check_groups(lint, includes, path)
    lint.finish()


main()
