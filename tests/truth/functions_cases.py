#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""functions_cases.py ELF CAPTURE [ABSENT...]: the tables of functions_cases.c, each as it
has to be. Its clock is advanced by hand, so that follows from the source."""

import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "tools"))
import function_rows  # noqa: E402
from elf32 import Elf32  # noqa: E402

THREAD, LOW, HIGH = 0, 24, 25
NEIGHBOUR = "cases_neighbour"


def alike(calls, each):
    """Of calls that all take the same and call nobody."""
    return calls, calls * each, calls * each, each, each


# calls, self, total, min, max by context and function; None: as it comes
CASES = {
    # 177 calls of 10 ticks, in one outermost.
    "fib10": {(THREAD, "cases_fib"): (177, 1770, 1770, 10, 1770)},
    "fib15": {(THREAD, "cases_fib"): (1973, 19730, 19730, 10, 19730)},
    "mutual": {(THREAD, "cases_even"): (6, 600, 1600, 100, 1600),
               (THREAD, "cases_odd"): (5, 1000, 1500, 300, 1500)},
    "through": {(THREAD, "cases_through"): alike(1, 1000),
                (LOW, "TIMER0_Handler"): (1, 3, 1004, 1004, 1004),
                (LOW, "cases_through"): alike(1, 1001),
                (HIGH, "TIMER1_Handler"): (1, 5, 1007, 1007, 1007),
                (HIGH, "cases_through"): alike(1, 1002)},
    "shared": {(THREAD, "cases_shared"): alike(1, 10000),
               (LOW, "TIMER0_Handler"): (1, 3, 20003, 20003, 20003),
               (LOW, "cases_shared"): alike(1, 20000)},
    "hit": {(THREAD, "cases_hit"): alike(1, 10000),
            (LOW, "TIMER0_Handler"): (1, 3, 50003, 50003, 50003),
            (LOW, "cases_storm"): alike(1, 50000)},
    # All are open, and have their time up to the stop.
    "halted": {(THREAD, "cases_halted"): (1, 7000, 7000, 0, 0),
               (LOW, "TIMER0_Handler"): (1, 3, 503, 0, 0),
               (LOW, "cases_halt"): (1, 500, 500, 0, 0)},
    "halted_above": {(THREAD, "cases_halted"): (1, 7000, 7000, 0, 0),
                     (LOW, "TIMER0_Handler"): (1, 3, 3, 0, 0),
                     (HIGH, "TIMER1_Handler"): (1, 5, 505, 0, 0),
                     (HIGH, "cases_halt"): (1, 500, 500, 0, 0)},
    "neighbour": {(THREAD, NEIGHBOUR): alike(1, 123)},
    # The time of calls that are too deep is the deepest's, which is the same
    # function.
    "deep40": {(THREAD, "cases_deep"): (40, 440, 440, None, 440),
               (THREAD, NEIGHBOUR): alike(2, 123)},
    "deep200": {(THREAD, "cases_deep"): (200, 2200, 2200, None, 2200),
                (THREAD, NEIGHBOUR): alike(2, 123)},
    "turns": {(THREAD, "cases_turns"): (2, 4 * 0xC00000, 6 * 0xC00000,
                                        3 * 0xC00000, 3 * 0xC00000),
              (THREAD, "cases_turn"): alike(2, 0xC00000)},
    "wide": {(THREAD, "cases_long"): (3, 4608005017, 4608005017, 1536001672,
                                      1536001673)},
    "endless": {(THREAD, "cases_endless"): alike(1, 5000000000),
                (THREAD, "cases_endless_parent"): (
                    1, 6000000000, 6000000006, 6000000006, 6000000006),
                (THREAD, "cases_step"): alike(6, 1)},
    # A jump is noticed at the exit behind it, where no time has passed.
    "jumps": {(THREAD, "cases_catch"): (100, 700, 10700, 107, 107),
              (THREAD, "cases_dive"): (2000, 10000, 10000, 5, 100)},
    "switched": {(512, "cases_task"): alike(1, 1500),
                 (513, "cases_other"): alike(1, 4000)},
    "deleted": {(THREAD, "cases_deleted"): alike(1, 50),
                (514, "cases_left"): alike(1, 300),
                (514, NEIGHBOUR): alike(1, 123)},
    "missed": {(512, NEIGHBOUR): (1, 1000, 1200, 1200, 1200),
               (512, "cases_untold"): alike(1, 200),
               (513, "cases_other"): alike(1, 4000)},
}
OUTSIDE = {"turns": {THREAD: 0x500000}, "switched": {513: 5000000000},
           "missed": {513: 30}}
OPEN = {"halted": 3, "halted_above": 4}
COUNTS = {"deep40": {"deep": 8}, "deep200": {"deep": 168},
          "jumps": {"unwound": 2000}, "deleted": {"unwound": 1},
          "missed": {"unwound": 1, "unmatched": 1}}


def differs(found, wanted):
    return any(a != b and b is not None for a, b in zip(found, wanted))


def many(rows, snapshot):
    """64 slots: those that have one are right, the rest is in sum."""
    wrong = snapshot.slots != 64 or len(rows) < 48
    calls = time = 0
    for (context, name), row in rows.items():
        ticks = int(name.rpartition("_")[2]) - 99
        calls, time = calls + row[0], time + row[1]
        wrong |= context != THREAD or row != alike(2, ticks)
    print(f"{len(rows)} of 300 functions have a slot")
    rest = {THREAD: (600 - calls, 300 * 301 - time)}
    return wrong or snapshot.none != rest \
        or snapshot.counts["no_slot"] != 600 - calls


def check(name, elf, snapshot):
    rows = {(context, *elf.function_at(address)):
            (row.calls, row.self, row.total, row.min, row.max)
            for (context, address), row in snapshot.rows.items()}
    wrong = []
    if name == "many":
        wrong += ["rows"] * bool(many(rows, snapshot))
        counts = {"no_slot": snapshot.counts["no_slot"]}
    else:
        for key in sorted(rows.keys() | CASES[name].keys()):
            wanted = CASES[name].get(key)
            if wanted is None or differs(rows.get(key, ()) or [None] * 5,
                                         wanted):
                wrong.append(f"{key} is {rows.get(key)}, not {wanted}")
        counts = COUNTS.get(name, {})
        if snapshot.none:
            wrong.append(f"no slot for {snapshot.none}")
    for count, value in snapshot.counts.items():
        if value != counts.get(count, 0):
            wrong.append(f"{count} is {value}, not {counts.get(count, 0)}")
    if snapshot.outside != OUTSIDE.get(name, {}):
        wrong.append(f"outside is {snapshot.outside}")
    opened = sum(row.open for row in snapshot.rows.values())
    if snapshot.sum() != snapshot.ticks or snapshot.flags != 0 \
            or opened != OPEN.get(name, 0):
        wrong.append(f"{snapshot.sum()} of {snapshot.ticks} ticks, flags "
                     f"{snapshot.flags}, {opened} open")
    return wrong


def main():
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    elf = Elf32(sys.argv[1])
    with open(sys.argv[2], "rb") as file:
        names = [line[5:].decode() for stretch in file.read().split(b"\0")
                 for line in stretch.split(b"\n") if line.startswith(b"case ")]
    failed = set(CASES) - set(names) - set(sys.argv[3:])
    for name, snapshot in zip(names, function_rows.snapshots(sys.argv[2]),
                              strict=True):
        wrong = check(name, elf, snapshot)
        print(f"{name}: {'; '.join(wrong) if wrong else 'right'}")
        failed |= {name} if wrong else set()
    return len(failed) > 0


if __name__ == "__main__":
    sys.exit(main())
