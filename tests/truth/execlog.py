#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""execlog.py LOG TRUTH: holds the truth plugin against QEMU's own log of the
same run (-singlestep -d int,exec,nochain): the same entries of each exception,
the same count for each instruction in each context. The log knows no profiler:
a trampoline (context pN) and the handler that it goes on to are one entry."""

import re
import sys
from collections import Counter

TRACE = re.compile(r"Trace \d+: \S+ \[[0-9a-f]+/([0-9a-f]+)/")
ENTRY = re.compile(r"\.\.\.loading from element (\d+) of")


def from_log(path):
    counts, entries, stack, last = Counter(), Counter(), [0], None
    with open(path) as file:
        for line in file:
            if match := TRACE.match(line):
                last = (stack[-1], int(match[1], 16))
                counts[last] += 1
            elif line.startswith(("cpu_io_recompile", "Stopped execution")):
                # The block just traced was not run; it comes again.
                counts[last] -= 1
            elif match := ENTRY.match(line):
                stack.append(int(match[1]))
                entries[stack[-1]] += 1
            elif line.startswith(("...successful exception return",
                                  "...tailchaining")):
                stack.pop()
    return +counts, entries


def from_truth(path):
    counts, entries = Counter(), Counter()
    with open(path) as file:
        for line in file:
            kind, *fields = line.split()
            context = int(fields[0].lstrip("p"))
            if kind == "count":
                counts[context, int(fields[1], 16)] += int(fields[2])
            elif kind == "run" and fields[0].isdigit() and context != 0:
                entries[context] = int(fields[1])
    return counts, entries


def main():
    if len(sys.argv) != 3:
        sys.exit("usage: execlog.py LOG TRUTH")
    log, log_entries = from_log(sys.argv[1])
    truth, truth_entries = from_truth(sys.argv[2])
    print(f"log: {sum(log.values())} instructions, entries "
          f"{dict(log_entries)}")
    for key in sorted(log.keys() | truth.keys()):
        if log[key] != truth[key]:
            print(f"context {key[0]} address {key[1]:#x}: "
                  f"log {log[key]}, plugin {truth[key]}")
    if log_entries != truth_entries:
        print(f"plugin: entries {dict(truth_entries)}")
    return not (log and log == truth and log_entries == truth_entries)


if __name__ == "__main__":
    sys.exit(main())
