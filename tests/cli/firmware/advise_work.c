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

int main(void)
{
    short_one();
    short_one_more();
    long_one();
    copied();
    return 0;
}
