/* SPDX-License-Identifier: MIT */
/*
 * A fault in the middle of traced calls: the handler freezes the ring, notes
 * where it was and goes on in its body.
 */
#include "board.h"
#include "mcuprof.h"
#include "mcuprof_ring.h"

void here(void);
void fault(void);

/* The address of the faulting instruction is its symbol. */
__attribute__((naked, noinline, no_instrument_function)) void fault(void)
{
    __asm__ volatile(".global fault_at \n"
                     "    ldr  r0, 1f      \n"
                     "    mov  lr, r0      \n"
                     "fault_at:            \n"
                     "    udf  #0          \n"
                     "    .balign 4        \n"
                     "1:  .word 0x12345679 \n");
}

extern const char fault_at[];

void here(void)
{
    fault();
}

static void ends(void)
{
    const struct mcuprofi_block *b = &mcuprof_trace.block;
    const struct mcuprofi_slot *last =
            (const struct mcuprofi_slot *)b->head - 1;
    int is_right = b->state == MCUPROF_TRACE_STATE_FAULT
                   && mcuprof_control.gate == NULL
                   && last->word == (uint32_t)(uintptr_t)&here;
    is_right = is_right && b->frozen_pc == ((uint32_t)(uintptr_t)fault_at & ~1u)
               && b->frozen_lr == 0x12345679u && (b->frozen_xpsr & 0x1FFu) == 0;
#if __ARM_ARCH_ISA_THUMB >= 2
    is_right = is_right && b->fault != 0;
#endif
    board_exit(is_right ? 0 : 3);
}

MCUPROF_FAULT_HANDLER_THEN(HardFault_Handler, ends);

int main(void)
{
    static const struct mcuprof_config config = {
            .core_hz = BOARD_CLOCK_HZ,
#ifdef BOARD_COUNTER
            .clock = (const volatile uint32_t *)BOARD_COUNTER,
            .clock_hz = BOARD_COUNTER_HZ,
#endif
            .write = board_uart_write,
    };
    if (mcuprof_init(&config) != 0 || mcuprof_trace_start(NULL) != 0) {
        return 1;
    }
    here();
    return 2;
}
