#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""bench.py RUNS FW OUT: prints the tables and writes bench.json.

RUNS holds what run.sh measured, FW is the firmware build. A figure without a
goal is there for comparison. Exit 1 if one exceeds its limit."""

import json
import sys
from pathlib import Path

import budget
import sampler_bench
import select_bench
import trace_bench
from cycles import Run
from elf_symbols import symbols
from results import Results


def slowdown(results, runs):
    """What a given work takes longer in executed instructions: those of the
    interrupt and of thread mode in mcuprof_poll(), per one of all others."""
    elf = runs / "demo-long-O2.elf"
    run = Run(elf, runs / "truth")
    own = [(address, address + size)
           for name, address, size, kind, source in symbols(elf)
           if kind == "t" and "target/" in source
           and not name.startswith("board_")]

    def is_own(address):
        return any(a <= address < b for a, b in own)

    total = sum(executed for _, _, executed, _ in run.counts)
    interrupt = run.instructions("p15")
    poll = run.instructions("0", is_own)
    results.title("demo at 10 kHz and 31 million instructions per second")
    results.put("demo_interrupt_slowdown_percent",
                100 * interrupt / (total - interrupt - poll), "%")
    results.put("demo_slowdown_percent",
                100 * (interrupt + poll) / (total - interrupt - poll), "%")


def host(results, runs):
    """The one table that depends on the machine."""
    results.title("host, 20 million samples on one core of this machine")
    values = dict(line.split() for line in open(runs / "host"))
    results.put("host_events_per_second",
                float(values["host_events_per_second"]), "samples/s")
    results.put("host_report_kib", float(values["host_report_kib"]), "KiB")
    results.put("host_report_tenth_kib",
                float(values["host_report_tenth_kib"]), "KiB")


SYMBOLIZE_UNITS = {"mib": "MiB", "seconds": "seconds", "percent": "%"}


def symbolize(results, runs):
    """Lines and inlines of real size, beside the two standard symbolizers."""
    results.title("names and lines on this machine, best of three runs")
    values = {name: float(value) for name, value in
              map(str.split, open(runs / "symbolize"))}
    for name, value in values.items():
        results.put(name, value, SYMBOLIZE_UNITS[name.rpartition("_")[2]],
                    show=name in results.limits)
    print("\n  the same addresses: processor time, times ours; peak memory")
    suffix = "_agree_percent"
    for task in [name.removesuffix(suffix) for name in values
                 if name.endswith(suffix)]:
        print(f"  {task}, {values[task + '_debug_mib']:.0f} MiB of debug info,"
              f" {values[task + suffix]:.2f} % of the names agreed")
        for tool, shown in (("where", "mcuprof where"),
                            ("addr2line", "arm-none-eabi-addr2line -i"),
                            ("llvm", "llvm-symbolizer")):
            seconds = values[f"{task}_{tool}_cpu_seconds"]
            ratio = seconds / values[f"{task}_where_cpu_seconds"]
            print(f"    {shown:28} {seconds:6.2f} s {ratio:6.2f} "
                  f"{values[f'{task}_{tool}_mib']:6.0f} MiB")


def accuracy(results, runs):
    results.title("demo, 100,000 samples, -O2")
    with open(runs / "errors.json") as file:
        errors = json.load(file)
    with open(runs / "function.json") as file:
        quality = json.load(file)["quality"]
    results.put("sampling_error_points", errors["function"], "points")
    results.put("context_error_points", errors["context"], "points")
    results.put("idle_error_points", errors["idle"], "points")
    results.put("wire_sample_bytes",
                (quality["bytes"] - quality["text_bytes"])
                / quality["samples"], "bytes")


def target(results, runs, fw):
    budget.figures(results, runs, fw, trace_bench.LEVELS, trace_bench.HOOKS,
                   trace_bench.TABLES)
    trace_bench.full(results, runs, fw / "bench")
    select_bench.select(results, runs)
    sampler_bench.hotspot_steps(results, runs, fw)
    sampler_bench.baselines(results, runs, fw)
    slowdown(results, runs)
    accuracy(results, runs)


def main():
    if len(sys.argv) != 4:
        sys.exit("usage: bench.py RUNS FW OUT")
    runs, fw = Path(sys.argv[1]), Path(sys.argv[2])
    results = Results()
    target(results, runs, fw)
    host(results, runs)
    symbolize(results, runs)
    with open(sys.argv[3], "w") as file:
        json.dump(results.rows, file, indent=1)
        file.write("\n")
    wrong = results.exceeded() + results.unmeasured("test", "bench")
    print(f"\n{len(results.rows)} figures in {sys.argv[3]}; goals missed: "
          f"{', '.join(results.missed()) or 'none'}")
    print("\n".join(wrong), end="\n" if wrong else "")
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main())
