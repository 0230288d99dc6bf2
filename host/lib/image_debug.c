/* SPDX-License-Identifier: MIT */
/* For realpath. NOLINTNEXTLINE(bugprone-reserved-identifier) */
#define _XOPEN_SOURCE 700

#include <gelf.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include "image_parts.h"

/*
 * Debug info that objcopy --only-keep-debug put into a file of its own. The
 * ELF tells the other's name and CRC (.gnu_debuglink), or both share a
 * build-id.
 *
 * source: GDB manual, "Debugging Information in Separate Files"
 */

/* No firmware's debug info is larger; a sparse file may be. */
#define DEBUG_FILE_MAX ((size_t)1 << 30)
#define GLOBAL_FOLDER "/usr/lib/debug"

static const char remedy_build[] =
        "give the ELF that the linker wrote, or the debug file of this build";

struct search {
    struct image *image;
    const char *link; /* its debug file's name, NULL if it tells none */
    uint32_t crc;
    char path[PATH_MAX]; /* the one that is tried */
    char folder[PATH_MAX];
    char real_folder[PATH_MAX]; /* absolute; "" if unknown */
};

static bool find_section(Elf *elf, const char *name, Elf_Scn **found,
                         GElf_Shdr *header)
{
    Elf_Scn *section = NULL;
    const char *is = NULL;
    size_t names;

    if (elf_getshdrstrndx(elf, &names) != 0)
        return false;
    while ((section = elf_nextscn(elf, section)) != NULL) {
        if (gelf_getshdr(section, header) != NULL)
            is = elf_strptr(elf, names, header->sh_name);
        if (is == NULL || strcmp(is, name) != 0)
            continue;
        *found = section;
        return true;
    }
    return false;
}

static bool has_debug_info(Elf *elf)
{
    Elf_Scn *section;
    GElf_Shdr header;

    return (find_section(elf, ".debug_info", &section, &header)
            || find_section(elf, ".zdebug_info", &section, &header))
           && header.sh_type != SHT_NOBITS && header.sh_size > 0;
}

/* A name, zeros up to the next multiple of 4, the CRC-32 of the file. */
static void read_link(struct search *search)
{
    Elf_Data *data = NULL;
    Elf_Scn *section;
    GElf_Shdr header;
    const char *bytes;
    size_t length;

    if (find_section(search->image->file.elf, ".gnu_debuglink", &section,
                     &header))
        data = elf_rawdata(section, NULL);
    if (data == NULL || data->d_buf == NULL)
        return;
    bytes = data->d_buf;
    length = strnlen(bytes, data->d_size);
    /* A file name; a path would lead anywhere. */
    if (length == 0 || length / 4 * 4 + 8 > data->d_size
        || memchr(bytes, '/', length) != NULL)
        return;
    search->link = bytes;
    search->crc = image_u32((const uint8_t *)bytes + length / 4 * 4 + 4);
}

static bool is_same_file(int a, int b)
{
    struct stat left, right;

    return fstat(a, &left) == 0 && fstat(b, &right) == 0
           && left.st_dev == right.st_dev && left.st_ino == right.st_ino;
}

static bool has_crc(const struct search *search, const struct image_file *file)
{
    return crc32(crc32(0, NULL, 0), file->raw, (uInt)file->raw_size)
           == search->crc;
}

static bool has_build_id(const struct search *search,
                         const struct image_file *file)
{
    const struct image *image = search->image;
    uint8_t id[sizeof image->linked_id] = {0};

    return image_build_id_read(file, id) == image->linked_id_size
           && memcmp(id, image->linked_id, sizeof id) == 0;
}

/* The first candidate that fails is what the user will look at. */
static void note(struct search *search, const struct error *error)
{
    if (search->image->problem.code == 0)
        search->image->problem = *error;
}

/* Take the file at search->path, if it is there and FITS. */
static bool take(struct search *search,
                 bool (*fits)(const struct search *, const struct image_file *))
{
    struct image_file *own = &search->image->file;
    struct image_file file = {.descriptor = -1};
    struct error error = {0};
    int code;

    if (access(search->path, F_OK) != 0)
        return false;
    code = image_file_open(&file, search->path, &error);
    if (code == 0 && file.raw_size > DEBUG_FILE_MAX)
        code = error_set(&error, MCUPROF_E_FORMAT, remedy_build,
                         "%s is too large for a debug file", search->path);
    if (code == 0 && is_same_file(file.descriptor, own->descriptor))
        code = error_set(&error, MCUPROF_E_FORMAT, remedy_build,
                         "%s names itself as its debug file", search->path);
    if (code == 0 && !fits(search, &file))
        code = error_set(&error, MCUPROF_E_MISMATCH, remedy_build,
                         "the debug file %s is not of the same build as %s",
                         search->path, own->path);
    if (code == 0) {
        search->image->debug = file;
        return true;
    }
    note(search, &error);
    image_file_close(&file);
    return false;
}

