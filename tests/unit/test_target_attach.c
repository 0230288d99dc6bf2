/* SPDX-License-Identifier: MIT */
/*
 * mcuprof_sample_attach() on the host port, whose VTOR takes all, some or none
 * of a write. The library is built without room for vectors, so the file that
 * is tested is part of this one.
 */
#define MCUPROF_VECTORS 64
#include "mcuprof_attach.c"

#include "target_rig.h"

#include <limits.h>

/* What the chip boots with; reserved entries are 0. */
static uint32_t flash[MCUPROF_VECTORS] __attribute__((aligned(256)));
static const uint32_t *const ram = vector_table;

static const struct mcuprof_timer any_interrupt = {.hz = RIG_HZ};

static void init(const struct mcuprof_timer *timer)
{
    struct mcuprof_config config = rig_config();
    config.timer = timer;
    assert_int_equal(mcuprof_init(&config), 0);
}

static uint32_t handler(unsigned exception)
{
    return 0x08000401u + 16u * exception;
}

static int reset(void **unused)
{
    (void)unused;
    rig_reset(MCUPROF_CLOCK_DWT);
    for (unsigned i = 0; i < MCUPROF_VECTORS; i++) {
        flash[i] = i == 0 || (i > 6 && i < 11) ? 0 : handler(i);
    }
    memset(vector_table, 0xAA, sizeof(vector_table));
    mcuprofi_attached = 0;
    mcuprof_port_host.vtor = flash;
    mcuprof_port_host.vtor_bits = UINTPTR_MAX;
    mcuprof_port_host.exception_last = MCUPROF_VECTORS - 1;
    init(&mcuprof_timer_systick_shared);
    return 0;
}

static uint32_t trampoline(void)
{
    return (uint32_t)(uintptr_t)&mcuprofi_attach_entry;
}

/* All of the table but the one entry, and what that goes on to. */
static void expect_attached(unsigned exception)
{
    assert_ptr_equal(mcuprof_port_host.vtor, ram);
    for (unsigned i = 0; i < MCUPROF_VECTORS; i++) {
        assert_int_equal(ram[i], i == exception ? trampoline() : flash[i]);
    }
    assert_int_equal(mcuprofi_attached, handler(exception));
}

static void expect_nothing_changed(void)
{
    assert_ptr_equal(mcuprof_port_host.vtor, flash);
    assert_int_equal(mcuprof_sample_detach(), MCUPROF_ESTATE);
}

static void refuse(int irqn, int error)
{
    assert_int_equal(mcuprof_sample_attach(irqn), error);
    expect_nothing_changed();
}

static void test_attach_and_detach(void **unused)
{
    static const int irqs[] = {-1, 0, 7, MCUPROF_VECTORS - 17};
    (void)unused;
    for (size_t i = 0; i < sizeof(irqs) / sizeof(irqs[0]); i++) {
        init(&any_interrupt);
        assert_int_equal(mcuprof_sample_attach(irqs[i]), 0);
        expect_attached((unsigned)(irqs[i] + 16));
        assert_int_equal(mcuprof_sample_detach(), 0);
        expect_nothing_changed();
    }
}

static void test_the_table_is_aligned(void **unused)
{
    (void)unused;
    assert_int_equal((uintptr_t)ram % sizeof(vector_table), 0);
    assert_int_equal((uintptr_t)ram % 128u, 0);
}

/* At the very moment of the write the interrupt may come, by the new table. */
static unsigned writes;

static void interrupt_at_write(void)
{
    writes++;
    if (mcuprof_port_host.vtor == ram) {
        expect_attached(15);
    }
}

static void test_whole_before_it_is_used(void **unused)
{
    (void)unused;
    writes = 0;
    mcuprof_port_host.vtor_written = interrupt_at_write;
    assert_int_equal(mcuprof_sample_attach(-1), 0);
    assert_int_equal(mcuprof_sample_detach(), 0);
    assert_int_equal(writes, 2);
}

