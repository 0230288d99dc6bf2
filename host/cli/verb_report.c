/* SPDX-License-Identifier: MIT */
#include "verbs.h"

#include "capture.h"
#include "check_build.h"
#include "complain.h"
#include "find_elf.h"
#include "follow_calls.h"
#include "json_text.h"
#include "load.h"
#include "output.h"
#include "paths_given.h"
#include "print_functions.h"
#include "print_hotspots.h"
#include "print_quality.h"
#include "print_table.h"
#include "quality.h"
#include "report.h"
#include "symbolize.h"
#include "symbolize_blocks.h"
#include "symbolize_functions.h"
#include "units.h"

#include <string.h>

#define SCHEMA_VERSION 1
#define ROWS_SHOWN 10
#define LINES_SHOWN 30 /* a function's time is in several of them */

/* Everything a report is made from. */
struct session {
    const struct settings *settings;
    const char *name;
    struct capture *capture;
    struct found_elf elf;
    struct path_map paths;
    struct symbols *symbols;
    struct named_blocks *blocks; /* with --hotspots */
    struct named_functions *functions;
    struct follow_calls calls; /* that those count */
};

/* What the tables are about, one below the other. */
struct plan {
    enum report_by tables[CHOICES_MAX + 1];
    size_t count;
};

/* With --hotspots there has to be a view. */
static int check_hotspots(const struct session *session, struct error *error)
{
    const struct capture *capture = session->capture;

    if (!session->settings->hotspots || capture->hotspots.complete > 0)
        return 0;
    if (!capture_has_hotspots(capture))
        return error_set(error, MCUPROF_E_NO_DATA,
                         "build the firmware with MCUPROF_HOTSPOTS=1",
                         "%s has no hot-spot table", session->name);
    if (capture_refused_hotspots(capture))
        return error_set(
                error, MCUPROF_E_NO_DATA,
                "look for what else writes into the firmware's RAM: "
                "a stack that is too small, DMA",
                "a hot-spot table came into %s, but it is not credible",
                session->name);
    return error_set(error, MCUPROF_E_NO_DATA,
                     "record for longer: the firmware sends it every second, "
                     "and at mcuprof_stop()",
                     "no hot-spot table came whole into %s", session->name);
}

/* With --functions there has to be a snapshot. */
static int check_functions(const struct session *session, struct error *error)
{
    const struct capture *capture = session->capture;

    if (!session->settings->functions || capture->functions.complete > 0)
        return 0;
    if (!capture_has_functions(capture))
        return error_set(error, MCUPROF_E_NO_DATA,
                         "build the firmware with MCUPROF_FUNCTIONS=1, and "
                         "call mcuprof_functions_start()",
                         "%s has no function table", session->name);
    if (capture->functions.refused + capture->decoder.stats.bad_functions > 0)
        return error_set(
                error, MCUPROF_E_NO_DATA,
                "look for what else writes into the firmware's RAM: "
                "a stack that is too small, DMA",
                "a function table came into %s, but it is not credible",
                session->name);
    if (capture_misses_functions(capture))
        return error_set(
                error, MCUPROF_E_NO_DATA,
                "call mcuprof_functions_start(), and record for longer than a "
                "second from there on: then its first snapshot comes",
                "%s has nothing of the firmware's function table",
                session->name);
    return error_set(error, MCUPROF_E_NO_DATA,
                     "record for longer: the firmware sends it every second, "
                     "and at mcuprof_functions_stop()",
                     "no function table came whole into %s", session->name);
}

/* The tables asked for: functions, if nothing was said. */
static size_t table_count(const struct settings *settings)
{
    return settings->by.count > 0 ? settings->by.count : 1;
}

static enum report_by table_by(const struct settings *settings, size_t i)
{
    if (settings->hotspots)
        return REPORT_BY_HOTSPOTS;
    return settings->by.count > 0 ? (enum report_by)settings->by.items[i]
                                  : REPORT_BY_FUNCTION;
}

