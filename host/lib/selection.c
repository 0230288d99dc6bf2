/* SPDX-License-Identifier: MIT */
#include "selection.h"

#include "demangle.h"
#include "hook_uses.h"
#include "text.h"

#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* All that a function with hooks goes by. */
struct identity {
    const char *linkage;
    const char *plain; /* "" if unknown, as the next two */
    const char *qualified;
    const char *file;
    char *full; /* demangled, with parameters */
    const struct selection_line *line;
    bool has_own;     /* code of its own that is called, or nothing else */
    bool is_selected; /* by --only */
};

struct selecting {
    struct selection *selection;
    const struct hook_pairs *pairs;
    const struct hook_sites *sites;
    const struct code_map *code;
    const struct selection_rules *rules;
    const bool *is_out;          /* by site, instead of rules; NULL: none */
    struct identity *identities; /* of each subject */
};

/* The debug info of SUBJECT, from a site where it knows that. */
static void take_frame(const struct selecting *selecting, size_t subject,
                       const struct hook_site *site)
{
    struct identity *identity = &selecting->identities[subject];

    if (identity->plain == NULL || identity->plain[0] != '\0'
        || site->frame == NULL
        || !hook_sites_agree(selecting->sites, selecting->code, site, subject))
        return;
    identity->plain = site->frame->name;
    identity->qualified = site->frame->qualified;
    identity->file = site->frame->declared_file;
}

static int identify(struct selecting *selecting)
{
    const struct hook_sites *sites = selecting->sites;
    char name[DEMANGLE_MAX];

    for (size_t i = 0; i < sites->subject_count; i++) {
        struct identity *identity = &selecting->identities[i];

        *identity =
                (struct identity){.linkage = sites->subjects[i].name,
                                  .plain = "",
                                  .qualified = "",
                                  .file = "",
                                  .has_own = sites->subjects[i].inlined == 0};
        demangle(DEMANGLE_FULL, identity->linkage, name);
        identity->full = text_copy(name);
        demangle(DEMANGLE_SIMPLE, identity->linkage, name);
        selecting->selection->names[i] = text_copy(name);
        if (identity->full == NULL || selecting->selection->names[i] == NULL)
            return MCUPROF_E_NOMEM;
    }
    for (size_t i = 0; i < sites->count; i++) {
        const struct hook_site *site = &sites->items[i];

        take_frame(selecting, site->subject, site);
        if (!site->is_inlined
            && selecting->selection->is_called[site->function])
            selecting->identities[site->subject].has_own = true;
    }
    return 0;
}

/* A name of SUBJECT by number; NULL at the end. */
static const char *name_of(const struct selecting *selecting, size_t subject,
                           unsigned number)
{
    const struct identity *identity = &selecting->identities[subject];
    const char *const names[] = {
            identity->linkage, selecting->selection->names[subject],
            identity->full, identity->plain, identity->qualified};

    return number < sizeof names / sizeof names[0] ? names[number] : NULL;
}

static bool matches_function(const struct selecting *selecting, size_t subject,
                             const char *pattern)
{
    const char *name;

    for (unsigned i = 0; (name = name_of(selecting, subject, i)) != NULL; i++)
        if (name[0] != '\0' && fnmatch(pattern, name, 0) == 0)
            return true;
    return false;
}

/* Any last part of the path; both kinds of separators. */
static bool matches_file(const struct selecting *selecting, size_t subject,
                         const char *pattern)
{
    const char *path = selecting->identities[subject].file;

    while (path != NULL && path[0] != '\0') {
        if (fnmatch(pattern, path, FNM_NOESCAPE) == 0)
            return true;
        path = strpbrk(path, "/\\");
        path = path == NULL ? NULL : path + 1;
    }
    return false;
}

static const char *section_of(const struct selecting *selecting,
                              size_t function)
{
    return image_section(selecting->code->image,
                         selecting->code->functions[function].start);
}

