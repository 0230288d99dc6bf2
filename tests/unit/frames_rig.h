/* SPDX-License-Identifier: MIT */
#ifndef FRAMES_RIG_H
#define FRAMES_RIG_H

/*
 * A target made of frames, without the line in between: what give() is handed
 * is decoded into a capture at once, each frame with the next number.
 */

/* cmocka needs these first, in this order. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>

#include "capture.h"

struct target {
    struct capture *capture;
    uint16_t seq;
    uint32_t crc;                      /* each frame is another one */
    uint8_t hello[MCUPROF_HELLO_SIZE]; /* of tests that change it as they go */
};

static inline int give(struct target *target, uint8_t type,
                       const uint8_t *payload, size_t size)
{
    const struct frame frame = {.type = type,
                                .seq = target->seq,
                                .crc = ++target->crc,
                                .size = size,
                                .payload = payload};

    target->seq++;
    return decoder_frame(&target->capture->decoder, &frame);
}

static inline int frames_set_up(void **state)
{
    struct target *target = calloc(1, sizeof *target);

    assert_non_null(target);
    target->capture = capture_new();
    assert_non_null(target->capture);
    *state = target;
    return 0;
}

static inline int frames_tear_down(void **state)
{
    struct target *target = *state;

    capture_free(target->capture);
    free(target);
    return 0;
}

#endif
