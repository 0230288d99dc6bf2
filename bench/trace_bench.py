# SPDX-License-Identifier: MIT
"""What call hooks cost, of the runs of bench/bench_trace.c: bench.py's part on
tracing."""

import re
import subprocess
import sys
from pathlib import Path

from cycles import Run

sys.path.insert(0, str(Path(__file__).parent.parent / "tests/tools"))
import mprof  # noqa: E402
import ring_memory  # noqa: E402

BOARDS = {"m0plus": "microbit", "m3": "mps2-an385", "m4": "mps2-an386",
          "m7": "mps2-an500"}
LEVELS = ("O2", "O3")
HOOKS = ("none", "empty", "counting", "published", "ring")
TABLES = ("none", "published_table", "published_small", "table")
MANY = (8, 40, 300)

def functions(elf):
    """name: (address, size, whether the library has it)"""
    text = subprocess.run(["arm-none-eabi-nm", "-S", "-l", elf], check=True,
                          capture_output=True, text=True).stdout
    found = re.findall(r"^(\w+) (\w+) [Tt] (\S+)(?:\t(.*))?$", text, re.M)
    return {name: (int(address, 16) & ~1, int(size, 16), "target/" in source)
            for address, size, name, source in found}


class Traced:
    """One firmware: instructions and cycles between bench_begin() and
    bench_end(), and in the hooks alone."""

    def __init__(self, elf, truth, core):
        # Of an M7 no cycles: it issues two instructions at once.
        self.core = core if core != "m7" else None
        self.run = Run(elf, truth)
        self.known = functions(elf)
        self.instructions = self.run.instructions("0")
        self.cycles = self.core and self.run.cycles(self.core, "0")
        hooks = [self.known[name][0] for name in
                 ("__cyg_profile_func_enter", "__cyg_profile_func_exit")
                 if name in self.known]
        # An exit hook that goes on as the other counts there.
        if len(hooks) == 2 and hooks[1] + 2 == hooks[0]:
            hooks.pop()
        self.events = sum(executed for _, address, executed, _
                          in self.run.counts if address in hooks)

    def own(self, address):
        return any(start <= address < start + size
                   for name, (start, size, library) in self.known.items()
                   if library or name.startswith("__cyg_profile"))


def check_sums(runs, levels, variants):
    """The same checksum whatever the hooks: they did no harm."""
    for core, board in BOARDS.items():
        for level in levels:
            sums = {(runs / f"trace-{board}-{level}-{hooks}.text").read_text()
                    for hooks in variants}
            if len(sums) != 1 or not sums.pop().startswith("sum "):
                raise SystemExit(f"trace_bench.py: the work came out "
                                 f"differently on {core} -{level}")


def trace(results, runs, fw, levels, variants):
    """Of rings an event is measured, of tables a call, which are two."""
    check_sums(runs, levels, variants)
    what = "event" if "ring" in variants else "pair"
    results.title("call hooks: times the instructions without them, and the "
                  f"cycles of one {what}")
    print(f"  {'':14}" + "".join(f"{hooks:>{len(hooks) // 11 * 6 + 11}}"
                                for hooks in variants[1:])
          + f"{'instr/' + what:>13}")
    for core, board in BOARDS.items():
        for level in levels:
            traced = {hooks: Traced(
                fw / f"bench-trace-{board}-{level}-{hooks}.elf",
                runs / f"trace-{board}-{level}-{hooks}.truth", core)
                for hooks in variants}
            row(results, core, level, traced, what)


def row(results, core, level, traced, what):
    plain = traced.pop("none")
    suffix = core + ("" if level == "O2" else "_" + level.lower())
    line, second = "", ""
    for hooks, one in traced.items():
        width = len(hooks) // 11 * 6 + 11
        times = one.events if what == "event" else one.events / 2
        slowdown = one.instructions / plain.instructions
        results.put(f"{hooks}_slowdown_{suffix}", slowdown, "times",
                    show=False)
        line += f"{slowdown:{width}.2f}"
        results.put(f"{hooks}_{what}_instructions_{suffix}",
                    one.run.instructions("0", one.own) / times,
                    "instructions", show=False)
        if one.core is None:
            continue
        results.put(f"{hooks}_slowdown_cycles_{suffix}",
                    one.cycles / plain.cycles, "times", show=False)
        cycles = one.run.cycles(core, "0", one.own) / times
        results.put(f"{hooks}_{what}_cycles_{suffix}", cycles, "cycles",
                    show=False)
        second += f"{cycles:{width}.1f}"
    each = plain.instructions / times
    print(f"  {core + ' -' + level:14}{line}{each:13.1f}")
    if second:
        print(f"  {'  cycles':14}{second}")


def pair_cycles(runs, fw, name):
    one = Traced(fw / f"bench-{name}.elf", runs / f"{name}.truth", "m4")
    return one.run.cycles("m4", "0", one.own) / one.events * 2


def many(results, runs, fw, tables):
    """Whether a call costs more where there are more functions."""
    results.title("cycles of a call among so many functions, M4")
    print(f"  {'':26}" + "".join(f"{functions:>9}" for functions in MANY))
    for hooks, slots in tables:
        pairs = [pair_cycles(runs, fw, f"many-{hooks}-{functions}-{slots}")
                 for functions in MANY]
        for functions, cycles in zip(MANY, pairs):
            results.put(f"{hooks}_pair_cycles_m4_of_{functions}", cycles,
                        "cycles", show=False)
        results.put(f"{hooks}_growth_percent_m4",
                    100 * (max(pairs) / pairs[0] - 1), "%", show=False)
        print(f"  {f'{hooks}, {slots} slots':26}"
              + "".join(f"{cycles:9.1f}" for cycles in pairs))


def full(results, runs, fw):
    results.put("table_pair_cycles_m4_full",
                pair_cycles(runs, fw, "many-table-300-64"), "cycles")


def wire(results, runs, fw):
    """All that was sent, by the events in it, which are those that called a
    hook."""
    results.title("the call ring in a stream, the frames and all else "
                  "included")
    stream = (runs / "wire.text").read_bytes()
    received = sum(word < 0xE0000000 for kind, _, payload
                   in mprof.frames(stream) if kind == ring_memory.TRACE
                   for _, word in ring_memory.unpack(payload))
    called = Traced(fw / "bench-wire.elf", runs / "wire.truth", "m4").events
    if received != called:
        raise SystemExit(f"trace_bench.py: of {called} events {received} came")
    results.put("wire_event_bytes", len(stream) / called, "bytes")
