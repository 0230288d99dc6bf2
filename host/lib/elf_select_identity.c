/* SPDX-License-Identifier: MIT */
#include "elf_select.h"

#include "bytes.h"
#include "elf_view.h"
#include "text.h"

#include <ctype.h>
#include <elf.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum {
    NOTE = 16,        /* bytes of a GNU note before its id */
    ID_MIN = 4,       /* bytes of an id that make others unlikely */
    ID_SENT = 8,      /* docs/wire.md, "HELLO" */
    CRC_MAX = 8,      /* bytes of a sum; what is larger is a table, */
    SUM_MAX = 64,     /* of a digest, */
    SIGNED_MAX = 4096 /* and of a signature with what belongs to it */
};

#define MCUBOOT_MAGIC 0x96F3B83D

/* As the target looks for it: mcuprof_identity.c. */
static bool sends_build_id(const struct image *image)
{
    uint8_t id[20], note[NOTE + ID_SENT];
    uint32_t address = 0, size;

    memset(note, 0, sizeof note);
    if (image_symbol_address(image, "mcuprof_build_id", &address) != 0
        || image_read(image, address, note, NOTE + ID_MIN) != 0)
        return false;
    size = bytes_get32(note + 4);
    if (bytes_get32(note) != 4 || bytes_get32(note + 8) != NT_GNU_BUILD_ID
        || memcmp(note + 12, "GNU", 4) != 0 || size < ID_MIN)
        return false;
    /* The one that is made anew. */
    if (image_build_id(image, id, &(size_t){0}) != 0)
        return false;
    return memcmp(note + NOTE, id, ID_MIN) == 0;
}

/* From where to where the target's CRC goes; false if it is a partial one. */
static bool find_crc_range(const struct image *image, uint32_t *start,
                           uint32_t *end)
{
    static const char *const ends[] = {"mcuprof_image_end", "__etext", "_etext",
                                       "etext"};

    if (!image_find_vectors(image, start))
        return false;
    for (size_t i = 0; i < sizeof ends / sizeof ends[0]; i++)
        if (image_symbol_address(image, ends[i], end) == 0 && *end != 0)
            return *end > *start;
    return false;
}

/* Where the programmer puts what runs at ADDRESS. */
static bool find_load(const struct elf_view *view, uint32_t address,
                      uint32_t *load)
{
    for (uint32_t i = 0; i < view->segment_count; i++) {
        struct elf_segment segment = elf_view_segment(view, i);

        if (segment.type != PT_LOAD
            || address - segment.address >= segment.size)
            continue;
        *load = segment.load + (address - segment.address);
        return true;
    }
    return false;
}

static bool is_sending(const struct image *image)
{
    return image_symbol_count(image, "mcuprof_init") > 0
           || image_symbol_count(image, "mcuprof_trace") > 0
           || image_symbol_count(image, "mcuprof_poll") > 0;
}

int elf_select_check_identity(const struct image *image,
                              const struct elf_patch *patches, size_t count,
                              struct error *error)
{
    uint32_t start = 0, end = 0, load = 0;
    struct elf_view view;
    size_t size = 0;
    const uint8_t *file = image_file_bytes(image, &size);
    bool has_range;

    if (!is_sending(image) || sends_build_id(image)
        || elf_view_open(&view, file, size) < 0)
        return 0;
    has_range = find_crc_range(image, &start, &end);
    for (size_t i = 0; i < count; i++)
        if (!has_range || !find_load(&view, patches[i].address, &load)
            || load < start || load >= end)
            return error_set(
                    error, MCUPROF_E_MISMATCH,
                    "define mcuprof_build_id in the linker script, or "
                    "mcuprof_image_end behind all code (docs/porting.md); "
                    "--force selects all the same",
                    "captures could not tell the selected firmware from "
                    "another: it sends no build-id, and no CRC over the code "
                    "at 0x%08" PRIx32,
                    patches[i].address);
    return 0;
}

/* Whether WORD, lower case, is one of SIZE letters of TEXT. */
static bool is_word(const char *text, size_t size, const char *word)
{
    if (strlen(word) != size)
        return false;
    for (size_t i = 0; i < size; i++)
        if (tolower((unsigned char)text[i]) != word[i])
            return false;
    return true;
}

static bool is_letter(char letter)
{
    return isalpha((unsigned char)letter) != 0;
}

struct suspect {
    const char *word;
    uint32_t most; /* bytes that such a thing has */
};

