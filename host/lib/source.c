/* SPDX-License-Identifier: MIT */
#include "source.h"

#include "bytes.h"
#include "mcuprof_wire.h"
#include "memory_file.h"
#include "peer.h"
#include "source_gdb.h"
#include "source_ram.h"
#include "text.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Of memory dumps that are taken for captures. */
enum {
    DUMP_SEARCHED = 16 << 20
};

struct source_kind;

struct source {
    const struct source_kind *kind;
    int fd; /* -1: none */
    char name[200];
    bool begun;
    bool ended;
    /* With what was in memory, in order; else NULL. */
    uint8_t *bytes;
    size_t size;
    size_t at;
    uint32_t halted_us;
};

static bool is_regular(int fd)
{
    struct stat status;

    return fstat(fd, &status) == 0 && S_ISREG(status.st_mode);
}

/* A file that begins with a stream left in RAM is as good as the stream. */
static int recognise(struct source *source, struct error *error)
{
    const uint32_t begin = 0;
    struct memory_file *file = NULL;
    uint8_t head[16];
    off_t at = lseek(source->fd, 0, SEEK_CUR);
    ssize_t got;
    int result;

    if (!is_regular(source->fd) || at < 0 || at > UINT32_MAX)
        return 0;
    got = pread(source->fd, head, sizeof head, at);
    if (got < 0 || !source_ram_begins(head, (size_t)got))
        return 0;
    result = memory_file_open(&file, source->fd, source->name, &begin, error);
    if (result < 0)
        return result;
    result = source_ram_read(&source->bytes, &source->size,
                             memory_file_get(file), (uint32_t)at, error);
    memory_file_free(file);
    return result;
}

static int open_stdin(struct source *source, const char *rest,
                      const struct source_addresses *addresses,
                      struct error *error)
{
    (void)rest;
    (void)addresses;
    source->fd = STDIN_FILENO;
    return recognise(source, error);
}

static int open_path(struct source *source, const char *path,
                     struct error *error)
{
    struct stat status;

    source->fd = open(path, O_RDONLY | O_CLOEXEC);
    if (source->fd < 0)
        return error_set(error, MCUPROF_E_IO,
                         errno == ENOENT
                                 ? "check the name, or make a capture with "
                                   "`mcuprof record SOURCE -e fw.elf`"
                                 : "check the file and your rights to it",
                         "cannot open %s: %s", path, strerror(errno));
    if (fstat(source->fd, &status) == 0 && S_ISDIR(status.st_mode))
        return error_set(error, MCUPROF_E_IO, "give a file inside it",
                         "%s is a directory", path);
    return 0;
}

static int open_file(struct source *source, const char *path,
                     const struct source_addresses *addresses,
                     struct error *error)
{
    int result = open_path(source, path, error);

    (void)addresses;
    return result == 0 ? recognise(source, error) : result;
}

#define RAM_FORM "ram:FILE@ADDRESS"

static int need_addresses(const struct source_addresses *addresses,
                          struct error *error)
{
    if (addresses != NULL && source_addresses_any(addresses))
        return 0;
    return error_set(error, MCUPROF_E_NOT_FOUND,
                     "name the ELF that ran with -e fw.elf",
                     "where " FUNCTION_BLOCK_SYMBOL ", " RING_BLOCK_SYMBOL
                     " or " SOURCE_RAM_SYMBOL " is, is not known");
}

static int open_memory(struct source *source, const char *path,
                       const uint32_t *begin,
                       const struct source_addresses *addresses,
                       struct error *error)
{
    struct memory_file *file = NULL;
    struct source_dump dump = {0};
    int result = open_path(source, path, error);

    if (result == 0 && !is_regular(source->fd))
        result = error_set(error, MCUPROF_E_IO,
                           "save the memory in a file first",
                           "%s is no ordinary file", path);
    if (result == 0)
        result = memory_file_open(&file, source->fd, path, begin, error);
    if (result < 0)
        return result;
    result = source_dump_take(&dump, memory_file_get(file), addresses, error);
    if (result == 0
        && source_dump_frames(&dump, 0, &source->bytes, &source->size) < 0)
        result = error_set(error, MCUPROF_E_NOMEM, "", "out of memory");
    source_dump_deinit(&dump);
    memory_file_free(file);
    return result;
}

/* Where an address begins in "FILE@ADDRESS"; the end of "FILE". */
static bool split_dump(const char *rest, const char **at, uint32_t *begin)
{
    *at = strrchr(rest, '@');
    if (*at == NULL)
        *at = rest + strlen(rest);
    return *at != rest && (**at == '\0' || text_to_address(*at + 1, begin));
}

static int open_ram(struct source *source, const char *rest,
                    const struct source_addresses *addresses,
                    struct error *error)
{
    const char *at;
    uint32_t begin;
    char *path;
    int result;

