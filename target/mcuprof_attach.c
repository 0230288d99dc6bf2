/* SPDX-License-Identifier: MIT */
/*
 * Sampling in the interrupt of somebody else's handler: a copy of the vector
 * table in RAM, in which one entry is our trampoline.
 */
#include "mcuprof_internal.h"

#if MCUPROF_ENABLED

#if MCUPROF_VECTORS

#define EXCEPTION_OF_IRQ0 16u

/*
 * The next power of two from the table's size on, at least 128 bytes.
 * Source: ARMv7-M ARM B3.2.5.
 */
#if MCUPROF_VECTORS <= 32
#define VECTOR_TABLE_ALIGNMENT 128
#elif MCUPROF_VECTORS <= 64
#define VECTOR_TABLE_ALIGNMENT 256
#elif MCUPROF_VECTORS <= 128
#define VECTOR_TABLE_ALIGNMENT 512
#elif MCUPROF_VECTORS <= 256
#define VECTOR_TABLE_ALIGNMENT 1024
#else
#define VECTOR_TABLE_ALIGNMENT 2048
#endif

static uint32_t vector_table[MCUPROF_VECTORS]
        __attribute__((aligned(VECTOR_TABLE_ALIGNMENT)));

/* The table that `vector_table` is a copy of. */
static const uint32_t *vector_origin;

static unsigned attached_exception;

/* The handler that the trampoline goes on to; 0: nothing is attached. */
MCUPROF_VISIBLE uint32_t mcuprofi_attached;

void mcuprofi_attach_entry(void);

#if defined(__ARM_ARCH_ISA_THUMB)

/*
 * After the sample SP and LR are as they came, and all else that the handler
 * could know: r0-r3, r12 and the flags, which are spoilt, lie in the frame.
 */
MCUPROF_KEEP __attribute__((naked)) void mcuprofi_attach_entry(void)
{
    /* clang-format off */
    __asm volatile(
        MCUPROF_ENTRY_FRAME
        "    push  {r3, lr}        \n" /* two keep 0 mod 8 */
        "    ldr   r2, 2f          \n"
        "    blx   r2              \n"
        "    pop   {r2, r3}        \n" /* LR by POP: not on ARMv6-M */
        "    mov   lr, r3          \n"
        "    ldr   r2, 3f          \n"
        "    ldr   r2, [r2]        \n"
        "    bx    r2              \n"
        MCUPROF_ENTRY_TARGET(mcuprofi_sample)
        "3:  .word mcuprofi_attached \n");
    /* clang-format on */
}

#else

/* On the desk no interrupt comes; its address stands in the table. */
void mcuprofi_attach_entry(void)
{
}

#endif

/* A timer that we neither program nor start, and of that very interrupt. */
static int mcuprofi_is_somebody_elses(const struct mcuprof_timer *timer,
                                      unsigned exception)
{
    return timer->reload == NULL && timer->start == NULL && timer->stop == NULL
           && (timer->exception == 0 || timer->exception == exception);
}

int mcuprofi_attach_allows(const struct mcuprof_timer *timer)
{
    return mcuprofi_attached == 0
           || mcuprofi_is_somebody_elses(timer, attached_exception);
}

const uint32_t *mcuprofi_attach_origin(const uint32_t *table)
{
    return table == vector_table ? vector_origin : table;
}

/* An entry without the Thumb bit is no handler. */
static int mcuprofi_has_handler(const uint32_t *table, unsigned exception)
{
    return exception <= mcuprof_port_exception_last()
           && (table[exception] & 1u) != 0;
}

int mcuprof_sample_attach(int irqn)
{
    const struct mcuprof_timer *timer = mcuprofi_timer();
    const uint32_t *now = mcuprof_port_vtor();
    unsigned exception = (unsigned)irqn + EXCEPTION_OF_IRQ0;
    if (timer == NULL || mcuprofi_stream_running() || mcuprofi_attached != 0) {
        return MCUPROF_ESTATE;
    }
    if (irqn < -1 || !mcuprofi_has_handler(now, exception)) {
        return MCUPROF_EINVAL;
    }
    if (!mcuprofi_is_somebody_elses(timer, exception)) {
        return MCUPROF_EOWNER;
    }
    if (MCUPROF_VECTORS <= mcuprof_port_exception_last()) {
        return MCUPROF_ETABLE;
    }
    /* All of it: an ARMv8-M Baseline core does not say how many it has. */
    for (unsigned i = 0; i < MCUPROF_VECTORS; i++) {
        vector_table[i] = now[i];
    }
    mcuprofi_attached = vector_table[exception];
    vector_table[exception] = (uint32_t)(uintptr_t)&mcuprofi_attach_entry;
    vector_origin = now;
    attached_exception = exception;
    if (!mcuprof_port_vtor_move(now, vector_table)) {
        mcuprofi_attached = 0;
        return MCUPROF_EVECTORS;
    }
    return 0;
}

int mcuprof_sample_detach(void)
{
    if (mcuprofi_attached == 0 || mcuprofi_stream_running()) {
        return MCUPROF_ESTATE;
    }
    if (!mcuprof_port_vtor_move(vector_table, vector_origin)) {
        return MCUPROF_EVECTORS;
    }
    mcuprofi_attached = 0;
    return 0;
}

#else

int mcuprofi_attach_allows(const struct mcuprof_timer *timer)
{
    (void)timer;
    return 1;
}

const uint32_t *mcuprofi_attach_origin(const uint32_t *table)
{
    return table;
}

int mcuprof_sample_attach(int irqn)
{
    (void)irqn;
    return MCUPROF_ETABLE;
}

int mcuprof_sample_detach(void)
{
    return MCUPROF_ESTATE;
}

#endif

#endif
