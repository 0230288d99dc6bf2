/* SPDX-License-Identifier: MIT */
/*
 * Init, start, stop, and the 64-bit time.
 */
#include "mcuprof_hotspots.h"
#include "mcuprof_stream.h"

#if MCUPROF_ENABLED && MCUPROF_STREAM

/* What mcuprofi_systick_now() said last, or about then. */
static volatile uint32_t mcuprofi_systick_last;

/*
 * SysTick as sampler: the next deadline less what is left to count. A reload
 * whose interrupt is still pending has not moved the deadline yet; one whose
 * interrupt came in between has, and the reading begins again. One whose
 * handler runs and has not sampled yet, nothing tells but that the time would
 * go back.
 */
MCUPROF_NO_INSTRUMENT static uint32_t mcuprofi_systick_now(void)
{
    const struct mcuprofi_sampler *s = &mcuprofi_sampler;
    uint32_t last = mcuprofi_systick_last;
    uint32_t due;
    uint32_t now;
    mcuprofi_barrier();
    do {
        due = s->deadline;
        mcuprofi_barrier();
        now = due - (mcuprofi_clock_read(s) & 0xFFFFFFu);
        if (mcuprof_port_systick_pending()) {
            now = due + s->interval - (mcuprofi_clock_read(s) & 0xFFFFFFu);
        }
        mcuprofi_barrier();
    } while (due != s->deadline);
    if (last - now - 1u < s->interval) {
        now += s->interval;
    }
    mcuprofi_systick_last = now;
    return now;
}

MCUPROF_NO_INSTRUMENT uint32_t mcuprofi_stream_now(void)
{
    const struct mcuprofi_clock *clock = &mcuprofi_stream.clock;
    if (!clock->adds_up) {
        return (*clock->reg ^ clock->flip) & clock->mask;
    }
    uint32_t running = mcuprofi_sampler.running;
    if (running == 0 || running == MCUPROFI_AWAITS) {
        return mcuprofi_stream.last;
    }
    if (clock->source == MCUPROF_CLOCK_NONE) {
        return mcuprofi_sampler.deadline - mcuprofi_sampler.interval;
    }
    return mcuprofi_systick_now();
}

uint32_t mcuprofi_stream_hz(void)
{
    return mcuprofi_stream.clock.hz;
}

uint32_t mcuprofi_stream_period(void)
{
    return mcuprofi_stream.period;
}

int mcuprofi_stream_running(void)
{
    return mcuprofi_sampler.running != 0;
}

const struct mcuprof_timer *mcuprofi_timer(void)
{
    return mcuprofi_stream.initialised ? mcuprofi_stream.timer : NULL;
}

void mcuprofi_stream_checkpoint(void)
{
    const struct mcuprofi_sampler *s = &mcuprofi_sampler;
    struct mcuprofi_checkpoint *c =
            &mcuprofi_stream.checkpoints[mcuprofi_stream.waiting > 0 ? 1 : 0];
    mcuprofi_stream.waiting = mcuprofi_stream.waiting > 0 ? 2 : 1;
    mcuprofi_stream.due |= MCUPROFI_DUE_TIME;
    if (MCUPROF_HOTSPOTS) {
        mcuprofi_stream.due |= MCUPROFI_DUE_HOTSPOTS;
    }
    c->ticks = mcuprofi_stream_ticks();
    c->second = mcuprofi_stream.config.second_clock != NULL
                        ? mcuprofi_stream.config.second_clock()
                        : 0;
    mcuprofi_stream.time_ticks = c->ticks;
    if (MCUPROF_TRACE) {
        mcuprofi_trace_checkpoint(c);
    }
    /* Each sample moves one of the two: they tell if one came in between. */
    do {
        c->head = s->head;
        c->lost = s->lost;
        mcuprofi_barrier();
        c->missed = s->missed;
        c->longest = s->longest;
        c->longest_pc = s->longest_pc;
        mcuprofi_barrier();
    } while (c->head != s->head || c->lost != s->lost);
    c->produced =
            mcuprofi_stream.sent + mcuprofi_stream_waiting(c->head) + c->lost;
}

uint32_t mcuprofi_stream_produced(void)
{
    return mcuprofi_stream.sent + mcuprofi_stream_waiting(mcuprofi_sampler.head)
           + mcuprofi_sampler.lost;
}

void mcuprofi_stream_selftest(const struct mcuprofi_selftest *result)
{
    mcuprofi_stream.selftest = *result;
    mcuprofi_stream.due |= MCUPROFI_DUE_SELFTEST;
}