static bool matches_section(const struct selecting *selecting, size_t function,
                            const char *pattern)
{
    return fnmatch(pattern, section_of(selecting, function), 0) == 0;
}

typedef bool (*matcher)(const struct selecting *selecting, size_t index,
                        const char *pattern);

/* Whether what has INDEX passes PATTERNS: none, or one and no !pattern. */
static bool passes(const struct selecting *selecting,
                   const struct selection_patterns *patterns, matcher matches,
                   size_t index)
{
    bool has_positive = false, is_in = false;

    for (size_t i = 0; i < patterns->count; i++) {
        const char *pattern = patterns->items[i];

        if (pattern[0] == '!') {
            if (matches(selecting, index, pattern + 1))
                return false;
            continue;
        }
        has_positive = true;
        is_in |= matches(selecting, index, pattern);
    }
    return is_in || !has_positive;
}

static int refuse_pattern(const struct selection_rules *rules,
                          const char *option, const char *pattern,
                          struct error *error)
{
    char remedy[sizeof error->remedy];

    (void)snprintf(remedy, sizeof remedy,
                   "quote patterns, as 'crc*'; what there is shows `mcuprof "
                   "select %s --list`",
                   rules->elf != NULL ? rules->elf : "fw.elf");
    return error_set(error, MCUPROF_E_USAGE, remedy,
                     "--%s %s matches no function with hooks", option, pattern);
}

/* A pattern that matches nothing is a typing error. */
static int check_patterns(const struct selecting *selecting, const char *option,
                          const struct selection_patterns *patterns,
                          matcher matches, struct error *error)
{
    const struct hook_sites *sites = selecting->sites;
    bool is_section = matches == matches_section;
    size_t count = is_section ? sites->count : sites->subject_count;

    for (size_t i = 0; i < patterns->count; i++) {
        const char *pattern = patterns->items[i];
        size_t k = 0;

        pattern += pattern[0] == '!';
        while (k < count
               && !matches(selecting, is_section ? sites->items[k].function : k,
                           pattern))
            k++;
        if (k == count)
            return refuse_pattern(selecting->rules, option, patterns->items[i],
                                  error);
    }
    return 0;
}

/* What the list says of each subject, and which lines say nothing of any. */
static int apply_list(struct selecting *selecting)
{
    const struct selection_list *list = selecting->rules->list;
    struct selection *selection = selecting->selection;
    bool *is_used;

    if (list == NULL)
        return 0;
    is_used = calloc(list->count + 1, sizeof *is_used);
    if (is_used == NULL)
        return MCUPROF_E_NOMEM;
    for (size_t i = 0; i < selecting->sites->subject_count; i++) {
        struct identity *identity = &selecting->identities[i];
        const char *name;

        for (unsigned k = 0; (name = name_of(selecting, i, k)) != NULL; k++) {
            const struct selection_line *line = selection_list_find(list, name);

            if (line == NULL)
                continue;
            is_used[line - list->lines] = true;
            if (identity->line == NULL || line->number > identity->line->number)
                identity->line = line;
        }
    }
    for (size_t i = 0; i < list->count; i++) {
        bool is_last =
                i + 1 == list->count
                || strcmp(list->lines[i].name, list->lines[i + 1].name) != 0;

        if (!is_last || is_used[i])
            continue;
        selection->lines_unused++;
        if (selection->line_unused == NULL
            || list->lines[i].number < selection->line_unused->number)
            selection->line_unused = &list->lines[i];
    }
    free(is_used);
    return 0;
}

static struct selection_choice drop(enum selection_why why)
{
    return (struct selection_choice){.is_dropped = true, .why = why};
}

