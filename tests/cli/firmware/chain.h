/* SPDX-License-Identifier: MIT */
/*
 * One function that two units inline, a name that both have, and a label at
 * each spot that a test asks for.
 */
#ifndef CHAIN_H
#define CHAIN_H

extern volatile unsigned counter;

#define SPOT_(name) __asm__ volatile(".global " #name "\n" #name ":\n\tnop")
#define SPOT(name) SPOT_(name)
#define INLINE static inline __attribute__((always_inline))

INLINE void innermost(void)
{
    counter++;
    SPOT(IN_INNERMOST); /* spot innermost */
}

INLINE void middle(void)
{
    SPOT(IN_MIDDLE); /* spot middle */
    innermost();     /* call innermost */
}

#endif
