#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""functions_cover.py ELF OUTPUT TRUTH: trace_cover.py for the function table's
hooks, of which rare ways need not be executed, and those that not one event in
16 takes need not be hit."""

import re
import sys

import trace_cover

trace_cover.HOOKS = re.compile(r"__cyg_profile_func_\w+|mcuprofi_functions_\w+")
trace_cover.SELDOM = 192000 // 16
trace_cover.is_hook = lambda instruction: False

if __name__ == "__main__":
    sys.exit(trace_cover.main())
