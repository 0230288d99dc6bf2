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

/* An ELF that says something else is a better suspect than one that is mute. */
struct check {
    enum identity_verdict verdict;
    bool is_mute;
};

static struct check check_build_id(const struct image *image,
                                   const struct wire_identity *identity,
                                   char *have)
{
    uint8_t id[20] = {0};
    size_t size = 0;

    if (image_build_id(image, id, &size) < 0) {
        (void)snprintf(have, IDENTITY_TEXT_MAX, "no build-id");
        return (struct check){IDENTITY_MISMATCH, true};
    }
    /* The firmware pads an id that is shorter than the field with zeros. */
    format_id(have, id, sizeof identity->value);
    if (memcmp(id, identity->value, sizeof identity->value) != 0)
        return (struct check){IDENTITY_MISMATCH, false};
    return (struct check){IDENTITY_MATCH, false};
}

static struct check check_crc(const struct image *image, uint32_t bias,
                              const struct wire_identity *identity, char *have)
{
    struct wire_identity own = *identity;
    uint32_t crc = 0;

    if (image_identity_crc(image, identity->start - bias, identity->length,
                           &crc)
        < 0) {
        (void)snprintf(have, IDENTITY_TEXT_MAX,
                       "no code at 0x%08" PRIx32 "-0x%08" PRIx32,
                       identity->start, identity->start + identity->length - 1);
        return (struct check){IDENTITY_MISMATCH, true};
    }
    memset(own.value, 0, sizeof own.value);
    bytes_put32(own.value, crc);
    identity_format(&own, have);
    if (memcmp(own.value, identity->value, sizeof own.value) != 0)
        return (struct check){IDENTITY_MISMATCH, false};
    return (struct check){identity->partial ? IDENTITY_PARTIAL : IDENTITY_MATCH,
                          false};
}

static struct check check(const struct image *image, uint32_t bias,
                          const struct wire_identity *identity, char *have)
{
    have[0] = '\0';
    if (!identity->valid)
        return (struct check){IDENTITY_UNKNOWN, true};
    return identity->build_id ? check_build_id(image, identity, have)
                              : check_crc(image, bias, identity, have);
}

enum identity_verdict identity_check(const struct image *image,
                                     const struct wire_identity *identity,
                                     char *have)
{
    return check(image, 0, identity, have).verdict;
}

enum identity_verdict identity_check_any(const struct modules *modules,
                                         const struct wire_identity *identity,
                                         char *have, size_t *which)
{
    struct check best = {IDENTITY_UNKNOWN, true};
    char text[IDENTITY_TEXT_MAX];

    *which = 0;
    have[0] = '\0';
    for (size_t i = 0; i < modules_count(modules); i++) {
        const struct module *module = modules_get(modules, i);
        struct check now = check(module->image, module->bias, identity, text);

        if (i > 0 && (now.verdict == IDENTITY_MISMATCH)
            && (!best.is_mute || now.is_mute))
            continue;
        best = now;
        *which = i;
        memcpy(have, text, sizeof text);
        if (now.verdict != IDENTITY_MISMATCH)
            break;
    }
    return best.verdict;
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
