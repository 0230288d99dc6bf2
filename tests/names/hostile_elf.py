# SPDX-License-Identifier: MIT
"""Small ELF files with hand-made DWARF, for tests of hostile input.

Nothing here checks what it is told: every field can lie. Written from the
ELF and DWARF specifications; shares nothing with the program that is tested.
"""

import struct
import zlib

TEXT = 0x8000
STEP = 0x40  # bytes a function

SHT_PROGBITS, SHT_SYMTAB, SHT_STRTAB, SHT_NOTE = 1, 2, 3, 7
SHF_COMPRESSED = 0x800

TAG = {"lexical_block": 0x0B, "compile_unit": 0x11, "structure": 0x13,
       "inlined": 0x1D, "subprogram": 0x2E, "namespace": 0x39,
       "imported_unit": 0x3D, "partial_unit": 0x3C, "type_unit": 0x41,
       "skeleton_unit": 0x4A}
AT = {"sibling": 0x01, "name": 0x03, "stmt_list": 0x10, "low_pc": 0x11,
      "high_pc": 0x12, "language": 0x13, "comp_dir": 0x1B, "import": 0x18,
      "inline": 0x20, "abstract_origin": 0x31, "decl_file": 0x3A,
      "decl_line": 0x3B, "declaration": 0x3C, "frame_base": 0x40,
      "specification": 0x47, "ranges": 0x55, "call_file": 0x58,
      "call_line": 0x59, "linkage_name": 0x6E, "str_offsets_base": 0x72,
      "addr_base": 0x73, "rnglists_base": 0x74, "dwo_name": 0x76,
      "GNU_dwo_name": 0x2130, "GNU_dwo_id": 0x2131}
FORM = {"addr": 0x01, "block2": 0x03, "block4": 0x04, "data2": 0x05,
        "data4": 0x06, "data8": 0x07, "string": 0x08, "block": 0x09,
        "data1": 0x0B, "sdata": 0x0D, "strp": 0x0E, "udata": 0x0F,
        "ref_addr": 0x10, "ref4": 0x13, "ref_udata": 0x15, "indirect": 0x16,
        "sec_offset": 0x17, "exprloc": 0x18, "flag_present": 0x19,
        "strx": 0x1A, "addrx": 0x1B, "line_strp": 0x1F, "ref_sig8": 0x20,
        "implicit_const": 0x21, "rnglistx": 0x23, "GNU_ref_alt": 0x1F20,
        "GNU_strp_alt": 0x1F21}
WIDTH = {"addr": "<I", "data1": "<B", "data2": "<H", "data4": "<I",
         "data8": "<Q", "strp": "<I", "ref_addr": "<I", "ref4": "<I",
         "sec_offset": "<I", "line_strp": "<I", "ref_sig8": "<Q",
         "GNU_ref_alt": "<I", "GNU_strp_alt": "<I"}


def uleb(value):
    out = bytearray()
    while value >= 128:
        out.append(value & 127 | 128)
        value >>= 7
    out.append(value)
    return bytes(out)


def encode(form, value):
    """VALUE in FORM; bytes stand for themselves, whatever the form."""
    if isinstance(value, bytes):
        return value
    if form in WIDTH:
        return struct.pack(WIDTH[form], value)
    if form == "string":
        return value.encode() + b"\0"
    if form in ("flag_present", "implicit_const"):
        return b""
    return uleb(value)


class Dwarf:
    """Units of DIEs, written one after the other. References name labels:
    a text in form ref4 or ref_addr is put in when everything is there."""

    def __init__(self):
        self.info = bytearray()
        self.abbrevs = {}
        self.abbrev_tail = b"\0"
        self.sections = {}
        self.labels = {}
        self.patches = []
        self.unit = 0

    def begin(self, version=4, address_size=4, kind=1, abbrev=0, length=None,
              after=b""):
        """A unit header; LENGTH lies, AFTER is what its kind adds."""
        self.unit = len(self.info)
        self.claimed = length
        if version >= 5:
            rest = struct.pack("<HBBI", version, kind, address_size, abbrev)
        else:
            rest = struct.pack("<HIB", version, abbrev, address_size)
        self.info += bytes(4) + rest + after

    def end(self):
        length = len(self.info) - self.unit - 4
        if self.claimed is not None:
            length = self.claimed
        struct.pack_into("<I", self.info, self.unit, length)

    def label(self, name):
        self.labels[name] = len(self.info), self.unit

    def die(self, tag, children=False, label=None, code=None, **attributes):
        """One DIE; attributes are name=(form, value)."""
        if label:
            self.label(label)
        shape = (TAG.get(tag, tag), children,
                 tuple((AT[name], FORM.get(form, form))
                       for name, (form, _) in attributes.items()))
        self.info += uleb(code or self.abbrevs.setdefault(
            shape, len(self.abbrevs) + 1))
        for form, value in attributes.values():
            if isinstance(value, str) and form != "string":
                self.patches.append((len(self.info), form, value))
                value = 0
            self.info += encode(form, value)

    def close(self, count=1):
        self.info += bytes(count)

    def function(self, name, start, size=STEP, children=False, **more):
        self.die("subprogram", children, name=("string", name),
                 low_pc=("addr", start), high_pc=("data4", size), **more)

    def compile_unit(self, children=True, low=TEXT, size=2 * STEP, **more):
        where = {} if low is None else {"low_pc": ("addr", low),
                                        "high_pc": ("data4", size)}
        self.die("compile_unit", children, name=("string", "unit.c"),
                 comp_dir=("string", "/src"), **where, **more)

    def abbrev(self):
        out = bytearray()
        for (tag, children, attributes), code in self.abbrevs.items():
            out += uleb(code) + uleb(tag) + bytes([children])
            for name, form in attributes:
                out += uleb(name) + uleb(form)
                if form == FORM["implicit_const"]:
                    out += uleb(1)
            out += b"\0\0"
        return bytes(out) + self.abbrev_tail

    def finish(self):
        for at, form, name in self.patches:
            target, unit = self.labels[name]
            offset = target - unit if form == "ref4" else target
            struct.pack_into("<I", self.info, at, offset)
        sections = {".debug_info": bytes(self.info),
                    ".debug_abbrev": self.abbrev()}
        sections.update(self.sections)
        return sections


