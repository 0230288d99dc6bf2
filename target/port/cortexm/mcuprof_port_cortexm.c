/* SPDX-License-Identifier: MIT */
/*
 * Every Cortex-M, chosen by ACLE feature macros, never by core name.
 * Register addresses: ARMv7-M ARM B3.2 (SCB, SysTick), B3.4 (NVIC), C1.6
 * (DEMCR), C1.8 (DWT); the same on ARMv6-M and ARMv8-M where they exist.
 */
#include "mcuprof_internal.h"

#if MCUPROF_ENABLED

MCUPROF_NO_INSTRUMENT static volatile uint32_t *mcuprofi_reg(uint32_t address)
{
    return (volatile uint32_t *)(uintptr_t)address;
}

#define DWT_CTRL 0xE0001000u
#define DWT_CYCCNT 0xE0001004u
#define DWT_LAR 0xE0001FB0u
#define DWT_LSR 0xE0001FB4u
#define ICTR 0xE000E004u
#define SYST_CSR 0xE000E010u
#define SYST_RVR 0xE000E014u
#define SYST_CVR 0xE000E018u
#define NVIC_ISER 0xE000E100u
#define NVIC_IPR 0xE000E400u
#define CPUID 0xE000ED00u
#define ICSR 0xE000ED04u
#define VTOR 0xE000ED08u
#define AIRCR 0xE000ED0Cu
#define SHPR1 0xE000ED18u
#define CFSR 0xE000ED28u
#define DEMCR 0xE000EDFCu

#define DEMCR_TRCENA (1u << 24)
#define DWT_UNLOCK 0xC5ACCE55u
#define LSR_LOCKED 3u /* a lock exists and is closed */
#define SYST_RUN 7u   /* enable, interrupt, core clock */
#define SYST_COUNT 5u /* enable, core clock */
#define SYST_MAX 0xFFFFFFu
#define ICSR_PENDSTSET (1u << 26)
#define EXCEPTION_SYSTICK 15u
#define EXCEPTION_IRQ0 16u

/* Mainline cores have CFSR, and the cycle counter if the vendor wants it. */
#if defined(__ARM_ARCH_ISA_THUMB) && __ARM_ARCH_ISA_THUMB >= 2
#define HAS_DWT 1
#else
#define HAS_DWT 0
#endif

#if MCUPROF_STREAM || MCUPROF_TRACE || MCUPROF_FUNCTIONS
/*
 * Only a stream or the call ring has a clock. Linkers drop what nobody calls,
 * but debuggers then find it at address 0: where flash begins there, it would
 * give its name to what runs.
 */

uint32_t mcuprof_port_cpuid(void)
{
    return *mcuprofi_reg(CPUID);
}

/* Two reads a few cycles apart: NOCYCCNT cannot be trusted. */
static int mcuprofi_advances(uint32_t address)
{
    uint32_t first = *mcuprofi_reg(address);
    for (volatile int i = 0; i < 8; i++) {
    }
    return *mcuprofi_reg(address) != first;
}

/*
 * Switches the cycle counter on and proves it.
 *
 * returns: MCUPROF_REASON_ADVANCES, or why not
 */
static uint8_t mcuprofi_start_dwt(void)
{
    if (!HAS_DWT) {
        return MCUPROF_REASON_NO_DWT;
    }
    *mcuprofi_reg(DEMCR) |= DEMCR_TRCENA;
    if ((*mcuprofi_reg(DEMCR) & DEMCR_TRCENA) == 0) {
        return MCUPROF_REASON_NO_TRCENA;
    }
    /* Cortex-M7 and some others: CoreSight software lock. */
    if ((*mcuprofi_reg(DWT_LSR) & LSR_LOCKED) == LSR_LOCKED) {
        *mcuprofi_reg(DWT_LAR) = DWT_UNLOCK;
    }
    *mcuprofi_reg(DWT_CTRL) |= 1u;
    if (!mcuprofi_advances(DWT_CYCCNT)) {
        return MCUPROF_REASON_STANDS_STILL;
    }
    return MCUPROF_REASON_ADVANCES;
}

static void mcuprofi_use_systick(struct mcuprofi_clock *clock, uint8_t source)
{
    clock->reg = mcuprofi_reg(SYST_CVR);
    clock->bits = 24u | MCUPROF_CLOCK_DOWN;
    clock->source = source;
    clock->mask = SYST_MAX;
    clock->flip = SYST_MAX;
}

/* Stopped, or counting as we let it count after an earlier init. */
static int mcuprofi_systick_is_free(void)
{
    uint32_t control = *mcuprofi_reg(SYST_CSR) & SYST_RUN;
    return (control & 1u) == 0
           || (control == SYST_COUNT && *mcuprofi_reg(SYST_RVR) == SYST_MAX);
}

/* Runs on the external reference, whose rate nobody told us. */
static int mcuprofi_systick_is_foreign(void)
{
    return (*mcuprofi_reg(SYST_CSR) & SYST_COUNT) == 1u;
}

