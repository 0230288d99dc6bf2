/* SPDX-License-Identifier: MIT */
#ifndef WORK_H
#define WORK_H

#include <stddef.h>
#include <stdint.h>

/*
 * Something to measure: the kinds of work that embedded benchmarks are made
 * of. Each function returns a checksum, so that none can be optimised away.
 */

/* Starts the interrupts: a filter at 8 kHz and a tick every 5 ms. */
void work_start(void);
void work_stop(void);

/* Sleeps until the next tick. */
void work_wait_tick(void);

/* Ticks since work_start(). */
unsigned work_ticks(void);

/* All of the below once; `seed` varies the data. */
uint16_t work_round(uint16_t seed);

/* Shuffles, sorts and searches a linked list. */
uint16_t list_exercise(uint16_t seed);

/* Multiplies two matrices of small integers. */
uint16_t matrix_exercise(uint16_t seed);

/* Runs a state machine over a text of numbers and non-numbers. */
uint16_t parse_exercise(uint16_t seed);

/* CRC-16 (polynomial 0x1021, high bit first), bit by bit. */
uint16_t crc16(uint16_t crc, const void *data, size_t size);

/* One step of a finite impulse response filter. */
int32_t filter_step(int16_t sample);

#endif
