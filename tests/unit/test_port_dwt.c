/* SPDX-License-Identifier: MIT */
/*
 * The Cortex-M port and the sampler on the cycle counter, as an ARMv7-M and an
 * ARMv6-M core execute them on the registers of core_model.h. A core is
 * stepped through one function at a time; `step` 0 holds the time, so that a
 * sample is exactly as late as the test says.
 */
#include "core_model.h"
#include "fixtures/dwt_view.h"
#include "mcuprof_wire.h"

#define PERIOD 10000u /* ticks, as dwt_image.c configures it */
#define PC 0x08001234u

struct image_bytes {
    struct nm_table nm;
    uint8_t *binary;
    size_t size;
};

static struct image_bytes images[2]; /* by v6m */
static struct core_model m;
static uint32_t view[VIEW_WORDS];

static void build(const char *directory, const char *cpu,
                  struct image_bytes *image)
{
    char elf[PATH_SIZE], binary[PATH_SIZE];

    fixture_path(elf, directory, "dwt.elf");
    fixture_path(binary, directory, "dwt.bin");
    run_tool(NULL, "sh", "-c",
             "cd \"$1\" && arm-none-eabi-gcc -mcpu=$2 -mthumb -std=c99 -O2 "
             "-ffreestanding -nostartfiles "
             "-Wl,-N,-Ttext=0x1FFF8000,-Tdata=0x20000000,-Tbss=0x20001000 "
             "-Wl,-e,image_init "
             "-Itarget target/*.c target/port/cortexm/*.c "
             "tests/unit/fixtures/dwt_image.c -o \"$3\"",
             "sh", TEST_SOURCE_DIR "/../..", cpu, elf, NULL);
    run_tool(NULL, "arm-none-eabi-strip", "-w", "-N", "$*", elf, NULL);
    run_tool(NULL, "arm-none-eabi-objcopy", "-O", "binary", elf, binary, NULL);
    nm_read(&image->nm, directory, elf);
    image->binary = file_read(binary, &image->size);
}

static int build_images(void **unused)
{
    char directory[PATH_SIZE];

    (void)unused;
    fixture_begin(directory);
    build(directory, "cortex-m4", &images[0]);
    build(directory, "cortex-m0", &images[1]);
    fixture_end(directory);
    return 0;
}

static int free_images(void **unused)
{
    (void)unused;
    free(images[0].binary);
    free(images[1].binary);
    return 0;
}

/* A new core each; a row of a table begins with one as well. */
static void reset(bool v6m)
{
    model_deinit(&m);
    model_init(&m, v6m, &images[v6m].nm, images[v6m].binary, images[v6m].size);
}

static int reset_v7m(void **unused)
{
    (void)unused;
    reset(false);
    return 0;
}

static int reset_v6m(void **unused)
{
    (void)unused;
    reset(true);
    return 0;
}

static int switch_off(void **unused)
{
    (void)unused;
    model_deinit(&m);
    return 0;
}

static int call(const char *name, uint32_t argument)
{
    return (int)(uint32_t)model_call(&m, name, argument);
}

static void look(void)
{
    uint32_t address = nm_find(&m.nm, "image_view")->address;

    (void)call("image_look", 0);
    for (uint32_t i = 0; i < VIEW_WORDS; i++)
        view[i] = model_word(&m, address + 4u * i);
}

/* Runs from here on with the time held. */
static void start(enum dwt_timer timer)
{
    assert_int_equal(call("image_init", timer), 0);
    m.step = 0;
    assert_int_equal(call("mcuprof_start", 0), 0);
    look();
}

/* Sampling runs, and the first interrupt is due at `deadline`. */
static void start_due_at(uint32_t deadline)
{
    assert_int_equal(call("image_init", TIMER_SYSTICK), 0);
    m.step = 0;
    m.cyccnt = deadline - PERIOD;
    assert_int_equal(call("mcuprof_start", 0), 0);
    look();
    assert_int_equal(view[VIEW_DEADLINE], deadline);
}

/* The interrupt comes when the counter says so. */
static void sample_at(uint32_t cyccnt)
{
    m.cyccnt = cyccnt;
    (void)call("image_sample", PC);
    look();
}

