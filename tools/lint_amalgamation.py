#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Checks that target/ can be one file.

What is static in a .c file, and what it defines, must be unlike all that the
other files have: the amalgamation then compiles without a warning, whatever is
built into it.
"""

import re
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from lint_common import Lint, configurations, run

CORES = ("cortex-m0", "cortex-m4", "cortex-m33")


def warnings(lint):
    """Those of the build."""
    text = lint.read(Path("cmake/mcuprof_warnings.cmake"))
    return re.findall(r"^\s+(-W\S+)$", text, re.M) + ["-Werror"]


def origin(lines, number):
    """The file of target/ that a line comes from."""
    for line in reversed(lines[:number]):
        found = re.match(r"/\* From (\S+) \*/", line)
        if found:
            return found[1]
    return "the amalgamation"


def main():
    lint = Lint(__doc__)
    if not (lint.root / "target/mcuprof.h").exists():
        lint.finish()
    with tempfile.TemporaryDirectory() as folder:
        made = run([Path(__file__).parent / "amalgamate.py", folder,
                    lint.root])
        if made.returncode:
            lint.report("target", made.stderr.strip())
            lint.finish()
        source = Path(folder) / "mcuprof.c"
        text = source.read_text(encoding="utf-8")
        transports = [f"-D{name}=1" for name in sorted(set(
                re.findall(r"\bMCUPROF_TRANSPORT_\w+(?= 0$)", text, re.M)))]
        command = ["arm-none-eabi-gcc", "-c", "-std=c99", "-O2", "-mthumb",
                   *warnings(lint), source, "-o", "/dev/null"]
        jobs = [[f"-mcpu={core}", *flags, *transports]
                for core in CORES for flags in configurations()]
        with ThreadPoolExecutor(2) as pool:
            results = pool.map(lambda flags: run(command + flags), jobs)
        complaints = {}
        for flags, result in zip(jobs, results):
            for number, error in re.findall(
                    r"mcuprof\.c:(\d+):[\d:]* (error: .*)", result.stderr):
                complaints.setdefault((int(number), error), flags)
            if result.returncode and not complaints:
                lint.report("target", result.stderr)
    for (number, error), flags in sorted(complaints.items()):
        lint.report(origin(text.splitlines(), number), f"{error} "
                    f"({' '.join(flags[:-len(transports) or None])})")
    lint.finish()


main()