/*
 * Period in timer and clock ticks; see MCUPROF_CLOCK_PER_TIMER.
 *
 * returns: MCUPROF_ETIMER if the clock cannot tell how late a sample is
 */
static int mcuprofi_set_period(uint32_t interval)
{
    uint32_t mask = mcuprofi_stream.clock.mask != 0 ? mcuprofi_stream.clock.mask
                                                    : mcuprofi_stream.mask;
    uint32_t clocks = interval / MCUPROF_TIMER_PER_CLOCK;
    mcuprofi_stream.interval = interval;
    mcuprofi_stream.period = clocks * MCUPROF_CLOCK_PER_TIMER;
    /* Late by a period and early by one must be told apart. */
    return clocks > mask / MCUPROF_CLOCK_PER_TIMER / 4u ? MCUPROF_ETIMER : 0;
}

static int mcuprofi_choose_period(uint32_t interval)
{
    const struct mcuprof_timer *timer = mcuprofi_stream.timer;
    uint32_t hz = timer->hz != 0 ? timer->hz : mcuprofi_stream.config.core_hz;
    /* A deadline that is not exact drifts away from its interrupt. */
    if ((uint64_t)hz * MCUPROF_CLOCK_PER_TIMER
        != (uint64_t)mcuprofi_stream.clock.hz * MCUPROF_TIMER_PER_CLOCK) {
        return MCUPROF_ECLOCK;
    }
    return mcuprofi_set_period(interval);
}

static void mcuprofi_reset_sampler(void)
{
    mcuprofi_systick_last = mcuprofi_stream.last;
    mcuprofi_sampler_reset(&mcuprofi_stream.clock, mcuprofi_stream.period,
                           mcuprofi_stream.timer);
    mcuprofi_sampler.interval = mcuprofi_stream.period;
}

int mcuprofi_init(const struct mcuprof_config *config)
{
    if (mcuprofi_sampler.running) {
        return MCUPROF_ESTATE;
    }
    if (mcuprofi_stream.waiting > 0) {
        return MCUPROF_EBUSY;
    }
    const struct mcuprof_timer *timer;
    uint32_t interval;
    int error = mcuprofi_settings(config, &timer, &interval);
    mcuprofi_stream.initialised = 0;
    if (error != 0) {
        return error;
    }
    mcuprofi_clear(&mcuprofi_stream, sizeof(mcuprofi_stream));
    mcuprofi_clear(&mcuprofi_sampler, sizeof(mcuprofi_sampler));
    mcuprofi_stream_clock(config, timer);
    error = mcuprofi_choose_period(interval);
    if (error != 0) {
        return error;
    }
    mcuprofi_stream.last = mcuprofi_stream_now();
    mcuprofi_stream.boot_id =
            config->boot_id != 0 ? config->boot_id : mcuprofi_stream.last;
    mcuprofi_reset_sampler();
    mcuprofi_identity_begin(&mcuprofi_stream.identity, mcuprofi_stream.vectors);
    mcuprofi_stream.initialised = 1;
    if (MCUPROF_TRACE) {
        mcuprofi_trace_init();
    }
    if (MCUPROF_FUNCTIONS) {
        mcuprofi_functions_init();
    }
    return 0;
}

/* Plays one sample; nothing is late or missed, by any kind of clock. */
static uint32_t mcuprofi_play_sample(struct mcuprofi_sampler *s)
{
    uint32_t before = mcuprofi_clock_read(s) ^ s->flip;
    s->deadline = before;
    s->interval = 0x80000000u | (0u - before);
    s->running = MCUPROFI_RUNS;
    /* Any eight words of ours do for a frame. */
    mcuprofi_sample(&s->ring[0].pc, 0);
    uint32_t took = ((mcuprofi_clock_read(s) ^ s->flip) - before) & s->mask;
    s->running = 0;
    s->threshold = 0;
    s->head = s->tail;
    return took;
}

/*
 * Cost of one sample in clock ticks, the least of eight; 0 if nothing counts.
 * For an empty ring; leaves the sampler in need of a reset.
 */
static uint32_t mcuprofi_measure_cost(struct mcuprofi_sampler *s)
{
    uint32_t least = s->mask;
    uint32_t missed = s->missed;
    s->reload = &s->unused;
    for (unsigned i = 0; i < 8; i++) {
        s->threshold = s->ceiling;
        uint32_t took = mcuprofi_play_sample(s);
        least = took < least ? took : least;
    }
    /* A tick that came in between found our deadline, not its own. */
    s->missed = missed;
    return least;
}

