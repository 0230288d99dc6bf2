/* SPDX-License-Identifier: MIT */
#include <gelf.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "image_parts.h"

/* A loaded section, or a segment of a file without sections. */
struct claim {
    struct image_piece piece;
    uint32_t load; /* where it is programmed */
    bool is_beside_code;
    bool has_content; /* else it reserves, as .bss and stacks do */
};

struct claims {
    struct claim *items;
    size_t count;
};

/* SIZE is above 0. What passes the end of memory ends there. */
static struct claim *add_claim(struct claims *claims, const char *name,
                               uint64_t address, uint64_t size, bool is_code)
{
    struct claim *claim = &claims->items[claims->count++];
    uint32_t start = (uint32_t)address;
    uint32_t room = UINT32_MAX - start;

    *claim = (struct claim){
            .piece = {.name = name != NULL ? name : "",
                      .start = start,
                      .last = start
                              + (size - 1 < room ? (uint32_t)(size - 1) : room),
                      .is_code = is_code},
            .load = start,
            .is_beside_code = is_code};
    return claim;
}

static void claim_sections(Elf *elf, struct claims *claims, size_t room)
{
    Elf_Scn *section = NULL;
    struct claim *claim;
    GElf_Shdr header;
    size_t names = 0;

    (void)elf_getshdrstrndx(elf, &names);
    while (claims->count < room
           && (section = elf_nextscn(elf, section)) != NULL) {
        if (gelf_getshdr(section, &header) == NULL || header.sh_size == 0
            || !(header.sh_flags & SHF_ALLOC))
            continue;
        /* .tbss is a size, not a place. */
        if ((header.sh_flags & SHF_TLS) && header.sh_type == SHT_NOBITS)
            continue;
        claim = add_claim(claims, elf_strptr(elf, names, header.sh_name),
                          header.sh_addr, header.sh_size,
                          (header.sh_flags & SHF_EXECINSTR) != 0);
        /* A debug file has the code's bytes elsewhere. */
        claim->has_content =
                header.sh_type == SHT_PROGBITS || claim->piece.is_code;
    }
}

static void claim_segments(Elf *elf, struct claims *claims, size_t count)
{
    GElf_Phdr header;

    for (size_t i = 0; i < count; i++)
        if (gelf_getphdr(elf, (int)i, &header) != NULL
            && header.p_type == PT_LOAD && header.p_memsz > 0)
            (void)add_claim(claims, "", header.p_vaddr, header.p_memsz,
                            (header.p_flags & PF_X) != 0);
}

/* Learn from the segments where the claims are programmed. */
static void place_claims(Elf *elf, struct claims *claims, size_t segments)
{
    GElf_Phdr header;

    for (size_t i = 0; i < segments; i++) {
        if (gelf_getphdr(elf, (int)i, &header) == NULL
            || header.p_type != PT_LOAD)
            continue;
        for (size_t k = 0; k < claims->count; k++) {
            struct claim *claim = &claims->items[k];
            uint32_t offset = claim->piece.start - (uint32_t)header.p_vaddr;

            if (offset >= header.p_memsz)
                continue;
            claim->load = (uint32_t)header.p_paddr + offset;
            claim->is_beside_code |= (header.p_flags & PF_X) != 0;
        }
    }
}

static uint32_t find_lowest(const struct claims *claims)
{
    const struct claim *lowest = NULL;

    for (size_t i = 0; i < claims->count; i++) {
        const struct claim *claim = &claims->items[i];

        if (lowest == NULL || claim->is_beside_code > lowest->is_beside_code
            || (claim->is_beside_code == lowest->is_beside_code
                && claim->load < lowest->load))
            lowest = claim;
    }
    return lowest != NULL ? lowest->piece.start : 0;
}

