#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""attach_samples.py CAPTURE: what attach.c's tick saw of its own frames,
against the samples that were taken before it ran: the same addresses and
contexts in the same order, and no more. Prints how many each context has."""

import re
import sys
from collections import Counter
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tools"))
from mprof import SAMPLE, frames, unpack_samples  # noqa: E402


def main():
    if len(sys.argv) != 2:
        sys.exit("usage: attach_samples.py CAPTURE")
    capture = Path(sys.argv[1]).read_bytes()
    seen = [(int(pc, 16), int(context)) for pc, context in
            re.findall(rb"seen ([0-9a-f]{8}) (\d+)\n", capture)]
    samples = [sample[:2] for kind, _, payload in frames(capture)
               if kind == SAMPLE for sample in unpack_samples(payload)]
    for at, pair in enumerate(zip(seen, samples)):
        if pair[0] != pair[1]:
            print(f"{at}: seen {pair[0]}, sampled {pair[1]}")
    print(f"seen {len(seen)} samples {len(samples)}")
    for context, count in sorted(Counter(c for _, c in samples).items()):
        print(f"context {context} {count}")
    return samples != seen


if __name__ == "__main__":
    sys.exit(main())