/* Counts down from 2^24 - 1 without interrupts. */
static void mcuprofi_systick_run_free(void)
{
    *mcuprofi_reg(SYST_RVR) = SYST_MAX;
    *mcuprofi_reg(SYST_CVR) = 0;
    *mcuprofi_reg(SYST_CSR) = SYST_COUNT;
}

void mcuprof_port_clock_choose(const struct mcuprof_config *config,
                               struct mcuprofi_clock *clock)
{
    clock->reason = mcuprofi_start_dwt();
    if (clock->reason == MCUPROF_REASON_ADVANCES) {
        clock->reg = mcuprofi_reg(DWT_CYCCNT);
        clock->mask = 0xFFFFFFFFu;
        clock->flip = 0;
        clock->bits = 32;
        clock->source = MCUPROF_CLOCK_DWT;
    } else if (config->timer == &mcuprof_timer_systick) {
        /* Until the start it measures what a sample costs. */
        mcuprofi_systick_run_free();
        mcuprofi_use_systick(clock, MCUPROF_CLOCK_SYSTICK_SAMPLER);
    } else if (config->timer == &mcuprof_timer_systick_shared
               && !mcuprofi_systick_is_foreign()) {
        mcuprofi_use_systick(clock, MCUPROF_CLOCK_SYSTICK_SHARED);
    } else if (config->timer != &mcuprof_timer_systick_shared
               && mcuprofi_systick_is_free()) {
        mcuprofi_systick_run_free();
        mcuprofi_use_systick(clock, MCUPROF_CLOCK_SYSTICK);
    } else {
        clock->reg = mcuprofi_reg(CPUID);
        clock->mask = 0;
        clock->flip = 0;
        clock->bits = 0;
        clock->source = MCUPROF_CLOCK_NONE;
    }
}

#endif

static void mcuprofi_systick_start(uint32_t interval)
{
    volatile uint8_t *priorities = (volatile uint8_t *)(uintptr_t)SHPR1;
    *mcuprofi_reg(SYST_CSR) = 0;
    if (HAS_DWT) {
        priorities[EXCEPTION_SYSTICK - 4u] = MCUPROF_PRIORITY;
    } else {
        /* ARMv6-M: word access only. */
        uint32_t others = *mcuprofi_reg(SHPR1 + 8u) & 0x00FFFFFFu;
        *mcuprofi_reg(SHPR1 + 8u) = others | (uint32_t)MCUPROF_PRIORITY << 24;
    }
    *mcuprofi_reg(SYST_RVR) = interval - 1u;
    *mcuprofi_reg(SYST_CVR) = 0;
    *mcuprofi_reg(SYST_CSR) = SYST_RUN;
}

static void mcuprofi_systick_stop(void)
{
    *mcuprofi_reg(SYST_CSR) = 0;
}

const struct mcuprof_timer mcuprof_timer_systick = {
        (volatile uint32_t *)SYST_RVR,
        0,
        SYST_MAX,
        EXCEPTION_SYSTICK,
        mcuprofi_systick_start,
        mcuprofi_systick_stop,
};

const struct mcuprof_timer mcuprof_timer_systick_shared = {
        NULL, 0, SYST_MAX, EXCEPTION_SYSTICK, NULL, NULL,
};

MCUPROF_NO_INSTRUMENT int mcuprof_port_systick_pending(void)
{
    return (*mcuprofi_reg(ICSR) & ICSR_PENDSTSET) != 0;
}

uint32_t mcuprof_port_systick_reload(void)
{
    uint32_t on_core_clock =
            (*mcuprofi_reg(SYST_CSR) & SYST_COUNT) == SYST_COUNT;
    return on_core_clock ? *mcuprofi_reg(SYST_RVR) & SYST_MAX : 0;
}

MCUPROF_NO_INSTRUMENT uint32_t mcuprof_port_fault(void)
{
    return HAS_DWT ? *mcuprofi_reg(CFSR) : 0;
}

MCUPROF_NO_INSTRUMENT unsigned mcuprof_port_exception(void)
{
    uint32_t ipsr;
    __asm volatile("mrs %0, ipsr" : "=r"(ipsr));
    return ipsr & 0x1FFu;
}

/* The part of the priority that decides preemption (AIRCR.PRIGROUP). */
static uint32_t mcuprofi_group_mask(void)
{
    uint32_t bits = ((*mcuprofi_reg(AIRCR) >> 8) & 7u) + 1u;
    return 0xFFu & ~((1u << bits) - 1u);
}

int mcuprof_port_priority(unsigned exception)
{
    uint32_t mask = mcuprofi_group_mask();
    uint32_t index;
    uint32_t base;
    if (exception < 4) {
        return -1;
    }
    if (exception < EXCEPTION_IRQ0) {
        index = exception - 4u;
        base = SHPR1;
    } else {
        index = exception - EXCEPTION_IRQ0;
        base = NVIC_IPR;
    }
    uint32_t word = *mcuprofi_reg(base + (index & ~3u));
    return (int)((word >> (8u * (index & 3u))) & mask);
}

