# SPDX-License-Identifier: MIT
"""What an address is, from the facts of readelf and llvm-dwarfdump.

Written from docs/names.md and not from the program it tests. Each rule there
by which other symbolizers answer otherwise is a switch here: with it the
answer becomes theirs.
"""

import bisect
import posixpath
import re
from dataclasses import dataclass

CLONE = re.compile(r"\.(constprop|isra|part|cold|lto_priv|llvm|localalias)"
                   r"(\.\d+)?(?=\.|$)")
VENEER = re.compile(r"__(?P<gnu>.+)_veneer$|__Thumbv\w*Thunk_(?P<lld>.+)$")
LAST = 0xFFFFFFF0


def base_name(name):
    """Without the suffix of a clone."""
    match = CLONE.search(name)
    return name[:match.start()] if match and match.start() else name


@dataclass
class Frame:
    """One function of the inline chain; the names are all those it has."""
    names: set
    file: str
    line: int
    column: int = 0
    discriminator: int = 0
    shown: str = ""        # of an inlined one


@dataclass
class Place:
    kind: str              # function, data, unknown
    names: set             # of what exists in memory
    start: int
    frames: list           # innermost first


class Truth:
    """has_inlines: whether the files at hand say what was inlined."""

    def __init__(self, facts, has_inlines=True):
        self.facts = facts
        self.has_inlines = has_inlines
        self.starts = [s.start for s in facts.symbols]
        self.begins = {}
        for symbol in facts.symbols:
            if symbol.kind == "FUNC":
                self.begins.setdefault(symbol.start, set()).add(
                        base_name(symbol.name))
        self.dead = {}
        self.functions = [(low, high, die) for die in facts.dies.values()
                          if die.tag == "subprogram"
                          for low, high in die.ranges]
        self.sequences = [s for unit in facts.units for s in unit.sequences]
        self.lines_of = {}
        for sequence in self.sequences:
            sequence.dead = False
        for unit in facts.units:
            for sequence in unit.sequences:
                sequence.dead = self.is_dead_sequence(unit, sequence)

    # What the linker threw away.

    @staticmethod
    def is_suspect(address):
        return address < 2 or address >= LAST

    def is_dead(self, die):
        if die.offset not in self.dead:
            low = min(low for low, _ in die.ranges)
            self.dead[die.offset] = self.is_suspect(low) and not any(
                    self.is_name_of(die, name)
                    for name in self.begins.get(low, ()))
        return self.dead[die.offset]

    def is_name_of(self, die, symbol):
        """A name that is not mangled is a part of one that is."""
        linkage, name = self.facts.names(die)
        part = re.match(r"~?(\w*)", name)[1]
        return symbol in (linkage, name) or (
                linkage == name and part != "" and bool(re.match(
                    rf"_[ZR](.*\D)?{len(part)}{part}", symbol)))

    def is_dead_sequence(self, unit, sequence):
        """A sequence at 0 lives with the function that is there and ends
        where it does, but for padding."""
        if not self.is_suspect(sequence.start):
            return False
        return not any(low == sequence.start and 0 <= sequence.end - high < 4
                       for low, high, die in self.functions
                       if die.unit is unit and not self.is_dead(die))

    # Symbols.

    def mark(self, address):
        """t, a, d, or nothing where no mapping symbol says."""
        section = self.facts.section(address)
        index = bisect.bisect_right(self.facts.marks, (address, "z")) - 1
        if section is None or index < 0:
            return ""
        start, letter = self.facts.marks[index]
        return letter if start >= section.start else ""

    def covering(self, address, kind):
        return [s for s in self.facts.symbols if s.kind == kind
                and s.start <= address < s.start + s.size]

    def label(self, address):
        """The last symbol without a size at or before the address, unless
        another, data or the section's end lies between."""
        section = self.facts.section(address)
        index = bisect.bisect_right(self.starts, address) - 1
        while index >= 0:
            symbol = self.facts.symbols[index]
            if section is None or symbol.start < section.start:
                return None
            end = symbol.start + symbol.size
            if symbol.size and end > address or not symbol.size \
                    and symbol.section == section.index \
                    and self.mark(symbol.start) in ("t", "a") \
                    and all(self.mark(at) != "d"
                            for at in range(symbol.start, address, 2)):
                return symbol
            if symbol.size:
                return None
            index -= 1
        return None

    def physical_symbol(self, address):
        """Names and start of the function by the symbol table."""
        covering = self.covering(address, "FUNC")
        if covering:
            start = max(s.start for s in covering)
        else:
            label = self.label(address)
            if label is None:
                return set(), address
            start = label.start
        return {s.name for s in self.facts.symbols if s.start == start
                and (s.kind == "FUNC" or not s.size)}, start

    # Debug info.

    def chains(self, address, dead=False):
        """The inline chain of every subprogram that claims the address, as
        DIEs, innermost first."""
        found = []
        for low, high, die in self.functions:
            if low <= address < high and (dead or not self.is_dead(die)):
                chain = [die]
                if self.has_inlines:
                    self.descend(die, address, chain)
                found.append(chain[::-1])
        return found

    def descend(self, die, address, chain):
        for child in die.children:
            if child.tag == "inlined_subroutine":
                if any(low <= address < high for low, high in child.ranges):
                    chain.append(child)
                    self.descend(child, address, chain)
                    return True
            elif child.tag in ("lexical_block", "try_block", "catch_block"):
                if self.descend(child, address, chain):
                    return True
        return False

    def rows(self, address, dead=False):
        """(file, line) of every sequence that claims the address."""
        return [s.at(address) for s in self.sequences
                if s.start <= address < s.end and (dead or not s.dead)]

    def detail(self, address):
        """(column, discriminator) of the instruction."""
        return next((s.details[s.index(address)] for s in self.sequences
                     if s.start <= address < s.end and not s.dead), (0, 0))

    def call(self, die):
        line = die.texts.get("call_line")
        file = self.facts.text(die, "call_file")
        return (posixpath.normpath(file) if file else "",
                int(line) if line else 0)

    def frames(self, chain, row):
        """The frames of one chain whose innermost instruction is at row."""
        frames, place = [], row
        for die in chain:
            names = {name for name in self.facts.names(die) if name}
            frames.append(Frame(names, *place, shown=self.facts.shown(die)))
            if die.tag == "inlined_subroutine":
                place = (*self.call(die),
                         int(die.texts.get("call_column", "0"), 0))
        return frames

    def place(self, address):
        address &= ~1
        objects = self.covering(address, "OBJECT")
        if objects or self.mark(address) == "d":
            return Place("data", {s.name for s in objects},
                         max((s.start for s in objects), default=address), [])
        names, start = self.physical_symbol(address)
        chains, rows = self.chains(address), self.rows(address)
        row = (*rows[0], *self.detail(address)) if rows else ("", 0)
        if chains:
            frames = self.frames(chains[0], row)
            entry = chains[0][-1].ranges[0][0]
            if start != entry:
                # A label within the function, or a symbol table that lacks it.
                names = set(frames[-1].names)
            start = entry
            frames[-1].names |= names
        elif names:
            veneers = {match["gnu"] or match["lld"] for name in names
                       if (match := VENEER.match(name))}
            names = veneers or names
            frames = [Frame(set(names), *row)]
        else:
            # Nobody's code may have a line all the same.
            return Place("unknown", set(), address,
                         [Frame({""}, *row)] if rows else [])
        return Place("function", names, start, frames)
