#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""bench.py RUNS FW OUT: prints the tables and writes bench.json.

RUNS holds what run.sh measured, FW is the firmware build. A figure without a
goal is there for comparison."""

import json
import re
import subprocess
import sys
from pathlib import Path

from cycles import CORES, Run, disassemble, masked_cycles
from trace_bench import trace

STACKING = 24  # exception entry and return of the M3 and M4
OWN_FILES = ("mcuprof_sampler.c", "mcuprof_sampler_v7m.c")


class Results:
    def __init__(self):
        self.rows = []

    def title(self, text):
        print(f"\n{text}")

    def put(self, name, value, unit, goal=None, least=None, show=True):
        """`goal` is the greatest value allowed, `least` the smallest; without
        `show` the caller prints the value in a table of its own."""
        met = value <= goal if goal is not None else None
        if least is not None:
            goal, met = least, value >= least
        self.rows.append({"name": name, "value": round(value, 4),
                          "unit": unit, "goal": goal, "met": met})
        if not show:
            return
        shown = f"{value:,.2f}".rstrip("0").rstrip(".")
        verdict = "" if goal is None else \
            f"  goal {goal:g}{'' if met else '  MISSED'}"
        print(f"  {name:34} {shown:>9} {unit}{verdict}")


def symbols(elf):
    """(name, address, size, kind, source file) as nm tells them."""
    text = subprocess.run(["arm-none-eabi-nm", "-S", "-l", elf], check=True,
                          capture_output=True, text=True).stdout
    for line in text.splitlines():
        fields, _, source = line.partition("\t")
        fields = fields.split()
        if len(fields) == 4:
            yield (fields[3], int(fields[0], 16), int(fields[1], 16),
                   fields[2].lower(), source.rpartition(":")[0])


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
            results.put(f"sampler_cycles_{core}", cycles, "cycles",
                        75 if core == "m4" else None)
        results.put(f"sampler_instructions_{cores[-1]}",
                    run.instructions("p15") / entries, "instructions")
        results.put(f"sampler_most_instructions_{cores[-1]}", run.most["p15"],
                    "instructions")
        if board == "mps2-an386":
            keep = thread_filter(elf)
            figures["poll"] = run.cycles("m4", "0", keep) / entries
            figures["entries"] = entries
    baseline = Run(fw / "bench-baseline.elf", runs / "baseline.truth")
    results.put("baseline_raw_cycles_m4",
                baseline.cycles("m4", "p15") / baseline.entries["p15"],
                "cycles")
    return figures


def hotspots(results, runs, fw):
    """The table: on the demo's load, and on the longest way of a sample."""
    results.title("hot-spot table, M4, the sampler included")
    demo, firmware = fw / "examples/demo", fw / "tests/firmware"

    def cycles(elf, name):
        run = Run(elf, runs / f"{name}.truth")
        return run, run.cycles("m4", "p15") / run.entries["p15"]

    def longest(table, ways):
        """Each sample of a way must have gone the same way: then the mean is
        what every one of them took."""
        found = []
        for way in ways:
            run, mean = cycles(firmware / f"bench-{table}-{way}.elf",
                               f"{table}-{way}")
            if run.least["p15"] != run.most["p15"]:
                sys.exit(f"bench.py: {table}-{way}: samples differ")
            found.append(mean)
        return max(found)

    for name, image, goal in (("sampler_hotspot", "hotspots", 115),
                              ("sampler_hotspot_alone", "alone", None),
                              ("baseline_hotspot", "baseline", None)):
        results.put(f"{name}_cycles_m4",
                    cycles(demo / f"demo-{image}-m4f.elf", f"demo-{image}")[1],
                    "cycles", goal)
    for name, table in (("sampler_hotspot", "hotspots"),
                        ("hotspot_alone", "hotspots-alone")):
        results.put(f"{name}_worst_cycles_m4",
                    longest(table, ("take_empty", "replace", "find")),
                    "cycles", 220)
        # At most one of these in a sample.
        results.put(f"{name}_view_cycles_m4",
                    longest(table, ("copy", "row", "publish")), "cycles")
        results.put(f"{name}_halving_cycles_m4",
                    longest(table, ("decay",)), "cycles")


