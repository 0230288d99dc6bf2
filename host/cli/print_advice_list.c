/* SPDX-License-Identifier: MIT */
#include "print_advise.h"

#include "complain.h"

#include <stdlib.h>
#include <string.h>

enum {
    RANGES_MAX = 4 /* MCUPROF_TRACE_FILTERS, and those of the table */
};

static bool is_copied(const struct advise_function *function)
{
    return function->drops_inlined && !function->drops_own;
}

static size_t count_copied(const struct advise *advise)
{
    size_t count = 0;

    for (size_t i = 0; i < advise->count; i++)
        count += is_copied(&advise->functions[i]);
    return count;
}

static void print_head(FILE *stream, const struct advise_session *session)
{
    (void)fputs(ADVICE_LIST_HEAD, stream);
    if (session->budget > 0)
        (void)fprintf(stream, " --budget %g", session->budget);
    (void)fputc('\n', stream);
    print_advise_outcome(stream, "# ", session);
}

static bool has_function(const struct advise *advise, const char *name)
{
    for (size_t i = 0; i < advise->count; i++)
        if (strcmp(advise->functions[i].name, name) == 0)
            return true;
    return false;
}

static void print_line(FILE *stream, const char *name, bool drops_own,
                       bool drops_inlined, bool has_copies)
{
    if (drops_own)
        (void)fprintf(stream, "drop %s\n", name);
    else if (drops_inlined || has_copies)
        (void)fprintf(stream, "%s %s\n",
                      drops_inlined ? "drop-inlined" : "keep", name);
}

/* What is out already, and of which nothing is left to advise on. */
static void print_gone(FILE *stream, const struct advise_session *session)
{
    const struct advise_before *before = &session->before;

    for (size_t i = 0;
         before->sites != NULL && i < before->sites->subject_count; i++) {
        const char *name = before->sites->subjects[i].name;

        if (!has_function(session->advise, name))
            print_line(stream, name, before->drops_own[i],
                       before->drops_inlined[i], false);
    }
}

void print_advice_select(FILE *stream, const struct advise_session *session)
{
    const struct advise *advise = session->advise;
    const struct advise_before *before = &session->before;

    print_head(stream, session);
    if (before->sites != NULL)
        (void)fputs("# and what the ELF has lost already\n", stream);
    for (size_t i = 0; i < advise->count; i++) {
        const struct advise_function *function = &advise->functions[i];
        size_t was = advise_before_find(before, function->name);
        bool is_known = was != SIZE_MAX;

        print_line(stream, function->name,
                   function->drops_own || (is_known && before->drops_own[was]),
                   function->drops_inlined
                           || (is_known && before->drops_inlined[was]),
                   function->copies > 0);
    }
    print_gone(stream, session);
}

/* gcc looks for NAME in names of functions, in their middle as well. */
static const char *find_other(const struct advise_session *session,
                              const char *name, char other[DEMANGLE_MAX])
{
    const struct advise *advise = session->advise;

    for (size_t i = 0; i < advise->count; i++) {
        if (advise->functions[i].drops_own)
            continue;
        demangle(DEMANGLE_SIMPLE, advise->functions[i].name, other);
        if (strstr(other, name) != NULL)
            return other;
    }
    return NULL;
}

/* An empty list is one that says so; standard output is for compilers. */
static void say_nothing(const struct advise_session *session)
{
    const struct advise *advise = session->advise;

    for (size_t i = 0; i < advise->count; i++)
        if (advise->functions[i].drops_own
            || advise->functions[i].drops_inlined)
            return;
    (void)fprintf(stderr, "mcuprof: nothing to leave out: %s\n",
                  session->budget > 0
                          ? "the budget is kept with all hooks"
                          : "no bodies were inlined; --budget says what else");
}

static void print_gcc(FILE *stream, const struct advise_session *session)
{
    const struct advise *advise = session->advise;
    const char *before = "-finstrument-functions-exclude-function-list=";
    size_t copied = count_copied(advise);
    char name[DEMANGLE_MAX], other[DEMANGLE_MAX];
    bool is_any = false;

    for (size_t i = 0; i < advise->count; i++) {
        if (!advise->functions[i].drops_own
            || advise->functions[i].name[0] == '\0')
            continue;
        demangle(DEMANGLE_SIMPLE, advise->functions[i].name, name);
        if (find_other(session, name, other) != NULL) {
            warn("give it __attribute__((no_instrument_function))",
                 "%s is left out: gcc would leave %s without hooks as well",
                 name, other);
            continue;
        }
        (void)fputs(before, stream);
        for (const char *at = name; *at != '\0'; at++)
            (void)fprintf(stream, *at == ',' ? "\\%c" : "%c", *at);
        before = ",";
        is_any = true;
    }
    if (is_any)
        (void)fputc('\n', stream);
    say_nothing(session);
    if (copied > 0)
        warn("drop them after linking: --for select, or --apply",
             "gcc has no flag for hooks of inlined copies alone, which "
             "functions keep here: %zu",
             copied);
}

