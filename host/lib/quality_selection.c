/* SPDX-License-Identifier: MIT */
#include "quality_selection.h"

#include "elf_select.h"
#include "text.h"
#include "units.h"

#include <inttypes.h>
#include <stdio.h>

/* Of all ELFs together. */
struct selection {
    uint64_t functions;
    uint64_t functions_kept;
    uint64_t sites;
    uint64_t sites_kept;
    size_t selected;
    const struct module *unknown; /* one whose record cannot be read */
    enum select_state state;      /* why */
};

static int add_module(struct selection *sum, const struct module *module)
{
    struct select_record record;
    int result = elf_select_read(module->image, &record);

    if (record.state == SELECT_FOUND) {
        sum->selected++;
        sum->functions += record.summary.functions;
        sum->functions_kept += record.summary.functions_kept;
        sum->sites += record.summary.sites;
        sum->sites_kept += record.summary.sites_kept;
    } else if (record.state != SELECT_NONE) {
        sum->unknown = module;
        sum->state = record.state;
    }
    select_record_deinit(&record);
    return result;
}

static void say_selected(struct quality *quality, const struct selection *sum,
                         size_t modules)
{
    char kept[UNITS_MAX], all[UNITS_MAX], sites_kept[UNITS_MAX],
            sites[UNITS_MAX], text[QUALITY_TEXT_MAX];

    (void)snprintf(text, sizeof text,
                   "%s of %s functions instrumented, %s of %s calls of hooks%s"
                   "; the time of the others is in what called them",
                   units_count(kept, sum->functions_kept),
                   units_count(all, sum->functions),
                   units_count(sites_kept, sum->sites_kept),
                   units_count(sites, sum->sites),
                   modules > sum->selected ? ", in the ELFs that are selected"
                                           : "");
    quality_add_line(quality, QUALITY_FINE, "selection", text);
}

static void say_unknown(struct quality *quality, const struct selection *sum)
{
    char name[200], text[QUALITY_TEXT_MAX];

    text_clean(name, sizeof name, sum->unknown->name);
    (void)snprintf(text, sizeof text,
                   "not known: %s is selected, but %s; functions that were "
                   "dropped are in what called them",
                   name,
                   sum->state == SELECT_OTHER_VERSION
                           ? "by another version of mcuprof"
                           : "its record is damaged");
    quality_add_line(quality, QUALITY_WARNING, "selection", text);
}

static json_t *describe(const struct selection *sum)
{
    return json_pack("{s:I, s:I, s:I, s:I}", "functions",
                     (json_int_t)sum->functions, "instrumented",
                     (json_int_t)sum->functions_kept, "hook_calls",
                     (json_int_t)sum->sites, "hook_calls_kept",
                     (json_int_t)sum->sites_kept);
}

void quality_selection_add(struct quality *quality,
                           const struct quality_subject *subject)
{
    size_t count =
            subject->modules == NULL ? 0 : modules_count(subject->modules);
    struct selection sum = {.selected = 0};

    /* Samples know nothing of hooks. */
    if (!subject->of_calls && !capture_has_functions(subject->capture))
        count = 0;
    for (size_t i = 0; i < count; i++)
        if (add_module(&sum, modules_get(subject->modules, i)) < 0)
            quality->failed = true;
    quality_add_fact(quality, "selection",
                     sum.selected > 0 && sum.unknown == NULL ? describe(&sum)
                                                             : json_null());
    if (sum.selected > 0)
        say_selected(quality, &sum, count);
    if (sum.unknown != NULL)
        say_unknown(quality, &sum);
}
