/* SPDX-License-Identifier: MIT */
#include "advise_session.h"

#include "check_build.h"
#include "complain.h"
#include "cpu_arch.h"
#include "elf_select.h"
#include "load.h"
#include "verbs.h"

static int load(struct advise_session *session, struct error *error)
{
    const struct settings *settings = session->settings;
    int result;

    session->capture = capture_new();
    session->timeline = timeline_new();
    session->tree = call_tree_new();
    if (session->capture == NULL || session->timeline == NULL
        || session->tree == NULL)
        return MCUPROF_E_NOMEM;
    session->follower = timeline_handler(session->timeline);
    capture_follow(session->capture, &session->follower);
    result = load_into(session->capture, session->name, &settings->elfs, error);
    if (result == 0)
        result = timeline_end(session->timeline);
    if (result == 0)
        result = check_one_build(session->capture, session->name,
                                 settings->force, error);
    return result;
}

/* A trace says most, samples say least. */
static int measure(struct advise_session *session, struct error *error)
{
    const struct capture *capture = session->capture;
    uint32_t bias = session->module->bias;

    if (timeline_has_records(session->timeline)) {
        int result = timeline_replay(session->timeline, call_tree_event,
                                     session->tree, &session->result);

        return result < 0
                       ? result
                       : advise_measure_trace(&session->measure, session->tree,
                                              &session->result, bias);
    }
    if (capture->functions.complete > 0)
        return advise_measure_table(&session->measure, capture, bias);
    if (profile_count(capture->profile) > 0)
        return advise_measure_samples(&session->measure, capture, bias);
    return error_set(error, MCUPROF_E_NO_DATA,
                     "build it with MCUPROF_TRACE=1 or MCUPROF_FUNCTIONS=1 and "
                     "-finstrument-functions, and start that engine",
                     "%s has no calls, function table or samples",
                     session->name);
}

/* A list begins from the whole: what was dropped before would come back. */
static int find_before(struct advise_session *session, struct error *error)
{
    const struct settings *settings = session->settings;
    const struct module *module = session->module;
    struct select_record record;
    int result = elf_select_read(module->image, &record);

    session->is_selected = record.state != SELECT_NONE;
    select_record_deinit(&record);
    if (result < 0 || !session->is_selected
        || (settings->advice != ADVICE_SELECT && settings->apply == NULL))
        return result;
    return advise_before_open(&session->before, module->path, module->image,
                              error);
}

static int find_hooks(struct advise_session *session, struct error *error)
{
    const struct modules *modules = session->elf.modules;

    for (size_t i = 0; i < modules_count(modules); i++) {
        int result;

        session->module = modules_get(modules, i);
        result = code_map_new(&session->code, session->module->image);
        if (result == 0)
            result = hook_sites_find(&session->sites, session->code,
                                     session->module->lines);
        if (result < 0)
            return result;
        if (session->sites->count > 0)
            break;
        hook_sites_free(session->sites);
        code_map_free(session->code);
        session->sites = NULL;
        session->code = NULL;
    }
    if (session->sites == NULL)
        return error_set(error, MCUPROF_E_NOT_FOUND,
                         "compile the firmware with -finstrument-functions",
                         "%s has no calls of hooks", session->elf.path);
    if (!lines_exist(session->module->lines))
        return error_set(error, MCUPROF_E_NOT_FOUND,
                         "compile with -g, and do not strip",
                         "%s has no debug info, which tells what was inlined",
                         session->module->path);
    return find_before(session, error);
}

static int refuse_budget(const struct advise_session *session,
                         struct error *error)
{
    const struct advise_input *input = &session->measure.input;

    if (input->is_sampled)
        return error_set(error, MCUPROF_E_USAGE,
                         "record calls: MCUPROF_FUNCTIONS=1 or MCUPROF_TRACE=1",
                         "samples count no calls, so nothing can be predicted "
                         "for a budget");
    if (input->pair <= 0)
        return error_set(error, MCUPROF_E_USAGE,
                         "record without `raw`, with a clock fast enough to "
                         "measure a pair of hooks",
                         "what a pair of hooks costs is not in %s",
                         session->name);
    if (session->advise->unsure > 0)
        return error_set(error, MCUPROF_E_USAGE,
                         "call mcuprof_poll() from a function without hooks, "
                         "or when recording is over",
                         "%s calls it, or the like: how much of its time is "
                         "the profiler's own is not known",
                         session->advise->sender);
    return error_set(error, MCUPROF_E_USAGE,
                     "record with the pair measured anew: start the engine "
                     "when the clocks have their rates",
                     "hooks cost more than the whole time of %s",
                     session->name);
}

static int work_out(struct advise_session *session, struct error *error)
{
    int result = measure(session, error);

    if (result < 0)
        return result;
    /* Those that select puts there, whatever core the build ran on. */
    session->measure.input.nops =
            cpu_arch_has_thumb2(session->module->image) ? 2 : 4;
    result = hook_pairs_find(&session->pairs, session->code, session->sites);
    if (result < 0)
        return result;
    result = advise_new(&session->advise, &session->measure.input,
                        session->pairs, session->code, session->module->lines);
    if (result < 0)
        return result;
    if (session->budget > 0) {
        if (!session->advise->can_predict)
            return refuse_budget(session, error);
        session->is_reached = advise_plan(session->advise, session->budget);
    } else {
        advise_drop_inlined(session->advise);
    }
    return 0;
}

int advise_session_open(struct advise_session *session,
                        const struct settings *settings, double budget,
                        struct error *error)
{
    int result;

    *session = (struct advise_session){.settings = settings,
                                       .name = settings->argument_count > 0
                                                       ? settings->arguments[0]
                                                       : DEFAULT_CAPTURE,
                                       .budget = budget};
    *error = (struct error){.code = 0};
    result = load(session, error);
    if (result == 0)
        result = find_elf(&session->elf, &settings->elfs, session->capture,
                          error);
    if (result == 0)
        result = check_build(session->capture, session->elf.modules,
                             settings->force, error);
    if (result == 0)
        result = find_hooks(session, error);
    if (result == 0)
        result = work_out(session, error);
    if (result < 0 && error->code == 0)
        return error_set(error, result, "", "%s", error_message(result));
    return result;
}

void advise_session_close(struct advise_session *session)
{
    advise_free(session->advise);
    advise_before_close(&session->before);
    advise_measure_deinit(&session->measure);
    hook_pairs_free(session->pairs);
    hook_sites_free(session->sites);
    code_map_free(session->code);
    timeline_result_deinit(&session->result);
    call_tree_free(session->tree);
    modules_free(session->elf.modules);
    timeline_free(session->timeline);
    capture_free(session->capture);
}

const char *advise_session_source(const struct advise_session *session)
{
    static const char *const names[] = {
            [ADVISE_TRACE] = "the call ring",
            [ADVISE_TABLE] = "the function table",
            [ADVISE_SAMPLES] = "samples",
    };

    return names[session->measure.source];
}
