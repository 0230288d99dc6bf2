#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Says which of the numbered samples of tests/firmware/rtt.c a capture holds.

    numbered.py < capture

One line for each boot: samples received, the least and the greatest number,
lost on the target by the last TIME. Numbers that come twice, run backwards, or
that no firmware has given end the run with status 1.
"""

import struct
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tools"))
import mprof  # noqa: E402  pylint: disable=wrong-import-position

boots = []
last = 0
for kind, _, payload in mprof.frames(sys.stdin.buffer.read()):
    if kind == mprof.HELLO and payload[1] & mprof.START:
        boots.append([[], 0])
    if kind == mprof.TIME:
        boots[-1][1] = struct.unpack_from("<I", payload, 24)[0]
    if kind == mprof.SAMPLE:
        for pc, context, _ in mprof.unpack_samples(payload):
            if pc % 2 or context or pc // 2 <= last:
                sys.exit(f"sample {pc // 2} (context {context}) after {last}")
            last = pc // 2
            boots[-1][0].append(last)
for numbers, lost in boots:
    print(len(numbers), min(numbers, default=0), max(numbers, default=0), lost)
