/* SPDX-License-Identifier: MIT */
#ifndef MCUPROF_TESTS_ARM_FIXTURE_H
#define MCUPROF_TESTS_ARM_FIXTURE_H

/*
 * Builds Arm ELF files for a test program in a folder of its own, and asks
 * binutils about them: the truth that the tests compare with.
 */

#include <fcntl.h>
#include <setjmp.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#define FIXTURES TEST_SOURCE_DIR "/fixtures/"

enum {
    PATH_SIZE = 512,
    TOOL_ARGUMENTS = 32,
    NM_SYMBOLS = 512
};

struct nm_symbol {
    uint32_t address;
    uint32_t size; /* 0 if nm gives none */
    char type;
    char name[64];
};

struct nm_table {
    struct nm_symbol symbols[NM_SYMBOLS];
    size_t count;
};

/* Make a folder below $TMPDIR; END removes it with all its files. */
static inline void fixture_begin(char directory[PATH_SIZE])
{
    const char *parent = getenv("TMPDIR");

    (void)snprintf(directory, PATH_SIZE, "%s/mcuprof-test-XXXXXX",
                   parent != NULL ? parent : "/tmp");
    assert_non_null(mkdtemp(directory));
}

static inline void fixture_path(char path[PATH_SIZE], const char *directory,
                                const char *name)
{
    int length = snprintf(path, PATH_SIZE, "%s/%s", directory, name);

    assert_in_range(length, 1, PATH_SIZE - 1);
}

/* Run a program with arguments up to NULL; its output goes to OUTPUT. */
static inline void run_tool(const char *output, ...)
{
    extern char **environ;
    posix_spawn_file_actions_t actions;
    char *arguments[TOOL_ARGUMENTS];
    size_t count = 0;
    int status = 0;
    va_list list;
    pid_t child;

    va_start(list, output);
    do {
        assert_in_range(count, 0, TOOL_ARGUMENTS - 1);
        arguments[count] = va_arg(list, char *);
    } while (arguments[count++] != NULL);
    va_end(list);
    assert_int_equal(posix_spawn_file_actions_init(&actions), 0);
    if (output != NULL)
        assert_int_equal(posix_spawn_file_actions_addopen(
                                 &actions, STDOUT_FILENO, output,
                                 O_WRONLY | O_CREAT | O_TRUNC, 0600),
                         0);
    if (posix_spawnp(&child, arguments[0], &actions, NULL, arguments, environ)
        != 0)
        fail_msg("cannot run %s", arguments[0]);
    (void)posix_spawn_file_actions_destroy(&actions);
    assert_int_equal(waitpid(child, &status, 0), child);
    if (status != 0)
        fail_msg("%s failed with status %d", arguments[0], status);
}

static inline void fixture_end(const char *directory)
{
    run_tool(NULL, "rm", "-r", "--", directory, NULL);
}

/* "08000058 0000003c t quiet_sum" or "08000058 t $t" */
static inline void nm_read(struct nm_table *table, const char *directory,
                           const char *elf)
{
    char list[PATH_SIZE], line[256];
    FILE *file;

    fixture_path(list, directory, "nm.txt");
    run_tool(list, "arm-none-eabi-nm", "-nS", "--special-syms", elf, NULL);
    file = fopen(list, "r");
    assert_non_null(file);
    table->count = 0;
    while (fgets(line, sizeof line, file) != NULL) {
        struct nm_symbol *symbol = &table->symbols[table->count];
        char *at = line;

        assert_in_range(table->count, 0, NM_SYMBOLS - 1);
        memset(symbol, 0, sizeof *symbol);
        symbol->address = (uint32_t)strtoul(at, &at, 16);
        if (strlen(at) > 10 && at[9] == ' ' && at[2] != ' ')
            symbol->size = (uint32_t)strtoul(at, &at, 16);
        /* LTO leaves local symbols of debug info that have no name. */
        if (sscanf(at, " %c %63s", &symbol->type, symbol->name) == 2)
            table->count++;
        else
            assert_int_equal(symbol->type, 'N');
    }
    (void)fclose(file);
    assert_int_not_equal(table->count, 0);
}

static inline const struct nm_symbol *nm_find(const struct nm_table *table,
                                              const char *name)
{
    size_t i = 0;

    while (i < table->count && strcmp(table->symbols[i].name, name) != 0)
        i++;
    if (i == table->count)
        fail_msg("nm has no %s", name);
    return &table->symbols[i];
}

/* Read a whole file; the caller frees it. */
static inline uint8_t *file_read(const char *path, size_t *size)
{
    FILE *file = fopen(path, "rb");
    uint8_t *bytes;
    long length;

    assert_non_null(file);
    assert_int_equal(fseek(file, 0, SEEK_END), 0);
    length = ftell(file);
    assert_in_range(length, 0, 1 << 28);
    rewind(file);
    bytes = malloc((size_t)length + 1);
    assert_non_null(bytes);
    assert_int_equal(fread(bytes, 1, (size_t)length, file), length);
    (void)fclose(file);
    *size = (size_t)length;
    return bytes;
}

static inline void file_write(const char *path, const void *bytes, size_t size)
{
    FILE *file = fopen(path, "wb");

    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, size, file), size);
    assert_int_equal(fclose(file), 0);
}

/* The firmware of fixtures/names.c, with a build-id. */
static inline void build_names(const char *elf)
{
    run_tool(NULL, "arm-none-eabi-gcc", "-mcpu=cortex-m3", "-mthumb", "-O2",
             "-g", "-ffreestanding", "-nostdlib", "-Wl,--build-id", "-T",
             FIXTURES "names.ld", FIXTURES "names.c", FIXTURES "names_asm.S",
             "-o", elf, NULL);
}

#endif
