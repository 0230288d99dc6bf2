/* SPDX-License-Identifier: MIT */
#include "symbolize_names.h"

#include "room.h"
#include "text.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Longer names and paths than anything makes in earnest are cut. */
#define NAME_MAX_BYTES 4096
#define PATH_MAX_BYTES 4096
/* Beyond any compiler's chain of inlined calls its middle is left out. */
#define FRAMES_MAX 64

void symbolize_names_init(struct symbolize_names *names,
                          struct symbols *symbols,
                          const struct modules *modules,
                          const struct symbolize_options *options)
{
    *names = (struct symbolize_names){.symbols = symbols, .options = options};
    for (size_t i = 0; i < modules_count(modules); i++)
        symbols->has_lines |= lines_exist(modules_get(modules, i)->lines);
}

static int add_file(struct symbolize_names *names, char *path, size_t *number)
{
    struct symbols *symbols = names->symbols;
    char clean[PATH_MAX_BYTES];
    bool is_new = false;
    int error;

    text_clean(clean, sizeof clean, path);
    error = intern_put(&names->paths, clean, strlen(clean), number, &is_new);
    if (error < 0 || !is_new)
        return error;
    char **files = room_reserve(symbols->files, symbols->file_count,
                                &names->file_room, sizeof *files);

    if (files == NULL)
        return MCUPROF_E_NOMEM;
    symbols->files = files;
    files[symbols->file_count] = text_copy(clean);
    if (files[symbols->file_count] == NULL)
        return MCUPROF_E_NOMEM;
    symbols->file_count++;
    return 0;
}

/* The number of the file RAW; SYMBOLS_NONE for "". */
static int number_file(struct symbolize_names *names, const char *raw,
                       size_t *number)
{
    size_t known = 0;
    bool is_new = false;
    size_t *files;
    char *path;
    int error;

    *number = SYMBOLS_NONE;
    if (raw[0] == '\0')
        return 0;
    error = intern_put(&names->raw_paths, raw, strnlen(raw, PATH_MAX_BYTES),
                       &known, &is_new);
    if (error < 0)
        return error;
    if (!is_new) {
        *number = names->raw_files[known];
        return 0;
    }
    files = room_reserve(names->raw_files, known, &names->raw_room,
                         sizeof *files);
    if (files == NULL)
        return MCUPROF_E_NOMEM;
    names->raw_files = files;
    path = path_map_apply(names->options->paths, raw);
    error = path != NULL ? add_file(names, path, number) : MCUPROF_E_NOMEM;
    names->raw_files[known] = *number;
    free(path);
    return error;
}

/* SIZE bytes of NAME, readable and as they are. */
static int set_names(struct symbol_function *function, enum demangle style,
                     const char *name, size_t size, const char *suffix)
{
    char raw[NAME_MAX_BYTES + 1];
    char readable[DEMANGLE_MAX];
    char whole[DEMANGLE_MAX + 40];

    (void)snprintf(raw, sizeof raw, "%.*s",
                   (int)(size < NAME_MAX_BYTES ? size : NAME_MAX_BYTES), name);
    demangle(style, raw, readable);
    (void)snprintf(whole, sizeof whole, "%s%.30s", readable, suffix);
    function->name = text_copy(whole);
    text_clean(readable, sizeof readable, raw);
    function->linkage = text_copy(readable);
    return function->name != NULL && function->linkage != NULL
                   ? 0
                   : MCUPROF_E_NOMEM;
}

/* Makes room for function NUMBER, the next one. */
static struct symbol_function *add_function(struct symbol_function **functions,
                                            size_t *count, size_t *room,
                                            const struct modules_place *place)
{
    struct symbol_function *grown =
            room_reserve(*functions, *count, room, sizeof *grown);

    if (grown == NULL)
        return NULL;
    *functions = grown;
    grown[*count] = (struct symbol_function){.module = place->module->name,
                                             .file = SYMBOLS_NONE};
    return &grown[(*count)++];
}

/* What gives a whole function its address: its own code before a clone's, a
   cold part last. */
static unsigned rank_of(const struct modules_place *place)
{
    const char *suffix = place->name + place->base_size;

    if (suffix[0] == '\0')
        return 0;
    return strstr(suffix, ".cold") == NULL ? 1 : 2;
}

