/* SPDX-License-Identifier: MIT */
/*
 * The demo's work in thread mode and in two interrupts, one of which can
 * interrupt the other; crc16() runs in all three.
 */
#include "functions_truth.h"

#include "board.h"
#include "work.h"

void TIMER0_Handler(void);
void TIMER1_Handler(void);

static volatile int32_t filtered;
static volatile uint16_t checked;

void TIMER0_Handler(void)
{
    static int16_t wave;

    board_timer_clear(0);
    wave = (int16_t)(wave + 811);
    filtered = filter_step(wave);
    checked = crc16(checked, &wave, sizeof(wave));
}

void TIMER1_Handler(void)
{
    int32_t last = filtered;

    board_timer_clear(1);
    checked = crc16(checked, &last, sizeof(last));
}

uint16_t functions_round(uint16_t seed)
{
    uint16_t sum = list_exercise(seed);

    sum = matrix_exercise(sum);
    return parse_exercise(sum);
}
