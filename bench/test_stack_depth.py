#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Depths of the stack against sums by hand."""

import unittest

from stack_depth import Depth

# push 4 registers, then either a call of 0x200 with 8 bytes more, or nothing.
CODE = {
    0x100: ("push", "{r4, r5, r6, lr}"),  # 16
    0x102: ("cbz", "r0, 10e"),
    0x104: ("sub", "sp, #8"),  # 24
    0x106: ("bl", "200"),  # 24 + 20
    0x10a: ("add", "sp, #8"),
    0x10c: ("popne", "{r4, r5, r6, pc}"),
    0x10e: ("ldmia.w", "sp!, {r4-r6, lr}"),  # 0
    0x112: ("b.w", "300"),  # goes on there with 0
    # 4 and 16 of two doubles.
    0x200: ("str.w", "lr, [sp, #-4]!"),
    0x204: ("vpush", "{d8-d9}"),
    0x208: ("vpop", "{d8-d9}"),
    0x20c: ("ldr.w", "pc, [sp], #4"),
    # 40 in all.
    0x300: ("stmdb", "sp!, {r4-r11, lr}"),
    0x304: ("sub", "sp, sp, #4"),
    0x306: ("ldmia.w", "sp!, {r4-r11, pc}"),
    # By an address in a literal; and by one that is not known.
    0x400: ("push", "{r0}"),
    0x402: ("ldr", "r1, [pc, #4]"),
    0x404: ("bx", "r1"),
    0x408: (".word", "0x00000301"),
    0x500: ("bx", "r1"),
    0x600: ("blx", "r3"),
    # For ever, and deeper each time.
    0x700: ("push", "{r4, lr}"),
    0x702: ("bl", "700"),
    0x706: ("pop", "{r4, pc}"),
    0x800: ("mov", "sp, r7"),
    0x900: ("nop", ""),
    # 8 and 12; 24 of it from a frame pointer on, which takes that back.
    0xa00: ("push", "{r7, lr}"),
    0xa02: ("sub", "sp, #12"),
    0xa04: ("add", "r7, sp, #4"),
    0xa06: ("sub", "sp, #24"),
    0xa08: ("str.w", "sp, [r5, #20]"),
    0xa0c: ("mov", "sp, r7"),  # 16
    0xa0e: ("push", "{r0-r3}"),  # 32
    0xa10: ("bx", "lr"),
    0xa12: ("nop", ""),
}


class StackDepth(unittest.TestCase):
    def test_sums(self):
        for function, bytes_ in ((0x200, 20), (0x300, 40), (0x100, 44),
                                 (0x400, 44), (0xa00, 44)):
            with self.subTest(function=hex(function)):
                self.assertEqual(Depth(CODE).of(function), bytes_)

    def test_ends(self):
        self.assertEqual(Depth(CODE, [0x300]).of(0x400), 4)
        self.assertEqual(Depth(CODE, [0x200]).of(0x100), 40)
        self.assertEqual(Depth(CODE, [0x200, 0x300]).of(0x100), 24)

    def test_what_has_no_depth(self):
        for function in (0x500, 0x600, 0x700, 0x800):
            with self.subTest(function=hex(function)):
                with self.assertRaises(ValueError):
                    Depth(CODE).of(function)


if __name__ == "__main__":
    unittest.main()
