/* SPDX-License-Identifier: MIT */
/*
 * What of the function table is read from memory is where docs/wire.md says,
 * and where the hooks in assembly look for it. Nothing but that: no code.
 */
#include "mcuprof_functions_parts.h"

#if MCUPROF_ENABLED && MCUPROF_FUNCTIONS && defined(__ARM_ARCH)

#define TABLE_HOLDS(what, member, name, offset)                                \
    typedef char mcuprofi_check_table_##what##_##name                          \
            [offsetof(struct what, member) == (offset) ? 1 : -1]
TABLE_HOLDS(mcuprofi_functions, hot.outer, outer, MCUPROF_TABLE_OUTER);
TABLE_HOLDS(mcuprofi_functions, hot.clock, clock, MCUPROF_TABLE_CLOCK);
TABLE_HOLDS(mcuprofi_functions, hot.state, state, MCUPROF_TABLE_STATE);
TABLE_HOLDS(mcuprofi_functions, hot.inner, inner, MCUPROF_TABLE_INNER);
TABLE_HOLDS(mcuprofi_functions, hot.stolen, stolen, MCUPROF_TABLE_STOLEN);
TABLE_HOLDS(mcuprofi_functions, hot.probe, probe, MCUPROF_TABLE_PROBE);
TABLE_HOLDS(mcuprofi_functions, head.magic, magic, MCUPROF_TABLE_MAGIC);
TABLE_HOLDS(mcuprofi_functions, head.version, version, MCUPROF_TABLE_VERSION);
TABLE_HOLDS(mcuprofi_functions, head.size, size, MCUPROF_TABLE_SIZE);
TABLE_HOLDS(mcuprofi_functions, head.slots, slots, MCUPROF_TABLE_SLOTS);
TABLE_HOLDS(mcuprofi_functions, head.contexts, contexts,
            MCUPROF_TABLE_CONTEXTS);
TABLE_HOLDS(mcuprofi_functions, head.frames, frames, MCUPROF_TABLE_FRAMES);
TABLE_HOLDS(mcuprofi_functions, head.context_size, context_size,
            MCUPROF_TABLE_CONTEXT_SIZE);
TABLE_HOLDS(mcuprofi_functions, head.flags, flags, MCUPROF_TABLE_FLAGS);
TABLE_HOLDS(mcuprofi_functions, head.probes, probes, MCUPROF_TABLE_PROBES);
TABLE_HOLDS(mcuprofi_functions, head.names, names, MCUPROF_TABLE_NAMES);
TABLE_HOLDS(mcuprofi_functions, head.names_at, names_at,
            MCUPROF_TABLE_NAMES_AT);
TABLE_HOLDS(mcuprofi_functions, head.mask, mask, MCUPROF_TABLE_MASK);
TABLE_HOLDS(mcuprofi_functions, head.flip, flip, MCUPROF_TABLE_FLIP);
TABLE_HOLDS(mcuprofi_functions, head.now, now, MCUPROF_TABLE_NOW);
TABLE_HOLDS(mcuprofi_functions, head.turns, turns, MCUPROF_TABLE_TURNS);
TABLE_HOLDS(mcuprofi_functions, head.no_context, no_context,
            MCUPROF_TABLE_NO_CONTEXT);
TABLE_HOLDS(mcuprofi_functions, head.slow, slow, MCUPROF_TABLE_SLOW);
TABLE_HOLDS(mcuprofi_functions, head.began, began, MCUPROF_TABLE_BEGAN);
TABLE_HOLDS(mcuprofi_functions, head.ended, ended, MCUPROF_TABLE_ENDED);
TABLE_HOLDS(mcuprofi_functions, head.hello, hello, MCUPROF_TABLE_HELLO);
TABLE_HOLDS(mcuprofi_functions, head.generation, generation,
            MCUPROF_TABLE_GENERATION);
TABLE_HOLDS(mcuprofi_functions, head.again_enter, again_enter,
            MCUPROF_TABLE_AGAIN_ENTER);
TABLE_HOLDS(mcuprofi_functions, head.again_exit, again_exit,
            MCUPROF_TABLE_AGAIN_EXIT);
TABLE_HOLDS(mcuprofi_functions, head.extend, extend, MCUPROF_TABLE_EXTEND);
TABLE_HOLDS(mcuprofi_functions, rows, rows, MCUPROF_TABLE_BYTES);

TABLE_HOLDS(mcuprofi_function_state, gate, gate, MCUPROF_TABLE_STATE_GATE);
TABLE_HOLDS(mcuprofi_function_state, top, top, MCUPROF_TABLE_STATE_TOP);
TABLE_HOLDS(mcuprofi_function_state, limit, limit, MCUPROF_TABLE_STATE_LIMIT);
TABLE_HOLDS(mcuprofi_function_state, index, index, MCUPROF_TABLE_STATE_INDEX);
TABLE_HOLDS(mcuprofi_function_state, epoch, epoch, MCUPROF_TABLE_STATE_EPOCH);

TABLE_HOLDS(mcuprofi_function_row, calls, calls, MCUPROF_TABLE_ROW_CALLS);
TABLE_HOLDS(mcuprofi_function_row, self, self, MCUPROF_TABLE_ROW_SELF);
TABLE_HOLDS(mcuprofi_function_row, total, total, MCUPROF_TABLE_ROW_TOTAL);
TABLE_HOLDS(mcuprofi_function_row, min, min, MCUPROF_TABLE_ROW_MIN);
TABLE_HOLDS(mcuprofi_function_row, span, span, MCUPROF_TABLE_ROW_SPAN);
TABLE_HOLDS(mcuprofi_function_row, self_high, self_high,
            MCUPROF_TABLE_ROW_SELF_HIGH);