static void expect_writes(const struct access *expected, size_t count)
{
    for (size_t i = 0; i < count && i < m.write_count; i++) {
        const struct access *is = &m.writes[i];
        if (is->address != expected[i].address || is->size != expected[i].size
            || is->value != expected[i].value)
            fail_msg("write %zu is 0x%08X <- 0x%X, %u bytes", i,
                     (unsigned)is->address, (unsigned)is->value, is->size);
    }
    assert_int_equal(m.write_count, count);
    m.write_count = 0;
}

/* Which clock and why, by chip and by the timer that samples. */

struct chip {
    const char *name;
    uint32_t ctrl;
    bool v6m, no_trace, no_cyccnt, has_lock, locked, firm;
    uint8_t reason;
};

static const struct chip chips[] = {
        {.name = "M4", .reason = MCUPROF_REASON_ADVANCES},
        {.name = "M7, locked",
         .has_lock = true,
         .locked = true,
         .reason = MCUPROF_REASON_ADVANCES},
        {.name = "M7, opened by the debugger",
         .has_lock = true,
         .reason = MCUPROF_REASON_ADVANCES},
        {.name = "the key does not fit",
         .has_lock = true,
         .locked = true,
         .firm = true,
         .reason = MCUPROF_REASON_STANDS_STILL},
        {.name = "no trace",
         .no_trace = true,
         .reason = MCUPROF_REASON_NO_TRCENA},
        {.name = "no counter, says so",
         .ctrl = NOCYCCNT,
         .no_cyccnt = true,
         .reason = MCUPROF_REASON_STANDS_STILL},
        {.name = "no counter, denies it",
         .no_cyccnt = true,
         .reason = MCUPROF_REASON_STANDS_STILL},
        {.name = "counter in spite of NOCYCCNT",
         .ctrl = NOCYCCNT,
         .reason = MCUPROF_REASON_ADVANCES},
        {.name = "M0", .v6m = true, .reason = MCUPROF_REASON_NO_DWT},
};

struct choice {
    enum dwt_timer timer;
    uint32_t systick_csr; /* before init */
    uint32_t systick_rvr;
    uint8_t source; /* without a cycle counter */
    uint8_t bits;
};

static const struct choice choices[] = {
        {TIMER_SYSTICK, 0, 0, MCUPROF_CLOCK_SYSTICK_SAMPLER,
         24 | MCUPROF_CLOCK_DOWN},
        {TIMER_SHARED, 7, PERIOD - 1, MCUPROF_CLOCK_SYSTICK_SHARED,
         24 | MCUPROF_CLOCK_DOWN},
        {TIMER_SHARED, 0, 0, MCUPROF_CLOCK_SYSTICK_SHARED,
         24 | MCUPROF_CLOCK_DOWN},
        {TIMER_SHARED, 3, PERIOD - 1, MCUPROF_CLOCK_NONE, 0},
        {TIMER_USER, 0, 0, MCUPROF_CLOCK_SYSTICK, 24 | MCUPROF_CLOCK_DOWN},
        {TIMER_USER, 5, 0xFFFFFF, MCUPROF_CLOCK_SYSTICK,
         24 | MCUPROF_CLOCK_DOWN},
        {TIMER_USER, 7, PERIOD - 1, MCUPROF_CLOCK_NONE, 0},
        {TIMER_USER, 7, 0xFFFFFF, MCUPROF_CLOCK_NONE, 0},
        {TIMER_USER, 1, 0xFFFFFF, MCUPROF_CLOCK_NONE, 0},
        {TIMER_USER, 5, PERIOD - 1, MCUPROF_CLOCK_NONE, 0},
};

static void check_choice(const struct chip *chip, const struct choice *choice)
{
    bool advances = chip->reason == MCUPROF_REASON_ADVANCES;
    unsigned source = advances ? MCUPROF_CLOCK_DWT : choice->source;
    unsigned bits = advances ? 32 : choice->bits;

    reset(chip->v6m);
    m.dwt_ctrl |= chip->ctrl;
    m.no_trace = chip->no_trace;
    m.no_cyccnt = chip->no_cyccnt;
    m.has_lock = chip->has_lock;
    m.locked = chip->locked;
    m.lock_is_firm = chip->firm;
    m.syst_csr = choice->systick_csr;
    m.syst_rvr = choice->systick_rvr;
    assert_int_equal(call("image_init", choice->timer), 0);
    look();
    if (view[VIEW_SOURCE] != source || view[VIEW_REASON] != chip->reason
        || view[VIEW_BITS] != bits)
        fail_msg("%s, timer %u, CSR %u: source %u, reason %u, bits %u",
                 chip->name, choice->timer, (unsigned)choice->systick_csr,
                 (unsigned)view[VIEW_SOURCE], (unsigned)view[VIEW_REASON],
                 (unsigned)view[VIEW_BITS]);
}

