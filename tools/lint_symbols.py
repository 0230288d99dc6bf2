#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Checks names that leave a file, and what libmcuprof-host calls and keeps.

target/: every function, every global symbol and every macro of a header carries
our prefix, by which the host knows what is the profiler's own; with
MCUPROF_ENABLED=0 there is no symbol at all but of weak hooks, which compilers call.
host/lib: no printing, no exit, no environment, nothing mutable at file scope.
"""

import re
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from lint_common import Lint, configurations, run, without_comments

# mcuprof_init() has the version in its name, dots and all.
SYMBOL = re.compile(r"mcuprofi?_[\w.]+|__cyg_profile_func_(enter|exit)")
MACRO = re.compile(r"^[ \t]*#[ \t]*define[ \t]+(\w+)", re.MULTILINE)
MACRO_NAME = re.compile(r"MCUPROFI?_\w+|mcuprofi?_\w+")

HOST = ["gcc", "-std=c99", "-O1", "-Itarget", "-Itarget/port/host"]
HOST_FOLDERS = ["target", "target/port/host", "target/transport"]
ARM = ["arm-none-eabi-gcc", "-std=c99", "-Os", "-mthumb", "-Itarget",
       "-Itarget/port/cortexm"]
ARM_FOLDERS = ["target", "target/port/cortexm", "target/transport"]
BUILDS = {
    "host": (HOST, HOST_FOLDERS),
    "cortex-m0": (ARM + ["-mcpu=cortex-m0"], ARM_FOLDERS),
    "cortex-m4": (ARM + ["-mcpu=cortex-m4"], ARM_FOLDERS),
    "cortex-m33": (ARM + ["-mcpu=cortex-m33"], ARM_FOLDERS),
}
BUILDS.update((" ".join(flags), (ARM + ["-mcpu=cortex-m4", *flags], ARM_FOLDERS))
              for flags in configurations()[1:])
DISABLED = ["-mcpu=cortex-m4", "-DMCUPROF_ENABLED=0"]

LIBRARY = ["gcc", "-std=c11", "-O1", "-D_POSIX_C_SOURCE=200809L",
           "-D_FILE_OFFSET_BITS=64", "-Ihost/lib", "-Itarget"]

# The library hands data back; what to say, and when to stop, is the program's.
CALLS = {
    "printing": {"printf", "vprintf", "puts", "putchar", "perror", "stdout",
                 "stderr", "dprintf", "warn", "warnx", "err", "errx"},
    "ending the process": {"exit", "_exit", "_Exit", "quick_exit", "abort",
                           "__assert_fail"},
    "reading the environment": {"getenv", "secure_getenv", "environ"},
}


def symbols(compiler, path, root, folder, number):
    """Lines of `objdump -t` for one compiled file; or what went wrong."""
    obj = Path(folder) / f"{number}.o"
    result = run(compiler + ["-c", path, "-o", obj], cwd=root)
    if result.returncode:
        return None, result.stderr
    table = run(["objdump" if compiler[0] == "gcc"
                 else "arm-none-eabi-objdump", "-t", obj]).stdout
    return re.findall(r"^[0-9a-f]+ (.{7}) (\S+)\t[0-9a-f]+ +(?:\.hidden +)?"
                      r"(\S+)$", table, re.MULTILINE), None


def target_files(lint, folders):
    """The sources that lie in one of the folders itself."""
    return [path for path in lint.under("target", suffixes=(".c",))
            if str(path.parent) in folders]


def check_target_symbols(lint, path, label, found):
    for flags, section, name in found:
        is_ours = flags[0] in "gu" or (flags[6] == "F" and label != "host")
        if is_ours and section != "*UND*" and not SYMBOL.fullmatch(name):
            lint.report(path, f"symbol {name} ({label}) lacks the "
                        "prefix mcuprof_ or mcuprofi_")


def check_target_disabled(lint, path, _label, found):
    for flags, section, name in found:
        is_hook = flags[1] == "w" and name.startswith("__cyg_profile_func_")
        if flags[6] in "OF" and section != "*UND*" and not is_hook:
            lint.report(path, f"MCUPROF_ENABLED=0 leaves {name} in the image")


def check_target_macros(lint):
    for path in lint.under("target", suffixes=(".h",)):
        text = without_comments(lint.read(path))
        for match in MACRO.finditer(text):
            if not MACRO_NAME.fullmatch(match[1]):
                line = text.count("\n", 0, match.start()) + 1
                lint.report(f"{path}:{line}",
                            f"macro {match[1]} lacks the prefix MCUPROF_")


def check_library_symbols(lint, path, _label, found):
    for flags, section, name in found:
        bare = re.sub(r"^__(\w+)_chk$", r"\1", name)
        for act, names in CALLS.items():
            if section == "*UND*" and (bare in names or name in names):
                lint.report(path, f"{act} is left to the program: {name}")
        # Constant tables that hold pointers lie in .data.rel.ro.
        if "O" in flags and (section == "*COM*" or re.match(
                r"\.(data|bss|tdata|tbss)(?!\.rel\.ro)", section)):
            lint.report(path, f"mutable at file scope: {name}")


def main():
    lint = Lint(__doc__)
    jobs = [(check_target_symbols, compiler, path, label)
            for label, (compiler, folders) in BUILDS.items()
            for path in target_files(lint, folders)]
    jobs += [(check_target_disabled, ARM + DISABLED, path, "disabled")
             for path in target_files(lint, ARM_FOLDERS)]
    jobs += [(check_library_symbols, LIBRARY, path, "lib")
             for path in lint.under("host/lib", suffixes=(".c",))]
    with tempfile.TemporaryDirectory() as folder, \
            ThreadPoolExecutor(2) as pool:
        tables = pool.map(lambda job: symbols(job[1][1], job[1][2], lint.root,
                                              folder, job[0]),
                          enumerate(jobs))
        for (check, _, path, label), (found, error) in zip(jobs, tables):
            if error:
                lint.report(path, f"does not compile ({label}):\n{error}")
            else:
                check(lint, path, label, found)
    check_target_macros(lint)
    lint.finish()


main()
