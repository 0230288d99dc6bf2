#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A call ring as firmware leaves it in RAM, and what a reader has to make of it.

Written from docs/wire.md, not from the programs that it tests.

    ring_memory.py memory [KEY=VALUE ...]   RAM from 0x20000000 on
    ring_memory.py expected [KEY=VALUE ...] its records, oldest first, as below
    ring_memory.py records < capture        those that a capture holds, each as
                                            INDEX TIME WORD; then the sums
    ring_memory.py ring < capture           the RING frames: state, mode,
                                            records, PC, LR, xPSR, CFSR
    ring_memory.py names < capture          CONTEXT and TEXT
    ring_memory.py hex|core [...]           memory, in another form
    ring_memory.py read FILE BEGIN ADDRESS  the records of a dump from BEGIN on,
                                            with the block at ADDRESS, as above

The block is at 0x20000100, the ring at 0x20000188, names and texts behind it.

Keys: room, made, mode, state, lost, clock (bits, 160 is 32 bits down); torn=1:
halted where the head has begun a new lap, and nothing else says so; skip=N,N:
slots that were reserved and not written; taken=N: so many were sent. Others
overwrite a word of the block: magic, version, size, ring, records, head, limit,
laps, check; sum=1 makes the checksum right again. flash=1: texts are elsewhere.
elf=PATH: with its identity; start=, length=: of an identity not yet computed.
"""

import struct
import sys
import zlib
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
import mprof  # noqa: E402  pylint: disable=wrong-import-position

RAM, BLOCK, RING = 0x20000000, 0x20000100, 0x20000188
TRACE, RING_FRAME = 0x11, 7
WORDS = {"context": 0, "limit": 4, "head": 8, "clock_at": 12, "magic": 16,
         "ring": 24, "records": 28, "laps": 32, "lost": 36, "names_at": 44,
         "generation": 48, "pc": 52, "lr": 56, "xpsr": 60, "fault": 64,
         "check": 128}
NAMES = [(512, b"control\0"), (513, b"sensor hub\0"), (514, b"\0")]
FLASH = 0x08001000


class Ring:
    def __init__(self, options):
        self.options = options
        self.room = self.number("room", 64)
        self.made = self.number("made", 40)
        self.bits = self.number("clock", 32)
        width = self.bits & 127
        self.mask = (1 << width) - 1
        self.flip = self.mask if self.bits & 128 else 0
        self.skip = [int(x) for x in options.get("skip", "").split(",") if x]
        # Full is not yet wrapped: that is for who comes next.
        full = self.made and self.made % self.room == 0
        self.head = self.room if full else self.made % self.room
        self.laps = self.made // self.room - (1 if full else 0)
        self.kept = min(self.made, self.room)
        if self.number("torn"):
            assert self.laps > 0
            self.laps -= 1

    def number(self, key, default=0):
        return int(self.options.get(key, str(default)), 0)

    def record(self, n):
        """(clock counting upwards, word) of record n, whatever it is."""
        time = (0xFFFFFF00 + 37 * n) & self.mask
        kind = n % 16
        if kind == 0:
            return time, 0xF0000000 | (0, 15, 512)[n // 16 % 3]
        if kind == 5:
            return time, 0xF2000000 | n
        if kind == 6:
            return n * 0x1234567 & 0xFFFFFFFF, 0xF1000000
        function = 0x08000100 + 0x1010 * (n * 7 % 5)
        return time, function | (n & 1)

    def slot(self, n):
        time, word = self.record(n)
        if word >> 24 != 0xF1:
            time ^= self.flip
        return struct.pack("<II", time, word)

    def slots(self):
        slots = [bytes(8)] * self.room
        for n in range(self.made - self.kept, self.made):
            slots[n % self.room] = self.slot(n)
        for index in self.skip:
            # What was there a lap before, or nothing.
            n = self.made - self.kept
            n += (index - n) % self.room - self.room
            slots[index] = self.slot(n) if n >= 0 else bytes(8)
        for n in range(self.made - self.kept,
                       self.made - self.kept + self.number("taken")):
            slots[n % self.room] = slots[n % self.room][:4] + bytes(4)
        return b"".join(slots)

    def expected(self):
        slots = self.slots()
        for n in range(self.made - self.kept + self.number("taken"),
                       self.made):
            index = n % self.room
            time, word = struct.unpack_from("<II", slots, 8 * index)
            if word >> 24 != 0xF1:
                time = (time ^ self.flip) & self.mask
            yield n, time, word

    def hello(self):
        payload = bytearray(60)
        payload[0:5] = bytes([1, 3, 1, 1, self.bits])
        struct.pack_into("<III", payload, 8, 0x410FC241, 77, 1000000)
        payload[46] = 4
        struct.pack_into("<H", payload, 44, 70)
        struct.pack_into("<HB", payload, 56, 31, self.number("mode"))
        if "elf" in self.options:
            facts = mprof.elf_facts(self.options["elf"])
            struct.pack_into("<II", payload, 28, facts["start"],
                             facts["length"])
            payload[36:44] = mprof.crc_value(facts["crc"])
        else:
            payload[1] = 1
            struct.pack_into("<II", payload, 28, self.number("start"),
                             self.number("length"))
        return bytes(payload)

    def block(self, names_at):
        end = RING + 8 * self.room
        block = bytearray(132)
        words = {"context": 0xFFFFFFFF, "limit": end,
                 "head": RING + 8 * self.head, "clock_at": 0xE0001004,
                 "magic": 0x4352544D, "ring": RING, "records": self.room,
                 "laps": self.laps, "lost": 0, "names_at": names_at,
                 "generation": 9, "pc": 0x08000154, "lr": 0x08000123,
                 "xpsr": 0x61000003, "fault": 0x8200}
        struct.pack_into("<HH", block, 20, self.number("version", 1),
                         self.number("size", 132))
        block[40] = self.number("state", 2)
        block[41] = self.number("mode")
        struct.pack_into("<H", block, 42, len(NAMES))
        block[68:128] = self.hello()
        for name, value in words.items():
            struct.pack_into("<I", block, WORDS[name], value)
        changed = {k: int(v, 0) for k, v in self.options.items() if k in WORDS}
        if not self.number("sum"):
            self.seal(block)
        for name, value in changed.items():
            struct.pack_into("<I", block, WORDS[name], value & 0xFFFFFFFF)
        if self.number("sum"):
            self.seal(block)
        return bytes(block)

    @staticmethod
    def seal(block):
        struct.pack_into("<I", block, 128,
                         zlib.crc32(block[48:52], zlib.crc32(block[16:32])))

    def memory(self):
        slots = self.slots()
        names_at = RING + len(slots)
        texts = FLASH if self.number("flash") else names_at + 8 * len(NAMES)
        table = b""
        behind = b""
        for context, text in NAMES:
            table += struct.pack("<IHH", texts + len(behind), context, 0)
            behind += text
        out = bytes(0x100) + self.block(names_at) + bytes(4)
        out += slots + table + (b"" if self.number("flash") else behind)
        return out


def unpack(payload):
    """Records of a TRACE frame by docs/wire.md: (time or value, word)."""
    time, = struct.unpack_from("<I", payload, 8)
    mask = unpack.mask
    known = {}
    last = 0
    at = 16
    while at < len(payload):
        head = payload[at]
        at += 1
        step = head >> 2 & 31
        if head & 128:
            more, at = mprof.read_varint(payload, at)
            step |= more << 5
        time = (time + step) & mask
        kind = head & 3
        stamp = time
        if kind < 2:
            word = known[payload[at]] | kind
            at += 1
        elif kind == 2:
            packed, at = mprof.read_varint(payload, at)
            zigzag = packed >> 1
            half = -(zigzag + 1) // 2 if zigzag & 1 else zigzag // 2
            last = (last + 2 * half) & 0xFFFFFFFF
            known[(last >> 2 ^ last >> 8) & 63] = last
            word = last | packed & 1
        else:
            top = payload[at]
            at += 1
            if top == 0xF1:
                stamp, at = mprof.read_varint(payload, at)
            argument, at = mprof.read_varint(payload, at)
            word = top << 24 | argument
        yield stamp, word


unpack.mask = 0xFFFFFFFF


def print_records(capture):
    received = skipped = lost = line = 0
    following = told = None
    for kind, _, payload in mprof.frames(capture):
        if kind == mprof.HELLO:
            unpack.mask = (1 << (payload[4] & 127)) - 1
        if kind != TRACE:
            continue
        first, now_lost = struct.unpack_from("<II", payload)
        if following is None:
            following, told = first, now_lost
            skipped = first + now_lost
        line += (first - following) & 0xFFFFFFFF
        lost += (now_lost - told) & 0xFFFFFFFF
        told = now_lost
        following = first
        for time, word in unpack(payload):
            print(f"{following} {time} {word:08x}")
            following = (following + 1) & 0xFFFFFFFF
            received += 1
    print(f"received {received} skipped {skipped} lost {lost} line {line}")


def ihex(memory, address):
    def line(at, kind, data):
        raw = struct.pack(">BHB", len(data), at & 0xFFFF, kind) + data
        return ":" + (raw + bytes([-sum(raw) & 255])).hex().upper()

    print(line(0, 4, struct.pack(">H", address >> 16)))
    for at in range(0, len(memory), 32):
        print(line(at, 0, memory[at:at + 32]))
    print(line(0, 1, b""))


def core(memory, address):
    """Two segments that adjoin, and one with something else before them."""
    cut = len(memory) // 2
    parts = [(4, 0, b"note"), (1, 0x08000000, b"flash"),
             (1, address + cut, memory[cut:]), (1, address, memory[:cut])]
    head = b"\x7fELF\1\1\1" + bytes(9) + struct.pack(
        "<HHIIIIIHHHHHH", 4, 40, 1, 0, 52, 0, 0, 52, 32, len(parts), 40, 0, 0)
    at = 52 + 32 * len(parts)
    body = b""
    for kind, where, data in parts:
        head += struct.pack("<8I", kind, at + len(body), where, where,
                            len(data), len(data), 6, 1)
        body += data
    return head + body


def print_frames(capture, what):
    for kind, _, payload in mprof.frames(capture):
        if what == "ring" and kind == RING_FRAME:
            state, mode = payload[:2]
            words = struct.unpack_from("<IIIII", payload, 4)
            print(state, mode, words[0],
                  *(f"{word:08x}" for word in words[1:]))
        if what == "names" and kind == mprof.CONTEXT:
            print(struct.unpack_from("<H", payload)[0],
                  payload[4:4 + payload[3]].decode())


def read(memory, at, begin):
    """A ring that stands still, whole: its records and sums."""
    def word(name):
        return struct.unpack_from("<I", memory, at + WORDS[name])[0]

    room, ring = word("records"), word("ring")
    head = (word("head") - ring) // 8
    made = word("laps") * room + head
    bits = memory[at + 68 + 4]
    mask = (1 << (bits & 127)) - 1
    flip = mask if bits & 128 else 0
    kept = min(made, room)
    for n in range(made - kept, made):
        time, what = struct.unpack_from("<II", memory,
                                        ring - begin + 8 * (n % room))
        if what >> 24 != 0xF1:
            time = (time ^ flip) & mask
        if what >> 24 == 0xF0:
            what &= ~0x10000  # in RAM only
        print(f"{n} {time} {what:08x}")
    print(f"received {kept} skipped {made - kept} lost {word('lost')} line 0")


def main(arguments):
    what = arguments[0] if arguments else ""
    if what == "read":
        begin, address = (int(x, 0) for x in arguments[2:4])
        with open(arguments[1], "rb") as file:
            read(file.read(), address - begin, begin)
        return
    if what == "records":
        print_records(sys.stdin.buffer.read())
        return
    if what in ("ring", "names"):
        print_frames(sys.stdin.buffer.read(), what)
        return
    ring = Ring(dict(a.split("=", 1) for a in arguments[1:]))
    if what == "memory":
        sys.stdout.buffer.write(ring.memory())
    elif what == "hex":
        ihex(ring.memory(), RAM)
    elif what == "core":
        sys.stdout.buffer.write(core(ring.memory(), RAM))
    elif what == "expected":
        for record in ring.expected():
            print("{} {} {:08x}".format(*record))
        kept = ring.kept - ring.number("taken")
        print(f"received {kept} skipped {ring.made - kept} "
              f"lost {ring.number('lost')} line 0")
    else:
        sys.exit(__doc__)


if __name__ == "__main__":
    main(sys.argv[1:])
