/* SPDX-License-Identifier: MIT */
#include <gelf.h>
#include <stdlib.h>
#include <string.h>

#include "image_parts.h"

/*
 * From symbol table to answers, once per file:
 *
 *   symbols -> marks        $a $t $d with their extents
 *           -> candidates   functions, labels in code, objects
 *   candidates with one start -> one name
 *   names, which may nest or lie about their size -> disjoint ranges
 */

/* In rising order of what makes the better owner of an address. */
enum class {
    CLASS_LABEL,   /* no type, no size: a place in code, or a linker's sum */
    CLASS_OBJECT,  /* data with a size */
    CLASS_FUNCTION /* a function, or a label in code that has a size */
};

struct candidate {
    const char *name;
    uint32_t start;
    uint32_t size;
    uint32_t limit; /* its section's end */
    uint32_t scope; /* as in struct image_function */
    enum class class;
    unsigned char binding;
};

struct section {
    uint32_t start;
    uint32_t end;
    bool is_code;
};

struct builder {
    struct image *image;
    Elf *elf; /* that the symbols are from */
    struct section *sections;
    size_t section_count;
    struct candidate *candidates;
    size_t candidate_count;
    uint32_t scope; /* of the local symbols that are being read */
};

const char *image_symbol_text(const struct image_symtab *table,
                              const Elf32_Sym *symbol)
{
    return symbol->st_name < table->string_size
                   ? table->strings + symbol->st_name
                   : "";
}

static int read_symtab(struct image_symtab *table, Elf *elf, Elf_Scn *section,
                       const GElf_Shdr *header)
{
    Elf_Data *symbols = elf_getdata(section, NULL);
    Elf_Data *strings = elf_getdata(elf_getscn(elf, header->sh_link), NULL);

    if (symbols == NULL || symbols->d_buf == NULL
        || symbols->d_type != ELF_T_SYM || strings == NULL
        || strings->d_buf == NULL)
        return MCUPROF_E_TRUNCATED;
    table->symbols = symbols->d_buf;
    table->count = symbols->d_size / sizeof(Elf32_Sym);
    table->strings = strings->d_buf;
    table->string_size = strings->d_size;
    while (table->string_size > 0
           && table->strings[table->string_size - 1] != '\0')
        table->string_size--;
    return 0;
}

/* Fails with MCUPROF_E_NO_SYMBOLS, or _TRUNCATED if they cannot be read. */
static int find_symtab(struct image_symtab *table, Elf *elf, GElf_Word type)
{
    Elf_Scn *section = NULL;
    GElf_Shdr header;

    while ((section = elf_nextscn(elf, section)) != NULL)
        if (gelf_getshdr(section, &header) != NULL && header.sh_type == type
            && header.sh_size > 0 && header.sh_type != SHT_NOBITS)
            return read_symtab(table, elf, section, &header);
    return MCUPROF_E_NO_SYMBOLS;
}

/*
 * Symbols of places in the program. What a strip that was told to keep some
 * leaves is few; --strip-debug drops those of files and debug sections.
 */
static size_t count_places(const struct image_symtab *table)
{
    size_t count = 0;

    for (size_t i = 0; i < table->count; i++) {
        const Elf32_Sym *symbol = &table->symbols[i];
        unsigned type = ELF32_ST_TYPE(symbol->st_info);

        count += symbol->st_shndx != SHN_UNDEF
                 && symbol->st_shndx < SHN_LORESERVE
                 && (type == STT_FUNC || type == STT_NOTYPE
                     || type == STT_OBJECT)
                 && image_symbol_text(table, symbol)[0] != '\0';
    }
    return count;
}

/*
 * Its own symbols, unless the debug file has more; without both, what a dynamic
 * linker would need.
 */