static void test_every_chip_gets_the_right_clock(void **unused)
{
    (void)unused;
    for (size_t i = 0; i < sizeof chips / sizeof chips[0]; i++)
        for (size_t j = 0; j < sizeof choices / sizeof choices[0]; j++)
            check_choice(&chips[i], &choices[j]);
}

/* A SysTick that somebody else runs is neither stopped nor reprogrammed. */
static void test_a_foreign_systick_is_left_alone(void **unused)
{
    (void)unused;
    for (unsigned v6m = 0; v6m < 2; v6m++)
        for (unsigned timer = TIMER_SHARED; timer <= TIMER_USER; timer++) {
            reset(v6m != 0);
            m.no_trace = true;
            m.syst_csr = 7;
            m.syst_rvr = PERIOD - 1;
            start((enum dwt_timer)timer);
            assert_int_equal(call("mcuprof_stop", 0), 0);
            for (size_t i = 0; i < m.write_count; i++)
                assert_int_equal(m.writes[i].address, DEMCR);
        }
}

/* Nothing is written but what has to be, and in this order. */

static void test_tracing_on_then_counting(void **unused)
{
    static const struct access expected[] = {
            {DEMCR, TRCENA, 4},
            {DWT_CTRL, CTRL_RESET | CYCCNTENA, 4},
    };

    (void)unused;
    assert_int_equal(call("image_init", TIMER_SYSTICK), 0);
    expect_writes(expected, 2);
}

static void test_the_lock_is_opened_in_between(void **unused)
{
    static const struct access expected[] = {
            {DEMCR, TRCENA, 4},
            {DWT_LAR, LAR_KEY, 4},
            {DWT_CTRL, CTRL_RESET | CYCCNTENA, 4},
    };

    (void)unused;
    m.has_lock = true;
    m.locked = true;
    assert_int_equal(call("image_init", TIMER_SYSTICK), 0);
    expect_writes(expected, 3);
}

static void test_an_open_lock_gets_no_key(void **unused)
{
    static const struct access expected[] = {
            {DEMCR, TRCENA, 4},
            {DWT_CTRL, CTRL_RESET | CYCCNTENA, 4},
    };

    (void)unused;
    m.has_lock = true;
    assert_int_equal(call("image_init", TIMER_SYSTICK), 0);
    expect_writes(expected, 2);
}

/* Without TRCENA the DWT does not answer: nobody should ask. */
static void test_no_tracing_no_access(void **unused)
{
    static const struct access expected[] = {{DEMCR, TRCENA, 4}};

    (void)unused;
    m.no_trace = true;
    m.syst_csr = 7;
    m.syst_rvr = PERIOD - 1;
    start(TIMER_SHARED);
    assert_int_equal(m.dwt_reads, 0);
    expect_writes(expected, 1);
}

/*
 * A debugger or an RTOS runs the counter already, with traps and samplers of
 * its own beside it: nothing of that changes, from init to stop.
 */
static void test_a_running_counter_goes_on(void **unused)
{
    uint32_t demcr = TRCENA | 0x000107F1u;
    uint32_t ctrl = CTRL_RESET | 0x003F1FFEu | CYCCNTENA;

    (void)unused;
    m.demcr = demcr;
    m.dwt_ctrl = ctrl;
    m.cyccnt = 0x12345678u;
    assert_int_equal(call("image_init", TIMER_SYSTICK), 0);
    assert_in_range(m.cyccnt, 0x12345678u, 0x12345678u + 5000u);
    look();
    assert_in_range(view[VIEW_BOOT_ID], 0x12345678u, m.cyccnt);
    assert_int_equal(call("mcuprof_start", 0), 0);
    (void)call("image_sample", PC);
    assert_true(call("mcuprof_poll", 0) >= 0);
    assert_int_equal(call("mcuprof_stop", 0), 0);
    assert_int_equal(m.demcr, demcr);
    assert_int_equal(m.dwt_ctrl, ctrl);
    for (size_t i = 0; i < m.write_count; i++)
        assert_int_not_equal(m.writes[i].address, DWT_CYCCNT);
}

