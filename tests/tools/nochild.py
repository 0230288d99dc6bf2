#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Runs a command that the kernel kills (SIGSYS) if it starts a process.

    nochild.py COMMAND [ARGUMENT ...]

A seccomp filter forbids fork, vfork, clone without CLONE_THREAD, and clone3,
whose flags lie in memory where a filter cannot look (the C library then
falls back to clone). execve stays allowed: without fork it makes no child.
"""

import ctypes
import os
import platform
import struct
import sys

PR_SET_NO_NEW_PRIVS, PR_SET_SECCOMP, SECCOMP_MODE_FILTER = 38, 22, 2
LOAD, JUMP_EQUAL, JUMP_SET, RETURN = 0x20, 0x15, 0x45, 0x06
ALLOW, KILL, ENOSYS = 0x7FFF0000, 0x80000000, 0x00050000 | 38
CLONE_THREAD = 0x00010000
CLONE3 = 435
CALLS = {  # clone, and what else forks
    "x86_64": (56, (57, 58)),
    "aarch64": (220, ()),
}

# linux/filter.h: u16 code, u8 skip if true, u8 skip if false, u32 operand.


def filter_program(clone, forks):
    program = [(LOAD, 0, 0, 0)]
    for fork in forks:
        program += [(JUMP_EQUAL, 0, 1, fork), (RETURN, 0, 0, KILL)]
    program += [
        (JUMP_EQUAL, 0, 1, CLONE3), (RETURN, 0, 0, ENOSYS),
        (JUMP_EQUAL, 1, 0, clone), (RETURN, 0, 0, ALLOW),
        (LOAD, 0, 0, 16),  # low half of the first argument: flags
        (JUMP_SET, 0, 1, CLONE_THREAD), (RETURN, 0, 0, ALLOW),
        (RETURN, 0, 0, KILL),
    ]
    return b"".join(struct.pack("<HBBI", *step) for step in program)


def main(command):
    calls = CALLS.get(platform.machine())
    if not command or calls is None:
        sys.exit("nochild.py: no command, or an unknown machine")
    code = filter_program(*calls)
    steps = ctypes.create_string_buffer(code, len(code))
    program = struct.pack("@HP", len(code) // 8, ctypes.addressof(steps))
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 or libc.prctl(
            PR_SET_SECCOMP, SECCOMP_MODE_FILTER,
            ctypes.c_char_p(program)) != 0:
        sys.exit("nochild.py: " + os.strerror(ctypes.get_errno()))
    os.execvp(command[0], command)


main(sys.argv[1:])