static int add_whole(struct symbolize_names *names,
                     const struct modules_place *place, size_t number)
{
    struct symbols *symbols = names->symbols;
    struct symbol_function *whole = add_function(
            &symbols->wholes, &symbols->whole_count, &names->whole_room, place);
    unsigned *ranks = room_reserve(names->ranks, number, &names->rank_room,
                                   sizeof *ranks);

    names->ranks = ranks != NULL ? ranks : names->ranks;
    if (whole == NULL || ranks == NULL)
        return MCUPROF_E_NOMEM;
    ranks[number] = UINT32_MAX;
    return set_names(whole, names->options->demangle, place->name,
                     place->base_size, place->suffix);
}

static int number_whole(struct symbolize_names *names,
                        const struct modules_place *place, size_t *number)
{
    unsigned rank = rank_of(place);
    struct symbol_function *whole;
    bool is_new = false;
    int error = intern_put(&names->whole_keys, &place->group,
                           sizeof place->group, number, &is_new);

    if (error == 0 && is_new)
        error = add_whole(names, place, *number);
    if (error < 0)
        return error;
    whole = &names->symbols->wholes[*number];
    if (rank < names->ranks[*number]
        || (rank == names->ranks[*number] && place->start < whole->start)) {
        names->ranks[*number] = rank;
        whole->start = place->start;
        whole->size = place->size;
    }
    return 0;
}

int symbolize_names_function(struct symbolize_names *names,
                             const struct modules_place *place, size_t *number)
{
    struct symbols *symbols = names->symbols;
    struct symbol_function *function;
    bool is_new = false;
    int error = intern_put(&names->function_keys, &place->start,
                           sizeof place->start, number, &is_new);

    if (error < 0 || !is_new)
        return error;
    function = add_function(&symbols->functions, &symbols->function_count,
                            &names->function_room, place);
    if (function == NULL)
        return MCUPROF_E_NOMEM;
    function->start = place->start;
    function->size = place->size;
    error = number_whole(names, place, &function->whole);
    return error < 0
                   ? error
                   : set_names(function, names->options->demangle, place->name,
                               strlen(place->name), place->suffix);
}

/* The linker's name, else that of the source with its scopes. */
static const char *source_name(const struct lines_frame *frame)
{
    return frame->linkage[0] != '\0' ? frame->linkage : frame->qualified;
}

/*
 * What stands in the source at one place is one function, however many units
 * include it. Without debug info a function is its code; what has neither a
 * place nor a name that the linker knows is one only within a unit.
 */
static int source_key(char *key, size_t room, const struct modules_place *place,
                      const struct lines_frame *frame)
{
    const void *origin = NULL;

    if (frame == NULL || frame->name[0] == '\0')
        return snprintf(key, room, "%s|%" PRIx64, place->module->path,
                        place->group);
    if (frame->has_scopes && frame->declared_line == 0)
        origin = frame->origin;
    return snprintf(key, room, "%s|%" PRIu32 "|%p|%s|%s", place->module->path,
                    frame->declared_line, origin, frame->declared_file,
                    source_name(frame));
}

/* The function that exists in memory has the name that its code has. */
static bool is_physical(const struct modules_place *place,
                        const struct lines_frame *frame)
{
    return frame == NULL || frame->name[0] == '\0'
           || frame == &place->frames[place->frame_count - 1];
}

static int name_source(struct symbolize_names *names,
                       const struct modules_place *place,
                       const struct lines_frame *frame,
                       struct symbol_function *source)
{
    enum demangle style = names->options->demangle;
    const char *name;

    free(source->name);
    free(source->linkage);
    if (is_physical(place, frame))
        return set_names(source, style, place->name, place->base_size,
                         place->suffix);
    name = source_name(frame);
    return set_names(source, style, name, strlen(name), "");
}

static int add_source(struct symbolize_names *names,
                      const struct modules_place *place,
                      const struct lines_frame *frame)
{
    struct symbols *symbols = names->symbols;
    size_t number = symbols->source_count;
    struct symbol_function *source =
            add_function(&symbols->sources, &symbols->source_count,
                         &names->source_room, place);
    bool *marks = room_reserve(names->has_code, number, &names->has_code_room,
                               sizeof *marks);
    int error;

    names->has_code = marks != NULL ? marks : names->has_code;
    if (source == NULL || marks == NULL)
        return MCUPROF_E_NOMEM;
    marks[number] = is_physical(place, frame);
    error = name_source(names, place, frame, source);
    if (error < 0 || frame == NULL || frame->name[0] == '\0')
        return error;
    source->line = frame->declared_line;
    return number_file(names, frame->declared_file, &source->file);
}