/* No VTOR, and one that lacks a bit in which the two addresses differ. */
static void test_vtor_does_not_hold(void **unused)
{
    uintptr_t apart = (uintptr_t)flash ^ (uintptr_t)ram;
    const uintptr_t bits[] = {0, ~(apart & (0u - apart))};
    (void)unused;
    for (size_t i = 0; i < sizeof(bits) / sizeof(bits[0]); i++) {
        mcuprof_port_host.vtor_bits = bits[i];
        refuse(-1, MCUPROF_EVECTORS);
        mcuprof_port_host.vtor_bits = UINTPTR_MAX;
        assert_int_equal(mcuprof_sample_attach(-1), 0);
        assert_int_equal(mcuprof_sample_detach(), 0);
    }
}

static void test_before_init(void **unused)
{
    struct mcuprof_config config = rig_config();
    (void)unused;
    config.rate_hz = RIG_HZ; /* fails, and leaves nothing initialised */
    assert_int_equal(mcuprof_init(&config), MCUPROF_ETIMER);
    refuse(-1, MCUPROF_ESTATE);
}

static void test_while_running(void **unused)
{
    (void)unused;
    assert_int_equal(mcuprof_start(), 0);
    refuse(-1, MCUPROF_ESTATE);
    assert_int_equal(mcuprof_stop(), 0);
    rig_drain();
    assert_int_equal(mcuprof_sample_attach(-1), 0);
    assert_int_equal(mcuprof_start(), 0);
    assert_int_equal(mcuprof_sample_detach(), MCUPROF_ESTATE);
    expect_attached(15);
    assert_int_equal(mcuprof_stop(), 0);
    assert_int_equal(mcuprof_sample_detach(), 0);
}

static void test_attached_already(void **unused)
{
    (void)unused;
    init(&any_interrupt);
    assert_int_equal(mcuprof_sample_attach(3), 0);
    assert_int_equal(mcuprof_sample_attach(3), MCUPROF_ESTATE);
    assert_int_equal(mcuprof_sample_attach(4), MCUPROF_ESTATE);
    expect_attached(19);
    assert_int_equal(mcuprof_sample_detach(), 0);
}

static void test_no_such_interrupt(void **unused)
{
    static const int none[] = {-2,      -5,      -16, -17, MCUPROF_VECTORS - 16,
                               INT_MAX, INT_MIN, 496};
    (void)unused;
    init(&any_interrupt);
    for (size_t i = 0; i < sizeof(none) / sizeof(none[0]); i++) {
        refuse(none[i], MCUPROF_EINVAL);
    }
    mcuprof_port_host.exception_last = 39;
    refuse(24, MCUPROF_EINVAL);
    assert_int_equal(mcuprof_sample_attach(23), 0);
    assert_int_equal(mcuprof_sample_detach(), 0);
    /* Reserved, or no Thumb code: nobody's handler. */
    flash[16 + 23] = 0;
    refuse(23, MCUPROF_EINVAL);
    flash[16 + 23] = handler(39) & ~1u;
    refuse(23, MCUPROF_EINVAL);
}

static void start_nothing(uint32_t interval)
{
    (void)interval;
}

static void stop_nothing(void)
{
}

static void test_a_timer_of_ours(void **unused)
{
    static volatile uint32_t reload;
    static const struct mcuprof_timer ours[] = {
            {.hz = RIG_HZ, .reload = &reload},
            {.hz = RIG_HZ, .start = start_nothing},
            {.hz = RIG_HZ, .stop = stop_nothing},
            {.hz = RIG_HZ, .exception = 16}, /* another interrupt's */
    };
    (void)unused;
    init(&mcuprof_timer_systick);
    refuse(-1, MCUPROF_EOWNER);
    for (size_t i = 0; i < sizeof(ours) / sizeof(ours[0]); i++) {
        init(&ours[i]);
        refuse(-1, MCUPROF_EOWNER);
    }
    assert_int_equal(mcuprof_sample_attach(0), 0);
    assert_int_equal(mcuprof_sample_detach(), 0);
}

