/* SPDX-License-Identifier: MIT */
/*
 * Names as compilers of C, C++ and Rust make them, without debug info. Each
 * function is eight bytes.
 */
        .syntax unified
        .thumb
        .text

        .macro function name
        .type "\name", %function
        .thumb_func
"\name":
        nop
        nop
        nop
        bx      lr
        .size "\name", 8
        .endm

        .global _start
        function _start
        function crc
        function crc.constprop.0
        function crc.part.0
        function crc.cold
        function lonely.isra.0
        .global _Z3addi, _Z3addd
        function _Z3addi
        function _Z3addd
        function _ZN3net5queueIiE4pushEi
        function _ZN3app3run17hfedcba9876543210E
        function _RNvCs1234_3app4stop

        .section .rodata
        .global table
        .type table, %object
table:  .word 1, 2, 3, 4
        .size table, 16
