#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""hostile.py [options] MCUPROF KIND...: bad ELF files, and what comes of it.

    cases [FAMILY]        those of hostile_cases.py
    truncated ELF         cut at each section's begin, end, and within
    sections ELF          each field of each header lies, one at a time
    mutated ELF...        bytes of .debug_* and of headers replaced by chance

For each file `where` is asked for addresses; with --report `report --by line`
is made from a capture, with --lint `lint` is asked, and code is mutated too.
Whatever the file holds: no sanitizer's report, no signal, exit status 0 to 2,
at most one complaint, cause and remedy, on standard error, and an end. What fails is told and kept in the folder of --keep."""

import argparse
import itertools
import os
import random
import re
import resource
import struct
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import hostile_cases
from hostile_elf import STEP, TEXT

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tools"))
import mprof  # noqa: E402

HANG = 90  # seconds; a guard, not a figure
# Sections over each other and damaged debug info are two things.
OVERLAY = re.compile(r" lie over each other at ")
REPORT = re.compile(r"Sanitizer|runtime error:")
LIES = (0, 1, 3, 0x7FFFFFFF, 0xFFFFFFFF)


class Case:
    def __init__(self, name, data, kind="mutant", beside=None):
        self.name, self.data, self.kind = name, data, kind
        self.beside = beside or {}


class Runner:
    def __init__(self, options, addresses, physical):
        self.options = options
        self.physical = physical
        self.asked = " ".join(f"{address:#x}" for address in addresses)
        target = mprof.Target()
        target.hello(start=True)
        target.time()
        for address in addresses:
            target.sample(address)
        target.time()
        self.capture = bytes(target.out)
        self.environment = dict(os.environ, ASAN_OPTIONS=(
            "detect_leaks=1:exitcode=86:allocator_may_return_null=1"))
        # Nothing here may ask a server for debug info.
        self.environment.pop("DEBUGINFOD_URLS", None)

    def limit(self):
        size = self.options.memory << 20
        resource.setrlimit(resource.RLIMIT_AS, (size, size))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))

    def run(self, folder, *arguments):
        """Exit status, output, problems."""
        try:
            done = subprocess.run(
                [self.options.mcuprof, *arguments], cwd=folder, timeout=HANG,
                input=self.asked.encode(), capture_output=True,
                env=self.environment,
                preexec_fn=self.limit if self.options.memory else None)
        except subprocess.TimeoutExpired:
            return None, "", "", [f"no end after {HANG} s"]
        errors = done.stderr.decode(errors="replace")
        problems = []
        if REPORT.search(errors):
            problems.append("sanitizer: " + "\n".join(
                errors.splitlines()[:30]))
        elif done.returncode not in (0, 1, 2):
            problems.append(f"exit status {done.returncode}: {errors[:500]}")
        elif errors.count("\n") > (4 if OVERLAY.search(errors) else 2):
            problems.append(f"more than one complaint:\n{errors[:1000]}")
        return (done.returncode, done.stdout.decode(errors="replace"), errors,
                problems)

    def where(self, folder, case):
        status, out, errors, problems = self.run(
            folder, "where", "-e", "case.elf", "--format", "csv")
        if case.kind == "mutant" or problems:
            return problems
        if status != 0:
            problems.append(f"where ends with {status}: {errors}")
        rows = self.functions(out)
        names = {} if case.kind == "named" else self.physical
        for address, name in names.items():
            if rows.get(address) != name:
                problems.append(f"{address:#x} is {rows.get(address)}, not "
                                f"{name}")
        if case.kind == "broken" and errors.count("\n") != 2:
            problems.append(f"not one warning but: '{errors}'")
        if case.kind == "sound" and errors:
            problems.append(f"a warning where nothing is wrong: {errors}")
        return problems

    @staticmethod
    def functions(out):
        """{address: the physical function} of CSV; its row comes last."""
        lines = out.splitlines()
        if not lines:
            return {}
        columns = lines[0].split(",")
        address, name = columns.index("address"), columns.index("function")
        rows = (line.split(",") for line in lines[1:])
        return {int(row[address], 0): row[name] for row in rows
                if len(row) == len(columns)}

    def check(self, case):
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            (folder / "case.elf").write_bytes(case.data)
            (folder / "capture.mprof").write_bytes(self.capture)
            for other, content in case.beside.items():
                if content == "fifo":
                    os.mkfifo(folder / other)
                else:
                    (folder / other).write_bytes(content)
            problems = self.where(folder, case)
            if self.options.report:
                problems += self.run(folder, "report", "--by", "line", "-e",
                                     "case.elf", "--force",
                                     "capture.mprof")[3]
            if self.options.lint:
                problems += self.run(folder, "lint", "case.elf")[3]
        if problems and self.options.keep:
            keep = Path(self.options.keep)
            keep.mkdir(parents=True, exist_ok=True)
            (keep / f"{case.name}.elf").write_bytes(case.data)
        return case, problems


def headers(data):
    """(offset of the header, name, offset, size) of every section."""
    at, = struct.unpack_from("<I", data, 32)
    size, count, names = struct.unpack_from("<HHH", data, 46)
    rows = [struct.unpack_from("<10I", data, at + i * size)
            for i in range(count)]
    for i, row in enumerate(rows):
        start = rows[names][4] + row[0]
        yield (at + i * size, data[start:data.index(b"\0", start)].decode(),
               row[4], row[5])


def truncated(path):
    data = Path(path).read_bytes()
    cuts = {0, 1, 4, 16, 51, 52, 60, len(data) - 1, len(data) - 40}
    for at, _, offset, size in headers(data):
        cuts |= {offset, offset + 1, offset + size // 2, offset + size, at,
                 at + 20}
    for cut in sorted(cut for cut in cuts if cut < len(data)):
        yield Case(f"cut-{cut}", data[:cut])


def lying_sections(path):
    data = Path(path).read_bytes()
    sections = list(headers(data))
    places = [(f"{name or i}.{field}", at + 4 * column, "<I")
              for i, (at, name, _, _) in enumerate(sections)
              if i == 0 or name.startswith((".debug", ".sym", ".str", ".text"))
              for column, field in enumerate(
                  "name type flags addr offset size link info align entsize"
                  .split())]
    places += [(f"header.{name}", at, form) for name, at, form in (
        ("type", 16, "<H"), ("phoff", 28, "<I"), ("shoff", 32, "<I"),
        ("phentsize", 42, "<H"), ("phnum", 44, "<H"), ("shentsize", 46, "<H"),
        ("shnum", 48, "<H"), ("shstrndx", 50, "<H"))]
    for name, at, form in places:
        was, = struct.unpack_from(form, data, at)
        mask = 0xFFFF if form == "<H" else 0xFFFFFFFF
        for lie in sorted({lie & mask for lie in (
                *LIES, len(data), was + 1, was * 2, was ^ 0x800)} - {was}):
            wrong = bytearray(data)
            struct.pack_into(form, wrong, at, lie)
            yield Case(f"{name.strip('.')}-{lie:#x}", bytes(wrong))


INTERESTING = (0, 1, 2, 4, 5, 6, 0x7F, 0x80, 0xFF)


def mutate(data, ranges, dice):
    """One to eight changes within RANGES of (offset, size)."""
    wrong = bytearray(data)
    for _ in range(dice.choice((1, 1, 2, 4, 8))):
        offset, size = dice.choice(ranges)
        at = offset + dice.randrange(size)
        kind = dice.randrange(5)
        if kind == 0:
            wrong[at] ^= 1 << dice.randrange(8)
        elif kind == 1:
            wrong[at] = dice.choice(INTERESTING)
        elif kind == 2:
            count = min(4, offset + size - at)
            value = struct.pack("<I", dice.choice(
                (0, 0xFFFFFFFF, 0x7FFFFFFF, size, dice.getrandbits(32),
                 dice.randrange(size))))
            wrong[at:at + count] = value[:count]
        elif kind == 3:
            count = min(dice.randrange(1, 64), offset + size - at)
            wrong[at:at + count] = bytes([dice.choice(INTERESTING)]) * count
        else:
            count = min(dice.randrange(1, 64), offset + size - at)
            other = offset + dice.randrange(size - count + 1)
            wrong[at:at + count] = data[other:other + count]
    return bytes(wrong)


def mutated(paths, seed, count, more):
    files = []
    kinds = (".debug", ".zdebug", ".sym") + more
    for path in paths:
        data = Path(path).read_bytes()
        files.append((path, data, [
            (offset, size) for at, name, offset, size in headers(data)
            if name.startswith(kinds) and size]
            + [(52, 64), (struct.unpack_from("<I", data, 32)[0] + 40, 400)]))
    for number in range(seed, seed + count):
        path, data, ranges = files[number % len(files)]
        name = f"{Path(path).stem}-{number}"
        yield Case(name, mutate(data, ranges, random.Random(number)))


def addresses_of(path):
    """Some of every function: begin, odd, middle, end."""
    found = []
    listing = subprocess.run(["arm-none-eabi-nm", "-S", path], check=True,
                             capture_output=True, text=True).stdout
    for line in listing.splitlines():
        fields = line.split()
        if len(fields) == 4 and fields[2] in "tT":
            start, size = int(fields[0], 16) & ~1, int(fields[1], 16)
            found += [start, start + 1, start + size // 2, start + size - 2]
    return sorted(set(found))[:200] + [0, 0xFFFFFFF9]


def parse():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("mcuprof")
    parser.add_argument("kind", choices=("cases", "truncated", "sections",
                                         "mutated"))
    parser.add_argument("what", nargs="*")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--every", type=int, default=1,
                        help="of the files, one in so many")
    parser.add_argument("--memory", type=int, help="MiB of address space")
    parser.add_argument("--report", action="store_true")
    parser.add_argument("--lint", action="store_true")
    parser.add_argument("--keep", help="folder for what fails")
    options = parser.parse_args()
    options.mcuprof = os.path.abspath(options.mcuprof)
    return options


def cases(options):
    if options.kind == "truncated":
        return truncated(options.what[0])
    if options.kind == "sections":
        return lying_sections(options.what[0])
    if options.kind == "mutated":
        return mutated(options.what, options.seed, options.count,
                       (".text", ".vectors") if options.lint else ())
    return (Case(*case) for case in hostile_cases.every_case(options.what))


def main():
    options = parse()
    if options.kind == "cases":
        addresses = [TEXT, TEXT + 1, TEXT + 2, TEXT + STEP - 2, TEXT + STEP,
                     TEXT + 2 * STEP - 2, TEXT + 2 * STEP, 0, 0xFFFFFFF9]
        physical = {TEXT: "first", TEXT + 2: "first",
                    TEXT + STEP - 2: "first", TEXT + STEP: "second"}
    else:
        addresses, physical = addresses_of(options.what[0]), {}
    runner = Runner(options, addresses, physical)
    count = failed = 0
    chosen = (case for i, case in enumerate(cases(options))
              if i % options.every == 0)
    with ThreadPoolExecutor(options.jobs) as pool:
        # A batch at a time: pool.map takes all there is at once.
        while batch := list(itertools.islice(chosen, 100)):
            count += len(batch)
            for case, problems in pool.map(runner.check, batch):
                if problems:
                    failed += 1
                    print(f"{case.name}: " + "\n".join(problems), flush=True)
    print(f"{count} files, {failed} failed")
    # No file at all would be no test.
    return failed > 0 or count == 0


if __name__ == "__main__":
    sys.exit(main())