def sampling(results, figures):
    results.title("sampling at 10 kHz, exception entry and return included")
    interrupt = figures["m4"] + STACKING
    for mhz, goal in ((168, 0.6), (64, 1.6)):
        results.put(f"sampling_10khz_{mhz}mhz_percent",
                    interrupt * 10000 / (mhz * 1e4), "%", goal)
    for mhz in (168, 64):
        results.put(f"sampling_poll_10khz_{mhz}mhz_percent",
                    (interrupt + figures["poll"]) * 10000 / (mhz * 1e4), "%")
    results.put("poll_sample_cycles_m4", figures["poll"], "cycles")


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


def sizes(results, fw):
    results.title("size, M4 -Os")
    elf = fw / "bench-sampler-size.elf"
    sampler_code = library_code = ram = ring = 0
    for name, _, size, kind, source in symbols(elf):
        if name.startswith("board_"):
            continue
        if "target/" in source or name == "SysTick_Handler":
            if kind in "tr":
                library_code += size
                if source.endswith(OWN_FILES) or name == "SysTick_Handler":
                    sampler_code += size
            elif kind in "bd":
                ram += size
    ring = 256 * 8
    results.put("sampler_code_bytes", sampler_code, "bytes", 512)
    results.put("library_code_bytes", library_code, "bytes")
    results.put("sampler_ram_bytes", ram - ring, "bytes")
    results.put("sampler_ring_bytes", ring, "bytes")


IN_INTERRUPT = ("SysTick_Handler", "mcuprofi_sample", "mcuprofi_hotspots_put",
                "mcuprofi_hotspots_event")


def hotspot_sizes(results, fw):
    """The build with nothing but the table: what runs in the interrupt, the
    view's part of it apart, and all that the library brings."""
    results.title("size of the hot-spot table alone, M4 -Os")
    engine = view = total = ram = 0
    elf = fw / "bench-hotspots-size.elf"
    for name, _, size, kind, source in symbols(elf):
        if "target/" not in source and name != "SysTick_Handler":
            continue
        if name.startswith("board_"):
            continue
        if kind in "tr":
            total += size
            if name in IN_INTERRUPT:
                engine += size
            elif name == "mcuprofi_hotspots_view_step":
                view += size
        elif kind in "bd":
            ram += size
    # What everybody sees, and the block number of each.
    units = subprocess.run(
        ["gdb-multiarch", "-nx", "-batch", "-ex", "output sizeof("
         "mcuprof_hotspots) + sizeof(mcuprofi_hotspots.tag)", elf],
        check=True, capture_output=True, text=True).stdout
    results.put("hotspot_code_bytes", engine, "bytes", 512)
    results.put("hotspot_view_code_bytes", view, "bytes")
    results.put("hotspot_total_code_bytes", total, "bytes")
    results.put("hotspot_units_ram_bytes", int(units), "bytes", 320)
    results.put("hotspot_ram_bytes", ram, "bytes")


def masked_in(elf, core):
    """Cycles of each stretch that the library masks in this firmware."""
    own = [(address, address + size)
           for _, address, size, kind, source in symbols(elf)
           if kind == "t" and "target/" in source]
    code = disassemble(elf)
    return [masked_cycles(CORES[core], code,
                          min(other for other in code if other > address))
            for address, (mnemonic, operands) in code.items()
            if any(a <= address < b for a, b in own)
            and (mnemonic == "cpsid" or (mnemonic == "msr" and re.match(
                r"(BASEPRI|FAULTMASK)", operands, re.IGNORECASE)))]


