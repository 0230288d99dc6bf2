# SPDX-License-Identifier: MIT
"""What a sample costs, of the runs of bench/bench_sampler.c and others:
bench.py's part on sampling and the hot-spot table."""

import sys

from cycles import Run
from elf_symbols import symbols

STACKING = 24  # exception entry and return of the M3 and M4


def thread_filter(elf):
    """Keeps what thread mode executes beside the bench's own functions and
    the board's: mcuprof_poll() and all that it calls."""
    outside = [(address, address + size)
               for name, address, size, kind, source in symbols(elf)
               if kind == "t" and ("bench/" in source
                                   or name.startswith(("board_", "bench_")))]
    return lambda address: not any(a <= address < b for a, b in outside)


def sampler(results, runs, fw):
    results.title("sampler, from the handler's first instruction to exception "
                  "return")
    boards = {"mps2-an386": ["m4"], "mps2-an385": ["m3"],
              "microbit": ["m0plus", "m0"]}
    figures = {}
    for board, cores in boards.items():
        elf = fw / f"bench-sampler-{board}.elf"
        run = Run(elf, runs / f"{board}.truth")
        entries = run.entries["p15"]
        for core in cores:
            cycles = run.cycles(core, "p15") / entries
            figures[core] = cycles
            results.put(f"sampler_cycles_{core}", cycles, "cycles")
        results.put(f"sampler_instructions_{cores[-1]}",
                    run.instructions("p15") / entries, "instructions")
        results.put(f"sampler_most_instructions_{cores[-1]}", run.most["p15"],
                    "instructions")
        if board == "mps2-an386":
            keep = thread_filter(elf)
            figures["poll"] = run.cycles("m4", "0", keep) / entries
            figures["entries"] = entries
    return figures


def baselines(results, runs, fw):
    """In the style of the published ones, of our own writing."""
    results.title("for comparison, M4: a raw sampler, and one with a table")
    for name, run in (
            ("raw", Run(fw / "tests/firmware/bench-baseline.elf",
                        runs / "baseline.truth")),
            ("hotspot", Run(fw / "examples/demo/demo-baseline-m4f.elf",
                            runs / "demo-baseline.truth"))):
        results.put(f"baseline_{name}_cycles_m4",
                    run.cycles("m4", "p15") / run.entries["p15"], "cycles")


def of_demo(results, runs, fw, name, image):
    run = Run(fw / f"examples/demo/demo-{image}-m4f.elf",
              runs / f"demo-{image}.truth")
    results.put(f"{name}_cycles_m4",
                run.cycles("m4", "p15") / run.entries["p15"], "cycles")


def longest(runs, fw, table, ways):
    """Each sample of a way must have gone the same way: then the mean is what
    every one of them took."""
    found = []
    for way in ways:
        run = Run(fw / f"tests/firmware/bench-{table}-{way}.elf",
                  runs / f"{table}-{way}.truth")
        if run.least["p15"] != run.most["p15"]:
            sys.exit(f"bench.py: {table}-{way}: samples differ")
        found.append(run.cycles("m4", "p15") / run.entries["p15"])
    return max(found)


TABLES = (("sampler_hotspot", "hotspots"), ("hotspot_alone", "hotspots-alone"))


def hotspots(results, runs, fw):
    """The table: on the demo's load, and on the longest way of a sample."""
    results.title("hot-spot table, M4, the sampler included")
    of_demo(results, runs, fw, "sampler_hotspot", "hotspots")
    for name, table in TABLES:
        results.put(f"{name}_worst_cycles_m4",
                    longest(runs, fw, table, ("take_empty", "replace",
                                              "find")), "cycles")


def hotspot_steps(results, runs, fw):
    results.title("hot-spot table, M4: alone, and with what is rare; at most "
                  "one of these in a sample")
    of_demo(results, runs, fw, "sampler_hotspot_alone", "alone")
    for name, table in TABLES:
        results.put(f"{name}_view_cycles_m4",
                    longest(runs, fw, table, ("copy", "row", "publish")),
                    "cycles")
        results.put(f"{name}_halving_cycles_m4",
                    longest(runs, fw, table, ("decay",)), "cycles")


def sampling(results, figures):
    results.title("sampling at 10 kHz, exception entry and return included")
    interrupt = figures["m4"] + STACKING
    for mhz in (168, 64):
        results.put(f"sampling_10khz_{mhz}mhz_percent",
                    interrupt * 10000 / (mhz * 1e4), "%")
    for mhz in (168, 64):
        results.put(f"sampling_poll_10khz_{mhz}mhz_percent",
                    (interrupt + figures["poll"]) * 10000 / (mhz * 1e4), "%")
    results.put("poll_sample_cycles_m4", figures["poll"], "cycles")
