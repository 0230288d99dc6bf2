#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Joins target/ into one mcuprof.c and one mcuprof.h.

mcuprof.c holds all engines, the Cortex-M port and the transports, and needs
no other file; mcuprof.h is for those who call it. What gdb reads is copied
beside them. The same tree gives the same bytes.
"""

import argparse
import re
import sys
import textwrap
from pathlib import Path

LICENSE = "/* SPDX-License-Identifier: MIT */\n"
COMMENT = re.compile(r"/\*.*?\*/", re.S)
TEXT = re.compile(r'"(?:\\.|[^"\\\n])*"')
LOCAL_INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]+"([^"]+)"\n', re.M)
DEFINE = re.compile(r"^[ \t]*#[ \t]*define[ \t]+(\w+)", re.M)
GUARD = re.compile(r"#ifndef (\w+)\n#define \1\n")
# Where a setting gets its default, behind its comment.
KNOB = re.compile(r"(?:/\*((?:(?!\*/).)*)\*/\n)?#ifndef (MCUPROF_\w+)\n"
                  r"(?:#define \2 ([^\n]*)\n#endif\n)?", re.S)
# A setting without a default: a comment that begins with its name.
BARE_KNOB = re.compile(r"/\*[\s*]*(MCUPROF_\w+): ((?:(?!\*/).)*)\*/", re.S)
TESTED = re.compile(r"#[ \t]*(?:ifn?def|(?:el)?if\b[^\n]*\bdefined)\b[ (]*"
                    r"(MCUPROF_\w+)")


def first_sentence(comment):
    text = " ".join(line.strip(" \t/*") for line in comment.splitlines())
    return re.match(r".*?[.](?=\s|$)|.*", text.strip())[0]


def read(path):
    text = path.read_text(encoding="utf-8")
    if not text.startswith(LICENSE):
        sys.exit(f"{path}: the first line is not {LICENSE}")
    return text[len(LICENSE):]


class Library:
    """The tree, and what is to be said about it."""

    def __init__(self, root):
        self.target = root / "target"
        self.engines = (sorted(self.target.glob("*.c"))
                        + sorted(self.target.glob("port/cortexm/*.c")))
        self.transports = sorted(self.target.glob("transport/*.c"))
        self.headers = {path.name: path for folder in
                        (".", "port/cortexm", "transport")
                        for path in sorted(self.target.glob(f"{folder}/*.h"))}
        self.version = re.search(r'#define MCUPROF_VERSION "(.*)"',
                                 read(self.target / "mcuprof.h"))[1]

    def public(self):
        """(header, switch or None) of what callers include."""
        yield self.target / "mcuprof.h", None
        included = {name for path in self.transports
                    for name in LOCAL_INCLUDE.findall(read(path))}
        for path in sorted(self.target.glob("transport/*.h")):
            if path.with_suffix(".c") in self.transports:
                yield path, None
            elif path.name not in included:
                # All of it is in the header, and not for everybody.
                yield path, self.switch(path)

    def debugger_files(self):
        """(name, text) of what gdb reads: it is as good for the one file."""
        for path in sorted(self.target.glob("*.gdb")):
            yield path.name, path.read_text(encoding="utf-8")

    @staticmethod
    def switch(path):
        """The macro that compiles a transport in."""
        return "MCUPROF_TRANSPORT_" + re.sub(
                "^mcuprof_", "", path.stem).upper()

    def knobs(self):
        """(name, default or "", meaning) of every setting, in order."""
        first = self.target / "mcuprof_config.h"
        for path in [first] + sorted(set(self.headers.values()) - {first}):
            text = GUARD.sub("", read(path), 1)
            found = [(match.start(), match[2], match[3] or "", match[1] or "")
                     for match in KNOB.finditer(text)]
            found += [(match.start(), match[1], "", match[2])
                      for match in BARE_KNOB.finditer(text)]
            for _, name, default, comment in sorted(found):
                meaning = first_sentence(comment)
                yield name, default, meaning[:1].upper() + meaning[1:]

    def check_knobs(self):
        """Nothing can be set that no comment explains."""
        texts = [COMMENT.sub("", read(path)) for path in
                 [*self.engines, *self.transports, *self.headers.values()]]
        known = {name for name, _, _ in self.knobs()} | {
                macro for text in texts for macro in DEFINE.findall(text)}
        for macro in sorted({macro for text in texts for macro in
                             TESTED.findall(text)} - known):
            if macro != "MCUPROF_CONFIG_FILE":
                sys.exit(f"target/ tests {macro}: no comment of a header "
                         f'begins with "{macro}: " and says what it is')

    def switches(self):
        """The same for the transports."""
        headers = {path.with_suffix(".h") for path in self.transports}
        headers |= {path for path, switch in self.public() if switch}
        for path in sorted(headers):
            meaning = first_sentence(COMMENT.search(read(path))[0])
            yield self.switch(path), "0", f"1: {meaning[:1].lower()}{meaning[1:]}"

    def used_in(self, text):
        """The settings that change what the text compiles to."""
        code = TEXT.sub("", COMMENT.sub("", KNOB.sub("", text)))
        knobs = [*self.knobs(), *self.switches()]
        for name, default, _ in reversed(knobs):
            if re.search(rf"\b{name}\b", code):
                code += default
        return [knob for knob in knobs if re.search(rf"\b{knob[0]}\b", code)]


class Joined:
    """One output file: parts appended, each local header once."""

    def __init__(self, library):
        self.library = library
        self.seen = set()
        self.text = ""

    def expand(self, path):
        """The file's text with its local headers in their places."""
        def header(match):
            if match[1] not in self.library.headers:
                sys.exit(f"{path}: {match[1]} is not in target/")
            if match[1] in self.seen:
                return ""
            self.seen.add(match[1])
            return self.expand(self.library.headers[match[1]])

        name = path.relative_to(self.library.target.parent).as_posix()
        return f"\n/* From {name} */\n" + LOCAL_INCLUDE.sub(header,
                                                            read(path))

    def add(self, text, condition=None):
        if condition:
            text = (f"\n#if defined({condition}) && {condition}\n{text}\n"
                    "#endif\n")
        # What an include left behind must not leave holes.
        self.text += re.sub(r"\n{3,}", "\n\n", text)

    def add_header(self, path, condition=None):
        if path.name not in self.seen:
            self.seen.add(path.name)
            self.add(self.expand(path), condition)

    def add_source(self, path, condition=None):
        """A .c file behind the headers it needs; its macros end with it."""
        for name in LOCAL_INCLUDE.findall(read(path)):
            if name in self.library.headers:
                self.add_header(self.library.headers[name])
        text = self.expand(path)
        own = {macro for macro in DEFINE.findall(COMMENT.sub("", text))
               if not macro.startswith("MCUPROF")}
        text += "".join(f"#undef {macro}\n" for macro in sorted(own))
        self.add(text, condition)

    def finish(self, title, how):
        """The whole file, with the settings that it has on top."""
        knobs = self.library.used_in(self.text)
        return (LICENSE + about(title) + "\n" + about(how) + settings(knobs)
                + self.text)


