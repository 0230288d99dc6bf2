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

#ifdef POLLS
/* Calls the profiler's sending through one that has no hooks. */
void polling(void);
int mcuprof_poll(void);

int __attribute__((noinline, no_instrument_function)) mcuprof_poll(void)
{
    return (int)value;
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
    return 0;
}