    if (!split_dump(rest, &at, &begin))
        return error_set(error, MCUPROF_E_USAGE,
                         "write it as " RAM_FORM
                         ", where the dump begins; Intel HEX and core files "
                         "need no address",
                         "no file and address in ram:%s", rest);
    result = need_addresses(addresses, error);
    if (result < 0)
        return result;
    path = text_copy(rest);
    if (path == NULL)
        return error_set(error, MCUPROF_E_NOMEM, "", "out of memory");
    path[at - rest] = '\0';
    result = open_memory(source, path, *at == '\0' ? NULL : &begin, addresses,
                         error);
    free(path);
    return result;
}

static int open_gdb(struct source *source, const char *rest,
                    const struct source_addresses *addresses,
                    struct error *error)
{
    int result = need_addresses(addresses, error);

    if (result < 0)
        return result;
    return source_gdb_read(&source->bytes, &source->size, &source->halted_us,
                           rest, addresses, error);
}

#define TCP_FORM "tcp:HOST:PORT"

static int open_tcp(struct source *source, const char *rest,
                    const struct source_addresses *addresses,
                    struct error *error)
{
    (void)addresses;
    return peer_connect(rest, TCP_FORM, &source->fd, error);
}

/* What a kind of source looks like on the command line. */
struct source_kind {
    const char *prefix; /* "tcp:", "" for a file */
    const char *form;   /* "tcp:HOST:PORT" */
    /* NULL: planned, refused with a clear word. */
    int (*open)(struct source *source, const char *rest,
                const struct source_addresses *addresses, struct error *error);
    const char *check; /* where nothing comes from it */
};

#define CHECK_FIRMWARE "that the target runs and calls mcuprof_poll()"

/* The first match counts; "" matches every name. */
static const struct source_kind kinds[] = {
        {"-", "-", open_stdin,
         "check the command that writes to it, and " CHECK_FIRMWARE},
        {"tcp:", TCP_FORM, open_tcp,
         "check that the server has found the firmware's channel, "
         "and " CHECK_FIRMWARE},
        {"serial:", "serial:DEV@BAUD", NULL, NULL},
        {"gdb:", SOURCE_GDB_FORM, open_gdb, "let the firmware run for longer"},
        {"openocd:", "openocd:HOST:PORT", NULL, NULL},
        {"ram:", RAM_FORM, open_ram, "let the firmware run for longer"},
        {"rtt:", "rtt:FILE@ADDRESS", NULL, NULL},
        {"swo:", "swo:FILE", NULL, NULL},
        {"", "FILE", open_file,
         "check the wires and the baud rate if it is a port, "
         "and " CHECK_FIRMWARE},
        {NULL, NULL, NULL, NULL},
};

/* What SPEC names is of this kind. */
static const struct source_kind *source_kind_of(const char *spec)
{
    const struct source_kind *kind = kinds;

    if (strcmp(spec, "-") == 0)
        return kind;
    for (kind++; kind->prefix[0] != '\0'; kind++)
        if (strncmp(spec, kind->prefix, strlen(kind->prefix)) == 0)
            break;
    return kind;
}

static int refuse(const struct source_kind *refused, struct error *error)
{
    char list[120] = "sources so far: ";

    for (const struct source_kind *kind = kinds; kind->form != NULL; kind++) {
        size_t used = strlen(list);

        if (kind->open != NULL)
            (void)snprintf(list + used, sizeof list - used, "%s%s",
                           kind == kinds ? "" : ", ", kind->form);
    }
    return error_set(error, MCUPROF_E_USAGE, list,
                     "%s is not built into this version yet", refused->form);
}

bool source_needs_addresses(const char *spec)
{
    const struct source_kind *kind = source_kind_of(spec);
    const char *at;
    uint32_t begin;

    return kind->open == open_gdb
           || (kind->open == open_ram
               && split_dump(spec + strlen(kind->prefix), &at, &begin));
}

int source_open(struct source **out, const char *spec,
                const struct source_addresses *addresses, struct error *error)
{
    const struct source_kind *kind = source_kind_of(spec);
    struct source *source;
    int result;

    if (kind->open == NULL)
        return refuse(kind, error);
    source = calloc(1, sizeof *source);
    if (source == NULL)
        return error_set(error, MCUPROF_E_NOMEM, "", "out of memory");
    source->kind = kind;
    source->fd = -1;
    (void)snprintf(source->name, sizeof source->name, "%s",
                   kind->open == open_stdin ? "standard input" : spec);
    result = kind->open(source, spec + strlen(kind->prefix), addresses, error);
    if (result < 0) {
        source_close(source);
        return result;
    }
    *out = source;
    return 0;
}

uint32_t source_halted_us(const struct source *source)
{
    return source->halted_us;
}

void source_rewind(struct source *source)
{
    source->at = 0;
}

void source_close(struct source *source)
{
    if (source == NULL)
        return;
    if (source->fd >= 0 && source->fd != STDIN_FILENO)
        (void)close(source->fd);
    free(source->bytes);
    free(source);
}

