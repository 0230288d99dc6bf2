/* SPDX-License-Identifier: MIT */
/*
 * As armlink leaves it: the unit claims its first function alone, another
 * claims more than it has, and there is no .debug_aranges. Only debug info
 * has the name of the second function.
 */
#include "crafted.inc"

    .text
    .file 1 "motor.c"
    .global first
    .type first, %function
first:
    .loc 1 10
    movs r0, #1
    bx lr
.Lfirst_end:
    .size first, . - first

.Lsecond:
    .loc 1 20
    movs r0, #2
    movs r0, #3
.Linlined:
    .loc 1 5
    movs r0, #4
    movs r0, #5
.Linlined_end:
    .loc 1 22
    bx lr
    nop
.Lsecond_end:

unit_begin .Lother, "other.c", "/firmware", first, .Lsecond_end
unit_end .Lother
unit_begin .Lmotor, "motor.c", "/firmware", first, .Lfirst_end
inline_function .Lramp, "ramp"
function "first", first, .Lfirst_end
function_end
function "second", .Lsecond, .Lsecond_end
inlined .Lmotor, .Lramp, .Linlined, .Linlined_end, 1, 21
function_end
unit_end .Lmotor
