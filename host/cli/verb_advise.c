/* SPDX-License-Identifier: MIT */
#include "verbs.h"

#include "advise_session.h"
#include "complain.h"
#include "print_advise.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static bool parse_budget(const char *text, double *out)
{
    char *rest = NULL;

    *out = strtod(text, &rest);
    return rest != text && *rest == '\0' && isfinite(*out) && *out > 1;
}

static int print(struct advise_session *session, struct error *error)
{
    const struct settings *settings = session->settings;
    struct output output;
    int status = output_begin(&output, (enum color)settings->color);
    int result;

    if (status != 0)
        return status;
    result = settings->advice == ADVICE_NONE
                     ? print_advise(&output, session)
                     : print_advice_list(&output, session);
    if (result < 0 && output.problem == 0)
        status = complain(
                (error_set(error, result, "", "%s", error_message(result)),
                 error));
    else if (settings->strict && capture_is_incomplete(session->capture))
        status = STATUS_INCOMPLETE;
    return output_end(&output, status);
}

/* The list goes beside the ELF, which says that it was made from it. */
static int apply(const struct advise_session *session)
{
    const struct settings *settings = session->settings;
    char elf[PATH_MAX], list[PATH_MAX];
    char *arguments[] = {elf};
    struct settings selecting = {.arguments = arguments,
                                 .argument_count = 1,
                                 .output = settings->apply,
                                 .from = list,
                                 .force = settings->force,
                                 .color = settings->color};
    FILE *stream = NULL;
    bool is_written = false;

    (void)snprintf(elf, sizeof elf, "%s", session->module->path);
    if (snprintf(list, sizeof list, "%s.list", settings->apply)
        < (int)sizeof list)
        stream = fopen(list, "w");
    if (stream != NULL) {
        print_advice_select(stream, session);
        is_written = ferror(stream) == 0;
        is_written = fclose(stream) == 0 && is_written;
    }
    if (is_written)
        return verb_select(&selecting);
    (void)complain_usage("choose another place for the ELF",
                         "%s cannot be written", list);
    return STATUS_FAILED;
}

int verb_advise(const struct settings *settings)
{
    struct advise_session session;
    struct error error;
    double budget = 0;
    int status;

    if (settings->budget != NULL && !parse_budget(settings->budget, &budget))
        return complain_usage("give the slowdown that is allowed: 1.2 is a "
                              "fifth more time than without hooks",
                              "--budget cannot be '%s'", settings->budget);
    if (settings->advice != ADVICE_NONE && settings->format != FORMAT_TABLE)
        return complain_usage("leave one of them out",
                              "--for is text of its own, not CSV or JSON");
    if (settings->apply != NULL
        && (settings->advice != ADVICE_NONE
            || settings->format != FORMAT_TABLE))
        return complain_usage("call it once for each",
                              "--apply tells what it did on standard output");
    if (advise_session_open(&session, settings, budget, &error) < 0) {
        status = complain(&error);
    } else {
        status = print(&session, &error);
        if (settings->apply != NULL
            && (status == 0 || status == STATUS_INCOMPLETE)) {
            int applied = apply(&session);

            status = applied != 0 ? applied : status;
        }
        find_elf_warn(&session.elf);
    }
    advise_session_close(&session);
    return status;
}
