# SPDX-License-Identifier: MIT
"""Hostile debug info by hand: each function below makes ELF files, as
(name, bytes, kind). In all of them the symbol table is sound and has the
functions first and second, so that their names must be told whatever the
debug info does. Kinds:

    sound    unusual but legal: nothing may be said
    broken   what the addresses need cannot be read: one warning
    any      either will do
    named    either; the debug info has another name, which counts

A case may come with files to lie beside it: {name: bytes, or "fifo"}.
"""

import struct
import zlib

from hostile_elf import (FORM, LINE_PROGRAM, SHF_COMPRESSED, STEP, TEXT, Dwarf,
                         compressed, elf, line_table, set_address, uleb)

DEEP = 10000


def functions(dwarf, children=False):
    dwarf.function("first", TEXT, children=children)
    if children:
        return
    dwarf.function("second", TEXT + STEP)
    dwarf.close()
    dwarf.end()


def sane(version=4, line=None, **header):
    """One unit with both functions and, usually, lines."""
    dwarf = Dwarf()
    dwarf.begin(version, **header)
    dwarf.compile_unit(stmt_list=("sec_offset", 0))
    functions(dwarf)
    dwarf.sections[".debug_line"] = (line_table(LINE_PROGRAM, version)
                                     if line is None else line)
    return dwarf


def packed(dwarf, **more):
    return elf(dwarf.finish(), **more)


def baseline():
    for version in (2, 3, 4, 5):
        yield f"sane-{version}", packed(sane(version)), "sound"
    yield "no-debug-info", elf({}), "broken"


def deep():
    """Blocks, inlined functions, namespaces and structures in each other."""
    for tag in ("lexical_block", "inlined", "namespace", "structure"):
        for depth in (DEEP, 20 * DEEP):
            dwarf = Dwarf()
            dwarf.begin()
            dwarf.compile_unit()
            if tag in ("lexical_block", "inlined"):
                dwarf.die("subprogram", label="origin", name=("string", "tiny"),
                          inline=("data1", 1))
                functions(dwarf, children=True)
                origin = {"abstract_origin": ("ref4", "origin")}
                for _ in range(depth):
                    dwarf.die(tag, True, low_pc=("addr", TEXT),
                              high_pc=("data4", STEP),
                              **(origin if tag == "inlined" else {}))
                dwarf.close(depth + 1)
                dwarf.function("second", TEXT + STEP)
            else:
                for _ in range(depth):
                    dwarf.die(tag, True, name=("string", "n"))
                dwarf.function("first", TEXT)
                dwarf.close(depth)
                dwarf.function("second", TEXT + STEP)
            dwarf.close()
            dwarf.end()
            yield f"deep-{tag}-{depth}", packed(dwarf), "any"


def one_function(**attributes):
    """first with ATTRIBUTES in place of its name; second sound."""
    dwarf = Dwarf()
    dwarf.begin()
    dwarf.compile_unit()
    dwarf.die("subprogram", label="first", low_pc=("addr", TEXT),
              high_pc=("data4", STEP), **attributes)
    return dwarf


def finish(dwarf, **more):
    dwarf.function("second", TEXT + STEP)
    dwarf.close()
    dwarf.end()
    return packed(dwarf, **more)


def cycles():
    for name in ("abstract_origin", "specification"):
        yield (f"cycle-self-{name}",
               finish(one_function(**{name: ("ref4", "first")})), "any")
        dwarf = one_function(**{name: ("ref4", "other")})
        dwarf.die("subprogram", label="other", **{name: ("ref4", "first")})
        yield f"cycle-two-{name}", finish(dwarf), "any"
        dwarf = one_function(**{name: ("ref4", "link0")})
        for i in range(DEEP):
            dwarf.die("subprogram", label=f"link{i}",
                      **{name: ("ref4", f"link{min(i + 1, DEEP - 1)}")})
        yield f"cycle-long-{name}", finish(dwarf), "any"
        for what, value in (("past", 0x7FFFFFFF), ("header", 0),
                            ("middle", 13), ("minus", 0xFFFFFFFF)):
            yield (f"origin-{what}-{name}",
                   finish(one_function(**{name: ("ref4", value)})), "any")
            yield (f"origin-address-{what}-{name}",
                   finish(one_function(**{name: ("ref_addr", value)})), "any")
        yield (f"origin-signature-{name}",
               finish(one_function(**{name: ("ref_sig8", 1 << 60)})), "any")
        yield (f"origin-block-{name}",
               finish(one_function(**{name: ("block", b"\3abc")})), "any")
        yield (f"origin-alt-{name}",
               finish(one_function(**{name: ("GNU_ref_alt", 11)})), "any")
    for what, target in (("self", "first"), ("back", "unit"), ("past", None)):
        dwarf = Dwarf()
        dwarf.begin()
        dwarf.label("unit")
        dwarf.compile_unit()
        dwarf.function("first", TEXT, label="first", children=True,
                       sibling=("ref4", target or 0x7FFFFFF0))
        dwarf.die("lexical_block", False, low_pc=("addr", TEXT),
                  high_pc=("data4", 4))
        dwarf.close()
        yield f"sibling-{what}", finish(dwarf), "any"


