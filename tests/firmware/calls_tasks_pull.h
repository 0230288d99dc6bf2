/* SPDX-License-Identifier: MIT */
#ifndef CALLS_TASKS_PULL_H
#define CALLS_TASKS_PULL_H

#include <stdint.h>

/*
 * In front of everything, the library as well: the ring asks for the task,
 * which nobody announces.
 */
extern volatile uint32_t tasks_current;

#define MCUPROF_CONTEXT_ID() tasks_current

#endif
