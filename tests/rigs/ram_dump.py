#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Unrolls the stream that the RAM transport left, by mcuprof_wire.h.

    ram_dump.py ELF MEMORY > capture        MEMORY is the guest's RAM
    ram_dump.py ELF MEMORY SYMBOL=N         sets a word of it instead

On standard error: generation, bytes written, bytes kept.
"""

import re
import struct
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests" / "truth"))
from elf32 import Elf32  # noqa: E402  pylint: disable=wrong-import-position

BASE = 0x21000000
WIRE = {name: int(value, 0) for name, value in re.findall(
    r"^#define MCUPROF_RAM_(\w+) (\w+?)u?\b",
    (ROOT / "target" / "mcuprof_wire.h").read_text(encoding="ascii"),
    re.MULTILINE)}


def unroll(memory, at):
    def word(name, form="<I"):
        return struct.unpack_from(form, memory, at + WIRE[name])[0]

    if (word("MAGIC"), word("VERSION")) != (WIRE["MAGIC_VALUE"], 1):
        sys.exit("ram_dump: no stream at mcuprof_ram")
    length, written = word("LENGTH"), word("WRITTEN", "<Q")
    first = at + WIRE["BYTES"]
    ring = memory[first:first + length]
    kept = min(length - 1, written)
    end = written % length
    twice = ring + ring
    print(word("GENERATION"), written, kept, file=sys.stderr)
    return twice[end + length - kept:end + length]


elf = Elf32(sys.argv[1])
if len(sys.argv) > 3:
    symbol, value = sys.argv[3].split("=")
    with open(sys.argv[2], "r+b") as file:
        file.seek(elf.address(symbol) - BASE)
        file.write(struct.pack("<I", int(value)))
else:
    contents = Path(sys.argv[2]).read_bytes()
    sys.stdout.buffer.write(unroll(contents,
                                   elf.address("mcuprof_ram") - BASE))
