#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Asks mcuprof where for every halfword of the zoo's code, and compares.

    zoo_compare.py [--each] PROGRAM FOLDER [VARIANT...]

- with what readelf and llvm-dwarfdump say (zoo_truth.py): no difference;
- with the other variants of the same code: no difference;
- with addr2line and llvm-symbolizer: every difference is explained by rules
  (zoo_rules.py, docs/names.md). Where addr2line differs it is asked again in a
  process of its own: for one address of every stretch with one answer, with
  --each for every address.
"""

import argparse
import itertools
import posixpath
import sys
from collections import Counter
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

from zoo_build import HIGH, VARIANTS
from zoo_facts import Facts
from zoo_oracles import Addr2line, Ours, Symbolizer, frames_of
from zoo_rules import RULES, Question, explain
from zoo_truth import Truth

# Whose debug info stands for that of variants of the same code which
# llvm-dwarfdump cannot read as one.
READABLE = {"gcc-O2-split4": "gcc-O2-dw4", "gcc-O2-split5": "gcc-O2-dw5",
            "gcc-O2-no-dwo": "gcc-O2-dw5", "gcc-O2-debuglink": "gcc-O2-dw5",
            "gcc-O2-apart": "gcc-O2-dw4",
            "clang-O2-split": "clang-O2-dw5"}
SHOWN = 2
RAM = 0x20000000


@dataclass
class Outcome:
    """What came out of one variant."""
    name: str
    asked: int = 0
    faults: list = field(default_factory=list)
    uses: Counter = field(default_factory=Counter)
    explained: Counter = field(default_factory=Counter)
    answers: dict = field(default_factory=dict)


def told(frames):
    return " < ".join(f"{'/'.join(sorted(names)) or '?'} {file or '?'}:{line}"
                      for names, file, line in frames) or "nothing"


def spelt(frames):
    """Frames of an oracle with paths as ours writes them."""
    return [(function, posixpath.normpath(file) if file else "", line)
            for function, file, line in frames]


def names_of(place):
    """What ours calls that which exists in memory."""
    names = frames_of(place)[-1][0] if place["frames"] else set()
    return names | {place["symbol"]["linkage"]} if place["symbol"] else names


class Comparison:
    def __init__(self, program, folder, variant, each):
        self.variant = variant
        self.each = each
        elf = folder / variant.name / "zoo.elf"
        twin = READABLE.get(variant.name)
        debug = folder / twin / "zoo.elf" if twin else elf
        symbols = debug if variant.after == "debuglink" else None
        self.facts = Facts(elf, symbols, debug)
        self.truth = Truth(self.facts, variant.lacks != "inlines")
        self.ours = Ours(program, elf)
        self.oracles = [Addr2line(elf), Symbolizer(elf)]
        self.addresses = [a for s in self.facts.sections.values() if s.is_code
                          for a in range(s.start, s.start + s.size, 2)]
        self.outcome = Outcome(variant.name, len(self.addresses))

    def fault(self, address, text):
        where = f"{self.variant.name} {address:#x}: " if address is not None \
            else f"{self.variant.name}: "
        self.outcome.faults.append(where + text)

    def run(self):
        both = [a | bit for a in self.addresses for bit in (0, 1)]
        places = self.ours.places(both)
        self.check_warnings()
        for address in self.addresses:
            self.check_thumb_bit(places[address], places[address | 1])
            self.check_truth(address, places[address])
            self.outcome.answers[address] = self.summary(places[address])
        for oracle in self.oracles:
            self.check_oracle(oracle, places)
        return self.outcome

    # Ours alone.

    def check_warnings(self):
        expected = self.variant.lacks in ("inlines", "debug info")
        if len(self.ours.warnings) != expected:
            self.fault(None, f"{len(self.ours.warnings)} warnings, not "
                       f"{expected}: {self.ours.warnings}")

    def check_thumb_bit(self, even, odd):
        if {**even, "address": odd["address"]} != odd:
            self.fault(odd["address"], "the Thumb bit changes the answer\n    "
                       f"even {even}\n    odd  {odd}")

    def check_truth(self, address, place):
        truth = self.truth.place(address)
        expected = [(f.names, f.file, f.line) for f in truth.frames]
        frames = frames_of(place)
        symbol = place["symbol"] or {}
        wrong = [what for what, is_right in (
            ("kind", place["kind"] == truth.kind),
            ("name", symbol.get("linkage", "") in truth.names
             or not symbol and not truth.names),
            ("start", not symbol or symbol["start"] == truth.start),
            ("offset", not symbol or symbol["offset"]
             == address - symbol["start"]),
            ("frames", len(frames) == len(expected) and all(
                ours[0] & right[0] and ours[1:] == right[1:]
                for ours, right in zip(frames, expected))),
            ("scopes", all(
                f["function"] == right.shown for f, right
                in zip(place["frames"], truth.frames) if f["inlined"])),
            ("columns", [(f["column"] or 0, f["discriminator"] or 0)
                         for f in place["frames"]]
             == [(f.column, f.discriminator) for f in truth.frames]),
        ) if not is_right]
        if wrong:
            self.fault(address, f"{', '.join(wrong)}\n    ours  "
                       f"{place['kind']} {symbol.get('linkage')} at "
                       f"{symbol.get('start')}: {told(frames)}\n    truth "
                       f"{truth.kind} {truth.names} at {truth.start}: "
                       f"{told(expected)}")

    def summary(self, place):
        """What variants of the same code must share."""
        symbol = place["symbol"] or {}
        base = self.variant.flash
        start = symbol.get("start", base)
        frames = [(f["function"], f["linkage"], f["inlined"], f["file"],
                   f["line"]) for f in place["frames"]]
        return (place["kind"], place["section"], symbol.get("linkage"),
                start - base if start < RAM else start, symbol.get("size"),
                symbol.get("suffix"), tuple(frames))

    # The others.

    def check_oracle(self, oracle, places):
        answers = oracle.answers(self.addresses)
        differing = [a for a in self.addresses
                     if not self.agrees(places[a], answers[a])]
        misspelt = {a for a in differing
                    if self.agrees(places[a], spelt(answers[a]))}
        self.use(oracle, "path-spelling", len(misspelt))
        differing = [a for a in differing if a not in misspelt]
        if oracle.name == "addr2line":
            self.ask_again(oracle, answers, differing)
        for address in differing:
            self.check_difference(oracle, places[address], answers[address],
                                  address)
        self.outcome.explained[oracle.name] += len(differing) + len(misspelt)

    def use(self, oracle, rule, count=1):
        self.outcome.uses[f"{oracle.name} {rule}"] += count

    def check_difference(self, oracle, place, frames, address):
        if self.agrees(place, frames):
            # As asked again; query-order has counted it.
            return
        question = Question(self.truth, address, names_of(place))
        rules = explain(question, oracle.name, frames)
        for rule in rules or ():
            self.use(oracle, rule)
        if not rules:
            self.fault(address, f"{oracle.name} differs, and no rule says why"
                       f"\n    ours  {told(frames_of(place))}\n    theirs "
                       f"{told([({n}, f, l) for n, f, l in frames])}\n"
                       f"    truth {question.place}")

    @staticmethod
    def agrees(place, frames):
        ours = frames_of(place)
        if ours:
            ours[-1] = (names_of(place), *ours[-1][1:])
        return len(ours) == len(frames) and all(
                function in names and file == our_file and line == our_line
                for (names, our_file, our_line), (function, file, line)
                in zip(ours, frames))

    def ask_again(self, oracle, answers, differing):
        """What addr2line says may depend on what it was asked before."""
        def key(address):
            return str(answers[address])

        for _, stretch in itertools.groupby(differing, key):
            stretch = list(stretch)
            count = len(stretch) if self.each else 1
            changed = self.refresh(oracle, answers, stretch[:count])
            if changed:
                # One that changes brings all of its stretch into doubt.
                self.refresh(oracle, answers, stretch[count:])

    def refresh(self, oracle, answers, addresses):
        """Whether a process of its own says otherwise of any."""
        changed = 0
        for address in addresses:
            fresh = oracle.fresh(address)
            changed += fresh != answers[address]
            answers[address] = fresh
        self.use(oracle, "query-order", changed)
        return changed


def compare_one(arguments):
    return Comparison(*arguments).run()


# Several variants.

def check_families(outcomes, variants):
    """The same code has the same answers, halfword by halfword."""
    faults = []
    families = {}
    for variant in variants:
        families.setdefault(variant.family, []).append(variant)
    for members in families.values():
        model = outcomes[members[0].name].answers
        for variant in members[1:]:
            faults += same_answers(variant, outcomes[variant.name].answers,
                                   members[0], model)
    return faults


def same_answers(variant, answers, model_variant, model, shift=0):
    if {a + shift for a in answers if a < RAM} \
            != {a for a in model if a < RAM}:
        return [f"{variant.name}: other addresses than {model_variant.name}"]
    faults = []
    for address, ours in answers.items():
        other = model[address + shift if address < RAM else address]
        if variant.lacks:
            ours, other = (physical(answer, variant.lacks)
                           for answer in (ours, other))
        if ours != other:
            faults.append(f"{variant.name} {address:#x}: not as "
                          f"{model_variant.name}\n    {ours}\n    {other}")
    return faults


def physical(answer, lacks):
    """What is left of an answer without inlines, or without any lines."""
    *symbol, frames = answer
    line = frames[0][3:] if frames and lacks == "inlines" else None
    return (*symbol, line)


def check_shift(outcomes, variants, low, high):
    """Flash at 0 and elsewhere: what was discarded makes no difference."""
    by_name = {v.name: v for v in variants}
    if low not in by_name or high not in by_name:
        return []
    return same_answers(by_name[low], outcomes[low].answers, by_name[high],
                        outcomes[high].answers, HIGH)


def report(outcomes, faults, all_variants):
    uses = sum((o.uses for o in outcomes), Counter())
    asked = sum(o.asked for o in outcomes)
    print(f"{len(outcomes)} variants, {asked} halfwords")
    for oracle in ("addr2line", "llvm-symbolizer"):
        differing = sum(o.explained[oracle] for o in outcomes)
        print(f"{oracle}: {asked - differing} agree, {differing} differ by")
        for use, count in sorted(uses.items(), key=lambda item: -item[1]):
            name, rule = use.split()
            if name == oracle:
                print(f"  {count:6} {rule}")
    if all_variants:
        stale = [f"{oracle} {rule}" for rule, (of, _) in RULES.items()
                 for oracle in of if not uses[f"{oracle} {rule}"]]
        faults += [f"a rule that explains nothing: {name}" for name in stale]
    print(f"{len(faults)} faults")
    shown = Counter()
    for fault in faults:
        group = fault.split()[0]
        shown[group] += 1
        if shown[group] <= SHOWN:
            print(fault)
    return not faults


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--each", action="store_true")
    parser.add_argument("program")
    parser.add_argument("folder", type=Path)
    parser.add_argument("variants", nargs="*")
    options = parser.parse_args()
    variants = [v for v in VARIANTS
                if not options.variants or v.name in options.variants]
    with ProcessPoolExecutor(2) as pool:
        results = list(pool.map(compare_one, (
                (options.program, options.folder, v, options.each)
                for v in variants)))
    outcomes = {o.name: o for o in results}
    faults = [fault for o in results for fault in o.faults]
    faults += check_families(outcomes, variants)
    faults += check_shift(outcomes, variants, "gcc-O2-dw5", "gcc-O2-high")
    faults += check_shift(outcomes, variants, "clang-lld", "clang-lld-high")
    return report(results, faults, not options.variants)


if __name__ == "__main__":
    sys.exit(0 if main() else 1)
