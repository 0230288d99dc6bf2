# SPDX-License-Identifier: MIT
"""What readelf and llvm-dwarfdump say of an ELF: symbols and debug info.

Nothing here is decided: no function is dead, no symbol a label. That is done
by zoo_truth.py, in plain sight.
"""

import bisect
import posixpath
import re
import subprocess
from dataclasses import dataclass, field


def tool(*command):
    return subprocess.run(command, check=True, capture_output=True,
                          text=True).stdout


@dataclass
class Symbol:
    name: str
    start: int                 # without the Thumb bit
    size: int
    kind: str                  # FUNC, OBJECT, NOTYPE
    section: int
    is_global: bool


@dataclass
class Section:
    index: int
    name: str
    start: int
    size: int
    is_code: bool


@dataclass
class Die:
    offset: int
    tag: str
    depth: int
    texts: dict = field(default_factory=dict)
    ranges: list = field(default_factory=list)
    children: list = field(default_factory=list)
    unit: object = None
    parent: object = None
    indexed: bool = False      # begin or ranges by index
    raw_high: int = 0          # end as written, with a Thumb bit it may have


@dataclass
class Sequence:
    """Rows of a line table without a gap; the last has no line."""
    addresses: list = field(default_factory=list)
    lines: list = field(default_factory=list)    # (file, line)
    details: list = field(default_factory=list)  # (column, discriminator)
    start = property(lambda self: self.addresses[0])
    end = property(lambda self: self.addresses[-1])

    def at(self, address):
        return self.lines[self.index(address)]

    def index(self, address):
        """Of the row of an address between start and end."""
        return bisect.bisect_right(self.addresses, address) - 1


def read_sections(elf):
    found = {}
    for line in tool("arm-none-eabi-readelf", "-SW", elf).splitlines():
        match = re.match(r"\s*\[ *(\d+)\] (\S+) +(\S+) +([0-9a-f]{8}) [0-9a-f]+"
                         r" ([0-9a-f]+) +\S+ +(\w*) ", line)
        if match and "A" in match[6]:
            found[int(match[1])] = Section(
                    int(match[1]), match[2], int(match[4], 16),
                    int(match[5], 16), "X" in match[6])
    return found


def read_symbols(elf):
    for line in tool("arm-none-eabi-readelf", "-sW", elf).splitlines():
        match = re.match(r"\s*\d+: ([0-9a-f]{8}) +(\w+) (\w+) +(\w+) +\w+ +"
                         r"(?:\[.*\] +)?(\d+|ABS) (\S+)", line)
        if match and match[3] == "FILE":
            yield Symbol(match[6], 0, 0, "FILE", 0, False)
        elif match and match[5] != "ABS" \
                and match[3] in ("FUNC", "OBJECT", "NOTYPE"):
            start = int(match[1], 16)
            yield Symbol(match[6],
                         start & ~1 if match[3] == "FUNC" else start,
                         int(match[2], 0), match[3], int(match[5]),
                         match[4] != "LOCAL")


DIE = re.compile(r"0x([0-9a-f]{8}): ( *)(DW_TAG_\w+|NULL)")
ATTRIBUTE = re.compile(r" +DW_AT_(\w+)\t\((.*)")
RANGE = re.compile(r" +\[0x([0-9a-f]+), 0x([0-9a-f]+)\)")
WANTED = {"name", "linkage_name", "low_pc", "high_pc", "abstract_origin",
          "specification", "call_file", "call_line", "call_column",
          "stmt_list", "comp_dir", "ranges", "MIPS_linkage_name",
          "language", "type", "decl_file", "decl_line"}
INDEXED = re.compile(r" +DW_AT_(?:low_pc|ranges) \[DW_FORM_(?:rngl|addr)")


def mark_indexed(elf, by_offset):
    """Where begin or ranges are given by an index, as DWARF 5 may."""
    die = None
    for line in tool("llvm-dwarfdump", "-v", "--debug-info", elf).splitlines():
        match = DIE.match(line)
        if match:
            die = by_offset.get(int(match[1], 16))
        elif INDEXED.match(line):
            die.indexed = True


def read_dies(elf):
    """The units, as trees, and all DIEs by their offset."""
    units, by_offset, path, in_ranges = [], {}, [], False
    die = None
    for line in tool("llvm-dwarfdump", "--debug-info", elf).splitlines():
        match = DIE.match(line)
        if match:
            depth = len(match[2]) // 2
            del path[depth:]
            if match[3] == "NULL":
                continue
            die = Die(int(match[1], 16), match[3][7:], depth)
            by_offset[die.offset] = die
            if path:
                path[-1].children.append(die)
                die.parent = path[-1]
            else:
                units.append(die)
            path.append(die)
            die.unit = path[0]
            continue
        match = ATTRIBUTE.match(line)
        if match:
            in_ranges = match[1] == "ranges"
            if match[1] in WANTED:
                die.texts[match[1]] = match[2].removesuffix(")")
            continue
        match = RANGE.match(line) if in_ranges else None
        if match:
            die.ranges.append((int(match[1], 16) & ~1, int(match[2], 16)))
    for die in by_offset.values():
        low, high = (die.texts.get(key, "") for key in ("low_pc", "high_pc"))
        if low.startswith("0x") and high.startswith("0x"):
            die.ranges.append((int(low, 16) & ~1, int(high, 16) & ~1))
            die.raw_high = int(high, 16)
        # The linker leaves empty ranges of what it discarded.
        die.ranges = [(low, high) for low, high in die.ranges if low < high]
    mark_indexed(elf, by_offset)
    return units, by_offset


ROW = re.compile(r"0x([0-9a-f]{16}) +(\d+) +(\d+) +(\d+) +\d+ +(\d+) (.*)")


