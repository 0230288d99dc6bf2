/* SPDX-License-Identifier: MIT */
#include "block_names.h"

#include "bytes.h"

#include <stdlib.h>
#include <string.h>

static bool read_text(char *text, size_t size, uint32_t address,
                      const struct memory *memory, const struct memory *image)
{
    return memory_read_text(memory, address, text, size)
           || (image != NULL && memory_read_text(image, address, text, size));
}

static void take_name(struct block_names *names, const uint8_t *entry,
                      const struct memory *memory, const struct memory *image)
{
    struct block_name *name = &names->items[names->count];
    uint32_t address = bytes_get32(entry);

    if (address == 0)
        return;
    if (!read_text(name->text, sizeof name->text, address, memory, image)) {
        if (names->unnamed < MCUPROF_RING_UNNAMED_ALL - 1)
            names->unnamed++;
        return;
    }
    name->context = bytes_get16(entry + 4);
    names->count += name->text[0] != '\0';
}

int block_names_read(struct block_names *names, const struct memory *memory,
                     uint32_t at, size_t room, const struct memory *image)
{
    uint8_t *table = calloc(room + 1, MCUPROF_BLOCK_NAME_SIZE);

    names->items = calloc(room + 1, sizeof *names->items);
    if (table == NULL || names->items == NULL) {
        free(table);
        return MCUPROF_E_NOMEM;
    }
    if (memory_read(memory, at, table, room * MCUPROF_BLOCK_NAME_SIZE, NULL)
        < 0) {
        names->unnamed = MCUPROF_RING_UNNAMED_ALL;
        room = 0;
    }
    for (size_t i = 0; i < room; i++)
        take_name(names, table + i * MCUPROF_BLOCK_NAME_SIZE, memory, image);
    free(table);
    return 0;
}

static void put_name(struct frame_sink *sink, const struct block_name *name)
{
    uint8_t payload[MCUPROF_CONTEXT_HEAD_SIZE + MCUPROF_CONTEXT_NAME_MAX];
    size_t length = strlen(name->text);

    bytes_put16(payload, name->context);
    payload[2] = MCUPROF_CONTEXT_NAMED;
    payload[3] = (uint8_t)length;
    memcpy(payload + MCUPROF_CONTEXT_HEAD_SIZE, name->text, length);
    frame_sink_put(sink, MCUPROF_WIRE_CONTEXT, payload,
                   MCUPROF_CONTEXT_HEAD_SIZE + length);
}

void block_names_put(const struct block_names *names, struct frame_sink *sink)
{
    for (size_t i = 0; i < names->count; i++)
        put_name(sink, &names->items[i]);
}

void block_names_deinit(struct block_names *names)
{
    free(names->items);
    memset(names, 0, sizeof *names);
}
