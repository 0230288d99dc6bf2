/* SPDX-License-Identifier: MIT */
/* cmocka needs these first, in this order. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "mcuprof_uart.h"

static uint8_t expected_next;
static uint8_t put_next;

static size_t put(size_t size)
{
    uint8_t bytes[4096];
    for (size_t i = 0; i < size; i++) {
        bytes[i] = (uint8_t)(put_next + i);
    }
    size_t taken = mcuprof_uart_put(bytes, size);
    put_next = (uint8_t)(put_next + taken);
    return taken;
}

static void expect(uint8_t byte)
{
    assert_int_equal(byte, expected_next);
    expected_next++;
}

static void test_takes_what_fits(void **unused)
{
    (void)unused;
    assert_int_equal(mcuprof_uart_get(), -1);
    assert_int_equal(put(MCUPROF_UART_QUEUE + 5), MCUPROF_UART_QUEUE);
    assert_int_equal(put(1), 0);
    for (size_t i = 0; i < MCUPROF_UART_QUEUE; i++) {
        expect((uint8_t)mcuprof_uart_get());
    }
    assert_int_equal(mcuprof_uart_get(), -1);
}

/* Bytes come out in order, by either way, over many rounds of the queue. */
static void test_order(void **unused)
{
    (void)unused;
    size_t waiting = 0;
    for (unsigned i = 0; i < 2000; i++) {
        waiting += put(i * 7919u % 300u);
        const uint8_t *data;
        size_t size = mcuprof_uart_claim(&data);
        assert_true(size <= waiting && (size > 0 || waiting == 0));
        size = size < 200 ? size : 200;
        for (size_t k = 0; k < size; k++) {
            expect(data[k]);
        }
        mcuprof_uart_release(size);
        waiting -= size;
        if (waiting > 0) {
            expect((uint8_t)mcuprof_uart_get());
            waiting--;
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
            cmocka_unit_test(test_takes_what_fits),
            cmocka_unit_test(test_order),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
