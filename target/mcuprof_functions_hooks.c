/* SPDX-License-Identifier: MIT */
/*
 * The function table's fast paths: what is frequent, in assembly or in C.
 * mcuprof_functions_parts.h says why they are right under interrupts.
 */
#include "mcuprof_functions_parts.h"

#if MCUPROF_ENABLED && MCUPROF_FUNCTIONS

/* The same in C, for other cores and for tests. */
MCUPROFI_BARE int mcuprofi_functions_is_fast(const struct mcuprofi_function_hot *hot)
{
    return hot->state.gate == (mcuprofi_word)hot + mcuprofi_ipsr();
}

/* Its row, if it has no open call. probes: one more for each that misses */
MCUPROFI_BARE struct mcuprofi_function_row *
mcuprofi_functions_closed_row(mcuprofi_word function, mcuprofi_word index, uint32_t *probes)
{
    struct mcuprofi_functions *t = &mcuprof_functions;
    uint32_t at = mcuprofi_functions_hash(function, index);
    for (uint32_t i = 0; i < MCUPROFI_FUNCTIONS_PROBES; i++, at++) {
        struct mcuprofi_function_row *row =
                &t->rows[at & (MCUPROF_FUNCTIONS_SLOTS - 1u)];
        mcuprofi_word key = row->key;
        if (key == function && row->index == index) {
            return row;
        }
        if (key == 0) {
            break;
        }
        *probes += t->hot.probe;
    }
    return NULL;
}

static int mcuprofi_functions_enter_fast(mcuprofi_word function, mcuprofi_word sp,
                      mcuprofi_word lr)
{
    struct mcuprofi_function_hot *hot = &mcuprof_functions.hot;
    struct mcuprofi_function_frame *top = hot->state.top;
    if (!mcuprofi_functions_is_fast(hot) || top == hot->state.limit || sp > top->sp) {
        return 0;
    }
    uint32_t probes = 0;
    struct mcuprofi_function_row *row =
            mcuprofi_functions_closed_row(function, hot->state.index, &probes);
    if (row == NULL) {
        return 0;
    }
    uint32_t stolen = (uint32_t)hot->stolen;
    uint32_t v = *hot->clock - stolen - probes;
    if ((int32_t)(v - (uint32_t)hot->state.epoch) < 0
        || !mcuprofi_swap(&hot->stolen, stolen,
                          (uint32_t)(stolen + probes + hot->inner))) {
        return 0;
    }
    row->key = function - 1u;
    top++;
    top->tag = function;
    top->start = v;
    top->row = (mcuprofi_word)row;
    top->children = 0;
    top->lr = lr;
    top->sp = sp;
    mcuprofi_barrier();
    hot->state.top = top;
    return 1;
}

static int mcuprofi_functions_exit_fast(mcuprofi_word function)
{
    struct mcuprofi_function_hot *hot = &mcuprof_functions.hot;
    struct mcuprofi_function_frame *top = hot->state.top;
    if (!mcuprofi_functions_is_fast(hot) || top->tag != function) {
        return 0;
    }
    uint32_t stolen = (uint32_t)hot->stolen;
    uint32_t age = *hot->clock - stolen - top->start;
    struct mcuprofi_function_row *row =
            (struct mcuprofi_function_row *)top->row;
    if (age < top->children || age - row->min > row->span
        || !mcuprofi_swap(&hot->stolen, stolen,
                          (uint32_t)(stolen + hot->outer))) {
        return 0;
    }
    row->key = function;
    row->calls++;
    row->self += age - top->children;
    row->total += age;
    top[-1].children += age;
    mcuprofi_barrier();
    hot->state.top = top - 1;
    return 1;
}

MCUPROF_KEEP void mcuprofi_functions_enter(mcuprofi_word function,
                                           mcuprofi_word sp, mcuprofi_word lr)
{
    if (!mcuprofi_functions_enter_fast(function, sp, lr)) {
        mcuprofi_functions_enter_slow(function, sp, lr);
    }
}

MCUPROF_KEEP void mcuprofi_functions_exit(mcuprofi_word function,
                                          mcuprofi_word sp)
{
    if (!mcuprofi_functions_exit_fast(function)) {
        mcuprofi_functions_exit_slow(function, sp);
    }
}

#if defined(__GNUC__)
#define OWN_SP ((mcuprofi_word)__builtin_frame_address(0))
#define OWN_LR ((mcuprofi_word)__builtin_return_address(0))
#else
#define OWN_SP 0
#define OWN_LR 0
#endif

MCUPROF_KEEP void __cyg_profile_func_enter(void *function, void *call_site)
{
    (void)call_site;
    mcuprofi_functions_enter((mcuprofi_word)function | 1u, OWN_SP, OWN_LR);
}

MCUPROF_KEEP void __cyg_profile_func_exit(void *function, void *call_site)
{
    (void)call_site;
    mcuprofi_functions_exit((mcuprofi_word)function | 1u, OWN_SP);
}

#endif