def masked(results, fw):
    """Attaching masks interrupts, and the call ring where there is no LDREX;
    no other firmware of ours has an instruction that does."""
    results.title("longest stretch with interrupts masked by the library: "
                  "attach, detach, and call hooks without LDREX")
    firmware = fw / "tests/firmware"
    for core, board in (("m4", "mps2-an386"), ("m0plus", "microbit")):
        sampler, attach = (masked_in(firmware / f"{name}-{board}.elf", core)
                           for name in ("bench-sampler", "attach"))
        hooks = masked_in(fw / f"bench/bench-trace-{board}-O2-ring.elf", core)
        if sampler or not attach or bool(hooks) != (core == "m0plus"):
            sys.exit("bench.py: what masks interrupts has changed: "
                     f"{sampler} {attach} {hooks}")
        results.put(f"masked_cycles_{core}", max(attach + hooks), "cycles", 25)
        results.put(f"ring_masked_cycles_{core}", max(hooks, default=0),
                    "cycles", 25 if hooks else 0)


def trace_sizes(results, fw):
    results.title("size of the call ring, and of all there is, M4 -Os")
    ring, hooks = set(), set()  # an exit hook goes on in the other
    for _, address, size, kind, source in symbols(
            fw / "bench-trace-mps2-an386-Os-ring.elf"):
        if kind == "t" and "target/" in source:
            ring.update(range(address & ~1, (address & ~1) + size))
            if source.endswith(("mcuprof_hooks.c", "mcuprof_ring.c")):
                hooks.update(range(address & ~1, (address & ~1) + size))
    results.put("ring_code_bytes", len(hooks), "bytes", 512)
    results.put("ring_total_code_bytes", len(ring), "bytes")
    results.put("all_code_bytes", sum(
        size for name, _, size, kind, source in symbols(
            fw / "bench-all-size.elf")
        if kind in "tr" and not name.startswith("board_")
        and ("target/" in source or name == "SysTick_Handler")), "bytes", 3584)


def host(results, runs):
    """The one table that depends on the machine."""
    results.title("host, 20 million samples on one core of this machine")
    values = dict(line.split() for line in open(runs / "host"))
    results.put("host_events_per_second",
                float(values["host_events_per_second"]), "samples/s",
                least=10e6)
    results.put("host_report_kib", float(values["host_report_kib"]), "KiB")
    results.put("host_report_tenth_kib",
                float(values["host_report_tenth_kib"]), "KiB")


SYMBOLIZE_GOALS = {
    "host_symbolize_seconds": 2, "host_symbolize_mib": 200,
    "host_big_elf_seconds": 5, "host_first_report_seconds": 1,
}
SYMBOLIZE_UNITS = {"mib": "MiB", "seconds": "seconds", "percent": "%"}


def symbolize(results, runs):
    """Lines and inlines of real size, beside the two standard symbolizers."""
    results.title("names and lines on this machine, best of three runs")
    values = {name: float(value) for name, value in
              map(str.split, open(runs / "symbolize"))}
    for name, value in values.items():
        results.put(name, value, SYMBOLIZE_UNITS[name.rpartition("_")[2]],
                    SYMBOLIZE_GOALS.get(name), show=name in SYMBOLIZE_GOALS)
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
    results.put("sampling_error_points", errors["function"], "points", 0.5)
    results.put("context_error_points", errors["context"], "points", 0.5)
    results.put("idle_error_points", errors["idle"], "points", 2)
    results.put("wire_sample_bytes",
                (quality["bytes"] - quality["text_bytes"])
                / quality["samples"], "bytes")


def main():
    if len(sys.argv) != 4:
        sys.exit("usage: bench.py RUNS FW OUT")
    runs, fw = Path(sys.argv[1]), Path(sys.argv[2])
    results = Results()
    figures = sampler(results, runs, fw / "tests/firmware")
    hotspots(results, runs, fw)
    sampling(results, figures)
    slowdown(results, runs)
    sizes(results, fw / "tests/firmware")
    hotspot_sizes(results, fw / "tests/firmware")
    masked(results, fw)
    trace(results, runs, fw / "bench")
    trace_sizes(results, fw / "bench")
    accuracy(results, runs)
    host(results, runs)
    symbolize(results, runs)
    with open(sys.argv[3], "w") as file:
        json.dump(results.rows, file, indent=1)
        file.write("\n")
    missed = [row["name"] for row in results.rows if row["met"] is False]
    print(f"\n{len(results.rows)} figures in {sys.argv[3]}, "
          f"{len(missed)} goals missed")
    return bool(missed)


if __name__ == "__main__":
    sys.exit(main())