static bool asks_for(const struct settings *settings, enum report_by by)
{
    for (size_t i = 0; i < table_count(settings); i++)
        if (table_by(settings, i) == by)
            return true;
    return false;
}

/* The function table is about functions, or functions in their contexts. */
static bool shows_calls(const struct session *session)
{
    const struct settings *settings = session->settings;

    return session->capture->functions.complete > 0 && !settings->hotspots
           && (settings->functions || asks_for(settings, REPORT_BY_FUNCTION)
               || asks_for(settings, REPORT_BY_CONTEXT));
}

/* Where nothing was sampled the function table says it all. */
static bool shows_samples(const struct session *session)
{
    return !session->settings->functions
           && (session->capture->sampled || session->settings->hotspots
               || !shows_calls(session));
}

static struct plan make_plan(const struct session *session)
{
    const struct settings *settings = session->settings;
    struct plan plan = {.count = 0};

    if (shows_samples(session))
        for (size_t i = 0; i < table_count(settings); i++)
            plan.tables[plan.count++] = table_by(settings, i);
    if (shows_calls(session))
        plan.tables[plan.count++] = REPORT_BY_CALLS;
    /* CSV and JSON hold one table. */
    if (settings->format != FORMAT_TABLE)
        plan.count = 1;
    return plan;
}

/* True if any module has what CHECK asks for. */
static bool any_module(const struct session *session,
                       bool (*check)(const struct module *))
{
    for (size_t i = 0; i < modules_count(session->elf.modules); i++)
        if (check(modules_get(session->elf.modules, i)))
            return true;
    return false;
}

static bool has_symbols(const struct module *module)
{
    return image_check_symbols(module->image, NULL) == 0;
}

static bool has_lines(const struct module *module)
{
    return lines_exist(module->lines);
}

/* Names may be missing because a separate debug file is. */
static bool explain(const struct session *session, struct error *error)
{
    for (size_t i = 0; i < modules_count(session->elf.modules); i++)
        if (image_problem(modules_get(session->elf.modules, i)->image, error))
            return true;
    return false;
}

/* Addresses and contexts make sense without names; functions do not. Debug
   info has names as well. */
static int check_names(const struct session *session, struct error *error)
{
    bool lines = any_module(session, has_lines);
    const struct settings *settings = session->settings;

    if (!lines
        && (asks_for(settings, REPORT_BY_LINE)
            || asks_for(settings, REPORT_BY_FILE)
            || (settings->inlined && asks_for(settings, REPORT_BY_FUNCTION))))
        return explain(session, error)
                       ? error->code
                       : error_set(error, MCUPROF_E_NOT_FOUND,
                                   "compile with -g, and do not strip",
                                   "%s has no debug info, which --by line, "
                                   "--by file "
                                   "and --inline need",
                                   session->elf.path);
    if (lines || any_module(session, has_symbols))
        return 0;
    if (asks_for(settings, REPORT_BY_FUNCTION))
        return explain(session, error)
                       ? error->code
                       : image_check_symbols(
                               modules_get(session->elf.modules, 0)->image,
                               error);
    warn("only addresses can be shown, and idle is not told apart",
         "%s has no symbols", session->elf.path);
    return 0;
}

static int name_all(struct session *session, struct error *error)
{
    const struct symbolize_options options = {
            .demangle = (enum demangle)session->settings->demangle,
            .paths = &session->paths,
    };
    int result = symbolize(&session->symbols, session->capture,
                           session->elf.modules, &options);

    if (result == 0 && session->settings->hotspots)
        result = symbolize_blocks(&session->blocks,
                                  &session->capture->hotspots.last,
                                  session->elf.modules, &options);
    if (result == 0 && shows_calls(session))
        result = symbolize_functions(&session->functions, session->capture,
                                     session->elf.modules, session->calls.times,
                                     &options);
    return result == 0
                   ? 0
                   : error_set(error, result, "", "%s", error_message(result));
}

