/* SPDX-License-Identifier: MIT */
#ifndef VECTORS_H
#define VECTORS_H

/*
 * The vector tables as lists: NAMED(x) is x_Handler, GAP a reserved word.
 * CORE_EXCEPTIONS are numbers 2 to 15; of a family's interrupts only those up
 * to the last one that some firmware here uses.
 */

#define CORE_EXCEPTIONS(NAMED, GAP)                                            \
    NAMED(NMI)                                                                 \
    NAMED(HardFault)                                                           \
    NAMED(MemManage)                                                           \
    NAMED(BusFault)                                                            \
    NAMED(UsageFault)                                                          \
    NAMED(SecureFault)                                                         \
    GAP GAP GAP NAMED(SVC) NAMED(DebugMon) GAP NAMED(PendSV) NAMED(SysTick)

/* CMSDK on the MPS2 (application notes 385, 386 and 500). */
#define MPS2_INTERRUPTS(NAMED, GAP)                                            \
    NAMED(UARTRX0)                                                             \
    NAMED(UARTTX0)                                                             \
    NAMED(UARTRX1)                                                             \
    NAMED(UARTTX1)                                                             \
    NAMED(UARTRX2)                                                             \
    NAMED(UARTTX2)                                                             \
    NAMED(GPIO0)                                                               \
    NAMED(GPIO1)                                                               \
    NAMED(TIMER0)                                                              \
    NAMED(TIMER1)                                                              \
    NAMED(DUALTIMER)

/* SSE-200 and SSE-300 (application notes 505 and 547). */
#define SSE_INTERRUPTS(NAMED, GAP)                                             \
    GAP NAMED(WATCHDOG) NAMED(S32KTIMER) NAMED(TIMER0) NAMED(TIMER1)           \
            NAMED(DUALTIMER)

/* nRF51 (reference manual 3.0, table 10). */
#define NRF51_INTERRUPTS(NAMED, GAP)                                           \
    NAMED(POWER_CLOCK)                                                         \
    NAMED(RADIO)                                                               \
    NAMED(UART0)                                                               \
    NAMED(SPI0_TWI0)                                                           \
    NAMED(SPI1_TWI1)                                                           \
    GAP NAMED(GPIOTE) NAMED(ADC) NAMED(TIMER0) NAMED(TIMER1) NAMED(TIMER2)

#endif
