#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""symbolize_bench.py MCUPROF GENERATE ELVES: names and lines, against time.

MCUPROF is the program, GENERATE a compiled host_capture.c, ELVES the folder of
make_elves.py. Prints lines of "name value". Beside ours stand
arm-none-eabi-addr2line and llvm-symbolizer, asked for the same addresses in
the same run; as they know no captures, `mcuprof where` is the like of them.

Other work on the machine only ever adds time: the best of three runs counts,
and what is compared is processor time (none of the programs has threads).
Files are in the page cache."""

import bisect
import random
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

SAMPLES = 1000000
ADDRESSES = 100000
FEW = 20
RUNS = 3
MEASURE = Path(__file__).with_name("measure.py")

ADDR2LINE = ["arm-none-eabi-addr2line", "-a", "-i", "-f", "-e"]
LLVM = ["llvm-symbolizer", "--output-style=GNU", "-a", "-i", "-f", "-e"]


def pick(elf, count):
    """COUNT halfwords of the ELF's functions, with and without debug info;
    none of a literal pool, where no program counter can be."""
    listing = subprocess.run(
        ["arm-none-eabi-nm", "-n", "-S", "--special-syms", elf], check=True,
        capture_output=True, text=True).stdout
    symbols = [line.split() for line in listing.splitlines()]
    marks = sorted((int(fields[0], 16), fields[-1][:2]) for fields in symbols
                   if fields[-1][:2] in ("$d", "$t"))
    starts = [address for address, _ in marks]
    halfwords = []
    for fields in symbols:
        if len(fields) == 4 and fields[2] in "tT":
            start = int(fields[0], 16) & ~1
            halfwords += range(start, start + int(fields[1], 16), 2)
    chosen = []
    for address in random.Random(count).sample(halfwords, len(halfwords)):
        if marks[bisect.bisect_right(starts, address) - 1][1] == "$t":
            chosen.append(address)
            if len(chosen) == count:
                break
    return chosen


def debug_mib(elf):
    listing = subprocess.run(["arm-none-eabi-size", "-A", elf], check=True,
                             capture_output=True, text=True).stdout
    return sum(int(line.split()[1]) for line in listing.splitlines()
               if line.startswith(".debug_")) / 2**20


def measure(command, stdin, stdout):
    """Seconds, those of the processor, and MiB of one run."""
    with tempfile.NamedTemporaryFile("r") as result, \
            open(stdin, "rb") as source, open(stdout, "wb") as sink:
        subprocess.run([MEASURE, result.name, *command], check=True,
                       stdin=source, stdout=sink)
        seconds, cpu, kib = map(float, result.read().split())
    return seconds, cpu, kib / 1024


def race(commands, stdin):
    """The least seconds and processor seconds and the most MiB of each of the
    commands (words, where the output goes). They run in turn, so that other
    work on the machine meets them all."""
    runs = [[measure(command, stdin, stdout) for command, stdout in commands]
            for _ in range(RUNS)]
    for of_one in zip(*runs):
        seconds, cpu, mib = zip(*of_one)
        yield min(seconds), min(cpu), max(mib)


def chains(path):
    """{address: functions innermost first} of addr2line's kind of output."""
    found = {}
    functions = []
    for line in Path(path).read_text().splitlines():
        if line.startswith("0x"):
            functions = found.setdefault(int(line, 16), [])
            is_name = True
        elif line:
            if is_name:
                functions.append(line)
            is_name = not is_name
    return found


def own_chains(path):
    """The same of `where --format csv`."""
    found = {}
    lines = Path(path).read_text().splitlines()
    columns = lines[0].split(",")
    address, function = columns.index("address"), columns.index("function")
    for line in lines[1:]:
        fields = line.split(",")
        found.setdefault(int(fields[address], 0), []).append(fields[function])
    return found


def agreement(own, *others):
    """Fast and wrong is worth nothing: the share of addresses for which one of
    the other two gives our chain of functions."""
    mine = own_chains(own)
    theirs = [chains(other) for other in others]
    same = sum(any(other.get(address) == functions for other in theirs)
               for address, functions in mine.items())
    return 100 * same / len(mine)


class Bench:
    def __init__(self, mcuprof, generate, elves):
        self.mcuprof = mcuprof
        self.generate = generate
        self.elves = Path(elves)
        self.folder = Path(tempfile.mkdtemp())

    def put(self, name, value):
        print(f"{name} {value:.4f}", flush=True)

    def capture(self, addresses, samples):
        """The addresses, one a line, and a capture of them."""
        asked, capture = self.folder / "asked", self.folder / "capture.mprof"
        asked.write_text("".join(f"{address:#x}\n" for address in addresses))
        with open(capture, "wb") as sink:
            subprocess.run([self.generate, str(samples), asked], check=True,
                           stdout=sink)
        return asked, capture

    def compare(self, name, elf, count, samples):
        """A report of COUNT addresses, and the same addresses side by side."""
        self.put(f"{name}_debug_mib", debug_mib(elf))
        asked, capture = self.capture(pick(elf, count), samples)
        outs = [self.folder / tool for tool in ("where", "addr2line", "llvm")]
        (seconds, cpu, mib), *others = race(
            [([self.mcuprof, "report", "--by", "line", "-e", elf, "--force",
               capture], "/dev/null"),
             ([self.mcuprof, "where", "--format", "csv", "-e", elf], outs[0]),
             ([*ADDR2LINE, elf], outs[1]), ([*LLVM, elf], outs[2])], asked)
        self.put(f"{name}_seconds", seconds)
        self.put(f"{name}_mib", mib)
        self.put(f"{name}_cpu_seconds", cpu)
        for out, (_, cpu, mib) in zip(outs, others):
            self.put(f"{name}_{out.name}_cpu_seconds", cpu)
            self.put(f"{name}_{out.name}_mib", mib)
        self.put(f"{name}_agree_percent", agreement(*outs))

    def without_aranges(self, elf):
        """As armlink, clang and rustc leave it."""
        out = self.folder / "bare.elf"
        subprocess.run(["arm-none-eabi-objcopy", "-R", ".debug_aranges", elf,
                        out], check=True)
        return out


def main():
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    bench = Bench(*sys.argv[1:])
    try:
        bench.compare("host_symbolize", bench.elves / "small.elf", ADDRESSES,
                      SAMPLES)
        bench.compare("host_big_elf", bench.elves / "big.elf", ADDRESSES,
                      SAMPLES)
        huge = bench.elves / "huge.elf"
        bench.compare("host_first_report", huge, FEW, FEW)
        bench.compare("host_first_report_no_aranges",
                      bench.without_aranges(huge), FEW, FEW)
    finally:
        shutil.rmtree(bench.folder)


if __name__ == "__main__":
    main()
