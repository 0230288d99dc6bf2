/* SPDX-License-Identifier: MIT */
#ifndef MCUPROF_HOST_IDENTITY_H
#define MCUPROF_HOST_IDENTITY_H

/*
 * Is this ELF the firmware that ran? The identity that HELLO carries is
 * computed again from the ELF (docs/wire.md, "HELLO").
 */

#include "decode.h"
#include "image.h"
#include "modules.h"

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

enum identity_verdict {
    IDENTITY_UNKNOWN, /* no HELLO carried one yet */
    IDENTITY_MATCH,
    IDENTITY_PARTIAL, /* matches, but only the first 16 KiB were compared */
    IDENTITY_MISMATCH
};

#define IDENTITY_TEXT_MAX 80

/**
 * Compare IMAGE with what the firmware says of itself. HAVE gets the ELF's
 * identity over the same range, in words (at most IDENTITY_TEXT_MAX).
 */
enum identity_verdict identity_check(const struct image *image,
                                     const struct wire_identity *identity,
                                     char *have);

/**
 * Compare each of MODULES, where it was loaded, until one matches. WHICH is
 * its number; if none does, that of the first that has an identity to compare,
 * which HAVE then is, else of the first.
 */
enum identity_verdict identity_check_any(const struct modules *modules,
                                         const struct wire_identity *identity,
                                         char *have, size_t *which);

/**
 * IDENTITY in words: "build-id 0123456789abcdef" or
 * "CRC-32 0x01234567 over 0x08000000-0x08003a0f".
 */
void identity_format(const struct wire_identity *identity, char *out);

/** "match", "mismatch", "partial", "not yet known" */
const char *identity_word(enum identity_verdict verdict);

#ifdef __cplusplus
}
#endif

#endif