static int load(struct session *session, struct error *error)
{
    int result;

    session->capture = capture_new();
    if (session->capture == NULL
        || follow_calls_init(&session->calls, session->capture) < 0)
        return error_set(error, MCUPROF_E_NOMEM, "", "out of memory");
    result = load_into(session->capture, session->name,
                       &session->settings->elfs, error);
    if (result < 0)
        return result;
    result = follow_calls_end(
            &session->calls,
            (session->capture->functions.whole.flags & MCUPROF_FUNCTIONS_RAW)
                    != 0);
    return result == 0 ? 0
                       : error_set(error, result,
                                   "free some space for temporary files",
                                   "cannot keep the calls of %s: %s",
                                   session->name, error_message(result));
}

static int open_session(struct session *session, struct error *error)
{
    int result = load(session, error);

    if (result == 0)
        result = check_one_build(session->capture, session->name,
                                 session->settings->force, error);
    if (result == 0 && session->settings->clock_hz > 0)
        capture_set_clock(session->capture,
                          (uint32_t)session->settings->clock_hz);
    if (result == 0)
        result = check_hotspots(session, error);
    if (result == 0)
        result = check_functions(session, error);
    if (result == 0)
        result = find_elf(&session->elf, &session->settings->elfs,
                          session->capture, error);
    if (result == 0)
        result = check_build(session->capture, session->elf.modules,
                             session->settings->force, error);
    if (result == 0)
        result = check_names(session, error);
    if (result == 0)
        result = name_all(session, error);
    return result;
}

static void close_session(struct session *session)
{
    symbols_free(session->symbols);
    named_blocks_free(session->blocks);
    named_functions_free(session->functions);
    follow_calls_deinit(&session->calls);
    modules_free(session->elf.modules);
    capture_free(session->capture);
}

/* Which of a function's meanings the table is about. */
static const char *say_meaning(const struct session *session)
{
    if (session->settings->inlined)
        return "innermost inlined functions";
    return session->symbols->has_lines
                   ? "functions as they exist in memory; --inline shows "
                     "inlined ones"
                   : "functions as they exist in memory";
}

static void print_notes(struct output *output, const struct session *session,
                        enum report_by by, const struct report *report)
{
    const struct capture *capture = session->capture;
    char samples[UNITS_MAX];

    if (report->more[0] != '\0')
        (void)fprintf(output->stream, "  %s\n", report->more);
    if (report->directory[0] != '\0')
        (void)fprintf(output->stream, "  paths are below %s\n",
                      report->directory);
    if (by == REPORT_BY_HOTSPOTS) {
        print_hotspots_notes(output->stream, capture);
        return;
    }
    if (by == REPORT_BY_CALLS) {
        print_functions_notes(output->stream, &capture->functions,
                              session->functions, report);
        return;
    }
    if (by == REPORT_BY_FUNCTION)
        (void)fprintf(output->stream, "  %s\n", say_meaning(session));
    if (report->unknown[0] != '\0')
        (void)fprintf(output->stream, "  %s\n", report->unknown);
    if (profile_total(capture->profile) == 0)
        (void)fprintf(output->stream, "  no samples in this capture\n");
    else
        (void)fprintf(output->stream,
                      "  shares in %% of %s samples and missed periods; "
                      "+/- is 95 %% confidence\n",
                      units_count(samples,
                                  profile_total(capture->profile)
                                          + capture_totals(capture)->missed));
}

static void print_as_text(struct output *output, const struct session *session,
                          enum report_by by, const struct report *report)
{
    print_text(output, &report->table);
    (void)fputc('\n', output->stream);
    print_notes(output, session, by, report);
    (void)fputc('\n', output->stream);
}

static json_t *elfs_json(const struct session *session)
{
    json_t *elfs = json_array();

    for (size_t i = 0; i < modules_count(session->elf.modules); i++)
        (void)json_array_append_new(
                elfs, json_text(modules_get(session->elf.modules, i)->path));
    return elfs;
}

