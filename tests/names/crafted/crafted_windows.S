/* SPDX-License-Identifier: MIT */
/* Paths as compilers on Windows write them: relative, absolute, mixed. */
#include "crafted.inc"

    .text
    .file 1 "src\\main.c"
    .file 2 "C:\\proj\\src\\..\\inc\\clock.h"
    .file 3 "c:/proj\\lib/.\\crc.c"
    .file 4 "\\\\server\\share\\rtos\\queue.c"
    .global main
    .type main, %function
main:
    .loc 1 3
    movs r0, #1
    .loc 2 4
    movs r0, #2
    .loc 3 5
    movs r0, #3
    .loc 4 6
    bx lr
.Lmain_end:
    .size main, . - main

unit_begin .Lunit, "src\\main.c", "C:\\proj", main, .Lmain_end
function "main", main, .Lmain_end
function_end
unit_end .Lunit
