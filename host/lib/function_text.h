/* SPDX-License-Identifier: MIT */
#ifndef MCUPROF_HOST_FUNCTION_TEXT_H
#define MCUPROF_HOST_FUNCTION_TEXT_H

/*
 * The text that mcuprof_functions_print() writes, found in whatever a serial
 * line brings (docs/wire.md, "The table as text"). Fed with bytes; a table
 * that came whole is handed on, with the HELLO and the names of contexts that
 * stand in it.
 */

#include "decode.h"
#include "function_table.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Longer lines are nobody's. */
#define FUNCTION_TEXT_LINE_MAX 512

/* A table as it stands there. The snapshot is the receiver's to take. */
struct function_text_table {
    struct function_snapshot snapshot;
    struct wire_context *names;
    size_t name_count;
    size_t name_room;
    bool has_hello;
    struct wire_hello hello;
};

/* A negative return ends the reading. */
struct function_text_handler {
    void *context;
    int (*table)(void *context, struct function_text_table *table);
    /* One began that has no end, or is not what was printed. */
    void (*torn)(void *context);
};

/* All zero but the handler is a beginning. */
struct function_text {
    struct function_text_handler handler;
    struct function_text_table table;
    uint64_t rows;  /* that the first line promises */
    uint64_t seen;  /* rows */
    uint32_t crc;   /* of the words so far */
    bool is_open;   /* a first line came */
    bool is_broken; /* so did one that cannot be */
    bool has_counts;
    bool is_too_long; /* the line that is coming */
    size_t length;
    char line[FUNCTION_TEXT_LINE_MAX + 1];
};

/**
 * Take SIZE bytes as they come.
 * errors: MCUPROF_E_NOMEM, and what the handler returns
 */
int function_text_feed(struct function_text *text, const uint8_t *bytes,
                       size_t size) MUST_CHECK;

/** Nothing more will come. errors: as function_text_feed() */
int function_text_end(struct function_text *text) MUST_CHECK;

void function_text_deinit(struct function_text *text);

#ifdef __cplusplus
}
#endif

#endif
