/* SPDX-License-Identifier: MIT */
/*
 * What is shown of the function table: the view, its text and its frames say
 * the same, and add up.
 *
 * variant: 64 MCUPROF_FUNCTIONS=1
 * variant: 16 MCUPROF_FUNCTIONS=1 MCUPROF_FUNCTIONS_SLOTS=16
 * variant: 512 MCUPROF_FUNCTIONS=1 MCUPROF_FUNCTIONS_SLOTS=512
 */
#include "functions_machine.h"

#include <stdio.h>

#include "decode.h"
#include "frame.h"
#include "mcuprof_functions_view.h"

static char text[65536];
static size_t text_size;
static size_t room;

static size_t take(const uint8_t *bytes, size_t size)
{
    size = size < room ? size : room;
    assert_true(text_size + size < sizeof(text));
    memcpy(text + text_size, bytes, size);
    text_size += size;
    return size;
}

/* Runs a storm without jumps and leaves calls open. */
static void storm(uint32_t seed, const struct mcuprof_functions_config *config)
{
    static const struct machine_chances chances = {60, 30, 0, 12, 20, 5000};
    machine_reset(&chances, seed);
    assert_int_equal(mcuprof_functions_start(config), 0);
    machine_begin();
    machine_run(3000);
    mcuprof_port_host.between = NULL;
    for (unsigned i = 0; i < 5; i++) {
        machine_elapse(100);
        machine_call(machine.task);
    }
    machine_elapse(77);
}

static uint64_t all_of(void)
{
    const struct mcuprofi_functions_moment *m = &mcuprofi_functions_moment;
    return m->self + m->hooks + m->calls * m->pair;
}

static void check_sum(void)
{
    uint64_t self = 0;
    uint64_t calls = 0;
    for (int i = 0; mcuprof_functions_view[i].function != NULL; i++) {
        self += mcuprof_functions_view[i].self;
        calls += mcuprof_functions_view[i].calls;
    }
    for (size_t i = 0; i <= MCUPROF_FUNCTIONS_CONTEXTS; i++) {
        const struct mcuprofi_functions_rest *rest =
                &mcuprofi_functions_moment.rests[i];
        self += rest->is_used ? rest->self + rest->outside : 0;
        calls += rest->is_used ? rest->calls : 0;
    }
    assert_int_equal(mcuprofi_functions_moment.self, self);
    assert_int_equal(mcuprofi_functions_moment.calls, calls);
    assert_int_equal(all_of(), machine.wall);
    assert_int_equal(mcuprofi_functions_moment.ticks, machine.wall);
}

static void test_adds_up(void **state)
{
    static const struct mcuprof_functions_config raw = {1, 0};
    (void)state;
    for (uint32_t seed = 1; seed <= 20; seed++) {
        storm(seed, &raw);
        assert_true(mcuprof_functions_snapshot() > 0);
        check_sum();
        /* Each of the oracle's open calls is one in the view. */
        uint64_t open = 0;
        for (int i = 0; mcuprof_functions_view[i].function != NULL; i++) {
            open += mcuprof_functions_view[i].open;
        }
        assert_true(open <= machine.actors[machine.task].depth);
        assert_true(mcuprofi_functions_moment.no_slot > 0
                    || open == machine.actors[machine.task].depth);
        /* Of a stopped one it is as it was. */
        assert_int_equal(mcuprof_functions_stop(), 0);
        machine_elapse(0);
        mcuprof_port_host.counter += 1000;
        assert_true(mcuprof_functions_snapshot() > 0);
        check_sum();
    }
}

/* Hooks take time, and it is in the sum. */
static void test_adds_up_with_hooks(void **state)
{
    static const struct machine_chances chances = {60, 30, 10, 12, 20, 5000};
    (void)state;
    for (uint32_t seed = 1; seed <= 20; seed++) {
        machine_reset(&chances, seed);
        assert_int_equal(mcuprof_functions_start(NULL), 0);
        machine.hook_ticks = 3;
        mcuprof_functions.hot.inner = 6;
        mcuprof_functions.hot.outer = 6;
        mcuprof_functions.enter_rest = 6;
        mcuprof_functions.exit_rest = 6;
        machine_begin();
        machine_run(3000);
        mcuprof_port_host.between = NULL;
        assert_true(mcuprof_functions_snapshot() > 0);
        check_sum();
        assert_true(mcuprofi_functions_moment.hooks > 0);
    }
}

/* The first number behind a word of the text. */
static uint64_t number_behind(const char *line, const char *word)
{
    const char *at = strstr(line, word);
    assert_non_null(at);
    return strtoull(at + strlen(word), NULL, 10);
}

/* All words up to END, each with a space behind it. */
static uint32_t crc_of_words(const char *end)
{
    static const uint8_t space = ' ';
    uint32_t crc = 0;
    for (const char *at = text; at < end;) {
        size_t size = strcspn(at, " \r\n");
        if (size > 0) {
            crc = mcuprofi_crc32(crc, (const uint8_t *)at, size);
            crc = mcuprofi_crc32(crc, &space, 1);
        }
        at += size;
        at += strspn(at, " \r\n");
    }
    return crc;
}

