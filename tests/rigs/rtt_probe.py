#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A debug probe for RTT in emulated RAM that never halts the core.

    rtt_probe.py [OPTION...] ELF MEMORY PORTFILE -- COMMAND...

MEMORY is the file behind the guest's RAM (share=on), COMMAND the emulator, run
when a client has connected to the TCP port whose number is in PORTFILE. What
the firmware sends goes to the client, what the client sends to the firmware.
When the emulator has ended, what is left in the buffer is sent and the
connection closed; the exit status is the emulator's.

    --base ADDRESS            where MEMORY lies in the guest (0x21000000)
    --piece BYTES             read at most so many at a time
    --rate BYTES              read at most so many in a second
    --start SYMBOL=N          begin when the word at SYMBOL is N or more
    --pause BYTES:SYMBOL=N    stand still after so many bytes until it is

The words make a run the same on a fast machine and a slow one; when the emulator
has ended none is waited for. What happens is told on standard error.
"""

import argparse
import mmap
import os
import select
import socket
import subprocess
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "truth"))
from elf32 import Elf32  # noqa: E402  pylint: disable=wrong-import-position

# Layout of the block: docs/wire.md, in words behind the id.
ID = b"SEGGER RTT" + bytes(6)
UP_COUNT, DOWN_COUNT, UP, DOWN, GENERATION, SIZE = 16, 20, 24, 48, 72, 76
BUFFER, LENGTH, WRITE, READ = 4, 8, 12, 16


def tell(text):
    print(f"rtt_probe: {text}", file=sys.stderr, flush=True)


class Memory:
    """The guest's RAM; a word is read and written at once."""

    def __init__(self, path, base):
        with open(path, "r+b") as file:
            self.bytes = mmap.mmap(file.fileno(), 0)
        self.words = memoryview(self.bytes).cast("I")
        self.base = base

    def holds(self, address, size):
        return self.base <= address <= self.base + len(self.bytes) - size

    def word(self, address):
        return self.words[(address - self.base) // 4]

    def set_word(self, address, value):
        self.words[(address - self.base) // 4] = value

    def read(self, address, size):
        at = address - self.base
        return self.bytes[at:at + size]

    def write(self, address, data):
        at = address - self.base
        self.bytes[at:at + len(data)] = data


class Channel:
    """One channel of the block; `own` is the offset that the host moves."""

    def __init__(self, memory, address, own):
        self.memory = memory
        self.buffer = memory.word(address + BUFFER)
        self.length = memory.word(address + LENGTH)
        self.own_address = address + own
        self.other_address = address + (WRITE + READ - own)
        self.own = memory.word(self.own_address)
        self.valid = (2 <= self.length <= len(memory.bytes)
                      and memory.holds(self.buffer, self.length)
                      and self.own < self.length)

    def other(self):
        """The firmware's offset; None while it lies outside."""
        offset = self.memory.word(self.other_address)
        return offset if offset < self.length else None

    def move(self, count):
        self.own = (self.own + count) % self.length
        self.memory.set_word(self.own_address, self.own)


class Block:
    """The control block at its symbol. All of it is looked at anew whenever the
    generation is another one; nothing that is known of the old one is used."""

    def __init__(self, memory, address):
        self.memory = memory
        self.address = address
        self.generation = None
        self.up = self.down = None

    def is_current(self):
        return (self.memory.read(self.address, len(ID)) == ID
                and self.memory.word(self.address + GENERATION)
                == self.generation)

    def look(self):
        """Whether there is a block to work with."""
        if self.is_current():
            return True
        memory = self.memory
        self.up = self.down = None
        self.generation = None
        if memory.read(self.address, len(ID)) != ID:
            return False
        generation = memory.word(self.address + GENERATION)
        counts = (memory.word(self.address + UP_COUNT),
                  memory.word(self.address + DOWN_COUNT))
        up = Channel(memory, self.address + UP, READ)
        down = Channel(memory, self.address + DOWN, WRITE)
        if counts != (1, 1) or not up.valid or not down.valid:
            return False
        self.generation, self.up, self.down = generation, up, down
        tell(f"block at {self.address:#x}, generation {generation}, "
             f"offsets {up.own} and {down.own}")
        return self.is_current()

    def take(self, most):
        """Up to `most` bytes from the firmware."""
        up = self.up
        write = up.other()
        if write is None or write == up.own:
            return b""
        end = write if write > up.own else up.length
        data = self.memory.read(up.buffer + up.own, min(end - up.own, most))
        # What was read while the block was made anew belongs to nobody.
        if not self.is_current():
            tell(f"{len(data)} bytes of an old generation dropped")
            return b""
        up.move(len(data))
        return data

    def give(self, data):
        """Hands bytes to the firmware; returns how many found room."""
        down = self.down
        read = down.other()
        if read is None or not data:
            return 0
        room = (read - down.own - 1) % down.length
        count = min(room, len(data), down.length - down.own)
        self.memory.write(down.buffer + down.own, data[:count])
        if not self.is_current():
            return 0
        down.move(count)
        return count


class Pace:
    """How many bytes may be read now."""

    def __init__(self, options, memory, elf):
        self.memory = memory
        self.piece = options.piece
        self.rate = options.rate
        self.start = self.condition(elf, options.start)
        self.pause_at = None
        self.pause = None
        if options.pause:
            count, rest = options.pause.split(":", 1)
            self.pause_at = int(count)
            self.pause = self.condition(elf, rest)
        self.began = None
        self.taken = 0

    @staticmethod
    def condition(elf, text):
        if text is None:
            return None
        symbol, value = text.split("=", 1)
        return elf.address(symbol), int(value)

    def is_met(self, condition):
        return self.memory.word(condition[0]) >= condition[1]

    def allowed(self):
        if self.start:
            if not self.is_met(self.start):
                return 0
            tell("begins")
            self.start = None
        if self.pause and self.taken >= self.pause_at:
            if not self.is_met(self.pause):
                return 0
            tell(f"goes on after {self.taken} bytes")
            self.pause = None
        most = self.piece
        if self.pause:
            most = min(most, self.pause_at - self.taken)
        if self.rate:
            now = time.monotonic()
            self.began = self.began or now
            most = min(most, int((now - self.began) * self.rate) - self.taken)
        return most

    def end(self):
        """Nothing is waited for any more."""
        self.start = self.pause = self.rate = None

    def took(self, count):
        self.taken += count


class Probe:
    def __init__(self, block, pace, client):
        self.block = block
        self.pace = pace
        self.client = client
        self.outgoing = bytearray()
        self.incoming = bytearray()

    def turn(self):
        """Reads and writes once; returns the bytes moved."""
        if not self.block.look():
            return 0
        given = self.block.give(self.incoming)
        del self.incoming[:given]
        most = self.pace.allowed()
        data = self.block.take(most) if most > 0 else b""
        self.pace.took(len(data))
        self.outgoing += data
        return given + len(data)

    def flush(self):
        if self.outgoing:
            self.client.sendall(self.outgoing)
            self.outgoing.clear()

    def listen(self):
        if select.select([self.client], [], [], 0)[0]:
            self.incoming += self.client.recv(4096)

    def run(self, command):
        """Serves until the emulator has ended; returns its status."""
        with subprocess.Popen(command) as emulator:
            while emulator.poll() is None:
                # Asking for the emulator and the client costs more than a turn.
                moved = sum(self.turn() for _ in range(64))
                self.flush()
                self.listen()
                if not moved:
                    time.sleep(0.0005)
            self.pace.end()
            while self.turn():
                pass
            self.flush()
        return emulator.returncode


def accept(portfile):
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.settimeout(60)
        with open(portfile + ".new", "w", encoding="ascii") as file:
            file.write(str(server.getsockname()[1]))
        os.rename(portfile + ".new", portfile)
        return server.accept()[0]


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("elf")
    parser.add_argument("memory")
    parser.add_argument("portfile")
    parser.add_argument("--base", type=lambda text: int(text, 0),
                        default=0x21000000)
    parser.add_argument("--piece", type=int, default=1 << 30)
    parser.add_argument("--rate", type=int)
    parser.add_argument("--start")
    parser.add_argument("--pause")
    parser.add_argument("command", nargs="+")
    options = parser.parse_args()
    elf = Elf32(options.elf)
    memory = Memory(options.memory, options.base)
    block = Block(memory, elf.address("mcuprof_rtt"))
    with accept(options.portfile) as client:
        client.settimeout(60)
        probe = Probe(block, Pace(options, memory, elf), client)
        status = probe.run(options.command)
    tell(f"{probe.pace.taken} bytes read")
    sys.exit(status)


main()
