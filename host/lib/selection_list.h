/* SPDX-License-Identifier: MIT */
#ifndef MCUPROF_HOST_SELECTION_LIST_H
#define MCUPROF_HOST_SELECTION_LIST_H

/*
 * A list of what to select, by name, a line each:
 *
 *     # comment
 *     drop crc16_update
 *     drop-inlined list_find
 *     keep main
 *
 * The last line of a name counts. Names are exact, the linker's or as written
 * in the source.
 */

#include "error.h"

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

enum selection_act {
    SELECTION_ACT_NONE,
    SELECTION_ACT_KEEP, /* inlined bodies as well */
    SELECTION_ACT_DROP,
    SELECTION_ACT_DROP_INLINED
};

struct selection_line {
    const char *name;
    enum selection_act act;
    size_t number; /* of the line, from 1 on */
};

struct selection_list {
    char *text;
    struct selection_line *lines; /* by name, of a name by number */
    size_t count;
};

/**
 * Read the list in the file PATH, "-" for standard input; free with
 * selection_list_free().
 * errors: MCUPROF_E_IO, _NOMEM; _FORMAT a line that is none
 */
int selection_list_read(struct selection_list **out, const char *path,
                        struct error *error) MUST_CHECK;

/** Free LIST; NULL is allowed. */
void selection_list_free(struct selection_list *list);

/** The last line of NAME; NULL if there is none. */
const struct selection_line *
selection_list_find(const struct selection_list *list, const char *name);

#ifdef __cplusplus
}
#endif

#endif