int mcuprof_start(void)
{
    struct mcuprofi_sampler *s = &mcuprofi_sampler;
    const struct mcuprof_timer *timer = mcuprofi_stream.timer;
    if (!mcuprofi_stream.initialised || s->running) {
        return MCUPROF_ESTATE;
    }
    if (mcuprofi_stream.waiting > 0) {
        return MCUPROF_EBUSY;
    }
    if (!mcuprofi_stream_return_clock()) {
        return MCUPROF_ETIMER;
    }
    mcuprofi_reset_sampler();
    if (MCUPROF_HOTSPOTS) {
        mcuprofi_hotspots_reset();
    }
    mcuprofi_stream.cost = mcuprofi_measure_cost(s);
    if (MCUPROF_HOTSPOTS) {
        /* What was played is no sample of the table's. */
        mcuprofi_hotspots_reset();
    }
    mcuprofi_reset_sampler();
    s->exception = timer->exception;
    mcuprofi_stream.exception = timer->exception;
    mcuprofi_stream.start = 1;
    mcuprofi_stream.due |= MCUPROFI_DUE_HELLO;
    mcuprofi_stream_checkpoint();
    s->seed ^= mcuprofi_stream.last;
    s->seed = s->seed != 0 ? s->seed : 0x9E3779B9u;
    if (timer->start != NULL) {
        timer->start(mcuprofi_stream.interval);
    }
    s->deadline = mcuprofi_stream_now() + s->interval;
    mcuprofi_barrier();
    s->running = timer->start != NULL ? MCUPROFI_STARTS : MCUPROFI_AWAITS;
    return 0;
}

/*
 * The timer may have begun long after the start. By now a SysTick that is
 * shared says its rate, whatever was said of it; if that was wrong, no HELLO
 * counts that went out.
 */
static void mcuprofi_learn_phase(struct mcuprofi_sampler *s)
{
    if (mcuprofi_stream.timer == &mcuprof_timer_systick_shared) {
        uint32_t reload = mcuprof_port_systick_reload();
        uint32_t before = mcuprofi_stream.interval;
        int error = reload != 0 ? mcuprofi_set_period(reload + 1u) : 0;
        if (error != 0 || mcuprofi_stream.interval != before) {
            mcuprofi_stream.exception = 0;
            mcuprofi_reset_sampler();
        }
        if (error != 0) {
            s->mask = 0; /* nothing is late, nor missed */
        }
    }
    s->deadline = mcuprofi_stream.clock.adds_up
                          ? mcuprofi_stream.last + s->interval
                          : mcuprofi_clock_read(s) ^ s->flip;
}

/* The wrap before was this one's: the next is due within one and a half. */
static int mcuprofi_is_pended_again(const struct mcuprofi_sampler *s)
{
    uint32_t left =
            (s->deadline - (mcuprofi_clock_read(s) ^ s->flip)) & s->mask;
    return !s->adds_up && left - 1u < 2u * s->period;
}

uint32_t mcuprofi_stream_odd(uint32_t late)
{
    struct mcuprofi_sampler *s = &mcuprofi_sampler;
    uint32_t running = s->running;
    if (running == 0) {
        return MCUPROFI_IS_NONE;
    }
    s->running = MCUPROFI_RUNS;
    if (running == MCUPROFI_CAUGHT_UP) {
        return mcuprofi_is_pended_again(s) ? MCUPROFI_IS_NONE : late;
    }
    s->exception = mcuprof_port_exception();
    if (running == MCUPROFI_STARTS) {
        return late;
    }
    mcuprofi_learn_phase(s);
    return 0;
}

int mcuprof_stop(void)
{
    struct mcuprofi_sampler *s = &mcuprofi_sampler;
    if (!s->running) {
        return MCUPROF_ESTATE;
    }
    if (mcuprofi_stream.timer->stop != NULL) {
        mcuprofi_stream.timer->stop();
    }
    (void)mcuprofi_stream_ticks();
    s->running = 0;
    s->threshold = 0;
    if (MCUPROF_HOTSPOTS) {
        mcuprofi_barrier();
        mcuprofi_hotspots_finish();
    }
    /* Says that what follows is a pause, should the next start's be lost. */
    mcuprofi_stream.due |= MCUPROFI_DUE_HELLO;
    mcuprofi_stream_checkpoint();
    return 0;
}

#endif