/* Bits beside ours that are clear stay so as well. */
static void test_other_bits_stay(void **unused)
{
    (void)unused;
    m.demcr = 0x000007F1u;
    m.dwt_ctrl = CTRL_RESET | 0x000003E0u;
    assert_int_equal(call("image_init", TIMER_SYSTICK), 0);
    assert_int_equal(m.demcr, TRCENA | 0x000007F1u);
    assert_int_equal(m.dwt_ctrl, CTRL_RESET | 0x000003E0u | CYCCNTENA);
}

/* One instruction is one tick here; the cost is that of a plain sample. */
static void test_cost_is_what_the_counter_says(void **unused)
{
    (void)unused;
    start_due_at(0x10000000u);
    sample_at(view[VIEW_DEADLINE] + 1000u); /* the longest: once */
    uint32_t begin = view[VIEW_DEADLINE];
    m.cyccnt = begin;
    m.step = 1;
    (void)call("mcuprofi_sample", MODEL_RAM);
    uint32_t instructions = m.cyccnt - begin;

    reset(false);
    assert_int_equal(call("image_init", TIMER_SYSTICK), 0);
    assert_int_equal(call("mcuprof_start", 0), 0);
    look();
    /* Plus the call, and the reads of the clock around it. */
    assert_in_range(view[VIEW_COST], instructions + 1u, instructions + 12u);
}

/* 32 bits wrap. */

static void check_wrap(const char *entry)
{
    static const uint32_t late[] = {0, 0x20, 7, 0x1F, 4999, 1};

    start_due_at(0xFFFFFFF0u);
    uint32_t longest = 0;
    for (size_t i = 0; i < sizeof late / sizeof late[0]; i++) {
        uint32_t due = view[VIEW_DEADLINE];
        uint32_t interval = view[VIEW_INTERVAL];
        m.cyccnt = due + late[i];
        (void)call(entry, PC + 2u * (uint32_t)i);
        look();
        longest = late[i] > longest ? late[i] : longest;
        assert_int_equal(view[VIEW_PC], PC + 2u * i);
        assert_int_equal(view[VIEW_LATENESS], late[i]);
        assert_int_equal(view[VIEW_LONGEST], longest);
        assert_int_equal(view[VIEW_MISSED], 0);
        assert_int_equal(view[VIEW_DEADLINE], due + interval);
        assert_int_equal(m.syst_rvr, view[VIEW_INTERVAL] - 1u);
        assert_in_range(view[VIEW_INTERVAL], PERIOD / 2, PERIOD * 3 / 2 - 1);
    }
    assert_in_range(view[VIEW_DEADLINE], 1, 6 * PERIOD * 3 / 2);
}

static void test_wrap_between_due_and_sample(void **unused)
{
    (void)unused;
    check_wrap("image_sample");
    reset(false);
    check_wrap("image_sample_reference");
}

/* Due before the wrap, comes 0x20 ticks later, after it. */
static void test_wrap_within_the_lateness(void **unused)
{
    static const char *const entries[] = {"image_sample",
                                          "image_sample_reference"};

    (void)unused;
    for (size_t i = 0; i < 2; i++) {
        reset(false);
        start_due_at(0xFFFFFFF0u);
        m.cyccnt = 0x10;
        (void)call(entries[i], PC);
        look();
        assert_int_equal(view[VIEW_LATENESS], 0x20);
        assert_int_equal(view[VIEW_LONGEST], 0x20);
        assert_int_equal(view[VIEW_MISSED], 0);
        assert_int_equal(view[VIEW_DEADLINE], 0xFFFFFFF0u + PERIOD);
    }
}

