# SPDX-License-Identifier: MIT
"""What selecting hooks after linking comes to, of the runs of bench/count.sh:
bench.py's part on `mcuprof select` and `mcuprof advise`. Slowdowns are by
executed instructions, and CoreMark's by those of one iteration."""

import json
import re

LEVELS = ("O2", "O3")
BUDGET = "1.2"


def instructions(runs, name):
    """Of thread mode in the window."""
    counted = 0
    with open(runs / f"{name}.truth") as file:
        for line in file:
            kind, context, *fields = line.split()
            if kind == "count" and context == "0":
                counted += int(fields[1])
    if not counted:
        raise SystemExit(f"select_bench.py: nothing was executed in {name}")
    return counted


def outcome(runs, name):
    """What the work came to: its checksums, wherever in the output."""
    text = (runs / f"{name}.text").read_bytes()
    return sorted(set(re.findall(rb"\nsum \d+|crc\w+ +: 0x\w+", b"\n" + text)))


def slowdown(runs, plain, name):
    if not outcome(runs, name) or outcome(runs, plain) != outcome(runs, name):
        raise SystemExit(f"select_bench.py: the work of {name} came out "
                         f"differently")
    return instructions(runs, name) / instructions(runs, plain)


def advice(runs, name):
    with open(runs / f"{name}.json") as file:
        return json.load(file)


def error(runs, plain, name):
    """How far the prediction is off, in percent: where it has two ends the
    upper one, by which a budget is met."""
    said = advice(runs, name)["slowdown_after"]
    return 100 * (said / slowdown(runs, plain, name) - 1)


def load(results, runs, title, prefix, plain, traced, advised):
    """One load: `plain` etc. are run names but for the level."""
    results.title(title)
    print(f"  {'':8}{'all':>9}{'selected':>10}{'table':>9}{'selected':>10}"
          f"{'budget':>9}{'told %':>9}")
    for level in LEVELS:
        suffix = "m4" + ("" if level == "O2" else "_o3")
        values = {}
        for hooks in ("ring", "table"):
            name = traced.format(level=level, hooks=hooks)
            for kind in ("", "-select"):
                if not (runs / f"{name}{kind}.truth").exists():
                    continue
                values[hooks + kind] = slowdown(
                    runs, plain.format(level=level), name + kind)
            results.put(f"{prefix}_{hooks}_slowdown_{suffix}",
                        values[f"{hooks}-select"], "times", show=False)
        name = advised.format(level=level, hooks="ring") + f"-advise{BUDGET}"
        base = advised.format(level=level, hooks="none")
        budget = slowdown(runs, base, name)
        told = advice(runs, name)["told_percent"]
        results.put(f"{prefix}_budget_slowdown_{suffix}", budget, "times",
                    show=False)
        results.put(f"{prefix}_budget_told_percent_{suffix}", told, "%",
                    show=False)
        columns = [values.get(key) for key in
                   ("ring", "ring-select", "table", "table-select")]
        print(f"  -{level:7}" + "".join(
            f"{'' if value is None else f'{value:.2f}':>{width}}"
            for value, width in zip(columns, (9, 10, 9, 10)))
            + f"{budget:9.2f}{told:9.1f}")
    errors = [error(runs, advised.format(level=level, hooks="none"),
                    advised.format(level=level, hooks="ring") + f"-advise{of}")
              for level in LEVELS for of in ("", BUDGET)]
    results.put(f"{prefix}_prediction_error_percent",
                max(map(abs, errors)), "%")


def select(results, runs):
    load(results, runs,
         f"hooks selected after linking, M4: times the instructions; for "
         f"--budget {BUDGET}, too", "select", "trace-mps2-an386-{level}-none",
         "trace-mps2-an386-{level}-{hooks}", "advise-{level}-{hooks}")
    if (runs / "coremark-O3-ring-advise1.2.truth").exists():
        load(results, runs, "the same of EEMBC's CoreMark", "select_coremark",
             "coremark-{level}-none", "coremark-{level}-{hooks}",
             "coremark-{level}-{hooks}")
