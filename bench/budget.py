#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""budget.py RUNS FW [LIMITS]: what the target may cost at most, as `make test`
asks it: exit 1 if a figure exceeds its limit, or a limit has no figure.

RUNS holds what count.sh counted, FW is the firmware build; LIMITS is
tests/budget/limits.txt unless given."""

import sys
from pathlib import Path

import sampler_bench
import size_bench
import trace_bench
from results import LIMITS, Results, read_limits


def figures(results, runs, fw, levels, hooks, tables):
    """All that the test looks at; of call hooks at these levels, and these."""
    firmware = fw / "tests/firmware"
    sampler = sampler_bench.sampler(results, runs, firmware)
    sampler_bench.sampling(results, sampler)
    sampler_bench.hotspots(results, runs, fw)
    trace_bench.trace(results, runs, fw / "bench", levels, hooks)
    trace_bench.trace(results, runs, fw / "bench", levels, tables)
    trace_bench.many(results, runs, fw / "bench",
                     [("published_table", 256)] * (len(tables) > 2)
                     + [("table", 512)])
    trace_bench.wire(results, runs, fw / "bench")
    size_bench.masked(results, fw)
    size_bench.stacks(results, fw / "bench")
    size_bench.sizes(results, firmware)
    size_bench.hotspot_sizes(results, firmware)
    size_bench.trace_sizes(results, fw / "bench")
    size_bench.table_sizes(results, fw / "bench")
    size_bench.all_sizes(results, fw / "bench")


def main():
    if len(sys.argv) not in (3, 4):
        sys.exit("usage: budget.py RUNS FW [LIMITS]")
    runs, fw, limits = map(Path, (sys.argv[1:] + [LIMITS])[:3])
    results = Results(read_limits(limits))
    figures(results, runs, fw, ("O2",), ("none", "ring"),
            ("none", "table"))
    wrong = results.exceeded() + results.unmeasured("test")
    print("\n" + "\n".join(wrong) if wrong else "")
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main())