def line_header(version, fields, files):
    """The part of a line table that header_length counts."""
    base = fields.get("opcode_base", 13)
    out = struct.pack("<B", fields.get("minimum_length", 2))
    if version >= 4:
        out += struct.pack("<B", fields.get("maximum_ops", 1))
    out += struct.pack("<BbBB", 1, -5, fields.get("line_range", 14), base)
    out += fields.get("opcode_lengths",
                      bytes([0, 1, 1, 1, 1, 0, 0, 0, 1, 0, 0, 1]))
    if files is not None:
        return out + files
    if version >= 5:
        # One directory and one file, each a DW_LNCT_path as a string.
        return (out + b"\1\1\x08\1/src\0" + b"\1\1\x08\1unit.c\0")
    return out + b"\0unit.c\0\0\0\0\0"


def line_table(program, version=4, files=None, length=None,
               header_length=None, **fields):
    header = line_header(version, fields, files)
    rest = struct.pack("<I", len(header) if header_length is None
                       else header_length) + header + program
    if version >= 5:
        rest = bytes([fields.get("address_size", 4), 0]) + rest
    rest = struct.pack("<H", version) + rest
    return struct.pack("<I", len(rest) if length is None else length) + rest


def set_address(address):
    return b"\0\5\2" + struct.pack("<I", address)


# Two lines, one for each function.
LINE_PROGRAM = (set_address(TEXT) + b"\x03\x09\x01" + b"\x02\x20" + b"\x03\x0a"
                + b"\x01" + b"\x02\x20" + b"\0\1\1")


def compressed(data, size=None, kind=1, align=1):
    """An SHF_COMPRESSED section's bytes."""
    return struct.pack("<III", kind, len(data) if size is None else size,
                       align) + zlib.compress(data, 9)


def symbols(functions, extra=b""):
    """.symtab and .strtab with a mapping symbol and FUNCTIONS in a row."""
    names = b"\0$t\0"
    table = bytes(16) + struct.pack("<IIIBBH", 1, TEXT, 0, 0, 0, 1)
    for i, name in enumerate(functions):
        table += struct.pack("<IIIBBH", len(names), TEXT + i * STEP + 1, STEP,
                             0x12, 0, 1)
        names += name.encode() + b"\0"
    return table + extra, names


def elf(sections, flags=None, functions=("first", "second"), extra=b"",
        machine=40, text=None):
    """An executable: code, symbols, and SECTIONS {name: bytes}."""
    table, names = symbols(functions, extra)
    code = text or b"\0\xbf" * (STEP // 2 * len(functions))
    rows = [(".text", SHT_PROGBITS, 6, TEXT, code, 0, 0, 0),
            (".symtab", SHT_SYMTAB, 0, 0, table, 3, 2, 16),
            (".strtab", SHT_STRTAB, 0, 0, names, 0, 0, 0)]
    for name, data in sections.items():
        kind = SHT_NOTE if name.startswith(".note") else SHT_PROGBITS
        rows.append((name, kind, (flags or {}).get(name, 0), 0, data, 0, 0, 0))
    shnames = b"\0" + b"".join(row[0].encode() + b"\0" for row in rows)
    rows.append((".shstrtab", SHT_STRTAB, 0, 0, shnames + b".shstrtab\0", 0, 0,
                 0))
    body = bytearray(52 + 32)
    headers = bytearray(40)
    at_name = 1
    for name, kind, flag, address, data, to, info, entry in rows:
        body += bytes(-len(body) % 4)
        headers += struct.pack("<10I", at_name, kind, flag, address, len(body),
                               len(data), to, info, 4, entry)
        at_name += len(name) + 1
        body += data
    body += bytes(-len(body) % 4)
    struct.pack_into("<16sHHIIIIIHHHHHH", body, 0, b"\x7fELF\1\1\1", 2,
                     machine, 1, TEXT, 52, len(body), 0x5000400, 52, 32, 1, 40,
                     len(rows) + 1, len(rows))
    struct.pack_into("<8I", body, 52, 1, 84, TEXT, TEXT, len(code), len(code),
                     5, 4)
    return bytes(body + headers)
