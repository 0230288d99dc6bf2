/* SPDX-License-Identifier: MIT */

/*
 * A log, and who uses it. The defect: an interrupt that logs may find the queue
 * full, and waits for room that only the main loop can make.
 */
#include "hang_log.h"

#include "board.h"

enum {
    LINES = 4
};

static const char *volatile queue[LINES];
static volatile unsigned queued, written;
static volatile unsigned steps;

void log_wait(void);
void log_put(const char *line);
void work_measure(void);
void sensor_read(void);
void TIMER0_Handler(void);

/* Here it hangs. */
void log_wait(void)
{
    while (queued - written == LINES) {
    }
}

void log_put(const char *line)
{
    queue[queued % LINES] = line;
    queued++;
}

void log_line(const char *line)
{
    log_wait();
    log_put(line);
}

void log_flush(void)
{
    while (written != queued) {
        board_print("%s\n", queue[written % LINES]);
        written++;
    }
}

/* A measurement takes longer each time: a millisecond more. */
void work_measure(void)
{
    uint32_t begin = board_counter();

    while (board_counter() - begin < BOARD_COUNTER_HZ / 1000u * steps) {
    }
}

void work_step(void)
{
    work_measure();
    log_flush();
    steps++;
}

unsigned work_steps(void)
{
    return steps;
}

void sensor_read(void)
{
    log_line("sensor: a value");
}

/* Every 2 ms. */
void TIMER0_Handler(void)
{
    board_timer_clear(0);
    sensor_read();
}
