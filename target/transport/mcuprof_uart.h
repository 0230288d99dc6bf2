/* SPDX-License-Identifier: MIT */
#ifndef MCUPROF_UART_H
#define MCUPROF_UART_H

/*
 * A queue between mcuprof_poll() and a UART that sends by interrupt or DMA,
 * so that the line stays busy between two polls. It knows no UART: yours
 * takes bytes from one end.
 *
 *     static size_t uart_write(const uint8_t *data, size_t size)
 *     {
 *         size_t taken = mcuprof_uart_put(data, size);
 *         USART2->CR1 |= USART_CR1_TXEIE;
 *         return taken;
 *     }
 *
 *     void USART2_IRQHandler(void)
 *     {
 *         int byte = mcuprof_uart_get();
 *         if (byte < 0)
 *             USART2->CR1 &= ~USART_CR1_TXEIE;
 *         else
 *             USART2->DR = (uint8_t)byte;
 *     }
 *
 * One side puts, one side gets; no lock. A UART with a deep FIFO needs none of
 * this: write to it while it takes bytes, and return how many it took.
 */
#include <stddef.h>
#include <stdint.h>

#include "mcuprof_config.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Length of the queue in bytes, a power of two up to 32768. */
#ifndef MCUPROF_UART_QUEUE
#define MCUPROF_UART_QUEUE 1024
#endif

#if MCUPROF_ENABLED

/*
 * Puts up to `size` bytes.
 *
 * returns: how many fitted
 * context: thread (mcuprof_poll()'s write function)
 */
size_t mcuprof_uart_put(const uint8_t *data, size_t size);

/*
 * Takes one byte, for a transmit interrupt.
 *
 * returns: 0 to 255, or -1 if none is waiting
 * context: the UART's interrupt
 */
int mcuprof_uart_get(void);

/*
 * The longest stretch that lies in one piece, for a DMA transfer. Give it
 * back with mcuprof_uart_release() when the transfer is complete.
 *
 * returns: its length, 0 if nothing is waiting
 * context: the DMA's interrupt, or wherever a transfer is begun
 */
size_t mcuprof_uart_claim(const uint8_t **data);
void mcuprof_uart_release(size_t size);

#else

MCUPROF_NO_INSTRUMENT static inline size_t mcuprof_uart_put(const uint8_t *data,
                                                            size_t size)
{
    (void)data;
    return size;
}
MCUPROF_NO_INSTRUMENT static inline int mcuprof_uart_get(void)
{
    return -1;
}
MCUPROF_NO_INSTRUMENT static inline size_t
mcuprof_uart_claim(const uint8_t **data)
{
    *data = NULL;
    return 0;
}
MCUPROF_NO_INSTRUMENT static inline void mcuprof_uart_release(size_t size)
{
    (void)size;
}

#endif

#ifdef __cplusplus
}
#endif

#endif
