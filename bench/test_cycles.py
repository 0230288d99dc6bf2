#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The cycle model against sums by hand from the timing tables."""

import unittest

from cycles import CORES, instruction_cycles, masked_cycles

# A loop of three rounds that stores what it adds, and a return. The columns:
# mnemonic, operands, executed, taken; cycles by hand on M4, M0+ and M0.
SEQUENCE = [
    ("push", "{r4, r5, r6, lr}", 1, 0, 5, 5, 5),
    ("ldr", "r4, [pc, #16]", 1, 0, 2, 2, 2),
    ("movs", "r0, #0", 1, 0, 1, 1, 1),
    ("ldmia", "r4!, {r1, r2}", 3, 0, 9, 9, 9),
    ("adds", "r0, r0, r1", 3, 0, 3, 3, 3),
    ("str", "r0, [r4, #4]", 3, 0, 3, 6, 6),
    ("bl", "200", 3, 3, 9, 9, 12),
    ("bx", "lr", 3, 3, 9, 6, 9),
    ("cmp", "r2, #0", 3, 0, 3, 3, 3),
    ("bne.n", "106", 3, 2, 2 * 3 + 1, 2 * 2 + 1, 2 * 3 + 1),
    ("mrs", "r1, IPSR", 1, 0, 1, 3, 4),
    ("pop", "{r4, r5, r6, pc}", 1, 1, 8, 7, 8),
]

SINGLE_M4 = [
    ("ldrd", "r0, r1, [r0, #24]", 1, 0, 3),
    ("strd", "r0, r1, [r2]", 1, 0, 3),
    ("ldrexh", "r0, [r1]", 1, 0, 2),
    ("ldrhne.w", "r0, [r1]", 1, 0, 2),
    ("strb.w", "r0, [r1]", 1, 0, 1),
    ("udiv", "r0, r1, r2", 1, 0, 12),
    ("umull", "r7, r4, r3, r4", 1, 0, 1),
    ("bic.w", "r4, r4, #256", 1, 0, 1),
    ("bfc", "r0, #3, #1", 1, 0, 1),
    ("bls.n", "20", 4, 1, 6),
    ("bxls", "lr", 4, 1, 6),
    ("cbnz", "r1, 20", 2, 2, 6),
    ("b.w", "20", 2, 2, 6),
    ("ldr.w", "pc, [sp], #4", 1, 1, 5),
    ("ldmia.w", "sp!, {r4-r11, pc}", 1, 1, 13),
    ("ldmia.w", "sp!, {r4-r7}", 1, 0, 5),
]

# From behind a CPSID: the longest way does not take the branch.
MASKED = {
    0x100: ("ldr", "r4, [r2, #0]"),  # 2 on both
    0x102: ("cmp", "r4, #127"),  # 1
    0x104: ("bhi.n", "10c"),  # 1, not taken
    0x106: ("str", "r1, [r2, #0]"),  # M4 1, M0+ 2
    0x108: ("dsb", "sy"),  # M4 1, M0+ 3
    0x10c: ("msr", "PRIMASK, r5"),  # M4 1, M0+ 3
    0x110: ("bx", "lr"),
}


class CycleModel(unittest.TestCase):
    def test_masked(self):
        self.assertEqual(masked_cycles(CORES["m4"], MASKED, 0x100), 7)
        self.assertEqual(masked_cycles(CORES["m0plus"], MASKED, 0x100), 12)
        # Taken, it is longer on the M4 without the store and the barrier.
        short = {key: MASKED[key] for key in MASKED if key not in (0x106,
                                                                   0x108)}
        self.assertEqual(masked_cycles(CORES["m4"], short, 0x100), 7)
        for last in (("bx", "lr"), ("b.n", "100"), ("pop", "{r4, pc}")):
            with self.assertRaises(ValueError):
                masked_cycles(CORES["m4"], {**MASKED, 0x10c: last}, 0x100)
        # Back to where another way ends.
        back = {0xf0: ("msr", "PRIMASK, r5"), 0x100: ("b.n", "f0"),
                0x102: ("nop", "")}
        self.assertEqual(masked_cycles(CORES["m4"], back, 0x100), 4)

    def test_sequence(self):
        for column, core in ((4, "m4"), (5, "m0plus"), (6, "m0")):
            for row in SEQUENCE:
                with self.subTest(core=core, row=row):
                    self.assertEqual(
                        instruction_cycles(CORES[core], *row[:4]),
                        row[column])

    def test_single(self):
        for row in SINGLE_M4:
            with self.subTest(row=row):
                self.assertEqual(instruction_cycles(CORES["m4"], *row[:4]),
                                 row[4])


if __name__ == "__main__":
    unittest.main()
