/* SPDX-License-Identifier: MIT */
#ifndef THREE_HUNDRED_H
#define THREE_HUNDRED_H

/* THREE_HUNDRED(x): x(100) to x(399), for as many functions of one text. */

#define TEN(x, n)                                                              \
    x(n##0) x(n##1) x(n##2) x(n##3) x(n##4) x(n##5) x(n##6) x(n##7) x(n##8)    \
            x(n##9)
#define HUNDRED(x, n)                                                          \
    TEN(x, n##0)                                                               \
    TEN(x, n##1)                                                               \
    TEN(x, n##2)                                                               \
    TEN(x, n##3)                                                               \
    TEN(x, n##4)                                                               \
    TEN(x, n##5)                                                               \
    TEN(x, n##6)                                                               \
    TEN(x, n##7)                                                               \
    TEN(x, n##8)                                                               \
    TEN(x, n##9)
#define THREE_HUNDRED(x) HUNDRED(x, 1) HUNDRED(x, 2) HUNDRED(x, 3)

#endif