TABLE_HOLDS(mcuprofi_function_row, total_high, total_high,
            MCUPROF_TABLE_ROW_TOTAL_HIGH);
TABLE_HOLDS(mcuprofi_function_row, index, index, MCUPROF_TABLE_ROW_INDEX);
TABLE_HOLDS(mcuprofi_function_row, min_high, min_high,
            MCUPROF_TABLE_ROW_MIN_HIGH);
TABLE_HOLDS(mcuprofi_function_row, max_high, max_high,
            MCUPROF_TABLE_ROW_MAX_HIGH);
TABLE_HOLDS(mcuprofi_function_row, more, more, MCUPROF_TABLE_ROW_MORE);
TABLE_HOLDS(mcuprofi_function_row, key, key, MCUPROF_TABLE_ROW_KEY);

TABLE_HOLDS(mcuprofi_function_context, used, used, MCUPROF_TABLE_CONTEXT_USED);
TABLE_HOLDS(mcuprofi_function_context, state, state,
            MCUPROF_TABLE_CONTEXT_STATE);
TABLE_HOLDS(mcuprofi_function_context, below, below,
            MCUPROF_TABLE_CONTEXT_BELOW);
TABLE_HOLDS(mcuprofi_function_context, base, base, MCUPROF_TABLE_CONTEXT_BASE);
TABLE_HOLDS(mcuprofi_function_context, v, v, MCUPROF_TABLE_CONTEXT_V);
TABLE_HOLDS(mcuprofi_function_context, below_v, below_v,
            MCUPROF_TABLE_CONTEXT_BELOW_V);
TABLE_HOLDS(mcuprofi_function_context, reset_v, reset_v,
            MCUPROF_TABLE_CONTEXT_RESET_V);
TABLE_HOLDS(mcuprofi_function_context, excess, excess,
            MCUPROF_TABLE_CONTEXT_EXCESS);
TABLE_HOLDS(mcuprofi_function_context, pending, pending,
            MCUPROF_TABLE_CONTEXT_PENDING);
TABLE_HOLDS(mcuprofi_function_context, unwound, unwound,
            MCUPROF_TABLE_CONTEXT_UNWOUND);
TABLE_HOLDS(mcuprofi_function_context, unmatched, unmatched,
            MCUPROF_TABLE_CONTEXT_UNMATCHED);
TABLE_HOLDS(mcuprofi_function_context, deep, deep, MCUPROF_TABLE_CONTEXT_DEEP);
TABLE_HOLDS(mcuprofi_function_context, tries, tries,
            MCUPROF_TABLE_CONTEXT_TRIES);
TABLE_HOLDS(mcuprofi_function_context, outside, outside,
            MCUPROF_TABLE_CONTEXT_OUTSIDE);
TABLE_HOLDS(mcuprofi_function_context, hooks, hooks,
            MCUPROF_TABLE_CONTEXT_HOOKS);
TABLE_HOLDS(mcuprofi_function_context, none, none, MCUPROF_TABLE_CONTEXT_NONE);

TABLE_HOLDS(mcuprofi_function_frame, tag, tag, MCUPROF_TABLE_FRAME_TAG);
TABLE_HOLDS(mcuprofi_function_frame, start, start, MCUPROF_TABLE_FRAME_START);
TABLE_HOLDS(mcuprofi_function_frame, row, row, MCUPROF_TABLE_FRAME_ROW);
TABLE_HOLDS(mcuprofi_function_frame, children, children,
            MCUPROF_TABLE_FRAME_CHILDREN);
TABLE_HOLDS(mcuprofi_function_frame, lr, lr, MCUPROF_TABLE_FRAME_MORE);
TABLE_HOLDS(mcuprofi_function_frame, before, before,
            MCUPROF_TABLE_FRAME_BEFORE);

#define TABLE_HAS(what, size)                                                  \
    typedef char                                                               \
            mcuprofi_check_size_##what[sizeof(struct what) == (size) ? 1 : -1]
TABLE_HAS(mcuprofi_function_state, MCUPROF_TABLE_STATE_SIZE);
TABLE_HAS(mcuprofi_function_row, MCUPROF_TABLE_ROW_BYTES);
TABLE_HAS(mcuprofi_function_context, MCUPROF_TABLE_CONTEXT_BYTES);
TABLE_HAS(mcuprofi_function_frame, MCUPROF_TABLE_FRAME_BYTES);
/* Contexts lie behind the rows, frames behind the contexts. */
typedef char mcuprofi_check_table_contexts
        [offsetof(struct mcuprofi_functions, contexts)
                         == MCUPROF_TABLE_BYTES
                                    + MCUPROF_FUNCTIONS_SLOTS
                                              * MCUPROF_TABLE_ROW_BYTES
                 ? 1
                 : -1];
typedef char mcuprofi_check_table_frames
        [offsetof(struct mcuprofi_functions, frames)
                         == offsetof(struct mcuprofi_functions, contexts)
                                    + sizeof(mcuprof_functions.contexts)
                 ? 1
                 : -1];
typedef char mcuprofi_check_table_raw[MCUPROF_TABLE_RAW == MCUPROF_FUNCTIONS_RAW
                                              ? 1
                                              : -1];

#endif
