#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What binutils say of the hooks in an ELF.

hook_calls.py ELF: a line for each call of a hook: address, enter or exit, bl
or b, the function it is in, and the one whose address r0 holds, "-" where the
few instructions before do not say that.
"""

import re
import subprocess
import sys

HOOK = re.compile(r"<(?:__)?__cyg_profile_func_(enter|exit)(?:_veneer)?>$")
LINE = re.compile(r"^ *([0-9a-f]+):\t(\S+)\s*(.*)$")
LITERAL = re.compile(r"(r\d+|sl|fp|ip), \[pc, #\d+\]\s*@ \((?:0x)?([0-9a-f]+)")
HALF = re.compile(r"(r\d+|sl|fp|ip), #(\d+)")
COPY = re.compile(r"(r\d+|sl|fp|ip), (r\d+|sl|fp|ip)$")
TARGET = re.compile(r"\b([0-9a-f]+) <")


def run(*command):
    return subprocess.run(command, capture_output=True, text=True,
                          check=True).stdout


def words(elf):
    """Every aligned word of the loaded sections that objdump shows."""
    found, is_loaded = {}, False
    for line in run("arm-none-eabi-objdump", "-s", elf).splitlines():
        if line.startswith("Contents of section "):
            is_loaded = re.search(r" \.(debug|comment|ARM)", line) is None
        match = is_loaded and re.match(r"^ ([0-9a-f]+) ((?:[0-9a-f]{2,8} ){1,4})", line)
        if match:
            data = bytes.fromhex(match[2].replace(" ", ""))
            for at in range(0, len(data) - 3, 4):
                found[int(match[1], 16) + at] = int.from_bytes(
                    data[at:at + 4], "little")
    return found


def functions(elf):
    names = {}
    for line in run("arm-none-eabi-nm", elf).splitlines():
        fields = line.split()
        if len(fields) == 3 and fields[1] in "tTwW":
            names.setdefault(int(fields[0], 16) & ~1, fields[2])
    return names


def follow(values, operation, operands, memory):
    """What registers hold after an instruction, as far as that is certain."""
    literal, half = LITERAL.match(operands), HALF.match(operands)
    copy = COPY.match(operands)
    value = None
    if operation.startswith("ldr") and literal:
        value = memory.get(int(literal[2], 16))
    elif operation == "movw" and half:
        value = int(half[2])
    elif operation == "movt" and half and half[1] in values:
        value = values[half[1]] | int(half[2]) << 16
    elif operation in ("mov", "movs") and copy:
        value = values.get(copy[2])
    if operation[0] == "b":
        for name in ("r0", "r1", "r2", "r3", "ip"):
            values.pop(name, None)
        return
    for name in re.findall(r"\b(?:r\d+|sl|fp|ip)\b", operands):
        if operation.startswith(("ld", "pop")) or name == re.split(
                r"[, ]", operands)[0]:
            values.pop(name, None)
    if value is not None:
        values[re.split(r"[, ]", operands)[0]] = value


def main(elf):
    memory, names = words(elf), functions(elf)
    lines = run("arm-none-eabi-objdump", "-d", "--no-show-raw-insn",
                elf).splitlines()
    parsed = [LINE.match(line) for line in lines]
    joins = {int(target[1], 16) for match in parsed if match
             for target in [TARGET.search(match[3])] if target}
    function, values = "", {}
    for line, match in zip(lines, parsed):
        begin = re.match(r"^[0-9a-f]+ <(.*)>:$", line)
        if begin:
            function, values = begin[1], {}
        if not match:
            continue
        address, operation, operands = match.groups()
        if int(address, 16) in joins or operation in ("tbb", "tbh", "it"):
            values = {}
        hook = HOOK.search(operands)
        if hook and operation[0] == "b" and not function.endswith("_veneer"):
            told = names.get(values.get("r0", 0) - 1, "-")
            print(address, hook[1], operation.split(".")[0], function, told)
        follow(values, operation, operands, memory)
        if operation.startswith((".", "b.", "bx", "pop")) or operation == "b":
            values = {}


if __name__ == "__main__":
    main(sys.argv[1])
