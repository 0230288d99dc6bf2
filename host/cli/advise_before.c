/* SPDX-License-Identifier: MIT */
#include "advise_before.h"

#include "elf_select.h"

#include <stdlib.h>
#include <string.h>

static int take_changes(struct advise_before *before,
                        const struct select_record *record)
{
    const struct hook_sites *sites = before->sites;

    before->drops_own =
            calloc(sites->subject_count + 1, sizeof *before->drops_own);
    before->drops_inlined =
            calloc(sites->subject_count + 1, sizeof *before->drops_inlined);
    if (before->drops_own == NULL || before->drops_inlined == NULL)
        return MCUPROF_E_NOMEM;
    for (size_t i = 0; i < record->change_count; i++) {
        uint32_t address = record->changes[i].patch.address;
        size_t found = hook_sites_from(sites, address);
        const struct hook_site *site = &sites->items[found];

        if (found == sites->count || site->address != address)
            continue;
        if (site->is_inlined)
            before->drops_inlined[site->subject] = true;
        else
            before->drops_own[site->subject] = true;
    }
    return 0;
}

int advise_before_open(struct advise_before *before, const char *path,
                       const struct image *selected, struct error *error)
{
    struct select_record record;
    bool is_selected;
    int result = elf_select_open(&before->image, path, &is_selected, error);

    if (result < 0)
        return result;
    result = lines_open(&before->lines, before->image);
    if (result == 0)
        result = code_map_new(&before->code, before->image);
    if (result == 0)
        result = hook_sites_find(&before->sites, before->code, before->lines);
    if (result < 0)
        return result;
    result = elf_select_read(selected, &record);
    if (result == 0)
        result = take_changes(before, &record);
    select_record_deinit(&record);
    return result;
}

void advise_before_close(struct advise_before *before)
{
    free(before->drops_own);
    free(before->drops_inlined);
    hook_sites_free(before->sites);
    code_map_free(before->code);
    lines_free(before->lines);
    image_free(before->image);
}

size_t advise_before_find(const struct advise_before *before, const char *name)
{
    for (size_t i = 0;
         before->sites != NULL && i < before->sites->subject_count; i++)
        if (strcmp(before->sites->subjects[i].name, name) == 0)
            return i;
    return SIZE_MAX;
}