/* What the list and the default say of one that the options let pass. */
static struct selection_choice choose_rest(const struct selecting *selecting,
                                           const struct hook_site *site)
{
    const struct selection_line *line =
            selecting->identities[site->subject].line;
    enum selection_act act = line == NULL ? SELECTION_ACT_NONE : line->act;

    if (act == SELECTION_ACT_DROP)
        return drop(SELECTION_LISTED);
    if (act == SELECTION_ACT_DROP_INLINED && site->is_inlined)
        return drop(SELECTION_LISTED_INLINED);
    if (act == SELECTION_ACT_KEEP)
        return (struct selection_choice){.why = SELECTION_KEPT_LISTED};
    if (site->is_inlined && !selecting->rules->keep_inlined)
        return drop(SELECTION_INLINED);
    return (struct selection_choice){.why = SELECTION_KEPT};
}

/* What the rules say of the body that the enter hook SITE opens. */
static struct selection_choice choose_body(const struct selecting *selecting,
                                           const struct hook_site *site)
{
    const struct selection_rules *rules = selecting->rules;

    for (size_t i = 0; i < rules->drop.count; i++)
        if (matches_function(selecting, site->subject, rules->drop.items[i])) {
            struct selection_choice choice = drop(SELECTION_DROP);

            choice.pattern = rules->drop.items[i];
            return choice;
        }
    if (!passes(selecting, &rules->only, matches_function, site->subject))
        return drop(SELECTION_NOT_ONLY);
    selecting->identities[site->subject].is_selected = rules->only.count > 0;
    if (!passes(selecting, &rules->files, matches_file, site->subject))
        return drop(SELECTION_NOT_FILE);
    if (!passes(selecting, &rules->sections, matches_section, site->function))
        return drop(SELECTION_NOT_SECTION);
    return choose_rest(selecting, site);
}

/* An instance goes if all of its bodies do. */
static struct selection_choice choose(const struct selecting *selecting,
                                      const struct hook_instance *instance)
{
    const struct hook_pairs *pairs = selecting->pairs;
    struct selection_choice kept = {.why = SELECTION_KEPT}, dropped = kept;
    size_t keeper = CODE_NONE;

    for (size_t i = 0; i < instance->count; i++) {
        const struct hook_site *site =
                &selecting->sites
                         ->items[pairs->by_instance[instance->first + i]];
        struct selection_choice choice;

        if (site->is_exit && instance->enters > 0)
            continue;
        choice = choose_body(selecting, site);
        if (choice.is_dropped) {
            dropped = choice;
        } else if (keeper == CODE_NONE) {
            kept = choice;
            keeper = site->subject;
        }
    }
    /* Of one without a name the rules say nothing. */
    if (instance->doubt == HOOK_UNNAMED
        || (keeper == CODE_NONE && instance->doubt != HOOK_SURE))
        return (struct selection_choice){.why = SELECTION_KEPT_DOUBT};
    if (keeper == CODE_NONE)
        return dropped;
    if (dropped.is_dropped)
        return (struct selection_choice){.why = SELECTION_KEPT_SHARED,
                                         .other = keeper};
    return kept;
}

/* What was made of INSTANCE: all of it is out, or nothing. */
static int find_choice(const struct selecting *selecting,
                       const struct hook_instance *instance,
                       struct selection_choice *out, struct error *error)
{
    const size_t *sites = &selecting->pairs->by_instance[instance->first];
    size_t count = 0;

    for (size_t i = 0; i < instance->count; i++)
        count += selecting->is_out[sites[i]];
    if (count == 0)
        *out = (struct selection_choice){.why = instance->doubt != HOOK_SURE
                                                        ? SELECTION_KEPT_DOUBT
                                                        : SELECTION_KEPT};
    else
        *out = drop(SELECTION_FOUND);
    if (count == 0 || count == instance->count)
        return 0;
    return error_set(error, MCUPROF_E_MISMATCH,
                     "select it anew from the ELF that the linker wrote",
                     "of one body %zu of %zu hook calls are taken out, first "
                     "one at 0x%08x",
                     count, instance->count,
                     selecting->sites->items[sites[0]].address);
}

