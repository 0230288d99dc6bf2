/* SPDX-License-Identifier: MIT */
#include <stdint.h>

#ifndef CURE
#define CURE
#endif
#include "lint_inline.h"

volatile uint32_t level;

extern inline uint32_t stretch(uint32_t value);
int main(void);
void PendSV_Handler(void);

void PendSV_Handler(void)
{
}

int main(void)
{
    level = 3;
    return squeeze(0x103) == 0 && stretch(1) == 16 && shift(5) == 1 ? 0 : 1;
}
