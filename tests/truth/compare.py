#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Holds a sampled profile against the exact one.

compare.py ELF TRUTH WALL FUNCTIONS CONTEXTS [OUT]

TRUTH      what the truth plugin counted between start and stop
WALL       seconds between the two, by the board's counter
FUNCTIONS  mcuprof report --format json -n 0
CONTEXTS   the same with --by context
OUT        a file for the greatest errors, as JSON

One instruction takes 2^QEMU_SHIFT ns (5) of the board's time, as in qemu.sh. A sample can fall on
everything but the profiler's own handler, so its instructions (contexts pN of
the plugin) are taken out of the truth, and their time out of the wall clock;
the sampler for its part never records itself. What remains of the wall clock
after all instructions is sleep: idle.

Limits in percentage points: 0.5 for each of the ten greatest functions of
either side and for each context, 2 for idle. Exit 1 if one is exceeded."""

import json
import sys
from collections import Counter

from counted import Counted
from elf32 import Elf32

LIMIT, IDLE_LIMIT = 0.5, 2.0
TASK_FIRST = 512


class Truth:
    def __init__(self, path, elf, wall):
        self.functions, self.contexts = Counter(), Counter()
        counted = Counted(path)
        for context, address, executed in counted.rows:
            names = elf.function_at(address) or {f"{address:#x}"}
            self.functions[frozenset(names)] += executed
            self.contexts[context] += executed
        self.total = counted.instructions_in(wall)
        self.idle = 100 - self.percent(sum(self.contexts.values()))

    def percent(self, instructions):
        return 100 * instructions / self.total


def rows_of(path, key):
    with open(path) as file:
        report = json.load(file)
    return {row[key]: row["share_percent"] for row in report["rows"]}


class Table:
    def __init__(self):
        self.worst = {}
        self.failed = False

    def row(self, about, name, truth, sampled, limit):
        error = abs(truth - sampled)
        self.worst[about] = max(self.worst.get(about, 0), error)
        self.failed |= error > limit
        print(f"{about:9} {truth:7.3f} {sampled:7.3f} {error:6.3f}"
              f"{' !' if error > limit else '  '} {name}")


def compare_functions(table, truth, sampled):
    names = [key for key, _ in truth.functions.most_common(10)]
    top = sorted((name for name in sampled if not name.startswith("[")),
                 key=sampled.get, reverse=True)[:10]
    for name in top:
        known = next((key for key in truth.functions if name in key),
                     frozenset({name}))
        if known not in names:
            names.append(known)
    for key in names:
        found = [sampled[name] for name in key if name in sampled]
        table.row("function", "/".join(sorted(key)),
                  truth.percent(truth.functions[key]), sum(found), LIMIT)


def compare_contexts(table, truth, sampled):
    known = {identity for identity in sampled if identity is not None}
    for identity in sorted(known | set(truth.contexts)):
        table.row("context", str(identity),
                  truth.percent(truth.contexts[identity]),
                  sampled.get(identity, 0), LIMIT)


def main():
    if len(sys.argv) not in (6, 7):
        sys.exit(__doc__)
    elf_path, truth_path, wall, functions_path, contexts_path = sys.argv[1:6]
    truth = Truth(truth_path, Elf32(elf_path), float(wall))
    functions = rows_of(functions_path, "function")
    table = Table()
    print("of          truth sampled  error   name")
    compare_functions(table, truth, functions)
    compare_contexts(table, truth, rows_of(contexts_path, "id"))
    table.row("idle", "[idle]", truth.idle, functions.get("[idle]", 0),
              IDLE_LIMIT)
    if len(sys.argv) == 7:
        with open(sys.argv[6], "w") as file:
            json.dump(table.worst, file)
    return table.failed


if __name__ == "__main__":
    sys.exit(main())