/* Five whole intervals go by around the wrap, each of what SysTick had. */
static void test_wrap_while_periods_are_missed(void **unused)
{
    (void)unused;
    start_due_at(0xFFFF0000u);
    sample_at(0xFFFF0000u);
    sample_at(view[VIEW_DEADLINE]);
    uint32_t due = view[VIEW_DEADLINE];
    uint32_t interval = view[VIEW_INTERVAL];
    assert_true(due + 5 * interval < due);
    sample_at(due + 5 * interval + 3);
    assert_int_not_equal(interval, PERIOD);
    assert_int_equal(view[VIEW_MISSED], 5 * interval / PERIOD);
    assert_int_equal(view[VIEW_LONGEST], 5 * interval + 3);
    assert_int_equal(view[VIEW_DEADLINE], due + 6 * interval);
    sample_at(view[VIEW_DEADLINE] + 11);
    assert_int_equal(view[VIEW_LATENESS], 11);
    assert_int_equal(view[VIEW_MISSED], 5 * interval / PERIOD);
}

static void test_wrap_between_polls(void **unused)
{
    (void)unused;
    start(TIMER_SYSTICK);
    uint64_t expected = model_call(&m, "mcuprofi_stream_ticks", 0);
    assert_in_range(expected, 0, 5000);
    for (unsigned i = 0; i < 20; i++) {
        m.cyccnt += 0x3FFFFFFFu; /* as rarely as mcuprof_poll() allows */
        expected += 0x3FFFFFFFu;
        assert_true(call("mcuprof_poll", 0) >= 0);
        assert_true(model_call(&m, "mcuprofi_stream_ticks", 0) == expected);
    }
    assert_in_range(expected >> 32, 4, 5); /* so often it has wrapped */
}

/*
 * The counter is not ours alone: it stands still in sleep on many chips, and
 * debuggers stop it and set it. The timer fires on undisturbed, `due` by the
 * counter's new value; from the second sample on all is as it was.
 */
static void check_recovery(uint32_t deadline, uint32_t due)
{
    start_due_at(deadline);
    sample_at(deadline + 5);
    uint32_t interval = view[VIEW_INTERVAL];

    sample_at(due + 40);
    for (uint32_t late = 0; late < 4; late++) {
        due += interval;
        interval = view[VIEW_INTERVAL];
        uint64_t before = model_call(&m, "mcuprofi_stream_ticks", 0);
        uint32_t passed = due + late - m.cyccnt;
        sample_at(due + late);
        assert_int_equal(view[VIEW_LATENESS], late);
        assert_int_equal(view[VIEW_DEADLINE], due + interval);
        assert_true(model_call(&m, "mcuprofi_stream_ticks", 0)
                    == before + passed);
    }
    assert_int_equal(view[VIEW_LOST], 0);
}

static void test_set_back_is_forgotten(void **unused)
{
    (void)unused;
    check_recovery(0x10000000u, 3000);
    assert_int_equal(view[VIEW_LONGEST], 5);
    assert_int_equal(view[VIEW_MISSED], 0);
}

/* As if 2^30 ticks had passed: these are missed, but the deadline is right. */
static void test_set_back_from_the_upper_half_is_forgotten(void **unused)
{
    (void)unused;
    check_recovery(0xC0000000u, 3000);
}

static void test_set_forward_is_forgotten(void **unused)
{
    (void)unused;
    check_recovery(0x10000000u, 0x30001234u);
}

/* Wherever in an interval it ends, the tenth interrupt is recorded. */
static void check_jump(uint32_t due)
{
    start_due_at(0x10000000u);
    sample_at(0x10000005u);
    uint32_t interval = view[VIEW_INTERVAL];
    for (uint32_t i = 1; i <= 10; i++) {
        m.cyccnt = due;
        (void)call("image_sample", PC + 2u * i);
        look();
        due += interval;
        interval = view[VIEW_INTERVAL];
    }
    if (view[VIEW_PC] != PC + 20u)
        fail_msg("sampling has ended: late by 0x%X, and ever so again",
                 (unsigned)(m.cyccnt - view[VIEW_DEADLINE]));
}

static void test_no_jump_ends_the_sampling(void **unused)
{
    (void)unused;
    for (uint32_t offset = 0; offset < PERIOD; offset += 211) {
        reset(false);
        check_jump(offset);
        reset(false);
        check_jump(0x30000000u + offset);
    }
}

/*
 * WFI stops the counter and not SysTick: each interrupt finds it where the
 * last one left it, a few ticks on, one interval short of its deadline.
 */