def imports():
    dwarf = Dwarf()
    dwarf.begin()
    dwarf.label("unit")
    dwarf.compile_unit()
    dwarf.die("imported_unit", **{"import": ("ref_addr", "unit")})
    yield "import-self", packed_functions(dwarf), "any"
    # Each of many partial units imports the next one twice: 2^40 ways.
    dwarf = Dwarf()
    for i in range(40):
        dwarf.begin()
        dwarf.label(f"part{i}")
        dwarf.die("partial_unit", True)
        for _ in range(2):
            dwarf.die("imported_unit",
                      **{"import": ("ref_addr", f"part{(i + 1) % 40}")})
        dwarf.close()
        dwarf.end()
    dwarf.begin()
    dwarf.compile_unit()
    dwarf.die("imported_unit", **{"import": ("ref_addr", "part0")})
    yield "import-exponential", packed_functions(dwarf), "any"


def packed_functions(dwarf):
    functions(dwarf)
    return packed(dwarf)


def headers():
    for version in (0, 1, 6, 7, 0xFFFF):
        dwarf = sane(5 if version > 5 else 4)
        struct.pack_into("<H", dwarf.info, 4, version)
        yield f"version-{version}", packed(dwarf), "broken"
    for size in (0, 1, 2, 3, 8, 16, 255):
        yield (f"address-size-{size}", packed(sane(address_size=size)),
               "broken")
        yield (f"address-size-5-{size}", packed(sane(5, address_size=size)),
               "broken")
    for kind in (0, 2, 3, 4, 5, 6, 7, 0x80, 0xFF):
        yield f"unit-type-{kind}", packed(sane(5, kind=kind)), "any"
    for length in (0, 1, 6, 7, 0x7FFFFFFF, 0xFFFFFFEF, 0xFFFFFFF0, 0xFFFFFFFE):
        yield (f"unit-length-{length:#x}", packed(sane(length=length)),
               "broken")
    dwarf = sane()
    dwarf.info[0:4] = b"\xff\xff\xff\xff" + struct.pack("<Q", 1 << 63)
    yield "unit-length-64", packed(dwarf), "broken"
    for offset in (1, 0x7FFFFFFF, 0xFFFFFFFF):
        yield f"abbrev-{offset:#x}", packed(sane(abbrev=offset)), "any"
    whole = sane().info
    for cut in range(1, len(whole)):
        dwarf = sane()
        dwarf.info = dwarf.info[:cut]
        yield f"info-cut-{cut}", packed(dwarf), "any"


def abbrevs():
    whole = sane().abbrev()
    for cut in range(len(whole)):
        sections = sane().finish()
        sections[".debug_abbrev"] = whole[:cut]
        yield f"abbrev-cut-{cut}", elf(sections), "any"
    for form in (0, 0x02, 0x26, 0x2D, 0x7F, 0x99, 0x1F02, 0x3FFF):
        yield (f"form-{form:#x}",
               finish(one_function(name=(form, b"first\0"))), "any")
    for name, chain in (("self", b"\x16" * 2000), ("none", b""),
                        ("implicit", b"\x21"), ("unknown", b"\x7f")):
        yield (f"indirect-{name}",
               finish(one_function(name=("indirect", chain))), "any")
    dwarf = sane()
    dwarf.abbrev_tail = b"\1\x2e\0\x03\x08\0\0" * 1000 + b"\0"
    yield "abbrev-twice", packed(dwarf), "any"
    for tail in (b"\xff" * 64, b"\x80" * 64, b"\xff" * 9 + b"\x01\x2e\0\0\0"):
        dwarf = sane()
        dwarf.abbrev_tail = tail
        yield f"abbrev-tail-{tail[:1].hex()}-{len(tail)}", packed(dwarf), "any"
    dwarf = Dwarf()
    dwarf.begin()
    dwarf.compile_unit()
    dwarf.die("lexical_block", code=77)
    yield "abbrev-missing", packed_functions(dwarf), "broken"


