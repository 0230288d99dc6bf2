#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Times of the call ring against the instructions that were executed.

    calls_times.py sites ELF > SITES           for the plugin's watch=
    calls_times.py compare SITES WATCHED CALLS HZ [SHIFT]

Each instruction takes 2^SHIFT ns (5), so the plugin's count tells when a hook
was entered. From there it is always as many instructions to the one that reads
the clock of HZ, unless the slow path goes there: then it is more, up to those
that are interrupted. CALLS: `calls --style plain --unit cycles`.
"""

import sys
from collections import Counter, defaultdict

from calls_truth import timed_calls
from elf32 import Elf32

SITES = {">": "__cyg_profile_func_enter", "<": "__cyg_profile_func_exit",
         "slow": "mcuprofi_ring_slow"}


def hooks(sites_path, watched):
    """By context: [what, instructions before, by the slow path] of each."""
    with open(sites_path) as file:
        meaning = dict(reversed(line.split()) for line in file)
    sites = {int(address, 16): what for what, address in meaning.items()}
    found = defaultdict(list)
    with open(watched) as file:
        for line in file:
            context, address, before = line.split()
            events, what = found[int(context)], sites[int(address, 16)]
            before = int(before)
            if what == "slow":
                events[-1][2] = True
            elif what == ">" and events and events[-1][0] == "<" \
                    and events[-1][1] + 1 == before:
                # The exit hook goes on as the other.
                events[-1][1] = before
            else:
                events.append([what, before, False])
    return found


def compare(sites_path, watched, calls, hertz, shift=5):
    truth = hooks(sites_path, watched)
    ours = defaultdict(list)
    for context, what, function, note, time in timed_calls(calls):
        # The others have no hook of their own.
        if what in "<>" and note is None:
            ours[context].append((what, function, time))
    exact = slow = wrong = 0
    origin, late = None, None
    functions = Counter()
    for context, events in sorted(ours.items()):
        # Those in front of them were measured before the start.
        pairs = list(zip(events, truth[context][-len(events):], strict=True))
        if any(event[0] != hook[0] for event, hook in pairs):
            sys.exit(f"calls_times.py: other calls in {context}")
        for (_, function, time), (_, before, is_slow) in pairs:
            # In units of 1/HZ ns, so that all are whole.
            after = time * 10**9 - (before << shift) * hertz
            if is_slow:
                slow += 1
                late = min(late, after) if late is not None else after
                continue
            if origin is None:
                origin = after
            exact += 1
            functions[function] += 1
            # Either is rounded down to a tick.
            if abs(after - origin) >= 10**9:
                wrong += 1
                print(f"{function} in {context} @ {time}: "
                      f"{(after - origin) / hertz:.0f} ns beside")
    for function, count in sorted(functions.items()):
        print(function, count)
    if late is not None and late <= origin - 10**9:
        wrong += 1
        print("the slow path read the clock before the other could have")
    print(f"{exact} exact, {slow} by the slow path, {wrong} wrong")
    return 1 if wrong or not exact else 0


def main():
    if len(sys.argv) == 3 and sys.argv[1] == "sites":
        elf = Elf32(sys.argv[2])
        for what, name in SITES.items():
            print(f"{elf.address(name) & ~1:x} {what}")
        return 0
    if len(sys.argv) in (6, 7) and sys.argv[1] == "compare":
        return compare(*sys.argv[2:5], *map(int, sys.argv[5:]))
    return sys.exit(__doc__)


if __name__ == "__main__":
    sys.exit(main())
