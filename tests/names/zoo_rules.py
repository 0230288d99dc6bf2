# SPDX-License-Identifier: MIT
"""The rules by which other symbolizers may answer otherwise than mcuprof.

A rule has a name, which docs/names.md explains, a condition on the address
that only readelf and llvm-dwarfdump decide, and a consequence: what the other
answers there. A disagreement is explained if its answer is exactly what some
of the rules that apply lead to, and by the fewest of them.
"""

import itertools
import posixpath
from dataclasses import dataclass, field

from zoo_truth import CLONE, base_name

BOTH = ("addr2line", "llvm-symbolizer")
ADDR2LINE = ("addr2line",)
LLVM = ("llvm-symbolizer",)


@dataclass
class Pattern:
    """A frame that an oracle may answer: one of the names at one of the
    places."""
    names: set
    places: set                # of (file, line)

    def fits(self, frame, spelled):
        function, file, line = frame
        if spelled and file:
            file = posixpath.normpath(file)
        return function in self.names and (file, line) in self.places


@dataclass
class Question:
    """An address, and what the facts have to say of it."""
    truth: object
    address: int
    shown: set = field(default_factory=set)    # names of ours in memory
    place: object = field(init=False)

    def __post_init__(self):
        self.place = self.truth.place(self.address)
        self.mark = self.truth.mark(self.address)
        self.chains = self.truth.chains(self.address)
        self.objects = self.truth.covering(self.address, "OBJECT")
        # All begins of what was discarded are 0, whatever they were: bodies
        # overlap there, and any may be taken.
        self.dead_chains = [chain for low, high, die in self.truth.functions
                            if low <= self.address < high
                            and self.truth.is_dead(die)
                            for chain in self.nested(die)]
        self.dead_rows = [s.at(self.address) for s in self.truth.sequences
                          if s.dead and s.start <= self.address < s.end]

    def nested(self, die):
        """Every chain within a DIE whose innermost claims the address."""
        if die.tag != "lexical_block" and any(
                low <= self.address < high for low, high in die.ranges):
            yield [die]
        outer = [] if die.tag == "lexical_block" else [die]
        for child in die.children:
            if child.tag in ("lexical_block", "inlined_subroutine"):
                yield from (chain + outer for chain in self.nested(child))

    def unloaded_names(self):
        """Of the symbols of sections that are never loaded, those that an
        address space without sections would put last before the address."""
        before = [s for s in self.truth.facts.unloaded
                  if s.start <= self.address]
        last = max((s.start for s in before), default=0)
        return {s.name for s in before if s.start == last}

    def symbols_before(self):
        """Those of the last address that has any, up to this one; and those
        that are no objects."""
        facts = self.truth.facts
        section = facts.section(self.address)
        found = []
        for kinds in ({"FUNC", "NOTYPE"}, {"FUNC", "NOTYPE", "OBJECT"}):
            before = [s for s in facts.symbols if s.start <= self.address
                      and s.section == section.index and s.kind in kinds]
            found += [s for s in before if s.start == before[-1].start]
        return found


def is_cpp(die):
    return "C_plus_plus" in die.unit.texts.get("language", "")


# Conditions.

def in_literals(q):
    return q.mark == "d" and not q.objects


def in_object(q):
    return bool(q.objects)


def in_gap(q):
    return q.place.kind == "unknown"


def under_dead(q):
    return bool(q.dead_chains or q.dead_rows)


def has_label(q):
    """A symbol within the function that is none of its names."""
    return q.place.kind == "function" and any(
            q.place.start < s.start <= q.address
            for s in q.symbols_before())


def has_alias(q):
    """More than one symbol where the function begins."""
    return len({base_name(s.name) for s in q.truth.facts.symbols
                if s.start == q.place.start}) > 1


def is_clone(q):
    return any(CLONE.search(s.name) and s.start == q.place.start
               for s in q.truth.facts.symbols)


def is_split(q):
    return q.truth.facts.is_split


def in_veneer(q):
    return any(s.name.endswith("_veneer") or "Thunk_" in s.name
               for s in q.truth.covering(q.address, "FUNC"))


def lacks_symbols(q):
    return not q.truth.facts.has_symbols


def has_nameless_cpp(q):
    """A C++ function without a linkage name, as extern "C" inlines have."""
    return any(is_cpp(die) and not q.truth.facts.has_linkage(die)
               for chain in q.truth.chains(q.address, dead=True)
               for die in chain)


def has_index(q):
    return any(die.indexed for chain in q.truth.chains(q.address, dead=True)
               for die in chain)


def at_thumb_bit(q):
    """Where a function begins or ends whose addresses are odd: in the symbol
    table all, in debug info those of gas."""
    return any(die.raw_high == q.address + 1
               for _, _, die in q.truth.functions) \
        or any(s.kind == "FUNC" and s.start == q.address
               for s in q.truth.facts.symbols)


def has_unloaded(q):
    return bool(q.truth.facts.unloaded)


def has_no_row(q):
    return not q.truth.rows(q.address)


def always(_):
    return True