static int choose_symtab(struct builder *builder)
{
    struct image *image = builder->image;
    struct image_symtab other = {0};
    int code = find_symtab(&image->symtab, image->file.elf, SHT_SYMTAB);

    builder->elf = image->file.elf;
    if (code != MCUPROF_E_NO_SYMBOLS && code != 0)
        return code;
    if (image->debug.elf != NULL
        && find_symtab(&other, image->debug.elf, SHT_SYMTAB) == 0
        && count_places(&other) > count_places(&image->symtab)) {
        image->symtab = other;
        builder->elf = image->debug.elf;
        return 0;
    }
    return code == 0 ? 0
                     : find_symtab(&image->symtab, image->file.elf, SHT_DYNSYM);
}

static int read_sections(struct builder *builder)
{
    Elf_Scn *scn = NULL;
    GElf_Shdr header;
    size_t count = 0;

    if (elf_getshdrnum(builder->elf, &count) != 0)
        return MCUPROF_E_FORMAT;
    builder->sections = calloc(count + 1, sizeof *builder->sections);
    if (builder->sections == NULL)
        return MCUPROF_E_NOMEM;
    builder->section_count = count;
    while ((scn = elf_nextscn(builder->elf, scn)) != NULL) {
        size_t index = elf_ndxscn(scn);
        struct section *section = &builder->sections[index];
        uint64_t end;

        if (index >= count || gelf_getshdr(scn, &header) == NULL
            || !(header.sh_flags & SHF_ALLOC))
            continue;
        end = header.sh_addr + header.sh_size;
        section->start = (uint32_t)header.sh_addr;
        section->end = end < UINT32_MAX ? (uint32_t)end : UINT32_MAX;
        section->is_code = (header.sh_flags & SHF_EXECINSTR) != 0;
    }
    return 0;
}

/* "$t", "$d.12": the ABI's; "$foo" is somebody's function. Else 0. */
char image_mark_state(const char *name)
{
    if (name[0] != '$' || name[1] == '\0' || strchr("atdx", name[1]) == NULL)
        return '\0';
    return name[2] == '\0' || name[2] == '.' ? name[1] : '\0';
}

/* armcl makes them functions without size. */
bool image_is_inner_label(const Elf32_Sym *symbol, const char *name)
{
    return ELF32_ST_BIND(symbol->st_info) == STB_LOCAL
           && strncmp(name, "$C$", 3) == 0;
}

static void add_mark(struct image *image, const struct section *section,
                     uint32_t address, char state)
{
    struct image_mark *mark = &image->marks[image->mark_count];
    uint64_t start = image_overlay_end(image, address & ~1U);

    /* What begins where sections lie over each other counts behind that. */
    if (start >= section->end)
        return;
    image->mark_count++;
    mark->start = (uint32_t)start;
    mark->end = section->end;
    mark->place = address;
    mark->order = (uint32_t)image->mark_count;
    mark->state = state;
}

static void add_candidate(struct builder *builder,
                          const struct section *section,
                          const Elf32_Sym *symbol, const char *name)
{
    struct candidate *candidate =
            &builder->candidates[builder->candidate_count];
    unsigned type = ELF32_ST_TYPE(symbol->st_info);
    uint32_t room;

    candidate->class = CLASS_LABEL;
    if (type == STT_FUNC || type == STT_GNU_IFUNC)
        candidate->class = CLASS_FUNCTION;
    else if (type == STT_OBJECT)
        candidate->class = CLASS_OBJECT;
    else if (type != STT_NOTYPE)
        return;
    /* Outside code only what says how long it is can be trusted. */
    if (symbol->st_size == 0
        && (!section->is_code || candidate->class == CLASS_OBJECT))
        return;
    if (!section->is_code && candidate->class == CLASS_LABEL)
        return;
    candidate->start = symbol->st_value;
    if (candidate->class != CLASS_OBJECT)
        candidate->start &= ~1U;
    if (candidate->start < section->start || candidate->start >= section->end
        || image_is_overlay(builder->image, candidate->start))
        return;
    room = section->end - candidate->start;
    candidate->size = symbol->st_size < room ? symbol->st_size : room;
    candidate->limit = section->end;
    candidate->name = name;
    candidate->binding = ELF32_ST_BIND(symbol->st_info);
    candidate->scope = candidate->binding == STB_LOCAL ? builder->scope : 0;
    builder->candidate_count++;
}

