#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""trace_cover.py ELF OUTPUT TRUTH: whether interrupts came everywhere.

OUTPUT: what trace_sweep.c printed: its hits say what was about to run when an
interrupt came. TRUTH: the truth plugin's counts of the same run. Before each
instruction of the hooks and of the slow path that was executed, one must have
come; but where they are masked, as many as those are must have come behind.
What ran but SELDOM, in 200,000 events, need not have been hit: one interrupt
must have led there, and another have come. Of the hooks every instruction must
have been executed.
"""

import re
import subprocess
import sys
from collections import Counter

HOOKS = re.compile(r"__cyg_profile_func_\w+|mcuprofi_ring_\w+|"
                   r"mcuprofi_hook_\w+")
LINE = re.compile(r" *([0-9a-f]+):\t(\S+)(?:\t([^;@]*))?")
SELDOM = 5000
ENDS = re.compile(r"b|b\.[nw]|bx|pop")


def disassembled(path):
    """Instructions of the hooks: address: (function, mnemonic, operands)."""
    text = subprocess.run(
        ["arm-none-eabi-objdump", "-d", "--no-show-raw-insn", path],
        check=True, capture_output=True, text=True).stdout
    found, function = {}, None
    for line in text.splitlines():
        label = re.fullmatch(r"[0-9a-f]+ <(\S+)>:", line)
        if label:
            function = label[1] if HOOKS.fullmatch(label[1]) else None
            continue
        match = LINE.match(line)
        if function and match and not match[2].startswith("."):
            found[int(match[1], 16)] = (function, match[2], match[3] or "")
    return found


def is_end(mnemonic, operands):
    return ENDS.fullmatch(mnemonic) and (mnemonic != "pop" or "pc" in operands)


def is_hook(instruction):
    return instruction[0].startswith("__cyg")


def masked(code):
    """Addresses before which no interrupt comes, and those behind them."""
    addresses = sorted(code)
    following = dict(zip(addresses, addresses[1:]))
    todo = [following[at] for at, (_, what, _) in code.items()
            if what == "cpsid"]
    inside, behind = set(), set()
    while todo:
        at = todo.pop()
        if at in inside:
            continue
        inside.add(at)
        _, what, operands = code[at]
        if what == "msr" and "PRIMASK" in operands.upper():
            behind.add(following[at])
            continue
        if what.startswith("b") and "<" in operands:
            todo.append(int(operands.split()[0], 16))
        if not is_end(what, operands):
            todo.append(following[at])
    return inside, behind


def main():
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    code = disassembled(sys.argv[1])
    with open(sys.argv[2], "rb") as file:
        hits = {int(pc, 16): int(count) for pc, count in re.findall(
            rb"(?m)^hit ([0-9a-f]+) (\d+)$", file.read())}
    executed = Counter()
    with open(sys.argv[3]) as file:
        for line in file:
            if line.startswith("count "):
                _, _, address, count, _ = line.split()
                executed[int(address, 16)] += int(count)
    inside, behind = masked(code)
    missed = [at for at in code
              if executed[at] > SELDOM and at not in inside and at not in hits]
    missed += [at for at in inside if at in hits]
    missed += [at for at in behind if executed[at]
               and hits.get(at, 0) < min(len(inside), 255)]
    idle = [at for at in code if not executed[at]]
    missed += [at for at in idle
               if is_hook(code[at]) and "nop" not in code[at][1]]
    ran = Counter(code[at][0] for at in code if executed[at])
    for function, count in sorted(ran.items()):
        places = [at for at in code if code[at][0] == function
                  and executed[at] and at not in inside]
        print(function, count, "executed", count - len(places), "masked",
              len([at for at in places if at in hits]), "interrupted")
    for at in missed:
        print(f"{at:x} {code[at]}: {executed[at]} executed, "
              f"{hits.get(at, 0)} interrupted")
    seldom = [at for at in code if 0 < executed[at] <= SELDOM
              and at not in inside and at not in hits]
    print(sum(hits.get(at, 0) for at in code), "interrupts,",
          len(idle), "never executed,", len(seldom), "seldom and not hit,",
          len(missed), "missed")
    return 1 if missed or not ran else 0


if __name__ == "__main__":
    sys.exit(main())
