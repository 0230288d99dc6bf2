/* SPDX-License-Identifier: MIT */
#include "image.h"

#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "elf_select_record.h"
#include "image_parts.h"

/* Real firmware has a dozen; every read walks all of them. */
enum {
    SEGMENTS_MAX = 1024
};

static const char remedy_elf[] =
        "give the ELF that the linker wrote for this firmware, before objcopy";
static const char remedy_copy[] = "build or copy the file again";

struct magic {
    const char *bytes;
    unsigned length;
    const char *is;
};

/* Longer beginnings first where one begins another. */
static const struct magic magics[] = {
        {"!<arch>\n", 8, "an archive of object files"},
        {"UF2\n", 4, "a UF2 image, which carries no symbols"},
        {"\xCF\xFA\xED\xFE", 4, "a macOS program"},
        {"PK\3\4", 4, "a zip archive"},
        {"\x1F\x8B", 2, "gzip data"},
        {"MZ", 2, "a Windows program"},
        {"#!", 2, "a script"},
};

struct machine {
    unsigned number;
    const char *name;
};

static const struct machine machines[] = {
        {EM_X86_64, "x86-64"},
        {EM_386, "32-bit x86"},
        {EM_AARCH64, "64-bit Arm"},
        {EM_RISCV, "RISC-V"},
        {EM_XTENSA, "Xtensa"},
        {EM_MIPS, "MIPS"},
        {EM_PPC, "PowerPC"},
        {EM_PPC64, "64-bit PowerPC"},
        {EM_AVR, "AVR"},
        {EM_MSP430, "MSP430"},
        {EM_SPARC, "SPARC"},
        {EM_S390, "S/390"},
};

static bool is_text(const uint8_t *bytes, size_t size)
{
    for (size_t i = 0; i < size; i++)
        if (bytes[i] == 0x7F
            || (bytes[i] < 0x20 && strchr("\t\n\r\f\033", bytes[i]) == NULL))
            return false;
    return memchr(bytes, 0, size) == NULL;
}

/* A vector table: a stack in RAM, then a Thumb address. */
static bool is_raw_image(const uint8_t *bytes, size_t size)
{
    uint32_t stack, reset;

    if (size < 8)
        return false;
    stack = image_u32(bytes);
    reset = image_u32(bytes + 4);
    return stack % 4 == 0 && stack >= 0x10000000 && stack < 0x40000000
           && reset % 2 == 1 && reset < 0x40000000;
}

static bool is_intel_hex(const uint8_t *bytes, size_t size)
{
    static const char digits[] = "0123456789ABCDEFabcdef";

    if (size < 11 || bytes[0] != ':')
        return false;
    for (size_t i = 1; i < 11; i++)
        if (bytes[i] == 0 || strchr(digits, bytes[i]) == NULL)
            return false;
    return true;
}

static bool is_srecord(const uint8_t *bytes, size_t size)
{
    return size >= 10 && bytes[0] == 'S' && bytes[1] >= '0' && bytes[1] <= '9'
           && is_text(bytes, size);
}

static const char *describe(const uint8_t *bytes, size_t size)
{
    if (size == 0)
        return "empty";
    for (size_t i = 0; i < sizeof magics / sizeof magics[0]; i++)
        if (size >= magics[i].length
            && memcmp(bytes, magics[i].bytes, magics[i].length) == 0)
            return magics[i].is;
    if (is_intel_hex(bytes, size))
        return "an Intel HEX file, which carries no symbols";
    if (is_srecord(bytes, size))
        return "an S-record file, which carries no symbols";
    if (is_raw_image(bytes, size))
        return "a raw memory image, which carries no symbols";
    if (is_text(bytes, size))
        return "text";
    /* A stream begins with the delimiter of its first frame. */
    if (bytes[0] == 0)
        return "binary data (a capture?)";
    return "binary data";
}

static int refuse_machine(const char *path, unsigned machine, bool is_little,
                          struct error *error)
{
    for (size_t i = 0; i < sizeof machines / sizeof machines[0]; i++)
        if (machines[i].number == machine)
            return error_set(error, MCUPROF_E_MACHINE, remedy_elf,
                             "%s is not Arm firmware but a program for %s",
                             path, machines[i].name);
    if (machine == EM_ARM && !is_little)
        return error_set(
                error, MCUPROF_E_MACHINE,
                "build for little-endian, the only order mcuprof reads",
                "%s is big-endian Arm firmware", path);
    return error_set(error, MCUPROF_E_MACHINE, remedy_elf,
                     "%s is not Arm firmware but an ELF for machine %u", path,
                     machine);
}

static int check_type(const char *path, unsigned type, struct error *error)
{
    if (type == ET_EXEC || type == ET_DYN)
        return 0;
    return error_set(error, MCUPROF_E_FORMAT, remedy_elf, "%s is %s", path,
                     type == ET_REL    ? "an object file, not yet linked"
                     : type == ET_CORE ? "a core dump, not a program"
                                       : "an ELF of unknown type");
}

