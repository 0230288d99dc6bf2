/* SPDX-License-Identifier: MIT */
#include "selection.h"

#include "cpu_arch.h"
#include "thumb_decode.h"

#include <stdlib.h>
#include <string.h>

static const uint8_t wide_nop[4] = {0xAF, 0xF3, 0x00, 0x80};
static const uint8_t two_nops[4] = {0x00, 0xBF, 0x00, 0xBF};
/* BX LR, and a NOP that is never reached */
static const uint8_t return_wide[4] = {0x70, 0x47, 0x00, 0xBF};

static int refuse(const struct hook_site *site, struct error *error)
{
    return error_set(error, MCUPROF_E_MISMATCH,
                     "nothing was written; please report it with the ELF",
                     "what is at 0x%08x is not the call of a hook that it was "
                     "taken for",
                     site->address);
}

/* Whether PATCH takes out a call of a hook, and nothing else. */
static bool is_call(const struct selection *selection,
                    const struct hook_site *site, const struct elf_patch *patch)
{
    const struct hook_sites *sites = selection->pairs->sites;
    uint32_t hook = site->is_exit ? sites->exit : sites->enter;
    struct thumb thumb;

    thumb_decode(&thumb, patch->address, patch->before, patch->size);
    return thumb.size == patch->size && thumb.has_target && thumb.target == hook
           && thumb.flow == (site->is_jump ? THUMB_JUMP : THUMB_CALL);
}

/* Decodes as what is to be there, up to the size of PATCH. */
static bool is_nothing(const struct hook_site *site,
                       const struct elf_patch *patch)
{
    struct thumb thumb;

    for (uint32_t at = 0; at < patch->size; at += thumb.size) {
        thumb_decode(&thumb, patch->address + at, patch->after + at,
                     patch->size - at);
        if (site->is_jump && at == 0
                    ? thumb.flow != THUMB_JUMP || thumb.through != THUMB_LR
                    : thumb.flow != THUMB_NEXT || thumb.writes != 0
                              || thumb.reads != 0 || thumb.conditional != 0)
            return false;
    }
    return true;
}

static int make_patch(const struct selection *selection,
                      const struct hook_site *site, const uint8_t nop[4],
                      struct elf_patch *out, struct error *error)
{
    *out = (struct elf_patch){.address = site->address, .size = site->size};
    memcpy(out->after, site->is_jump ? return_wide : nop, site->size);
    if (image_read(selection->code->image, site->address, out->before,
                   site->size)
                != 0
        || (site->size != 4 && !site->is_jump) || !is_call(selection, site, out)
        || !is_nothing(site, out))
        return refuse(site, error);
    return 0;
}

int selection_patches(const struct selection *selection, struct elf_patch **out,
                      size_t *count, struct error *error)
{
    const struct hook_pairs *pairs = selection->pairs;
    const uint8_t *nop =
            cpu_arch_has_thumb2(selection->code->image) ? wide_nop : two_nops;
    struct elf_patch *patches = calloc(
            selection->sites - selection->sites_kept + 1, sizeof *patches);
    int result = 0;

    *out = NULL;
    *count = 0;
    if (patches == NULL)
        return error_set(error, MCUPROF_E_NOMEM, "", "out of memory");
    for (size_t i = 0; i < pairs->sites->count && result == 0; i++)
        if (selection->choices[pairs->of_site[i]].is_dropped)
            result = make_patch(selection, &pairs->sites->items[i], nop,
                                &patches[(*count)++], error);
    if (result < 0) {
        free(patches);
        *count = 0;
        return result;
    }
    *out = patches;
    return 0;
}
