/* SPDX-License-Identifier: MIT */
#ifndef CORE_MODEL_H
#define CORE_MODEL_H

/*
 * A Cortex-M whose system registers are modelled here and whose instructions
 * libunicorn executes: QEMU has no DWT. Addresses, reset values and access
 * rules follow ARMv7-M ARM B3 and C1 and ARMv6-M ARM B3; the lock is that of
 * the Cortex-M7 TRM (DWT_LAR, DWT_LSR).
 *
 *     0x1FFF8000  the image's code, which nothing may write
 *     0x20000000  its data, and the stack from the end down
 *     0xE0001000  DWT, nothing at all on ARMv6-M
 *     0xE000E000  SysTick, NVIC, SCB, DEMCR
 *
 * Time passes by `step` ticks an instruction, in both counters. The first
 * access that the architecture does not allow stops the core and stays in
 * `fault`.
 */

#include <string.h>

#include <unicorn/unicorn.h>

#include "arm_fixture.h"

/* Apart: unicorn 2.0.1 leaks where a page holds code and is written. */
#define MODEL_CODE 0x1FFF8000u
#define MODEL_RAM 0x20000000u
#define MODEL_SIZE 0x8000u /* each */
#define MODEL_RETURN (MODEL_RAM - 16u)
#define MODEL_STACK (MODEL_RAM + MODEL_SIZE)
#define MODEL_CALL_MAX 1000000u

#define MODEL_DWT 0xE0001000u
#define MODEL_SCS 0xE000E000u

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
#define SHPR3 0xE000ED20u
#define DEMCR 0xE000EDFCu

#define TRCENA (1u << 24)
#define NOCYCCNT (1u << 25)
#define CYCCNTENA 1u
#define PENDSTSET (1u << 26)
#define CTRL_READ_ONLY 0xFF000000u
#define CTRL_RESET 0x40000000u /* four comparators, all features */
#define LAR_KEY 0xC5ACCE55u

enum {
    MODEL_LOG = 4096,
    MODEL_SYMBOLS = 256
};

struct access {
    uint32_t address;
    uint32_t value;
    unsigned size;
};

struct core_model {
    uc_engine *uc;
    bool v6m;
    /* How the chip was built. */
    bool no_trace;     /* TRCENA does not stick */
    bool no_cyccnt;    /* the counter stands still */
    bool has_lock;     /* DWT_LAR, DWT_LSR */
    bool lock_is_firm; /* the key does not open it */
    /* Its state. */
    bool locked;
    uint32_t demcr;
    uint32_t dwt_ctrl;
    uint32_t cyccnt;
    uint32_t syst_csr;
    uint32_t syst_rvr;
    uint32_t syst_cvr;
    uint32_t icsr;
    uint32_t ictr;
    uint32_t aircr;
    uint32_t shpr[3];
    uint32_t iser[16];
    uint32_t ipr[124];
    uint32_t step;
    uint64_t ticks;      /* that have passed, counted or not */
    uint64_t clock_read; /* `ticks` when a counter was last read */
    /* What the software did. */
    struct access writes[MODEL_LOG];
    size_t write_count;
    unsigned dwt_reads;
    char fault[96];
    /* The image. */
    struct nm_table nm;
};

static inline void model_fault(struct core_model *m, const char *what,
                               uint32_t address, unsigned size)
{
    if (m->fault[0] == '\0')
        (void)snprintf(m->fault, sizeof m->fault, "%s: 0x%08X, %u bytes", what,
                       (unsigned)address, size);
    (void)uc_emu_stop(m->uc);
}

static inline bool model_cyccnt_runs(const struct core_model *m)
{
    return !m->no_cyccnt && (m->demcr & TRCENA) != 0
           && (m->dwt_ctrl & CYCCNTENA) != 0;
}

