/* SPDX-License-Identifier: MIT */
#ifndef BENCH_H
#define BENCH_H

/*
 * run.sh counts between these two. For the one source file of a firmware that
 * calls them.
 */

void bench_begin(void);
void bench_end(void);

__attribute__((noinline)) void bench_begin(void)
{
    __asm__ volatile("");
}

__attribute__((noinline)) void bench_end(void)
{
    __asm__ volatile("");
}

#endif
