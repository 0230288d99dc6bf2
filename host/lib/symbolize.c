/* SPDX-License-Identifier: MIT */
#include "symbolize.h"

#include "intern.h"
#include "text.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Longer names and paths than anything makes in earnest are cut. */
#define NAME_MAX_BYTES 4096
#define PATH_MAX_BYTES 4096

/* What is needed while the symbols are being filled. */
struct builder {
    struct symbols *symbols;
    struct modules *modules;
    const struct symbolize_options *options;
    struct intern function_keys; /* starts */
    struct intern whole_keys;    /* groups */
    struct intern source_keys;
    struct intern raw_paths; /* as the compiler wrote them */
    struct intern paths;     /* after mapping; numbers of symbols->files */
    size_t *raw_files;       /* raw path to file */
    unsigned *ranks;         /* of what gave a whole its address */
    size_t function_room;
    size_t whole_room;
    size_t rank_room;
    size_t source_room;
    size_t file_room;
    size_t raw_room;
    size_t frame_room;
};

/* Makes room for one more item; NULL, and ITEMS as it was, without memory. */
static void *reserve(void *items, size_t count, size_t *room, size_t size)
{
    size_t wanted = *room == 0 ? 64 : 2 * *room;
    void *grown;

    if (count < *room)
        return items;
    grown = realloc(items, wanted * size);
    if (grown != NULL)
        *room = wanted;
    return grown;
}

static int by_address(const void *a, const void *b)
{
    const struct location *left = a;
    const struct location *right = b;

    return (left->address > right->address) - (left->address < right->address);
}

/* One location an address, whatever the contexts it was seen in. */
static void collect(struct symbols *symbols, const struct profile *profile)
{
    struct location *locations = symbols->locations;
    size_t count = profile_count(profile);
    size_t kept = 0;

    for (size_t i = 0; i < count; i++) {
        struct profile_entry entry = profile_get(profile, i);

        locations[i].address = entry.frames[0];
        locations[i].weight = entry.weight;
        locations[i].function = SYMBOLS_NONE;
    }
    qsort(locations, count, sizeof *locations, by_address);
    for (size_t i = 0; i < count; i++) {
        if (kept > 0 && locations[kept - 1].address == locations[i].address)
            locations[kept - 1].weight += locations[i].weight;
        else
            locations[kept++] = locations[i];
    }
    symbols->location_count = kept;
}

static int add_file(struct builder *builder, char *path, size_t *number)
{
    struct symbols *symbols = builder->symbols;
    char clean[PATH_MAX_BYTES];
    bool is_new = false;
    int error;

    text_clean(clean, sizeof clean, path);
    error = intern_put(&builder->paths, clean, strlen(clean), number, &is_new);
    if (error < 0 || !is_new)
        return error;
    char **files = reserve(symbols->files, symbols->file_count,
                           &builder->file_room, sizeof *files);

    if (files == NULL)
        return MCUPROF_E_NOMEM;
    symbols->files = files;
    files[symbols->file_count] = strdup(clean);
    if (files[symbols->file_count] == NULL)
        return MCUPROF_E_NOMEM;
    symbols->file_count++;
    return 0;
}

