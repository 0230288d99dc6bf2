#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Checks the files themselves: length, name, first line, no list of tests."""

import re
from collections import defaultdict

from lint_common import Lint

LIMIT = 900
TARGET_LIMIT = 600

# The names that tools or readers look for in every folder.
REPEATED = {"README.md", "CMakeLists.txt", "run.sh", ".clang-tidy"}

CODE = {".c", ".h", ".S", ".ld", ".sh", ".bash", ".bats", ".py", ".cmake"}
C_SOURCE = {".c", ".h"}
LINKED_IN = {".S", ".ld"}
SPDX = "SPDX-License-Identifier: MIT"

BUILD_FILES = {"Makefile", "CMakeLists.txt", "CMakePresets.json"}


def is_build_file(path):
    return (path.name in BUILD_FILES or path.suffix == ".cmake"
            or path.parts[0] in ("tools", ".ci"))


def check_length(lint, path, lines):
    limit = TARGET_LIMIT if path.parts[0] == "target" else LIMIT
    if path.suffix in CODE and len(lines) > limit:
        lint.report(path, f"{len(lines)} lines, the limit is {limit}")


def check_license(lint, path, lines):
    if path.suffix in LINKED_IN:
        # Those may go on in the same comment.
        if not lines or not lines[0].startswith(f"/* {SPDX}"):
            lint.report(path, f"the first line does not say {SPDX}")
    elif path.suffix in C_SOURCE:
        if lines[:1] != [f"/* {SPDX} */"]:
            lint.report(path, f"the first line is not /* {SPDX} */")
    elif path.suffix in CODE or path.name in ("Makefile", "CMakeLists.txt"):
        if f"# {SPDX}" not in lines[:2]:
            lint.report(path, f"no line # {SPDX} on top")


def check_names(lint):
    places = defaultdict(list)
    for path in lint.files:
        places[path.name].append(str(path))
    for name, paths in places.items():
        if len(paths) > 1 and name not in REPEATED:
            lint.report(paths[1], f"the same name as {paths[0]}")


def check_test_lists(lint):
    """Tests are found by glob: a build file that names one is a list."""
    tests = {path.name if path.suffix == ".bats" else path.stem
             for path in lint.files if path.parts[0] == "tests" and
             (path.suffix == ".bats" or re.match(r"test_.*\.c$", path.name))}
    if not tests:
        return
    named = re.compile(r"\b(%s)\b" % "|".join(map(re.escape, sorted(tests))))
    for path in filter(is_build_file, lint.files):
        for number, line in enumerate(lint.read(path).splitlines(), 1):
            found = named.search(re.sub(r"(^|\s)#.*", "", line))
            if found:
                lint.report(f"{path}:{number}", f"names the test {found[1]}; "
                            "tests are found by glob")


def main():
    lint = Lint(__doc__)
    for path in lint.files:
        if path.suffix in CODE or path.name in BUILD_FILES:
            lines = lint.read(path).splitlines()
            check_length(lint, path, lines)
            check_license(lint, path, lines)
    check_names(lint)
    check_test_lists(lint)
    lint.finish()


main()
