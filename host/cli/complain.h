/* SPDX-License-Identifier: MIT */
#ifndef MCUPROF_CLI_COMPLAIN_H
#define MCUPROF_CLI_COMPLAIN_H

/*
 * Errors for people: one line of cause, one of remedy, and the exit status.
 */

#include "error.h"

enum status {
    STATUS_FINE = 0,
    STATUS_FAILED = 1,
    STATUS_USAGE = 2,
    STATUS_INCOMPLETE = 3,
    STATUS_UNREACHABLE = 4,
    STATUS_SIGNAL = 128
};

/** Print ERROR; returns the exit status its code stands for. */
int complain(const struct error *error);

/** Print a usage error with its REMEDY; returns STATUS_USAGE. */
int complain_usage(const char *remedy, const char *cause_format, ...)
        __attribute__((format(printf, 2, 3)));

/** Print a warning: as an error, but work goes on. */
void warn(const char *remedy, const char *cause_format, ...)
        __attribute__((format(printf, 2, 3)));

#endif
