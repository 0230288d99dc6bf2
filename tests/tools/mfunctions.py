#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Function tables for tests, from docs/wire.md, "FUNCTIONS" and "The table as
text". Written from the document, not from the programs that it tests.

    mfunctions.py FILE ELF < script

runs a script with the names t (a Table) and f (address of a function, by the
ELF's symbols; ELF may be "-"), and writes what t has sent. The script says
what the firmware counted, and what it sends or prints:

    t.hello(start=True)
    t.row("work", calls=3, self=300, total=500, min=90, max=210)
    t.outside(0, 700)
    t.snapshot()         frames, or
    t.print()            text
"""

import os
import struct
import sys
import zlib

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import mprof  # noqa: E402

FUNCTIONS = 0x08
RAW, MOMENTS, RUNNING = 1, 2, 4
COUNTS = ("hooks", "unwound", "unmatched", "deep", "no_slot", "no_context",
          "tries")


class Table(mprof.Target):
    """A firmware with a function table and nothing else."""

    def __init__(self, functions=None, pair=0, slots=64, **settings):
        super().__init__(**{"engines": 8, "hz": 25000000, "period": 0,
                            "sampler": 0, "exception": 0, **settings})
        self.running = False
        self.functions = functions or {}
        self.pair = pair
        self.slots = slots
        self.sequence = 0
        self.flags = RUNNING
        self.period = 1
        self.names = {}
        self.clear()

    def clear(self):
        self.rows = []      # (kind, numbers as on the wire)
        self.counts = dict.fromkeys(COUNTS, 0)
        self.wall = None    # ticks; None: what the parts add up to

    def address(self, function):
        if isinstance(function, str):
            return self.functions[function]
        return function

    def context(self, number, name=None, unseen=False):
        self.names[number] = name
        super().context(number, name, unseen)

    def row(self, function, /, calls=1, context=0, open=0, min=None,
            max=None, **ticks):
        """self= and total= are ticks; min and max default to the mean."""
        own = ticks["self"]
        total = ticks.get("total", own)
        mean = total // calls if calls > open else 0
        self.rows.append((0, [self.address(function) & ~1, context, calls,
                              open, own, total,
                              mean if min is None else min,
                              mean if max is None else max]))

    def outside(self, context, ticks):
        self.rows.append((1, [context, ticks]))

    def no_slot(self, context, calls, ticks):
        self.rows.append((2, [context, calls, ticks]))

    def parts(self):
        """Sums of self over all rows, of hooks, and of the pairs."""
        own = sum(n[{0: 4, 1: 1, 2: 2}[kind]] for kind, n in self.rows)
        calls = sum(n[{0: 2, 2: 1}[kind]] for kind, n in self.rows if kind != 1)
        return own + self.counts["hooks"] + calls * self.pair

    def ticks_now(self):
        return self.parts() if self.wall is None else self.wall

    def hello_payload(self, flags=0):
        s = self.settings
        flags |= s["flags"] | (mprof.IDENTITY if s["value"] else 0)
        return struct.pack(
            "<BBBBBBHIIIIIII8sHBBIHBBHBB", s["version"], flags, s["clock"],
            s["reason"], s["bits"], s["shift"], 0, s["cpuid"], s["boot"],
            s["hz"], 0, s["second_hz"], s["start"], s["length"], s["value"],
            self.pair, s["engines"], 0, s["vectors"], 0, 0, 0, 0, 0, 0)

    def hello(self, start=False, **changes):
        self.settings.update(changes)
        self.send(mprof.HELLO,
                        self.hello_payload(mprof.START if start else 0))

    def time(self, send=True, ticks=None):
        if ticks is not None:
            self.ticks = ticks
        payload = struct.pack("<QQ", self.ticks, self.second)
        (self.send if send else self.drop)(mprof.TIME, payload)

    def all_rows(self):
        return self.rows + [(3, [self.counts[name] for name in COUNTS])]

    def frames(self, most=240, rows=None, **changes):
        """Payloads of one snapshot."""
        everything = self.all_rows() if rows is None else rows
        head = {"count": len(everything), "flags": self.flags,
                "period": self.period, "pair": self.pair,
                "slots": self.slots, "ticks": self.ticks_now(), "sequence": self.sequence}
        head.update(changes)
        payloads = []
        at = 0
        while at < len(everything) or not payloads:
            payload = struct.pack(
                "<IQHHBBHH", head["sequence"], head["ticks"], head["count"],
                at, head["flags"], head["period"] % 256, head["pair"], head["slots"])
            while at < len(everything):
                kind, numbers = everything[at]
                packed = bytes([kind]) + b"".join(map(mprof.varint, numbers))
                if len(payload) + len(packed) > most:
                    break
                payload += packed
                at += 1
            payloads.append(payload)
        return payloads

    def snapshot(self, parts=None, **changes):
        """A snapshot; PARTS are the numbers of the frames that arrive."""
        self.sequence += 1
        for number, payload in enumerate(self.frames(**changes)):
            if parts is None or number in parts:
                self.send(FUNCTIONS, payload)
            else:
                self.drop(FUNCTIONS, payload)

    def lines(self):
        """The table as text: lines without their ends."""
        ticks = self.ticks_now()
        titles = ("function", "context", "calls", "open", "self", "total",
                  "avg", "min", "max", "share")
        grid = [titles]
        for kind, n in self.rows:
            if kind == 0:
                cells = ["0x%08x" % n[0], *n[1:6],
                         n[5] // n[2] if n[2] else 0, *n[6:8]]
                own = n[4]
            elif kind == 1:
                cells = ["outside", n[0], "", "", n[1], "", "", "", ""]
                own = n[1]
            else:
                cells = ["no_slot", n[0], n[1], "", n[2], "", "", "", ""]
                own = n[2]
            share = (20000 * own + ticks) // (2 * ticks) if ticks else 0
            grid.append([*map(str, cells),
                         "%d.%02d" % (share // 100, share % 100)])
        widths = [max(map(len, column)) for column in zip(*grid)]
        yield (f"mcuprof functions 1 snapshot={self.sequence} "
               f"period={self.period} ticks={ticks} "
               f"hz={self.settings['hz']} rows={len(self.all_rows())} "
               f"slots={self.slots} pair={self.pair} "
               + ("raw" if self.flags & RAW else "compensated")
               + (" moments" if self.flags & MOMENTS else "")
               + (" running" if self.flags & RUNNING else ""))
        for cells in grid:
            yield "mcuprof " + " ".join(
                cell.rjust(width) for cell, width in zip(cells, widths))
        for number, name in self.names.items():
            if name:
                yield f"mcuprof context {number} {name}"
        yield "mcuprof counts " + " ".join(
            f"{name}={self.counts[name]}" for name in COUNTS)
        yield f"mcuprof sum={self.parts()} of {ticks}"
        yield "mcuprof hello " + self.hello_payload().hex()

    def text_table(self, end="\n", change=lambda lines: lines):
        """CHANGE is applied to the lines after the CRC was made."""
        lines = list(self.lines())
        last = f"mcuprof end rows={len(self.all_rows())} "
        words = " ".join(lines + [last]).split()
        crc = zlib.crc32("".join(word + " " for word in words).encode())
        lines.append(f"{last}crc={crc:08x}")
        return end.join(change(lines)) + end

    def print(self, **options):
        self.sequence += 1
        self.text(self.text_table(**options))


def main(arguments):
    path, elf = arguments
    settings = {}
    functions = {}
    if elf != "-":
        facts = mprof.elf_facts(elf)
        functions = facts["symbols"]
        settings = {"start": facts["start"], "length": facts["length"],
                    "value": mprof.crc_value(facts["crc"])}
    table = Table(functions, **settings)
    names = {"t": table, "f": functions, "Table": Table, "mprof": mprof,
             "settings": settings}
    exec(compile(sys.stdin.read(), "script", "exec"), names)
    with open(path, "wb") as file:
        file.write(names["t"].out)


if __name__ == "__main__":
    main(sys.argv[1:])