static int check_table(const char *path, const char *what, uint64_t end,
                       uint64_t size, struct error *error)
{
    if (end <= size)
        return 0;
    return error_set(error, MCUPROF_E_TRUNCATED, remedy_copy,
                     "%s is cut: it has %llu bytes, its %s table ends at %llu",
                     path, (unsigned long long)size, what,
                     (unsigned long long)end);
}

/*
 * Read by hand: libelf's errors do not tell a user what file this is. GOT of
 * the SIZE bytes, its beginning, are at H.
 */
static int check_header(const char *path, const uint8_t *h, size_t got,
                        uint64_t size, struct error *error)
{
    bool is_little, is_32;
    int code;

    if (got < 4 || memcmp(h, ELFMAG, SELFMAG) != 0)
        return error_set(error, MCUPROF_E_FORMAT, remedy_elf,
                         "%s is not an ELF file: it is %s", path,
                         describe(h, got));
    if (got < sizeof(Elf32_Ehdr))
        return error_set(error, MCUPROF_E_TRUNCATED, remedy_copy,
                         "%s is cut within its ELF header", path);
    is_little = h[EI_DATA] == ELFDATA2LSB;
    is_32 = h[EI_CLASS] == ELFCLASS32;
    if (!is_little || !is_32 || image_u16(h + 18) != EM_ARM)
        return refuse_machine(
                path, is_little ? image_u16(h + 18) : h[18] * 256U + h[19],
                is_little, error);
    code = check_type(path, image_u16(h + 16), error);
    if (code == 0)
        code = check_table(path, "segment",
                           image_u32(h + 28)
                                   + (uint64_t)image_u16(h + 44)
                                             * sizeof(Elf32_Phdr),
                           size, error);
    if (code == 0)
        code = check_table(path, "section",
                           image_u32(h + 32)
                                   + (uint64_t)image_u16(h + 48)
                                             * sizeof(Elf32_Shdr),
                           size, error);
    return code;
}

static int refuse_memory(const char *path, struct error *error)
{
    return error_set(error, MCUPROF_E_NOMEM, "close other programs",
                     "out of memory for %s", path);
}

static int check_file(const char *path, int file, uint64_t size,
                      struct error *error)
{
    uint8_t header[sizeof(Elf32_Ehdr)];
    ssize_t got = pread(file, header, sizeof header, 0);

    if (got < 0)
        return error_set(error, MCUPROF_E_IO, "check the path",
                         "cannot read %s: %s", path, strerror(errno));
    return check_header(path, header, (size_t)got, size, error);
}

/* Look at what libelf has opened. */
static int take_elf(struct image_file *file, const char *path,
                    struct error *error)
{
    if (file->elf != NULL && elf_kind(file->elf) == ELF_K_ELF)
        file->raw = (const uint8_t *)elf_rawfile(file->elf, &file->raw_size);
    if (file->raw == NULL)
        return error_set(error, MCUPROF_E_FORMAT, remedy_copy,
                         "%s is a damaged ELF file: %s", path, elf_errmsg(-1));
    file->path = strdup(path);
    return file->path != NULL ? 0 : refuse_memory(path, error);
}

/* Take over BYTES, which are freed in any case once FILE is closed. */
static int give_bytes(struct image_file *file, const char *path, uint8_t *bytes,
                      size_t size, struct error *error)
{
    size_t head = size < sizeof(Elf32_Ehdr) ? size : sizeof(Elf32_Ehdr);
    int code = check_header(path, bytes, head, size, error);

    file->owned = bytes;
    if (code != 0)
        return code;
    file->elf = elf_version(EV_CURRENT) == EV_NONE
                        ? NULL
                        : elf_memory((char *)bytes, size);
    return take_elf(file, path, error);
}

int image_file_open(struct image_file *file, const char *path,
                    struct error *error)
{
    struct stat status;
    int code;

    /* Without O_NONBLOCK a named pipe would be waited for. */
    file->descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (file->descriptor < 0 || fstat(file->descriptor, &status) != 0)
        return error_set(error, MCUPROF_E_IO, "check the path",
                         "cannot open %s: %s", path, strerror(errno));
    if (!S_ISREG(status.st_mode))
        return error_set(error, MCUPROF_E_IO, remedy_elf,
                         "%s is not a regular file", path);
    code = check_file(path, file->descriptor, (uint64_t)status.st_size, error);
    if (code != 0)
        return code;

    file->elf = elf_version(EV_CURRENT) == EV_NONE
                        ? NULL
                        : elf_begin(file->descriptor, ELF_C_READ_MMAP, NULL);
    return take_elf(file, path, error);
}

