/* SPDX-License-Identifier: MIT */
#include "identity.h"

#include "bytes.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static void format_id(char *out, const uint8_t *bytes, size_t size)
{
    int used = snprintf(out, IDENTITY_TEXT_MAX, "build-id ");

    for (size_t i = 0; i < size; i++)
        used += snprintf(out + used, IDENTITY_TEXT_MAX - (size_t)used, "%02x",
                         bytes[i]);
}

void identity_format(const struct wire_identity *identity, char *out)
{
    if (identity->build_id)
        format_id(out, identity->value, sizeof identity->value);
    else
        (void)snprintf(out, IDENTITY_TEXT_MAX,
                       "CRC-32 0x%08" PRIx32 " over 0x%08" PRIx32
                       "-0x%08" PRIx32,
                       bytes_get32(identity->value), identity->start,
                       identity->start + identity->length - 1);
}

static enum identity_verdict
check_build_id(const struct image *image, const struct wire_identity *identity,
               char *have)
{
    uint8_t id[20] = {0};
    size_t size = 0;

    if (image_build_id(image, id, &size) < 0) {
        (void)snprintf(have, IDENTITY_TEXT_MAX, "no build-id");
        return IDENTITY_MISMATCH;
    }
    /* The firmware pads an id that is shorter than the field with zeros. */
    format_id(have, id, sizeof identity->value);
    return memcmp(id, identity->value, sizeof identity->value) == 0
                   ? IDENTITY_MATCH
                   : IDENTITY_MISMATCH;
}

static enum identity_verdict check_crc(const struct image *image,
                                       const struct wire_identity *identity,
                                       char *have)
{
    struct wire_identity own = *identity;
    uint32_t crc = 0;

    if (image_identity_crc(image, identity->start, identity->length, &crc)
        < 0) {
        (void)snprintf(have, IDENTITY_TEXT_MAX,
                       "no code at 0x%08" PRIx32 "-0x%08" PRIx32,
                       identity->start, identity->start + identity->length - 1);
        return IDENTITY_MISMATCH;
    }
    memset(own.value, 0, sizeof own.value);
    bytes_put32(own.value, crc);
    identity_format(&own, have);
    if (memcmp(own.value, identity->value, sizeof own.value) != 0)
        return IDENTITY_MISMATCH;
    return identity->partial ? IDENTITY_PARTIAL : IDENTITY_MATCH;
}

enum identity_verdict identity_check(const struct image *image,
                                     const struct wire_identity *identity,
                                     char *have)
{
    have[0] = '\0';
    if (!identity->valid)
        return IDENTITY_UNKNOWN;
    return identity->build_id ? check_build_id(image, identity, have)
                              : check_crc(image, identity, have);
}

const char *identity_word(enum identity_verdict verdict)
{
    static const char *const words[] = {
            [IDENTITY_UNKNOWN] = "not yet known",
            [IDENTITY_MATCH] = "match",
            [IDENTITY_PARTIAL] = "partial",
            [IDENTITY_MISMATCH] = "mismatch",
    };

    return words[verdict];
}
