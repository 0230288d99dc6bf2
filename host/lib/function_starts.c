/* SPDX-License-Identifier: MIT */
#include "function_starts.h"

#include "identity.h"

#include <string.h>

static bool can_compare(const struct capture *capture,
                        const struct modules *modules)
{
    char have[IDENTITY_TEXT_MAX];
    size_t which;

    if (capture->functions.complete == 0
        || (capture->identity_count > 0
            && identity_check_any(modules, &capture->identities[0], have,
                                  &which)
                       == IDENTITY_MATCH))
        return false;
    for (size_t i = 0; i < modules_count(modules); i++)
        if (image_check_symbols(modules_get(modules, i)->image, NULL) == 0)
            return true;
    return false;
}

int function_starts_check(struct function_starts *out,
                          const struct capture *capture,
                          struct modules *modules)
{
    const struct function_snapshot *table = &capture->functions.whole;
    const struct function_counts *last = NULL;

    memset(out, 0, sizeof *out);
    if (!can_compare(capture, modules))
        return 0;
    /* Rows ascend by function: its contexts stand together. */
    for (size_t i = 0; i < table->count; i++) {
        const struct function_counts *row = &table->rows[i];
        struct modules_place place;

        if (row->kind != FUNCTION_COUNTED
            || (last != NULL && last->function == row->function))
            continue;
        last = row;
        if (modules_find(modules, row->function, &place) < 0)
            return MCUPROF_E_NOMEM;
        out->functions++;
        out->strangers +=
                place.kind != IMAGE_FUNCTION || place.start != row->function;
    }
    return 0;
}
