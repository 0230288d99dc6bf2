/* SPDX-License-Identifier: MIT */
/*
 * The call ring by the cycle counter, which QEMU has not: a firmware with hooks
 * runs on core_model.h, its memory is dumped, `mcuprof calls` reads the dump,
 * and every time is compared with the ticks that the model has let pass, which
 * do not wrap. One instruction is one tick; image_nap() is as long as the test
 * says.
 */
#include "core_model.h"
#include "fixtures/calls_image.h"
#include "mcuprof_wire.h"

#define WRAP (UINT64_C(1) << 32)
#define SYSTICK_WRAP (UINT64_C(1) << 24)
#define MODE_FLIGHT 0u
#define MODE_STREAM 2u

enum {
    EVENTS = 1024,
    LINE = 256
};

/* What happened, or what is said to have. */
struct event {
    char direction; /* as calls --style plain has it */
    char name[16];
    uint64_t ticks;
};

struct events {
    struct event list[EVENTS];
    size_t count;
};

static char directory[PATH_SIZE], elf[PATH_SIZE];
static struct nm_table nm;
static uint8_t *binary;
static size_t binary_size;

static struct core_model m;
static struct events truth, told;
static char quality[4096];
static struct {
    uint32_t enter, leave; /* the hooks */
    uint32_t nap;
    uint32_t back; /* of the hook that runs, 0: none */
    const uint64_t *naps;
    size_t left;
} watch;

static int build_image(void **unused)
{
    char path[PATH_SIZE];

    (void)unused;
    fixture_begin(directory);
    fixture_path(elf, directory, "calls.elf");
    fixture_path(path, directory, "calls.bin");
    run_tool(NULL, "sh", "-c",
             "cd \"$1\" && set -- \"$2\" \"$3\" -mcpu=cortex-m4 -mthumb "
             "-std=c99 -O2 -g -ffreestanding -Itarget "
             "-DMCUPROF_TRACE=1 -DMCUPROF_TRACE_RING=256 && "
             "out=$1 work=$2 && shift 2 && "
             "arm-none-eabi-gcc \"$@\" -finstrument-functions "
             "-c tests/unit/fixtures/calls_work.c -o \"$work\" && "
             "arm-none-eabi-gcc \"$@\" -nostartfiles "
             "-Wl,-N,-Ttext=0x1FFF8000,-Tdata=0x20000000,-Tbss=0x20001000 "
             "-Wl,-e,image_init target/*.c target/port/cortexm/*.c "
             "tests/unit/fixtures/calls_image.c \"$work\" -o \"$out\"",
             "sh", TEST_SOURCE_DIR "/../..", elf, path, NULL);
    run_tool(NULL, "arm-none-eabi-strip", "-w", "-N", "$*", elf, NULL);
    run_tool(NULL, "arm-none-eabi-objcopy", "-O", "binary", elf, path, NULL);
    nm_read(&nm, directory, elf);
    binary = file_read(path, &binary_size);
    return 0;
}

static int remove_image(void **unused)
{
    (void)unused;
    free(binary);
    fixture_end(directory);
    return 0;
}

/* The model's side: what runs, and for how long. */

static void begin_event(uint32_t pc)
{
    struct event *event = &truth.list[truth.count];
    uint32_t function = 0;
    size_t i = 0;

    model_must(uc_reg_read(m.uc, UC_ARM_REG_R0, &function));
    model_must(uc_reg_read(m.uc, UC_ARM_REG_LR, &watch.back));
    watch.back &= ~1u;
    while (i < nm.count && nm.symbols[i].address != (function & ~1u))
        i++;
    if (i == nm.count || strncmp(nm.symbols[i].name, "work_", 5) != 0)
        return; /* of the library's own, which measures itself */
    assert_in_range(truth.count, 0, EVENTS - 1);
    (void)snprintf(event->name, sizeof event->name, "%s", nm.symbols[i].name);
    event->direction = pc == watch.enter ? '>' : '<';
    truth.count++;
}

static void end_event(void)
{
    if (watch.back != 0 && truth.count > 0)
        truth.list[truth.count - 1].ticks = m.clock_read;
    watch.back = 0;
}

static void on_code(uc_engine *uc, uint64_t address, uint32_t size,
                    void *context)
{
    uint32_t pc = (uint32_t)address;

    (void)uc;
    (void)size;
    (void)context;
    if (pc == watch.back)
        end_event();
    /* The exit hook falls into the other. */
    if (watch.back == 0 && (pc == watch.enter || pc == watch.leave))
        begin_event(pc);
    if (pc == watch.nap && watch.left > 0) {
        model_leap(&m, *watch.naps++);
        watch.left--;
    }
}

