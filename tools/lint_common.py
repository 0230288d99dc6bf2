# SPDX-License-Identifier: MIT
"""What the lint scripts share: the list of files, and how findings are told."""

import argparse
import re
import subprocess
import sys
from pathlib import Path


class Lint:
    """One run of a check over one tree; says what it found and exits 1."""

    def __init__(self, description):
        parser = argparse.ArgumentParser(description=description)
        parser.add_argument("root", nargs="?", type=Path,
                            default=Path(__file__).resolve().parent.parent,
                            help="tree to check (default: this project)")
        self.root = parser.parse_args().root.resolve()
        self.findings = 0
        listing = subprocess.run(["git", "ls-files", "-z"], cwd=self.root,
                                 check=True, capture_output=True, text=True)
        self.files = sorted(Path(name) for name in listing.stdout.split("\0")
                            if name and (self.root / name).is_file())

    def under(self, *folders, suffixes=(".c", ".h")):
        """Tracked files with one of the suffixes in one of the folders."""
        return [path for path in self.files if path.suffix in suffixes
                and any(Path(folder) in path.parents for folder in folders)]

    def read(self, path):
        return (self.root / path).read_text(encoding="utf-8")

    def report(self, where, what):
        self.findings += 1
        print(f"{where}: {what}")

    def finish(self):
        sys.exit(1 if self.findings else 0)


def configurations():
    """The flags of each configuration of target/; the first has none."""
    listing = Path(__file__).with_name("lint_configurations.txt").read_text(
            encoding="utf-8")
    return [[]] + [line.split() for line in listing.splitlines()
                   if not line.startswith("#")]


def without_comments(source):
    """C source with comments blanked, line numbers kept."""
    def blank(match):
        text = match.group(0)
        if text.startswith("/"):
            return re.sub(r"[^\n]", " ", text)
        return text
    return re.sub(r"//[^\n]*|/\*.*?\*/|\"(?:\\.|[^\"\\\n])*\"|"
                  r"'(?:\\.|[^'\\\n])*'", blank, source, flags=re.DOTALL)


def run(command, **options):
    """A finished command with what it printed."""
    try:
        return subprocess.run([str(word) for word in command], text=True,
                              capture_output=True, check=False, **options)
    except FileNotFoundError:
        sys.exit(f"{command[0]} is not installed; run tools/install-deps.sh")