static int read_symbols(struct builder *builder)
{
    struct image *image = builder->image;
    const struct image_symtab *table = &image->symtab;

    image->marks = calloc(table->count + 1, sizeof *image->marks);
    builder->candidates = calloc(table->count + 1, sizeof *builder->candidates);
    if (image->marks == NULL || builder->candidates == NULL)
        return MCUPROF_E_NOMEM;
    for (size_t i = 0; i < table->count; i++) {
        const Elf32_Sym *symbol = &table->symbols[i];
        const char *name = image_symbol_text(table, symbol);
        const struct section *section;
        char state;

        /* Local symbols follow their file, which LTO leaves without name. */
        builder->scope += ELF32_ST_TYPE(symbol->st_info) == STT_FILE;
        /* This drops absolute, common and undefined symbols as well. */
        if (symbol->st_shndx == SHN_UNDEF
            || symbol->st_shndx >= builder->section_count || name[0] == '\0'
            || image_is_inner_label(symbol, name))
            continue;
        section = &builder->sections[symbol->st_shndx];
        state = image_mark_state(name);
        if (state == '\0')
            add_candidate(builder, section, symbol, name);
        else if (section->is_code && symbol->st_value >= section->start
                 && symbol->st_value < section->end)
            add_mark(image, section, symbol->st_value, state);
    }
    return 0;
}

static int compare_u32(uint32_t a, uint32_t b)
{
    return (a > b) - (a < b);
}

static int compare_marks(const void *left, const void *right)
{
    const struct image_mark *a = left, *b = right;
    int order = compare_u32(a->start, b->start);

    if (order == 0)
        order = compare_u32(a->place, b->place);
    return order != 0 ? order : compare_u32(a->order, b->order);
}

/* Of several marks at one place all but the last stand for empty sections. */
static void sort_marks(struct image *image)
{
    struct image_mark *marks = image->marks;
    size_t kept = 0;

    qsort(marks, image->mark_count, sizeof *marks, compare_marks);
    for (size_t i = 0; i < image->mark_count; i++) {
        bool is_last = i + 1 == image->mark_count;

        if (!is_last && marks[i + 1].start == marks[i].start)
            continue;
        marks[kept] = marks[i];
        if (!is_last && marks[i + 1].start < marks[i].end)
            marks[kept].end = marks[i + 1].start;
        kept++;
    }
    image->mark_count = kept;
}

const struct image_mark *image_mark_find(const struct image *image,
                                         uint32_t address)
{
    size_t low = 0, high = image->mark_count;

    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (image->marks[middle].start <= address)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == 0 || address >= image->marks[low - 1].end)
        return NULL;
    return &image->marks[low - 1];
}

/* A linker script's `_sdata = .` looks like a label, but not in code. */
static void drop_labels_outside_code(struct builder *builder)
{
    size_t kept = 0;

    for (size_t i = 0; i < builder->candidate_count; i++) {
        struct candidate *candidate = &builder->candidates[i];

        if (candidate->class == CLASS_LABEL) {
            const struct image_mark *mark =
                    image_mark_find(builder->image, candidate->start);

            if (mark == NULL || mark->state == 'd')
                continue;
            if (candidate->size > 0)
                candidate->class = CLASS_FUNCTION;
        }
        builder->candidates[kept++] = *candidate;
    }
    builder->candidate_count = kept;
}

/* Keep the names of functions before aliases are dropped. */
static int keep_functions(struct builder *builder)
{
    struct image *image = builder->image;

    image->functions =
            calloc(builder->candidate_count + 1, sizeof *image->functions);
    if (image->functions == NULL)
        return MCUPROF_E_NOMEM;
    for (size_t i = 0; i < builder->candidate_count; i++) {
        const struct candidate *candidate = &builder->candidates[i];

        if (candidate->class == CLASS_OBJECT)
            continue;
        image->functions[image->function_count++] =
                (struct image_function){.name = candidate->name,
                                        .start = candidate->start,
                                        .scope = candidate->scope};
    }
    return 0;
}