/* Else two interrupts would sample, and one into the other. */
static void test_a_second_init_while_attached(void **unused)
{
    struct mcuprof_config config = rig_config();
    (void)unused;
    assert_int_equal(mcuprof_sample_attach(-1), 0);
    config.timer = &mcuprof_timer_systick;
    assert_int_equal(mcuprof_init(&config), MCUPROF_EOWNER);
    config.timer = NULL;
    assert_int_equal(mcuprof_init(&config), MCUPROF_EOWNER);
    init(&mcuprof_timer_systick_shared);
    assert_int_equal(mcuprof_sample_detach(), 0);
    init(&mcuprof_timer_systick);
}

static void test_more_vectors_than_room(void **unused)
{
    (void)unused;
    mcuprof_port_host.exception_last = MCUPROF_VECTORS;
    refuse(-1, MCUPROF_ETABLE);
}

/* Somebody moves it while we are attached; then it is not ours to give back. */
static void test_moved_by_others(void **unused)
{
    static uint32_t others[MCUPROF_VECTORS];
    (void)unused;
    assert_int_equal(mcuprof_sample_attach(-1), 0);
    mcuprof_port_host.vtor = others;
    assert_int_equal(mcuprof_sample_detach(), MCUPROF_EVECTORS);
    assert_ptr_equal(mcuprof_port_host.vtor, others);
    mcuprof_port_host.vtor = ram;
    expect_attached(15);
    assert_int_equal(mcuprof_sample_detach(), 0);
    expect_nothing_changed();
}

/* A table in RAM is copied like any other, and the second copy is fresh. */
static void test_a_table_that_changes(void **unused)
{
    (void)unused;
    assert_int_equal(mcuprof_sample_attach(-1), 0);
    assert_int_equal(mcuprof_sample_detach(), 0);
    flash[15] = 0x20000101u;
    flash[20] = 0x20000201u;
    assert_int_equal(mcuprof_sample_attach(-1), 0);
    assert_int_equal(mcuprofi_attached, 0x20000101u);
    assert_int_equal(ram[20], 0x20000201u);
    assert_int_equal(mcuprof_sample_detach(), 0);
}

static void test_the_origin_of_tables(void **unused)
{
    (void)unused;
    assert_ptr_equal(mcuprofi_attach_origin(flash), flash);
    assert_int_equal(mcuprof_sample_attach(-1), 0);
    assert_ptr_equal(mcuprofi_attach_origin(mcuprof_port_vtor()), flash);
    assert_ptr_equal(mcuprofi_attach_origin(flash + 1), flash + 1);
    assert_int_equal(mcuprof_sample_detach(), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
            cmocka_unit_test_setup(test_attach_and_detach, reset),
            cmocka_unit_test_setup(test_the_table_is_aligned, reset),
            cmocka_unit_test_setup(test_whole_before_it_is_used, reset),
            cmocka_unit_test_setup(test_vtor_does_not_hold, reset),
            cmocka_unit_test_setup(test_before_init, reset),
            cmocka_unit_test_setup(test_while_running, reset),
            cmocka_unit_test_setup(test_attached_already, reset),
            cmocka_unit_test_setup(test_no_such_interrupt, reset),
            cmocka_unit_test_setup(test_a_timer_of_ours, reset),
            cmocka_unit_test_setup(test_a_second_init_while_attached, reset),
            cmocka_unit_test_setup(test_more_vectors_than_room, reset),
            cmocka_unit_test_setup(test_moved_by_others, reset),
            cmocka_unit_test_setup(test_a_table_that_changes, reset),
            cmocka_unit_test_setup(test_the_origin_of_tables, reset),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