/* How many bytes NAME would have if it were a sum; 0 if it is not called so. */
static uint32_t suspect_size(const char *name)
{
    static const struct suspect suspects[] = {{"crc", CRC_MAX},
                                              {"checksum", SUM_MAX},
                                              {"sign", SIGNED_MAX},
                                              {"signature", SIGNED_MAX},
                                              {"signatures", SIGNED_MAX}};
    uint32_t most = 0;

    while (*name != '\0') {
        size_t size = 0;

        while (is_letter(name[size]))
            size++;
        for (size_t i = 0; i < sizeof suspects / sizeof suspects[0]; i++)
            if (is_word(name, size, suspects[i].word))
                most = suspects[i].most;
        /* It is for making one. */
        if (is_word(name, size, "table") || is_word(name, size, "poly"))
            return 0;
        name += size;
        name += *name != '\0' && !is_letter(*name);
    }
    return most;
}

/* Loaded, and nobody writes there. */
static bool is_kept(const struct elf_section *section)
{
    return elf_view_is_loaded(section) && (section->flags & SHF_WRITE) == 0;
}

static const char *find_section(const struct elf_view *view)
{
    for (uint32_t i = 0; i < view->section_count; i++) {
        struct elf_section section = elf_view_section(view, i);
        uint32_t most = suspect_size(section.name);

        if (elf_view_is_loaded(&section) && most > 0 && section.size <= most)
            return section.name;
    }
    return NULL;
}

/* A name of STRINGS, its end within them; "" without. */
static const char *string_at(const struct elf_view *view,
                             const struct elf_section *strings, uint32_t at)
{
    const uint8_t *bytes = elf_view_content(view, strings);
    uint32_t room = at < strings->size ? strings->size - at : 0;

    if (bytes == NULL || room == 0
        || memchr(bytes + at, 0, room < 256 ? room : 256) == NULL)
        return "";
    return (const char *)bytes + at;
}

/* An object in what is kept, or the label that a linker script puts there. */
static bool is_suspect(const struct elf_view *view, const uint8_t *symbol,
                       const char *name)
{
    unsigned type = ELF32_ST_TYPE(symbol[12]);
    uint32_t index = bytes_get16(symbol + 14);
    struct elf_section section;

    if ((type != STT_OBJECT && type != STT_NOTYPE) || index == SHN_UNDEF
        || index >= view->section_count
        || strncmp(name, "mcuprof", strlen("mcuprof")) == 0
        || bytes_get32(symbol + 8) > suspect_size(name)
        || suspect_size(name) == 0)
        return false;
    section = elf_view_section(view, index);
    return is_kept(&section);
}

static const char *find_symbol(const struct elf_view *view)
{
    for (uint32_t i = 0; i < view->section_count; i++) {
        struct elf_section table = elf_view_section(view, i);
        const uint8_t *symbol = elf_view_content(view, &table);
        struct elf_section strings;

        if (table.type != SHT_SYMTAB || symbol == NULL
            || table.link >= view->section_count)
            continue;
        strings = elf_view_section(view, table.link);
        for (uint32_t k = 0; k < table.size / sizeof(Elf32_Sym); k++) {
            const char *name = string_at(view, &strings, bytes_get32(symbol));

            if (name[0] != '\0' && is_suspect(view, symbol, name))
                return name;
            symbol += sizeof(Elf32_Sym);
        }
    }
    return NULL;
}

/* Of MCUboot's images the header comes first: imgtool --pad-header. */
static bool is_mcuboot(const struct elf_view *view)
{
    struct elf_segment lowest = {.size = 0};

    for (uint32_t i = 0; i < view->segment_count; i++) {
        struct elf_segment segment = elf_view_segment(view, i);

        if (segment.type == PT_LOAD && segment.size >= 4
            && (lowest.size == 0 || segment.load < lowest.load))
            lowest = segment;
    }
    return lowest.size >= 4
           && bytes_get32(view->bytes + lowest.offset) == MCUBOOT_MAGIC;
}

bool elf_select_signature(const struct image *image,
                          char out[ELF_SELECT_SIGNATURE_MAX])
{
    struct elf_view view;
    size_t size = 0;
    const uint8_t *file = image_file_bytes(image, &size);
    const char *found;

    out[0] = '\0';
    if (elf_view_open(&view, file, size) < 0)
        return false;
    found = is_mcuboot(&view) ? "MCUboot's header" : find_section(&view);
    if (found == NULL)
        found = find_symbol(&view);
    if (found != NULL)
        text_clean(out, ELF_SELECT_SIGNATURE_MAX, found);
    return found != NULL;
}