/* One tick of SysTick: ARMv7-M ARM B3.3.1. */
static inline void model_systick(struct core_model *m)
{
    if ((m->syst_csr & 1u) == 0)
        return;
    if (m->syst_cvr == 0) {
        m->syst_cvr = m->syst_rvr;
        return;
    }
    if (--m->syst_cvr == 0) {
        m->syst_csr |= 1u << 16;
        if ((m->syst_csr & 2u) != 0)
            m->icsr |= PENDSTSET;
    }
}

static inline void model_pass(struct core_model *m, uint32_t ticks)
{
    m->ticks += ticks;
    if (model_cyccnt_runs(m))
        m->cyccnt += ticks;
    for (uint32_t i = 0; i < ticks; i++)
        model_systick(m);
}

/* So many more at once that nobody wants to count them; SysTick free-runs. */
static inline void model_leap(struct core_model *m, uint64_t ticks)
{
    uint64_t period = (uint64_t)m->syst_rvr + 1;

    m->ticks += ticks;
    if (model_cyccnt_runs(m))
        m->cyccnt += (uint32_t)ticks;
    if ((m->syst_csr & 1u) != 0)
        m->syst_cvr =
                (uint32_t)((m->syst_cvr + period - ticks % period) % period);
}

static inline uint32_t dwt_read(struct core_model *m, uint32_t address)
{
    if ((m->demcr & TRCENA) == 0)
        return 0;
    switch (address) {
    case DWT_CTRL:
        return m->dwt_ctrl;
    case DWT_CYCCNT:
        m->clock_read = m->ticks;
        return m->cyccnt;
    case DWT_LSR:
        return (uint32_t)m->has_lock | (uint32_t)m->locked << 1;
    default:
        return 0;
    }
}

static inline void dwt_write(struct core_model *m, uint32_t address,
                             uint32_t value)
{
    if ((m->demcr & TRCENA) == 0)
        return;
    if (address == DWT_LAR && m->has_lock && !m->lock_is_firm)
        m->locked = value != LAR_KEY;
    if (m->locked)
        return;
    if (address == DWT_CTRL)
        m->dwt_ctrl =
                (m->dwt_ctrl & CTRL_READ_ONLY) | (value & ~CTRL_READ_ONLY);
    if (address == DWT_CYCCNT)
        m->cyccnt = value;
}

/* The word that holds a plain register of the SCS; NULL for others. */
static inline uint32_t *scs_word(struct core_model *m, uint32_t address)
{
    if (address >= NVIC_ISER && address < NVIC_ISER + sizeof m->iser)
        return &m->iser[(address - NVIC_ISER) / 4];
    if (address >= NVIC_IPR && address < NVIC_IPR + sizeof m->ipr)
        return &m->ipr[(address - NVIC_IPR) / 4];
    if (address >= SHPR1 && address < SHPR1 + sizeof m->shpr)
        return &m->shpr[(address - SHPR1) / 4];
    switch (address) {
    case SYST_CSR:
        return &m->syst_csr;
    case SYST_RVR:
        return &m->syst_rvr;
    case SYST_CVR:
        return &m->syst_cvr;
    case ICSR:
        return &m->icsr;
    case AIRCR:
        return &m->aircr;
    case DEMCR:
        return &m->demcr;
    default:
        return NULL;
    }
}

static inline bool is_priority(uint32_t address)
{
    return (address >= SHPR1 && address < SHPR1 + 12u)
           || (address >= NVIC_IPR && address < NVIC_IPR + 496u);
}

/* ARMv6-M ARM B3.1: words only, and none of what ARMv7-M added. */
static inline bool scs_allows(const struct core_model *m, uint32_t address,
                              unsigned size)
{
    if (m->v6m
        && (address == DEMCR || address == ICTR || address == SHPR1
            || (address >= NVIC_ISER + 4u && address < NVIC_ISER + 64u)
            || (address >= NVIC_IPR + 32u && address < NVIC_IPR + 496u)))
        return false;
    if (size == 4)
        return address % 4u == 0;
    return size == 1 && !m->v6m && is_priority(address);
}

