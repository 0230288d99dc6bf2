/* SPDX-License-Identifier: MIT */
/*
 * Which firmware this is: the build-id if one is linked in, else a CRC-32
 * over the code, a slice at a time.
 */
#include "mcuprof_internal.h"

#if MCUPROF_ENABLED && (MCUPROF_STREAM || MCUPROF_TRACE || MCUPROF_FUNCTIONS)

static uint32_t mcuprofi_get32(const uint8_t *p)
{
    return (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16
           | (uint32_t)p[3] << 24;
}

/*
 * ELF note: namesz, descsz, type 3, "GNU\0", the id.
 * Source: System V gABI, note section; NT_GNU_BUILD_ID.
 */
static int mcuprofi_use_build_id(struct mcuprofi_identity *identity,
                                 const uint8_t *note)
{
    /* The symbol may stand where no note was linked: look. */
    if (note == NULL || mcuprofi_get32(note) != 4u
        || mcuprofi_get32(note + 8) != 3u
        || mcuprofi_get32(note + 12) != 0x00554E47u) {
        return 0;
    }
    uint32_t size = mcuprofi_get32(note + 4);
    for (uint32_t i = 0; i < sizeof(identity->value) && i < size; i++) {
        identity->value[i] = note[16 + i];
    }
    identity->start = (uint32_t)(uintptr_t)note;
    identity->length = size;
    identity->done = size;
    identity->flags = MCUPROF_HELLO_IDENTITY | MCUPROF_HELLO_BUILD_ID;
    return 1;
}

/*
 * The range that the CRC covers: from the vectors to the image's end. Without
 * an end, what lies before this very function is surely part of the image,
 * and what is behind it may be an older one's. Vectors that lie elsewhere
 * (copied to RAM) leave the code from this function on.
 */
static void mcuprofi_choose_range(struct mcuprofi_identity *identity,
                                  uint32_t vectors)
{
    uint32_t here = (uint32_t)(uintptr_t)&mcuprofi_identity_step & ~3u;
    uint32_t length = mcuprof_port_code_length(vectors);
    identity->start = vectors;
    identity->length = length;
    if (length != 0) {
        return;
    }
    identity->flags = MCUPROF_HELLO_PARTIAL;
    length = mcuprof_port_code_length(here);
    if (length != 0 && vectors > here) {
        identity->start = here;
    } else {
        length = here - vectors;
    }
    identity->length = length < MCUPROF_IDENTITY_PARTIAL_LENGTH
                               ? length
                               : MCUPROF_IDENTITY_PARTIAL_LENGTH;
}

void mcuprofi_identity_begin(struct mcuprofi_identity *identity,
                             uint32_t vectors)
{
    *identity = (struct mcuprofi_identity){0};
    if (!mcuprofi_use_build_id(identity, mcuprof_port_build_id())) {
        mcuprofi_choose_range(identity, vectors);
    }
}

int mcuprofi_identity_step(struct mcuprofi_identity *identity, uint32_t bytes)
{
    if ((identity->flags & MCUPROF_HELLO_IDENTITY) != 0) {
        return 0;
    }
    uint32_t end = identity->length - identity->done > bytes
                           ? identity->done + bytes
                           : identity->length;
    for (uint32_t i = identity->done; i < end; i++) {
        if (i - MCUPROF_IDENTITY_SKIP_OFFSET < MCUPROF_IDENTITY_SKIP_SIZE) {
            continue;
        }
        uint8_t byte = mcuprof_port_code_byte(identity->start + i);
        identity->crc = mcuprofi_crc32(identity->crc, &byte, 1);
    }
    identity->done = end;
    if (end < identity->length) {
        return 1;
    }
    mcuprofi_put32(identity->value, identity->crc);
    identity->flags |= MCUPROF_HELLO_IDENTITY;
    return 0;
}

#endif
