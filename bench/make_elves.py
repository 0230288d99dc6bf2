#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""make_elves.py FOLDER: firmware of 5, 20 and 100 MB of debug info.

Forty units of generated C with the traits of drivers and control loops
(headers full of register structs, helpers inlined four levels deep, loops,
switches, locals) are compiled as firmware is: -O2 -g, a section a function,
DWARF 4 and 5 mixed, two units without debug info. The larger ELFs hold each
object several times. A copy has its names, those in .debug_str too, replaced
by others of the same length, so that it is a program of that many units,
whose debug info the compiler wrote.

Writes small.elf, big.elf, huge.elf; does nothing if they are there and this
file is older."""

import concurrent.futures
import random
import subprocess
import sys
from pathlib import Path

UNITS = 40
WITHOUT_DEBUG = (17, 33)
HEADERS = 24
INCLUDED = 12  # headers a unit includes
FUNCTIONS = 12  # a unit
DISCARDED = 6  # one in six functions is not needed by anybody
COPIES = {"small": 1, "big": 4, "huge": 18}
CFLAGS = ("-mcpu=cortex-m4 -mthumb -O2 -g -ffreestanding -ffunction-sections "
          "-fno-common -fdebug-prefix-map=").split()

# Names carry this; a copy has other digits.
PREFIX = "u%04d_"

SCRIPT = """/* SPDX-License-Identifier: MIT */
ENTRY(reset)
MEMORY {
    flash (rx) : ORIGIN = 0x08000000, LENGTH = 64M
    ram (rw) : ORIGIN = 0x20000000, LENGTH = 16M
}
SECTIONS {
    .text : { KEEP(*(.vectors)) *(.text .text.*) *(.rodata .rodata.*) } > flash
    .ARM.exidx : { *(.ARM.exidx*) } > flash
    .data : { *(.data .data.*) } > ram
    .bss : { *(.bss .bss.*) } > ram
}
"""


class Unit:
    """The C text of headers and units; every choice comes from one dice."""

    def __init__(self, seed):
        self.dice = random.Random(seed)

    def pick(self, *choices):
        return self.dice.choice(choices)

    def number(self):
        return self.dice.randrange(1, 1000)


def header(n):
    unit = Unit(1000 + n)
    out = ["/* SPDX-License-Identifier: MIT */", "#pragma once",
           "#include <stdint.h>"]
    for part in range(6):
        name = f"port{n}_{part}"
        fields = [f"    volatile uint{unit.pick(8, 16, 32)}_t "
                  f"reg_{name}_{i}{unit.pick('', '', '[4]')};"
                  for i in range(unit.dice.randrange(8, 24))]
        values = [f"    MODE_{name.upper()}_{i} = {unit.number()},"
                  for i in range(unit.dice.randrange(6, 16))]
        out += [f"struct {name} {{", "    uint32_t state;", "    uint32_t mask;",
                "    uint16_t limit;", "    int16_t gain[8];", *fields, "};",
                f"enum mode_{name} {{", *values, "};",
                f"typedef int (*handler_{name})(struct {name} *, "
                f"enum mode_{name}, uint32_t);"]
    for level in range(4):
        for part in range(6):
            out += helper(unit, n, level, part)
    return "\n".join(out) + "\n"


def helper(unit, n, level, part):
    """One inline function that calls two of the level below it."""
    name, kind = f"help{n}_{level}_{part}", f"struct port{n}_{part}"
    body = [f"static inline uint32_t {name}({kind} *port, uint32_t value)", "{",
            f"    uint32_t mixed = value ^ port->mask + {unit.number()}u;", ""]
    if level == 0:
        body += [f"    if (mixed & {1 << unit.dice.randrange(8)}u)",
                 f"        port->state += mixed >> {unit.dice.randrange(1, 9)};",
                 "    mixed = (mixed << 3) | (mixed >> 29);"]
    else:
        body += [f"    if (mixed > {unit.number()}u)",
                 f"        mixed += help{n}_{level - 1}_{part}(port, mixed);"]
        if level < 3:
            body += ["    else",
                     f"        mixed -= help{n}_{level - 1}_{part}(port, value);"]
    return [*body, f"    return mixed + port->limit;", "}"]


def statement(unit, headers, depth=1):
    n, part = unit.dice.choice(headers), unit.dice.randrange(6)
    pad = "    " * depth
    call = (f"help{n}_{unit.dice.randrange(4)}_{part}(&port{n}_{part}_state, "
            f"sum + {unit.number()}u)")
    kind = unit.dice.randrange(6)
    if depth < 3 and kind == 0:
        return [f"{pad}for (uint32_t turn{depth} = 0; turn{depth} < "
                f"(count & {unit.pick(7, 15, 31)}u); turn{depth}++) {{",
                *statement(unit, headers, depth + 1),
                *statement(unit, headers, depth + 1), f"{pad}}}"]
    if depth < 3 and kind == 1:
        return [f"{pad}if (sum & {1 << unit.dice.randrange(12)}u) {{",
                f"{pad}    uint32_t saved = sum;",
                *statement(unit, headers, depth + 1),
                f"{pad}    sum ^= saved;", f"{pad}}}"]
    if kind == 2:
        return [f"{pad}port{n}_{part}_state.gain[sum & 7] = (int16_t){call};"]
    return [f"{pad}sum += {call};"]


def source(n):
    unit = Unit(n)
    headers = sorted(unit.dice.sample(range(HEADERS), INCLUDED))
    prefix = PREFIX % n
    out = ["/* SPDX-License-Identifier: MIT */"]
    out += [f'#include "part{h}.h"' for h in headers]
    out += [f"static struct port{h}_{part} port{h}_{part}_state;"
            for h in headers for part in range(6)]
    wanted = []
    for i in range(FUNCTIONS):
        name = f"{prefix}{unit.pick('filter', 'update', 'drain', 'poll')}_{i}"
        static = i % 4 == 3 and wanted
        out += [f"{'static __attribute__((noinline)) ' if static else ''}"
                f"uint32_t {name}(uint32_t count)", "{",
                "    uint32_t sum = count;", ""]
        for _ in range(unit.dice.randrange(3, 9)):
            out += statement(unit, headers)
        if i % 5 == 4 and not static:
            out += ["    switch (sum & 7) {"]
            for case in range(6):
                out += [f"    case {case}:", *statement(unit, headers, 3),
                        "        break;"]
            out += ["    }"]
        out += ["    return sum;", "}"]
        if i % DISCARDED != DISCARDED - 1:
            wanted.append(name)
    out += [f"uint32_t {prefix}main(uint32_t sum)", "{"]
    out += [f"    sum += {name}(sum);" for name in wanted]
    return "\n".join([*out, "    return sum;", "}"]) + "\n"


def run(*command, **options):
    subprocess.run([str(word) for word in command], check=True, **options)


def compile_unit(folder, n):
    name = PREFIX % n + "unit"
    path = folder / f"{name}.c"
    path.write_text(source(n))
    version = "-gdwarf-4" if n % 3 == 1 else "-gdwarf-5"
    if n in WITHOUT_DEBUG:
        version = "-g0"
    # Relative names and folder: the same debug info wherever this runs.
    run("arm-none-eabi-gcc", *CFLAGS[:-1], CFLAGS[-1] + f"{folder}=/firmware",
        version, "-c", path.name, "-o", f"{name}.o", cwd=folder)
    return (folder / f"{name}.o").read_bytes()


def link(folder, objects, copies, out):
    """All objects, COPIES times, and a reset handler that calls them."""
    names = []
    for copy in range(copies):
        for n, data in enumerate(objects):
            number = copy * UNITS + n
            renamed = data.replace((PREFIX % n).encode(),
                                   (PREFIX % number).encode())
            names.append(f"copy{number}.o")
            (folder / names[-1]).write_bytes(renamed)
    mains = [PREFIX % number + "main" for number in range(copies * UNITS)]
    start = ["#include <stdint.h>"]
    start += [f"uint32_t {main}(uint32_t);" for main in mains]
    start += ["void reset(void)", "{", "    uint32_t sum = 0;"]
    start += [f"    sum += {main}(sum);" for main in mains]
    start += ["    for (;;)", "        ;", "}",
              "__attribute__((section(\".vectors\"), used))",
              "void *const vectors[] = {(void *)0x20010000, (void *)reset};"]
    (folder / "start.c").write_text("\n".join(start) + "\n")
    (folder / "flash.ld").write_text(SCRIPT)
    (folder / "objects").write_text("\n".join(names) + "\n")
    run("arm-none-eabi-gcc", *CFLAGS[:-1], CFLAGS[-1] + f"{folder}=/firmware",
        "-c", "start.c", cwd=folder)
    run("arm-none-eabi-ld", "--gc-sections", "-T", "flash.ld", "-o",
        out.resolve(), "start.o", "@objects", cwd=folder)
    for name in names:
        (folder / name).unlink()


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    out = Path(sys.argv[1])
    out.mkdir(parents=True, exist_ok=True)
    elves = {name: out / f"{name}.elf" for name in COPIES}
    made_by = Path(__file__).stat().st_mtime
    if all(path.exists() and path.stat().st_mtime > made_by
           for path in elves.values()):
        return
    folder = (out / "objects").resolve()
    folder.mkdir(exist_ok=True)
    for n in range(HEADERS):
        (folder / f"part{n}.h").write_text(header(n))
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        objects = list(pool.map(lambda n: compile_unit(folder, n),
                                range(UNITS)))
    for name, copies in COPIES.items():
        part = elves[name].with_suffix(".part")
        link(folder, objects, copies, part)
        part.rename(elves[name])


if __name__ == "__main__":
    main()
