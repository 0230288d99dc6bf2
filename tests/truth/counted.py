# SPDX-License-Identifier: MIT
"""What the truth plugin wrote: instructions executed, by address and context."""

import os

SECONDS_PER_INSTRUCTION = 2 ** int(os.environ.get("QEMU_SHIFT", "5")) * 1e-9


class Counted:
    """`rows` of (context, address, executed); `profiler` is what its own
    handler executed, in contexts pN, which no sample can fall on."""

    def __init__(self, path):
        self.rows, self.profiler = [], 0
        with open(path) as file:
            for line in file:
                kind, context, *fields = line.split()
                if kind != "count":
                    continue
                executed = int(fields[1])
                if context.startswith("p"):
                    self.profiler += executed
                else:
                    self.rows.append((int(context), int(fields[0], 16),
                                      executed))

    def instructions_in(self, wall):
        """That many had time in WALL seconds, the profiler's apart."""
        return wall / SECONDS_PER_INSTRUCTION - self.profiler
