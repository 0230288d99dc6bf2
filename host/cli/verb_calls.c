/* SPDX-License-Identifier: MIT */
#include "verbs.h"

#include "call_session.h"
#include "complain.h"
#include "print_calls.h"
#include "print_quality.h"

#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PS_PER_NS 1e3
#define PS_PER_US 1e6
#define PS_PER_MS 1e9
#define PS_PER_S 1e12
#define CYCLES (-1.0)

/* "1.5ms" at TEXT up to END; without a unit it is that which is shown. */
static bool parse_moment(const char *text, const char *end, bool *in_cycles,
                         uint64_t *out)
{
    static const struct {
        const char *name;
        double ps;
    } units[] = {{"ns", PS_PER_NS},
                 {"us", PS_PER_US},
                 {"ms", PS_PER_MS},
                 {"s", PS_PER_S},
                 {"c", CYCLES}};
    char copy[40];
    char *rest = NULL;
    double ps = *in_cycles ? CYCLES : PS_PER_US;
    double number;
    size_t length;
    size_t i = 0;

    /* The dots behind it are none of the number's. */
    if (end - text >= (ptrdiff_t)sizeof copy)
        return false;
    (void)snprintf(copy, sizeof copy, "%.*s", (int)(end - text), text);
    number = strtod(copy, &rest);
    length = strlen(rest);
    if (rest == copy || !isfinite(number) || number < 0)
        return false;
    while (length > 0 && i < sizeof units / sizeof units[0]
           && (strlen(units[i].name) != length
               || strncmp(units[i].name, rest, length) != 0))
        i++;
    if (i == sizeof units / sizeof units[0])
        return false;
    ps = length > 0 ? units[i].ps : ps;
    *in_cycles = ps < 0;
    number *= *in_cycles ? 1 : ps;
    *out = number >= 18e18 ? UINT64_MAX : (uint64_t)number;
    return true;
}

/* FROM..TO; either may be left out. */
static bool parse_window(const char *text, bool in_cycles,
                         struct call_window *window)
{
    const char *dots = strstr(text, "..");
    bool from_cycles = in_cycles;
    bool to_cycles = in_cycles;
    bool has_from = dots != text;
    bool has_to = dots != NULL && dots[2] != '\0';

    if (dots == NULL || (!has_from && !has_to)
        || (has_from && !parse_moment(text, dots, &from_cycles, &window->from))
        || (has_to
            && !parse_moment(dots + 2, text + strlen(text), &to_cycles,
                             &window->to)))
        return false;
    window->in_cycles = has_from ? from_cycles : to_cycles;
    return (!has_from || !has_to || from_cycles == to_cycles)
           && window->from <= window->to;
}

static void print_notes(struct output *output,
                        const struct call_session *session)
{
    FILE *stream = output->stream;
    const struct timeline_result *result = &session->result;

    (void)fprintf(stream,
                  "  times since %s; a call's without what interrupted "
                  "it\n",
                  result->from_init ? "mcuprof_init()" : "the first record");
    if (!session->settings->raw && result->hook_cost > 0)
        (void)fprintf(stream,
                      "  durations without what the hooks took, %u cycles a "
                      "call; --raw shows them with it\n",
                      result->hook_cost);
    (void)fputc('\n', stream);
}

static int print_block(struct output *output, struct call_session *session)
{
    struct quality quality;
    int result = call_session_quality(session, &quality);

    if (result < 0)
        return result;
    print_quality(output, output->stream, &quality, QUALITY_ALL);
    quality_deinit(&quality);
    return 0;
}

/* Of CSV the block goes where it is in nobody's way. */
static int print_rows_of(struct output *output, struct call_session *session,
                         const struct call_window *window)
{
    struct quality quality;
    int result = print_calls_rows(output, session, window);

    if (result < 0 || session->settings->format == FORMAT_JSON)
        return result;
    result = call_session_quality(session, &quality);
    if (result < 0)
        return result;
    print_quality(output, stderr, &quality, QUALITY_ALL);
    quality_deinit(&quality);
    return 0;
}

static int print_text_of(struct output *output, struct call_session *session,
                         const struct call_window *window)
{
    const struct settings *settings = session->settings;
    int result;

    if (settings->style == STYLE_PLAIN)
        return print_calls_plain(output, session, window);
    result = settings->open ? print_calls_open(output, session)
                            : print_calls_lanes(output, session, window);
    if (result < 0)
        return result;
    print_notes(output, session);
    return print_block(output, session);
}

static int print_calls(struct output *output, struct call_session *session)
{
    const struct settings *settings = session->settings;
    struct call_window window = {.in_cycles = !session->in_us,
                                 .to = UINT64_MAX};
    int result;

    if (settings->time != NULL
        && !parse_window(settings->time, !session->in_us, &window))
        return MCUPROF_E_USAGE;
    result = settings->format == FORMAT_TABLE
                     ? print_text_of(output, session, &window)
                     : print_rows_of(output, session, &window);
    /* output_end() says what is wrong with the output. */
    return output->problem != 0 ? 0 : result;
}

int verb_calls(const struct settings *settings)
{
    struct call_window window = {.to = UINT64_MAX};

    if (settings->time != NULL
        && !parse_window(settings->time, settings->unit == UNIT_CYCLES,
                         &window))
        return complain_usage("write it as 1.5ms..2ms, ..300us, 2s.. or "
                              "1000c..2000c",
                              "--time cannot be '%s'", settings->time);
    if (settings->open && settings->style == STYLE_PLAIN)
        return complain_usage("call it once for each",
                              "--open is a list of its own");
    if (settings->format != FORMAT_TABLE && settings->style == STYLE_PLAIN)
        return complain_usage("leave one of them out",
                              "--style is about text, not CSV or JSON");
    return call_session_run(settings, print_calls);
}
