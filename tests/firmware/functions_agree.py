#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""functions_agree.py KIND=FILE...: whether all tell the same function table.

Kinds: text, what the firmware printed; frames, what it sent; view, what gdb
prints of mcuprof_functions_view; json, csv, table (--unit cycles), reports of
the host (--by context -n 0); rows, what mcuprof-functions prints. Each has a row for
whatever another has one for, as far as it tells of such. A number that a kind
does not tell is not compared; each is told by three of them at least.
"""

import csv
import json
import os
import re
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "tools"))
import function_rows  # noqa: E402

NUMBERS = ("calls", "open", "self", "total", "min", "max")
SUMS = {"unwound", "unmatched", "deep", "no_slot", "no_context", "tries"}


def put(table, key, **numbers):
    if key in table:
        sys.exit(f"{key} twice")
    table[key] = numbers


def text(path):
    """Rows by (context, address), (context, "outside" or "no_slot"); counts."""
    table = {}
    with open(path, encoding="ascii") as file:
        lines = [line.split() for line in file]
    put(table, "sum", ticks=next(int(word[6:]) for word in lines[0]
                                if word.startswith("ticks=")))
    for words in lines:
        what = words[1]
        if what.startswith("0x"):
            context, *numbers = map(int, words[2:10])
            average = numbers.pop(4)
            put(table, (context, int(what, 16)), average=average,
                **dict(zip(NUMBERS, numbers)))
        elif what == "outside":
            put(table, (int(words[2]), what), self=int(words[3]))
        elif what == "no_slot":
            put(table, (int(words[2]), what), calls=int(words[3]),
                self=int(words[4]))
        elif what == "counts":
            put(table, "counts", **{k: int(v) for k, v in
                                    (word.split("=") for word in words[2:])})
        elif what.startswith("sum="):
            table["sum"]["all"] = int(what[4:])
    return table


def frames(path):
    snapshot = function_rows.snapshots(path)[-1]
    table = {}
    put(table, "sum", ticks=snapshot.ticks, all=snapshot.sum())
    put(table, "counts", **snapshot.counts)
    for key, row in snapshot.rows.items():
        put(table, key, **vars(row))
    for context, own in snapshot.outside.items():
        put(table, (context, "outside"), self=own)
    for context, (calls, own) in snapshot.none.items():
        put(table, (context, "no_slot"), calls=calls, self=own)
    return table


def view(path):
    table = {}
    with open(path, encoding="utf-8") as file:
        shown = file.read()
    found = re.findall(r"\{function = (0x[0-9a-f]+)[^,]*, context = (\d+), "
                       r"open = (\d+), calls = (\d+), self = (\d+), "
                       r"total = (\d+), min = (\d+), max = (\d+)\}", shown)
    for address, context, opened, calls, *ticks in found:
        if int(address, 16) == 0 and not table:
            sys.exit("the view is empty")
        if (int(context), int(address, 16)) in table or address == "0x0":
            break
        put(table, (int(context), int(address, 16)), open=int(opened),
            calls=int(calls), **dict(zip(NUMBERS[2:], map(int, ticks))))
    return table


def of_report(rows):
    table = {}
    for row in rows:
        kind, context = row["kind"], row["context_id"]
        numbers = {name: row[name] for name in ("calls", "open")
                   if row.get(name) not in (None, "")}
        numbers |= {name: row[name + "_ticks"] for name in
                    ("self", "total", "min", "max", "average")
                    if row.get(name + "_ticks") not in (None, "")}
        numbers = {name: int(number) for name, number in numbers.items()}
        if kind == "function":
            address = row["address"]
            put(table, (int(context), int(str(address), 0)), **numbers)
        elif kind == "hooks":
            put(table, "hooks", self=numbers["self"])
        else:
            put(table, (int(context), kind), **numbers)
    return table


def from_json(path):
    with open(path, encoding="utf-8") as file:
        report = json.load(file)
    table = of_report(report["rows"])
    facts, counted = report["function_table"], report["quality"]
    put(table, "sum", ticks=facts["wall_ticks"], all=facts["sum_ticks"])
    put(table, "counts", **{name: counted["function_table"][name]
                            for name in SUMS})
    return table


def from_csv(path):
    with open(path, encoding="utf-8", newline="") as file:
        return of_report(csv.DictReader(file))


def from_table(path):
    table = {}
    with open(path, encoding="utf-8") as file:
        for line in file:
            row = re.match(r" *(0x[0-9a-f]{8}) +" + r"([\d,-]+) +" * 6
                           + r"(?:[\d,.-]+ +)+.*?(?:\((\d+)\)|thread) ", line)
            if not row:
                continue
            address, *numbers, context = row.groups()
            numbers = [None if n == "-" else int(n.replace(",", ""))
                       for n in numbers]
            names = ("calls", "self", "total", "average", "min", "max")
            put(table, (int(context or 0), int(address, 16)),
                **{k: v for k, v in zip(names, numbers) if v is not None})
    return table


def rows(path):
    """What has ended; of what is open the text tells more."""
    table = {}
    with open(path, encoding="utf-8") as file:
        for line in file:
            row = re.match(r" *(\d+) +(\d+) +(\d+) +(\d+)(?: +(open))? +(\d+) +"
                           r"(0x[0-9a-f]+) <\w+>$", line)
            if row and not row[5]:
                put(table, (int(row[6]), int(row[7], 16)), calls=int(row[1]),
                    self=int(row[2]), total=int(row[3]), average=int(row[4]))
    return table


def missing(kind, table, told):
    """Rows of any other that this has not and should have."""
    functions = {key for key, _ in told
                 if isinstance(key, tuple) and isinstance(key[1], int)}
    expected = {key for key, _ in told if isinstance(key, tuple)}
    if kind in ("view", "table"):
        expected = functions
    elif kind == "rows":
        expected = {key for key in functions
                    if not any(told[key, "open"].values())}
    return expected - table.keys()


READERS = {"text": text, "frames": frames, "view": view, "json": from_json,
           "csv": from_csv, "table": from_table, "rows": rows}


def main():
    told = {}
    tables = []
    for argument in sys.argv[1:]:
        kind, path = argument.split("=", 1)
        if kind not in READERS:
            sys.exit(__doc__)
        tables.append((kind, path, READERS[kind](path)))
        for key, numbers in tables[-1][2].items():
            for name, number in numbers.items():
                told.setdefault((key, name), {})[path] = number
    wrong = {what: by for what, by in told.items()
             if len(set(by.values())) > 1}
    for what, by in wrong.items():
        print(what, by)
    lost = [(path, key) for kind, path, table in tables
            for key in missing(kind, table, told)]
    for path, key in lost:
        print(f"{path} has no row of {key}")
    functions = {key for key, _ in told if isinstance(key, tuple)}
    least = min((len(by) for (key, name), by in told.items()
                 if key in functions and name in NUMBERS), default=0)
    print(f"{len(functions)} rows, {len(told)} numbers, each by {least} at "
          f"least, {len(wrong)} of them differ, {len(lost)} rows are missing")
    return 1 if wrong or lost or least < 3 else 0


if __name__ == "__main__":
    sys.exit(main())
