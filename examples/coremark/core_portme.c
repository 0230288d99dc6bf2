/* SPDX-License-Identifier: MIT */

#include "coremark.h"

#include "board.h"
#include "coremark_engine.h"

/* A performance run, as EEMBC defines it. */
volatile ee_s32 seed1_volatile = 0;
volatile ee_s32 seed2_volatile = 0;
volatile ee_s32 seed3_volatile = 0x66;
volatile ee_s32 seed4_volatile = ITERATIONS;
volatile ee_s32 seed5_volatile = 0;

ee_u32 default_num_contexts = 1;

static CORE_TICKS started, stopped;

void start_time(void)
{
    started = board_counter();
}

void stop_time(void)
{
    stopped = board_counter();
}

CORE_TICKS get_time(void)
{
    return stopped - started;
}

secs_ret time_in_secs(CORE_TICKS ticks)
{
    return ticks / BOARD_COUNTER_HZ;
}

void portable_init(core_portable *port, int *argc, char *argv[])
{
    (void)argc;
    (void)argv;
    port->portable_id = 1;
    coremark_engine_start();
}

void portable_fini(core_portable *port)
{
    port->portable_id = 0;
    coremark_engine_stop(get_time());
}

/* What printf() writes goes on the same line as the frames. */
int _write(int file, const char *data, int size);

int _write(int file, const char *data, int size)
{
    int sent = 0;

    (void)file;
    while (sent < size) {
        sent += (int)board_uart_write((const uint8_t *)data + sent,
                                      (size_t)(size - sent));
    }
    return size;
}
