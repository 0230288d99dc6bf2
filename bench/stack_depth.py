# SPDX-License-Identifier: MIT
"""Bytes of stack that a function takes at most, with all that it calls, from
its instructions: what runs, not what the compiler says of each file."""

import re

from cycles import CONDITIONS, base_of, ends_in_pc, registers_in



def register_bytes(operands):
    wide = re.search(r"\{d", operands) is not None
    return registers_in(operands) * (8 if wide else 4)


def pushed(mnemonic, operands):
    """Bytes by which this instruction lowers the stack pointer."""
    name = base_of(mnemonic)
    if name.startswith(("push", "vpush", "pop", "vpop")):
        return register_bytes(operands) * (1 if "push" in name else -1)
    if operands.startswith("sp!"):
        return register_bytes(operands) * (-1 if "ldm" in name else 1)
    if match := re.search(r"\[sp, #(-?\d+)\]!|\[sp\], #(-?\d+)", operands):
        return -int(match[1] or match[2])
    if match := re.fullmatch(r"sp, (?:sp, )?#(\d+)", operands):
        if name.startswith(("sub", "add")):
            return int(match[1]) * (1 if name.startswith("sub") else -1)
    if operands.startswith("sp,") and not name.startswith(("cmp", "str")):
        raise ValueError(f"the stack pointer from {mnemonic} {operands}")
    return 0


def framed(mnemonic, operands, depth, frame):
    """(depth, depth that r7 has) after this instruction, of its own kind."""
    if match := re.fullmatch(r"r7, sp(?:, #(\d+))?", operands):
        return depth, depth - int(match[1] or 0)
    if mnemonic == "mov" and operands == "sp, r7" and frame is not None:
        return frame, frame
    return depth + pushed(mnemonic, operands), frame


def is_conditional(mnemonic, operands):
    """A return that may not be one: after IT."""
    name = mnemonic.split(".")[0]
    return name[-2:] in CONDITIONS and name[:-2] in ("bx", "pop", "ldmia",
                                                     "ldr")


class Depth:
    def __init__(self, code, ends=()):
        """`ends`: functions that are not followed, by address."""
        self.code = code
        order = sorted(code)
        self.following = dict(zip(order, order[1:]))
        self.ends = set(ends)
        self.known = {}

    def of(self, function):
        """Of a function, by its address."""
        if function in self.ends:
            return 0
        if function not in self.known:
            self.known[function] = None
            self.known[function] = self.walk(function)
        if self.known[function] is None:
            raise ValueError(f"{function:#x} calls itself")
        return self.known[function]

    def walk(self, function):
        most, seen, ways = 0, {}, [(function, 0, None)]
        while ways:
            address, depth, frame = ways.pop()
            if seen.get(address, -1) >= depth:
                continue
            seen[address] = depth
            most = max(most, depth)
            if address in self.ends:
                continue
            if address in self.known and address != function:
                most = max(most, depth + self.of(address))
                continue
            mnemonic, operands = self.code[address]
            depth, frame = framed(mnemonic, operands, depth, frame)
            most = max(most, depth)
            for target, is_call in self.targets(address, mnemonic, operands):
                if is_call:
                    most = max(most, depth + self.of(target))
                else:
                    ways.append((target, depth, frame))
        return most

    def literal(self, address, register):
        """What the instruction in front of this one has loaded from code."""
        load = max(other for other in self.code if other < address)
        mnemonic, operands = self.code[load]
        match = re.fullmatch(register + r", \[pc, #(\d+)\]", operands)
        if not mnemonic.startswith("ldr") or match is None:
            raise ValueError(f"{address:#x} goes anywhere: bx {register}")
        word = self.code[(load + 4 & ~3) + int(match[1])]
        return int(word[1], 16) & ~1

    def targets(self, address, mnemonic, operands):
        """(where it goes on, whether that is a call) from an instruction."""
        name = base_of(mnemonic)
        following = (self.following[address], False)
        if name == "blx" or name in ("tbb", "tbh"):
            raise ValueError(f"{address:#x} goes anywhere: {mnemonic}")
        if name == "bl":
            return [(int(operands.split()[-1], 16), True), following]
        if name == "bx" and operands != "lr":
            return [(self.literal(address, operands), False)]
        if name == "bx" or ends_in_pc(name, operands):
            return [following] if is_conditional(mnemonic, operands) else []
        if name in ("b", "cbz", "cbnz"):
            target = (int(operands.split()[-1], 16), False)
            always = mnemonic.split(".")[0] == "b"
            return [target] if always else [target, following]
        return [following]
