/* SPDX-License-Identifier: MIT */
/* cmocka needs these first, in this order. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include <string.h>

#include "mcuprof_ram.h"
#include "mcuprof_wire.h"

static const uint8_t *at(size_t offset)
{
    return (const uint8_t *)(const void *)&mcuprof_ram + offset;
}

static uint64_t word64(size_t offset)
{
    uint64_t value = 0;

    for (unsigned i = 8; i-- > 0;)
        value = value << 8 | at(offset)[i];
    return value;
}

/* The head as a dump has it: docs/wire.md. */
static void test_head(void **unused)
{
    static const uint8_t magic_and_version[] = "MRAM\1\0\0\0";

    (void)unused;
    mcuprof_ram_init();
    uint32_t generation = (uint32_t)word64(MCUPROF_RAM_GENERATION);
    assert_memory_equal(at(0), magic_and_version, 8);
    assert_int_equal((uint32_t)word64(MCUPROF_RAM_LENGTH), MCUPROF_RAM_SIZE);
    assert_int_equal(word64(MCUPROF_RAM_WRITTEN), 0);
    assert_true(MCUPROF_RAM_SIZE >= 2 * MCUPROF_HELLO_BYTES);
    mcuprof_ram_init();
    assert_int_not_equal((uint32_t)word64(MCUPROF_RAM_GENERATION), generation);
}

/* It takes everything, keeps the last bytes, and writes nothing else. */
static void test_keeps_the_end(void **unused)
{
    static uint8_t sent[20 * MCUPROF_RAM_SIZE];
    struct mcuprof_ram before;
    size_t done = 0;

    (void)unused;
    for (size_t i = 0; i < sizeof sent; i++)
        sent[i] = (uint8_t)(i * 31u + i / 251u);
    mcuprof_ram_init();
    memcpy(&before, &mcuprof_ram, sizeof before);
    for (unsigned turn = 0; done < sizeof sent; turn++) {
        size_t size = turn * 7919u % 5000u;
        size = size < sizeof sent - done ? size : sizeof sent - done;
        assert_int_equal(mcuprof_ram_write(sent + done, size), size);
        done += size;
        size_t kept = done < MCUPROF_RAM_SIZE ? done : MCUPROF_RAM_SIZE;
        assert_int_equal(word64(MCUPROF_RAM_WRITTEN), done);
        for (size_t n = done - kept; n < done; n++)
            assert_int_equal(at(MCUPROF_RAM_BYTES)[n % MCUPROF_RAM_SIZE],
                             sent[n]);
    }
    assert_memory_equal(at(0), &before, MCUPROF_RAM_WRITTEN);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
            cmocka_unit_test(test_head),
            cmocka_unit_test(test_keeps_the_end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