static int compare_candidates(const void *left, const void *right)
{
    const struct candidate *a = left, *b = right;

    return compare_u32(a->start, b->start);
}

static size_t leading_underscores(const char *name)
{
    return strspn(name, "_");
}

/*
 * The plainest of several names: `memcpy` rather than `__aeabi_memcpy`. It is
 * a total order, so the answer depends on nothing but the names.
 */
static bool is_plainer(const char *a, const char *b)
{
    size_t a_size = leading_underscores(a), b_size = leading_underscores(b);

    if (a_size == b_size) {
        a_size = strnlen(a, IMAGE_NAME_COMPARED);
        b_size = strnlen(b, IMAGE_NAME_COMPARED);
    }
    if (a_size != b_size)
        return a_size < b_size;
    return strncmp(a, b, IMAGE_NAME_COMPARED) < 0;
}

/*
 * A strong global is what the author called it. Weak names are made to be
 * replaced: where several share a body (vendors' startup files alias each
 * vector to a local Default_Handler), any one of them would mislead.
 */
static int binding_rank(const struct candidate *candidate, size_t weak_count)
{
    if (candidate->binding == STB_WEAK)
        return 1;
    if (candidate->binding == STB_LOCAL)
        return weak_count > 1 ? 2 : 0;
    return 3;
}

static bool is_better(const struct candidate *a, const struct candidate *b,
                      size_t weak_count)
{
    int a_rank = binding_rank(a, weak_count);
    int b_rank = binding_rank(b, weak_count);

    if (a_rank != b_rank)
        return a_rank > b_rank;
    return is_plainer(a->name, b->name);
}

/* One name for COUNT candidates, at least one, with one start. */
static struct candidate collapse(const struct candidate *group, size_t count)
{
    enum class class = CLASS_LABEL;
    struct candidate best = group[0];
    size_t weak_count = 0;
    uint32_t size = 0;

    for (size_t i = 0; i < count; i++) {
        class = group[i].class > class ? group[i].class : class;
        weak_count += group[i].binding == STB_WEAK;
    }
    for (size_t i = 0; i < count; i++) {
        if (group[i].class != class)
            continue;
        if (group[i].size > size)
            size = group[i].size;
        if (best.class != class || is_better(&group[i], &best, weak_count))
            best = group[i];
    }
    best.size = size;
    return best;
}

static void collapse_aliases(struct builder *builder)
{
    struct candidate *all = builder->candidates;
    size_t kept = 0, count;

    qsort(all, builder->candidate_count, sizeof *all, compare_candidates);
    for (size_t i = 0; i < builder->candidate_count; i += count) {
        for (count = 1; i + count < builder->candidate_count; count++)
            if (all[i + count].start != all[i].start)
                break;
        all[kept++] = collapse(&all[i], count);
    }
    builder->candidate_count = kept;
}

/*
 * The function that a linker's detour leads to: __NAME_veneer (GNU ld),
 * $Ven$TT$L$$NAME (armlink), $Tramp$TT$L$PI$$NAME (TI's), or
 * __ThumbV7PILongThunk_NAME (lld).
 * returns NAME and LENGTH, or NULL
 */
static const char *veneer_target(const struct candidate *candidate,
                                 size_t *length)
{
    static const char ld_end[] = "_veneer";
    const char *name = candidate->name, *target = NULL;
    size_t size = strnlen(name, IMAGE_NAME_COMPARED), end = sizeof ld_end - 1;

    if (candidate->class != CLASS_FUNCTION || candidate->binding != STB_LOCAL
        || size == IMAGE_NAME_COMPARED)
        return NULL;
    if (size > 2 + end && strncmp(name, "__", 2) == 0
        && strcmp(name + size - end, ld_end) == 0) {
        *length = size - end - 2;
        return name + 2;
    }
    if (strncmp(name, "$Ven$", 5) == 0 || strncmp(name, "$Tramp$", 7) == 0) {
        target = strstr(name, "$$");
        target = target == NULL ? NULL : target + 2;
    } else if (strncmp(name, "__Thumb", 7) == 0
               || strncmp(name, "__ARM", 5) == 0) {
        target = strstr(name, "Thunk_");
        target = target == NULL ? NULL : target + 6;
    }
    if (target == NULL || target[0] == '\0')
        return NULL;
    *length = strlen(target);
    return target;
}

