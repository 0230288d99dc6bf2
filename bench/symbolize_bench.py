#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""symbolize_bench.py MCUPROF GENERATE ELVES: names and lines, against time.

MCUPROF is the program, GENERATE a compiled host_capture.c, ELVES the folder of
make_elves.py. Prints lines of "name value". Beside ours stand
arm-none-eabi-addr2line and llvm-symbolizer, asked for the same addresses in
the same run; as they know no captures, `mcuprof where` is the like of them.

Other work on the machine only ever adds time: the best of three runs counts,
of those that begin within LIMIT seconds. Every run starts with the file in the
page cache."""

import os
import random
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

SAMPLES = 1000000
ADDRESSES = 100000
FEW = 20
RUNS = 3
LIMIT = 30

ADDR2LINE = ["arm-none-eabi-addr2line", "-a", "-i", "-f", "-e"]
LLVM = ["llvm-symbolizer", "--output-style=GNU", "-a", "-i", "-f", "-e"]


def pick(elf, count):
    """COUNT halfwords of the ELF's functions, with and without debug info."""
    halfwords = []
    listing = subprocess.run(["arm-none-eabi-nm", "-S", elf], check=True,
                             capture_output=True, text=True).stdout
    for line in listing.splitlines():
        fields = line.split()
        if len(fields) == 4 and fields[2] in "tT":
            start = int(fields[0], 16) & ~1
            halfwords += range(start, start + int(fields[1], 16), 2)
    return random.Random(count).sample(halfwords, count)


def debug_mib(elf):
    listing = subprocess.run(["arm-none-eabi-size", "-A", elf], check=True,
                             capture_output=True, text=True).stdout
    return sum(int(line.split()[1]) for line in listing.splitlines()
               if line.startswith(".debug_")) / 2**20


def measure(command, stdin, stdout):
    """Seconds and MiB of one run, as the system counts them for the child."""
    with open(stdin, "rb") as source, open(stdout, "wb") as sink:
        begin = time.monotonic()
        child = subprocess.Popen([str(word) for word in command],
                                 stdin=source, stdout=sink)
        _, status, usage = os.wait4(child.pid, 0)
        seconds = time.monotonic() - begin
        child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode != 0:
        sys.exit(f"{command[0]} ends with status {child.returncode}")
    return seconds, usage.ru_maxrss / 1024


def best(command, stdin="/dev/null", stdout="/dev/null"):
    runs = []
    begin = time.monotonic()
    while len(runs) < RUNS and time.monotonic() - begin < LIMIT:
        runs.append(measure(command, stdin, stdout))
    return min(seconds for seconds, _ in runs), max(mib for _, mib in runs)


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

    def baselines(self, name, elf, asked):
        outs = []
        for tool, command in (("addr2line", ADDR2LINE), ("llvm", LLVM)):
            outs.append(self.folder / tool)
            seconds, mib = best([*command, elf], asked, outs[-1])
            self.put(f"{name}_{tool}_seconds", seconds)
            self.put(f"{name}_{tool}_mib", mib)
        return outs

    def agreement(self, name, own, others):
        """Fast and wrong is worth nothing: the share of addresses for which
        either of the two gives our chain of functions."""
        mine = own_chains(own)
        theirs = [chains(other) for other in others]
        same = sum(any(other.get(address) == functions for other in theirs)
                   for address, functions in mine.items())
        self.put(f"{name}_agree_percent", 100 * same / len(mine))

    def symbolize(self, name, elf):
        """Many addresses: through a report, and side by side."""
        self.put(f"{name}_debug_mib", debug_mib(elf))
        addresses = pick(elf, ADDRESSES)
        asked, capture = self.capture(addresses, SAMPLES)
        seconds, mib = best([self.mcuprof, "report", "--by", "line", "-e", elf,
                             "--force", capture])
        self.put(f"{name}_seconds", seconds)
        self.put(f"{name}_mib", mib)
        own = self.folder / "own"
        seconds, _ = best([self.mcuprof, "where", "--format", "csv", "-e", elf],
                          asked, own)
        self.put(f"{name}_where_seconds", seconds)
        self.agreement(name, own, self.baselines(name, elf, asked))

    def first_report(self, name, elf):
        """Few addresses of a file whose debug info is large."""
        self.put(f"{name}_debug_mib", debug_mib(elf))
        asked, capture = self.capture(pick(elf, FEW), 1000)
        seconds, mib = best([self.mcuprof, "report", "--by", "line", "-e", elf,
                             "--force", capture])
        self.put(f"{name}_seconds", seconds)
        self.put(f"{name}_mib", mib)
        self.baselines(name, elf, asked)

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
        bench.symbolize("host_symbolize", bench.elves / "small.elf")
        bench.symbolize("host_big_elf", bench.elves / "big.elf")
        huge = bench.elves / "huge.elf"
        bench.first_report("host_first_report", huge)
        bench.first_report("host_first_report_no_aranges",
                           bench.without_aranges(huge))
    finally:
        shutil.rmtree(bench.folder)


if __name__ == "__main__":
    main()