/* By start; where two share it, the one that shall lie on top comes last. */
static int compare_claims(const void *left, const void *right)
{
    const struct image_piece *a = &((const struct claim *)left)->piece;
    const struct image_piece *b = &((const struct claim *)right)->piece;

    if (a->start != b->start)
        return a->start < b->start ? -1 : 1;
    if (a->last != b->last)
        return a->last > b->last ? -1 : 1;
    if (a->is_code != b->is_code)
        return a->is_code ? 1 : -1;
    return strncmp(b->name, a->name, IMAGE_NAME_COMPARED);
}

/* The sweep that makes claims disjoint; the inner one of two wins. */
struct sweep {
    struct image *image;
    const struct claim *claims;
    size_t *stack; /* indices into claims, the innermost on top */
    size_t depth;
    uint64_t at; /* everything below is written */
    /* Of the claims with content that have begun: the two that end last, and
     * the one of code that does. */
    const struct image_piece *last, *second, *code;
};

static void begin_claim(struct sweep *sweep, size_t number)
{
    const struct claim *claim = &sweep->claims[number];
    const struct image_piece *piece = &claim->piece;

    sweep->stack[sweep->depth++] = number;
    if (!claim->has_content)
        return;
    if (sweep->last == NULL || piece->last > sweep->last->last) {
        sweep->second = sweep->last;
        sweep->last = piece;
    } else if (sweep->second == NULL || piece->last > sweep->second->last) {
        sweep->second = piece;
    }
    if (piece->is_code
        && (sweep->code == NULL || piece->last > sweep->code->last))
        sweep->code = piece;
}

/* Until where two claims with content, one of them code, are open. */
static uint64_t overlay_end(const struct sweep *sweep)
{
    if (sweep->second == NULL || sweep->code == NULL)
        return 0;
    return (sweep->second->last < sweep->code->last
                    ? (uint64_t)sweep->second->last
                    : (uint64_t)sweep->code->last)
           + 1;
}

static void note_overlay(struct sweep *sweep, uint64_t end)
{
    struct image *image = sweep->image;

    if (image->overlay.code != 0)
        return;
    (void)error_set(&image->overlay, MCUPROF_E_NO_DATA,
                    "give the ELF of one overlay, or link them apart",
                    "%s: %.64s and %.64s lie over each other at 0x%08" PRIx32
                    "-0x%08" PRIx32
                    " (overlays): addresses there are not told apart",
                    image->file.path, sweep->last->name, sweep->second->name,
                    (uint32_t)sweep->at, (uint32_t)(end - 1));
}

/* Write from sweep->at to END, which is above it: a part of TOP or overlaid. */
static void write_piece(struct sweep *sweep, const struct image_piece *top,
                        uint64_t end, bool is_overlay)
{
    struct image_piece *next = &sweep->image->pieces[sweep->image->piece_count];

    if (is_overlay && sweep->image->piece_count > 0 && next[-1].is_overlay
        && (uint64_t)next[-1].last + 1 == sweep->at) {
        next[-1].last = (uint32_t)(end - 1);
    } else {
        *next = is_overlay ? (struct image_piece){.name = "",
                                                  .is_code = true,
                                                  .is_overlay = true}
                           : *top;
        next->start = (uint32_t)sweep->at;
        next->last = (uint32_t)(end - 1);
        sweep->image->piece_count++;
    }
    sweep->at = end;
}

/* Write what lies on top up to END, which is not included. */
static void sweep_to(struct sweep *sweep, uint64_t end)
{
    while (sweep->depth > 0 && sweep->at < end) {
        const struct image_piece *top =
                &sweep->claims[sweep->stack[sweep->depth - 1]].piece;
        uint64_t top_end = (uint64_t)top->last + 1;
        uint64_t stop = top_end < end ? top_end : end;
        uint64_t overlay = overlay_end(sweep);

        if (overlay > sweep->at) {
            note_overlay(sweep, overlay);
            stop = overlay < stop ? overlay : stop;
        }
        if (stop > sweep->at)
            write_piece(sweep, top, stop, overlay > sweep->at);
        if (top_end <= sweep->at)
            sweep->depth--;
    }
    sweep->at = end;
}

