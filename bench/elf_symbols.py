# SPDX-License-Identifier: MIT
"""Symbols of a firmware, and what of it is the library's."""

import subprocess


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
