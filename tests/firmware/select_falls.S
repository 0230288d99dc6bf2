/* SPDX-License-Identifier: MIT */
/*
 * uint32_t select_falls(uint32_t value): runs on into the function behind it,
 * that alone comes back.
 */
    .syntax unified
    .thumb
    .section .text.select_falls, "ax", %progbits

    .global select_falls
    .type select_falls, %function
    .thumb_func
select_falls:
    adds r0, r0, #3
    .size select_falls, . - select_falls

    .global select_falls_on
    .type select_falls_on, %function
    .thumb_func
select_falls_on:
    lsls r1, r0, #5
    eors r0, r1
    bx lr
    .size select_falls_on, . - select_falls_on
