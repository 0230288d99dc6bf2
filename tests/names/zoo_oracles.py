# SPDX-License-Identifier: MIT
"""The other symbolizers, and ours, asked many addresses at once.

Each answer is a list of frames (function, file, line), innermost first;
unknown text is "", an unknown line 0.
"""

import json
import re
import subprocess


def ask(command, addresses):
    return subprocess.run(
            command, input="".join(f"{a:#x}\n" for a in addresses),
            check=True, capture_output=True, text=True).stdout


def known(text):
    return "" if text in ("??", "?") else text


def without_nothing(frames):
    """Where nothing is known there is no frame."""
    return [] if frames == [("", "", 0)] else frames


class Addr2line:
    name = "addr2line"

    def __init__(self, elf):
        self.command = ["arm-none-eabi-addr2line", "-a", "-f", "-i", "-e",
                        str(elf)]

    def answers(self, addresses):
        found, frames, function = {}, None, None
        for line in ask(self.command, addresses).splitlines():
            if re.fullmatch("0x[0-9a-f]{8}", line):
                frames = found[int(line, 16)] = []
                function = None
            elif function is None:
                function = known(line)
            else:
                place = re.sub(r" \(discriminator \d+\)$", "", line)
                file, _, number = place.rpartition(":")
                frames.append((function, known(file), int(known(number) or 0)))
                function = None
        return {at: without_nothing(frames) for at, frames in found.items()}

    def fresh(self, address):
        """The answer of a process that was asked nothing else."""
        return self.answers([address])[address]


class Symbolizer:
    name = "llvm-symbolizer"

    def __init__(self, elf):
        self.command = ["llvm-symbolizer", f"--obj={elf}", "--inlines",
                        "--functions=linkage", "--no-demangle",
                        "--output-style=JSON"]

    def answers(self, addresses):
        found = {}
        for line in ask(self.command, addresses).splitlines():
            document = json.loads(line)
            frames = [(s["FunctionName"], s["FileName"], s["Line"])
                      for s in document["Symbol"]]
            found[int(document["Address"], 16)] = without_nothing(frames)
        return found

    def fresh(self, address):
        return self.answers([address])[address]


class Ours:
    """mcuprof where."""
    name = "mcuprof"

    def __init__(self, program, elf):
        self.command = [program, "where", "-e", str(elf), "--demangle", "no",
                        "--format", "json", "--discriminators"]
        self.warnings = []

    def places(self, addresses):
        done = subprocess.run(
                self.command, input="".join(f"{a:#x}\n" for a in addresses),
                capture_output=True, text=True, check=False)
        if done.returncode:
            raise SystemExit(f"{' '.join(self.command)}: {done.stderr}")
        self.warnings = [line for line in done.stderr.splitlines()
                         if line.startswith("mcuprof: ")]
        document = json.loads(done.stdout)
        assert document["schema"] == "mcuprof-where"
        return {place["address"]: place for place in document["places"]}


def frames_of(place):
    """The frames of our answer in the oracles' form, names as a set."""
    return [({f["function"] or "", f["linkage"] or f["function"] or ""},
             f["file"] or "", f["line"] or 0) for f in place["frames"]]
