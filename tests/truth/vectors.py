#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""vectors.py ELF: the vector table, a line "exception address" each."""

import struct
import sys

from elf32 import Elf32


def main():
    if len(sys.argv) != 2:
        sys.exit("usage: vectors.py ELF")
    elf = Elf32(sys.argv[1])
    start, size = elf.names["board_vectors"]
    words = struct.unpack(f"<{size // 4}I", elf.read(start, size))
    for exception, address in enumerate(words):
        if exception > 0 and address != 0:
            print(f"{exception} {address:#x}")


if __name__ == "__main__":
    main()