static int choose_all(const struct selecting *selecting, struct error *error)
{
    int result = 0;

    for (size_t i = 0; i < selecting->pairs->count && result == 0; i++) {
        const struct hook_instance *instance = &selecting->pairs->instances[i];
        struct selection_choice *choice = &selecting->selection->choices[i];

        if (selecting->is_out != NULL)
            result = find_choice(selecting, instance, choice, error);
        else
            *choice = choose(selecting, instance);
    }
    return result;
}

static void count_site(const struct selecting *selecting, size_t index,
                       bool *has_hooks, bool *is_kept)
{
    struct selection *selection = selecting->selection;
    const struct hook_pairs *pairs = selecting->pairs;
    size_t number = pairs->of_site[index];
    const struct selection_choice *choice = &selection->choices[number];
    const struct hook_instance *instance = &pairs->instances[number];
    const struct hook_site *site = &selecting->sites->items[index];

    selection->sites++;
    selection->sites_kept += !choice->is_dropped;
    if (choice->why == SELECTION_KEPT_DOUBT)
        selection->doubts[instance->doubt]++;
    /* Whom an exit hook is for is not always known. */
    if ((site->is_exit && instance->enters > 0)
        || !selecting->selection->is_called[site->function])
        return;
    has_hooks[site->subject] = true;
    is_kept[site->subject] |= !choice->is_dropped;
}

static int count(const struct selecting *selecting)
{
    struct selection *selection = selecting->selection;
    const struct hook_sites *sites = selecting->sites;
    size_t subjects = sites->subject_count;
    bool *has_hooks = calloc(2 * subjects + 1, sizeof *has_hooks);
    bool *is_kept;
    bool any_selected = false, any_own = false;

    if (has_hooks == NULL)
        return MCUPROF_E_NOMEM;
    is_kept = has_hooks + subjects;
    for (size_t i = 0; i < sites->count; i++)
        count_site(selecting, i, has_hooks, is_kept);
    for (size_t i = 0; i < subjects; i++) {
        const struct identity *identity = &selecting->identities[i];

        selection->functions += has_hooks[i];
        selection->functions_kept += is_kept[i];
        any_selected |= identity->is_selected;
        any_own |= identity->is_selected && identity->has_own;
    }
    selection->only_inlined =
            any_selected && !any_own && !selecting->rules->keep_inlined;
    free(has_hooks);
    return 0;
}

/* Instances lie by address, and so does each function's. */
static void count_functions(struct selection *selection)
{
    const struct hook_pairs *pairs = selection->pairs;
    size_t last[HOOK_DOUBT_COUNT];

    for (size_t i = 0; i < HOOK_DOUBT_COUNT; i++)
        last[i] = CODE_NONE;
    for (size_t i = 0; i < pairs->count; i++) {
        const struct hook_instance *instance = &pairs->instances[i];

        if (selection->choices[i].why != SELECTION_KEPT_DOUBT
            || last[instance->doubt] == instance->function)
            continue;
        last[instance->doubt] = instance->function;
        selection->functions_in[instance->doubt]++;
    }
}

static int run(struct selecting *selecting, struct error *error)
{
    const struct selection_rules *rules = selecting->rules;
    struct selection *selection = selecting->selection;
    int result = identify(selecting);

    if (result == 0)
        result = check_patterns(selecting, "only", &rules->only,
                                matches_function, error);
    if (result == 0)
        result = check_patterns(selecting, "drop", &rules->drop,
                                matches_function, error);
    if (result == 0)
        result = check_patterns(selecting, "file", &rules->files, matches_file,
                                error);
    if (result == 0)
        result = check_patterns(selecting, "section", &rules->sections,
                                matches_section, error);
    if (result == 0)
        result = apply_list(selecting);
    if (result == 0)
        result = choose_all(selecting, error);
    if (result < 0)
        return result;
    count_functions(selection);
    return count(selecting);
}