/* False if the path does not fit. */
static bool set_path(struct search *search, const char *root,
                     const char *folder, const char *below, const char *name)
{
    int length = snprintf(search->path, sizeof search->path, "%s%s%s%s", root,
                          folder, below, name);

    return length > 0 && (size_t)length < sizeof search->path;
}

static bool take_link_in(struct search *search, const char *folder)
{
    return (set_path(search, "", folder, "/", search->link)
            && take(search, has_crc))
           || (set_path(search, "", folder, "/.debug/", search->link)
               && take(search, has_crc));
}

static bool take_link(struct search *search)
{
    const char *folder = search->real_folder;

    if (search->link == NULL)
        return false;
    if (take_link_in(search, search->folder))
        return true;
    /* The ELF may be a symbolic link. */
    if (folder[0] == '\0')
        return false;
    return (strcmp(folder, search->folder) != 0 && take_link_in(search, folder))
           || (set_path(search, GLOBAL_FOLDER, folder, "/", search->link)
               && take(search, has_crc));
}

static bool take_build_id(struct search *search)
{
    const struct image *image = search->image;
    char name[2 * sizeof image->linked_id + sizeof "/.debug"];
    size_t size = image->linked_id_size;
    int used;

    if (size < 2 || size > sizeof image->linked_id)
        return false;
    used = snprintf(name, sizeof name, "%02x/", image->linked_id[0]);
    for (size_t i = 1; i < size; i++)
        used += snprintf(name + used, sizeof name - (size_t)used, "%02x",
                         image->linked_id[i]);
    (void)snprintf(name + used, sizeof name - (size_t)used, ".debug");
    return (set_path(search, "", search->folder, "/.build-id/", name)
            && take(search, has_build_id))
           || (set_path(search, GLOBAL_FOLDER, "", "/.build-id/", name)
               && take(search, has_build_id));
}

static void set_folders(struct search *search)
{
    const char *path = search->image->file.path;
    const char *slash = strrchr(path, '/');
    char *end;

    (void)snprintf(search->folder, sizeof search->folder, "%.*s",
                   slash != NULL ? (int)(slash - path) : 1,
                   slash != NULL ? path : ".");
    if (realpath(path, search->real_folder) == NULL)
        search->real_folder[0] = '\0';
    end = strrchr(search->real_folder, '/');
    if (end != NULL)
        *end = '\0';
}

/* Whether ELF is such a file: all that is code is without bytes. */
static bool is_debug_file(const struct image *image)
{
    Elf_Scn *section = NULL;
    GElf_Shdr header;
    bool has_code = false;

    while ((section = elf_nextscn(image->file.elf, section)) != NULL) {
        if (gelf_getshdr(section, &header) == NULL
            || !(header.sh_flags & SHF_EXECINSTR) || header.sh_size == 0)
            continue;
        if (header.sh_type != SHT_NOBITS)
            return false;
        has_code = true;
    }
    return has_code;
}

int image_debug_find(struct image *image)
{
    struct search *search;

    if (is_debug_file(image)) {
        /* The segments claim bytes still; something else is there. */
        image->segment_count = 0;
        (void)error_set(&image->problem, MCUPROF_E_NO_DATA,
                        "give the ELF that it was made from, if you can",
                        "%s is a debug file without code: idle time and the "
                        "firmware's CRC-32 cannot be told",
                        image->file.path);
        return 0;
    }
    if (has_debug_info(image->file.elf))
        return 0;
    search = calloc(1, sizeof *search);
    if (search == NULL)
        return MCUPROF_E_NOMEM;
    search->image = image;
    read_link(search);
    set_folders(search);
    if (take_link(search) || take_build_id(search))
        image->problem = (struct error){0};
    else if (search->link != NULL && image->problem.code == 0)
        (void)error_set(
                &image->problem, MCUPROF_E_NOT_FOUND,
                "put it beside the ELF, or give an ELF with debug info",
                "%s has no debug info, and its debug file %s is missing",
                image->file.path, search->link);
    free(search);
    return 0;
}

const char *image_debug_path(const struct image *image)
{
    return image->debug.elf != NULL ? image->debug.path : image->file.path;
}

bool image_problem(const struct image *image, struct error *out)
{
    const struct error *problem =
            image->problem.code != 0 ? &image->problem : &image->overlay;

    if (problem->code == 0)
        return false;
    *out = *problem;
    return true;
}
