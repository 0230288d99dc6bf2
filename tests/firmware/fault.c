/* SPDX-License-Identifier: MIT */

/* Ends in an exception that has no handler. */
int main(void)
{
    __asm__ volatile("udf #0");
    return 0;
}