/* The number of the file RAW; SYMBOLS_NONE for "". */
static int number_file(struct builder *builder, const char *raw, size_t *number)
{
    size_t known = 0;
    bool is_new = false;
    size_t *files;
    char *path;
    int error;

    *number = SYMBOLS_NONE;
    if (raw[0] == '\0')
        return 0;
    error = intern_put(&builder->raw_paths, raw, strnlen(raw, PATH_MAX_BYTES),
                       &known, &is_new);
    if (error < 0)
        return error;
    if (!is_new) {
        *number = builder->raw_files[known];
        return 0;
    }
    files = reserve(builder->raw_files, known, &builder->raw_room,
                    sizeof *files);
    if (files == NULL)
        return MCUPROF_E_NOMEM;
    builder->raw_files = files;
    path = path_map_apply(builder->options->paths, raw);
    error = path != NULL ? add_file(builder, path, number) : MCUPROF_E_NOMEM;
    builder->raw_files[known] = *number;
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
    function->name = strdup(whole);
    text_clean(readable, sizeof readable, raw);
    function->linkage = strdup(readable);
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
            reserve(*functions, *count, room, sizeof *grown);

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

static int add_whole(struct builder *builder, const struct modules_place *place,
                     size_t number)
{
    struct symbols *symbols = builder->symbols;
    struct symbol_function *whole =
            add_function(&symbols->wholes, &symbols->whole_count,
                         &builder->whole_room, place);
    unsigned *ranks =
            reserve(builder->ranks, number, &builder->rank_room, sizeof *ranks);

    builder->ranks = ranks != NULL ? ranks : builder->ranks;
    if (whole == NULL || ranks == NULL)
        return MCUPROF_E_NOMEM;
    ranks[number] = UINT32_MAX;
    return set_names(whole, builder->options->demangle, place->name,
                     place->base_size, place->suffix);
}

static int number_whole(struct builder *builder,
                        const struct modules_place *place, size_t *number)
{
    unsigned rank = rank_of(place);
    struct symbol_function *whole;
    bool is_new = false;
    int error = intern_put(&builder->whole_keys, &place->group,
                           sizeof place->group, number, &is_new);

    if (error == 0 && is_new)
        error = add_whole(builder, place, *number);
    if (error < 0)
        return error;
    whole = &builder->symbols->wholes[*number];
    if (rank < builder->ranks[*number]
        || (rank == builder->ranks[*number] && place->start < whole->start)) {
        builder->ranks[*number] = rank;
        whole->start = place->start;
        whole->size = place->size;
    }
    return 0;
}

static int number_function(struct builder *builder,
                           const struct modules_place *place, size_t *number)
{
    struct symbols *symbols = builder->symbols;
    struct symbol_function *function;
    bool is_new = false;
    int error = intern_put(&builder->function_keys, &place->start,
                           sizeof place->start, number, &is_new);

    if (error < 0 || !is_new)
        return error;
    function = add_function(&symbols->functions, &symbols->function_count,
                            &builder->function_room, place);
    if (function == NULL)
        return MCUPROF_E_NOMEM;
    function->start = place->start;
    function->size = place->size;
    error = number_whole(builder, place, &function->whole);
    return error < 0
                   ? error
                   : set_names(function, builder->options->demangle,
                               place->name, strlen(place->name), place->suffix);
}

/*
 * What stands in the source at one place is one function, however many units
 * include it. Without debug info a function is its code.
 */
static int source_key(char *key, size_t room, const struct modules_place *place,
                      const struct lines_frame *frame)
{
    const char *name;

    if (frame == NULL || frame->name[0] == '\0')
        return snprintf(key, room, "%s|%" PRIx64, place->module->path,
                        place->group);
    name = frame->linkage[0] != '\0' ? frame->linkage : frame->name;
    return snprintf(key, room, "%s|%" PRIu32 "|%s|%s", place->module->path,
                    frame->declared_line, frame->declared_file, name);
}

static int add_source(struct builder *builder,
                      const struct modules_place *place,
                      const struct lines_frame *frame)
{
    struct symbols *symbols = builder->symbols;
    enum demangle style = builder->options->demangle;
    struct symbol_function *source =
            add_function(&symbols->sources, &symbols->source_count,
                         &builder->source_room, place);
    const char *name;
    int error;

    if (source == NULL)
        return MCUPROF_E_NOMEM;
    if (frame == NULL || frame->name[0] == '\0')
        return set_names(source, style, place->name, place->base_size,
                         place->suffix);
    name = frame->linkage[0] != '\0' ? frame->linkage : frame->name;
    source->line = frame->declared_line;
    error = set_names(source, style, name, strlen(name), "");
    return error < 0
                   ? error
                   : number_file(builder, frame->declared_file, &source->file);
}

static int number_source(struct builder *builder,
                         const struct modules_place *place,
                         const struct lines_frame *frame, size_t *number)
{
    char key[NAME_MAX_BYTES];
    bool is_new = false;
    int size = source_key(key, sizeof key, place, frame);
    int error;

    if (size >= (int)sizeof key)
        size = (int)sizeof key - 1;
    error = intern_put(&builder->source_keys, key, (size_t)size, number,
                       &is_new);
    return error < 0 || !is_new ? error : add_source(builder, place, frame);
}

/* FRAME is NULL in a function without debug info. */
static int add_frame(struct builder *builder, const struct modules_place *place,
                     const struct lines_frame *frame)
{
    struct symbols *symbols = builder->symbols;
    struct symbol_frame *frames = reserve(symbols->frames, symbols->frame_count,
                                          &builder->frame_room, sizeof *frames);
    struct symbol_frame *out;
    int error = 0;

    if (frames == NULL)
        return MCUPROF_E_NOMEM;
    symbols->frames = frames;
    out = &frames[symbols->frame_count++];
    *out = (struct symbol_frame){.source = SYMBOLS_NONE, .file = SYMBOLS_NONE};
    if (place->kind == IMAGE_FUNCTION)
        error = number_source(builder, place, frame, &out->source);
    if (frame == NULL || error < 0)
        return error;
    out->line = frame->line;
    out->column = frame->column;
    out->discriminator = frame->discriminator;
    out->is_inlined = frame->is_inlined;
    return number_file(builder, frame->file, &out->file);
}

static int add_frames(struct builder *builder, struct location *location,
                      const struct modules_place *place)
{
    int error = 0;

    location->first_frame = builder->symbols->frame_count;
    for (size_t i = 0; i < place->frame_count && error == 0; i++)
        error = add_frame(builder, place, &place->frames[i]);
    if (place->frame_count == 0 && place->kind == IMAGE_FUNCTION)
        error = add_frame(builder, place, NULL);
    location->frame_count =
            builder->symbols->frame_count - location->first_frame;
    return error;
}

static bool is_idle(const struct modules_place *place, uint32_t address)
{
    return place->module != NULL
           && image_is_idle(place->module->image,
                            address - place->module->bias);
}

static int resolve(struct builder *builder, struct location *location)
{
    struct modules_place place;
    int error;

    location->place = location->address == MCUPROF_PC_SECURE ? PLACE_SECURE
                      : location->address == MCUPROF_PC_NON_SECURE
                              ? PLACE_NON_SECURE
                              : PLACE_UNKNOWN;
    if (location->place != PLACE_UNKNOWN)
        return 0;
    error = modules_find(builder->modules, location->address, &place);
    if (error < 0)
        return error;
    if (is_idle(&place, location->address))
        location->place = PLACE_IDLE;
    else if (place.kind == IMAGE_FUNCTION)
        location->place = PLACE_FUNCTION;
    if (place.kind == IMAGE_FUNCTION)
        error = number_function(builder, &place, &location->function);
    return error < 0 ? error : add_frames(builder, location, &place);
}

void symbolize_address(struct modules *modules, enum demangle style,
                       uint32_t address, char *out, size_t size)
{
    struct modules_place place;
    char name[DEMANGLE_MAX];

    if (modules_find(modules, address, &place) < 0
        || place.kind != IMAGE_FUNCTION) {
        (void)snprintf(out, size, "[unknown]");
        return;
    }
    demangle(style, place.name, name);
    if (address - place.start < 2)
        (void)snprintf(out, size, "%s%s", name, place.suffix);
    else
        (void)snprintf(out, size, "%s%s+0x%" PRIx32, name, place.suffix,
                       (address & ~1u) - place.start);
}

static int add_context(struct symbols *symbols, uint16_t id, const char *name)
{
    struct symbol_context *context = &symbols->contexts[symbols->context_count];

    context->id = id;
    context->name = strdup(name);
    if (context->name == NULL)
        return MCUPROF_E_NOMEM;
    symbols->context_count++;
    return 0;
}

static int name_contexts(struct symbols *symbols, const struct capture *capture,
                         const struct modules *modules)
{
    const struct profile *profile = capture->profile;
    uint8_t seen[(UINT16_MAX + 1) / 8] = {0};
    char name[SYMBOLIZE_CONTEXT_MAX];
    int error = 0;

    for (size_t i = 0; i < profile_count(profile); i++) {
        uint16_t id = profile_get(profile, i).context;

        symbols->context_count += (seen[id / 8] >> id % 8 & 1) == 0;
        seen[id / 8] |= (uint8_t)(1 << id % 8);
    }
    symbols->contexts =
            calloc(symbols->context_count + 1, sizeof *symbols->contexts);
    symbols->context_count = 0;
    if (symbols->contexts == NULL)
        return MCUPROF_E_NOMEM;
    for (uint32_t id = 0; id <= UINT16_MAX && error == 0; id++) {
        if ((seen[id / 8] >> id % 8 & 1) == 0)
            continue;
        symbolize_context(capture, modules, (uint16_t)id, name, sizeof name);
        error = add_context(symbols, (uint16_t)id, name);
    }
    return error;
}

static int name_locations(struct builder *builder)
{
    struct symbols *symbols = builder->symbols;
    int error = 0;

    for (size_t i = 0; i < symbols->location_count && error == 0; i++)
        error = resolve(builder, &symbols->locations[i]);
    for (size_t i = 0; i < modules_count(builder->modules); i++)
        symbols->has_lines |=
                lines_exist(modules_get(builder->modules, i)->lines);
    intern_deinit(&builder->function_keys);
    intern_deinit(&builder->whole_keys);
    intern_deinit(&builder->source_keys);
    intern_deinit(&builder->raw_paths);
    intern_deinit(&builder->paths);
    free(builder->raw_files);
    free(builder->ranks);
    return error;
}

int symbolize(struct symbols **out, const struct capture *capture,
              struct modules *modules, const struct symbolize_options *options)
{
    struct symbols *symbols = calloc(1, sizeof *symbols);
    struct builder builder = {
            .symbols = symbols, .modules = modules, .options = options};
    size_t room = profile_count(capture->profile) + 1;
    int error = MCUPROF_E_NOMEM;

    if (symbols == NULL)
        return error;
    symbols->locations = calloc(room, sizeof *symbols->locations);
    if (symbols->locations != NULL) {
        collect(symbols, capture->profile);
        error = name_locations(&builder);
    }
    if (error == 0)
        error = name_contexts(symbols, capture, modules);
    if (error < 0) {
        symbols_free(symbols);
        return error;
    }
    *out = symbols;
    return 0;
}
