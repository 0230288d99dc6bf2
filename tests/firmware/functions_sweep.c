/* SPDX-License-Identifier: MIT */
/*
 * Interrupts stepped through the function table's hooks: each round calls in
 * thread mode what three one-shot timers call, too, each more urgent and
 * started by the one before, at another moment each time. The table is sent; it
 * is known from the truth plugin what is to be in it. Prints
 *
 *     arrivals A
 *     hit PC COUNT         what was about to run when interrupts came; 255 is
 *                          that or more
 */
#include "functions_sweep.h"

#include "board.h"
#include "mcuprof.h"
#include "trace_sweep.h"

/* Hits behind it are not counted: the library is before it. */
#define TEXT_END 0x8000u
#define FRAME_PC 6
/* Ticks from a timer's start until it may have come: then it is not twice. */
#define LEAST 24u

static unsigned arrivals;
static volatile unsigned arrived;
static uint8_t hits[TEXT_END / 2u];
/* From one timer's interrupt to the next. */
static uint32_t after[SWEEP_LEVELS];

/* frame: what the interrupt has put on the stack */
static void arrive(const uint32_t *frame)
{
    uint32_t pc = frame[FRAME_PC];
    if (pc < TEXT_END && hits[pc / 2u] < 255u) {
        hits[pc / 2u]++;
    }
    arrivals++;
    arrived++;
}

void TIMER0_Handler(void)
{
    sweep_timer_stop(SWEEP_LOW);
    arrive(__builtin_dwarf_cfa());
    sweep_timer_start(SWEEP_MIDDLE, after[SWEEP_MIDDLE]);
    functions_sweep(1);
}

void TIMER1_Handler(void)
{
    sweep_timer_stop(SWEEP_MIDDLE);
    arrive(__builtin_dwarf_cfa());
    sweep_timer_start(SWEEP_HIGH, after[SWEEP_HIGH]);
    functions_sweep(1);
}

void SWEEP_HIGH_HANDLER(void)
{
    sweep_timer_stop(SWEEP_HIGH);
    arrive(__builtin_dwarf_cfa());
    functions_sweep(1);
}

static void one_round(uint32_t i)
{
    after[SWEEP_MIDDLE] = LEAST + (i * 7u + i / SWEEP) % SWEEP_NEXT;
    after[SWEEP_HIGH] = LEAST + (i * 11u + i / SWEEP * 5u) % SWEEP_NEXT;
    arrived = 0;
    sweep_timer_start(SWEEP_LOW, LEAST + i % SWEEP);
    functions_sweep(1);
    while (arrived < 3) {
    }
}

int main(void)
{
    static const struct mcuprof_config config = {
            .core_hz = BOARD_CLOCK_HZ,
            .clock = (const volatile uint32_t *)BOARD_COUNTER,
            .clock_hz = BOARD_COUNTER_HZ,
            .write = board_uart_write,
    };
    static const struct mcuprof_functions_config how = {.raw = 1,
                                                        .every_ms = UINT32_MAX};

    sweep_priorities();
    if (mcuprof_init(&config) != 0 || mcuprof_functions_start(&how) != 0) {
        return 1;
    }
    for (uint32_t i = 0; i < ROUNDS; i++) {
        one_round(i);
    }
    (void)mcuprof_functions_stop();
    while (mcuprof_poll() > 0) {
    }
    board_print("\narrivals %u\n", arrivals);
    for (unsigned i = 0; i < TEXT_END / 2u; i++) {
        if (hits[i] != 0) {
            board_print("hit %x %u\n", 2u * i, hits[i]);
        }
    }
    return 0;
}
