/* SPDX-License-Identifier: MIT */
#include <inttypes.h>
#include <string.h>

#include "elf_lint_parts.h"

/* What the whole image has or lacks. */

int lint_check_library(struct lint_search *search)
{
    return search->has_library ? 0 : lint_add(search, LINT_NO_MCUPROF, NULL);
}

int lint_check_build_id(struct lint_search *search)
{
    uint32_t lowest = image_lowest(search->image);

    if (strcmp(image_section(search->image, lowest), ".note.gnu.build-id") != 0)
        return 0;
    return lint_add(search, LINT_BUILD_ID_FIRST, "at 0x%08x", lowest);
}

int lint_check_debug_info(struct lint_search *search)
{
    return lines_exist(search->lines)
                   ? 0
                   : lint_add(search, LINT_NO_DEBUG_INFO, NULL);
}

/* As the target looks for them: docs/wire.md, "HELLO". */
int lint_check_identity(struct lint_search *search)
{
    static const char *const ends[] = {"mcuprof_build_id", "mcuprof_image_end",
                                       "__etext", "_etext", "etext"};

    if (!search->has_library)
        return 0;
    for (size_t i = 0; i < sizeof ends / sizeof ends[0]; i++)
        if (image_symbol_count(search->image, ends[i]) > 0)
            return 0;
    return lint_add(search, LINT_NO_IDENTITY, NULL);
}

static int take_inline(void *context, const struct lines_inline *function)
{
    struct lint_search *search = context;
    struct lint_finding finding = {.kind = LINT_INLINE_ONLY_C99,
                                   .name = function->name,
                                   .name_size = strlen(function->name),
                                   .file = function->file,
                                   .line = function->line};

    return lint_add_finding(search, &finding);
}

int lint_check_selected(struct lint_search *search)
{
    const struct select_record *record = &search->record;
    const struct select_summary *sum = &record->summary;

    if (record->state == SELECT_NONE)
        return 0;
    if (record->state == SELECT_OTHER_VERSION)
        return lint_add(search, LINT_SELECTED, "by another version of mcuprof");
    if (record->state == SELECT_DAMAGED)
        return lint_add(search, LINT_SELECTED, "its record is damaged");
    return lint_add(search, LINT_SELECTED,
                    "%" PRIu32 " of %" PRIu32 " functions instrumented, "
                    "%" PRIu32 " of %" PRIu32 " calls of hooks",
                    sum->functions_kept, sum->functions, sum->sites_kept,
                    sum->sites);
}

/* Where there are hooks already it has been linked with them, or left out. */
int lint_check_c99_inline(struct lint_search *search)
{
    return search->sites->count > 0 || search->record.state != SELECT_NONE
                   ? 0
                   : lines_each_inline(search->lines, take_inline, search);
}