static int make(struct selection **out, struct selecting *selecting,
                struct error *error)
{
    const struct hook_pairs *pairs = selecting->pairs;
    struct selection *selection = calloc(1, sizeof *selection);
    size_t subjects = pairs->sites->subject_count;
    int result = MCUPROF_E_NOMEM;

    *out = NULL;
    error->code = 0;
    selecting->selection = selection;
    selecting->sites = pairs->sites;
    selecting->identities = calloc(subjects + 1, sizeof(struct identity));
    if (selection != NULL) {
        selection->pairs = pairs;
        selection->code = selecting->code;
        selection->choices =
                calloc(pairs->count + 1, sizeof *selection->choices);
        selection->names = calloc(subjects + 1, sizeof *selection->names);
        selection->is_called =
                hook_uses_functions(selecting->code, pairs->sites);
    }
    if (selection != NULL && selection->choices != NULL
        && selection->names != NULL && selection->is_called != NULL
        && selecting->identities != NULL)
        result = run(selecting, error);
    for (size_t i = 0; selecting->identities != NULL && i < subjects; i++)
        free(selecting->identities[i].full);
    free(selecting->identities);
    if (result < 0) {
        selection_free(selection);
        if (error->code == 0)
            (void)error_set(error, result, "", "%s", error_message(result));
        return result;
    }
    *out = selection;
    return 0;
}

int selection_make(struct selection **out, const struct hook_pairs *pairs,
                   const struct code_map *code,
                   const struct selection_rules *rules, struct error *error)
{
    struct selecting selecting = {.pairs = pairs, .code = code, .rules = rules};

    return make(out, &selecting, error);
}

int selection_found(struct selection **out, const struct hook_pairs *pairs,
                    const struct code_map *code, const bool *is_out,
                    struct error *error)
{
    static const struct selection_rules none = {.elf = NULL};
    struct selecting selecting = {
            .pairs = pairs, .code = code, .rules = &none, .is_out = is_out};

    return make(out, &selecting, error);
}

void selection_free(struct selection *selection)
{
    if (selection == NULL)
        return;
    for (size_t i = 0;
         selection->names != NULL && i < selection->pairs->sites->subject_count;
         i++)
        free(selection->names[i]);
    free(selection->names);
    free(selection->is_called);
    free(selection->choices);
    free(selection);
}

void selection_why(const struct selection *selection, size_t instance,
                   char out[SELECTION_WHY_MAX])
{
    static const char *const texts[] = {
            [SELECTION_KEPT] = "",
            [SELECTION_KEPT_LISTED] = "keep in the list",
            [SELECTION_INLINED] = "inlined",
            [SELECTION_NOT_ONLY] = "not in --only",
            [SELECTION_NOT_FILE] = "not in --file",
            [SELECTION_NOT_SECTION] = "not in --section",
            [SELECTION_LISTED] = "drop in the list",
            [SELECTION_LISTED_INLINED] = "drop-inlined in the list",
            [SELECTION_FOUND] = "by its record",
    };
    const struct selection_choice *choice = &selection->choices[instance];
    const struct hook_instance *of = &selection->pairs->instances[instance];
    char text[SELECTION_WHY_MAX];
    size_t used;

    if (choice->why == SELECTION_DROP)
        (void)snprintf(text, sizeof text, "--drop %s", choice->pattern);
    else if (choice->why == SELECTION_KEPT_SHARED)
        (void)snprintf(text, sizeof text, "shares a hook with %s",
                       selection->names[choice->other]);
    else if (choice->why == SELECTION_KEPT_DOUBT)
        (void)snprintf(text, sizeof text, "in doubt: %s (0x%08x)",
                       hook_doubt_text(of->doubt), of->where);
    else
        (void)snprintf(text, sizeof text, "%s", texts[choice->why]);
    used = strlen(text);
    if (!choice->is_dropped && !selection->is_called[of->function])
        (void)snprintf(text + used, sizeof text - used, "%snothing calls it",
                       used > 0 ? "; " : "");
    text_clean(out, SELECTION_WHY_MAX, text);
}
