/* SPDX-License-Identifier: MIT */
#include "arm_fixture.h"
#include "image.h"

/* Each label of fixtures/idle.S begins with what is true of its address. */

struct state {
    char directory[PATH_SIZE];
    struct nm_table nm;
    struct image *image;
};

static struct state state;

static int setup(void **unused)
{
    char elf[PATH_SIZE];
    struct error error;

    (void)unused;
    fixture_begin(state.directory);
    fixture_path(elf, state.directory, "idle.elf");
    run_tool(NULL, "arm-none-eabi-gcc", "-mcpu=cortex-m3", "-mthumb",
             "-nostdlib", "-Wl,-Ttext=0x8000,-e,Reset_Handler",
             FIXTURES "idle.S", "-o", elf, NULL);
    nm_read(&state.nm, state.directory, elf);
    if (image_open(&state.image, elf, &error) != 0)
        fail_msg("%s", error.cause);
    return 0;
}

static int teardown(void **unused)
{
    (void)unused;
    image_free(state.image);
    fixture_end(state.directory);
    return 0;
}

static void test_labels(void **unused)
{
    size_t idle = 0, busy = 0;

    (void)unused;
    for (size_t i = 0; i < state.nm.count; i++) {
        const struct nm_symbol *symbol = &state.nm.symbols[i];
        bool is_idle = strncmp(symbol->name, "idle_", 5) == 0;
        bool is_busy = strncmp(symbol->name, "busy_", 5) == 0;

        if (!is_idle && !is_busy)
            continue;
        for (uint32_t bit = 0; bit < 2; bit++)
            if (image_is_idle(state.image, symbol->address | bit) != is_idle)
                fail_msg("%s is taken for the contrary", symbol->name);
        idle += is_idle;
        busy += is_busy;
    }
    assert_in_range(idle, 20, NM_SYMBOLS);
    assert_in_range(busy, 15, NM_SYMBOLS);
}

static void test_nowhere(void **unused)
{
    (void)unused;
    assert_false(image_is_idle(state.image, 0));
    assert_false(image_is_idle(state.image, 0x7FFE));
    assert_false(image_is_idle(state.image, 0xFFFFFFF9));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
            cmocka_unit_test(test_labels),
            cmocka_unit_test(test_nowhere),
    };

    return cmocka_run_group_tests(tests, setup, teardown);
}
