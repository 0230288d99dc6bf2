#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Captures for tests: an encoder and decoder of docs/wire.md.

Written from the document, not from the programs that it tests. As a module
it builds captures frame by frame; as a program it makes the ones that the
tests ask for:

    mprof.py make SCENARIO [KEY=VALUE ...] > capture
    mprof.py elf FILE        symbols and identity of an ELF, as JSON
    mprof.py dump < capture  frames as text
"""

import json
import random
import struct
import subprocess
import sys
import zlib

HELLO, BUILD, TIME, CONTEXT, SELFTEST, HOTSPOTS = 1, 2, 3, 4, 5, 6
SAMPLE, HOST = 0x10, 0x7F
START, IDENTITY, PARTIAL, BUILD_ID, RUNNING = 1, 2, 4, 8, 16


def cobs_encode(data):
    out = bytearray()
    block = bytearray()
    for byte in data:
        if byte == 0:
            out += bytes([len(block) + 1]) + block
            block.clear()
        else:
            block.append(byte)
            if len(block) == 254:
                out += b"\xff" + block
                block.clear()
    return bytes(out + bytes([len(block) + 1]) + block)


def cobs_decode(data):
    out = bytearray()
    at = 0
    while at < len(data):
        code = data[at]
        if code == 0 or at + code > len(data):
            raise ValueError("COBS")
        out += data[at + 1:at + code]
        at += code
        if code < 255 and at < len(data):
            out.append(0)
    return bytes(out)


def frame(kind, seq, payload):
    raw = struct.pack("<BH", kind, seq & 0xFFFF) + payload
    raw += struct.pack("<I", zlib.crc32(raw))
    return b"\0" + cobs_encode(raw) + b"\0"


def frames(capture):
    """(type, seq, payload) of every valid frame."""
    for stretch in capture.split(b"\0"):
        try:
            raw = cobs_decode(stretch)
        except ValueError:
            continue
        if len(raw) < 7 or zlib.crc32(raw[:-4]) != struct.unpack(
                "<I", raw[-4:])[0]:
            continue
        kind, seq = struct.unpack("<BH", raw[:3])
        yield kind, seq, raw[3:-4]


def varint(value):
    out = bytearray()
    while value >= 128:
        out.append(value & 127 | 128)
        value >>= 7
    out.append(value)
    return bytes(out)


def pack_sample(previous, sample):
    """One sample after the one before it; each is (pc, context, lateness)."""
    step = (sample[0] // 2 - previous[0] // 2) & 0x7FFFFFFF
    if step & 0x40000000:
        zigzag = 2 * (0x80000000 - step) - 1
    else:
        zigzag = 2 * step
    differs = sample[1] != previous[1]
    return (varint(zigzag * 2 + differs)
            + (varint(sample[1]) if differs else b"") + varint(sample[2]))


def read_varint(data, at):
    value = shift = 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 127) << shift
        shift += 7
        if byte < 128:
            return value, at


def unpack_samples(payload):
    half = context = 0
    at = 8
    samples = []
    while at < len(payload):
        step, at = read_varint(payload, at)
        if step & 1:
            context, at = read_varint(payload, at)
        lateness, at = read_varint(payload, at)
        zigzag = step >> 1
        half += -(zigzag + 1) // 2 if zigzag & 1 else zigzag // 2
        samples.append(((half * 2) & 0xFFFFFFFF, context, lateness))
    return samples


class Target:
    """A firmware that writes into self.out, and remembers the truth."""

    def __init__(self, **settings):
        self.out = bytearray()
        self.seq = 0
        self.index = 0      # records that entered the ring
        self.lost = 0
        self.missed = 0
        self.ticks = 0
        self.second = 0
        self.longest = (0, 0)
        self.running = True
        self.waiting = []
        self.settings = {
            "version": 1, "clock": 1, "reason": 1, "bits": 32, "shift": 0,
            "cost": 60, "cpuid": 0x412FC231, "boot": 0x1234, "hz": 25000000,
            "period": 25000, "second_hz": 0, "start": 0, "length": 0,
            "value": b"", "engines": 1, "ring": 8, "vectors": 0,
            "exception": 15, "priority": 0, "sampler": 1, "flags": 0,
        }
        self.settings.update(settings)

    def send(self, kind, payload):
        self.out += frame(kind, self.seq, payload)
        self.seq += 1

    def drop(self, kind, payload):
        """A frame that the line swallows."""
        self.seq += 1

    def text(self, text):
        self.out += text if isinstance(text, bytes) else text.encode()

    def host(self, elf="", version="0.1.0", ms=1700000000000):
        self.out += frame(HOST, 0, struct.pack("<Q", ms) + version.encode()
                          + b"\0" + elf.encode())

    def hello(self, start=False, extra=b"", **changes):
        s = self.settings
        s.update(changes)
        flags = s["flags"] | (START if start else 0)
        flags |= RUNNING if self.running else 0
        flags |= IDENTITY if s["value"] else 0
        payload = struct.pack(
            "<BBBBBBHIIIIIII8sHBBIHBB", s["version"], flags, s["clock"],
            s["reason"], s["bits"], s["shift"], s["cost"], s["cpuid"],
            s["boot"], s["hz"], s["period"], s["second_hz"], s["start"],
            s["length"], s["value"], 0, s["engines"], s["ring"],
            s["vectors"], s["exception"], s["priority"], s["sampler"])
        assert len(payload) == 56
        self.send(HELLO, payload + extra)

    def build(self, text):
        self.send(BUILD, text.encode())

    def context(self, number, name=None, unseen=False):
        name = name.encode() if name else b""
        flags = (1 if name else 0) | (2 if unseen else 0)
        self.send(CONTEXT, struct.pack("<HBB", number, flags, len(name))
                  + name)

    def time(self, send=True):
        self.flush()
        entry = struct.pack("<BBHIIIII", 1, 24, 0, self.index + self.lost,
                            self.lost, self.missed, *self.longest)
        payload = struct.pack("<QQ", self.ticks, self.second) + entry
        (self.send if send else self.drop)(TIME, payload)

    def selftest(self, three, one, ticks3=3000000, ticks1=1000000,
                 produced=160, rounds=10):
        self.send(SELFTEST, struct.pack("<6I", three, one, ticks3, ticks1,
                                        produced, rounds))

    def hotspots(self, rows, sequence=1, samples=1000, ignored=0,
                 half_life=8192, grain=8, units=16, split=27, parts=None,
                 used=None):
        """One view; each row is (pc, ratio, bound). PARTS are those to send,
        in that order, of SPLIT rows each."""
        used = len(rows) if used is None else used
        firsts = list(range(0, len(rows), split)) or [0]
        for part in range(len(firsts)) if parts is None else parts:
            first = firsts[part]
            payload = struct.pack("<IIIIBBBB", sequence, samples, ignored,
                                  half_life, grain, units, used, first)
            for row in rows[first:first + split]:
                payload += struct.pack("<IHH", *row)
            self.send(HOTSPOTS, payload)

    def sample(self, pc, context=0, lateness=0, count=1):
        for _ in range(count):
            self.waiting.append((pc & ~1, context, lateness))
            self.ticks += self.settings["period"]

    def lose(self, count):
        """Samples that find the ring full."""
        self.flush()
        self.lost += count
        self.ticks += count * self.settings["period"]

    def miss(self, count):
        self.missed += count
        self.ticks += count * self.settings["period"]

    def flush(self, send=True, most=10**9):
        while self.waiting:
            payload = struct.pack("<II", self.index & 0xFFFFFFFF,
                                  self.lost & 0xFFFFFFFF)
            previous = (0, 0, 0)
            count = 0
            for sample in self.waiting[:most]:
                packed = pack_sample(previous, sample)
                if len(payload) + len(packed) > 240:
                    break
                payload += packed
                previous = sample
                count += 1
            del self.waiting[:count]
            self.index += count
            (self.send if send else self.drop)(SAMPLE, payload)


def elf_facts(path):
    """Function addresses (bit 0 clear) and identity, by binutils."""
    symbols = {}
    listing = subprocess.run(["arm-none-eabi-nm", path], check=True,
                             capture_output=True, text=True).stdout
    for line in listing.splitlines():
        parts = line.split()
        if len(parts) == 3:
            symbols[parts[2]] = int(parts[0], 16)
    binary = path + ".bin"
    subprocess.run(["arm-none-eabi-objcopy", "-O", "binary", "-j", ".vectors",
                    "-j", ".text", path, binary], check=True)
    with open(binary, "rb") as file:
        code = file.read()
    length = symbols["etext"]
    code = code[:length]
    crc = zlib.crc32(code[32:], zlib.crc32(code[:28]))
    return {"symbols": symbols, "start": 0, "length": length, "crc": crc}


def crc_value(crc):
    return struct.pack("<I", crc) + bytes(4)


class Scenario:
    """The captures that tests/cli asks for, by name."""

    def __init__(self, options):
        self.options = options
        self.facts = elf_facts(options["elf"]) if "elf" in options else None
        settings = {}
        if self.facts:
            settings = {"start": self.facts["start"],
                        "length": self.facts["length"],
                        "value": crc_value(self.facts["crc"])}
        self.target = Target(**settings)

    def pc(self, name, offset=4):
        return self.facts["symbols"][name] + offset

    def begin(self, **changes):
        t = self.target
        t.hello(start=True, **changes)
        t.build("demo 1.2-3-gabcdef0")
        t.context(0, unseen=False)
        t.context(16, unseen=True)
        t.time()

    def end(self):
        self.target.time()
        return bytes(self.target.out)

    def load(self, work=600, other=200, idle=150, isr=50, late=0):
        t = self.target
        t.sample(self.pc("work"), count=work)
        t.sample(self.pc("other"), count=other)
        t.sample(self.pc("sleep_here", 0), count=idle)
        t.sample(self.pc("SysTick_Handler"), context=15, count=isr,
                 lateness=late)

    def normal(self):
        self.begin()
        self.load()
        return self.end()

    def at(self):
        """at=0x100:30,0x104:20 is 30 samples here and 20 there."""
        self.begin()
        for part in self.options["at"].split(","):
            pc, count = part.split(":")
            self.target.sample(int(pc, 16), count=int(count))
        return self.end()

    def hosted(self):
        self.target.host(self.options.get("path", self.options["elf"]))
        return self.normal()

    def other_build(self):
        self.target.settings["value"] = crc_value(0xDEADBEEF)
        return self.normal()

    def two_builds(self):
        first = self.normal()
        self.target = Target(**{**self.target.settings, "boot": 99,
                                "value": crc_value(0xDEADBEEF)})
        return first + self.normal()

    def empty(self):
        self.begin()
        return self.end()

    def one_sample(self):
        self.begin()
        self.target.sample(self.pc("work"))
        return self.end()

    def one_address(self):
        self.begin()
        self.target.sample(self.pc("work"), count=1000)
        return self.end()

    def newer(self):
        self.begin(version=2)
        self.load()
        return self.end()

    def unknown_type(self):
        self.begin()
        self.load()
        self.target.flush()
        self.target.send(0x2F, b"\1\0\0\0\0\0\0\0future records")
        self.target.send(0x60, b"")
        return self.end()

    def noisy(self):
        """Greeting, half a frame, printf in between, rubbish: case 24."""
        t = self.target
        whole = self.normal()
        half = whole[20:47]
        cut = whole.index(b"\0\0", len(whole) // 2) + 1
        assert t.out == whole
        return (b"SEGGER J-Link V7.96\r\n" + half + whole[:cut]
                + b"printf: hello world\n" + whole[cut:]
                + b"\xff\xfe\x80rubbish\0bye\r\n")

    def lossy(self):
        t = self.target
        self.begin()
        t.sample(self.pc("work"), count=100)
        t.lose(7)
        t.sample(self.pc("other"), count=40)
        t.flush()
        t.sample(self.pc("work"), count=30)
        t.flush(send=False)
        t.miss(50)
        t.sample(self.pc("work"), count=10)
        return self.end()

    def strange(self):
        """Unknown, secure and non-secure addresses, tasks, a long name."""
        t = self.target
        self.begin()
        t.context(512, "control")
        t.sample(self.pc("work"), context=512, count=50)
        t.sample(self.pc("other"), context=513, count=20)
        t.sample(0x30000000, count=5)
        t.sample(0x40000010, count=3)
        t.sample(0xFFFFFFF0, count=4)
        t.sample(0xFFFFFFF2, count=6)
        t.sample(self.pc("a_function_with_a_name_that_no_terminal_of_ordinary"
                         "_width_can_show_in_full_on_one_line"), count=12)
        return self.end()

    def masked(self):
        t = self.target
        self.begin()
        self.load(late=700)
        t.longest = (50000, self.pc("other"))
        return self.end()

    def tested(self):
        t = self.target
        self.begin()
        three = self.facts["symbols"]["mcuprof_selftest_three"]
        one = self.facts["symbols"]["mcuprof_selftest_one"]
        parts = [int(x) for x in self.options.get("hits", "750,250").split(",")]
        ticks = [int(x) for x in self.options.get(
            "ticks", "3000000,1000000").split(",")]
        t.sample(three + 4, count=parts[0])
        t.sample(one + 4, count=parts[1])
        t.flush()
        t.selftest(three, one, *ticks, produced=sum(parts))
        return self.end()

    def rough(self):
        """For damage tests, without an ELF: losses, text, many frames."""
        t = self.target
        dice = random.Random(7)
        t.host("/tmp/none.elf")
        t.hello(start=True)
        t.context(512, "control")
        t.time()
        for turn in range(12):
            for _ in range(dice.randrange(20, 60)):
                t.sample(0x08000000 + 2 * dice.randrange(40),
                         dice.choice((0, 0, 0, 15, 512)), dice.randrange(300))
            t.flush()
            if turn % 3 == 1:
                t.lose(dice.randrange(1, 9))
            if turn % 4 == 2:
                t.text("printf says hello\n")
            if turn % 4 == 3:
                t.hello()
                t.time()
        return self.end()

    def slept(self):
        """The clock stands still for 7 s of 10; a second one does not."""
        t = self.target
        t.settings["second_hz"] = 32768
        self.begin()
        self.load(work=2000, other=1000, idle=0, isr=0)
        t.second = 327680
        return self.end()


def main(arguments):
    if arguments[:1] == ["dump"]:
        for kind, seq, payload in frames(sys.stdin.buffer.read()):
            print(f"{kind:02x} {seq:5d} {payload.hex()}")
    elif arguments[:1] == ["elf"]:
        print(json.dumps(elf_facts(arguments[1])))
    elif arguments[:1] == ["make"]:
        options = dict(a.split("=", 1) for a in arguments[2:])
        random.seed(1)
        scenario = Scenario(options)
        sys.stdout.buffer.write(getattr(scenario, arguments[1])())
    else:
        sys.exit(__doc__)


if __name__ == "__main__":
    main(sys.argv[1:])
