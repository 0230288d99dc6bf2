/* SPDX-License-Identifier: MIT */
/*
 * Labels as FUNC symbols without a size, as IAR (??task_2) and assemblers
 * (loop0) have them, in a function that has no size either.
 */
#include "crafted.inc"

    .text
    .file 1 "task.c"
    .global task
    .type task, %function
task:
    .loc 1 30
    movs r0, #1
    .type "??task_2", %function
"??task_2":
    .loc 1 31
    subs r0, #1
    movs r1, #1
.Linlined:
    .loc 1 7
    movs r1, #2
    .type loop0, %function
loop0:
    movs r1, #3
.Linlined_end:
    .loc 1 33
    bne loop0
    bx lr
.Ltask_end:

unit_begin .Lunit, "task.c", "/firmware", task, .Ltask_end
inline_function .Lpoll, "poll"
function "task", task, .Ltask_end
inlined .Lunit, .Lpoll, .Linlined, .Linlined_end, 1, 32
function_end
unit_end .Lunit
