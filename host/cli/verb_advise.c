/* SPDX-License-Identifier: MIT */
#include "verbs.h"

#include "advise_session.h"
#include "complain.h"
#include "file_replace.h"
#include "places.h"
#include "print_advise.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define RAM "ram:"

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

/* A list of `advise` may be replaced by one, anything else not. */
static bool is_list(const char *path)
{
    static const char head[] = ADVICE_LIST_HEAD;
    char begin[sizeof head - 1];
    FILE *stream = fopen(path, "rb");
    bool is_one;

    if (stream == NULL)
        return false;
    is_one = fread(begin, 1, sizeof begin, stream) == sizeof begin
             && memcmp(begin, head, sizeof begin) == 0;
    (void)fclose(stream);
    return is_one;
}

/* The file of SPEC, a source, if it is one. */
static const char *file_of(const char *spec, char path[PATH_MAX])
{
    char *at;

    if (strncmp(spec, RAM, strlen(RAM)) != 0)
        return spec;
    (void)snprintf(path, PATH_MAX, "%s", spec + strlen(RAM));
    at = strrchr(path, '@');
    if (at != NULL)
        *at = '\0';
    return path;
}

/* Where --apply writes, the list into LIST; 0 or a status. */
static int check_apply(const struct advise_session *session,
                       char list[PATH_MAX])
{
    const char *out = session->settings->apply;
    const struct modules *modules = session->elf.modules;
    char path[PATH_MAX];
    struct named_file places[] = {
            {file_of(session->name, path), "the recording", false},
            {NULL, "an ELF that is read", false},
            {out, "--apply", true},
            {list, "the list beside it", true}};
    int status = 0;

    if (snprintf(list, PATH_MAX, "%s.list", out) >= PATH_MAX)
        return complain_usage("choose another place for the ELF",
                              "%s is too long", out);
    for (size_t i = 0; i < modules_count(modules) && status == 0; i++) {
        places[1].path = modules_get(modules, i)->path;
        status = places_check(places, sizeof places / sizeof places[0],
                              "write to another file");
    }
    if (status == 0 && access(list, F_OK) == 0 && !is_list(list))
        return complain_usage("move it away, or write the ELF to another "
                              "place",
                              "%s would be overwritten, and is no list of "
                              "`advise`",
                              list);
    return status;
}

static int write_list(const struct advise_session *session, const char *list)
{
    struct error error;
    char *text = NULL;
    size_t size = 0;
    FILE *stream = open_memstream(&text, &size);
    bool is_made = stream != NULL;
    int result;

    if (stream != NULL) {
        print_advice_select(stream, session);
        is_made = ferror(stream) == 0;
        is_made = fclose(stream) == 0 && is_made;
    }
    result = is_made ? file_replace(list, (const uint8_t *)text, size, NULL,
                                    &error)
                     : error_set(&error, MCUPROF_E_NOMEM, "",
                                 "out of memory for %s", list);
    free(text);
    return result < 0 ? complain(&error) : STATUS_FINE;
}

/* The list goes beside the ELF, which says that it was made from it. */
static int apply(const struct advise_session *session, char *list)
{
    const struct settings *settings = session->settings;
    char elf[PATH_MAX];
    char *arguments[] = {elf};
    struct settings selecting = {.arguments = arguments,
                                 .argument_count = 1,
                                 .output = settings->apply,
                                 .from = list,
                                 .force = settings->force,
                                 .color = settings->color};
    int status = write_list(session, list);

    (void)snprintf(elf, sizeof elf, "%s", session->module->path);
    return status == 0 ? verb_select(&selecting) : status;
}

/* Print the advice, and do it if that is wanted. */
static int give(struct advise_session *session, struct error *error)
{
    bool applies = session->settings->apply != NULL;
    char list[PATH_MAX];
    int status = applies ? check_apply(session, list) : 0;

    if (status != 0)
        return status;
    status = print(session, error);
    if (applies && (status == 0 || status == STATUS_INCOMPLETE)) {
        int applied = apply(session, list);

        status = applied != 0 ? applied : status;
    }
    return status;
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
        status = give(&session, &error);
        find_elf_warn(&session.elf);
    }
    advise_session_close(&session);
    return status;
}
