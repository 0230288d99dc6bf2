/* SPDX-License-Identifier: MIT */
#ifndef MCUPROF_CLI_SUGGEST_H
#define MCUPROF_CLI_SUGGEST_H

#include <stddef.h>

/*
 * "Did you mean": the closest of some names. Offer them one by one.
 */
struct suggestion {
    const char *wanted;
    const char *best; /* NULL while nothing is close */
    size_t distance;
};

/** Consider NAME; "" is never close. */
void suggest_offer(struct suggestion *suggestion, const char *name);

#endif
