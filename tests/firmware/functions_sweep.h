/* SPDX-License-Identifier: MIT */
#ifndef FUNCTIONS_SWEEP_H
#define FUNCTIONS_SWEEP_H

/* What is traced, in thread mode and in all interrupts: it calls another, and
   itself so many times. */
void functions_sweep(unsigned again);
void functions_sweep_leaf(void);

#endif