class LineTable:
    """One of the line tables while it is read."""

    def __init__(self):
        self.version = 0
        self.directories, self.files, self.sequences = {}, [], []
        self.sequence = Sequence()

    def path(self, index, comp_dir):
        """Of a file of the table, absolute."""
        index -= self.version < 5
        if not 0 <= index < len(self.files):
            return ""
        name, directory = self.files[index]
        # Before version 5, directory 0 is the unit's and not listed.
        parts = [comp_dir, self.directories.get(directory, ""), name]
        return posixpath.normpath(posixpath.join(*parts))

    def row(self, match):
        address = int(match[1], 16)
        line, column, number, discriminator = (int(match[i])
                                               for i in range(2, 6))
        self.sequence.addresses.append(address)
        if "end_sequence" in match[6]:
            self.sequences.append(self.sequence)
            self.sequence = Sequence()
        else:
            self.sequence.lines.append((number, line))
            self.sequence.details.append((column, discriminator))

    def finish(self, comp_dir):
        for sequence in self.sequences:
            sequence.lines = [(self.path(number, comp_dir), line)
                              for number, line in sequence.lines]
        return [s for s in self.sequences if s.start < s.end]


def read_lines(elf):
    """Line tables by their offset."""
    tables, table = {}, LineTable()
    for line in tool("llvm-dwarfdump", "--debug-line", elf).splitlines():
        if match := ROW.match(line):
            table.row(match)
        elif match := re.match(r"debug_line\[0x([0-9a-f]+)\]", line):
            table = tables[int(match[1], 16)] = LineTable()
        elif match := re.match(r" +version: (\d+)", line):
            table.version = int(match[1])
        elif match := re.match(r'include_directories\[ *(\d+)\] = "(.*)"',
                               line):
            table.directories[int(match[1])] = match[2]
        elif match := re.match(r' +name: "(.*)"', line):
            table.files.append([match[1], 0])
        elif match := re.match(r" +dir_index: (\d+)", line):
            table.files[-1][1] = int(match[1])
    return tables


class Facts:
    """Of one ELF; its debug info may be taken from a twin with the same code,
    where llvm-dwarfdump cannot read it."""

    def __init__(self, elf, symbols_of=None, debug_of=None):
        self.sections = read_sections(elf)
        symbols = list(read_symbols(elf))
        self.has_symbols = bool(symbols)
        if symbols_of:
            symbols = list(read_symbols(symbols_of))
        self.files = {s.name for path in {elf, debug_of or elf}
                      for s in read_symbols(path) if s.kind == "FILE"}
        self.marks = sorted((s.start, s.name[1]) for s in symbols
                            if re.match(r"\$[adtx](\.|$)", s.name)
                            and s.section in self.sections)
        self.symbols = sorted(
                (s for s in symbols if not s.name.startswith("$")
                 and s.section in self.sections),
                key=lambda s: (s.start, s.name))
        self.unloaded = [s for s in symbols if s.section
                         and s.section not in self.sections]
        self.is_split = "dwo_name" in tool("llvm-dwarfdump", "--debug-info", elf)
        self.units, self.dies = read_dies(debug_of or elf)
        tables = read_lines(debug_of or elf)
        for unit in self.units:
            offset = unit.texts.get("stmt_list")
            table = tables.get(int(offset, 16)) if offset else None
            unit.sequences = table.finish(self.text(unit, "comp_dir")) \
                if table else []

    def section(self, address):
        return next((s for s in self.sections.values()
                     if s.start <= address < s.start + s.size), None)

    @staticmethod
    def text(die, key):
        value = die.texts.get(key, "")
        return value[1:-1] if value.startswith('"') else value

    def names(self, die):
        """(linkage name, name) of a DIE, its origin or its declaration."""
        linkage = name = ""
        for _ in range(8):
            linkage = linkage or self.text(die, "linkage_name") \
                or self.text(die, "MIPS_linkage_name")
            name = name or self.text(die, "name")
            link = die.texts.get("abstract_origin") \
                or die.texts.get("specification")
            if not link or (linkage and name):
                break
            die = self.dies[int(link.split()[0], 16)]
        return linkage or name, name

    def declared(self, die):
        """What the DIE is a copy or the definition of."""
        while link := die.texts.get("abstract_origin") \
                or die.texts.get("specification"):
            die = self.dies[int(link.split()[0], 16)]
        return die

    def shown(self, die):
        """The linkage name; without one in C++ the name with its scopes, and
        where the lambdas are that gcc's name of a template says no more of."""
        linkage, name = self.names(die)
        die = origin = self.declared(die)
        if linkage != name or "C_plus_plus" not in self.text(die.unit,
                                                            "language"):
            return linkage
        parts = [name]
        while (die := self.declared(die.parent)) is not die.unit:
            if die.tag == "lexical_block":
                continue
            parts.insert(0, self.names(die)[1] or (
                "(anonymous namespace)" if die.tag == "namespace"
                else "{lambda}" if parts[0].startswith("operator()")
                else "{unnamed type}"))
        return "::".join(parts) + self.lambdas(name, origin)

    def lambdas(self, name, die):
        if "<lambda" not in name:
            return ""
        types = [(self.text(child, "name"),
                  self.dies[int(child.texts["type"].split()[0], 16)])
                 for child in die.children
                 if child.tag == "template_type_parameter"]
        return "".join(
                f" [{parameter} at {posixpath.basename(self.text(of, 'decl_file'))}"
                f":{of.texts['decl_line']}]" for parameter, of in types
                if of.tag in ("structure_type", "class_type")
                and not self.text(of, "name"))

    def has_linkage(self, die):
        """Whether the DIE, its origin or its declaration has a mangled name."""
        linkage, name = self.names(die)
        return linkage != name