static void reset(void)
{
    uc_hook hook;

    model_deinit(&m);
    model_init(&m, false, &nm, binary, binary_size);
    model_must(uc_hook_add(m.uc, &hook, UC_HOOK_CODE,
                           (void *)(uintptr_t)on_code, NULL, 1, 0));
    memset(&truth, 0, sizeof truth);
    memset(&watch, 0, sizeof watch);
    watch.enter = nm_find(&nm, "__cyg_profile_func_enter")->address;
    watch.leave = nm_find(&nm, "__cyg_profile_func_exit")->address;
    watch.nap = nm_find(&nm, "image_nap")->address;
}

static int switch_on(void **unused)
{
    (void)unused;
    reset();
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
    int result = (int)(uint32_t)model_call(&m, name, argument);

    end_event(); /* a hook that was called last returns to nobody */
    return result;
}

static void start(uint32_t mode)
{
    assert_int_equal(call("image_init", 0), 0);
    (void)call("image_poll", 0); /* the identity is complete */
    assert_int_equal(call("image_start", mode), 0);
    truth.count = 0;
}

/* Naps for what is called from here on. */
static void naps(const uint64_t *ticks, size_t count)
{
    watch.naps = ticks;
    watch.left = count;
}

/* The host's side. */

/* "[thread] > work_leaf @ 26,290", perhaps with more behind it */
static void hear(const char *line)
{
    struct event *event = &told.list[told.count];
    const char *at = strstr(line, " @ ");

    assert_in_range(told.count, 0, EVENTS - 1);
    if (at == NULL
        || sscanf(line, "[thread] %c %15s", &event->direction, event->name)
                   != 2)
        fail_msg("calls says: %s", line);
    event->ticks = 0;
    for (at += 3; (*at >= '0' && *at <= '9') || *at == ','; at++)
        if (*at != ',')
            event->ticks = 10 * event->ticks + (uint64_t)(*at - '0');
    told.count++;
}

/* One style for the lines, the other for what is said of their quality. */
static void listen(const char *source)
{
    char path[PATH_SIZE], line[LINE];
    uint8_t *text;
    size_t size;
    FILE *file;

    fixture_path(path, directory, "calls.txt");
    run_tool(path, TEST_PROGRAM, "calls", source, "-e", elf, "--style", "plain",
             "--unit", "cycles", "--raw", "--color", "never", NULL);
    memset(&told, 0, sizeof told);
    file = fopen(path, "r");
    assert_non_null(file);
    while (fgets(line, sizeof line, file) != NULL)
        if ((strstr(line, "] > ") != NULL
             && strstr(line, "[entered before]") == NULL)
            || strstr(line, "] < ") != NULL)
            hear(line);
    (void)fclose(file);

    run_tool(path, TEST_PROGRAM, "calls", source, "-e", elf, "--color", "never",
             NULL);
    text = file_read(path, &size);
    text[size] = '\0';
    (void)snprintf(quality, sizeof quality, "%s",
                   strstr((const char *)text, "\nquality\n"));
    free(text);
}

static void dump(void)
{
    static uint8_t ram[MODEL_SIZE];
    char path[PATH_SIZE], source[PATH_SIZE + 32];

    fixture_path(path, directory, "ram.bin");
    model_must(uc_mem_read(m.uc, MODEL_RAM, ram, sizeof ram));
    file_write(path, ram, sizeof ram);
    (void)snprintf(source, sizeof source, "ram:%s@0x%X", path, MODEL_RAM);
    listen(source);
}

static void expect_quality(const char *text)
{
    if (strstr(quality, text) == NULL)
        fail_msg("no '%s' in:\n%s", text, quality);
}

/* `count` told from `at` on are those of the truth from `from` on. */
static void expect_range(size_t at, size_t from, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const struct event *is = &told.list[at + i];
        const struct event *should = &truth.list[from + i];
        uint64_t ticks = is->ticks - told.list[0].ticks;

        if (is->direction != should->direction
            || strcmp(is->name, should->name) != 0
            || ticks != should->ticks - truth.list[0].ticks)
            fail_msg("event %zu is %c %s after %llu ticks, not %c %s after "
                     "%llu\n%s",
                     from + i, is->direction, is->name,
                     (unsigned long long)ticks, should->direction, should->name,
                     (unsigned long long)(should->ticks - truth.list[0].ticks),
                     quality);
    }
}

