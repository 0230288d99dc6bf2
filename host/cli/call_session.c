/* SPDX-License-Identifier: MIT */
#include "call_session.h"

#include "call_quality.h"
#include "check_build.h"
#include "complain.h"
#include "json_text.h"
#include "load.h"
#include "print_quality.h"
#include "verbs.h"

#include <fnmatch.h>
#include <string.h>

#define SCHEMA_VERSION 1

static int check_calls(const struct call_session *session, struct error *error)
{
    if (timeline_has_records(session->timeline))
        return 0;
    if (!capture_has_trace(session->capture))
        return error_set(error, MCUPROF_E_NO_DATA,
                         "build the firmware with MCUPROF_TRACE=1 and "
                         "-finstrument-functions",
                         "%s has no call ring", session->name);
    return error_set(error, MCUPROF_E_NO_DATA,
                     "call mcuprof_trace_start(); a ring that is not sent is "
                     "read from memory, see `mcuprof help calls`",
                     "no call came into %s", session->name);
}

static bool has_names(const struct module *module)
{
    return image_check_symbols(module->image, NULL) == 0
           || lines_exist(module->lines);
}

static void warn_of_names(const struct call_session *session)
{
    for (size_t i = 0; i < modules_count(session->elf.modules); i++)
        if (has_names(modules_get(session->elf.modules, i)))
            return;
    warn("only addresses can be shown", "%s has no symbols", session->elf.path);
}

static int load(struct call_session *session, struct error *error)
{
    const struct settings *settings = session->settings;
    int result;

    session->capture = capture_new();
    session->timeline = timeline_new();
    if (session->capture == NULL || session->timeline == NULL)
        return error_set(error, MCUPROF_E_NOMEM, "", "out of memory");
    session->follower = timeline_handler(session->timeline);
    capture_follow(session->capture, &session->follower);
    result = load_into(session->capture, session->name, &settings->elfs, error);
    if (result < 0)
        return result;
    result = timeline_end(session->timeline);
    return result < 0 ? error_set(error, result,
                                  "free some space for temporary files",
                                  "cannot keep the calls of %s: %s",
                                  session->name, error_message(result))
                      : 0;
}

static int open_session(struct call_session *session, struct error *error)
{
    const struct settings *settings = session->settings;
    int result = load(session, error);

    if (result == 0)
        result = check_one_build(session->capture, session->name,
                                 settings->force, error);
    if (result == 0)
        result = check_calls(session, error);
    if (result == 0)
        result = find_elf(&session->elf, &settings->elfs, session->capture,
                          error);
    if (result == 0)
        result = check_build(session->capture, session->elf.modules,
                             settings->force, error);
    if (result < 0)
        return result;
    warn_of_names(session);
    session->names = call_names_new(session->capture, session->elf.modules,
                                    (enum demangle)settings->demangle);
    result = session->names == NULL ? MCUPROF_E_NOMEM
                                    : call_session_replay(session, NULL, NULL);
    return result < 0
                   ? error_set(error, result, "", "%s", error_message(result))
                   : 0;
}

static void close_session(struct call_session *session)
{
    timeline_result_deinit(&session->result);
    call_names_free(session->names);
    modules_free(session->elf.modules);
    timeline_free(session->timeline);
    capture_free(session->capture);
}

int call_session_replay(struct call_session *session, timeline_sink sink,
                        void *context)
{
    int result;

    timeline_result_deinit(&session->result);
    result =
            timeline_replay(session->timeline, sink, context, &session->result);
    session->boots = session->result.counts.boots;
    session->in_us = session->result.clock_hz > 0
                     && session->settings->unit != UNIT_CYCLES;
    return result;
}