def strings():
    text = b"first\0"
    for name, form, value, sections in (
            ("past", "strp", 0x7FFFFFFF, {".debug_str": text}),
            ("end", "strp", 6, {".debug_str": text}),
            ("open", "strp", 0, {".debug_str": b"first"}),
            ("none", "strp", 0, {}),
            ("line", "line_strp", 99, {".debug_line_str": text}),
            ("strx", "strx", 5, {".debug_str": text}),
            ("strx-past", "strx", 0x7FFFFFFF,
             {".debug_str": text, ".debug_str_offsets": bytes(16)}),
            ("strx-huge", "strx", b"\xff" * 9 + b"\x01",
             {".debug_str": text, ".debug_str_offsets": bytes(16)}),
            ("alt", "GNU_strp_alt", 3, {".debug_str": text}),
            ("block", "block4", b"\xff\xff\xff\x7ffirst", {}),
            ("expression", "exprloc", b"\xff\xff\xff\xff\x0ffirst", {}),
            ("number", "udata", b"\xff" * 40 + b"\0", {})):
        dwarf = one_function(name=(form, value))
        dwarf.sections.update(sections)
        yield f"string-{name}", finish(dwarf), "any"
    dwarf = one_function(name=("string", "n" * 2000000))
    yield "string-long", finish(dwarf), "named"
    dwarf = one_function(name=("string", b"\x1b[31m\n\xff\xfe\r\0"))
    yield "string-control", finish(dwarf), "named"
    dwarf = one_function(name=("string", "_Z" + "N1A" * 60000))
    yield "string-mangled", finish(dwarf), "named"


def ranged(form, value, sections, version=4, unit=()):
    dwarf = Dwarf()
    dwarf.begin(version)
    dwarf.compile_unit(low=None, **{"low_pc": ("addr", 0)}, **dict(unit))
    dwarf.die("subprogram", name=("string", "first"), ranges=(form, value))
    dwarf.sections.update(sections)
    return finish(dwarf)


def ranges():
    pair = struct.pack("<II", TEXT, TEXT + STEP)
    for name, data in (
            ("open", pair), ("cut", pair[:6]), ("none", b""),
            ("backwards", struct.pack("<IIII", TEXT + STEP, TEXT, 0, 0)),
            ("wide", struct.pack("<IIII", 0, 0xFFFFFFFF, 0, 0)),
            ("base", struct.pack("<IIIIII", 0xFFFFFFFF, 0xFFFFFFFF, TEXT,
                                 TEXT + 4, 0, 0)),
            ("many", pair * 200000 + bytes(8)),
            ("nested", b"".join(struct.pack("<II", TEXT + i % 32,
                                            TEXT + STEP - i % 32)
                                for i in range(100000)) + bytes(8))):
        yield (f"ranges-{name}",
               ranged("sec_offset", 0, {".debug_ranges": data}), "any")
    for offset in (1, 0x7FFFFFFF, 0xFFFFFFFF):
        yield (f"ranges-at-{offset:#x}",
               ranged("sec_offset", offset, {".debug_ranges": pair}), "any")
    head = struct.pack("<IHBBI", 64, 5, 4, 0, 1) + struct.pack("<I", 4)
    for name, data in (
            ("unknown", head + b"\x55" * 8), ("open", head + b"\x06" + pair),
            ("addrx", head + b"\x01\xff\xff\xff\xff\x0f\x03\x05\x05\0"),
            ("length", head + b"\x07" + pair[:4] + b"\xff" * 10 + b"\0"),
            ("count", head[:8] + b"\xff\xff\xff\xff" + head[12:])):
        sections = {".debug_rnglists": data}
        for form, value in (("rnglistx", 0), ("rnglistx", 0x7FFFFFFF),
                            ("sec_offset", 12), ("sec_offset", 16)):
            yield (f"rnglists-{name}-{form}-{value:#x}",
                   ranged(form, value, sections, 5,
                          {"rnglists_base": ("sec_offset", 12)}), "any")
    for size in (0, 0x7FFFFFFF, 0xFFFFFFFF):
        dwarf = Dwarf()
        dwarf.begin()
        dwarf.compile_unit()
        dwarf.function("first", TEXT, size)
        yield f"high-pc-{size:#x}", finish(dwarf), "any"
    dwarf = one_function()
    dwarf.die("subprogram", name=("string", "first"), low_pc=("addrx", 7),
              high_pc=("data4", STEP))
    yield "addrx-none", finish(dwarf), "any"


