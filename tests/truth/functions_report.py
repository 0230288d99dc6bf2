#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""functions_report.py ELF CAPTURE REPORT: whether the report, `--by context
--format json -n 0`, has what is in the capture's last snapshot, to the digit."""

import json
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "tools"))
import function_rows  # noqa: E402
from elf32 import Elf32  # noqa: E402

NUMBERS = ("calls", "open", "self_ticks", "total_ticks", "min_ticks",
           "max_ticks")


def main():
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    elf = Elf32(sys.argv[1])
    snapshot = function_rows.snapshots(sys.argv[2])[-1]
    with open(sys.argv[3]) as file:
        rows = json.load(file)["rows"]
    theirs = {(row["context_id"], row["address"], row["function"]):
              [row[number] for number in NUMBERS]
              for row in rows if row["kind"] == "function"}
    ours = {(context, address, *elf.function_at(address)):
            [row.calls, row.open, row.self, row.total, row.min, row.max]
            for (context, address), row in snapshot.rows.items()}
    for key in sorted(ours.keys() | theirs.keys()):
        if ours.get(key) != theirs.get(key):
            print(f"{key}: {ours.get(key)}, the report has {theirs.get(key)}")
    return ours != theirs or not ours


if __name__ == "__main__":
    sys.exit(main())