int call_session_quality(struct call_session *session, struct quality *quality)
{
    const struct quality_subject subject = {
            .capture = session->capture,
            .modules = session->elf.modules,
            .demangle = (enum demangle)session->settings->demangle,
            .forced = session->settings->force,
            .of_calls = true,
    };
    char frozen[CALL_QUALITY_FROZEN_MAX];
    int result = quality_init(quality, &subject);

    if (result < 0)
        return result;
    call_quality_add(quality, session->capture, &session->result);
    call_quality_frozen(session->capture, session->elf.modules,
                        (enum demangle)session->settings->demangle, frozen,
                        sizeof frozen);
    if (frozen[0] != '\0')
        quality_add_line(quality, QUALITY_FINE, "stopped", frozen);
    return 0;
}

bool call_session_shows(const struct call_session *session, uint16_t context)
{
    const struct words *wanted = &session->settings->contexts;

    for (size_t i = 0; i < wanted->count; i++)
        if (call_names_is_context(session->names, context, wanted->items[i]))
            return true;
    return wanted->count == 0;
}

json_t *call_session_json(const struct call_session *session,
                          const char *schema, const struct quality *quality)
{
    return json_pack(
            "{s:s, s:i, s:o, s:o, s:o}", "schema", schema, "schema_version",
            SCHEMA_VERSION, "capture", json_text(session->name), "elf",
            json_text(session->elf.path), "quality", quality_json(quality));
}

struct called {
    const struct call_session *session;
    bool is_there;
};

/* A context that nothing is known of is a mistake in the command. */
static int check_contexts(const struct call_session *session)
{
    const struct words *wanted = &session->settings->contexts;

    for (size_t i = 0; i < wanted->count; i++) {
        bool is_there = false;

        for (size_t k = 0; k < session->result.share_count; k++)
            is_there =
                    is_there
                    || call_names_is_context(session->names,
                                             session->result.shares[k].context,
                                             wanted->items[i]);
        if (!is_there)
            warn("`mcuprof tree` lists them", "no context is called '%s'",
                 wanted->items[i]);
    }
    return 0;
}

/* So is a pattern that fits no function that was called. */
static int on_called(void *context, const struct timeline_event *event)
{
    struct called *called = context;
    const char *name;

    if (event->kind != TIMELINE_ENTER || called->is_there)
        return 0;
    name = call_names_function(called->session->names, event->function);
    called->is_there =
            name != NULL
            && fnmatch(called->session->settings->function, name, 0) == 0;
    return name == NULL ? MCUPROF_E_NOMEM : 0;
}

static int check_function(struct call_session *session)
{
    struct called called = {.session = session};
    int result = 0;

    if (session->settings->function == NULL)
        return 0;
    result = call_session_replay(session, on_called, &called);
    if (result == 0 && !called.is_there)
        warn("`mcuprof tree` lists them; a pattern is one as 'uart_*'",
             "no function that was called fits '%s'",
             session->settings->function);
    return result;
}

static int run(struct call_session *session, call_session_print print)
{
    const struct settings *settings = session->settings;
    struct output output;
    struct error error;
    int status = output_begin(&output, (enum color)settings->color);
    int result;

    if (status != 0)
        return status;
    result = check_contexts(session);
    if (result == 0)
        result = check_function(session);
    if (result == 0)
        result = print(&output, session);
    if (result < 0) {
        (void)error_set(&error, result, "", "%s", error_message(result));
        status = complain(&error);
    } else if (settings->strict
               && (capture_is_incomplete(session->capture)
                   || timeline_is_incomplete(&session->result.counts))) {
        status = STATUS_INCOMPLETE;
    }
    return output_end(&output, status);
}

int call_session_run(const struct settings *settings, call_session_print print)
{
    struct call_session session = {
            .settings = settings,
            .name = settings->argument_count > 0 ? settings->arguments[0]
                                                 : DEFAULT_CAPTURE,
    };
    struct error error;
    int status;

    if (open_session(&session, &error) < 0) {
        status = complain(&error);
    } else {
        status = run(&session, print);
        find_elf_warn(&session.elf);
    }
    close_session(&session);
    return status;
}
