/* SPDX-License-Identifier: MIT */
#include "mcuprof_uart.h"
#include "mcuprof_internal.h"

#if MCUPROF_ENABLED

#if MCUPROF_UART_QUEUE < 16 || MCUPROF_UART_QUEUE > 32768                      \
        || (MCUPROF_UART_QUEUE & (MCUPROF_UART_QUEUE - 1)) != 0
#error "MCUPROF_UART_QUEUE must be a power of two from 16 to 32768"
#endif

#define QUEUE_MASK (MCUPROF_UART_QUEUE - 1u)

/* Running counts: `put` belongs to the writer, `got` to the reader. */
static struct {
    volatile uint32_t put;
    volatile uint32_t got;
    uint8_t bytes[MCUPROF_UART_QUEUE];
} queue;

size_t mcuprof_uart_put(const uint8_t *data, size_t size)
{
    uint32_t put = queue.put;
    size_t room = MCUPROF_UART_QUEUE - (put - queue.got);
    size = size < room ? size : room;
    for (size_t i = 0; i < size; i++) {
        queue.bytes[(put + i) & QUEUE_MASK] = data[i];
    }
    mcuprofi_barrier();
    queue.put = put + (uint32_t)size;
    return size;
}

int mcuprof_uart_get(void)
{
    uint32_t got = queue.got;
    if (got == queue.put) {
        return -1;
    }
    int byte = queue.bytes[got & QUEUE_MASK];
    mcuprofi_barrier();
    queue.got = got + 1u;
    return byte;
}

size_t mcuprof_uart_claim(const uint8_t **data)
{
    uint32_t got = queue.got;
    size_t waiting = queue.put - got;
    size_t to_end = MCUPROF_UART_QUEUE - (got & QUEUE_MASK);
    *data = &queue.bytes[got & QUEUE_MASK];
    return waiting < to_end ? waiting : to_end;
}

void mcuprof_uart_release(size_t size)
{
    mcuprofi_barrier();
    queue.got += (uint32_t)size;
}

#endif