static int print_as_json(struct output *output, const struct session *session,
                         enum report_by by, const struct report *report,
                         const struct quality *quality)
{
    static const char *const keys[] = {
            [REPORT_BY_FUNCTION] = "function",
            [REPORT_BY_LINE] = "line",
            [REPORT_BY_FILE] = "file",
            [REPORT_BY_CONTEXT] = "context",
            [REPORT_BY_ADDRESS] = "address",
            [REPORT_BY_HOTSPOTS] = "hotspots",
            [REPORT_BY_CALLS] = "calls",
    };
    json_t *document = json_pack(
            "{s:s, s:i, s:s, s:s, s:o, s:o, s:o, s:o}", "schema",
            "mcuprof-report", "schema_version", SCHEMA_VERSION, "by", keys[by],
            "functions",
            session->settings->inlined && by == REPORT_BY_FUNCTION ? "inlined"
                                                                   : "physical",
            "capture", json_text(session->name), "elf",
            json_text(session->elf.path), "elfs", elfs_json(session), "quality",
            quality_json(quality));

    if (document != NULL && by == REPORT_BY_HOTSPOTS)
        (void)json_object_set_new(document, "hotspots",
                                  print_hotspots_json(session->capture));
    if (document != NULL && by == REPORT_BY_CALLS)
        (void)json_object_set_new(
                document, "function_table",
                print_functions_json(&session->capture->functions));
    return print_json(output, document, &report->table);
}

/* Of the samples beside the table a report of them tells. */
static enum quality_lines quality_lines(const struct session *session)
{
    return session->settings->hotspots ? QUALITY_OF_HOTSPOTS : QUALITY_ALL;
}

static int print_report(struct output *output, const struct session *session,
                        enum report_by by, const struct report *report,
                        const struct quality *quality)
{
    switch (session->settings->format) {
    case FORMAT_CSV:
        print_csv(output, &report->table);
        print_quality(output, stderr, quality, quality_lines(session));
        return 0;
    case FORMAT_JSON:
        return print_as_json(output, session, by, report, quality);
    default:
        print_as_text(output, session, by, report);
        return 0;
    }
}

/* Few rows are for people; a program that reads a table wants it whole. */
static size_t row_limit(const struct settings *settings, enum report_by by)
{
    if (settings->limit != LIMIT_UNSET)
        return (size_t)settings->limit;
    if (settings->format != FORMAT_TABLE)
        return 0;
    if (by == REPORT_BY_HOTSPOTS)
        return 0;
    return by == REPORT_BY_LINE ? LINES_SHOWN : ROWS_SHOWN;
}

/* A program wants the same unit each time. */
static enum report_unit unit_of(const struct settings *settings,
                                uint32_t clock_hz)
{
    if (settings->report_unit != REPORT_UNIT_AUTO
        || settings->format == FORMAT_TABLE)
        return (enum report_unit)settings->report_unit;
    return clock_hz > 0 ? REPORT_UNIT_US : REPORT_UNIT_CYCLES;
}

static void print_title(struct output *output, const struct plan *plan,
                        size_t number)
{
    bool is_first = number == 0;
    bool is_calls = plan->tables[number] == REPORT_BY_CALLS;

    /* All of one kind need no title. */
    if (plan->count > 0 && plan->tables[plan->count - 1] == REPORT_BY_CALLS
        && plan->count > 1 && (is_first || is_calls))
        (void)fprintf(output->stream, "%s%s%s\n", output_bold(output),
                      is_calls ? "function table" : "samples",
                      output_plain(output));
}

