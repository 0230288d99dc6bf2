#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Captures of the call ring for tests, from docs/wire.md, "TRACE".

Written from the document, not from the programs that it tests.

    mtrace.py FILE ELF < script

runs a script with the names t (a Ring) and f (address of a function, by the
ELF's symbols; ELF may be "-") and writes what t has sent. The script says what
the firmware does, in order:

    t.hello(start=True)
    t.to(100).enter("work").to(250).leave("work")
"""

import os
import struct
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import mprof  # noqa: E402

RING, TRACE = 0x07, 0x11
CONTEXT, VALUE, MARK, LOST, SYNC, CLOCK, GONE, CUT = range(0xF0, 0xF8)
KEPT = 0x80
FLIGHT, ONE_SHOT, STREAM = range(3)


def zigzag31(step):
    step &= 0x7FFFFFFF
    if step & 0x40000000:
        return 2 * (0x80000000 - step) - 1
    return 2 * step


class Packer:
    """The records of one frame."""

    def __init__(self, time, mask):
        self.time = time & mask
        self.mask = mask
        self.known = {}
        self.last = 0

    def head(self, kind, time):
        step = (time - self.time) & self.mask
        self.time = time & self.mask
        more = step >> 5
        out = bytes([kind | (step & 31) << 2 | (128 if more else 0)])
        return out + (mprof.varint(more) if more else b"")

    def pack(self, time, word):
        kind = word >> 24
        if kind == VALUE:
            # The first word is the value, and no time goes by.
            return (bytes([3, VALUE]) + mprof.varint(time)
                    + mprof.varint(word & 0xFFFFFF))
        if word >= 0xE0000000:
            return (self.head(3, time) + bytes([kind])
                    + mprof.varint(word & 0xFFFFFF))
        function, entered = word & ~1, word & 1
        place = (function >> 2 ^ function >> 8) & 63
        if self.known.get(place) == function:
            return self.head(entered, time) + bytes([place])
        step = zigzag31((function >> 1) - (self.last >> 1))
        self.known[place] = self.last = function
        return self.head(2, time) + mprof.varint(step * 2 + entered)


class Ring(mprof.Target):
    """A firmware with a call ring. Time is in ticks since it started; only
    its low bits are sent."""

    def __init__(self, functions=None, mode=STREAM, pair=0, inner=0,
                 selected=0, **settings):
        super().__init__(**{"engines": 4, "hz": 1000000, "period": 0,
                            "bits": 32, **settings})
        self.functions = functions or {}
        self.mode = mode
        self.pair = pair
        self.inner = inner
        self.selected = selected    # 1: not every call is recorded
        self.now = 0
        self.made = 0       # records that entered the ring
        self.gone = 0       # records that found no room
        self.records = []
        self.running = 0    # context of the last record
        self.sent_context = 0

    @property
    def mask(self):
        return (1 << (self.settings["bits"] & 0x7F)) - 1

    def hello(self, start=False, **changes):
        s = self.settings
        s.update(changes)
        flags = s["flags"] | (mprof.START if start else 0)
        flags |= mprof.IDENTITY if s["value"] else 0
        payload = struct.pack(
            "<BBBBBBHIIIIIII8sHBBIHBBHBB", s["version"], flags, s["clock"],
            s["reason"], s["bits"], s["shift"], s["cost"], s["cpuid"],
            s["boot"], s["hz"], s["period"], s["second_hz"], s["start"],
            s["length"], s["value"], self.pair, s["engines"], s["ring"],
            s["vectors"], s["exception"], s["priority"], 0, self.inner,
            self.mode, self.selected)
        assert len(payload) == 60
        self.send(mprof.HELLO, payload)

    def time(self, send=True):
        """A TIME; every record made so far stands before it."""
        self.flush()
        reading = self.now & self.mask
        if self.settings["bits"] & 0x80:
            reading = ~self.now & self.mask
        entry = struct.pack("<BBHIII", 4, 16, 0, self.made + self.gone,
                            self.gone, reading)
        payload = struct.pack("<QQ", self.now, self.second) + entry
        (self.send if send else self.drop)(mprof.TIME, payload)
        return self

    def block(self, state, pc=0, lr=0, xpsr=0, cfsr=0, halted=0,
              records=4096):
        """A RING: what the block in RAM said."""
        self.flush()
        self.send(RING, struct.pack("<BBHIIIIII", state, self.mode, 0, records,
                                    pc, lr, xpsr, cfsr, halted))
        return self

    # What the firmware does.

    def to(self, ticks):
        assert ticks >= self.now
        self.now = ticks
        return self

    def after(self, ticks):
        return self.to(self.now + ticks)

    def put(self, word, time=None):
        """A record, as it is in the ring."""
        self.records.append((self.now if time is None else time, word))
        return self

    def address(self, function):
        if isinstance(function, str):
            return self.functions[function] & ~1
        return function & ~1

    def enter(self, function):
        return self.put(self.address(function) | 1)

    def leave(self, function):
        return self.put(self.address(function))

    def switch(self, context):
        return self.put(CONTEXT << 24 | context)

    def valued(self, kind, argument, value):
        self.put(kind << 24 | argument)
        return self.put(VALUE << 24, value)

    def mark(self, number, value):
        return self.valued(MARK, number, value)

    def lose(self, count, first, last):
        """A LOST record for COUNT records between two times."""
        self.gone += count
        self.put(LOST << 24 | count, first)
        return self.put(VALUE << 24, last & self.mask)

    def sync(self, wraps=None):
        if wraps is None:
            wraps = self.now >> (self.settings["bits"] & 0x7F)
        return self.put(SYNC << 24 | wraps & 0xFFFFFF)

    def clock_is(self, hz, before=None):
        self.valued(CLOCK, 0, hz)
        return self if before is None else self.put(VALUE << 24, before)

    def resume(self, context=None):
        """Recording goes on, in a context."""
        if context is not None:
            self.switch(context)
        return self.put(CUT << 24)

    def delete(self, context):
        return self.put(GONE << 24 | context)

    # What is sent of it.

    def flush(self, send=True, most=10**9):
        """Frames of what was recorded; send=False: lost on the line."""
        while getattr(self, "records", None):
            payload = b""
            first = self.records[0][0]
            if self.records[0][1] >> 24 == VALUE:
                first = self.now
            packer = Packer(first, self.mask)
            context = self.running
            count = 0
            for time, word in self.records[:most]:
                packed = packer.pack(time, word)
                if 16 + len(payload) + len(packed) > 240:
                    break
                payload += packed
                count += 1
                if word >> 24 == CONTEXT:
                    self.running = word & 0xFFFF
            head = struct.pack("<IIIHH", self.made & 0xFFFFFFFF,
                               self.gone & 0xFFFFFFFF, first & self.mask,
                               context, 0)
            del self.records[:count]
            self.made += count
            (self.send if send else self.drop)(TRACE, head + payload)
        return self


def main(arguments):
    out, elf = arguments
    functions = {}
    settings = {}
    if elf != "-":
        facts = mprof.elf_facts(elf)
        functions = facts["symbols"]
        settings = {"start": facts["start"], "length": facts["length"],
                    "value": mprof.crc_value(facts["crc"])}

    def ring(**changes):
        return Ring(functions, **{**settings, **changes})

    names = {"t": ring(), "ring": ring, "f": functions.get, "mprof": mprof,
             "STREAM": STREAM, "FLIGHT": FLIGHT, "ONE_SHOT": ONE_SHOT}
    exec(compile(sys.stdin.read(), "script", "exec"), names)  # noqa: S102
    ring = names["t"]
    ring.flush()
    with open(out, "wb") as file:
        file.write(ring.out)


if __name__ == "__main__":
    main(sys.argv[1:])
