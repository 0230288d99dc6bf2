/* SPDX-License-Identifier: MIT */
#ifndef MCUPROF_HOST_REPORT_CALLS_H
#define MCUPROF_HOST_REPORT_CALLS_H

/*
 * The function table in reports: its times and their units. For the report*.c
 * files only.
 */

#include "report_rows.h"

/* Self, total, average, min and max, then p50, p95, p99 and the longest of the
   calls that were recorded: a time is told by its number. */
#define REPORT_TIMES 9

/* The units that BUILDER's rows are best read in, or those asked for. */
struct report_scale report_choose_scale(const struct report_builder *builder);

/* The column of a time in the unit; hidden if that is cycles. */
struct table_column report_time_column(unsigned number,
                                       const struct report_builder *builder);

/* Its column in cycles, for the eye if that is the unit. */
struct table_column report_ticks_column(unsigned number,
                                        const struct report_builder *builder);

/* Set the cells; one that ROW has no value for stays unset. */
void report_set_time(struct table_cell *cell, const struct row *row,
                     unsigned number, const struct report_scale *scale);
void report_set_ticks(struct table_cell *cell, const struct row *row,
                      unsigned number);

#endif