static int make_report(struct output *output, const struct session *session,
                       enum report_by by, const struct quality *quality)
{
    const struct settings *settings = session->settings;
    const uint32_t clock_hz = session->capture->hello.clock_hz;
    const struct report_options options = {
            .by = by,
            .sort = (enum report_sort)settings->sort,
            .limit = row_limit(settings, by),
            .clones = settings->clones,
            .inlined = settings->inlined,
            .contexts = asks_for(settings, REPORT_BY_CONTEXT),
            .unit = unit_of(settings, clock_hz),
            .clock_hz = clock_hz,
    };
    const struct report_model samples = {
            .profile = session->capture->profile,
            .symbols = session->symbols,
            .missed = capture_totals(session->capture)->missed,
    };
    const struct report_model blocks = {.blocks = session->blocks};
    const struct report_model calls = {.functions = session->functions};
    struct report report;
    int result = report_init(&report, &options,
                             by == REPORT_BY_HOTSPOTS ? &blocks
                             : by == REPORT_BY_CALLS  ? &calls
                                                      : &samples);

    if (result < 0)
        return result;
    result = print_report(output, session, by, &report, quality);
    report_deinit(&report);
    return result;
}

/* The tables one below the other, and under them what they are worth. */
static int make_reports(struct output *output, const struct session *session)
{
    const struct settings *settings = session->settings;
    const struct quality_subject subject = {
            .capture = session->capture,
            .modules = session->elf.modules,
            .symbols = session->symbols,
            .demangle = (enum demangle)settings->demangle,
            .forced = settings->force,
            .of_table = shows_calls(session) && !shows_samples(session),
    };
    struct plan plan = make_plan(session);
    struct quality quality;
    int result = quality_init(&quality, &subject);

    if (result < 0)
        return result;
    for (size_t i = 0; result == 0 && i < plan.count; i++) {
        print_title(output, &plan, i);
        result = make_report(output, session, plan.tables[i], &quality);
    }
    if (result == 0 && settings->format == FORMAT_TABLE)
        print_quality(output, output->stream, &quality, quality_lines(session));
    quality_deinit(&quality);
    return result;
}

static int run_report(const struct session *session, struct error *error)
{
    struct output output;
    int status = output_begin(&output, (enum color)session->settings->color);
    int result;

    if (status != 0)
        return status;
    result = make_reports(&output, session);
    if (result < 0)
        status = complain(
                (error_set(error, result, "", "%s", error_message(result)),
                 error));
    else if (session->settings->strict
             && capture_is_incomplete(session->capture))
        status = STATUS_INCOMPLETE;
    return output_end(&output, status);
}

/* Options that look closer at functions say nothing about other tables. */
static void warn_of_idle_options(const struct settings *settings)
{
    const char *option = settings->inlined  ? "--inline"
                         : settings->clones ? "--clones"
                                            : NULL;

    if (option != NULL && !asks_for(settings, REPORT_BY_FUNCTION))
        warn("leave it out, or add --by function",
             "%s changes nothing but tables by function", option);
}

int verb_report(const struct settings *settings)
{
    struct session session = {
            .settings = settings,
            .name = settings->argument_count > 0 ? settings->arguments[0]
                                                 : DEFAULT_CAPTURE,
    };
    struct error error;
    int status = paths_given(&session.paths, settings);

    if (status != 0)
        return status;
    if (settings->by.count > 1 && settings->format != FORMAT_TABLE)
        return complain_usage("call it once for each",
                              "csv and json hold one table");
    if (settings->by.count > 0 && settings->hotspots)
        return complain_usage("call it once for each",
                              "--hotspots is a table of its own, without --by");
    if (settings->functions && settings->hotspots)
        return complain_usage("call it once for each",
                              "--functions and --hotspots are two tables");
    if (settings->functions
        && (asks_for(settings, REPORT_BY_LINE)
            || asks_for(settings, REPORT_BY_FILE)
            || asks_for(settings, REPORT_BY_ADDRESS)))
        return complain_usage("--by function or --by context",
                              "the function table is by function");
    if (settings->clock_hz > UINT32_MAX)
        return complain_usage("give it in Hz, below 4294967296",
                              "no clock is that fast");
    warn_of_idle_options(settings);
    if (open_session(&session, &error) < 0)
        status = complain(&error);
    else {
        status = run_report(&session, &error);
        find_elf_warn(&session.elf);
    }
    close_session(&session);
    return status;
}
