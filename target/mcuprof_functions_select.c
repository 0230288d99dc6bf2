/* SPDX-License-Identifier: MIT */
/*
 * Which functions and contexts the function table counts: asked by the slow
 * path, as long as there is something to be asked.
 */
#include "mcuprof_functions_parts.h"

#if MCUPROF_ENABLED && MCUPROF_FUNCTIONS

#define MOST MCUPROFI_FUNCTIONS_FILTERS

static struct {
    uint32_t ranges;
    uint32_t contexts;
    uint32_t begin[MOST];
    uint32_t end[MOST];
    uint32_t context[MOST];
} function_selection;

MCUPROF_KEEP int mcuprofi_functions_is_wanted(mcuprofi_word function,
                                              mcuprofi_word ipsr)
{
    mcuprofi_word context = ipsr != 0 ? ipsr : mcuprof_functions.task;
    mcuprofi_word address = function - 1u;
    int is_in = function_selection.ranges == 0;
    int is_of = function_selection.contexts == 0;
    for (uint32_t i = 0; i < function_selection.ranges; i++) {
        is_in |= address >= function_selection.begin[i]
                 && address < function_selection.end[i];
    }
    for (uint32_t i = 0; i < function_selection.contexts; i++) {
        is_of |= context == function_selection.context[i];
    }
    return is_in && is_of;
}

int mcuprof_functions_only(uint32_t begin, uint32_t end)
{
    uint32_t i = function_selection.ranges;
    begin &= ~1u;
    end &= ~1u;
    if (begin >= end) {
        return MCUPROF_EINVAL;
    }
    if (i >= MOST) {
        return MCUPROF_ENOSPACE;
    }
    function_selection.begin[i] = begin;
    function_selection.end[i] = end;
    function_selection.ranges = i + 1u;
    mcuprof_functions.head.slow |= MCUPROF_TABLE_SLOW_FILTER;
    return 0;
}

int mcuprof_functions_only_context(unsigned context)
{
    uint32_t i = function_selection.contexts;
    if (context > MCUPROFI_CONTEXT_MAX) {
        return MCUPROF_EINVAL;
    }
    if (i >= MOST) {
        return MCUPROF_ENOSPACE;
    }
    function_selection.context[i] = context;
    function_selection.contexts = i + 1u;
    mcuprof_functions.head.slow |= MCUPROF_TABLE_SLOW_FILTER;
    return 0;
}

void mcuprof_functions_everything(void)
{
    function_selection.ranges = 0;
    function_selection.contexts = 0;
    mcuprof_functions.head.slow &= ~MCUPROF_TABLE_SLOW_FILTER;
}

#endif
