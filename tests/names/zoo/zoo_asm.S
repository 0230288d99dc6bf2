/* SPDX-License-Identifier: MIT */
/* What compilers do not write: labels without type or size, functions within
   a function, two names of one function, tables among the code. */
    .syntax unified
    .thumb

    .section .text.asm_sized, "ax", %progbits
    .balign 4
    .global asm_sized
    .type asm_sized, %function
asm_sized:
    push {r4, lr}
    movs r4, #0
    .type loop0, %function
loop0:
    adds r4, r4, r0
    subs r0, #1
    bne loop0
    ldr r1, =0x12345678
    adds r4, r4, r1
asm_inner_label:
    mov r0, r4
    bl asm_bare
    bl asm_thumbed
    bl asm_alias
    pop {r4, pc}
    .ltorg
    .size asm_sized, . - asm_sized

/* Neither type nor size, a literal behind. */
    .balign 4
    .global asm_bare
asm_bare:
    movs r1, #1
    adds r0, r0, r1
    bx lr
    .balign 4
    .word 0x55AA55AA

/* A function by directive, without a size. */
    .global asm_thumbed
    .thumb_func
asm_thumbed:
    movs r1, #2
    eors r0, r0, r1
    bx lr
    .balign 4
    .type asm_table, %object
asm_table:
    .word 0x47704770, 0xBF00BF00, 0x47704770
    .size asm_table, . - asm_table

/* One function of two names. */
    .global asm_typed, asm_alias
    .type asm_typed, %function
    .type asm_alias, %function
asm_typed:
asm_alias:
    adds r0, r0, #7
    push {r0, r1}
    add sp, #4
    pop {r1}
    bx lr
    .size asm_typed, . - asm_typed
    .size asm_alias, . - asm_alias
    .balign 4
    .word 0xE7FEE7FE
