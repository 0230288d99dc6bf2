# SPDX-License-Identifier: MIT
"""Cycles from executed instructions: the counts of tests/truth's plugin, the
instructions of objdump, and the timing tables of the cores' manuals, without
wait states."""

import re
import subprocess
from dataclasses import dataclass

CONDITIONS = ("eq", "ne", "cs", "hs", "cc", "lo", "mi", "pl", "vs", "vc", "hi",
              "ls", "ge", "lt", "gt", "le", "al")


@dataclass
class Core:
    """What an instruction costs, in cycles; `multiple` is per instruction
    that moves n registers and costs 1 + n; the rest is 1."""
    load: int = 2
    store: int = 1
    branch: int = 3  # taken, direct
    exchange: int = 3  # BX, BLX to a register
    call: int = 3  # BL
    into_pc: int = 3  # more, for a load that ends in PC
    divide: int = 12
    long_multiply: int = 1
    accumulate: int = 1  # MLA, MLS
    system: int = 1  # MRS, MSR and barriers


# M4: DDI 0439, 3.3.1, with 2 cycles to refill the pipeline.
# M3: DDI 0337, 18.2, the multiplications at their longest.
# M0+: DDI 0484, 3.3; M0: DDI 0432, 3.3; both with a fast multiplier.
CORES = {
    "m4": Core(),
    "m3": Core(long_multiply=5, accumulate=2),
    "m0plus": Core(store=2, branch=2, exchange=2, call=3, into_pc=2,
                   system=3),
    "m0": Core(store=2, branch=3, exchange=3, call=4, into_pc=3, system=4),
}


def base_of(mnemonic):
    """Without width and, for what branches, condition."""
    name = mnemonic.split(".")[0]
    for stem in ("blx", "bx", "bl", "b"):
        if name == stem or (name.startswith(stem)
                            and name[len(stem):] in CONDITIONS):
            return stem
    return name


def registers_in(operands):
    """How many registers a list in braces holds."""
    count = 0
    for item in re.search(r"\{(.*)\}", operands)[1].split(","):
        first, _, last = item.strip().partition("-")
        count += int(last[1:]) - int(first[1:]) + 1 if last else 1
    return count


def ends_in_pc(name, operands):
    if name.startswith(("pop", "ldm")):
        return re.search(r"\bpc\b.*\}", operands) is not None
    return operands.startswith("pc,")


def memory_cycles(core, name, operands):
    """Loads and stores; None for anything else."""
    if name.startswith(("push", "pop", "ldm", "stm")):
        return 1 + registers_in(operands)
    if name.startswith(("ldrd", "strd")):
        return 3
    if name.startswith("ldr"):
        return core.load
    if name.startswith("str"):
        return core.store
    return None


def plain_cycles(core, name):
    if name.startswith(("udiv", "sdiv")):
        return core.divide
    if name.startswith(("umull", "smull", "umlal", "smlal")):
        return core.long_multiply
    if name.startswith(("mla", "mls")):
        return core.accumulate
    if name.startswith(("mrs", "msr", "dsb", "dmb", "isb")):
        return core.system
    return 1


def instruction_cycles(core, mnemonic, operands, executed, taken):
    """Cycles of one instruction that ran `executed` times and of these did
    not go on to the next `taken` times."""
    name = base_of(mnemonic)
    transfers = {"b": core.branch, "cbz": core.branch, "cbnz": core.branch,
                 "bl": core.call, "bx": core.exchange, "blx": core.exchange}
    if name in transfers:
        return taken * transfers[name] + (executed - taken)
    if name in ("tbb", "tbh"):
        return executed * (core.load + core.into_pc)
    cycles = memory_cycles(core, name, operands)
    if cycles is not None:
        more = core.into_pc if ends_in_pc(name, operands) else 0
        return executed * cycles + taken * more
    if ends_in_pc(name, operands):
        return executed * core.exchange
    return executed * plain_cycles(core, name)


LINE = re.compile(r"^\s*([0-9a-f]+):\t(\S+)\s*([^;@<]*)")


def disassemble(elf):
    text = subprocess.run(
        ["arm-none-eabi-objdump", "-d", "--no-show-raw-insn", elf],
        check=True, capture_output=True, text=True).stdout
    return {int(match[1], 16): (match[2], match[3].strip())
            for match in map(LINE.match, text.splitlines()) if match}


def masked_cycles(core, code, address, behind=()):
    """Cycles of the longest way from behind a CPSID to the MSR that ends it,
    that included. For code without loops or calls."""
    if address in behind:
        raise ValueError(f"a loop at {address:#x}, masked")
    behind = (*behind, address)
    mnemonic, operands = code[address]
    following = min(other for other in code if other > address)
    name = base_of(mnemonic)
    if name == "msr" and operands.upper().startswith("PRIMASK"):
        return instruction_cycles(core, mnemonic, operands, 1, 0)
    ways = []
    if name in ("b", "cbz", "cbnz"):
        target = int(operands.split()[-1], 16)
        ways.append(instruction_cycles(core, mnemonic, operands, 1, 1)
                    + masked_cycles(core, code, target, behind))
    elif name in ("bl", "bx", "blx") or ends_in_pc(name, operands):
        raise ValueError(f"leaves at {address:#x}, masked")
    if mnemonic.split(".")[0] != "b":
        ways.append(instruction_cycles(core, mnemonic, operands, 1, 0)
                    + masked_cycles(core, code, following, behind))
    return max(ways)


class Run:
    """One run under the truth plugin."""

    def __init__(self, elf, truth):
        self.code = disassemble(elf)
        self.entries, self.counts = {}, []
        self.least, self.most = {}, {}
        with open(truth) as file:
            for line in file:
                kind, *fields = line.split()
                if kind == "run":
                    self.entries[fields[0]] = int(fields[1])
                    self.least[fields[0]] = int(fields[2])
                    self.most[fields[0]] = int(fields[3])
                elif kind == "count":
                    self.counts.append((fields[0], int(fields[1], 16),
                                        int(fields[2]), int(fields[3])))

    def instructions(self, context, keep=lambda address: True):
        return sum(executed for where, address, executed, _ in self.counts
                   if where == context and keep(address))

    def cycles(self, core, context, keep=lambda address: True):
        return sum(instruction_cycles(CORES[core], *self.code[address],
                                      executed, taken)
                   for where, address, executed, taken in self.counts
                   if where == context and keep(address))