/* The last ones are told, by times of their own. */
static void expect_last(size_t count)
{
    size_t from = truth.count - count;

    for (size_t i = 0; i < count; i++) {
        const struct event *should = &truth.list[from + i];

        assert_int_equal(told.list[i].direction, should->direction);
        assert_string_equal(told.list[i].name, should->name);
        assert_int_equal(told.list[i].ticks - told.list[0].ticks,
                         should->ticks - truth.list[from].ticks);
    }
}

static void expect_truth(void)
{
    assert_int_not_equal(truth.count, 0);
    assert_int_equal(told.count, truth.count);
    expect_range(0, 0, truth.count);
    expect_quality("mended       no calls\n");
    expect_quality("lost         no records\n");
}

/* By chip: which clock the hooks read, and that it is the right one. */

struct chip {
    const char *name;
    uint32_t ctrl;
    bool no_trace, no_cyccnt, has_lock, locked, firm;
    bool has_clock; /* DWT's; SysTick else */
};

static const struct chip chips[] = {
        {.name = "M4", .has_clock = true},
        {.name = "M7, locked",
         .has_lock = true,
         .locked = true,
         .has_clock = true},
        {.name = "M7, opened by the debugger",
         .has_lock = true,
         .has_clock = true},
        {.name = "the key does not fit",
         .has_lock = true,
         .locked = true,
         .firm = true},
        {.name = "no trace", .no_trace = true},
        {.name = "no counter, says so", .ctrl = NOCYCCNT, .no_cyccnt = true},
        {.name = "no counter, denies it", .no_cyccnt = true},
        {.name = "counter in spite of NOCYCCNT",
         .ctrl = NOCYCCNT,
         .has_clock = true},
};

static void check_chip(const struct chip *chip)
{
    static const uint64_t ticks[] = {5000, 70, 1234567};

    reset();
    m.dwt_ctrl |= chip->ctrl;
    m.no_trace = chip->no_trace;
    m.no_cyccnt = chip->no_cyccnt;
    m.has_lock = chip->has_lock;
    m.locked = chip->locked;
    m.lock_is_firm = chip->firm;
    start(MODE_FLIGHT);
    assert_int_equal(model_cyccnt_runs(&m), chip->has_clock);
    naps(ticks, 3);
    (void)call("work_pair", 0);
    dump();
    assert_int_equal(truth.count, 6);
    expect_truth();
    expect_quality(chip->has_clock ? "clock        DWT"
                                   : "clock        SysTick");
}

static void test_every_chip(void **unused)
{
    (void)unused;
    for (size_t i = 0; i < sizeof chips / sizeof chips[0]; i++)
        check_chip(&chips[i]);
}

/* The counter wraps. */

/* 0x1000 ticks before it, work_pair() begins; its naps carry it over that. */
static void check_wrap(uint64_t wrap, const uint64_t ticks[3])
{
    start(MODE_FLIGHT);
    if (wrap == WRAP)
        m.cyccnt = 0xFFFFF000u;
    else
        m.syst_cvr = 0x1000;
    naps(ticks, 3);
    (void)call("work_pair", 0);
    dump();
    expect_truth();
}

/* Less than one wrap from a record to the next, as no poll tells of more. What
   hooks take is in it: on the whole it is more than one. */
static void check_wraps(uint64_t wrap)
{
    uint64_t most = wrap - 200;
    const uint64_t cases[][3] = {
            {0x2000, 5, 5}, /* within the first leaf */
            {5, 0x2000, 5}, /* between the leaves */
            {5, 5, 0x2000}, /* within the second */
            {wrap / 2, 5, wrap / 2}, {most, 5, 5}, {5, most, 5}, {5, 5, most},
            {most, most, most},
    };
    bool no_cyccnt = m.no_cyccnt;

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        reset();
        m.no_cyccnt = no_cyccnt;
        check_wrap(wrap, cases[i]);
    }
}

static void test_wrap_of_cyccnt(void **unused)
{
    (void)unused;
    check_wraps(WRAP);
}

static void test_wrap_of_systick(void **unused)
{
    (void)unused;
    m.no_cyccnt = true;
    check_wraps(SYSTICK_WRAP);
}

/*
 * A ring that has gone round: each of its slots may hold what it did a lap
 * before. Nobody polls it, and between its last records are half wraps.
 */
