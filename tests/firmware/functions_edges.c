/* SPDX-License-Identifier: MIT */
/*
 * Where the function table's hooks must not go on in their fast path, each a
 * case of its own, by a clock that stands still unless it is told. Prints
 *
 *     CASE right, or what is wrong
 */
#include "board.h"
#include "mcuprof.h"
#include "mcuprof_functions_view.h"

#define THREAD MCUPROF_CONTEXT_THREAD

void __cyg_profile_func_enter(void *function, void *call_site);
void __cyg_profile_func_exit(void *function, void *call_site);

static volatile uint32_t now;
static unsigned errors;
/* Of hooks, so that a sum of theirs that is below 0 is one. */
static const uint64_t spare = 1000;

/* Nobody's code: their hooks are called by hand. */
static void *function(uint32_t number)
{
    return (void *)(0x1001u + 36u * number);
}

__attribute__((noinline)) static void enter(uint32_t number)
{
    __cyg_profile_func_enter(function(number), 0);
    __asm volatile("");
}

__attribute__((noinline)) static void leave(uint32_t number)
{
    __cyg_profile_func_exit(function(number), 0);
    __asm volatile("");
}

static void call(uint32_t number, uint32_t ticks)
{
    enter(number);
    now += ticks;
    leave(number);
}

static const struct mcuprof_function *row_of(uint32_t number)
{
    static const struct mcuprof_function none;
    const struct mcuprof_function *row = mcuprof_functions_view;
    for (; row->function != NULL; row++) {
        if (((uint32_t)row->function | 1u) == (uint32_t)function(number)) {
            return row;
        }
    }
    return &none;
}

static void expect(const char *what, uint64_t is, uint64_t wanted)
{
    if (is != wanted) {
        errors++;
        board_print("%s is %x:%x, not %x:%x; ", what, (unsigned)(is >> 32),
                    (unsigned)is, (unsigned)(wanted >> 32), (unsigned)wanted);
    }
}

static void expect_row(uint32_t number, uint64_t calls, uint64_t self,
                       uint64_t total)
{
    const struct mcuprof_function *row = row_of(number);
    expect("calls", row->calls, calls);
    expect("open", row->open, 0);
    expect("self", row->self, self);
    expect("total", row->total, total);
}

/* It is entered again where it was entered before: it was left by a jump. */
static void stale(void)
{
    call(1, 0);
    for (volatile unsigned i = 0; i < 2u; i++) {
        enter(1);
        now += 10;
    }
    leave(1);
    (void)mcuprof_functions_snapshot();
    expect_row(1, 3, 20, 20);
    expect("unwound", mcuprofi_functions_moment.unwound, 1);
}

/* It calls nobody, and a long time is none that is below 0. */
static void no_children(void)
{
    call(1, 5);
    call(1, 0x50000000u);
    (void)mcuprof_functions_snapshot();
    expect_row(1, 2, 0x50000005u, 0x50000005u);
    expect("min", row_of(1)->min, 5);
    expect("max", row_of(1)->max, 0x50000000u);
}

/* 31 bits are nearly full, and so much comes that it looks like less than 0. */
static void longest(void)
{
    call(1, 0x3F800000u);
    call(1, 0x3F800000u);
    call(1, 0x7F000000u);
    (void)mcuprof_functions_snapshot();
    expect_row(1, 3, 0xFE000000u, 0xFE000000u);
    expect("min", row_of(1)->min, 0x3F800000u);
    expect("max", row_of(1)->max, 0x7F000000u);
}

/*
 * Costs that are too great, of a call with another in it: it takes 2 ticks less
 * than nothing, and the other 3, which are missing in its own. First calls come
 * by the slow path, which takes out what it took, and that is nothing.
 */
static void below_nothing(void)
{
    mcuprof_functions.hot.inner = 5;
    call(2, 5);
    call(1, 5);
    enter(1);
    call(2, 8);
    leave(1);
    mcuprofi_functions_current()->hooks += spare;
    (void)mcuprof_functions_snapshot();
    expect_row(1, 2, 5 - 3, 5);
    expect_row(2, 2, 5 + 3, 5 + 3);
}

/* Longer than 32 bits, with calls from time to time, and nobody polls. */
static void epoch(void)
{
    call(2, 1);
    enter(1);
    for (unsigned i = 0; i < 6u; i++) {
        now += 1;
        call(2, 0x3FFFFFFFu);
    }
    leave(1);
    (void)mcuprof_functions_snapshot();
    expect_row(1, 1, 6, 0x180000000u);
    expect_row(2, 7, 0x17FFFFFFAu + 1u, 0x17FFFFFFAu + 1u);
}

static const struct {
    const char *name;
    void (*run)(void);
} cases[] = {
        {"stale", stale},     {"no children", no_children},
        {"longest", longest}, {"below nothing", below_nothing},
        {"epoch", epoch},
};

int main(void)
{
    static const struct mcuprof_config config = {
            .write = board_uart_write,
            .core_hz = BOARD_CLOCK_HZ,
            .clock = &now,
            .clock_hz = BOARD_CLOCK_HZ,
    };
    static const struct mcuprof_functions_config how = {.every_ms = UINT32_MAX};

    if (mcuprof_init(&config) != 0) {
        return 1;
    }
    for (unsigned i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        const struct mcuprofi_functions_moment *m = &mcuprofi_functions_moment;
        unsigned before = errors;
        if (mcuprof_functions_start(&how) != 0) {
            return 1;
        }
        board_print("%s ", cases[i].name);
        cases[i].run();
        expect("sum", m->self + m->hooks + m->calls * m->pair,
               m->ticks + (m->pair > 0 ? spare : 0));
        board_print("%s\n", errors == before ? "right" : "WRONG");
        (void)mcuprof_functions_stop();
    }
    return errors != 0;
}