int mcuprof_port_enabled(unsigned exception)
{
    if (exception == EXCEPTION_SYSTICK) {
        return (*mcuprofi_reg(SYST_CSR) & 3u) == 3u;
    }
    if (exception < EXCEPTION_IRQ0) {
        /* SVCall and PendSV cannot be switched off. */
        return exception == 11u || exception == 14u;
    }
    uint32_t irq = exception - EXCEPTION_IRQ0;
    return (int)((*mcuprofi_reg(NVIC_ISER + irq / 32u * 4u) >> (irq % 32u))
                 & 1u);
}

unsigned mcuprof_port_exception_last(void)
{
    /* ARMv6-M has no ICTR and 32 interrupts at most. */
    uint32_t words = HAS_DWT ? (*mcuprofi_reg(ICTR) & 0xFu) + 1u : 1u;
    uint32_t last = EXCEPTION_IRQ0 - 1u + 32u * words;
    return last < 511u ? last : 511u;
}

/* Whatever startup code and linker script offer; the first counts. */
extern const uint8_t __Vectors[] __attribute__((weak));
extern const uint8_t g_pfnVectors[] __attribute__((weak));
extern const uint8_t __isr_vector[] __attribute__((weak));
extern const uint8_t __vector_table[] __attribute__((weak));
extern const uint8_t mcuprof_image_end[] __attribute__((weak));
extern const uint8_t __etext[] __attribute__((weak));
extern const uint8_t _etext[] __attribute__((weak));
extern const uint8_t etext[] __attribute__((weak));
extern const uint8_t mcuprof_build_id[] __attribute__((weak));

static uint32_t mcuprofi_first_of(const uint8_t *const *symbols, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (symbols[i] != NULL) {
            return (uint32_t)(uintptr_t)symbols[i];
        }
    }
    return 0;
}

/* SRAM and what is above it; code below. ARMv7-M ARM B3.1, address map. */
#define SRAM 0x20000000u

/* Reads as 0 on cores without it, where the table is at 0. */
const uint32_t *mcuprof_port_vtor(void)
{
    return (const uint32_t *)(uintptr_t)(*mcuprofi_reg(VTOR) & ~0x7Fu);
}

/*
 * Written between barriers, so that an exception sees the whole table, old or
 * new. Masked, for what VTOR holds of `to` may be no table at all; what need
 * not be masked stands outside (`make bench` has the cycles).
 * Source: ARMv7-M ARM B3.2.5; ARM DAI 0321A, 4.9.
 */
int mcuprof_port_vtor_move(const uint32_t *from, const uint32_t *to)
{
    volatile uint32_t *vtor = mcuprofi_reg(VTOR);
    uint32_t wanted = (uint32_t)(uintptr_t)to;
    uint32_t before = (uint32_t)(uintptr_t)from;
    uint32_t holds = ~wanted;
    uint32_t primask;
    __asm volatile("dsb\n\tmrs %0, primask\n\tcpsid i"
                   : "=r"(primask), "+r"(vtor), "+r"(holds)
                   :
                   : "memory");
    /* The low bits are no address. */
    if ((*vtor ^ before) < 0x80u) {
        *vtor = wanted;
        holds = *vtor;
        if (holds != wanted) {
            *vtor = before;
        }
        __asm volatile("dsb\n\tisb" : : : "memory");
    }
    __asm volatile("msr primask, %1" : "+r"(holds) : "r"(primask) : "memory");
    return holds == wanted;
}

/*
 * A table that was copied to RAM is not in the ELF: the one it was copied from
 * counts, which only we know of our own copy. What is at 0 may be any memory's
 * alias, RAM's too.
 */
uint32_t mcuprof_port_vectors(void)
{
    const uint8_t *const tables[] = {__Vectors, g_pfnVectors, __isr_vector,
                                     __vector_table};
    uint32_t now =
            (uint32_t)(uintptr_t)mcuprofi_attach_origin(mcuprof_port_vtor());
    uint32_t boot =
            mcuprofi_first_of(tables, sizeof(tables) / sizeof(tables[0]));
    int elsewhere = now >= SRAM || now == 0;
    return elsewhere && boot != 0 && boot < SRAM ? boot : now;
}

uint32_t mcuprof_port_code_length(uint32_t start)
{
    const uint8_t *const ends[] = {mcuprof_image_end, __etext, _etext, etext};
    uint32_t end = mcuprofi_first_of(ends, sizeof(ends) / sizeof(ends[0]));
    /* A table at the alias 0 of flash that is linked somewhere above. */
    if (start == 0) {
        end &= 0xFFFFFFu;
    }
    return end > start ? end - start : 0;
}

uint8_t mcuprof_port_code_byte(uint32_t address)
{
    return *(const volatile uint8_t *)(uintptr_t)address;
}

const uint8_t *mcuprof_port_build_id(void)
{
    return mcuprof_build_id;
}

#endif