static void add_name(struct image *image, const struct candidate *candidate,
                     char **room)
{
    struct image_name *name = &image->names[image->name_count++];
    size_t length = 0;
    const char *target = veneer_target(candidate, &length);

    name->name = candidate->name;
    name->start = candidate->start;
    name->size = candidate->size;
    name->kind = candidate->class == CLASS_OBJECT ? IMAGE_DATA : IMAGE_FUNCTION;
    name->is_veneer = target != NULL;
    if (target != NULL) {
        name->name = memcpy(*room, target, length);
        (*room)[length] = '\0';
        *room += length + 1;
    }
    name->base_size = image_base_size(name->name);
    name->base_start = name->start;
}

/*
 * The sweep that turns nested names into disjoint ranges. The stack holds the
 * names begun and not ended, innermost on top; an open one, whose size no
 * symbol tells, lies alone in it and ends where the next name begins.
 */
struct sweep {
    struct image *image;
    uint32_t *stack;
    size_t depth;
    char *room;    /* in image->veneer_names */
    uint32_t at;   /* everything below is written */
    uint32_t open; /* where an open top ends at the latest, else 0 */
    size_t piece;  /* the first that may be an overlay and is not passed */
};

static void write_range(struct sweep *sweep, uint32_t end)
{
    struct image *image = sweep->image;
    struct image_range *next = &image->ranges[image->range_count];
    uint32_t name = sweep->stack[sweep->depth - 1];

    if (end <= sweep->at)
        return;
    /* A label that was passed over leaves no seam. */
    if (image->range_count > 0 && next[-1].name == name
        && next[-1].end == sweep->at)
        next[-1].end = end;
    else
        image->ranges[image->range_count++] = (struct image_range){
                .start = sweep->at, .end = end, .name = name};
    sweep->at = end;
}

static void sweep_to(struct sweep *sweep, uint32_t place)
{
    while (sweep->depth > 0) {
        struct image_name *top =
                &sweep->image->names[sweep->stack[sweep->depth - 1]];

        if (sweep->open != 0) {
            top->size =
                    (place < sweep->open ? place : sweep->open) - top->start;
            sweep->open = 0;
        }
        if (top->start + top->size > place) {
            write_range(sweep, place);
            return;
        }
        write_range(sweep, top->start + top->size);
        sweep->depth--;
    }
    sweep->at = place;
}

/* The end of the section of CANDIDATE, or what lies over it before that. */
static uint32_t open_end(struct sweep *sweep, const struct candidate *candidate)
{
    const struct image *image = sweep->image;

    while (sweep->piece < image->piece_count
           && (!image->pieces[sweep->piece].is_overlay
               || image->pieces[sweep->piece].last < candidate->start))
        sweep->piece++;
    if (sweep->piece < image->piece_count
        && image->pieces[sweep->piece].start < candidate->limit)
        return image->pieces[sweep->piece].start;
    return candidate->limit;
}

static void sweep_add(struct sweep *sweep, const struct candidate *candidate)
{
    struct image *image = sweep->image;

    sweep_to(sweep, candidate->start);
    /* A label inside a function that knows its size is not a function. */
    if (candidate->size == 0 && sweep->depth > 0)
        return;
    if (candidate->size == 0)
        sweep->open = open_end(sweep, candidate);
    sweep->stack[sweep->depth++] = (uint32_t)image->name_count;
    add_name(image, candidate, &sweep->room);
}

