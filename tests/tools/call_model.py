#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Random firmwares whose calls are known, and what mcuprof makes of them.

    call_model.py MCUPROF ELF FIRST_SEED SEEDS

A firmware is simulated: tasks that call, a scheduler that switches them, three
interrupts that nest. Whoever runs books the time on what it is in, so the truth
needs no stack to be rebuilt. Of a whole capture each path's calls, self and
total must be equal; of one with losses, each moment must be counted once,
enters and leaves be balanced, and as much be lost as was swallowed. Calls as
CSV and JSON must sum to the same, and to what stands between the braces.
"""

import collections
import csv
import io
import json
import os
import random
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import mprof  # noqa: E402
import mtrace  # noqa: E402

INTERRUPTS = (15, 16, 17)


class Firmware:
    def __init__(self, dice, ring, names):
        self.dice = dice
        self.ring = ring
        self.names = names
        self.tasks = dice.choice(((0,), (0,), (512, 513, 700)))
        self.context = None     # of the last record
        self.task = self.tasks[0]
        self.level = 0          # interrupts under way
        self.calls = collections.Counter()
        self.self_time = collections.Counter()
        self.outside = collections.Counter()
        self.paths = {}         # of tasks, while they are not running
        self.events = 0
        self.started = None

    def record(self, context, function, entered):
        if self.context != context:
            self.ring.switch(context)
            self.context = context
        (self.ring.enter if entered else self.ring.leave)(function)
        self.events += 1
        if self.started is None:
            self.started = self.ring.now

    def spend(self, context, path):
        """Time goes by, in which an interrupt may come."""
        for _ in range(self.dice.randrange(3)):
            ticks = self.dice.randrange(1, 60)
            self.ring.after(ticks)
            if self.started is not None:
                book = self.self_time if path else self.outside
                book[(context, path) if path else context] += ticks
            if self.level < 3 and self.dice.random() < 0.07:
                self.interrupt()

    def interrupt(self):
        context = INTERRUPTS[self.level]
        self.level += 1
        for _ in self.call(context, (), 2):
            pass
        self.level -= 1

    def call(self, context, path, depth):
        """A call as a generator: it can be left and gone on with."""
        function = self.dice.choice(self.names)
        path = path + (function,)
        self.record(context, function, True)
        self.calls[(context, path)] += 1
        for _ in range(self.dice.randrange(4) if depth > 0 else 0):
            self.spend(context, path)
            yield
            yield from self.call(context, path, depth - 1)
        self.spend(context, path)
        self.record(context, function, False)

    def body(self, context):
        while True:
            yield from self.call(context, (), 5)
            self.spend(context, ())
            yield

    def run(self, events, between):
        bodies = {task: self.body(task) for task in self.tasks}
        self.ring.switch(self.task)
        self.context = self.task
        while self.events < events:
            next(bodies[self.task])
            between()
            if len(self.tasks) > 1 and self.dice.random() < 0.1:
                self.task = self.dice.choice(self.tasks)
                if self.context != self.task:
                    self.ring.switch(self.task)
                    self.context = self.task


def truth_of(firmware):
    """{(context, path): (calls, self, total)}"""
    total = collections.Counter()
    for (context, path), ticks in firmware.self_time.items():
        for i in range(1, len(path) + 1):
            total[(context, path[:i])] += ticks
    return {key: (calls, firmware.self_time[key], total[key])
            for key, calls in firmware.calls.items()}


def rows_of(document):
    paths = {None: ()}
    found = {}
    for row in document["rows"]:
        if row["kind"] != "function":
            continue
        path = paths[row["parent"]] + (row["function"],)
        paths[row["id"]] = path
        key = (row["context_id"], path)
        assert key not in found, key
        found[key] = (row["calls"], row["self_raw_cycles"],
                      row["total_raw_cycles"])
    return found


def check_sums(document):
    cycles = {key: document[key]["cycles"]
              for key in ("wall", "self", "hooks", "outside", "lost", "off")}
    assert sum(cycles.values()) == 2 * cycles["wall"], cycles
    own = sum(row["self_raw_cycles"] for row in document["rows"]
              if row["kind"] == "function")
    assert own == cycles["self"], (own, cycles)
    for row in document["rows"]:
        if row["kind"] == "function":
            assert row["total_raw_cycles"] <= cycles["wall"]
    return cycles


def check_plain(text):
    """Balanced in each context, in order of time."""
    stacks = collections.defaultdict(list)
    last = 0
    entered = 0
    for line in text.splitlines():
        if line.startswith("--"):
            continue
        context, _, rest = line[1:].partition("] ")
        what, _, time = rest.partition(" @ ")
        time = int(time.split()[0].replace(",", ""))
        assert time >= last, line
        last = time
        if what == "- deleted":
            continue
        if what[0] == ">":
            stacks[context].append(what[2:])
            entered += 1
        else:
            assert what[0] == "<" and stacks[context].pop() == what[2:], line
    assert not any(stacks.values()), stacks
    return entered


def sums_of(calls):
    """The tree of rows of calls: {(context, path): (calls, self, total)}"""
    by_id = {call["id"]: call for call in calls}
    assert len(by_id) == len(calls)
    found = collections.defaultdict(lambda: (0, 0, 0))
    for call in calls:
        path = ()
        at = call
        while at is not None:
            assert at["context_id"] == call["context_id"]
            assert at["start_cycles"] <= call["start_cycles"]
            assert at["end_cycles"] >= call["end_cycles"]
            path = (at["function"],) + path
            at = None if at["parent"] is None else by_id[at["parent"]]
        assert len(path) == call["depth"] + 1
        count, own, total = found[(call["context_id"], path)]
        found[(call["context_id"], path)] = (
            count + 1, own + call["self_cycles"],
            total + call["duration_cycles"])
    return dict(found)


BRACE = re.compile(r" *([\d,]+) +([\d,]+)  +(?:\[\d+\] )?"
                   r"(?:\} /\* (\S+) \*/|(\S+)\(\);)(?:  \[.*)?$")


def check_rows(ask, document):
    """The same calls in every form."""
    forms = ("--raw", "--unit", "cycles")
    rows = json.loads(ask("calls", *forms, "--format", "json"))["rows"]
    calls = [row for row in rows if row["kind"] == "call"]
    assert sums_of(calls) == rows_of(document)
    table = list(csv.DictReader(io.StringIO(ask("calls", *forms, "--format",
                                                "csv"), newline="")))
    assert len(table) == len(rows)
    for as_csv, as_json in zip(table, rows):
        assert as_csv.keys() == as_json.keys()
        for key, value in as_json.items():
            text = " ".join(value) if key == "flags" else \
                f"0x{value:08x}" if key == "address" and value else \
                "" if value is None else str(value)
            assert as_csv[key] == text, (key, as_csv, as_json)
    ends = [row["end_cycles"] for row in calls]
    assert ends == sorted(ends)
    lines = collections.Counter()
    for line in ask("calls", *forms).splitlines():
        found = BRACE.match(line)
        if found:
            lines[found[3] or found[4]] += int(found[2].replace(",", ""))
    sums = collections.Counter()
    for call in calls:
        sums[call["function"]] += call["duration_cycles"]
    assert +lines == +sums, (lines, sums)
    gaps = sum(row["count"] for row in rows if row["kind"] == "gap")
    quality = document["quality"]
    assert gaps == (quality["records_lost_line"]
                    + quality["records_lost_target"])
    # What the clock's rate makes of them, in microseconds of 1 MHz.
    for in_us, row in zip(json.loads(ask("calls", "--raw", "--format",
                                         "json"))["rows"], rows):
        assert in_us["start_us"] == row["start_cycles"], (in_us, row)


def one(mcuprof, elf, facts, seed, lossy, folder):
    dice = random.Random(seed)
    ring = mtrace.Ring(facts["symbols"], start=facts["start"],
                       length=facts["length"], bits=dice.choice((24, 32)),
                       value=mprof.crc_value(facts["crc"]))
    names = dice.sample(["work", "other", "Reset_Handler", "SysTick_Handler",
                         "UART0_Handler", "mcuprof_poll"], dice.choice((2, 5)))
    firmware = Firmware(dice, ring, names)
    swallowed = {"line": 0, "target": 0}
    pauses = {"count": 0, "is_off": False, "time": 0, "since": 0}
    ring.now = dice.randrange(1 << 40)
    ring.hello(start=True)
    if dice.random() < 0.8:
        ring.time()

    def between():
        if len(ring.records) < dice.randrange(20, 400):
            return
        count = len(ring.records)
        if pauses["is_off"]:
            # Nothing of it was recorded.
            del ring.records[:]
            pauses["count"] += 1
            pauses["time"] += ring.now - pauses["since"]
            ring.resume(firmware.context)
            pauses["is_off"] = False
            ring.flush()
            return
        pauses["is_off"] = lossy and ring.made > 0 and dice.random() < 0.2
        if pauses["is_off"]:
            ring.flush()
            pauses["since"] = ring.now
            return
        # What is lost before anything comes is not in the timeline; nor is a
        # loss whose record is swallowed.
        keep = ring.made == 0 or any(
            word >> 24 == mtrace.LOST for _, word in ring.records)
        if not lossy or keep or dice.random() < 0.7:
            ring.flush()
        elif dice.random() < 0.5:
            ring.flush(send=False)
            swallowed["line"] += count
        else:
            # They find no room; the context's record comes anew.
            first, last = ring.records[0][0], ring.records[-1][0]
            del ring.records[:]
            swallowed["target"] += count
            ring.lose(count, first, last)
            ring.switch(firmware.context)
        if dice.random() < 0.1:
            ring.time()

    firmware.run(dice.randrange(10, 3000), between)
    if pauses["is_off"]:
        del ring.records[:]
    # Behind which losses are seen.
    ring.delete(999)
    ring.flush()
    ring.time()
    path = os.path.join(folder, "model.mprof")
    with open(path, "wb") as file:
        file.write(ring.out)

    def ask(*arguments):
        return subprocess.run([mcuprof, *arguments, path, "-e", elf],
                              check=True, capture_output=True,
                              text=True).stdout

    document = json.loads(ask("tree", "--raw", "--format", "json"))
    cycles = check_sums(document)
    check_rows(ask, document)
    entered = check_plain(ask("calls", "--style", "plain", "--unit", "cycles"))
    quality = document["quality"]
    assert entered == quality["calls"], (entered, quality["calls"])
    assert quality["records_lost_line"] == swallowed["line"], swallowed
    assert quality["records_lost_target"] == swallowed["target"], swallowed
    assert quality["pauses"] == pauses["count"], pauses
    # From the last record before each.
    assert cycles["off"] >= pauses["time"], (cycles, pauses)
    for key in ("clock_wraps_hidden", "clock_readings_refused",
                "records_stale", "records_torn"):
        assert quality[key] == 0, (key, quality[key])
    if not lossy:
        compare(firmware, document, cycles)
    return sum(swallowed.values())


def compare(firmware, document, cycles):
    truth = truth_of(firmware)
    found = rows_of(document)
    for key in truth.keys() | found.keys():
        assert truth.get(key) == found.get(key), (
            key, truth.get(key), found.get(key))
    assert cycles["wall"] == firmware.ring.now - firmware.started
    assert cycles["outside"] == sum(firmware.outside.values())
    assert document["quality"]["leaves_stray"] == 0
    assert document["quality"]["calls_ended_by_return"] == 0


def main(arguments):
    mcuprof, elf, first, seeds = arguments
    facts = mprof.elf_facts(elf)
    lost = 0
    with tempfile.TemporaryDirectory() as folder:
        for seed in range(int(first), int(first) + int(seeds)):
            for lossy in (False, True):
                try:
                    lost += one(mcuprof, elf, facts, seed, lossy, folder)
                except Exception:
                    print(f"seed {seed}, lossy {lossy}")
                    raise
    print(f"{seeds} firmwares, {lost} records swallowed")
    assert lost > 0


if __name__ == "__main__":
    main(sys.argv[1:])
