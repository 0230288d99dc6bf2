/* SPDX-License-Identifier: MIT */
#ifndef FUNCTIONS_VIEWS_H
#define FUNCTIONS_VIEWS_H

#include <stdint.h>

/* A round of calls: recursion, more functions than slots, more than fit the
   stack, and, in the middle, an interrupt. */
void views_round(unsigned round);

/* So many calls of itself, and views_end() in the innermost if it ends. */
void views_descend(unsigned depth, unsigned ends);

/* By functions_views.c, without a hook: */
void views_pass(uint32_t ticks);
void views_pend(unsigned timer);
void views_end(void);

#endif
