/* SPDX-License-Identifier: MIT */
/*
 * An NMI with hooks. Where sections are masked it can come into one: its calls
 * are counted as lost, and no record is another's; elsewhere they are recorded
 * as any interrupt's. It is pended by an interrupt that comes everywhere.
 */
#include "board.h"
#include "mcuprof.h"
#include "mcuprof_ring.h"

#define ICSR (*(volatile uint32_t *)0xE000ED04u)
#define NMIPENDSET (1u << 31)
#define ROUNDS 40u
#define CALLS_MAX 100u
#define NMIS_MAX 6u

void NMI_Handler(void);
void TIMER0_Handler(void);
void leaf(void);
void nmi_leaf(void);

static volatile uint32_t nmis;

__attribute__((noinline)) void leaf(void)
{
    __asm__ volatile("");
}

__attribute__((noinline)) void nmi_leaf(void)
{
    nmis++;
}

/* A hook each at its begin and its end, and in what it calls. */
void NMI_Handler(void)
{
    nmi_leaf();
    mcuprof_mark(1, nmis);
}

__attribute__((no_instrument_function)) void TIMER0_Handler(void)
{
    board_timer_clear(0);
    ICSR = NMIPENDSET;
}

/* Records of each kind, in a ring that has not wrapped. */
struct found {
    uint32_t calls; /* of thread mode */
    uint32_t nmi;   /* events and marks of the NMI */
    uint32_t wrong;
};

__attribute__((no_instrument_function)) static int is_of(uint32_t word,
                                                         void (*function)(void))
{
    return (word | 1u) == ((uint32_t)(uintptr_t)function | 1u);
}

__attribute__((no_instrument_function)) static struct found look(void)
{
    const struct mcuprofi_slot *head =
            (const struct mcuprofi_slot *)mcuprof_trace.block.head;
    struct found found = {mcuprof_trace.block.laps, 0, 0};
    uint32_t context = 0xFFFFFFFFu;
    for (const struct mcuprofi_slot *slot = mcuprof_trace.slots; slot < head;
         slot++) {
        uint32_t word = slot->word;
        int is_mark = word >> 24 == MCUPROF_TRACE_MARK
                      || word >> 24 == MCUPROF_TRACE_VALUE;
        if (word >> 24 == MCUPROF_TRACE_CONTEXT) {
            context = word & 0xFFFFu;
        } else if (is_mark || is_of(word, NMI_Handler)
                   || is_of(word, nmi_leaf)) {
            found.nmi++;
            found.wrong += context != 2u;
        } else if (is_of(word, leaf)) {
            found.calls++;
            found.wrong += context != 0;
        }
    }
    return found;
}

__attribute__((no_instrument_function)) int main(void)
{
    static const struct mcuprof_config config = {
            .core_hz = BOARD_CLOCK_HZ,
#ifdef BOARD_COUNTER
            .clock = (const volatile uint32_t *)BOARD_COUNTER,
            .clock_hz = BOARD_COUNTER_HZ,
#endif
            .write = board_uart_write,
    };
    uint32_t wrong = 0;
    uint32_t all = 0;
    if (mcuprof_init(&config) != 0) {
        return 1;
    }
    for (uint32_t round = 0; round < ROUNDS; round++) {
        if (mcuprof_trace_start(NULL) != 0) {
            return 1;
        }
        uint32_t before = nmis;
        uint32_t calls = 0;
        board_timer_start(0, 900u + 7u * round);
        while (calls < CALLS_MAX && nmis - before < NMIS_MAX) {
            leaf();
            calls++;
        }
        board_timer_stop(0);
        (void)mcuprof_trace_stop();
        uint32_t came = nmis - before;
        struct found found = look();
        uint32_t lost = (uint32_t)mcuprof_trace.block.lost;
        all += came;
        wrong += found.wrong + (found.calls != 2u * calls);
        wrong += found.nmi + lost != 6u * came;
        wrong += MCUPROFI_SECTION_MASKS ? found.nmi : lost;
    }
    board_print("wrong %u nmis %u\n", (unsigned)wrong, (unsigned)all);
    return wrong != 0 || all < ROUNDS;
}
