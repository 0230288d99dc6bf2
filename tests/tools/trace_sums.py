#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""trace_sums.py ELF < CAPTURE: what a streamed call ring holds, and its order.

Decoded by ring_memory.py. Fails if a time is before the last one, or an event
belongs to no context. Prints

    context NUMBER FUNCTION EVENTS
    records RECEIVED events EVENTS told LOST    what LOST records say
    lost TARGET line LINE                       what frames say
"""

import struct
import sys
from collections import Counter
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "truth"))
import mprof  # noqa: E402  pylint: disable=wrong-import-position
import ring_memory  # noqa: E402  pylint: disable=wrong-import-position
from elf32 import Elf32  # noqa: E402  pylint: disable=wrong-import-position

CONTEXT, VALUE, LOST = 0xF0, 0xF1, 0xF3


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    functions = {start: names for start, _, names
                 in Elf32(sys.argv[1]).functions}
    sums, last, context = Counter(), None, None
    records = told = following = line = lost = mask = 0
    for kind, _, payload in mprof.frames(sys.stdin.buffer.read()):
        if kind == mprof.HELLO:
            mask = (1 << (payload[4] & 127)) - 1
            ring_memory.unpack.mask = mask
        if kind != ring_memory.TRACE:
            continue
        first, lost, _, now_runs = struct.unpack_from("<IIIH", payload)
        line += first - following
        if context not in (None, now_runs):
            sys.exit(f"a frame begins in {now_runs}, after {context}")
        context = now_runs
        following = first
        for time, word in ring_memory.unpack(payload):
            following += 1
            records += 1
            top = word >> 24
            if top == VALUE:
                continue
            if last is not None and (time - last) & mask > mask // 2:
                sys.exit(f"record {following}: time runs back")
            last = time
            if top == CONTEXT:
                context = word & 0xFFFF
            elif top == LOST:
                told += word & 0xFFFFFF
            elif top < 0xE0:
                names = functions.get(word & ~1, {f"{word:x}"})
                sums[context, "/".join(sorted(names))] += 1
            else:
                sys.exit(f"record {following}: what is {word:x}?")
    for (number, function), count in sorted(sums.items()):
        print("context", number, function, count)
    print("records", records, "events", sum(sums.values()), "told", told)
    print("lost", lost, "line", line)
    return 0 if sums else 1


if __name__ == "__main__":
    sys.exit(main())
