/* SPDX-License-Identifier: MIT */
#include "timeline_log.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

#define NEWEST 32768u
#define BLOCK 4096u

void timeline_log_deinit(struct timeline_log *log)
{
    free(log->newest);
    free(log->block);
    if (log->file != NULL)
        (void)fclose(log->file);
    memset(log, 0, sizeof *log);
}

static int transfer_all(struct timeline_log *log, uint64_t number, void *bytes,
                        size_t size, bool is_write)
{
    off_t at = (off_t)(number * sizeof(struct timeline_entry));
    char *next = bytes;
    int file = fileno(log->file);

    while (size > 0) {
        ssize_t done = is_write ? pwrite(file, next, size, at)
                                : pread(file, next, size, at);

        if (done <= 0)
            return MCUPROF_E_IO;
        next += done;
        at += done;
        size -= (size_t)done;
    }
    return 0;
}

static int reserve(struct timeline_log *log)
{
    if (log->newest == NULL)
        log->newest = malloc(NEWEST * sizeof *log->newest);
    return log->newest == NULL ? MCUPROF_E_NOMEM : 0;
}

static int move_to_file(struct timeline_log *log)
{
    int error;

    if (log->file == NULL)
        log->file = tmpfile();
    if (log->file == NULL)
        return MCUPROF_E_IO;
    error = transfer_all(log, log->first, log->newest,
                         NEWEST * sizeof *log->newest, true);
    if (error == 0)
        log->first += NEWEST;
    return error;
}

int timeline_log_add(struct timeline_log *log,
                     const struct timeline_entry *entry)
{
    int error = reserve(log);

    if (error == 0 && log->count - log->first == NEWEST)
        error = move_to_file(log);
    if (error < 0)
        return error;
    log->newest[log->count - log->first] = *entry;
    log->count++;
    return 0;
}

static bool is_in_block(const struct timeline_log *log, uint64_t number)
{
    return number >= log->block_first
           && number < log->block_first + log->block_count;
}

/* What is in the file comes in whole arrays, and an array is whole blocks. */
static int read_block(struct timeline_log *log, uint64_t number)
{
    int error;

    if (log->block == NULL)
        log->block = malloc(BLOCK * sizeof *log->block);
    if (log->block == NULL)
        return MCUPROF_E_NOMEM;
    log->block_count = 0;
    log->block_first = number / BLOCK * BLOCK;
    error = transfer_all(log, log->block_first, log->block,
                         BLOCK * sizeof *log->block, false);
    if (error == 0)
        log->block_count = BLOCK;
    return error;
}

int timeline_log_get(struct timeline_log *log, uint64_t number,
                     struct timeline_entry *entry)
{
    int error = 0;

    if (number >= log->first) {
        *entry = log->newest[number - log->first];
        return 0;
    }
    if (!is_in_block(log, number))
        error = read_block(log, number);
    if (error == 0)
        *entry = log->block[number - log->block_first];
    return error;
}

int timeline_log_set(struct timeline_log *log, uint64_t number,
                     const struct timeline_entry *entry)
{
    struct timeline_entry copy = *entry;

    if (number >= log->first) {
        log->newest[number - log->first] = copy;
        return 0;
    }
    if (is_in_block(log, number))
        log->block[number - log->block_first] = copy;
    return transfer_all(log, number, &copy, sizeof copy, true);
}
