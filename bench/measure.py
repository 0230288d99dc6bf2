#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""measure.py RESULT COMMAND...: runs it, writes "seconds CPU-seconds KiB" into
RESULT.

A program of its own, as the peak memory the system tells of a child is never
below what its parent had when it started it."""

import resource
import subprocess
import sys
import time

begin = time.monotonic()
status = subprocess.run(sys.argv[2:], check=False).returncode
seconds = time.monotonic() - begin
usage = resource.getrusage(resource.RUSAGE_CHILDREN)
with open(sys.argv[1], "w") as file:
    file.write(f"{seconds} {usage.ru_utime + usage.ru_stime} "
               f"{usage.ru_maxrss}\n")
sys.exit(status)
