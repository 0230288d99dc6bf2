/* SPDX-License-Identifier: MIT */
#include <stdlib.h>
#include <string.h>

#include "image_parts.h"

/* The way back, from a symbol's name to its address. */

/* A symbol that may be asked for. */
struct entry {
    const char *name;
    uint32_t hash;
    uint32_t address;
    bool is_local;
    uint32_t order; /* in the symbol table */
};

/* FNV-1a of the length and the end: names may be long, and begin alike. */
static uint32_t hash(const char *name)
{
    size_t size = strnlen(name, IMAGE_NAME_COMPARED);
    uint32_t sum = 2166136261U ^ (uint32_t)size;

    for (size_t i = size > 64 ? size - 64 : 0; i < size; i++)
        sum = (sum ^ (unsigned char)name[i]) * 16777619U;
    return sum;
}

static int compare_u32(uint32_t a, uint32_t b)
{
    return (a > b) - (a < b);
}

static int compare_names(uint32_t a_hash, const char *a, uint32_t b_hash,
                         const char *b)
{
    int order = compare_u32(a_hash, b_hash);

    if (order != 0 || a == b)
        return order;
    return strncmp(a, b, IMAGE_NAME_COMPARED);
}

static int by_name(const void *left, const void *right)
{
    const struct entry *a = left, *b = right;
    int order = compare_names(a->hash, a->name, b->hash, b->name);

    if (order == 0)
        order = compare_u32(a->address, b->address);
    return order != 0 ? order : compare_u32(a->order, b->order);
}

/* Returns the entries that are written, at most one a symbol. */
static size_t read_entries(const struct image_symtab *table,
                           struct entry *entries)
{
    size_t count = 0;

    for (size_t i = 0; i < table->count; i++) {
        const Elf32_Sym *symbol = &table->symbols[i];
        const char *name = image_symbol_text(table, symbol);
        unsigned type = ELF32_ST_TYPE(symbol->st_info);

        if (symbol->st_shndx == SHN_UNDEF || type == STT_FILE
            || type == STT_SECTION || name[0] == '\0'
            || image_mark_state(name) != '\0'
            || image_is_inner_label(symbol, name))
            continue;
        entries[count++] = (struct entry){
                .name = name,
                .hash = hash(name),
                .address = type == STT_FUNC ? symbol->st_value & ~1U
                                            : symbol->st_value,
                .is_local = ELF32_ST_BIND(symbol->st_info) == STB_LOCAL,
                .order = (uint32_t)i};
    }
    return count;
}

static bool is_better(const struct entry *a, const struct entry *b)
{
    return a->is_local != b->is_local ? b->is_local : a->order < b->order;
}

/* Make one of the entries with the first one's name; returns how many. */
static size_t merge(const struct entry *entries, size_t count,
                    struct image_address *out)
{
    const struct entry *best = entries;
    size_t used = 1;

    out->count = 1;
    for (; used < count; used++) {
        const struct entry *entry = &entries[used];

        if (compare_names(entry->hash, entry->name, best->hash, best->name)
            != 0)
            break;
        out->count += entry->address != entry[-1].address;
        if (is_better(entry, best))
            best = entry;
    }
    out->name = best->name;
    out->hash = best->hash;
    out->address = best->address;
    return used;
}

int image_addresses_index(struct image *image)
{
    size_t count = image->symtab.count;
    struct entry *entries = calloc(count + 1, sizeof *entries);

    image->addresses = calloc(count + 1, sizeof *image->addresses);
    if (entries == NULL || image->addresses == NULL) {
        free(entries);
        return MCUPROF_E_NOMEM;
    }
    count = read_entries(&image->symtab, entries);
    qsort(entries, count, sizeof *entries, by_name);
    for (size_t i = 0; i < count;)
        i += merge(&entries[i], count - i,
                   &image->addresses[image->address_count++]);
    free(entries);
    return 0;
}

static const struct image_address *find_address(const struct image *image,
                                                const char *name)
{
    size_t low = 0, high = image->address_count;
    uint32_t wanted = hash(name);

    while (low < high) {
        size_t middle = low + (high - low) / 2;
        const struct image_address *found = &image->addresses[middle];
        int order = compare_names(found->hash, found->name, wanted, name);

        if (order == 0)
            return found;
        if (order < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return NULL;
}

int image_symbol_address(const struct image *image, const char *name,
                         uint32_t *out)
{
    const struct image_address *found = find_address(image, name);

    if (image->symtab.count == 0)
        return MCUPROF_E_NO_SYMBOLS;
    if (found == NULL)
        return MCUPROF_E_NOT_FOUND;
    *out = found->address;
    return 0;
}

size_t image_symbol_count(const struct image *image, const char *name)
{
    const struct image_address *found = find_address(image, name);

    return found != NULL ? found->count : 0;
}