static void test_asleep_nothing_is_late_or_missed(void **unused)
{
    (void)unused;
    start_due_at(0x10000000u);
    sample_at(0x10000005u);
    for (unsigned i = 0; i < 100; i++) {
        sample_at(m.cyccnt + 100u);
        assert_int_equal(view[VIEW_LATENESS], 0);
        assert_int_equal(view[VIEW_MISSED], 0);
    }
    sample_at(view[VIEW_DEADLINE] + 3); /* awake all the time */
    assert_int_equal(view[VIEW_LATENESS], 3);
    assert_int_equal(view[VIEW_LONGEST], 5);
}

/* Somebody clears CYCCNTENA, and sets it again. */
static void test_a_stopped_counter_goes_on(void **unused)
{
    (void)unused;
    start_due_at(0x10000000u);
    sample_at(0x10000005u);
    uint32_t held = m.cyccnt + 100u;
    for (unsigned i = 0; i < 5; i++) {
        sample_at(held);
        assert_int_equal(view[VIEW_LATENESS], 0);
    }
    uint64_t ticks = model_call(&m, "mcuprofi_stream_ticks", 0);
    assert_true(call("mcuprof_poll", 0) >= 0);
    assert_true(model_call(&m, "mcuprofi_stream_ticks", 0) == ticks);

    sample_at(held + 1234); /* the next interrupt was under way */
    assert_int_equal(view[VIEW_LATENESS], 0);
    sample_at(view[VIEW_DEADLINE] + 9);
    assert_int_equal(view[VIEW_LATENESS], 9);
    assert_int_equal(view[VIEW_LONGEST], 9);
    assert_int_equal(view[VIEW_MISSED], 0);
    assert_true(model_call(&m, "mcuprofi_stream_ticks", 0) > ticks);
}

/* ARMv6-M: SysTick is the clock; the model faults on DWT and DEMCR. */

static void test_v6m_never_touches_the_dwt(void **unused)
{
    (void)unused;
    assert_int_equal(call("image_init", TIMER_SYSTICK), 0);
    assert_int_equal(call("mcuprof_start", 0), 0);
    for (unsigned i = 0; i < 8; i++) {
        (void)call("image_sample", PC);
        assert_true(call("mcuprof_poll", 0) >= 0);
    }
    assert_int_equal(call("mcuprof_stop", 0), 0);
    while (call("mcuprof_poll", 0) > 0) {
    }
    assert_int_equal(m.dwt_reads, 0);
    for (size_t i = 0; i < m.write_count; i++)
        assert_in_range(m.writes[i].address, SYST_CSR, SHPR3);
}

/* The model counts down to 0 and reloads; the sample comes `late` after. */
static void test_v6m_lateness_comes_from_systick(void **unused)
{
    static const uint32_t late[] = {0, 3, 700, 2};

    (void)unused;
    start(TIMER_SYSTICK);
    model_pass(&m, 1); /* SysTick loads */
    uint64_t ticks = model_call(&m, "mcuprofi_stream_ticks", 0);
    for (size_t i = 0; i < 4; i++) {
        for (; (m.icsr & PENDSTSET) == 0; ticks++)
            model_pass(&m, 1);
        model_pass(&m, 1u + late[i]);
        ticks += 1u + late[i];
        m.icsr = 0; /* taken */
        (void)call("image_sample", PC);
        look();
        assert_int_equal(view[VIEW_LATENESS], late[i]);
        assert_true(model_call(&m, "mcuprofi_stream_ticks", 0) == ticks);
    }
    assert_int_equal(view[VIEW_LONGEST], 700);
    assert_int_equal(view[VIEW_MISSED], 0);
}

/* SysTick's start: never enabled with somebody else's reload value. */

static void test_v7m_systick_start(void **unused)
{
    static const struct access expected[] = {
            {SYST_CSR, 0, 4},          {SHPR3 + 3, 0, 1}, /* a byte */
            {SYST_RVR, PERIOD - 1, 4}, {SYST_CVR, 0, 4},  {SYST_CSR, 7, 4},
    };
    static const struct access stopped[] = {{SYST_CSR, 0, 4}};

    (void)unused;
    m.shpr[2] = 0xA5B6C7D8u;
    assert_int_equal(call("image_init", TIMER_SYSTICK), 0);
    m.write_count = 0;
    assert_int_equal(call("mcuprof_start", 0), 0);
    expect_writes(expected, 5);
    assert_int_equal(m.shpr[2], 0x00B6C7D8u);
    assert_int_equal(call("mcuprof_stop", 0), 0);
    expect_writes(stopped, 1);
}

