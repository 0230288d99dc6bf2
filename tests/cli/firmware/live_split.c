/* SPDX-License-Identifier: MIT */
/*
 * A function in RAM of which a compiler has moved one way out to flash: its
 * hooks go together. With live.c; nobody calls it.
 */
#define PART __attribute__((naked, used, no_instrument_function))
#define HOOK(way)                                                              \
    "ldr r0, =split\n\tmov r1, lr\n\tbl __cyg_profile_func_" #way "\n\t"

void split(void);
void split_cold(void) __asm__("split.cold");

PART __attribute__((section(".fast"))) void split(void)
{
    __asm volatile("push {r4, lr}\n\t" HOOK(
            enter) "cbz r4, 1f\n\tb.w split.cold\n1:\t" HOOK(exit) "pop {r4, "
                                                                   "pc}\n\t"
                                                                   ".ltorg");
}

PART void split_cold(void)
{
    __asm volatile(HOOK(exit) "pop {r4, pc}\n\t.ltorg");
}
