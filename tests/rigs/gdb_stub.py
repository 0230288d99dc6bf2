#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A gdb server that can misbehave, over the memory in a file.

    gdb_stub.py MEMORY ADDRESS LOG [KEY=VALUE ...]

Prints its port, serves one connection, and writes what was asked for into LOG,
with "halted" and "running" where that changes. As QEMU does, it halts when
somebody connects and when it hears anything while it runs.

Keys: packet (bytes it says it takes), short (of memory, in an answer), slow
(milliseconds before each answer), silent and close (after so many commands),
errors (memory cannot be read, so it answers that), outside (the same where there is
none), badsum (so many answers), nak (so many
commands), rle=1, console=1, drip=1 (a byte at a time), runs=1 (is not halted by
a connection), mute=1 (and says nothing until it is), deaf=1 (nor by an
interrupt), refuse=c or cD, again=1 (stops at once), garbage=1, flood=1 (an
answer without an end), gone=1 (no target), writes (so many are done, the others
refused), badwrite (that one is refused), rom=FROM-TO (writes there do nothing), pc (in hexadecimal), cache=1
(an instruction cache is on). Each write goes into MEMORY.
"""

import socket
import struct
import sys
import time

CCR = 0xE000ED14
ICIALLU = 0xE000EF50


def framed(text, spoil=False):
    total = sum(text.encode()) & 255
    return f"${text}#{total ^ 0x55 if spoil else total:02x}".encode()


def squeezed(text):
    """Run-length encoding as in the protocol: x*n is x n - 28 times."""
    out = ""
    at = 0
    while at < len(text):
        run = 1
        while at + run < len(text) and text[at + run] == text[at] and run < 97:
            run += 1
        # '#', '$', '+' and '-' may not be counts.
        while run > 3 and chr(run + 28) in "#$+-":
            run -= 1
        if run > 3:
            out += text[at] + "*" + chr(run + 28)
        else:
            out += text[at] * run
        at += run
    return out


class Closed(Exception):
    pass


class Stub:
    def __init__(self, path, address, log, options):
        self.path = path
        with open(path, "rb") as file:
            self.memory = bytearray(file.read())
        self.address = address
        self.log_file = log
        self.options = options
        self.commands = 0
        self.written = 0
        self.running = "runs" in options or "mute" in options
        self.input = b""
        self.socket = None
        self.console_said = False

    def number(self, key, default=0):
        return int(self.options.get(key, default))

    def log(self, text):
        print(text, file=self.log_file, flush=True)

    def set_running(self, running):
        if running != self.running:
            self.log("running" if running else "halted")
        self.running = running

    def get(self):
        if not self.input:
            self.input = self.socket.recv(4096)
            if not self.input:
                raise Closed
        byte, self.input = self.input[:1], self.input[1:]
        return byte

    def send(self, data):
        if self.number("drip"):
            for byte in data:
                self.socket.sendall(bytes([byte]))
        else:
            self.socket.sendall(data)

    def answer(self, text):
        time.sleep(self.number("slow") / 1000)
        if self.number("console") and not self.console_said:
            self.console_said = True
            self.send(framed("O68656c6c6f0a"))
        if self.number("rle"):
            text = squeezed(text)
        spoil = self.number("badsum") > 0
        while True:
            self.send(framed(text, spoil))
            while (byte := self.get()) not in b"+-":
                self.log(f"unexpected {byte!r} for an acknowledgement")
            if byte == b"+":
                return
            self.log("refused")
            self.options["badsum"] = self.number("badsum") - 1
            spoil = self.number("badsum") > 0

    def read_memory(self, command):
        where, size = (int(x, 16) for x in command[1:].split(","))
        if "errors" in self.options:
            return self.options["errors"]
        if self.number("short"):
            size = min(size, self.number("short"))
        if where == CCR and "cache" in self.options:
            return "00000300"
        at = where - self.address
        data = self.memory[at:at + size] if at >= 0 else b""
        return data.hex() if data else self.options.get("outside", "E14")

    def write_memory(self, command):
        head, data = command[1:].split(":")
        where, size = (int(x, 16) for x in head.split(","))
        if where == ICIALLU and "cache" in self.options:
            return "OK"
        data = bytes.fromhex(data)
        at = where - self.address
        if len(data) != size or not 0 <= at <= len(self.memory) - size:
            return self.options.get("outside", "E14")
        self.written += 1
        if self.written > self.number("writes", 1 << 30) \
                or self.written == self.number("badwrite"):
            return "E01"
        low, high = (int(x, 0) for x in
                     self.options.get("rom", "0-0").split("-"))
        if not low <= where < high:
            self.memory[at:at + size] = data
            with open(self.path, "wb") as file:
                file.write(self.memory)
        return "OK"

    def say_stop(self):
        self.answer("T02thread:01;")

    def obey(self, command):
        refused = self.options.get("refuse", "")
        if command.startswith("qSupported"):
            size = self.options.get("packet")
            self.answer(f"PacketSize={int(size):x};qXfer:features:read+"
                        if size else "")
        elif command == "?":
            if self.number("gone"):
                self.answer("E01")
            elif self.running and "mute" not in self.options:
                self.answer("S00")
            elif not self.running:
                self.answer("T05thread:01;")
        elif command[:1] == "m":
            self.answer(self.read_memory(command))
        elif command[:1] == "M":
            self.answer(self.write_memory(command))
        elif command == "pf" and "pc" in self.options:
            self.answer(struct.pack("<I", int(self.options["pc"], 16)).hex())
        elif command[:1] in "cD" and command[:1] in refused:
            self.answer("E01")
        elif command == "c":
            self.set_running(True)
            if self.number("again"):
                self.set_running(False)
                self.say_stop()
        elif command == "D":
            self.answer("OK")
            self.set_running(True)
        else:
            self.answer("")

    def get_command(self):
        """The next packet; an interrupt is obeyed on the way."""
        while True:
            byte = self.get()
            if byte == b"\x03":
                self.log("interrupt")
                if "deaf" not in self.options:
                    self.set_running(False)
                    self.say_stop()
            elif byte == b"$":
                break
        text = b""
        while (byte := self.get()) != b"#":
            text += byte
        total = int(self.get() + self.get(), 16)
        if total != sum(text) & 255:
            self.log("a wrong checksum")
        return text.decode()

    def serve(self, connection):
        self.socket = connection
        if not self.running:
            self.log("halted")
        if self.number("garbage"):
            self.send(b"HTTP/1.1 400 Bad Request\r\n\r\n" * 400)
        if self.number("flood"):
            while True:
                self.send(b"$" + b"00" * 4096)
        while True:
            command = self.get_command()
            self.log(command)
            if self.running and not {"runs", "mute"} & set(self.options):
                self.set_running(False)
            self.commands += 1
            if self.commands == self.number("close", -1):
                return
            if self.commands >= self.number("silent", 1 << 30):
                continue
            if self.number("nak") > 0:
                self.options["nak"] = self.number("nak") - 1
                self.send(b"-")
                continue
            self.send(b"+")
            self.obey(command)


def main(arguments):
    path, address, log = arguments[:3]
    options = dict(a.split("=", 1) for a in arguments[3:])
    server = socket.create_server(("127.0.0.1", 0))
    print(server.getsockname()[1], flush=True)
    server.settimeout(60)
    with open(log, "w", encoding="ascii") as log_file:
        stub = Stub(path, int(address, 0), log_file, options)
        connection, _ = server.accept()
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        if stub.number("close", -1) >= 0:
            # A server that dies takes what is on its way with it.
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER,
                                  struct.pack("ii", 1, 0))
        try:
            stub.serve(connection)
        except (Closed, ConnectionError):
            pass
        stub.log("ended")


if __name__ == "__main__":
    main(sys.argv[1:])
