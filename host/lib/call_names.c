/* SPDX-License-Identifier: MIT */
#include "call_names.h"

#include "intern.h"
#include "room.h"
#include "symbolize.h"
#include "text.h"

#include <fnmatch.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Functions are numbered by their address, contexts by one above all. */
#define CONTEXT_KEY UINT64_C(0x100000000)

struct call_names {
    const struct capture *capture;
    struct modules *modules;
    enum demangle style;
    struct intern numbers;
    char **names; /* by number */
    size_t count;
    size_t room;
    size_t unknown;
};

struct call_names *call_names_new(const struct capture *capture,
                                  struct modules *modules, enum demangle style)
{
    struct call_names *names = calloc(1, sizeof *names);

    if (names == NULL)
        return NULL;
    names->capture = capture;
    names->modules = modules;
    names->style = style;
    return names;
}

void call_names_free(struct call_names *names)
{
    if (names == NULL)
        return;
    for (size_t i = 0; i < names->count; i++)
        free(names->names[i]);
    free(names->names);
    intern_deinit(&names->numbers);
    free(names);
}

static void name_function(struct call_names *names, uint32_t address, char *out,
                          size_t size)
{
    char name[SYMBOLIZE_ADDRESS_MAX];

    symbolize_address(names->modules, names->style, address, name, sizeof name);
    if (strcmp(name, "[unknown]") == 0) {
        (void)snprintf(name, sizeof name, "0x%08" PRIx32, address);
        names->unknown++;
    }
    text_clean(out, size, name);
    /* Between the functions of a path. */
    for (; *out != '\0'; out++)
        if (*out == ';')
            *out = ':';
}

static const char *get_name(struct call_names *names, uint64_t key)
{
    char text[SYMBOLIZE_ADDRESS_MAX + SYMBOLIZE_CONTEXT_MAX];
    size_t number;
    bool is_new;
    char **grown;

    if (intern_put(&names->numbers, &key, sizeof key, &number, &is_new) < 0)
        return NULL;
    if (number < names->count)
        return names->names[number];
    grown = room_reserve(names->names, names->count, &names->room,
                         sizeof *grown);
    if (grown == NULL)
        return NULL;
    names->names = grown;
    if (key == CONTEXT_KEY + WIRE_CONTEXT_UNKNOWN)
        (void)snprintf(text, sizeof text, "[context not known]");
    else if (key >= CONTEXT_KEY)
        symbolize_context(names->capture, names->modules,
                          (uint16_t)(key - CONTEXT_KEY), text, sizeof text);
    else
        name_function(names, (uint32_t)key, text, sizeof text);
    grown[names->count] = text_copy(text);
    if (grown[names->count] == NULL)
        return NULL;
    return grown[names->count++];
}

const char *call_names_function(struct call_names *names, uint32_t address)
{
    return get_name(names, address);
}

void call_names_place(struct call_names *names, uint32_t address,
                      const char **file, uint32_t *line)
{
    struct modules_place place;
    const struct lines_frame *frame;

    *file = "";
    *line = 0;
    if (modules_find(names->modules, address, &place) < 0
        || place.frame_count == 0)
        return;
    frame = &place.frames[place.frame_count - 1];
    *file = frame->declared_file;
    *line = frame->declared_line;
}

const char *call_names_context(struct call_names *names, uint16_t id)
{
    return get_name(names, CONTEXT_KEY + id);
}

size_t call_names_unknown(const struct call_names *names)
{
    return names->unknown;
}

bool call_names_is_context(struct call_names *names, uint16_t id,
                           const char *pattern)
{
    const char *name = call_names_context(names, id);
    char number[24];
    char bare[SYMBOLIZE_CONTEXT_MAX];
    char *end;

    (void)snprintf(number, sizeof number, "%u", id);
    if (name == NULL || strcmp(pattern, number) == 0)
        return name != NULL;
    (void)snprintf(bare, sizeof bare, "%s", name);
    (void)snprintf(number, sizeof number, " (%u)", id);
    end = strstr(bare, number);
    if (end != NULL)
        *end = '\0';
    return fnmatch(pattern, name, 0) == 0 || fnmatch(pattern, bare, 0) == 0;
}
