#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A function table as firmware leaves it in RAM, stopped. Written from
docs/wire.md, "The function table in RAM", not from the program that it tests.

    function_memory.py [KEY=VALUE ...]   RAM from 0x20000000 on

The table is at 0x20000100: 16 slots, two contexts (0 and 512) with five frames,
and nobody's; work() and its caller of elf=PATH are in it, called by 512 "control".

Keys: calls, self, total of work(). Others overwrite a word: magic, version and
size, slots and contexts, frames and their size, gate, index, top, began, ended,
clock, generation. longer=N: its head and contexts have N bytes more, as a newer
firmware's may. cut=N: the last N bytes of the table, and all behind, are not
there.
"""

import struct
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
import mprof  # noqa: E402  pylint: disable=wrong-import-position

RAM, TABLE = 0x20000000, 0x20000100
SLOTS, CONTEXTS, FRAMES = 16, 3, 5
HEAD, PLACE = 184, 136
WORDS = {"gate": 8, "top": 12, "index": 20, "magic": 40, "version": 44,
         "slots": 48, "frames": 52, "clock": 4, "began": 88, "ended": 96,
         "generation": 164}


def hello(facts):
    payload = bytearray(60)
    payload[0:5] = bytes([1, 3, 1, 1, 32])
    struct.pack_into("<III", payload, 8, 0x410FC241, 77, 25000000)
    struct.pack_into("<II", payload, 28, facts["start"], facts["length"])
    payload[36:44] = mprof.crc_value(facts["crc"])
    payload[46] = 8
    return bytes(payload)


def row(function, index, calls, own, total):
    mean = total // calls
    return struct.pack("<IIIIIHHBBBBI", calls, own, total, mean, 0, 0, 0, index,
                       0, 0, 0, function | 1)


def table(options):
    facts = mprof.elf_facts(options["elf"])
    calls = int(options.get("calls", "3"))
    own = int(options.get("self", "600"))
    total = int(options.get("total", "600"))
    longer = int(options.get("longer", "0"))
    rows, place = HEAD + longer, PLACE + longer
    places = rows + 32 * SLOTS
    stacks = places + place * CONTEXTS
    size = stacks + 32 * ((CONTEXTS - 1) * FRAMES + 1)
    out = bytearray(size)

    def put(offset, form, *values):
        struct.pack_into("<" + form, out, offset, *values)

    put(40, "IHHHHHH", 0x4E55464D, 1, rows, SLOTS, CONTEXTS, FRAMES,
        place)
    put(58, "HI", 1, TABLE + size)
    put(64, "I", 0xFFFFFFFF)
    put(88, "QQ", 1000, 1000 + 1000)
    out[104:164] = hello(facts)
    put(164, "I", 1)
    symbols = facts["symbols"]
    out[rows + 32:rows + 64] = row(symbols["work"], 1, calls, own, total)
    out[rows + 96:rows + 128] = row(symbols["Reset_Handler"], 1, 1, 300, 900)
    for index in range(CONTEXTS):
        at = places + place * index
        base = TABLE + stacks + 32 * FRAMES * index
        put(at, "IIIII", (1, 513, 0)[index], 1, base, base + 32 * 4, index)
        put(at + 44, "I", base)
        out[at + 104 + 25] = 0xFF
    put(places + place + 88, "Q", 100)
    put(8, "IIII", 0, TABLE + stacks, TABLE + stacks + 128, 0)
    for name, value in options.items():
        if name in WORDS:
            put(WORDS[name], "I", int(value, 0) & 0xFFFFFFFF)
    return bytes(out)


def main():
    options = dict(argument.split("=", 1) for argument in sys.argv[1:])
    if "elf" not in options:
        sys.exit(__doc__)
    cut = int(options.get("cut", "0"))
    memory = bytes(TABLE - RAM) + table(options)
    names = struct.pack("<IHH", RAM + len(memory) + 8, 512, 0) + b"control\0"
    sys.stdout.buffer.write(memory[:-cut] if cut else memory + names)


if __name__ == "__main__":
    main()