def line_fields():
    """One field of the header wrong at a time, in each version's layout."""
    wrong = [("line_range", 0), ("opcode_base", 0), ("opcode_base", 1),
             ("opcode_base", 255), ("minimum_length", 0),
             ("minimum_length", 255), ("header_length", 0),
             ("header_length", 0x7FFFFFFF), ("header_length", 0xFFFFFFFF),
             ("length", 0), ("length", 4), ("length", 0x7FFFFFFF),
             ("length", 0xFFFFFFF5), ("length", 0xFFFFFFFF),
             ("opcode_lengths", bytes([255] * 12)),
             ("opcode_lengths", bytes(13)), ("files", b""),
             ("files", b"\xff" * 30), ("files", b"/src\0" * 50000)]
    for version in (2, 3, 4, 5):
        for field, value in wrong + ([("maximum_ops", 0)] if version >= 4
                                     else []):
            table = line_table(LINE_PROGRAM, version, **{field: value})
            shown = value if isinstance(value, int) else len(value)
            yield (f"line-{version}-{field}-{shown:#x}",
                   packed(sane(version, line=table)), "any")
    for version in (0, 1, 6, 0xFFFF):
        table = bytearray(line_table(LINE_PROGRAM, 4))
        struct.pack_into("<H", table, 4, version)
        yield (f"line-version-{version}", packed(sane(line=bytes(table))),
               "broken")
    for size in (0, 2, 8, 255):
        table = line_table(LINE_PROGRAM, 5, address_size=size)
        yield f"line-address-{size}", packed(sane(5, line=table)), "any"


def line_files():
    """Counts of version 5 that cost nothing to claim."""
    many = uleb(1 << 60)
    for name, files in (
            ("directories", b"\0" + many + b"\1\1\x08\1unit.c\0"),
            ("files", b"\1\1\x08\1/src\0" + b"\0" + many),
            ("files-string", b"\1\1\x08\1/src\0" + b"\1\1\x08" + many),
            ("files-implicit", b"\1\1\x08\1/src\0" + b"\1\1\x21" + many),
            ("files-flag", b"\1\1\x08\1/src\0" + b"\1\1\x19" + many),
            ("formats", b"\xff" + b"\1\x08" * 255 + b"\1" + b"a\0" * 255),
            ("form", b"\1\1\x7f\1/src\0"),
            ("block", b"\1\1\x08\1/src\0" + b"\1\1\x04\1\xff\xff\xff\x7f"),
            ("index", b"\1\1\x08\1/src\0"
             + b"\2\1\x08\2\x0b\1unit.c\0\xfe"),
            ("strp", b"\1\1\x0e\1\xff\xff\xff\x7f" + b"\1\1\x1f\1\xff\0\0\0")):
        table = line_table(LINE_PROGRAM, 5, files=files)
        yield f"line-many-{name}", packed(sane(5, line=table)), "any"


def line_programs():
    here = set_address(TEXT)
    row, end = b"\x01", b"\0\1\1"
    huge = b"\xff" * 9 + b"\x01"
    for name, program in (
            ("empty", b""), ("no-end", here + row), ("extended-zero", b"\0\0"),
            ("extended-past", b"\0\xff\xff\xff\xff\x0f\x02"),
            ("extended-huge", b"\0" + huge + b"\x02"),
            ("extended-unknown", b"\0\5\x80abcd" + LINE_PROGRAM),
            ("address-1", b"\0\2\2\1" + row + end),
            ("address-8", b"\0\x09\2" + bytes(8) + row + end),
            ("address-0", b"\0\1\2" + row + end),
            ("advance", here + b"\x02" + huge + row + end),
            ("line", here + b"\x03" + b"\xff" * 9 + b"\0" + row + end),
            ("back", here + row + set_address(TEXT - 0x100) + row + end),
            ("file", here + b"\x04\xff\xff\xff\xff\x0f" + row + end),
            ("column", here + b"\x05" + huge + row + end),
            ("leb", here + b"\x02" + b"\x80" * 100),
            ("standard", here + b"\x0a\x0b\x0c\x07\x06\x08" + row + end),
            ("define", b"\0\x0b\3evil.c\0\1\1\1" * 1000 + LINE_PROGRAM),
            ("rows", here + row * 3000000 + b"\x02\x20" + end),
            ("special", here + b"\x21" * 1000000 + end),
            ("sequences", (here + row + b"\x02\x20" + row + end) * 200000),
            ("wrap", set_address(0xFFFFFFF0) + row + b"\x02\x20" + row + end),
            ("all", set_address(0) + row + b"\x02\xff\xff\xff\xff\x07" + row
             + end)):
        for version in (4, 5):
            table = line_table(program, version)
            yield (f"program-{version}-{name}",
                   packed(sane(version, line=table)), "any")
    whole = line_table(LINE_PROGRAM, 4)
    for cut in range(len(whole)):
        yield f"line-cut-{cut}", packed(sane(line=whole[:cut])), "any"
    for offset in (1, len(whole), 0x7FFFFFFF, 0xFFFFFFFF):
        dwarf = Dwarf()
        dwarf.begin()
        dwarf.compile_unit(stmt_list=("sec_offset", offset))
        functions(dwarf)
        dwarf.sections[".debug_line"] = whole
        yield f"line-offset-{offset:#x}", packed(dwarf), "any"


