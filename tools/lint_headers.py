#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Checks that every header compiles alone.

Those of target/ as C99 and C++11, with the compilers their port is for, for a
core of each architecture and in each configuration; those of host/ as C11.
"""

import re
from collections import defaultdict
from concurrent.futures import ThreadPoolExecutor

from lint_common import Lint, configurations, run

WARNINGS = ["-Wall", "-Wextra", "-Wundef", "-Wpedantic", "-Werror"]
CORES = ("cortex-m0", "cortex-m4", "cortex-m33")


def target_compilers(path):
    """The compilers a header of target/ is for: a port's has but one side."""
    languages = ((["-x", "c", "-std=c99"], "gcc"),
                 (["-x", "c++", "-std=c++11"], "g++"))
    for language, compiler in languages:
        if "port/cortexm" not in str(path):
            yield [compiler, *language, "-Itarget", "-Itarget/port/host"]
        if "port/host" not in str(path):
            for core in CORES:
                yield ["arm-none-eabi-" + compiler, *language, "-mthumb",
                       f"-mcpu={core}", "-Itarget", "-Itarget/port/cortexm"]
            for flags in configurations()[1:]:
                yield ["arm-none-eabi-" + compiler, *language, "-mthumb",
                       "-mcpu=cortex-m4", "-Itarget", "-Itarget/port/cortexm",
                       *flags]


def host_compilers(_path):
    yield ["gcc", "-x", "c", "-std=c11", "-D_POSIX_C_SOURCE=200809L",
           "-Ihost/lib", "-Ihost/cli", "-Itarget"]


def main():
    lint = Lint(__doc__)
    jobs = [(path, command) for path in lint.files if path.suffix == ".h"
            for folder, compilers in (("target", target_compilers),
                                      ("host", host_compilers))
            if path.parts[0] == folder for command in compilers(path)]

    def compile_alone(job):
        path, command = job
        # A header of macros alone would leave nothing to compile.
        source = f'#include "{lint.root / path}"\nint not_empty;\n'
        return run(command + WARNINGS + ["-fsyntax-only", "-"], input=source,
                   cwd=lint.root)

    # One complaint is told once, with the compilers that have it.
    complaints = defaultdict(list)
    with ThreadPoolExecutor(2) as pool:
        for (path, command), result in zip(jobs,
                                           pool.map(compile_alone, jobs)):
            if result.returncode:
                first = re.search(r".*error:.*", result.stderr)
                complaints[path, first[0] if first else result.stderr].append(
                        " ".join(word for word in command if word[0] != "-"
                                 or word[:2] in ("-s", "-m", "-D")))
    for (path, error), compilers in complaints.items():
        lint.report(path, f"does not compile alone ({', '.join(compilers)}):"
                    f"\n    {error}")
    lint.finish()


main()