static void test_v6m_systick_start(void **unused)
{
    static const struct access clock[] = {
            {SYST_RVR, 0xFFFFFF, 4}, {SYST_CVR, 0, 4}, {SYST_CSR, 5, 4}};
    static const struct access expected[] = {
            {SYST_CSR, 0, 4},          {SHPR3, 0x00B6C7D8u, 4}, /* a word */
            {SYST_RVR, PERIOD - 1, 4}, {SYST_CVR, 0, 4},
            {SYST_CSR, 7, 4},
    };

    (void)unused;
    m.shpr[2] = 0xA5B6C7D8u;
    assert_int_equal(call("image_init", TIMER_SYSTICK), 0);
    expect_writes(clock, 3);
    assert_int_equal(call("mcuprof_start", 0), 0);
    expect_writes(expected, 5);
}

/* Registers read for the report. */

struct priority {
    unsigned exception;
    uint8_t value;
};

/* Sets one byte in the register array that the exception has its own in. */
static void set_priority(const struct priority *p)
{
    uint32_t *words = p->exception < 16 ? m.shpr : m.ipr;
    unsigned index = p->exception - (p->exception < 16 ? 4u : 16u);

    words[index / 4] |= (uint32_t)p->value << (index % 4 * 8);
}

static void check_priorities(const struct priority *table, size_t count,
                             uint32_t prigroup, unsigned group_bits)
{
    /* The other bits, reserved or not, are none of it. */
    m.aircr = 0xFA05F8FFu | prigroup << 8;
    for (size_t i = 0; i < count; i++)
        assert_int_equal(call("mcuprof_port_priority", table[i].exception),
                         table[i].value & group_bits);
    for (unsigned fixed = 0; fixed < 4; fixed++)
        assert_true(call("mcuprof_port_priority", fixed) < 0);
}

static void test_v7m_priorities(void **unused)
{
    static const struct priority table[] = {
            {4, 0x91},   {7, 0x6F},   {11, 0xE1},  {14, 0xFF}, {15, 0x35},
            {16, 0x12},  {17, 0xB7},  {18, 0x4D},  {19, 0x88}, {20, 0x71},
            {101, 0xC3}, {508, 0x5A}, {511, 0xF9},
    };
    /* PRIGROUP to the bits of the group: ARMv7-M ARM, table B1-3. */
    static const uint8_t group_bits[] = {0xFE, 0xFC, 0xF8, 0xF0,
                                         0xE0, 0xC0, 0x80, 0x00};
    size_t count = sizeof table / sizeof table[0];

    (void)unused;
    for (size_t i = 0; i < count; i++)
        set_priority(&table[i]);
    for (uint32_t prigroup = 0; prigroup < 8; prigroup++)
        check_priorities(table, count, prigroup, group_bits[prigroup]);
}

static void test_v6m_priorities(void **unused)
{
    static const struct priority table[] = {
            {11, 0xC0}, {14, 0x80}, {15, 0x40}, {16, 0xC0},
            {19, 0x40}, {20, 0x80}, {47, 0xC0},
    };
    size_t count = sizeof table / sizeof table[0];

    (void)unused;
    for (size_t i = 0; i < count; i++)
        set_priority(&table[i]);
    check_priorities(table, count, 0, 0xC0);
}

/* Bits of NVIC_ISER one at a time: that interrupt is enabled, no other. */
static void check_enabled(unsigned exceptions)
{
    for (unsigned irq = 0; irq < exceptions; irq += 31) {
        memset(m.iser, 0, sizeof m.iser);
        m.iser[irq / 32] = 1u << irq % 32;
        for (unsigned other = 0; other < exceptions; other += 31)
            assert_int_equal(call("mcuprof_port_enabled", 16 + other),
                             other == irq);
        m.iser[irq / 32] = ~m.iser[irq / 32];
        assert_int_equal(call("mcuprof_port_enabled", 16 + irq), 0);
    }
    for (unsigned exception = 0; exception < 15; exception++)
        assert_int_equal(call("mcuprof_port_enabled", exception),
                         exception == 11 || exception == 14);
    for (uint32_t csr = 0; csr < 8; csr++) {
        m.syst_csr = csr;
        m.step = 0;
        assert_int_equal(call("mcuprof_port_enabled", 15), (csr & 3) == 3);
    }
}

