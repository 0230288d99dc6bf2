/* SPDX-License-Identifier: MIT */
/* Sends back over RTT what came over RTT, up to the first line feed. */
#include "board.h"
#include "mcuprof_rtt.h"

static void send(const uint8_t *data, size_t size)
{
    while (size > 0) {
        size_t taken = mcuprof_rtt_write(data, size);
        data += taken;
        size -= taken;
    }
}

int main(void)
{
    uint8_t bytes[11]; /* no divisor of the buffer's length */
    mcuprof_rtt_init();
    for (;;) {
        size_t size = mcuprof_rtt_read(bytes, sizeof(bytes));
        send(bytes, size);
        if (size > 0 && bytes[size - 1] == '\n') {
            return 0;
        }
    }
}
