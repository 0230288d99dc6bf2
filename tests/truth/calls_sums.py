#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""calls_sums.py CALLS TREE: times by path, booked anew from single events.

CALLS: `calls --style plain --unit cycles`. TREE: `tree --format json --raw
--unit cycles`. A moment belongs to the innermost call of who runs, which is the
interrupt that was entered last and has not been left, else thread mode. Prints
what each function was called, by context.
"""

import json
import sys
from collections import Counter, defaultdict

from calls_truth import timed_calls


def book(path):
    """(calls, self time, time in all) by context and path; outside; wall."""
    counts, own, outside = Counter(), Counter(), 0
    stacks, active, last, first = defaultdict(tuple), [], None, None
    for context, what, function, _, now in timed_calls(path):
        if last is not None:
            runs = (active[-1], stacks[active[-1]]) if active else None
            own[runs] += now - last
        first, last = (now if first is None else first), now
        if what == ">":
            if not stacks[context]:
                active.append(context)
            stacks[context] += (function,)
            counts[context, stacks[context]] += 1
        elif what == "<":
            stacks[context] = stacks[context][:-1]
            if not stacks[context]:
                active.remove(context)
    outside = own.pop(None, 0)
    return counts, own, outside, last - first


def of_tree(path):
    with open(path) as file:
        tree = json.load(file)
    paths, rows = {}, {}
    for row in sorted((row for row in tree["rows"]
                       if row["kind"] == "function"), key=lambda r: r["depth"]):
        above = paths[row["parent"]] if row["depth"] else ()
        paths[row["id"]] = above + (row["function"],)
        rows[row["context_id"], paths[row["id"]]] = (
            row["calls"], row["self_raw_cycles"], row["total_raw_cycles"])
    return rows


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    counts, own, outside, wall = book(sys.argv[1])
    rows = of_tree(sys.argv[2])
    if sum(own.values()) + outside != wall:
        sys.exit("calls_sums.py: time is lost")
    wrong = 0
    for key in sorted(counts.keys() | rows.keys()):
        context, path = key
        total = sum(ticks for (other, below), ticks in own.items()
                    if other == context and below[:len(path)] == path)
        ours = counts[key], own[key], total
        if ours != rows.get(key) or total > wall:
            print(f"{key}: {ours} of {wall}, tree has {rows.get(key)}")
            wrong = 1
    functions = Counter()
    for (context, path), calls in counts.items():
        functions[context, path[-1]] += calls
    for (context, function), calls in sorted(functions.items()):
        print(context, function, calls)
    return wrong or not rows


if __name__ == "__main__":
    sys.exit(main())
