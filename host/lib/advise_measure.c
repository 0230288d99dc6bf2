/* SPDX-License-Identifier: MIT */
#include "advise_measure.h"

#include <stdlib.h>

static int begin(struct advise_measure *measure, enum advise_source source,
                 size_t room)
{
    *measure = (struct advise_measure){.source = source};
    measure->calls = calloc(room + 1, sizeof *measure->calls);
    measure->input.calls = measure->calls;
    return measure->calls == NULL ? MCUPROF_E_NOMEM : 0;
}

static uint64_t without(uint64_t self, uint64_t cost)
{
    return self > cost ? self - cost : 0;
}

/* Two hooks are a pair; of some calls one alone was recorded. */
static double count_pairs(const struct timeline_counts *counts)
{
    uint64_t halves = counts->entered_before + counts->unwound + counts->ended
                      + counts->open + counts->left_in_gap + counts->left_gone
                      + counts->left_off;

    return (double)counts->calls - (double)halves / 2;
}

int advise_measure_trace(struct advise_measure *measure,
                         const struct call_tree *tree,
                         const struct timeline_result *result, uint32_t bias)
{
    struct advise_input *input = &measure->input;
    double outermost = 0;

    if (begin(measure, ADVISE_TRACE, call_tree_count(tree)) < 0)
        return MCUPROF_E_NOMEM;
    for (size_t i = 0; i < call_tree_count(tree); i++) {
        const struct call_node *node = call_tree_get(tree, i);

        measure->calls[input->count++] = (struct advise_call){
                .function = node->function - bias,
                .parent = node->parent == CALL_TREE_NONE ? ADVISE_NONE
                                                         : node->parent,
                .calls = node->calls,
                .self = without(node->self.ticks, node->self_cost.ticks)};
        input->wall += (double)node->self.ticks;
        if (node->parent == CALL_TREE_NONE)
            outermost += (double)node->calls - (double)node->mended / 2;
    }
    for (size_t i = 0; i < result->share_count; i++)
        measure->outside += (double)result->shares[i].outside.ticks;
    input->is_ring = true;
    /* Of the hooks of an outermost call a part is around it; of one that was
       mended one hook is there alone. */
    input->wall += outermost * (result->hook_cost - result->hook_inner);
    input->pair = input->usual = result->hook_cost;
    input->pairs = count_pairs(&result->counts);
    return 0;
}

int advise_measure_table(struct advise_measure *measure,
                         const struct capture *capture, uint32_t bias)
{
    const struct function_snapshot *table = &capture->functions.whole;
    struct function_sums sums = function_table_sums(table);
    struct advise_input *input = &measure->input;
    uint64_t open = 0;

    if (begin(measure, ADVISE_TABLE, table->count) < 0)
        return MCUPROF_E_NOMEM;
    for (size_t i = 0; i < table->count; i++) {
        const struct function_counts *row = &table->rows[i];

        if (row->kind == FUNCTION_OUTSIDE)
            continue;
        input->pairs += (double)row->calls;
        open += row->open;
        if (row->kind == FUNCTION_COUNTED)
            measure->calls[input->count++] =
                    (struct advise_call){.function = row->function - bias,
                                         .parent = ADVISE_NONE,
                                         .calls = row->calls,
                                         .self = row->self};
    }
    input->pairs -= (double)open / 2;
    input->wall = (double)sums.wall - (double)sums.outside;
    measure->outside = (double)sums.outside;
    /* Also what some took off their usual way. */
    input->usual = table->pair;
    if (table->pair > 0 && input->pairs > 0)
        input->pair = (double)sums.hooks / input->pairs;
    return 0;
}

int advise_measure_samples(struct advise_measure *measure,
                           const struct capture *capture, uint32_t bias)
{
    size_t count = profile_count(capture->profile);

    if (begin(measure, ADVISE_SAMPLES, count) < 0)
        return MCUPROF_E_NOMEM;
    for (size_t i = 0; i < count; i++) {
        struct profile_entry entry = profile_get(capture->profile, i);

        measure->calls[i] =
                (struct advise_call){.function = (entry.frames[0] & ~1U) - bias,
                                     .parent = ADVISE_NONE,
                                     .self = entry.weight};
    }
    measure->input.count = count;
    measure->input.is_sampled = true;
    measure->input.wall = (double)profile_total(capture->profile);
    return 0;
}

void advise_measure_deinit(struct advise_measure *measure)
{
    free(measure->calls);
}