static void print_clang(FILE *stream, const struct advise_session *session)
{
    const struct advise *advise = session->advise;
    char name[DEMANGLE_MAX];

    if (count_copied(advise) > 0)
        (void)fputs("-finstrument-functions-after-inlining\n", stream);
    for (size_t i = 0; i < advise->count; i++) {
        const struct advise_function *function = &advise->functions[i];
        const struct lines_frame *frame =
                session->sites->subjects[function->subject].frame;

        if (!function->drops_own)
            continue;
        print_advise_name(session, function, name);
        if (frame != NULL && frame->declared_line > 0)
            (void)fprintf(stream, "%s:%u: ", frame->declared_file,
                          frame->declared_line);
        (void)fprintf(stream, "%s: __attribute__((no_instrument_function))\n",
                      name);
    }
    say_nothing(session);
}

/* Kept functions with nothing dropped between them. */
struct range {
    uint32_t begin;
    uint32_t end;
    uint64_t between; /* calls of what is dropped before it */
};

static int compare_starts(const void *left, const void *right)
{
    const struct range *a = left, *b = right;

    return (a->begin > b->begin) - (a->begin < b->begin);
}

/* Neighbours between which nothing is dropped become one. */
static size_t join(struct range *ranges, size_t count, size_t at)
{
    ranges[at - 1].end = ranges[at].end;
    memmove(&ranges[at], &ranges[at + 1], (count - at - 1) * sizeof *ranges);
    return count - 1;
}

/* Ranges of what was called and is kept; of dropped ones BETWEEN is not 0. */
static size_t find_ranges(const struct advise_session *session,
                          struct range *ranges)
{
    const struct advise *advise = session->advise;
    size_t count = 0, kept = 0;
    uint64_t between = 0;

    for (size_t i = 0; i < advise->count; i++) {
        const struct advise_function *function = &advise->functions[i];
        size_t code = session->sites->subjects[function->subject].function;
        uint64_t calls = function->own + function->inlined + function->either;

        if (code == CODE_NONE || calls == 0)
            continue;
        ranges[count].begin = session->code->functions[code].start;
        ranges[count].end =
                ranges[count].begin + session->code->functions[code].size;
        ranges[count++].between = function->drops_own ? calls : 0;
    }
    qsort(ranges, count, sizeof *ranges, compare_starts);
    for (size_t i = 0; i < count; i++) {
        if (ranges[i].between > 0) {
            between += ranges[i].between;
        } else if (kept > 0 && between == 0) {
            ranges[kept - 1].end = ranges[i].end;
        } else {
            ranges[kept] = ranges[i];
            ranges[kept++].between = between;
            between = 0;
        }
    }
    return kept;
}

static int print_filter(FILE *stream, const struct advise_session *session)
{
    struct range *ranges =
            malloc((session->advise->count + 1) * sizeof *ranges);
    const char *call = session->measure.source == ADVISE_TABLE
                               ? "mcuprof_functions_only"
                               : "mcuprof_trace_only";
    uint64_t more = 0;
    size_t count;

    if (ranges == NULL)
        return MCUPROF_E_NOMEM;
    count = find_ranges(session, ranges);
    while (count > RANGES_MAX) {
        size_t least = 1;

        for (size_t i = 2; i < count; i++)
            if (ranges[i].between < ranges[least].between)
                least = i;
        more += ranges[least].between;
        count = join(ranges, count, least);
    }
    (void)fputs("/* Addresses of this very ELF. A filter saves the record of "
                "a call, not the call\n   of its hooks: nothing is predicted. "
                "*/\n",
                stream);
    for (size_t i = 0; i < count; i++)
        (void)fprintf(stream, "%s(0x%08xu, 0x%08xu);\n", call,
                      ranges[i].begin + session->module->bias,
                      ranges[i].end + session->module->bias);
    if (count == 0)
        warn("record calls: MCUPROF_FUNCTIONS=1 or MCUPROF_TRACE=1",
             "no ranges: %s",
             session->measure.input.is_sampled
                     ? "samples do not say what was called"
                     : "of what was called all is to be dropped");
    if (more > 0)
        warn("drop them after linking: --for select",
             "four ranges are the most, so that calls are recorded that "
             "should be dropped: %llu",
             (unsigned long long)more);
    free(ranges);
    return 0;
}

int print_advice_list(struct output *output,
                      const struct advise_session *session)
{
    switch (session->settings->advice) {
    case ADVICE_SELECT:
        print_advice_select(output->stream, session);
        return 0;
    case ADVICE_GCC:
        print_gcc(output->stream, session);
        return 0;
    case ADVICE_CLANG:
        print_clang(output->stream, session);
        return 0;
    default:
        return print_filter(output->stream, session);
    }
}
