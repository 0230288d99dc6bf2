#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The function table against every call that the truth plugin saw.

    functions_truth.py sites ELF > SITES          for the plugin's watch=
    functions_truth.py raw ELF SITES WATCHED CAPTURE CLOCK HZ SHIFT
    functions_truth.py true ELF SITES WATCHED CAPTURE CLOCK HZ SHIFT

A site is where a hook is called, or where that comes back to. WATCHED is what
the plugin logged of them, and of loads from the clock's register at CLOCK. An
instruction takes 2^SHIFT ns and the register counts HZ.

raw:  a table of raw times. From the last load within each hook it is known what
      time that hook has read, to the tick; from these all figures of each
      function and context. All must be the same.
true: a table without the hooks' cost. Self of the ten functions that take most
      must be within 5 % of the instructions that ran while they were the
      innermost open call, those of hooks and of call sites (the call of a hook,
      and what loads its arguments) not counted. Prints these.

In both the parts must add up to the time in all, to the tick. A task says that it
runs by a store into one of tasks_markers; the table hears of it in PendSV. The
fourth has the number of the third, which was deleted.
"""

import os
import re
import subprocess
import sys
from collections import defaultdict
from dataclasses import dataclass

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "tools"))
import function_rows  # noqa: E402
from elf32 import Elf32  # noqa: E402

LINE = re.compile(r"^ *([0-9a-f]+):\t(\S+)\s*(.*)$")
HOOK = re.compile(r"<__cyg_profile_func_(enter|exit)>$")
WRITES = re.compile(r"(?:mov|ldr|add|sub|adr)\S* *\t?(r[01]), ")
LARGEST = 10
WITHIN = 0.05
PENDSV, TASK_FIRST, DELETED, REBORN = 14, 512, 514, 515


def output_of(*command):
    return subprocess.run(command, check=True, capture_output=True,
                          text=True).stdout


def innermost(path, addresses):
    """The functions that this code was written in, wherever inlined."""
    text = output_of("arm-none-eabi-addr2line", "-a", "-i", "-f", "-e", path,
                     *addresses)
    found, fresh = [], None
    for line in text.splitlines():
        if line.startswith("0x"):
            fresh = True
        elif fresh:
            found.append(line)
            fresh = False
    return found


def arguments(code, at):
    """How many instructions in front of this call load its arguments."""
    wanted = {"r0", "r1"}
    for _, mnemonic, operands in reversed(code[max(0, at - 8):at]):
        if mnemonic.split(".")[0] in ("b", "bl", "bx", "blx", "cbz", "cbnz",
                                      "pop") or mnemonic.startswith("b"):
            break
        if (match := WRITES.match(f"{mnemonic} {operands}")):
            wanted.discard(match[1])
    return 2 - len(wanted)


def sites(path):
    elf = Elf32(path)
    code = [match.groups() for match in map(LINE.match, output_of(
        "arm-none-eabi-objdump", "-d", "--no-show-raw-insn",
        path).splitlines()) if match]
    found = []
    for at, (address, mnemonic, operands) in enumerate(code):
        match = HOOK.search(operands)
        if not match:
            continue
        names = elf.function_at(int(address, 16)) or {""}
        if any(name.startswith(("mcuprofi_", "__cyg_")) for name in names):
            continue
        if mnemonic != "bl":
            sys.exit(f"functions_truth.py: {address}: a hook is called how?")
        found.append((address, ">" if match[1] == "enter" else "<",
                      arguments(code, at), code[at + 1][0]))
    names = innermost(path, [site[0] for site in found])
    for (address, what, loads, after), name in zip(found, names, strict=True):
        print(address, what, name, loads)
        print(after, "=", name, 0)


@dataclass
class Hook:
    what: str
    function: str
    read: int = None


def log(elf, sites_path, watched, clock):
    """(context, what, function, loads of arguments, instructions before)."""
    markers, size = elf.names.get("tasks_markers", (0, 0))
    meaning = {}
    with open(sites_path) as file:
        for line in file:
            address, *what = line.split()
            meaning.setdefault(int(address, 16), []).append(what)
    with open(watched) as file:
        for line in file:
            context, address, before = line.split()
            address = int(address, 16)
            if address == clock:
                yield int(context), "clock", None, 0, int(before)
            if markers <= address < markers + size:
                yield int(context), "runs", None, 0, int(before)
            # A place to come back to may be the next site.
            for what, function, loads in sorted(meaning.get(address, []),
                                                key=lambda m: m[0] != "="):
                yield int(context), what, function, int(loads), int(before)


def events(entries):
    """(instructions before, context, what, function) of each event, in the
    order of their times."""
    inside, found, switch = {}, [], None
    for context, what, function, _, before in entries:
        if what == "runs":
            switch = [before, context, what, None]
            found.append(switch)
        elif what == "clock" and context == PENDSV:
            switch[0] = before
        elif what in "<>":
            inside[context] = Hook(what, function)
        elif what == "clock" and context in inside:
            inside[context].read = before
        elif what == "=" and context in inside:
            hook = inside.pop(context)
            if hook.read is not None:
                found.append([hook.read, context, hook.what, hook.function])
    return sorted(found, key=lambda event: event[0])


class Call:
    def __init__(self, function, again):
        self.function, self.again = function, again
        self.own = self.below = 0


class Book:
    """Figures of each (context, function), from times."""

    def __init__(self):
        self.rows = defaultdict(lambda: [0, 0, 0, None, None])
        self.stacks, self.interrupts = defaultdict(list), []
        self.task = 0

    def elapse(self, ticks):
        stack = self.stacks[self.interrupts[-1] if self.interrupts
                            else self.task]
        if stack:
            stack[-1].own += ticks

    def switch(self, task):
        if task == REBORN:
            while self.stacks[DELETED]:
                self.leave(DELETED, self.stacks[DELETED][-1].function)
        self.task = task

    def enter(self, context, function):
        stack = self.stacks[context]
        if not stack and 0 < context < TASK_FIRST:
            self.interrupts.append(context)
        stack.append(Call(function, any(call.function == function
                                        for call in stack)))

    def leave(self, context, function):
        stack = self.stacks[context]
        call = stack.pop()
        if call.function != function:
            sys.exit(f"functions_truth.py: {function} ends {call.function}")
        age = call.own + call.below
        if stack:
            stack[-1].below += age
        elif context in self.interrupts:
            self.interrupts.remove(context)
        row = self.rows[DELETED if context == REBORN else context, function]
        row[0] += 1
        row[1] += call.own
        row[2] += 0 if call.again else age
        row[3] = age if row[3] is None else min(row[3], age)
        row[4] = age if row[4] is None else max(row[4], age)


def read_rows(elf, snapshot):
    """By (context, name)."""
    return {(context, *elf.function_at(address)): row
            for (context, address), row in snapshot.rows.items()}


def add_up(snapshot):
    parts, wall = snapshot.sum(), snapshot.ticks
    print(f"sum of parts {parts}, wall {wall}")
    return parts != wall


def raw(elf, entries, snapshot, hertz, shift):
    book, last = Book(), None
    for before, context, what, function in events(entries):
        now = (before << shift) * hertz // 10**9
        book.elapse(now - last if last is not None else 0)
        last = now
        if what == "runs":
            book.switch(context)
        else:
            (book.enter if what == ">" else book.leave)(context, function)
    rows = read_rows(elf, snapshot)
    wrong = add_up(snapshot)
    taken = sum(row.self for row in rows.values())
    for key in sorted(rows.keys() | book.rows.keys()):
        row = rows.get(key)
        if row:
            print(f"{key[1]:24}{key[0]:8}{row.calls:9}{row.self:12}"
                  f"{row.self / taken:8.2%}")
        ours = row and [row.calls, row.self, row.total, row.min, row.max]
        if ours != book.rows[key]:
            print(f"{key}: {book.rows[key]} in truth, {ours} in the table")
            wrong = True
    print(f"{len(rows)} rows, {sum(row.calls for row in rows.values())} calls, "
          f"counts {snapshot.counts}")
    return wrong or not snapshot.flags & function_rows.RAW


def spent(entries):
    """Calls, and instructions, of each (context, function)."""
    calls, own = defaultdict(int), defaultdict(int)
    stacks, active, hooks, last = defaultdict(list), [], {}, None
    for context, what, function, loads, before in entries:
        if what == "clock":
            continue
        runs = active[-1] if active else None
        if runs is not None and not hooks.get(runs) and stacks[runs]:
            own[runs, stacks[runs][-1]] += before - last
            if what in "<>" and runs == context:
                own[runs, stacks[runs][-1]] -= loads
        last = before
        if what == ">":
            if context not in active:
                active.append(context)
            calls[context, function] += 1
            own[context, function] += 0
            stacks[context].append(function)
        elif what == "<":
            stacks[context].pop()
        hooks[context] = what != "="
        if what == "=" and not stacks[context]:
            active.remove(context)
    return calls, own


def true(elf, entries, snapshot, hertz, shift):
    calls, own = spent(entries)
    rows = read_rows(elf, snapshot)
    wrong = add_up(snapshot)
    rate = (1 << shift) * hertz / 10**9
    taken = sum(row.self for row in rows.values()) / rate
    in_all = sum(own.values())
    print(f"{'function':24}{'context':>8}{'calls':>9}{'each':>8}{'truth':>12}"
          f"{'table':>12}{'off':>8}{'share':>8}{'table':>8}")
    largest = sorted(own, key=own.get, reverse=True)[:LARGEST]
    for key in sorted(calls, key=own.get, reverse=True):
        row = rows[key]
        if row.calls != calls[key]:
            print(f"{key} called {calls[key]} times, {row.calls} in the table")
            wrong = True
        ours = row.self / rate
        off = ours / own[key] - 1 if own[key] else 0
        print(f"{key[1]:24}{key[0]:8}{row.calls:9}{own[key] / row.calls:8.1f}"
              f"{own[key]:12}{ours:12.0f}{off:8.1%}{own[key] / in_all:8.2%}"
              f"{ours / taken:8.2%}")
        if key in largest and abs(off) > WITHIN:
            print("that is too much")
            wrong = True
    return wrong or rows.keys() != calls.keys()


def main():
    if len(sys.argv) == 3 and sys.argv[1] == "sites":
        return sites(sys.argv[2])
    if len(sys.argv) != 9 or sys.argv[1] not in ("raw", "true"):
        return sys.exit(__doc__)
    what, path, sites_path, watched, capture, clock = sys.argv[1:7]
    compare = raw if what == "raw" else true
    found = function_rows.snapshots(capture)
    if not found:
        sys.exit("functions_truth.py: no snapshot")
    elf = Elf32(path)
    return compare(elf, log(elf, sites_path, watched, int(clock, 16)),
                   found[-1], *map(int, sys.argv[7:]))


if __name__ == "__main__":
    sys.exit(main())
