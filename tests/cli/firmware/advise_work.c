/* SPDX-License-Identifier: MIT */
/* Functions with hooks whose calls tests make up: it never runs. */
volatile unsigned value;

void short_one(void);
void short_one_more(void);
void long_one(void);
void copied(void);
void PendSV_Handler(void);

void PendSV_Handler(void)
{
}

void __attribute__((noinline)) short_one(void)
{
    value++;
}

void __attribute__((noinline)) short_one_more(void)
{
    value--;
}

void __attribute__((noinline)) long_one(void)
{
    while (value != 0)
        value *= 3;
}

static inline __attribute__((always_inline)) void inlined(void)
{
    value ^= 1;
}

void __attribute__((noinline)) copied(void)
{
    inlined();
}

#ifdef TWO_COPIES
void copied_too(void);

static inline __attribute__((always_inline)) void inlined_too(void)
{
    value ^= 2;
}

void __attribute__((noinline)) copied_too(void)
{
    inlined_too();
}
#endif

#ifdef POLLS
/* Calls the profiler's sending through one that has no hooks. */
void polling(void);

#ifdef POLL_IS_INLINED
/* As link-time optimization may leave it: no symbol has its name. */
#define POLL                                                                   \
    static inline __attribute__((always_inline, no_instrument_function))
#else
#define POLL __attribute__((noinline, no_instrument_function))
int mcuprof_poll(void);
#endif

static int __attribute__((noinline, no_instrument_function)) write_all(void)
{
    return (int)value;
}

POLL int mcuprof_poll(void)
{
    return write_all() + (int)value;
}

static void __attribute__((noinline, no_instrument_function)) send(void)
{
    while (mcuprof_poll() > 0)
        continue;
}

void __attribute__((noinline)) polling(void)
{
    send();
    value++;
}
#endif

int main(void)
{
#ifdef POLLS
    polling();
#endif
    short_one();
    short_one_more();
    long_one();
    copied();
#ifdef TWO_COPIES
    copied_too();
#endif
    return 0;
}
