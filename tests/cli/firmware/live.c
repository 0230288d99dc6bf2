/* SPDX-License-Identifier: MIT */
/*
 * Hooks in flash and in a function that is copied to RAM near to it, as an
 * ITCM is. Who looks at the counters sees which hooks are still called.
 */
#include <stdint.h>

#define QUIET __attribute__((no_instrument_function))
#ifdef WITH_INLINED
#define QUIET_IF_ALONE
#define KEPT __attribute__((noinline, noclone, used))
#else
#define QUIET_IF_ALONE QUIET
#define KEPT __attribute__((noinline, used))
#endif

QUIET KEPT void __cyg_profile_func_enter(void *function, void *call_site);
QUIET KEPT void __cyg_profile_func_exit(void *function, void *call_site);
QUIET void Reset_Handler(void);
uint32_t in_flash(uint32_t value);
uint32_t in_ram(uint32_t value);

extern uint32_t stack_top, fast_start, fast_end, fast_load;

volatile uint32_t flash_calls;
volatile uint32_t ram_calls;
volatile uint32_t exits;
volatile uint32_t rounds;

__attribute__((section(".vectors"),
               used)) static const void *const vectors[] = {
        &stack_top, (const void *)Reset_Handler, (const void *)Reset_Handler,
        (const void *)Reset_Handler};

void __cyg_profile_func_enter(void *function, void *call_site)
{
    (void)call_site;
    if (((uintptr_t)function & ~1u) == ((uintptr_t)in_ram & ~1u))
        ram_calls++;
    else
        flash_calls++;
}

void __cyg_profile_func_exit(void *function, void *call_site)
{
    (void)function;
    (void)call_site;
    exits++;
}

KEPT uint32_t in_flash(uint32_t value)
{
    return value * 3 + rounds;
}

/* A body within another, with hooks of its own, if that is asked for. */
static inline __attribute__((always_inline)) QUIET_IF_ALONE uint32_t
within(uint32_t value)
{
    return value + rounds;
}

KEPT __attribute__((section(".fast"), long_call)) uint32_t
in_ram(uint32_t value)
{
    rounds++;
    return within(value);
}

void Reset_Handler(void)
{
    uint32_t *from = &fast_load;

    for (uint32_t *to = &fast_start; to < &fast_end;)
        *to++ = *from++;
    for (uint32_t value = 0;;)
        value = in_ram(in_flash(value));
}
