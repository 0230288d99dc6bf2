/* SPDX-License-Identifier: MIT */
#include "advise_parts.h"

#include <stdlib.h>
#include <string.h>

struct search {
    const struct advise_links *links;
    struct lines *lines;
    bool *is_sending; /* by subject */
    bool *leads;      /* by function without hooks: to what sends */
    bool is_first;    /* look for inlined copies, once */
};

/* What sends, or writes all it has; and clones and parts of it. */
static bool is_sender(const char *name)
{
    static const char *const senders[] = {"mcuprof_poll",
                                          "mcuprof_functions_print"};

    for (size_t i = 0; i < sizeof senders / sizeof senders[0]; i++) {
        size_t size = strlen(senders[i]);

        if (strncmp(name, senders[i], size) == 0
            && (name[size] == '\0' || name[size] == '.'))
            return true;
    }
    return false;
}

/* The innermost function with hooks whose code calls at BRANCH. */
static int caller_of(struct search *search, const struct code_branch *branch,
                     size_t *subject, bool *is_copy)
{
    const struct hook_sites *sites = search->links->sites;
    struct lines_place place;
    int result = lines_find(search->lines, branch->address, &place);

    *subject = search->links->subject_of[branch->function];
    *is_copy = false;
    if (result < 0)
        return result;
    for (size_t i = place.frame_count; i-- > 0 && !*is_copy;) {
        *is_copy = is_sender(lines_frame_name(&place.frames[i]));
        if (*is_copy || i + 1 == place.frame_count)
            continue;
        for (size_t k = 0; k < sites->subject_count; k++)
            if (strcmp(sites->subjects[k].name,
                       lines_frame_name(&place.frames[i]))
                == 0)
                *subject = k;
    }
    return 0;
}

/* Take what BRANCH says; IS_NEW if that is more than was known. */
static int take(struct search *search, const struct code_branch *branch,
                bool *is_new)
{
    const struct code_map *code = search->links->code;
    size_t target = code_map_find(code, branch->target), subject;
    bool leads = target != CODE_NONE && search->leads[target];
    bool is_copy;
    int result;

    if (search->leads[branch->function] || (!leads && !search->is_first))
        return 0;
    result = caller_of(search, branch, &subject, &is_copy);
    if (result < 0 || (!leads && !is_copy))
        return result;
    if (subject == CODE_NONE) {
        search->leads[branch->function] = *is_new = true;
    } else if (!search->is_sending[subject]) {
        search->is_sending[subject] = *is_new = true;
    }
    return 0;
}

static int search_all(struct search *search)
{
    const struct code_map *code = search->links->code;
    bool is_new = true;
    int result = 0;

    search->is_first = true;
    for (size_t i = 0; i < code->function_count; i++)
        search->leads[i] = is_sender(code->functions[i].name);
    while (is_new && result == 0) {
        is_new = false;
        for (size_t i = 0; i < code->branch_count && result == 0; i++)
            result = take(search, &code->branches[i], &is_new);
        search->is_first = false;
    }
    return result;
}

int advise_senders(bool **out, const struct advise_links *links,
                   struct lines *lines)
{
    struct search search = {.links = links, .lines = lines};
    int result = MCUPROF_E_NOMEM;

    *out = search.is_sending =
            calloc(links->sites->subject_count + 1, sizeof *search.is_sending);
    search.leads =
            calloc(links->code->function_count + 1, sizeof *search.leads);
    if (search.is_sending != NULL && search.leads != NULL)
        result = search_all(&search);
    free(search.leads);
    return result;
}