static int build_ranges(struct builder *builder)
{
    struct image *image = builder->image;
    size_t count = builder->candidate_count, length, text = 0;
    struct sweep sweep = {.image = image};

    for (size_t i = 0; i < count; i++)
        if (veneer_target(&builder->candidates[i], &length) != NULL)
            text += length + 1;
    /* Names that share their bytes could be made to fill all memory. */
    if (text > image->file.raw_size + image->debug.raw_size)
        return MCUPROF_E_FORMAT;
    /* Each begin and each end of a name ends at most one range. */
    image->ranges = calloc(2 * count + 1, sizeof *image->ranges);
    image->names = calloc(count + 1, sizeof *image->names);
    image->veneer_names = malloc(text + 1);
    sweep.stack = calloc(count + 1, sizeof *sweep.stack);
    if (image->ranges == NULL || image->names == NULL
        || image->veneer_names == NULL || sweep.stack == NULL) {
        free(sweep.stack);
        return MCUPROF_E_NOMEM;
    }
    sweep.room = image->veneer_names;
    for (size_t i = 0; i < count; i++)
        sweep_add(&sweep, &builder->candidates[i]);
    sweep_to(&sweep, UINT32_MAX);
    free(sweep.stack);
    return 0;
}

int image_symbols_index(struct image *image)
{
    struct builder builder = {.image = image};
    int code = choose_symtab(&builder);

    if (code == MCUPROF_E_NO_SYMBOLS)
        return 0;
    if (code == 0)
        code = read_sections(&builder);
    if (code == 0)
        code = read_symbols(&builder);
    if (code == 0) {
        sort_marks(image);
        drop_labels_outside_code(&builder);
        code = keep_functions(&builder);
    }
    if (code == 0) {
        collapse_aliases(&builder);
        code = build_ranges(&builder);
    }
    free(builder.sections);
    free(builder.candidates);
    return code;
}

void image_symbols_free(struct image *image)
{
    free(image->veneer_names);
    free(image->addresses);
    free(image->names);
    free(image->functions);
    free(image->ranges);
    free(image->marks);
}

int image_check_symbols(const struct image *image, struct error *error)
{
    if (image->function_count > 0)
        return 0;
    return error_set(
            error, MCUPROF_E_NO_SYMBOLS,
            "give the ELF that the linker wrote, before strip or objcopy",
            "%s has no symbols of functions", image->file.path);
}

static const struct image_range *find_range(const struct image *image,
                                            uint32_t address)
{
    size_t low = 0, high = image->range_count;

    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (image->ranges[middle].start <= address)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == 0 || address >= image->ranges[low - 1].end)
        return NULL;
    return &image->ranges[low - 1];
}

/* OUT is that of an unknown address. */
static void find_run_time(const struct image *image, uint32_t address,
                          struct image_symbol *out)
{
    const struct image_mark *mark = image_mark_find(image, address);
    const struct image_range *range = find_range(image, address);
    bool is_data = mark != NULL && mark->state == 'd';
    const struct image_name *name;

    if (is_data)
        out->kind = IMAGE_DATA;
    if (range == NULL)
        return;
    name = &image->names[range->name];
    /* A literal pool belongs to no function. */
    if (is_data && name->kind != IMAGE_DATA)
        return;
    *out = (struct image_symbol){
            .name = name->name,
            .suffix = name->is_veneer ? " [veneer]" : "",
            .start = name->start,
            .size = name->size,
            .kind = name->kind,
            .base_size = name->base_size,
            .base_start = name->base_start,
    };
}

int image_find(const struct image *image, uint32_t address,
               struct image_symbol *out)
{
    uint32_t target = 0;

    address &= ~1U;
    *out = (struct image_symbol){
            .name = "[unknown]",
            .suffix = "",
            .start = address,
            .kind = IMAGE_UNKNOWN,
            .base_size = sizeof "[unknown]" - 1,
            .base_start = address,
    };
    if (image->range_count == 0)
        return MCUPROF_E_NO_SYMBOLS;
    if (image_is_overlay(image, address))
        return 0;
    find_run_time(image, address, out);
    if (out->kind != IMAGE_UNKNOWN
        || !image_load_target(image, address, &target))
        return 0;
    out->start = target;
    if (!image_is_overlay(image, target))
        find_run_time(image, target, out);
    out->start = address - (target - out->start);
    out->base_start = out->start;
    out->kind = IMAGE_DATA;
    out->suffix = " [load image]";
    return 0;
}
