#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What a limit allows."""

import contextlib
import io
import tempfile
import unittest

from results import Results, read_limits

TEXT = """# A comment.
[test]
small <= 10
late <= 24
  accepted 30: not done yet,
  and why
[bench]
fast >= 100
"""


def results_of(text=TEXT, **figures):
    with tempfile.NamedTemporaryFile("w") as file:
        file.write(text)
        file.flush()
        results = Results(read_limits(file.name))
    with contextlib.redirect_stdout(io.StringIO()) as shown:
        for name, value in figures.items():
            results.put(name, value, "bytes")
    return results, shown.getvalue()


class Limits(unittest.TestCase):
    def check(self, exceeded, missed, **figures):
        results, _ = results_of(**figures)
        self.assertEqual([line.split()[0] for line in results.exceeded()],
                         exceeded)
        self.assertEqual(results.missed(), missed)

    def test_at_the_limit(self):
        self.check([], [], small=10, fast=100, other=999)

    def test_beyond(self):
        self.check(["small", "fast"], ["small", "fast"], small=10.01,
                   fast=99.9)

    def test_accepted_is_missed_and_no_more(self):
        self.check([], [], late=24)
        self.check([], ["late"], late=30)
        self.check(["late"], ["late"], late=31)

    def test_shown(self):
        _, shown = results_of(late=30, small=11)
        self.assertRegex(shown, r"late +30 bytes  goal 24  MISSED, "
                                r"accepted 30\n")
        self.assertRegex(shown, r"small +11 bytes  goal 10  MISSED  EXCEEDED")

    def test_not_measured(self):
        results, _ = results_of(small=1)
        self.assertEqual(results.unmeasured("test"),
                         ["late has a limit and was not measured"])
        self.assertEqual(len(results.unmeasured("test", "bench")), 2)

    def test_what_is_no_limit(self):
        for line in ("small = 3", "small <= ten", "small <= 3", "  accepted",
                     "accepted 3: why"):
            with self.subTest(line=line), self.assertRaises(ValueError):
                results_of("[test]\n" + (TEXT if line == "small <= 3" else "")
                           + line + "\n")


if __name__ == "__main__":
    unittest.main()
