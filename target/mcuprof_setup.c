/* SPDX-License-Identifier: MIT */
/*
 * What any build makes of its configuration, with or without a stream.
 */
#include "mcuprof_internal.h"

#if MCUPROF_ENABLED

/* Shorter intervals than these leave no time for anything else. */
#define PERIOD_MIN_TICKS 8u
#define EXCEPTION_OF_SYSTICK 15u

/* NOLINTNEXTLINE(bugprone-macro-parentheses): nor does an initialiser */
#define MCUPROF_ERROR_TEXT(name, value, message) [-(value)] = message,

const char *mcuprof_error_text(int error)
{
    /* NOLINTNEXTLINE(bugprone-suspicious-missing-comma): a long one, in two */
    static const char *const texts[] = {MCUPROF_ERRORS(MCUPROF_ERROR_TEXT)};
    size_t i = error < 0 ? (size_t)-error : 0;
    if (i == 0 || i >= sizeof(texts) / sizeof(texts[0])) {
        return "";
    }
    return texts[i];
}

void mcuprofi_clear(void *object, size_t size)
{
    uint32_t *words = (uint32_t *)object;
    for (size_t i = 0; i < size / sizeof(*words); i++) {
        words[i] = 0;
        /* Else gcc makes it a call of memset(), which may not be there. */
        mcuprofi_barrier();
    }
}

/*
 * Timer ticks between two samples. Of a SysTick that somebody else set up the
 * reload value says it, and must agree with rate_hz; one that does not run yet,
 * or counts another clock than the core's, needs rate_hz to say it.
 *
 * returns: 0 if it cannot be known
 */
static uint32_t mcuprofi_choose_interval(const struct mcuprof_config *config,
                                         const struct mcuprof_timer *timer)
{
    int shared = timer == &mcuprof_timer_systick_shared;
    int is_programmed = timer->reload != NULL || timer->start != NULL;
    uint32_t running = shared ? mcuprof_port_systick_reload() : 0;
    uint32_t hz = timer->hz != 0 ? timer->hz : config->core_hz;
    uint32_t rate = config->rate_hz;
    if (rate == 0) {
        if (!is_programmed) {
            return running != 0 ? running + 1u : 0;
        }
        rate = 1000u;
    }
    uint32_t interval = (hz + rate / 2u) / rate;
    if (running == 0) {
        return interval;
    }
    running++;
    uint32_t apart =
            running > interval ? running - interval : interval - running;
    return apart <= interval / 64u ? running : 0;
}

/*
 * Whether SysTick ticks for somebody else: evenly. Ours, left running where a
 * program begins anew without a reset, has jitter. On another clock its reload
 * value is not known, and it is not ours.
 */
static int mcuprofi_is_taken(const struct mcuprof_config *config)
{
    uint32_t running = mcuprof_port_systick_reload() + 1u;
    return mcuprof_port_enabled(EXCEPTION_OF_SYSTICK)
           && config->core_hz % running == 0;
}

static int mcuprofi_interval_error(const struct mcuprof_timer *timer,
                                   uint32_t interval)
{
    uint32_t max = timer->reload_max != 0 ? timer->reload_max : 0xFFFFu;
    if (timer->reload == NULL) {
        return interval >= PERIOD_MIN_TICKS ? 0 : MCUPROF_ERATE;
    }
    /* Jitter reaches one and a half periods. */
    if (interval < PERIOD_MIN_TICKS || interval + interval / 2u > max) {
        return MCUPROF_ETIMER;
    }
    return 0;
}

int mcuprofi_settings(const struct mcuprof_config *config,
                      const struct mcuprof_timer **timer, uint32_t *interval)
{
    if (config == NULL) {
        return MCUPROF_EINVAL;
    }
    if (config->core_hz == 0) {
        return MCUPROF_ECOREHZ;
    }
    if (MCUPROF_STREAM && config->write == NULL) {
        return MCUPROF_EWRITE;
    }
    *timer = config->timer != NULL ? config->timer : &mcuprof_timer_systick;
    if (!mcuprofi_attach_allows(*timer)) {
        return MCUPROF_EOWNER;
    }
    *interval = mcuprofi_choose_interval(config, *timer);
    if (*timer == &mcuprof_timer_systick && mcuprofi_is_taken(config)) {
        return MCUPROF_EOWNER;
    }
    return mcuprofi_interval_error(*timer, *interval);
}

#if MCUPROF_TRACE || MCUPROF_FUNCTIONS

MCUPROF_KEEP void mcuprof_context_delete(unsigned context)
{
    if (MCUPROF_TRACE) {
        mcuprofi_trace_gone(context);
    }
    if (MCUPROF_FUNCTIONS) {
        mcuprofi_functions_gone(context);
    }
}

#endif

#endif
