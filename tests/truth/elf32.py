# SPDX-License-Identifier: MIT
"""A reader for little-endian 32-bit ELF files, as small as the tests allow:
it shares nothing with the program that is tested."""

import bisect
import struct


class Elf32:
    def __init__(self, path):
        with open(path, "rb") as file:
            self.data = file.read()
        if self.data[:6] != b"\x7fELF\x01\x01":
            raise ValueError(f"{path}: not a little-endian 32-bit ELF file")
        header = struct.unpack_from("<HHIIIIIHHHHHH", self.data, 16)
        (_, _, _, _, phoff, shoff, _, _, phentsize, phnum, shentsize, shnum,
         _) = header
        self.segments = [struct.unpack_from("<IIIIIIII", self.data,
                                            phoff + i * phentsize)
                         for i in range(phnum)]
        self.sections = [struct.unpack_from("<IIIIIIIIII", self.data,
                                            shoff + i * shentsize)
                         for i in range(shnum)]
        self.symbols = list(self._symbols())
        self.names = {name: (value, size)
                      for name, value, size, _, _ in self.symbols}
        self._functions()

    def _text(self, offset):
        return self.data[offset:self.data.index(b"\0", offset)].decode()

    def _symbols(self):
        for section in self.sections:
            if section[1] != 2:  # SHT_SYMTAB
                continue
            strings = self.sections[section[6]][4]
            for offset in range(section[4], section[4] + section[5], 16):
                name, value, size, info, _, index = struct.unpack_from(
                    "<IIIBBH", self.data, offset)
                if index != 0:
                    yield (self._text(strings + name), value, size, info & 15,
                           index)

    def _functions(self):
        """Ranges of code, each with the set of its names."""
        found = {}
        for name, value, size, kind, _ in self.symbols:
            if kind == 2:  # STT_FUNC
                start = value & ~1
                names, extent = found.get(start, (set(), 0))
                found[start] = (names | {name}, max(extent, size))
        self.starts = sorted(found)
        self.functions = [(start, start + found[start][1], found[start][0])
                          for start in self.starts]

    def address(self, name):
        return self.names[name][0]

    def function_at(self, address):
        """The set of names of the function at an address, or None."""
        at = bisect.bisect_right(self.starts, address) - 1
        if at < 0:
            return None
        start, end, names = self.functions[at]
        return names if start <= address < end else None

    def read(self, address, size):
        """Bytes by their address at run time."""
        for kind, offset, vaddr, _, filesz, _, _, _ in self.segments:
            if kind == 1 and vaddr <= address < vaddr + filesz:
                start = offset + address - vaddr
                return self.data[start:start + size]
        raise KeyError(f"nothing at {address:#x}")
