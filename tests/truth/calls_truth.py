#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Every call as the truth plugin saw it, against what mcuprof makes of it.

    calls_truth.py sites ELF entries|hooks > SITES     for the plugin's watch=
    calls_truth.py compare SITES WATCHED CALLS CAPTURE [AFTER=DELETED] [untold=CONTEXT]
                           [jumps=1] [records=COUNT]

A site is a place of the code, what it means (> or <), and of which function.
`entries`: a function's first instruction, and where it calls the exit hook;
nothing may be inlined. `hooks`: where either hook is called; of which function
is known from the debug information.

WATCHED: what the plugin logged. CALLS: `calls --style plain --unit cycles`. A
task that was deleted has another context in truth than the one after it. Tasks
from the untold one on are those that mcuprof was not told of: it takes them for
the one before, and must repair that, as it must after longjmp. Of records as
many must have been decoded as the last TIME says, and none lost.
"""

import os
import re
import struct
import subprocess
import sys
from collections import defaultdict

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "tools"))
import mprof  # noqa: E402
from elf32 import Elf32  # noqa: E402

HOOK = re.compile(r"^ *([0-9a-f]+):\t(\S+)\t"
                  r".*<__cyg_profile_func_(enter|exit)>$")
# The library measures what a pair costs.
OWN = "mcuprofi_trace_pair"
TASK_FIRST = 512


def output_of(*command):
    return subprocess.run(command, check=True, capture_output=True,
                          text=True).stdout


def innermost(path, address):
    """The function that this code was written in, wherever it was inlined."""
    return output_of("arm-none-eabi-addr2line", "-i", "-f", "-e", path,
                     address).splitlines()[0]


def sites(path, enters):
    elf = Elf32(path)
    for line in output_of("arm-none-eabi-objdump", "-d", "--no-show-raw-insn",
                          path).splitlines():
        match = HOOK.match(line)
        if not match:
            continue
        address, mnemonic, which = match.groups()
        # Conditional, it would be no call each time it is executed.
        if mnemonic not in ("bl", "b.w", "b.n"):
            sys.exit(f"calls_truth.py: {line}: a hook is called how?")
        start, _, names = next(f for f in elf.functions
                               if f[0] <= int(address, 16) < f[1])
        if OWN in names:
            continue
        if enters == "hooks":
            names = {innermost(path, address)}
        elif which == "enter":
            address = f"{start:x}"
        if len(names) != 1:
            sys.exit(f"calls_truth.py: {line}: in which of {names}?")
        print(address, ">" if which == "enter" else "<", *names)


def from_truth(sites_path, watched, untold):
    """Per context. Of tasks from `untold` on mcuprof does not know."""
    meaning, told = {}, None
    with open(sites_path) as file:
        for line in file:
            address, *what = line.split()
            if meaning.setdefault(int(address, 16), what) != what:
                sys.exit(f"calls_truth.py: two things at {address}")
    calls = defaultdict(list)
    with open(watched) as file:
        for line in file:
            context, address, _ = line.split()
            context, what = int(context), meaning.get(int(address, 16))
            if context >= untold:
                context = told
            elif context >= TASK_FIRST:
                told = context
            if what:
                calls[context].append((*what, None))
    return calls


def reuse(calls, context, deleted, told):
    """Its number was used again: what was open there is closed in between. The
    last call may have been entered or left without coming through its hook."""
    opened = []
    last = len(calls[deleted]) - 1
    if told[last:last + 1] != calls[deleted][last:]:
        calls[deleted].pop()
    for what, function, _ in calls[deleted]:
        if what == ">":
            opened.append(function)
        else:
            opened.pop()
    if not opened or not calls[context]:
        sys.exit("calls_truth.py: not deleted within a call, or no other then")
    calls[deleted] += [("<", function, "its context was deleted")
                       for function in reversed(opened)]
    calls[deleted] += [("-", "deleted", None), *calls.pop(context)]


def timed_calls(path):
    """(context, what, function, note, time); times must not run back."""
    last = 0
    with open(path) as file:
        for line in file:
            match = re.fullmatch(r"\[(?:thread|.*\((\d+)\)|task (\d+))\] "
                                 r"([<>-]) (\S+) @ ([\d,]+)(?:  \[(.*)\])?\n",
                                 line)
            if not match:
                sys.exit(f"calls_truth.py: {line}: not a call")
            now = int(match[5].replace(",", ""))
            if now < last:
                sys.exit(f"calls_truth.py: {line}: before {last}")
            last = now
            yield (int(match[1] or match[2] or 0), match[3], match[4], match[6],
                   now)


def from_calls(path):
    calls = defaultdict(list)
    for context, *event, _ in timed_calls(path):
        calls[context].append(tuple(event))
    return calls


def accounts(path):
    """What the last TIME says of the call ring: records and losses."""
    with open(path, "rb") as file:
        capture = file.read()
    found = None
    for kind, _, payload in mprof.frames(capture):
        at = 16
        while kind == mprof.TIME and at < len(payload):
            engine, size, _, produced, lost = struct.unpack_from(
                "<BBHII", payload, at)
            if engine == 4:
                found = produced, lost
            at += size
    return found


def mend(events):
    """What a reader has to make of strangers among a task's calls: a leave of
    what is not open is left out, one further out ends those within it."""
    mended, opened, unwound, left_out = [], [], 0, 0
    for what, function, note in events:
        if what == ">":
            opened.append(function)
        elif function not in opened:
            left_out += 1
            continue
        else:
            while (inner := opened.pop()) != function:
                mended.append(("<", inner, "unwound"))
                unwound += 1
        mended.append((what, function, note))
    return mended, unwound, left_out


def compare(sites_path, watched, calls, capture, *options):
    options = {key: int(value) for key, value in
               (option.split("=") for option in options)}
    untold = options.pop("untold", None)
    records = options.pop("records", None)
    is_mended = options.pop("jumps", 0) or untold
    truth = from_truth(sites_path, watched, untold or 65536)
    ours = from_calls(calls)
    for context, deleted in options.items():
        reuse(truth, int(context), deleted, ours[deleted])
    if is_mended:
        unwound = left_out = 0
        for context, events in truth.items():
            truth[context], *counts = mend(events)
            unwound, left_out = unwound + counts[0], left_out + counts[1]
        print(f"{unwound} unwound, {left_out} left out")
    wrong = 0
    for context in sorted(truth.keys() | ours.keys()):
        a, b = truth[context], ours[context]
        at = next((i for i, (x, y) in enumerate(zip(a, b)) if x != y),
                  min(len(a), len(b)))
        print(f"{context}: {len(a)} in truth, {len(b)} in calls", end="")
        if a != b:
            wrong = 1
            print(f"; from {at}: {a[at:at + 3]}, {b[at:at + 3]}", end="")
        print()
    produced, lost = accounts(capture)
    print(f"{produced} records, {lost} lost")
    if records not in (None, produced):
        print(f"{records} decoded")
        wrong = 1
    return wrong or lost != 0 or not truth


def main():
    if len(sys.argv) == 4 and sys.argv[1] == "sites":
        return sites(*sys.argv[2:])
    if len(sys.argv) >= 6 and sys.argv[1] == "compare":
        return compare(*sys.argv[2:])
    sys.exit(__doc__)


if __name__ == "__main__":
    sys.exit(main())
