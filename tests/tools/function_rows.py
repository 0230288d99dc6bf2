# SPDX-License-Identifier: MIT
"""The function table of a capture, from docs/wire.md, "FUNCTIONS"."""

import struct
from dataclasses import dataclass, field

import mprof

FUNCTIONS = 0x08
RAW, MOMENTS, RUNNING = 1, 2, 4
COUNTS = ("hooks", "unwound", "unmatched", "deep", "no_slot", "no_context",
          "tries")
NUMBERS = {0: 8, 1: 2, 2: 3, 3: len(COUNTS)}


@dataclass
class Row:
    calls: int
    open: int
    self: int
    total: int
    min: int
    max: int


@dataclass
class Snapshot:
    """`rows` by (context, address), `outside` by context, `none`: (calls,
    self) of what found no slot, by context."""
    ticks: int
    flags: int
    pair: int
    slots: int
    rows: dict = field(default_factory=dict)
    outside: dict = field(default_factory=dict)
    none: dict = field(default_factory=dict)
    counts: dict = field(default_factory=dict)

    def sum(self):
        """Of all parts; what `ticks` is to be."""
        calls = (sum(row.calls for row in self.rows.values())
                 + sum(calls for calls, _ in self.none.values()))
        return (sum(row.self for row in self.rows.values())
                + sum(self.outside.values())
                + sum(own for _, own in self.none.values())
                + self.counts["hooks"] + calls * self.pair)


def add_row(snapshot, kind, numbers):
    if kind == 0:
        function, context, calls, opened, own, total, least, most = numbers
        if (context, function) in snapshot.rows:
            raise ValueError(f"{function:#x} in {context} twice")
        snapshot.rows[context, function] = Row(calls, opened, own, total,
                                               least, most)
    elif kind == 1:
        snapshot.outside[numbers[0]] = numbers[1]
    elif kind == 2:
        snapshot.none[numbers[0]] = tuple(numbers[1:])
    elif snapshot.counts:
        raise ValueError("two rows of counts")
    else:
        snapshot.counts = dict(zip(COUNTS, numbers))


def snapshots(path):
    """All that are whole, in order."""
    found, parts = [], {}
    with open(path, "rb") as file:
        capture = file.read()
    for kind, _, payload in mprof.frames(capture):
        if kind != FUNCTIONS:
            continue
        sequence, ticks, rows, first, flags, _, pair, slots = \
            struct.unpack_from("<IQHHBBHH", payload)
        if first == 0:
            parts = {"sequence": sequence, "rows": 0,
                     "snapshot": Snapshot(ticks, flags, pair, slots)}
        if parts.get("sequence") != sequence or parts["rows"] != first:
            raise ValueError("a part that follows nothing")
        at = 22
        while at < len(payload):
            what, numbers = payload[at], []
            at += 1
            for _ in range(NUMBERS[what]):
                number, at = mprof.read_varint(payload, at)
                numbers.append(number)
            add_row(parts["snapshot"], what, numbers)
            parts["rows"] += 1
        if parts["rows"] == rows:
            found.append(parts["snapshot"])
    return found