# What headers offer and this file does not call is no mistake of it.
QUIET = """
#if defined(__clang__)
#pragma clang diagnostic ignored "-Wunused-function"
#endif
"""


def settings(knobs):
    lines = []
    for name, default, meaning in knobs:
        if meaning:
            lines += ["", *textwrap.wrap(meaning, 79, initial_indent="// ",
                                         subsequent_indent="// ")]
        lines.append(f"//#define {name} {default}".rstrip())
    return "\n".join(lines) + "\n"


def about(text):
    lines = textwrap.wrap(" ".join(text.split()), 77)
    return "\n".join(["/*", *(" * " + line for line in lines), " */", ""])


def make_header(library):
    joined = Joined(library)
    for path, switch in library.public():
        joined.add_header(path, switch)
    return joined.finish(f"""
        mcuprof {library.version}: what callers of mcuprof.c see, in one
        header. Made from target/ by `make amalgamation`.
        """, """
        Settings are made at the top of mcuprof.c or on the command line.
        These must be the same here:
        """)


def make_source(library):
    joined = Joined(library)
    joined.text = QUIET
    for path, switch in library.public():
        if not switch:
            joined.add_header(path)
    for path in library.engines:
        joined.add_source(path)
    for path in library.transports:
        joined.add_source(path, library.switch(path))
    return joined.finish(f"""
        mcuprof {library.version}: the whole library for Cortex-M in one file,
        which needs no other. Made from target/ by `make amalgamation`.
        """, """
        Settings and their defaults. To change one, remove its // or set it on
        the command line; what it means in full stands below. Some stand at
        the top of mcuprof.h too, and must be the same there.
        """)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path, help="where the files go")
    parser.add_argument("root", nargs="?", type=Path,
                        default=Path(__file__).resolve().parent.parent,
                        help="the tree with target/ (default: this project)")
    options = parser.parse_args()
    library = Library(options.root)
    library.check_knobs()
    options.folder.mkdir(parents=True, exist_ok=True)
    for name, text in (("mcuprof.h", make_header(library)),
                       ("mcuprof.c", make_source(library)),
                       *library.debugger_files()):
        (options.folder / name).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