static void check_row(const char *line, const struct mcuprof_function *row)
{
    unsigned long function;
    unsigned context;
    unsigned open;
    unsigned share[2];
    unsigned long long n[6];
    assert_int_equal(sscanf(line,
                            "mcuprof %lx %u %llu %u %llu %llu %llu %llu %llu "
                            "%u.%2u",
                            &function, &context, &n[0], &open, &n[1], &n[2],
                            &n[3], &n[4], &n[5], &share[0], &share[1]),
                     11);
    assert_int_equal(function, (uintptr_t)row->function);
    assert_int_equal(context, row->context);
    assert_int_equal(n[0], row->calls);
    assert_int_equal(open, row->open);
    assert_int_equal(n[1], row->self);
    assert_int_equal(n[2], row->total);
    assert_int_equal(n[3], row->total / row->calls);
    assert_int_equal(n[4], row->min);
    assert_int_equal(n[5], row->max);
    /* Nearest: no further than half of its last digit. */
    int64_t apart = (int64_t)(10000u * row->self)
                    - (int64_t)((100u * share[0] + share[1]) * machine.wall);
    assert_true(2u * (uint64_t)llabs(apart) <= machine.wall);
}

static void test_text(void **state)
{
    (void)state;
    storm(3, NULL);
    mcuprof_context_name(512, "first  task");
    text_size = 0;
    room = 7;
    assert_int_equal(mcuprof_functions_print(take), 0);
    text[text_size] = '\0';
    const char *end = strstr(text, "crc=");
    assert_non_null(end);
    assert_int_equal(strtoul(end + 4, NULL, 16), crc_of_words(end));
    assert_int_equal(number_behind(text, " ticks="), machine.wall);
    const char *sum = strstr(text, " sum=");
    assert_non_null(sum);
    assert_int_equal(number_behind(sum, " sum="), all_of());
    assert_int_equal(number_behind(sum, " self="),
                     mcuprofi_functions_moment.self);
    assert_int_equal(number_behind(sum, " self=")
                             + number_behind(sum, " hooks="),
                     all_of());
    assert_non_null(strstr(text, "\r\nmcuprof context 512 first  task\r\n"));
    const char *line = strstr(text, "mcuprof 0x");
    for (int i = 0; mcuprof_functions_view[i].function != NULL; i++) {
        const struct mcuprof_function *row = &mcuprof_functions_view[i];
        assert_non_null(line);
        check_row(line, row);
        assert_true(i == 0 || row->self <= mcuprof_functions_view[i - 1].self);
        line = strstr(line + 1, "mcuprof 0x");
    }
    assert_null(line);
    /* Rows of all kinds, as many as are told at either end. */
    uint64_t rows = 0;
    static const char *const kinds[] = {"\nmcuprof 0x", " outside ",
                                        " no_slot ", "mcuprof counts "};
    for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
        for (const char *at = strstr(text, kinds[i]); at != NULL;
             at = strstr(at + 1, kinds[i])) {
            rows++;
        }
    }
    assert_int_equal(number_behind(text, " rows="), rows);
    assert_int_equal(number_behind(end - 10, "rows="), rows);
    room = 0;
    assert_int_equal(mcuprof_functions_print(take), MCUPROF_EBUSY);
}

static void test_reset(void **state)
{
    static const struct mcuprof_functions_config raw = {1, 0};
    (void)state;
    storm(5, &raw);
    uint64_t before = machine.wall;
    mcuprof_functions_reset();
    machine_elapse(1000);
    while (machine_programs[machine.task].depth > 0) {
        machine_return(machine.task);
    }
    assert_true(mcuprof_functions_snapshot() >= 0);
    assert_int_equal(mcuprofi_functions_moment.ticks, 1000);
    assert_int_equal(all_of(), machine.wall - before);
    assert_int_equal(mcuprofi_functions_moment.calls, 5);
    if (MCUPROF_FUNCTIONS_SLOTS > 64) {
        assert_int_equal(mcuprof_functions_view[0].self, 1000);
        assert_int_equal(mcuprof_functions_view[0].total, 1000);
    }
}

/* The snapshots that came, by the host's decoder. */
static struct {
    unsigned count;
    uint64_t ticks[8];
    uint64_t calls[8];
    uint32_t sequence;
    uint8_t flags; /* of the last */
} arrived;

static int on_functions(void *context, const struct wire_functions *part)
{
    (void)context;
    arrived.flags = part->flags;
    if (arrived.count == 0 || part->sequence != arrived.sequence) {
        assert_int_equal(part->first, 0);
        assert_in_range(++arrived.count, 1, 8);
        arrived.sequence = part->sequence;
        arrived.ticks[arrived.count - 1u] = part->ticks;
        arrived.calls[arrived.count - 1u] = 0;
    }
    for (unsigned i = 0; i < part->count; i++) {
        if (part->functions[i].kind != FUNCTION_OUTSIDE) {
            arrived.calls[arrived.count - 1u] += part->functions[i].calls;
        }
    }
    return 0;
}

