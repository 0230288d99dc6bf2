/* SPDX-License-Identifier: MIT */
#ifndef MCUPROF_CLI_PRINT_ADVISE_H
#define MCUPROF_CLI_PRINT_ADVISE_H

/*
 * What `advise` says: a table with its sums, or what a tool is to be told.
 */

#include "advise_session.h"
#include "output.h"

/** As a table, CSV or JSON. errors: MCUPROF_E_NOMEM */
int print_advise(struct output *output, struct advise_session *session);

/** What to tell `select`, gcc, clang or the firmware; warnings on standard
    error. errors: MCUPROF_E_NOMEM */
int print_advice_list(struct output *output,
                      const struct advise_session *session);

/* How each list begins. */
#define ADVICE_LIST_HEAD "# mcuprof advise"

/** The list that `select --from` takes. */
void print_advice_select(FILE *stream, const struct advise_session *session);

/** The readable name of FUNCTION. */
void print_advise_name(const struct advise_session *session,
                       const struct advise_function *function,
                       char out[DEMANGLE_MAX]);

/** The prediction in a few lines, each after PREFIX. */
void print_advise_outcome(FILE *stream, const char *prefix,
                          const struct advise_session *session);

#endif