static void test_v7m_enabled(void **unused)
{
    (void)unused;
    check_enabled(496);
}

static void test_v6m_enabled(void **unused)
{
    (void)unused;
    check_enabled(32);
}

static void test_exception_last(void **unused)
{
    static const unsigned last[][2] = {{0, 47},     {1, 79},    {7, 271},
                                       {14, 495},   {15, 511},  {0xF0, 47},
                                       {0xF3, 143}, {0xFF, 511}};

    (void)unused;
    for (size_t i = 0; i < sizeof last / sizeof last[0]; i++) {
        m.ictr = last[i][0];
        assert_int_equal(call("mcuprof_port_exception_last", 0), last[i][1]);
    }
    reset(true);
    assert_int_equal(call("mcuprof_port_exception_last", 0), 47);
}

/* All nine bits of IPSR, and nothing of the flags. */
static void test_exception_number(void **unused)
{
    static const uint32_t numbers[] = {0, 11, 15, 16, 255, 256, 511};

    (void)unused;
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
        uint32_t xpsr = 0xF9000000u | numbers[i];
        model_must(uc_reg_write(m.uc, UC_ARM_REG_XPSR, &xpsr));
        assert_int_equal(call("mcuprof_port_exception", 0), numbers[i]);
    }
}

static void test_systick_as_others_run_it(void **unused)
{
    (void)unused;
    m.step = 0;
    m.syst_rvr = PERIOD - 1;
    for (uint32_t csr = 0; csr < 8; csr++) {
        m.syst_csr = csr;
        assert_int_equal(call("mcuprof_port_systick_reload", 0),
                         (csr & 5) == 5 ? PERIOD - 1 : 0);
    }
    m.icsr = ~PENDSTSET;
    assert_false(call("mcuprof_port_systick_pending", 0));
    m.icsr = PENDSTSET;
    assert_true(call("mcuprof_port_systick_pending", 0));
}

#define TEST_V7M(name)                                                         \
    cmocka_unit_test_setup_teardown(name, reset_v7m, switch_off)
#define TEST_V6M(name)                                                         \
    cmocka_unit_test_setup_teardown(name, reset_v6m, switch_off)

int main(void)
{
    const struct CMUnitTest tests[] = {
            TEST_V7M(test_every_chip_gets_the_right_clock),
            TEST_V7M(test_a_foreign_systick_is_left_alone),
            TEST_V7M(test_tracing_on_then_counting),
            TEST_V7M(test_the_lock_is_opened_in_between),
            TEST_V7M(test_an_open_lock_gets_no_key),
            TEST_V7M(test_no_tracing_no_access),
            TEST_V7M(test_a_running_counter_goes_on),
            TEST_V7M(test_other_bits_stay),
            TEST_V7M(test_cost_is_what_the_counter_says),
            TEST_V7M(test_wrap_between_due_and_sample),
            TEST_V7M(test_wrap_within_the_lateness),
            TEST_V7M(test_wrap_while_periods_are_missed),
            TEST_V7M(test_wrap_between_polls),
            TEST_V7M(test_set_back_is_forgotten),
            TEST_V7M(test_set_back_from_the_upper_half_is_forgotten),
            TEST_V7M(test_set_forward_is_forgotten),
            TEST_V7M(test_no_jump_ends_the_sampling),
            TEST_V7M(test_asleep_nothing_is_late_or_missed),
            TEST_V7M(test_a_stopped_counter_goes_on),
            TEST_V6M(test_v6m_never_touches_the_dwt),
            TEST_V6M(test_v6m_lateness_comes_from_systick),
            TEST_V7M(test_v7m_systick_start),
            TEST_V6M(test_v6m_systick_start),
            TEST_V7M(test_v7m_priorities),
            TEST_V6M(test_v6m_priorities),
            TEST_V7M(test_v7m_enabled),
            TEST_V6M(test_v6m_enabled),
            TEST_V7M(test_exception_last),
            TEST_V7M(test_exception_number),
            TEST_V7M(test_systick_as_others_run_it),
    };

    return cmocka_run_group_tests(tests, build_images, free_images);
}