RULES = {
    "literal-pool": (BOTH, in_literals),
    "data-object": (BOTH, in_object),
    "gap": (BOTH, in_gap),
    "dead-at-0": (BOTH, under_dead),
    "label": (LLVM, has_label),
    "veneer": (BOTH, in_veneer),
    "alias": (BOTH, has_alias),
    "clone-suffix": (BOTH, is_clone),
    "split-unit": (ADDR2LINE, is_split),
    "cpp-symbol": (ADDR2LINE, has_nameless_cpp),
    "indexed-range": (ADDR2LINE, has_index),
    "thumb-bit": (ADDR2LINE, at_thumb_bit),
    "no-symbols": (LLVM, lacks_symbols),
    "unloaded-symbol": (LLVM, has_unloaded),
    "symbol-file": (BOTH, has_no_row),
    "path-spelling": (BOTH, always),
}


class Expectation:
    """What an oracle may answer by a set of rules."""

    def __init__(self, question, oracle, rules):
        self.q = question
        self.oracle = oracle
        self.truth = question.truth
        self.rules = rules

    def rows(self):
        dead = "dead-at-0" in self.rules
        rows = set(self.truth.rows(self.q.address, dead))
        # A unit that is chosen by its discarded ranges knows no line.
        return rows | self.no_row() if self.is_misled() or not rows else rows

    def no_row(self):
        places = {("", 0)}
        if {"symbol-file", "split-unit", "dead-at-0"} & self.rules:
            places |= {(name, 0) for name in self.truth.facts.files}
        return places

    def symbol_names(self):
        return {s.name for s in self.q.symbols_before()}

    def covering_names(self):
        return {s.name for s in self.truth.covering(self.q.address, "FUNC")}

    def physical_names(self, die=None):
        """What the function may be called, whose DIE may be known."""
        names = set(self.q.shown)
        if die is not None and (
                self.q.place.kind != "function"
                or die not in (c[-1] for c in self.q.chains)):
            names |= set(self.truth.facts.names(die))
        if "no-symbols" in self.rules:
            names.add("")
        if "alias" in self.rules:
            names |= {s.name for s in self.truth.facts.symbols
                      if s.start == self.q.place.start}
        if "clone-suffix" in self.rules:
            bases = {base_name(name) for name in names}
            names |= bases | {s.name for s in self.truth.facts.symbols
                              if base_name(s.name) in bases}
        if {"label", "gap", "literal-pool", "data-object"} & self.rules:
            names |= self.symbol_names() | self.covering_names()
        if "veneer" in self.rules:
            names |= self.covering_names()
        if "unloaded-symbol" in self.rules:
            names |= self.q.unloaded_names()
        if {"gap", "literal-pool"} & self.rules:
            names.add("")
        return names

    def chain_pattern(self, chain, rows):
        patterns, places = [], rows
        for die in chain:
            if die.tag == "inlined_subroutine":
                names = set(self.truth.facts.names(die))
                call = {self.truth.call(die)}
            else:
                names, call = self.physical_names(die), set()
            if "cpp-symbol" in self.rules and is_cpp(die) \
                    and not self.truth.facts.has_linkage(die):
                names |= self.symbol_names() | set(self.truth.facts.names(die))
            patterns.append(Pattern(names, places))
            places = call
        return patterns

    def chains(self):
        chains = self.q.chains
        if "indexed-range" in self.rules:
            chains = [chain[skipped:] for chain in chains
                      for skipped in range(len(chain))
                      if all(die.indexed for die in chain[:skipped])]
        if "dead-at-0" in self.rules:
            chains = chains + self.q.dead_chains
        if "thumb-bit" in self.rules:
            chains = chains + [[die] for _, _, die in self.truth.functions
                               if die.raw_high == self.q.address + 1]
        return chains

    def is_misled(self):
        return "dead-at-0" in self.rules and self.oracle in LLVM

    def patterns(self):
        """Every list of frames that the rules allow."""
        if self.q.place.kind == "unknown" and "gap" not in self.rules \
                or self.q.place.kind == "data" and not self.rules & {
                        "literal-pool", "data-object"}:
            # No function; a line may be told.
            rows = {(f.file, f.line) for f in self.q.place.frames}
            found = [[Pattern({""}, rows)] if rows else []]
            return found + [[]] if self.is_misled() else found
        rows = self.rows()
        found = [self.chain_pattern(chain, rows) for chain in self.chains()]
        if "thumb-bit" in self.rules and self.q.address:
            found.append([Pattern(
                    Question(self.truth, self.q.address - 2).place.names,
                    self.no_row() | {("", 0)})])
        if self.is_misled():
            # Nor a function.
            found += [[Pattern(self.physical_names(), rows)], []]
        if "split-unit" in self.rules:
            rows = rows | self.no_row()
        if "no-symbols" in self.rules:
            found.append([])
        if "split-unit" in self.rules or not self.q.chains:
            found.append([Pattern(self.physical_names(), rows)])
        return found


def explain(question, oracle, frames):
    """The names of the fewest rules that lead to the oracle's frames; None if
    none do."""
    applying = [name for name, (oracles, condition) in RULES.items()
                if oracle in oracles and condition(question)]
    for count in range(len(applying) + 1):
        for rules in itertools.combinations(applying, count):
            rules = frozenset(rules)
            for patterns in Expectation(question, oracle, rules).patterns():
                if rules and len(patterns) == len(frames) and all(
                        p.fits(f, "path-spelling" in rules)
                        for p, f in zip(patterns, frames)):
                    return rules
    return None