static inline uint32_t scs_read(struct core_model *m, uint32_t address)
{
    const uint32_t *word = scs_word(m, address & ~3u);
    uint32_t value = word != NULL ? *word : 0;

    switch (address) {
    case ICTR:
        return m->ictr;
    case SYST_CVR:
        m->clock_read = m->ticks;
        return value;
    case CPUID:
        return m->v6m ? 0x410CC200u : 0x410FC241u;
    case VTOR:
        return MODEL_CODE; /* an M0 has none: as on an M0+ */
    case SYST_CSR:
        m->syst_csr &= ~(1u << 16);
        return value;
    default:
        if (word == NULL)
            model_fault(m, "no such register", address, 4);
        return value >> (8u * (address & 3u));
    }
}

static inline void scs_write(struct core_model *m, uint32_t address,
                             unsigned size, uint32_t value)
{
    uint32_t *word = scs_word(m, address & ~3u);
    unsigned shift = 8u * (address & 3u);
    uint32_t mask = size == 1 ? 0xFFu << shift : 0xFFFFFFFFu;

    if (word == NULL || address == AIRCR || address == ICSR) {
        model_fault(m, "nobody writes this register", address, size);
        return;
    }
    value = value << shift & mask;
    if (address == SYST_CVR)
        value = 0;
    if (address == SYST_CVR || address == SYST_RVR)
        value &= 0xFFFFFFu;
    if (address == DEMCR && m->no_trace)
        value &= ~TRCENA;
    *word = (*word & ~mask) | value;
}

static inline void model_log(struct core_model *m, uint32_t address,
                             unsigned size, uint32_t value)
{
    if (m->write_count < MODEL_LOG)
        m->writes[m->write_count++] = (struct access){address, value, size};
}

static inline uint64_t model_on_read(uc_engine *uc, uint64_t offset,
                                     unsigned size, void *context)
{
    struct core_model *m = context;

    (void)uc;
    if (!scs_allows(m, MODEL_SCS + (uint32_t)offset, size)) {
        model_fault(m, "read", MODEL_SCS + (uint32_t)offset, size);
        return 0;
    }
    return scs_read(m, MODEL_SCS + (uint32_t)offset);
}

static inline void model_on_write(uc_engine *uc, uint64_t offset, unsigned size,
                                  uint64_t value, void *context)
{
    struct core_model *m = context;

    (void)uc;
    model_log(m, MODEL_SCS + (uint32_t)offset, size, (uint32_t)value);
    if (scs_allows(m, MODEL_SCS + (uint32_t)offset, size))
        scs_write(m, MODEL_SCS + (uint32_t)offset, size, (uint32_t)value);
    else
        model_fault(m, "write", MODEL_SCS + (uint32_t)offset, size);
}

static inline uint64_t model_on_dwt_read(uc_engine *uc, uint64_t offset,
                                         unsigned size, void *context)
{
    struct core_model *m = context;

    (void)uc;
    m->dwt_reads++;
    if (m->v6m || size != 4)
        model_fault(m, "read", MODEL_DWT + (uint32_t)offset, size);
    return dwt_read(m, MODEL_DWT + (uint32_t)offset);
}

static inline void model_on_dwt_write(uc_engine *uc, uint64_t offset,
                                      unsigned size, uint64_t value,
                                      void *context)
{
    struct core_model *m = context;

    (void)uc;
    model_log(m, MODEL_DWT + (uint32_t)offset, size, (uint32_t)value);
    if (m->v6m || size != 4)
        model_fault(m, "write", MODEL_DWT + (uint32_t)offset, size);
    dwt_write(m, MODEL_DWT + (uint32_t)offset, (uint32_t)value);
}

static inline void model_on_code(uc_engine *uc, uint64_t address, uint32_t size,
                                 void *context)
{
    struct core_model *m = context;

    (void)uc;
    (void)address;
    (void)size;
    model_pass(m, m->step);
}