def amounts():
    """Small files whose naive reading takes long or much memory."""
    dwarf = sane()
    empty = bytes(dwarf.info)
    dwarf.info = bytearray(struct.pack("<IHIB", 8, 4, 0, 4) + b"\0") * 100000
    dwarf.info += empty
    yield "units-empty", packed(dwarf), "any"
    dwarf = sane()
    dwarf.info[:0] = bytes(3000000)
    yield "units-zero", packed(dwarf), "any"
    dwarf = Dwarf()
    dwarf.begin()
    dwarf.compile_unit(stmt_list=("sec_offset", 0))
    for _ in range(300000):
        dwarf.function("first", TEXT)
    dwarf.sections[".debug_line"] = line_table(LINE_PROGRAM)
    yield "same-function", finish(dwarf), "any"
    # Every unit claims both functions and shares one large line table.
    dwarf = Dwarf()
    for _ in range(1500):
        dwarf.begin()
        dwarf.compile_unit(stmt_list=("sec_offset", 0))
        functions(dwarf)
    table = line_table(set_address(TEXT) + b"\x21" * 200000 + b"\0\1\1")
    dwarf.sections[".debug_line"] = table
    yield "shared-table", packed(dwarf), "any"
    dwarf = Dwarf()
    dwarf.begin()
    dwarf.compile_unit()
    functions(dwarf, children=True)
    dwarf.label("origin")
    for _ in range(200000):
        dwarf.die("inlined", abstract_origin=("ref4", "origin"),
                  low_pc=("addr", TEXT), high_pc=("data4", STEP))
    dwarf.close()
    yield "inlined-many", finish(dwarf), "any"


def aranges():
    row = struct.pack("<II", TEXT, 2 * STEP) + bytes(8)

    def table(length=None, version=2, info=0, size=4, segment=0, rows=row):
        rest = struct.pack("<HIBB", version, info, size, segment) + bytes(4)
        rest += rows
        return struct.pack("<I", len(rest) if length is None else length) + rest

    for name, data in (
            ("sane", table()), ("info", table(info=0x7FFFFFFF)),
            ("middle", table(info=5)), ("size-0", table(size=0)),
            ("size-8", table(size=8)), ("size-255", table(size=255)),
            ("segment", table(segment=4)), ("version", table(version=9)),
            ("length", table(length=0x7FFFFFFF)), ("zero", table(length=0)),
            ("reserved", table(length=0xFFFFFFF3)), ("cut", table()[:20]),
            ("open", table(rows=row[:8])), ("many", table() * 30000),
            ("wide", table(rows=struct.pack("<II", 0, 0xFFFFFFFF) + bytes(8))),
            ("elsewhere", table(rows=struct.pack("<II", 0x100, 4)
                                + bytes(8)))):
        dwarf = sane()
        dwarf.sections[".debug_aranges"] = data
        yield f"aranges-{name}", packed(dwarf), "any"


def zeros(size):
    """SIZE zeros (a multiple of 1 MiB), compressed without making them."""
    packer = zlib.compressobj(9)
    first = packer.compress(bytes(1 << 20)) + packer.flush(zlib.Z_FULL_FLUSH)
    again = packer.compress(bytes(1 << 20)) + packer.flush(zlib.Z_FULL_FLUSH)
    adler = struct.pack(">I", size % 65521 << 16 | 1)
    stream = first + again * ((size >> 20) - 1) + b"\x03\0" + adler
    return struct.pack("<III", 1, size, 1) + stream