void image_file_close(struct image_file *file)
{
    (void)elf_end(file->elf);
    if (file->descriptor >= 0)
        (void)close(file->descriptor);
    free(file->owned);
    free(file->path);
    *file = (struct image_file){.descriptor = -1};
}

static uint32_t clip(uint64_t size, uint64_t limit)
{
    return (uint32_t)(size < limit ? size : limit);
}

static int add_segment(struct image *image, int index)
{
    struct image_segment *segment = &image->segments[image->segment_count];
    GElf_Phdr header;

    if (gelf_getphdr(image->file.elf, index, &header) == NULL)
        return MCUPROF_E_FORMAT;
    if (header.p_type != PT_LOAD || header.p_offset >= image->file.raw_size)
        return 0;
    segment->address = (uint32_t)header.p_vaddr;
    segment->load = (uint32_t)header.p_paddr;
    segment->bytes = image->file.raw + header.p_offset;
    segment->size =
            clip(header.p_filesz, image->file.raw_size - header.p_offset);
    segment->size = clip(segment->size, UINT32_MAX - segment->address);
    segment->size = clip(segment->size, UINT32_MAX - segment->load);
    image->segment_count += segment->size > 0;
    return 0;
}

static int read_segments(struct image *image, struct error *error)
{
    size_t count;

    if (elf_getphdrnum(image->file.elf, &count) != 0 || count > SEGMENTS_MAX)
        return error_set(
                error, MCUPROF_E_FORMAT, remedy_copy,
                "%s is a damaged ELF file: its segment table makes no sense",
                image->file.path);
    image->segments = calloc(count + 1, sizeof *image->segments);
    if (image->segments == NULL)
        return refuse_memory(image->file.path, error);
    for (size_t i = 0; i < count; i++)
        if (add_segment(image, (int)i) != 0)
            return error_set(error, MCUPROF_E_FORMAT, remedy_copy,
                             "%s is a damaged ELF file: %s", image->file.path,
                             elf_errmsg(-1));
    return 0;
}

/* Debug files are found by the id that the linker gave. */
static int read_ids(struct image *image)
{
    struct select_record record;
    int code =
            select_record_read(&record, image->file.raw, image->file.raw_size);

    image->build_id_size = image_build_id_read(&image->file, image->build_id);
    memcpy(image->linked_id, image->build_id, sizeof image->linked_id);
    image->linked_id_size = image->build_id_size;
    /* The record has no more of it than was changed. */
    if (record.state == SELECT_FOUND && record.id_size > 0) {
        memset(image->linked_id, 0, sizeof image->linked_id);
        memcpy(image->linked_id, record.id,
               record.id_size < sizeof image->linked_id
                       ? record.id_size
                       : sizeof image->linked_id);
    }
    select_record_deinit(&record);
    return code;
}

static int build_index(struct image *image, struct error *error)
{
    int code = image_sections_index(image);

    if (code == 0)
        code = read_ids(image);
    if (code == 0)
        code = image_debug_find(image);
    if (code == 0)
        code = image_symbols_index(image);
    if (code == 0)
        code = image_addresses_index(image);
    if (code == 0)
        code = image_clones_index(image);
    if (code == 0)
        code = image_idle_index(image);
    if (code == MCUPROF_E_NOMEM)
        return refuse_memory(image->file.path, error);
    if (code != 0)
        return error_set(error, code, remedy_copy,
                         "%s is damaged: its symbol table cannot be read",
                         image->file.path);
    return 0;
}

/* Open the file at PATH; or take BYTES over, of its SIZE, as if it had them. */
static int open_image(struct image **out, const char *path, uint8_t *bytes,
                      size_t size, struct error *error)
{
    struct image *image = calloc(1, sizeof *image);
    int code;

    *out = NULL;
    if (image == NULL) {
        free(bytes);
        return refuse_memory(path, error);
    }
    image->file.descriptor = -1;
    image->debug.descriptor = -1;
    code = bytes == NULL ? image_file_open(&image->file, path, error)
                         : give_bytes(&image->file, path, bytes, size, error);
    if (code == 0)
        code = read_segments(image, error);
    if (code == 0)
        code = build_index(image, error);
    if (code != 0) {
        image_free(image);
        return code;
    }
    *out = image;
    return 0;
}

int image_open(struct image **out, const char *path, struct error *error)
{
    return open_image(out, path, NULL, 0, error);
}

int image_open_memory(struct image **out, const char *path, uint8_t *bytes,
                      size_t size, struct error *error)
{
    return open_image(out, path, bytes, size, error);
}

const uint8_t *image_file_bytes(const struct image *image, size_t *size)
{
    *size = image->file.raw_size;
    return image->file.raw;
}

void image_free(struct image *image)
{
    if (image == NULL)
        return;
    image_symbols_free(image);
    free(image->pieces);
    free(image->idle);
    free(image->segments);
    image_file_close(&image->debug);
    image_file_close(&image->file);
    free(image);
}
