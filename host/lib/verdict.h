/* SPDX-License-Identifier: MIT */
#ifndef MCUPROF_HOST_VERDICT_H
#define MCUPROF_HOST_VERDICT_H

/*
 * What mcuprof_selftest() proved on the user's own board: two loops ran 3:1,
 * and so must their samples, their ticks and their names come out.
 */

#include "capture.h"
#include "confidence.h"
#include "modules.h"
#include "symbols.h"

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum verdict {
    VERDICT_OPEN, /* cannot be told from this capture */
    VERDICT_RIGHT,
    VERDICT_WRONG
};

struct selftest_verdict {
    enum verdict capture; /* samples 3:1 within their 99.9 % confidence */
    enum verdict clock;   /* ticks 3:1 within 2 %, rate within 5 % */
    enum verdict names;   /* the ELF names both loops, and differently */
    uint64_t three;       /* samples in the loops */
    uint64_t one;
    struct interval share; /* of the longer loop in both */
    double tick_ratio;     /* 0 if there were no ticks */
    double rate_ratio;     /* measured to nominal, 0 if not known */
};

/** Judge the selftest in CAPTURE, which must have one. */
struct selftest_verdict verdict_selftest(const struct capture *capture,
                                         struct modules *modules,
                                         const struct symbols *symbols);

/** "right", "WRONG", "open" */
const char *verdict_word(enum verdict verdict);

#ifdef __cplusplus
}
#endif

#endif
