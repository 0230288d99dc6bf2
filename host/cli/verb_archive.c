/* SPDX-License-Identifier: MIT */
#include "verbs.h"

#include "complain.h"
#include "image.h"
#include "output.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#define DEFAULT_DIRECTORY "elves"

struct filed {
    uint8_t *bytes;
    size_t size;
    char path[PATH_MAX];
};

static int fail(struct error *error, const char *what, const char *path)
{
    return error_set(error, MCUPROF_E_IO,
                     "check the path, your rights to it, and the disk",
                     "cannot %s %s: %s", what, path, strerror(errno));
}

static int read_whole(struct filed *filed, const char *path,
                      struct error *error)
{
    struct stat status;
    FILE *file = fopen(path, "rb");
    int result = 0;

    if (file == NULL || fstat(fileno(file), &status) < 0) {
        result = fail(error, "read", path);
    } else {
        filed->size = (size_t)status.st_size;
        filed->bytes = malloc(filed->size + 1);
        if (filed->bytes == NULL
            || fread(filed->bytes, 1, filed->size, file) != filed->size)
            result = fail(error, "read", path);
    }
    if (file != NULL)
        (void)fclose(file);
    return result;
}

/* "DIRECTORY/fw.0a1b2c3d.elf", by the CRC-32 of the whole file. */
static int name_copy(struct filed *filed, const char *path,
                     const char *directory, struct error *error)
{
    const char *slash = strrchr(path, '/');
    const char *name = slash == NULL ? path : slash + 1;
    const char *dot = strrchr(name, '.');
    int stem = (int)(dot == NULL || dot == name ? strlen(name)
                                                : (size_t)(dot - name));
    unsigned long crc = crc32_z(0, filed->bytes, filed->size);
    int length = snprintf(filed->path, sizeof filed->path, "%s/%.*s.%08lx.elf",
                          directory, stem, name, crc);

    if (length > 0 && (size_t)length < sizeof filed->path - 8)
        return 0;
    errno = ENAMETOOLONG;
    return fail(error, "file below", directory);
}

static int write_whole(const struct filed *filed, struct error *error)
{
    char draft[sizeof filed->path + 8];
    FILE *file;
    bool is_whole;

    (void)snprintf(draft, sizeof draft, "%s.part", filed->path);
    file = fopen(draft, "wb");
    if (file == NULL)
        return fail(error, "write", draft);
    is_whole = fwrite(filed->bytes, 1, filed->size, file) == filed->size;
    is_whole = fclose(file) == 0 && is_whole;
    if (is_whole && rename(draft, filed->path) == 0)
        return 0;
    (void)fail(error, "write", filed->path);
    (void)unlink(draft);
    return MCUPROF_E_IO;
}

static int file_one(const char *path, const char *directory,
                    struct output *output, struct error *error)
{
    struct filed filed = {.bytes = NULL};
    struct image *image = NULL;
    int result = image_open(&image, path, error);

    if (result == 0)
        result = image_check_symbols(image, error);
    image_free(image);
    if (result == 0)
        result = read_whole(&filed, path, error);
    if (result == 0)
        result = name_copy(&filed, path, directory, error);
    if (result == 0 && access(filed.path, F_OK) < 0)
        result = write_whole(&filed, error);
    if (result == 0)
        (void)fprintf(output->stream, "%s\n", filed.path);
    free(filed.bytes);
    return result;
}

int verb_archive(const struct settings *settings)
{
    const char *directory =
            settings->output != NULL ? settings->output : DEFAULT_DIRECTORY;
    struct error error;
    struct output output;
    int status = output_begin(&output, COLOR_NEVER);

    if (status != 0)
        return status;
    if (mkdir(directory, 0777) < 0 && errno != EEXIST) {
        (void)fail(&error, "make", directory);
        status = complain(&error);
    }
    for (size_t i = 0; i < settings->argument_count && status == 0; i++)
        if (file_one(settings->arguments[i], directory, &output, &error) < 0)
            status = complain(&error);
    return output_end(&output, status);
}
