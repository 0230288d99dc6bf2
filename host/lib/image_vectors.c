/* SPDX-License-Identifier: MIT */
#include <stdio.h>

#include "image_parts.h"

enum {
    EXCEPTION_RESET = 1,
    EXCEPTION_IRQ0 = 16,
    EXCEPTION_MAX = 511,
    TABLE_ALIGNMENT = 128, /* of any vector table: Armv7-M ARM, B3.2.5 */
    TABLE_SOUGHT = 4096    /* from the begin of flash: boot blocks come first */
};

/* source: Armv8-M ARM DDI0553, B3.8 (exception numbers) */
static const char *const system_names[EXCEPTION_IRQ0] = {
        [1] = "Reset",       [2] = "NMI",      [3] = "HardFault",
        [4] = "MemManage",   [5] = "BusFault", [6] = "UsageFault",
        [7] = "SecureFault", [11] = "SVCall",  [12] = "DebugMonitor",
        [14] = "PendSV",     [15] = "SysTick",
};

static bool read_vector(const struct image *image, uint32_t table,
                        unsigned number, uint32_t *handler)
{
    uint8_t word[4];
    uint32_t address = table + 4 * number;

    if (image_read(image, address, word, sizeof word) != 0
        && image_read_load(image, address, word, sizeof word) != 0)
        return false;
    *handler = image_u32(word);
    return true;
}

/*
 * Nothing says how long the table is, and behind it the same word may stand
 * in somebody's literals: it ends where code begins, or a word is neither
 * empty nor a Thumb address in a function.
 */
static bool is_end_of_table(const struct image *image, uint32_t table,
                            unsigned number, uint32_t handler)
{
    const struct image_mark *mark = image_mark_find(image, table + 4 * number);
    struct image_symbol symbol;

    if (mark != NULL && mark->state != 'd')
        return true;
    if (number < EXCEPTION_IRQ0 || handler == 0 || handler == UINT32_MAX)
        return false;
    return handler % 2 == 0 || image_find(image, handler, &symbol) != 0
           || symbol.kind != IMAGE_FUNCTION;
}

static bool is_shared(const struct image *image, uint32_t table,
                      unsigned exception, uint32_t handler)
{
    uint32_t other = 0;

    for (unsigned n = 1; n <= EXCEPTION_MAX; n++) {
        if (!read_vector(image, table, n, &other)
            || is_end_of_table(image, table, n, other))
            break;
        if (n != exception && other == handler)
            return true;
    }
    return false;
}

static bool find_handler(const struct image *image, uint32_t table,
                         unsigned exception, struct image_symbol *symbol)
{
    uint32_t handler = 0;

    return read_vector(image, table, exception, &handler) && handler % 2 == 1
           && image_find(image, handler, symbol) == 0
           && symbol->kind == IMAGE_FUNCTION && symbol->start == (handler & ~1U)
           && !is_shared(image, table, exception, handler);
}

bool image_has_handler(const struct image *image, uint32_t vector_table,
                       unsigned exception)
{
    uint32_t handler = 0;

    if (exception == 0 || exception > EXCEPTION_MAX
        || !read_vector(image, vector_table, exception, &handler))
        return true;
    return handler != 0 && !is_shared(image, vector_table, exception, handler);
}

int image_context_name(const struct image *image, uint32_t vector_table,
                       unsigned exception, char *out, size_t size)
{
    struct image_symbol symbol;

    if (exception > EXCEPTION_MAX) {
        (void)snprintf(out, size, "%s", "");
        return MCUPROF_E_USAGE;
    }
    if (exception == 0)
        (void)snprintf(out, size, "thread");
    else if (exception < EXCEPTION_IRQ0)
        (void)snprintf(out, size, "%s (%u)",
                       system_names[exception] != NULL ? system_names[exception]
                                                       : "reserved",
                       exception);
    else if (image != NULL
             && find_handler(image, vector_table, exception, &symbol))
        (void)snprintf(out, size, "%s%s (%u)", symbol.name, symbol.suffix,
                       exception);
    else
        (void)snprintf(out, size, "IRQ %u (%u)", exception - EXCEPTION_IRQ0,
                       exception);
    return 0;
}

bool image_is_handler(const struct image *image, uint32_t value)
{
    struct image_symbol symbol;

    return value % 2 == 1 && image_find(image, value, &symbol) == 0
           && symbol.kind == IMAGE_FUNCTION && symbol.start == value - 1;
}

/* A stack that is not in code, then reset, NMI and HardFault. */
static bool is_table(const struct image *image, uint32_t address)
{
    uint32_t stack, handler;

    if (image_read_word(image, address, &stack) < 0 || stack == 0
        || stack % 4 != 0 || image_is_code(image, stack))
        return false;
    for (unsigned i = EXCEPTION_RESET; i <= 3; i++)
        if (image_read_word(image, address + 4 * i, &handler) < 0
            || (!image_is_handler(image, handler)
                && (i == EXCEPTION_RESET || handler != 0)))
            return false;
    return true;
}

bool image_find_vectors(const struct image *image, uint32_t *out)
{
    uint32_t lowest = image_lowest(image);
    uint32_t first = lowest + (0 - lowest) % TABLE_ALIGNMENT;

    for (uint32_t at = 0; at < TABLE_SOUGHT; at += TABLE_ALIGNMENT)
        if (is_table(image, first + at)) {
            *out = first + at;
            return true;
        }
    return false;
}
