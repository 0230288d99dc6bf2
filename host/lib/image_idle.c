/* SPDX-License-Identifier: MIT */
#include <stdlib.h>

#include "image_parts.h"

/*
 * Where a sleeping core is seen. With interrupts enabled the waking interrupt
 * stacks the address behind WFI; with PRIMASK set (`cpsid; wfi; cpsie`, the
 * usual idle of an RTOS) WFI returns first, and the interrupt is taken
 * behind whatever lets it through.
 */

enum effect {
    OTHER,
    SLEEP,  /* WFI, WFE */
    THROUGH /* may stand between waking up and taking the interrupt */
};

struct code {
    const uint8_t *bytes;
    uint32_t start;
    uint32_t size;
};

/*
 * The budget lets each byte of the file be looked at once, whatever segments
 * and sections of a hostile file claim to lie over one another.
 */
struct scanner {
    struct image *image;
    size_t room; /* of image->idle */
    size_t budget;
};

static bool is_wide(uint16_t first)
{
    return first >> 11 >= 0x1D;
}

static enum effect narrow_effect(uint16_t opcode)
{
    switch (opcode) {
    case 0xBF20: /* WFE */
    case 0xBF30: /* WFI */
        return SLEEP;
    case 0xBF00: /* NOP */
    case 0xB661: /* CPSIE f, i, if */
    case 0xB662:
    case 0xB663:
        return THROUGH;
    default:
        return OTHER;
    }
}

/* MSR to PRIMASK, BASEPRI, BASEPRI_MAX or their non-secure aliases. */
static bool is_msr_mask(uint16_t first, uint16_t second)
{
    unsigned special = second & 0x7FU;

    return (first & 0xFFF0) == 0xF380 && (second & 0xFF00) == 0x8800
           && special >= 0x10 && special <= 0x12;
}

static enum effect wide_effect(uint16_t first, uint16_t second)
{
    if (first == 0xF3AF && (second == 0x8002 || second == 0x8003))
        return SLEEP; /* WFE.W, WFI.W */
    if (first == 0xF3AF && second == 0x8000)
        return THROUGH; /* NOP.W */
    if (first == 0xF3BF
        && ((second & 0xFFF0) == 0x8F40 || (second & 0xFFF0) == 0x8F60))
        return THROUGH; /* DSB, ISB */
    return is_msr_mask(first, second) ? THROUGH : OTHER;
}

static int add_span(struct scanner *scanner, uint32_t start, uint32_t end)
{
    struct image *image = scanner->image;

    if (image->idle_count == scanner->room) {
        size_t wanted = scanner->room * 2 + 16;
        struct image_span *idle =
                realloc(image->idle, wanted * sizeof *image->idle);

        if (idle == NULL)
            return MCUPROF_E_NOMEM;
        image->idle = idle;
        scanner->room = wanted;
    }
    image->idle[image->idle_count++] =
            (struct image_span){.start = start, .end = end};
    return 0;
}

/* Decoding is right only from a known begin on: backwards it is a guess. */
static int scan_code(struct scanner *scanner, const struct code *code)
{
    uint32_t asleep = UINT32_MAX; /* offset of the WFI we come from */
    int error = 0;

    for (uint32_t at = 0, next; error == 0 && code->size - at >= 2; at = next) {
        uint16_t first = image_u16(code->bytes + at);
        enum effect effect = OTHER;

        next = at + 2;
        if (!is_wide(first)) {
            effect = narrow_effect(first);
        } else if (code->size - at >= 4) {
            effect = wide_effect(first, image_u16(code->bytes + at + 2));
            next = at + 4;
        }
        if (effect == SLEEP && asleep == UINT32_MAX)
            asleep = at;
        if (asleep == UINT32_MAX || (effect != OTHER && code->size - next >= 2))
            continue;
        error = add_span(scanner, code->start + asleep, code->start + next);
        asleep = UINT32_MAX;
    }
    return error;
}

static uint32_t later(uint32_t a, uint32_t b)
{
    return a > b ? a : b;
}

static uint32_t earlier(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

/* The part of a function that a mapping symbol says is Thumb code. */
static int scan_part(struct scanner *scanner, const struct image_range *range,
                     const struct image_mark *mark)
{
    struct code code = {.start = later(mark->start, range->start)};

    if (mark->state != 't')
        return 0;
    code.bytes = image_view(scanner->image, code.start, &code.size);
    if (code.bytes == NULL)
        return 0;
    code.size = earlier(code.size, earlier(mark->end, range->end) - code.start);
    if (code.size > scanner->budget)
        return 0;
    scanner->budget -= code.size;
    return scan_code(scanner, &code);
}

int image_idle_index(struct image *image)
{
    struct scanner scanner = {.image = image, .budget = image->file.raw_size};
    const struct image_mark *mark = image->marks, *end;
    int error = 0;

    if (image->mark_count == 0)
        return 0;
    end = mark + image->mark_count;
    for (size_t i = 0; error == 0 && i < image->range_count; i++) {
        const struct image_range *range = &image->ranges[i];

        if (image->names[range->name].kind != IMAGE_FUNCTION)
            continue;
        while (mark < end && mark->end <= range->start)
            mark++;
        for (const struct image_mark *m = mark;
             error == 0 && m < end && m->start < range->end; m++)
            error = scan_part(&scanner, range, m);
    }
    return error;
}

bool image_is_idle(const struct image *image, uint32_t pc)
{
    size_t low = 0, high = image->idle_count;

    pc &= ~1U;
    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (image->idle[middle].start <= pc)
            low = middle + 1;
        else
            high = middle;
    }
    return low > 0 && pc < image->idle[low - 1].end
           && !image_is_overlay(image, pc);
}
