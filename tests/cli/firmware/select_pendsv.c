/* SPDX-License-Identifier: MIT */
/* The handler that lint_boot.c leaves to others. */
void PendSV_Handler(void);

void PendSV_Handler(void)
{
}
