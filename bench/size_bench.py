# SPDX-License-Identifier: MIT
"""Bytes of code, RAM and stack, and cycles with interrupts masked: what the
firmware tells without running."""

import re
import subprocess
import sys

from cycles import CORES, disassemble, masked_cycles
from elf_symbols import symbols
from stack_depth import Depth

OWN_FILES = ("mcuprof_sampler.c", "mcuprof_sampler_v7m.c")


def of_gdb(elf, expression):
    return int(subprocess.run(
        ["gdb-multiarch", "-nx", "-batch", "-ex", f"output {expression}", elf],
        check=True, capture_output=True, text=True).stdout)


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
    results.put("sampler_code_bytes", sampler_code, "bytes")
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
    units = of_gdb(elf, "sizeof(mcuprof_hotspots)"
                        " + sizeof(mcuprofi_hotspots.tag)")
    results.put("hotspot_code_bytes", engine, "bytes")
    results.put("hotspot_view_code_bytes", view, "bytes")
    results.put("hotspot_total_code_bytes", total, "bytes")
    results.put("hotspot_units_ram_bytes", units, "bytes")
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
        kinds = {kind: masked_in(
            fw / f"bench/bench-trace-{board}-O2-{kind}.elf", core)
                 for kind in ("ring", "table")}
        if sampler or not attach or any(bool(hooks) != (core == "m0plus")
                                        for hooks in kinds.values()):
            sys.exit("bench.py: what masks interrupts has changed: "
                     f"{sampler} {attach} {kinds}")
        results.put(f"masked_cycles_{core}", max(attach + sum(kinds.values(),
                                                              [])), "cycles")
        for kind, hooks in kinds.items():
            results.put(f"{kind}_masked_cycles_{core}", max(hooks, default=0),
                        "cycles")
        # With MCUPROF_CONTEXT_ID() another task is found out.
        results.put(f"table_asks_masked_cycles_{core}", max(sum(
            (masked_in(fw / f"bench/bench-trace-{board}-{level}-table-asks.elf",
                       core) for level in ("O2", "Os")), [])), "cycles")


def code_and_ram(elf, *files):
    """Bytes of the library: of these files' code, of all of its code, RAM."""
    known, wanted = set(), set()  # an exit hook goes on in the other
    ram = 0
    for _, address, size, kind, source in symbols(elf):
        if "target/" not in source:
            continue
        if kind in "bd":
            ram += size
        if kind == "t":
            span = range(address & ~1, (address & ~1) + size)
            known.update(span)
            if source.endswith(files):
                wanted.update(span)
    return len(wanted), len(known), ram


def table_sizes(results, fw):
    """The fast path, with the slow path, and with all that it needs to start;
    of RAM what is not slots."""
    results.title("size of the function table, M4 -Os")
    elf = fw / "bench-trace-mps2-an386-Os-table.elf"
    hooks, _, _ = code_and_ram(elf, "mcuprof_functions_hooks.c")
    code, total, ram = code_and_ram(elf, "mcuprof_functions_hooks.c",
                                    "mcuprof_functions_slow.c")
    results.put("table_hooks_code_bytes", hooks, "bytes")
    results.put("table_code_bytes", code, "bytes")
    results.put("table_total_code_bytes", total, "bytes")
    results.put("table_ram_bytes",
                ram - of_gdb(elf, "sizeof(mcuprof_functions.rows)"), "bytes")
    results.put("table_slot_bytes",
                of_gdb(elf, "sizeof(mcuprof_functions.rows[0])"), "bytes")
    results.put("table_frame_bytes",
                of_gdb(elf, "sizeof(mcuprof_functions.frames[0][0])"), "bytes")


def trace_sizes(results, fw):
    results.title("size of the call ring, M4 -Os")
    elf = fw / "bench-trace-mps2-an386-Os-ring.elf"
    code, total, ram = code_and_ram(elf, "mcuprof_hooks.c", "mcuprof_ring.c")
    results.put("ring_code_bytes", code, "bytes")
    results.put("ring_total_code_bytes", total, "bytes")
    results.put("ring_ram_bytes",
                ram - of_gdb(elf, "sizeof(mcuprof_trace.slots)"), "bytes")
    results.put("ring_event_bytes",
                of_gdb(elf, "sizeof(mcuprof_trace.slots[0])"), "bytes")


def all_sizes(results, fw):
    """Samples, table and calls over RTT; in RAM with 256 samples, 1024 records
    and the buffers of RTT."""
    results.title("size of all there is, over RTT, M4 -Os")
    code = ram = 0
    for name, _, size, kind, source in symbols(fw / "bench-all-size.elf"):
        if name.startswith("board_"):
            continue
        if "target/" in source or name == "SysTick_Handler":
            code += size if kind in "tr" else 0
            ram += size if kind in "bd" else 0
    results.put("all_code_bytes", code, "bytes")
    results.put("all_ram_bytes", ram, "bytes")


def stacks(results, fw):
    """Of the hooks themselves; with the slow path that they go on in; and if
    that has to ask triggers, filters or a clock that is no register."""
    results.title("stack of a call hook, at most: as nearly always, where it "
                  "takes the slow path, and with triggers and filters")
    for core, board in (("m4", "mps2-an386"), ("m0plus", "microbit")):
        depths = [hook_depths(fw / f"bench-trace-{board}-{level}-ring.elf")
                  for level in ("O2", "Os")]
        for name, bytes_ in zip(("ring", "ring_slow", "ring_asked"),
                                map(max, zip(*depths))):
            results.put(f"{name}_stack_bytes_{core}", bytes_, "bytes")
    for core, board in (("m4", "mps2-an386"), ("m0plus", "microbit")):
        depths = [hook_depths(fw / f"bench-trace-{board}-{level}-table.elf",
                              TABLE_ENDS) for level in ("O2", "Os")]
        for name, bytes_ in zip(("table", "table_slow"),
                                map(max, zip(*depths))):
            results.put(f"{name}_stack_bytes_{core}", bytes_, "bytes")


RING_ENDS = (("mcuprofi_ring_slow",), ("mcuprofi_trace_asks",), ())
TABLE_ENDS = (("mcuprofi_functions_enter_slow", "mcuprofi_functions_exit_slow"),
              ())


def hook_depths(elf, stages=RING_ENDS):
    known = {name: address & ~1 for name, address, _, kind, _ in symbols(elf)
             if kind == "t"}
    code = disassemble(elf)
    return [max(Depth(code, [known[end] for end in ends]).of(known[hook])
                for hook in ("__cyg_profile_func_enter",
                             "__cyg_profile_func_exit"))
            for ends in stages]