int source_explain_nothing(const struct source *source, struct error *error)
{
    if (source->fd >= 0 && is_regular(source->fd))
        return error_set(error, MCUPROF_E_NO_DATA,
                         "record again, and check " CHECK_FIRMWARE,
                         "no valid frame: %s is empty", source->name);
    return error_set(error, MCUPROF_E_NO_DATA, source->kind->check,
                     source->ended
                             ? "no valid frame: nothing came from %s before "
                               "it ended"
                             : "no valid frame: nothing came from %s",
                     source->name);
}

/* Magic, version and size, as in the blocks of the ring and the table. */
enum {
    MARK_SIZE = 8
};

static void set_mark(uint8_t *mark, uint32_t magic, uint16_t version,
                     uint16_t size)
{
    bytes_put32(mark, magic);
    bytes_put16(mark + 4, version);
    bytes_put16(mark + 6, size);
}

/* One of them is somewhere at a word. */
static bool holds_block(int fd)
{
    uint8_t ring[MARK_SIZE], table[MARK_SIZE], bytes[4096 + MARK_SIZE];
    ssize_t got;

    set_mark(ring, MCUPROF_BLOCK_MAGIC_VALUE, MCUPROF_BLOCK_VERSION_VALUE,
             MCUPROF_BLOCK_BYTES);
    set_mark(table, MCUPROF_TABLE_MAGIC_VALUE, MCUPROF_TABLE_VERSION_VALUE,
             MCUPROF_TABLE_BYTES);
    for (off_t at = 0; at < DUMP_SEARCHED; at += 4096) {
        got = pread(fd, bytes, sizeof bytes, at);
        for (ssize_t i = 0; i + MARK_SIZE <= got; i += 4)
            if (memcmp(bytes + i, ring, sizeof ring) == 0
                || memcmp(bytes + i, table, sizeof table) == 0)
                return true;
        if (got < (ssize_t)sizeof bytes)
            return false;
    }
    return false;
}

/* How FD is written if it is no capture but a dump; NULL if it is none. */
static const char *dump_form(int fd)
{
    if (memory_file_has_addresses(fd))
        return "ram:FILE";
    return holds_block(fd) ? RAM_FORM ", where the dump begins," : NULL;
}

int source_explain_dump(const struct source *source, struct error *error)
{
    const char *form = source->fd >= 0 && is_regular(source->fd)
                               ? dump_form(source->fd)
                               : NULL;
    char remedy[100];

    if (form == NULL)
        return 0;
    (void)snprintf(remedy, sizeof remedy, "read it as %s with -e fw.elf", form);
    return error_set(error, MCUPROF_E_NO_DATA, remedy,
                     "%s is no capture, but looks like a dump of memory",
                     source->name);
}

static size_t take_bytes(struct source *source, uint8_t *buffer, size_t size)
{
    size_t left = source->size - source->at;

    if (size > left)
        size = left;
    memcpy(buffer, source->bytes + source->at, size);
    source->at += size;
    return size;
}

/* What poll() says for a plain file is "ready", so files take this way too. */
static long read_fd(struct source *source, uint8_t *buffer, size_t size,
                    int timeout_ms, struct error *error)
{
    struct pollfd wait = {.fd = source->fd, .events = POLLIN};
    int ready = poll(&wait, 1, timeout_ms);
    ssize_t got = -1;

    if (ready == 0 || (ready < 0 && errno == EINTR))
        return SOURCE_NOTHING_YET;
    if (ready > 0)
        got = read(source->fd, buffer, size);
    if (got >= 0)
        return (long)got;
    if (errno == EINTR || errno == EAGAIN || errno == EWOULDBLOCK)
        return SOURCE_NOTHING_YET;
    /* A reset is how QEMU and some probes hang up; EIO a pty without peer. */
    if (errno == ECONNRESET || (errno == EIO && isatty(source->fd)))
        return 0;
    return error_set(error, MCUPROF_E_IO, "check the connection",
                     "cannot read %s: %s", source->name, strerror(errno));
}

long source_read(struct source *source, uint8_t *buffer, size_t size,
                 int timeout_ms, struct error *error)
{
    bool first = !source->begun;
    long got = source->bytes != NULL
                       ? (long)take_bytes(source, buffer, size)
                       : read_fd(source, buffer, size, timeout_ms, error);

    source->ended = got == 0;
    source->begun = source->begun || got > 0;
    /* Its begin is known only at its end: a pipe cannot be unrolled. */
    if (first && got > 0 && source->bytes == NULL
        && source_ram_begins(buffer, (size_t)got))
        return error_set(error, MCUPROF_E_FORMAT,
                         "save it in a file, and give that",
                         "%s is a stream left in RAM, which cannot be read "
                         "from a pipe",
                         source->name);
    return got;
}
