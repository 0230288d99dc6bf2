/* SPDX-License-Identifier: MIT */
/* Hooks that count. HELPER makes them call something that may have hooks. */
#include <stdint.h>

#define QUIET __attribute__((no_instrument_function))

#ifndef HELPER
#define HELPER(function)
#endif

volatile uint32_t events;

void __cyg_profile_func_enter(void *function, void *call_site);
void __cyg_profile_func_exit(void *function, void *call_site);
void hook_helper(void *function);

QUIET void __cyg_profile_func_enter(void *function, void *call_site)
{
    (void)function;
    (void)call_site;
    events++;
    HELPER(function);
}

QUIET void __cyg_profile_func_exit(void *function, void *call_site)
{
    (void)function;
    (void)call_site;
    events++;
}
