/* SPDX-License-Identifier: MIT */
#ifndef HANG_LOG_H
#define HANG_LOG_H

/* A log: lines are queued by anybody and written out by the main loop. */

/* Queues a line; waits while there is no room. */
void log_line(const char *line);

/* Writes out what is queued. */
void log_flush(void);

/* What the main loop does, again and again: takes a while and logs. */
void work_step(void);

/* How often it has done so. */
unsigned work_steps(void);

#endif