static int build_pieces(struct image *image, struct claims *claims)
{
    struct sweep sweep = {.image = image, .claims = claims->items};

    qsort(claims->items, claims->count, sizeof *claims->items, compare_claims);
    /* Each begin and each end of a claim ends at most one piece. */
    image->pieces = calloc(2 * claims->count + 1, sizeof *image->pieces);
    sweep.stack = calloc(claims->count + 1, sizeof *sweep.stack);
    if (image->pieces == NULL || sweep.stack == NULL) {
        free(sweep.stack);
        return MCUPROF_E_NOMEM;
    }
    for (size_t i = 0; i < claims->count; i++) {
        sweep_to(&sweep, claims->items[i].piece.start);
        begin_claim(&sweep, i);
    }
    sweep_to(&sweep, (uint64_t)UINT32_MAX + 1);
    free(sweep.stack);
    return 0;
}

int image_sections_index(struct image *image)
{
    Elf *elf = image->file.elf;
    size_t sections = 0, segments = 0;
    struct claims claims = {0};
    int code;

    (void)elf_getshdrnum(elf, &sections);
    (void)elf_getphdrnum(elf, &segments);
    claims.items = calloc(sections + segments + 1, sizeof *claims.items);
    if (claims.items == NULL)
        return MCUPROF_E_NOMEM;
    claim_sections(elf, &claims, sections);
    if (claims.count == 0)
        claim_segments(elf, &claims, segments);
    place_claims(elf, &claims, segments);
    image->lowest = find_lowest(&claims);
    code = build_pieces(image, &claims);
    free(claims.items);
    return code;
}

/* The first piece that ends at ADDRESS or later, or the count. */
static size_t first_piece(const struct image *image, uint32_t address)
{
    size_t low = 0, high = image->piece_count;

    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (image->pieces[middle].last < address)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static const struct image_piece *find_piece(const struct image *image,
                                            uint32_t address)
{
    size_t index = first_piece(image, address);

    return index < image->piece_count && image->pieces[index].start <= address
                   ? &image->pieces[index]
                   : NULL;
}

bool image_has_address(const struct image *image, uint32_t address)
{
    return find_piece(image, address) != NULL;
}

bool image_is_code(const struct image *image, uint32_t address)
{
    const struct image_piece *piece = find_piece(image, address);

    return piece != NULL && piece->is_code;
}

const char *image_section(const struct image *image, uint32_t address)
{
    const struct image_piece *piece = find_piece(image, address);

    return piece != NULL ? piece->name : "";
}

bool image_is_overlay(const struct image *image, uint32_t address)
{
    const struct image_piece *piece = find_piece(image, address);

    return piece != NULL && piece->is_overlay;
}

uint64_t image_overlay_end(const struct image *image, uint32_t address)
{
    const struct image_piece *piece = find_piece(image, address);

    return piece != NULL && piece->is_overlay ? (uint64_t)piece->last + 1
                                              : address;
}

uint32_t image_lowest(const struct image *image)
{
    return image->lowest;
}

bool image_next_code(const struct image *image, uint32_t from, uint32_t *start,
                     uint32_t *last)
{
    size_t index = first_piece(image, from);

    while (index < image->piece_count && !image->pieces[index].is_code)
        index++;
    if (index == image->piece_count)
        return false;
    *start = image->pieces[index].start;
    *last = image->pieces[index].last;
    return true;
}

bool image_load_target(const struct image *image, uint32_t address,
                       uint32_t *target)
{
    if (image_has_address(image, address))
        return false;
    for (size_t i = 0; i < image->segment_count; i++) {
        const struct image_segment *segment = &image->segments[i];
        uint32_t offset = address - segment->load;

        if (segment->load == segment->address || offset >= segment->size
            || !image_has_address(image, segment->address + offset))
            continue;
        *target = segment->address + offset;
        return true;
    }
    return false;
}
