# SPDX-License-Identifier: MIT
"""Figures, and what tests/budget/limits.txt allows them: the one place where
limits stand, for the bench and for the test."""

import re
from dataclasses import dataclass
from pathlib import Path

LIMITS = Path(__file__).parent.parent / "tests/budget/limits.txt"

SECTION = re.compile(r"\[(\w+)\]$")
LIMIT = re.compile(r"(\w+) (<=|>=) ([\d.]+)$")
ACCEPTED = re.compile(r" +accepted ([\d.]+): \S")


@dataclass
class Limit:
    """What a figure must not exceed or, if `least`, fall below; `accepted` is
    that for a goal that is not reached yet."""
    goal: float
    least: bool
    section: str
    accepted: float = None

    def allows(self, value, bound):
        return value >= bound if self.least else value <= bound

    def is_met(self, value):
        return self.allows(value, self.goal)

    def is_kept(self, value):
        bound = self.goal if self.accepted is None else self.accepted
        return self.is_met(value) or self.allows(value, bound)


def read_limits(path=LIMITS):
    limits, section, last = {}, None, None
    with open(path) as file:
        for number, line in enumerate(map(str.rstrip, file), 1):
            if line.startswith("#") or not line:
                continue
            if match := SECTION.match(line):
                section = match[1]
            elif match := LIMIT.match(line):
                if match[1] in limits:
                    raise ValueError(f"{path}:{number}: a second limit")
                last = limits[match[1]] = Limit(float(match[3]),
                                                match[2] == ">=", section)
            elif (match := ACCEPTED.match(line)) and last is not None:
                last.accepted = float(match[1])
            elif not line.startswith("  ") or last is None:
                raise ValueError(f"{path}:{number}: what is that?")
    return limits


class Results:
    """The figures of one run; `limits` is for tests of this file."""

    def __init__(self, limits=None):
        self.rows = []
        self.limits = read_limits() if limits is None else limits

    def title(self, text):
        print(f"\n{text}")

    def put(self, name, value, unit, show=True):
        """Without `show` the caller prints the value in a table of its own."""
        limit = self.limits.get(name)
        row = {"name": name, "value": round(value, 4), "unit": unit,
               "goal": None, "met": None}
        verdict = ""
        if limit is not None:
            row.update(goal=limit.goal, met=limit.is_met(value))
            verdict = f"  goal {limit.goal:g}"
            if not row["met"]:
                verdict += "  MISSED"
            if limit.accepted is not None:
                row["accepted"] = limit.accepted
                verdict += f", accepted {limit.accepted:g}"
            if not limit.is_kept(value):
                verdict += "  EXCEEDED"
        self.rows.append(row)
        if show:
            shown = f"{value:,.2f}".rstrip("0").rstrip(".")
            print(f"  {name:34} {shown:>9} {unit}{verdict}")

    def exceeded(self):
        """What is wrong, a line each."""
        return [f"{row['name']} is {row['value']:g} {row['unit']}; "
                f"{'at least' if limit.least else 'at most'} "
                f"{limit.goal if limit.accepted is None else limit.accepted:g}"
                for row in self.rows
                if (limit := self.limits.get(row["name"]))
                and not limit.is_kept(row["value"])]

    def unmeasured(self, *sections):
        """Limits of these sections that no figure has come for."""
        measured = {row["name"] for row in self.rows}
        return [f"{name} has a limit and was not measured"
                for name, limit in self.limits.items()
                if limit.section in sections and name not in measured]

    def missed(self):
        return [row["name"] for row in self.rows if row["met"] is False]