static int number_source(struct symbolize_names *names,
                         const struct modules_place *place,
                         const struct lines_frame *frame, size_t *number)
{
    char key[NAME_MAX_BYTES];
    bool is_new = false;
    int size = source_key(key, sizeof key, place, frame);
    int error;

    if (size >= (int)sizeof key)
        size = (int)sizeof key - 1;
    error = intern_put(&names->source_keys, key, (size_t)size, number, &is_new);
    if (error < 0 || is_new)
        return error < 0 ? error : add_source(names, place, frame);
    if (names->has_code[*number] || !is_physical(place, frame))
        return 0;
    names->has_code[*number] = true;
    return name_source(names, place, frame, &names->symbols->sources[*number]);
}

/* FRAME is NULL in a function without debug info. */
static int add_frame(struct symbolize_names *names,
                     const struct modules_place *place,
                     const struct lines_frame *frame)
{
    struct symbols *symbols = names->symbols;
    struct symbol_frame *frames =
            room_reserve(symbols->frames, symbols->frame_count,
                         &names->frame_room, sizeof *frames);
    struct symbol_frame *out;
    int error = 0;

    if (frames == NULL)
        return MCUPROF_E_NOMEM;
    symbols->frames = frames;
    out = &frames[symbols->frame_count++];
    *out = (struct symbol_frame){.source = SYMBOLS_NONE, .file = SYMBOLS_NONE};
    if (place->kind == IMAGE_FUNCTION)
        error = number_source(names, place, frame, &out->source);
    if (frame == NULL || error < 0)
        return error;
    out->line = frame->line;
    out->column = frame->column;
    out->discriminator = frame->discriminator;
    out->is_inlined = frame->is_inlined;
    return number_file(names, frame->file, &out->file);
}

/* True if LOCATION has the frames that were added last, and then does. */
static bool share_frames(struct symbolize_names *names,
                         struct location *location,
                         const struct modules_place *place)
{
    const struct location *last = names->last;

    names->last = location;
    if (last == NULL || place->frame_count == 0
        || place->frames != names->last_frames
        || location->function != last->function)
        return false;
    location->first_frame = last->first_frame;
    location->frame_count = last->frame_count;
    return true;
}

/* Add the frames of LOCATION, which PLACE is. */
static int add_frames(struct symbolize_names *names, struct location *location,
                      const struct modules_place *place)
{
    int error = 0;

    if (share_frames(names, location, place))
        return 0;
    names->last_frames = place->frames;
    location->first_frame = names->symbols->frame_count;
    for (size_t i = 0; i < place->frame_count && error == 0; i++)
        if (i + 1 < FRAMES_MAX || i + 1 == place->frame_count)
            error = add_frame(names, place, &place->frames[i]);
    if (place->frame_count == 0 && place->kind == IMAGE_FUNCTION)
        error = add_frame(names, place, NULL);
    location->frame_count = names->symbols->frame_count - location->first_frame;
    return error;
}

static bool is_idle(const struct modules_place *place, uint32_t address)
{
    return place->module != NULL
           && image_is_idle(place->module->image,
                            address - place->module->bias);
}

int symbolize_names_location(struct symbolize_names *names,
                             struct modules *modules, struct location *location)
{
    struct modules_place place;
    int error;

    location->place = location->address == MCUPROF_PC_SECURE ? PLACE_SECURE
                      : location->address == MCUPROF_PC_NON_SECURE
                              ? PLACE_NON_SECURE
                              : PLACE_UNKNOWN;
    if (location->place != PLACE_UNKNOWN)
        return 0;
    error = modules_find(modules, location->address, &place);
    if (error < 0)
        return error;
    if (is_idle(&place, location->address))
        location->place = PLACE_IDLE;
    else if (place.kind == IMAGE_FUNCTION)
        location->place = PLACE_FUNCTION;
    if (place.kind == IMAGE_FUNCTION)
        error = symbolize_names_function(names, &place, &location->function);
    return error < 0 ? error : add_frames(names, location, &place);
}

void symbolize_names_deinit(struct symbolize_names *names)
{
    intern_deinit(&names->function_keys);
    intern_deinit(&names->whole_keys);
    intern_deinit(&names->source_keys);
    intern_deinit(&names->raw_paths);
    intern_deinit(&names->paths);
    free(names->raw_files);
    free(names->ranks);
    free(names->has_code);
}