static inline void model_must(uc_err error)
{
    if (error != UC_ERR_OK)
        fail_msg("unicorn: %s", uc_strerror(error));
}

/*
 * A core after reset with an image loaded; `elf` has lost its mapping symbols,
 * `binary` is its contents from MODEL_CODE on.
 */
static inline void model_init(struct core_model *m, bool v6m,
                              const struct nm_table *nm, const uint8_t *binary,
                              size_t size)
{
    uc_hook hook;

    memset(m, 0, sizeof *m);
    m->v6m = v6m;
    m->nm = *nm;
    m->step = 1;
    m->dwt_ctrl = CTRL_RESET;
    model_must(uc_open(
            UC_ARCH_ARM,
            (uc_mode)((unsigned)UC_MODE_THUMB | (unsigned)UC_MODE_MCLASS),
            &m->uc));
    model_must(uc_ctl_set_cpu_model(m->uc, v6m ? UC_CPU_ARM_CORTEX_M0
                                               : UC_CPU_ARM_CORTEX_M4));
    model_must(uc_mem_map(m->uc, MODEL_CODE, MODEL_SIZE,
                          (uint32_t)UC_PROT_READ | (uint32_t)UC_PROT_EXEC));
    model_must(uc_mem_map(m->uc, MODEL_RAM, MODEL_SIZE,
                          (uint32_t)UC_PROT_READ | (uint32_t)UC_PROT_WRITE));
    model_must(uc_mem_write(m->uc, MODEL_CODE, binary, size));
    model_must(uc_mmio_map(m->uc, MODEL_DWT, 0x1000, model_on_dwt_read, m,
                           model_on_dwt_write, m));
    model_must(uc_mmio_map(m->uc, MODEL_SCS, 0x1000, model_on_read, m,
                           model_on_write, m));
    model_must(uc_hook_add(m->uc, &hook, UC_HOOK_CODE,
                           (void *)(uintptr_t)model_on_code, m, 1, 0));
}

static inline void model_deinit(struct core_model *m)
{
    if (m->uc != NULL)
        model_must(uc_close(m->uc));
    m->uc = NULL;
}

/* Calls a function of the image with one argument; returns r1:r0. */
static inline uint64_t model_call(struct core_model *m, const char *name,
                                  uint32_t argument)
{
    uint32_t sp = MODEL_STACK;
    uint32_t lr = MODEL_RETURN | 1u;
    uint32_t pc = 0;
    uint32_t r0 = argument;
    uint32_t r1 = 0;
    uc_err error;

    model_must(uc_reg_write(m->uc, UC_ARM_REG_SP, &sp));
    model_must(uc_reg_write(m->uc, UC_ARM_REG_LR, &lr));
    model_must(uc_reg_write(m->uc, UC_ARM_REG_R0, &r0));
    error = uc_emu_start(m->uc, nm_find(&m->nm, name)->address | 1u,
                         MODEL_RETURN, 0, MODEL_CALL_MAX);
    if (m->fault[0] != '\0')
        fail_msg("%s(%u): %s", name, (unsigned)argument, m->fault);
    model_must(error);
    model_must(uc_reg_read(m->uc, UC_ARM_REG_PC, &pc));
    if (pc != MODEL_RETURN)
        fail_msg("%s(%u) has not returned from 0x%08X", name,
                 (unsigned)argument, (unsigned)pc);
    model_must(uc_reg_read(m->uc, UC_ARM_REG_R0, &r0));
    model_must(uc_reg_read(m->uc, UC_ARM_REG_R1, &r1));
    return (uint64_t)r1 << 32 | r0;
}

static inline uint32_t model_word(const struct core_model *m, uint32_t address)
{
    uint8_t b[4];

    model_must(uc_mem_read(m->uc, address, b, sizeof b));
    return b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16
           | (uint32_t)b[3] << 24;
}

#endif