def compression():
    sections = sane().finish()
    info = sections[".debug_info"]
    for name, data in (
            ("sane", compressed(info)), ("more", compressed(info, 0xFFFFFFFF)),
            ("less", compressed(info, 4)), ("zero", compressed(info, 0)),
            ("kind-0", compressed(info, kind=0)),
            ("kind-2", compressed(info, kind=2)),
            ("kind-99", compressed(info, kind=99)),
            ("align-0", compressed(info, align=0)),
            ("align-3", compressed(info, align=3)),
            ("cut", compressed(info)[:-6]), ("head", compressed(info)[:7]),
            ("empty", b""), ("garbage", compressed(info)[:12] + b"\xa5" * 60)):
        wrong = {**sections, ".debug_info": data}
        yield (f"compressed-{name}",
               elf(wrong, {".debug_info": SHF_COMPRESSED}), "any")
    bomb = zeros(1 << 30)
    for section in (".debug_info", ".debug_str", ".debug_line",
                    ".debug_abbrev"):
        yield (f"bomb-{section}",
               elf({**sections, section: bomb}, {section: SHF_COMPRESSED}),
               "broken")
    for name, size in (("sane", len(info)), ("more", 1 << 62), ("less", 4)):
        old = b"ZLIB" + struct.pack(">Q", size) + compressed(info)[12:]
        wrong = {**sections, ".zdebug_info": old}
        del wrong[".debug_info"]
        yield f"zdebug-{name}", elf(wrong), "any"


def elsewhere():
    """Debug info in other files, which are not what one expects."""
    link = b"other.dbg\0\0\0" + struct.pack("<I", 0)
    own = b"case.elf\0\0\0\0" + struct.pack("<I", 0)
    for name, data in (("self", own), ("fifo", link), ("cut", link[:4]),
                       ("empty", b""), ("open", b"other.dbg"),
                       ("path", b"/dev/zero\0\0\0" + bytes(4)),
                       ("up", b"../../../../dev/zero\0\0\0\0" + bytes(4))):
        yield (f"debuglink-{name}", elf({".gnu_debuglink": data}), "any",
               {"other.dbg": "fifo"})
    for name, data in (("self", b"case.elf\0" + bytes(20)),
                       ("fifo", b"other.dbg\0" + bytes(20)),
                       ("device", b"/dev/zero\0" + bytes(20)),
                       ("empty", b""), ("open", b"other")):
        dwarf = one_function(name=("GNU_strp_alt", 3))
        dwarf.sections[".gnu_debugaltlink"] = data
        yield (f"altlink-{name}", finish(dwarf), "broken" if data else "any",
               {"other.dbg": "fifo"})
    for version, kind, attribute in ((4, 1, "GNU_dwo_name"),
                                     (5, 4, "dwo_name")):
        for name in ("case.elf", "other.dbg", "/dev/zero", "/", "", "none",
                     "passwd"):
            dwarf = Dwarf()
            dwarf.begin(version, kind=kind,
                        after=bytes(8) if version == 5 else b"")
            more = {"GNU_dwo_id": ("data8", 0)} if version == 4 else {}
            dwarf.die("skeleton_unit" if version == 5 else "compile_unit",
                      comp_dir=("string",
                                "/etc" if name == "passwd" else "."),
                      low_pc=("addr", TEXT),
                      high_pc=("data4", 2 * STEP),
                      **{attribute: ("string", name)}, **more)
            dwarf.end()
            shown = name.strip("/").replace("/", "-") or f"empty{len(name)}"
            yield (f"dwo-{version}-{shown}", packed(dwarf), "any",
                   {"other.dbg": "fifo", "passwd": "fifo"})
    note = struct.pack("<III", 4, 20, 3) + b"GNU\0" + bytes(20)
    for name, at, value in (("name", 0, 0xFFFFFFFF), ("size", 4, 0xFFFFFFFC),
                            ("none", 4, 0), ("long", 4, 0x7FFFFFFF)):
        data = bytearray(note)
        struct.pack_into("<I", data, at, value)
        yield (f"note-{name}", elf({".note.gnu.build-id": bytes(data)}), "any")


FAMILIES = (baseline, deep, cycles, imports, headers, abbrevs, strings, ranges,
            line_fields, line_files, line_programs, amounts, aranges,
            compression, elsewhere)


def every_case(families=()):
    """(name, bytes, kind, files beside it) of FAMILIES, or of all."""
    for family in FAMILIES:
        if not families or family.__name__ in families:
            for name, data, kind, *files in family():
                yield name, data, kind, files[0] if files else {}
