#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Holds hot-spot tables of a demo firmware against what is known otherwise.

hotspots_truth.py stream CAPTURE
    Every view in the capture against the samples in it: each row within its
    bound, no block above 1/UNITS missing, hottest first.
hotspots_truth.py last CAPTURE ELF TRUTH WALL
    The last view against the instructions that the truth plugin counted.
hotspots_truth.py gdb LOG ELF TRUTH WALL GRAIN
    The five hottest rows of every table that a debugger printed, names too.

TRUTH and WALL are as for compare.py: of a run of the same ELF. GRAIN is the
firmware's MCUPROF_HOTSPOT_GRAIN; one address stands for a block, so where
functions share one, any of those that ran there is right.

A table forgets, so its shares are those of few samples: of 2 / ln 2 half-lives
at most, as far as chance goes, which is allowed five deviations. What the sampler
itself shifts is another half point (docs/accuracy.md).

A sample weighs 2^(1/16) times what it did a sixteenth of a half-life before
(docs/wire.md). Exit 1 if anything is not so."""

import math
import os
import re
import struct
import sys
from collections import Counter, defaultdict

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)),
                                "..", "tools"))

from counted import Counted
from elf32 import Elf32
import mprof

TOP = 5
HALF_LIFE = 8192


class Checks:
    def __init__(self):
        self.failed = False
        self.made = 0

    def that(self, holds, text):
        self.made += 1
        if not holds:
            self.failed = True
            print("not so:", text)


class View:
    """What the HOTSPOTS frames of one sequence number say."""

    def __init__(self, payload):
        (self.sequence, self.samples, self.ignored, self.half_life, shift,
         self.units, self.used, _) = struct.unpack_from("<IIIIBBBB", payload)
        self.grain = 1 << shift
        self.rows = []

    def add(self, payload):
        first = payload[19]
        if first == len(self.rows):
            self.rows += struct.iter_unpack("<IHH", payload[20:])

    def is_complete(self):
        return len(self.rows) == self.used


def read_capture(path):
    """All samples in order, and the complete views."""
    samples, views = [], {}
    with open(path, "rb") as file:
        for kind, _, payload in mprof.frames(file.read()):
            if kind == mprof.SAMPLE:
                first, lost = struct.unpack_from("<II", payload)
                if first != len(samples) or lost != 0:
                    sys.exit("samples were lost: nothing to compare with")
                samples += [pc for pc, _, _ in mprof.unpack_samples(payload)]
            elif kind == mprof.HOTSPOTS:
                sequence = struct.unpack_from("<I", payload)[0]
                views.setdefault(sequence, View(payload)).add(payload)
    complete = [view for view in views.values() if view.is_complete()]
    return samples, sorted(complete, key=lambda view: view.sequence)


def exact_shares(samples, view):
    """Share of each block at the moment of a view, in 1/1024."""
    step = view.half_life // 16
    weights = Counter()
    delivered = view.samples + view.ignored
    for number, pc in enumerate(samples[:delivered]):
        age = delivered // step - number // step
        weights[pc // view.grain] += 2.0 ** (-age / 16)
    total = sum(weights.values())
    return {block: 1024 * weight / total for block, weight in weights.items()}


def check_view(checks, samples, view):
    exact = exact_shares(samples, view)
    executed = set(samples[:view.samples + view.ignored])
    about = f"view {view.sequence}:"
    shown = set()
    for pc, ratio, bound in view.rows:
        share = exact.get(pc // view.grain, 0)
        # Weights of the target are whole numbers.
        checks.that(ratio - bound - 0.1 <= share < ratio + 1.1,
                    f"{about} {pc:#x}: {share:.3f} in {ratio} less {bound}")
        checks.that(pc in executed, f"{about} {pc:#x} was executed")
        checks.that(pc // view.grain not in shown, f"{about} {pc:#x} is once")
        shown.add(pc // view.grain)
    ratios = [ratio for _, ratio, _ in view.rows]
    checks.that(ratios == sorted(ratios, reverse=True), f"{about} order")
    checks.that(sum(ratios) <= 1024, f"{about} sum of {ratios}")
    missing = max((share for block, share in exact.items()
                   if block not in shown), default=0)
    checks.that(missing <= 1024 / view.units + 0.1,
                f"{about} a block with {missing:.2f} is missing")


class Truth:
    """Shares of blocks and of the functions in them, sleep included."""

    def __init__(self, elf_path, path, wall, grain):
        elf = Elf32(elf_path)
        self.grain = grain
        self.functions = defaultdict(Counter)
        counted = Counted(path)
        for _, address, executed in counted.rows:
            names = elf.function_at(address) or {"?"}
            self.functions[address // grain][min(names)] += executed
        total = counted.instructions_in(wall)
        awake = sum(sum(found.values()) for found in self.functions.values())
        asleep = elf.address("board_wait_for_interrupt") & ~1
        self.functions[asleep // grain]["board_wait_for_interrupt"] += (
            total - awake)
        self.shares = {block: sum(found.values()) / total
                       for block, found in self.functions.items()}
        self.ranking = sorted(self.shares, key=self.shares.get, reverse=True)


def tolerance(share, samples):
    """(sum of weights)^2 / (sum of their squares) is what the samples weigh."""
    effective = (2 * HALF_LIFE / math.log(2)
                 * math.tanh(samples * math.log(2) / 2 / HALF_LIFE))
    return 5 * math.sqrt(share * (1 - share) / effective) + 0.005


def check_top(checks, truth, rows, samples, about):
    """rows: (pc, share, name or None), hottest first"""
    blocks = [pc // truth.grain for pc, _, _ in rows[:TOP]]
    for rank, (pc, share, name) in enumerate(rows[:TOP]):
        block = pc // truth.grain
        true = truth.shares.get(block, 0)
        at_rank = truth.shares[truth.ranking[rank]]
        ran = truth.functions.get(block, {})
        print(f"{about} {100 * true:6.2f} {100 * share:6.2f} {pc:#7x} {name}"
              f" of {dict(ran)}")
        checks.that(abs(true - share) <= tolerance(true, samples),
                    f"{about} share of {pc:#x}")
        checks.that(abs(at_rank - true) <= tolerance(true, samples),
                    f"{about} rank {rank} is {pc:#x}")
        checks.that(name is None or name in ran, f"{about} name of {pc:#x}")
    checks.that(len(set(blocks)) == TOP, f"{about} five blocks")


def debugger_tables(path):
    """Kind, samples and rows of each table that was printed, live or view."""
    tables, rows, samples = [], None, 0
    with open(path) as file:
        for line in file:
            counted = re.match(r"(\d+) samples and", line)
            if counted:
                samples = int(counted[1])
            if "share  at least  " in line:
                rows = []
                tables.append(("live", samples, rows))
            row = re.match(r" *([\d.]+) % +[\d.]+ %  0x(\w+) <([^+>]+)", line)
            if row:
                rows.append((int(row[2], 16), float(row[1]) / 100, row[3]))
            if re.match(r"\$\d+ = {sequence", line):
                tables.append(("view", samples, [
                    (int(pc, 16), int(ratio, 0) / 1024, name)
                    for pc, name, ratio in re.findall(
                        r"pc = 0x(\w+) <([^+>]+)[^>]*>, ratio = (\w+)", line)]))
    return tables


def main(arguments):
    checks = Checks()
    if len(arguments) == 2 and arguments[0] == "stream":
        samples, views = read_capture(arguments[1])
        for view in views:
            check_view(checks, samples, view)
        checks.that(views and views[-1].samples == len(samples),
                    "the last view is of all samples")
        print(f"{len(views)} views, {len(samples)} samples")
    elif len(arguments) == 5 and arguments[0] == "last":
        _, capture, elf, path, wall = arguments
        view = read_capture(capture)[1][-1]
        truth = Truth(elf, path, float(wall), view.grain)
        check_top(checks, truth, [(pc, ratio / 1024, None)
                                  for pc, ratio, _ in view.rows],
                  view.samples, "last")
    elif len(arguments) == 6 and arguments[0] == "gdb":
        _, log, elf, path, wall, grain = arguments
        truth = Truth(elf, path, float(wall), int(grain))
        tables = debugger_tables(log)
        for number, (kind, samples, rows) in enumerate(tables):
            check_top(checks, truth, rows, samples, f"{kind} {number}")
            shares = [share for _, share, _ in rows]
            checks.that(shares == sorted(shares, reverse=True),
                        f"{kind} {number} order")
            # Each is rounded; those of a view down, to 1/1024.
            checks.that(abs(sum(shares) - 1) < len(rows) / 1024,
                        f"{kind} {number} sum of {shares}")
        print(f"{len(tables)} tables")
    else:
        sys.exit(__doc__)
    return checks.failed or not checks.made


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
