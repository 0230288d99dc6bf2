/* SPDX-License-Identifier: MIT */
/* Both manglings of rustc, which writes no .debug_aranges. */
#include "crafted.inc"

    .text
    .file 1 "src/main.rs"
    .global _ZN6blinky6toggle17h05af221e174051e9E
    .type _ZN6blinky6toggle17h05af221e174051e9E, %function
_ZN6blinky6toggle17h05af221e174051e9E:
.Lbegin:
    .loc 1 14
    movs r0, #1
    bx lr
.Lmiddle:
    .size _ZN6blinky6toggle17h05af221e174051e9E, . - .Lbegin

    .global _RNvCskwGfYPst2Cb_6blinky4wait
    .type _RNvCskwGfYPst2Cb_6blinky4wait, %function
_RNvCskwGfYPst2Cb_6blinky4wait:
    .loc 1 19
    movs r0, #2
    bx lr
.Lend:
    .size _RNvCskwGfYPst2Cb_6blinky4wait, . - .Lmiddle

unit_begin .Lunit, "src/main.rs", "/firmware", .Lbegin, .Lend
mangled_function "_ZN6blinky6toggle17h05af221e174051e9E", "toggle", .Lbegin, .Lmiddle
function_end
mangled_function "_RNvCskwGfYPst2Cb_6blinky4wait", "wait", .Lmiddle, .Lend
function_end
unit_end .Lunit
