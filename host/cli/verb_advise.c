/* SPDX-License-Identifier: MIT */
#include "verbs.h"

#include "advise_session.h"
#include "complain.h"
#include "print_advise.h"

#include <math.h>
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
    if (advise_session_open(&session, settings, budget, &error) < 0) {
        status = complain(&error);
    } else {
        status = print(&session, &error);
        find_elf_warn(&session.elf);
    }
    advise_session_close(&session);
    return status;
}