static void check_round(uint64_t wrap)
{
    const uint64_t ticks[] = {wrap / 2, wrap / 2, wrap / 2, wrap / 2};

    start(MODE_FLIGHT);
    for (size_t i = 0; i < 200; i++)
        (void)call("work_leaf", 0);
    naps(ticks, 4);
    (void)call("work_pair", 0);
    (void)call("work_leaf", 0);
    dump();
    /* 256 slots, two of them for the context at the begin of a lap. */
    assert_in_range(told.count, 254, 256);
    expect_last(told.count);
    expect_quality("lost         no records\n");
    assert_null(strstr(quality, "left out"));
}

static void test_silence_of_a_ring_gone_round(void **unused)
{
    (void)unused;
    check_round(WRAP);
    reset();
    m.no_cyccnt = true;
    check_round(SYSTICK_WRAP);
}

/* Whole wraps with no call in them, told by a poll each quarter. */
static void check_polled(uint64_t wrap, size_t count, bool in_a_function)
{
    uint64_t ticks[32];

    for (size_t i = 0; i < count; i++)
        ticks[i] = wrap / 4 - 5000;
    start(MODE_FLIGHT);
    (void)call("work_leaf", 0);
    naps(ticks, count);
    if (in_a_function) {
        (void)call("work_polls", (uint32_t)count);
    } else {
        for (size_t i = 0; i < count; i++) {
            (void)call("image_nap", 0);
            (void)call("image_poll", 0);
        }
        (void)call("work_leaf", 0);
    }
    assert_int_equal(watch.left, 0);
    dump();
    assert_int_equal(truth.count, in_a_function ? 6 : 4);
    assert_true(truth.list[truth.count - 1].ticks - truth.list[0].ticks
                > count * (wrap / 4 - 5000));
    expect_truth();
}

static void test_many_wraps_in_a_function(void **unused)
{
    (void)unused;
    check_polled(WRAP, 22, true);
    reset();
    m.no_cyccnt = true;
    check_polled(SYSTICK_WRAP, 22, true);
}

static void test_many_wraps_in_a_gap(void **unused)
{
    (void)unused;
    check_polled(WRAP, 22, false);
    reset();
    m.no_cyccnt = true;
    check_polled(SYSTICK_WRAP, 22, false);
}

/*
 * A gap of another kind: in a stream, calls find no room while the counter
 * wraps. What was recorded before it and after it has its right times.
 */
static void test_wrap_among_lost_calls(void **unused)
{
    static uint8_t sent[IMAGE_SENT];
    uint32_t address = nm_find(&nm, "image_sent")->address;
    uint64_t ticks[400];
    char path[PATH_SIZE];
    size_t before, after, bytes;

    (void)unused;
    for (size_t i = 0; i < 400; i++)
        ticks[i] = 40;
    ticks[200] = 0x10000;
    start(MODE_STREAM);
    m.cyccnt = 0xFFFF0000u;
    naps(ticks, 400);
    for (size_t i = 0; i < 300; i++)
        (void)call("work_leaf", 0);
    assert_true(m.cyccnt < 0x80000000u);
    (void)call("image_poll", 0);
    for (size_t i = 0; i < 20; i++)
        (void)call("work_leaf", 0);
    model_leap(&m, IMAGE_HZ); /* so that few are enough for a frame */
    (void)call("image_poll", 0);
    bytes = model_word(&m, nm_find(&nm, "image_sent_bytes")->address);
    assert_in_range(bytes, 1, IMAGE_SENT - 1);
    model_must(uc_mem_read(m.uc, address, sent, bytes));
    fixture_path(path, directory, "calls.mprof");
    file_write(path, sent, bytes);
    listen(path);
    /* 255 slots less the context's, then the last forty. */
    before = 254;
    after = 40;
    assert_int_equal(told.count, before + after);
    expect_range(0, 0, before);
    expect_range(before, truth.count - after, after);
    expect_quality(
            "lost         346 records on the target (no room), in gaps: 1;");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, switch_on, switch_off)

int main(void)
{
    const struct CMUnitTest tests[] = {
            TEST(test_every_chip),
            TEST(test_wrap_of_cyccnt),
            TEST(test_wrap_of_systick),
            TEST(test_many_wraps_in_a_function),
            TEST(test_many_wraps_in_a_gap),
            TEST(test_wrap_among_lost_calls),
            TEST(test_silence_of_a_ring_gone_round),
    };

    return cmocka_run_group_tests(tests, build_image, remove_image);
}