static void read_frames(void)
{
    static const struct decode_handler handler = {.functions = on_functions};
    static struct decoder decoder;
    struct deframer deframer;
    memset(&arrived, 0, sizeof(arrived));
    assert_int_equal(decoder_init(&decoder, &handler), 0);
    deframer_init(&deframer, decoder_frame, &decoder);
    assert_int_equal(deframer_feed(&deframer, (const uint8_t *)text, text_size),
                     0);
    assert_int_equal(deframer_end(&deframer), 0);
    decoder_deinit(&decoder);
}

/* What a period had is sent although it is emptied before the next poll. */
static void test_reset_in_a_stream(void **state)
{
    static const struct mcuprof_functions_config raw = {1, UINT32_MAX};
    (void)state;
    storm(5, &raw);
    while (mcuprof_poll() == 1) {
    }
    uint64_t wall = machine.wall;
    uint64_t calls = 0;
    for (unsigned i = 0; i < MACHINE_ACTORS; i++) {
        calls += machine.actors[i].depth + machine.actors[i].excess;
        for (unsigned f = 0; f < MACHINE_FUNCTIONS; f++) {
            calls += machine.actors[i].rows[f].completed;
        }
    }
    machine_sink = take;
    text_size = 0;
    room = sizeof(text);
    mcuprof_functions_reset();
    machine_elapse(1000);
    while (machine_programs[machine.task].depth > 0) {
        machine_return(machine.task);
    }
    while (mcuprof_poll() == 1) {
    }
    assert_int_equal(mcuprof_functions_send(), 0);
    while (mcuprof_poll() == 1) {
    }
    machine_sink = NULL;
    read_frames();
    assert_int_equal(arrived.count, 2);
    assert_int_equal(arrived.ticks[0], wall);
    assert_int_equal(arrived.calls[0], calls);
    assert_int_equal(arrived.ticks[1], 1000);
    assert_int_equal(arrived.calls[1], 5);
}

/* Calls one function so often, in the task that runs. */
static void calls(unsigned count)
{
    for (; count > 0; count--) {
        machine_call(machine.task);
        machine_elapse(10);
        machine_return(machine.task);
    }
}

static void poll_all(void)
{
    while (mcuprof_poll() == 1) {
    }
}

/*
 * What a period had is sent, whatever follows before the next poll, or it is
 * said that it was not.
 */
static void test_last_of_a_period(void **state)
{
    static const struct mcuprof_functions_config raw = {1, UINT32_MAX};
    static const struct machine_chances calm = {0, 0, 0, 1, 4, 50};
    static const struct {
        const char *what;
        int is_whole;
    } ways[] = {
            {"rs", 1},   {"rcs", 1},  {"rn", 1},   {"rps", 1},
            {"rcrs", 0}, {"rvps", 0}, {"sps", 1},  {"ss", 1},
            {"sap", 1},  {"sa", 1},   {"rcsa", 0},
    };
    (void)state;
    for (size_t i = 0; i < sizeof(ways) / sizeof(ways[0]); i++) {
        machine_reset(&calm, 1);
        assert_int_equal(mcuprof_functions_start(&raw), 0);
        poll_all();
        machine_sink = take;
        text_size = 0;
        room = sizeof(text);
        calls(35);
        for (const char *way = ways[i].what; *way != '\0'; way++) {
            switch (*way) {
            case 'r':
                mcuprof_functions_reset();
                break;
            case 's':
                (void)mcuprof_functions_stop();
                break;
            case 'a':
                assert_int_equal(mcuprof_functions_start(&raw), 0);
                break;
            case 'n':
                assert_int_equal(mcuprof_functions_send(), 0);
                break;
            case 'v':
                assert_true(mcuprof_functions_snapshot() >= 0);
                break;
            case 'c':
                calls(1);
                break;
            default:
                poll_all();
            }
        }
        (void)mcuprof_functions_stop();
        poll_all();
        machine_sink = NULL;
        read_frames();
        uint64_t sum = 0;
        for (unsigned k = 0; k < arrived.count; k++) {
            sum += arrived.calls[k];
        }
        int is_told = (arrived.flags & MCUPROF_FUNCTIONS_DROPPED) != 0;
        uint64_t true_calls = 35u + (strchr(ways[i].what, 'c') != NULL);
        /* All of it, or it is told. Nothing is told that is not so. */
        if (is_told == (sum == true_calls)) {
            print_error("%s: %u of %u calls, %s\n", ways[i].what, (unsigned)sum,
                        (unsigned)true_calls, is_told ? "told" : "not told");
        }
        assert_true(is_told != (sum == true_calls));
        assert_true(!is_told || !ways[i].is_whole);
    }
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
            cmocka_unit_test(test_adds_up),
            cmocka_unit_test(test_adds_up_with_hooks),
            cmocka_unit_test(test_text),
            cmocka_unit_test(test_reset),
            cmocka_unit_test(test_reset_in_a_stream),
            cmocka_unit_test(test_last_of_a_period),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
