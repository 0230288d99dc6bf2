#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Leaves an RTT block in emulated RAM, as a loader or a boot before would.

    rtt_stale.py ELF MEMORY here < capture      at the block's own symbol
    rtt_stale.py ELF MEMORY elsewhere < capture   at the symbol rtt_loader

It is a good block of generation 41 whose offsets are long out of date, and its
buffer holds the first bytes of the capture.
"""

import struct
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "truth"))
from elf32 import Elf32  # noqa: E402  pylint: disable=wrong-import-position

BASE = 0x21000000
HEAD = 76

elf = Elf32(sys.argv[1])
if sys.argv[3] == "here":
    block, size = elf.names["mcuprof_rtt"]
    # The block's own channels, as the firmware lays them out.
    up, up_size = block + HEAD, 1024
    down, down_size = up + up_size, size - HEAD - up_size
else:
    block, size = elf.names["rtt_loader"]
    up, up_size = block + HEAD, 128
    down, down_size = up + up_size, 16
head = b"SEGGER RTT" + bytes(6) + struct.pack("<II", 1, 1)
head += struct.pack("<IIIIII", 0, up, up_size, 99, 3, 0)
head += struct.pack("<IIIIII", 0, down, down_size, 5, 9, 0)
head += struct.pack("<I", 41)
with open(sys.argv[2], "r+b") as memory:
    memory.seek(block - BASE)
    memory.write(head)
    memory.seek(up - BASE)
    memory.write(sys.stdin.buffer.read(up_size))
