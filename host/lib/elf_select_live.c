/* SPDX-License-Identifier: MIT */
#include "elf_select_live.h"

#include "elf_view.h"
#include "gdb_session.h"

#include <elf.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    NEAR = 64, /* bytes between sites that are read with them */
    PIECE = 4096,
    REGISTER_PC = 15
};

/* source: Armv7-M ARM DDI0403E, B2.2.7 (ICIALLU), B3.2.8 (CCR.IC) */
#define CCR 0xE000ED14U
#define CCR_IC (1U << 17)
#define ICIALLU 0xE000EF50U

/* Of the architecture's memory map: Armv7-M ARM DDI0403E, B3.1 */
#define SRAM_BEGIN 0x20000000U
#define SRAM_END 0x40000000U

struct work {
    const struct elf_view *view;
    struct live_site *sites; /* by address */
    uint8_t (*found)[4];     /* what is there, of each */
    bool *is_written;        /* or may be */
    bool *is_stuck;          /* of each body: some of it is in flash, and not
                                as it shall be */
    size_t count;
    struct live_result *result;
    bool is_done;
};

static bool is_in_ram(const struct elf_view *view, uint32_t address)
{
    if (address >= SRAM_BEGIN && address < SRAM_END)
        return true;
    for (uint32_t i = 0; i < view->segment_count; i++) {
        struct elf_segment segment = elf_view_segment(view, i);

        if (segment.type == PT_LOAD && address - segment.address < segment.size
            && (segment.load != segment.address || (segment.flags & PF_W) != 0))
            return true;
    }
    return false;
}

bool elf_select_is_in_ram(const struct image *image, uint32_t address)
{
    struct elf_view view;
    size_t size = 0;
    const uint8_t *file = image_file_bytes(image, &size);

    return elf_view_open(&view, file, size) == 0 && is_in_ram(&view, address);
}

static void add(struct error *error, const char *words)
{
    size_t used = strlen(error->cause);

    (void)snprintf(error->cause + used, sizeof error->cause - used, "%s",
                   words);
}

static const uint8_t *wanted(const struct live_site *site)
{
    return site->is_dropped ? site->patch.after : site->patch.before;
}

static bool is_right(const struct work *work, size_t index)
{
    const struct live_site *site = &work->sites[index];

    return memcmp(work->found[index], wanted(site), site->patch.size) == 0;
}

static int read_piece(struct work *work, size_t first, size_t end,
                      struct gdb_client *client, struct error *error)
{
    const struct elf_patch *last = &work->sites[end - 1].patch;
    uint32_t start = work->sites[first].patch.address;
    uint8_t bytes[PIECE + NEAR];
    int result = gdb_client_read(client, start, bytes,
                                 last->address + last->size - start, error);

    for (size_t i = first; i < end && result == 0; i++)
        memcpy(work->found[i], bytes + (work->sites[i].patch.address - start),
               work->sites[i].patch.size);
    return result;
}

/* Read what is at the sites, or at those written, neighbours at once. */
static int read_sites(struct work *work, bool only_written,
                      struct gdb_client *client, struct error *error)
{
    int result = 0;

    for (size_t i = 0, end; i < work->count && result == 0; i = end) {
        uint32_t start = work->sites[i].patch.address;

        end = i + 1;
        if (only_written && !work->is_written[i])
            continue;
        while (end < work->count
               && work->sites[end].patch.address
                                  - work->sites[end - 1].patch.address
                          <= NEAR
               && work->sites[end].patch.address - start <= PIECE
               && (!only_written || work->is_written[end]))
            end++;
        result = read_piece(work, i, end, client, error);
    }
    return result;
}

static int check_found(const struct work *work, const struct gdb_client *client,
                       struct error *error)
{
    for (size_t i = 0; i < work->count; i++) {
        const struct elf_patch *patch = &work->sites[i].patch;

        if (memcmp(work->found[i], patch->before, patch->size) != 0
            && memcmp(work->found[i], patch->after, patch->size) != 0)
            return error_set(error, MCUPROF_E_MISMATCH,
                             "name the ELF of the firmware that runs with -e",
                             "%s: what is at 0x%08" PRIx32
                             " is of another firmware; nothing was changed",
                             client->name, patch->address);
    }
    return 0;
}

/*
 * Between two NOPs that were one instruction the target must not go on in the
 * middle of it. A server that does not tell the PC is believed to stand well.
 */
static int check_pc(const struct work *work, struct gdb_client *client,
                    struct error *error)
{
    char command[8], *end;
    unsigned long reply;
    uint32_t pc;
    int result;

    (void)snprintf(command, sizeof command, "p%x", REGISTER_PC);
    result = gdb_client_ask(client, command, error);
    if (result < 0)
        return result;
    /* Its bytes as in memory. */
    reply = strtoul(client->reply, &end, 16);
    if (client->reply_size != 8 || *end != '\0')
        return 0;
    pc = (uint32_t)(reply >> 24 | (reply >> 8 & 0xFF00) | (reply & 0xFF00) << 8
                    | (reply & 0xFF) << 24);
    for (size_t i = 0; i < work->count; i++)
        if (work->sites[i].patch.size == 4
            && pc == work->sites[i].patch.address + 2)
            return error_set(
                    error, MCUPROF_E_UNREACHABLE, "try again",
                    "%s stands within a call of a hook, at 0x%08" PRIx32
                    "; nothing was changed",
                    client->name, pc);
    return 0;
}

/* Cached instructions would go on as they were. Who has no cache may refuse. */
static int renew_cache(struct gdb_client *client, struct error *error)
{
    static const uint8_t nothing[4];
    struct error refused;
    uint8_t ccr[4];

    if (gdb_client_read(client, CCR, ccr, sizeof ccr, &refused) < 0) {
        *error = client->failure;
        return client->failure.code;
    }
    if ((ccr[2] & CCR_IC >> 16) == 0)
        return 0;
    return gdb_client_write(client, ICIALLU, nothing, sizeof nothing, error);
}

/* A body changes as a whole, or half a pair would be left. */
static void find_stuck(const struct work *work)
{
    for (size_t i = 0; i < work->count; i++)
        if (!is_right(work, i)
            && !is_in_ram(work->view, work->sites[i].patch.address))
            work->is_stuck[work->sites[i].body] = true;
}

static int write_sites(struct work *work, struct gdb_client *client,
                       struct error *error)
{
    int result = 0;

    find_stuck(work);
    for (size_t i = 0; i < work->count && result == 0; i++) {
        const struct live_site *site = &work->sites[i];

        if (is_right(work, i)) {
            work->result->right++;
        } else if (work->is_stuck[site->body]) {
            work->result->flash++;
        } else {
            work->is_written[i] = true;
            work->result->changed++;
            result = gdb_client_write(client, site->patch.address, wanted(site),
                                      site->patch.size, error);
        }
    }
    return result;
}

static int check_written(struct work *work, struct gdb_client *client,
                         struct error *error)
{
    int result = read_sites(work, true, client, error);

    for (size_t i = 0; i < work->count && result == 0; i++)
        if (work->is_written[i] && !is_right(work, i))
            return error_set(error, MCUPROF_E_MISMATCH,
                             "write the selected ELF to the target",
                             "%s: what was written to 0x%08" PRIx32
                             " is not there: that is no RAM",
                             client->name, work->sites[i].patch.address);
    return result;
}

static void write_back(const struct work *work, uint8_t (*before)[4],
                       struct gdb_client *client)
{
    struct error ignored;
    int result = 0;

    /* Who does not answer will not do so to the next one. */
    for (size_t i = 0; i < work->count && result != MCUPROF_E_UNREACHABLE; i++)
        if (work->is_written[i])
            result = gdb_client_write(client, work->sites[i].patch.address,
                                      before[i], work->sites[i].patch.size,
                                      NULL);
    if (result != MCUPROF_E_UNREACHABLE)
        (void)renew_cache(client, &ignored);
}

/* How many of what was written, or may be, is not as BEFORE. */
static size_t count_left(struct work *work, uint8_t (*before)[4],
                         struct gdb_client *client)
{
    bool is_read = read_sites(work, true, client, NULL) == 0;
    size_t left = 0;

    for (size_t i = 0; i < work->count; i++)
        left += work->is_written[i]
                && (!is_read
                    || memcmp(work->found[i], before[i],
                              work->sites[i].patch.size)
                               != 0);
    return left;
}

/* Put back what was there, BEFORE; how that went goes behind ERROR's cause. */
static void put_back(struct work *work, uint8_t (*before)[4],
                     struct gdb_client *client, struct error *error)
{
    char words[100];
    size_t left;

    /* A signal waits for this, too; what went wrong is known. */
    client->end_us = UINT64_MAX;
    client->failure = (struct error){0};
    write_back(work, before, client);
    left = count_left(work, before, client);
    (void)snprintf(words, sizeof words,
                   "; %zu call%s of hooks may have stayed changed: reset the "
                   "target",
                   left, left == 1 ? "" : "s");
    add(error, left == 0 ? "; all is as it was" : words);
}

static int change(struct work *work, struct gdb_client *client,
                  struct error *error)
{
    uint8_t(*before)[4] = malloc((work->count + 1) * sizeof *before);
    int result;

    if (before == NULL)
        return error_set(error, MCUPROF_E_NOMEM, "", "out of memory");
    memcpy(before, work->found, work->count * sizeof *before);
    result = write_sites(work, client, error);
    if (result == 0 && work->result->changed > 0)
        result = check_written(work, client, error);
    if (result == 0 && work->result->changed > 0)
        result = renew_cache(client, error);
    if (result < 0)
        put_back(work, before, client, error);
    free(before);
    return result;
}

static int run(void *context, struct gdb_client *client, struct error *error)
{
    struct work *work = context;
    int result = read_sites(work, false, client, error);

    if (result == 0)
        result = check_found(work, client, error);
    if (result == 0)
        result = check_pc(work, client, error);
    if (result == 0)
        result = change(work, client, error);
    work->is_done = result == 0;
    for (size_t i = 0; i < work->count && result == 0; i++)
        work->sites[i].is_out =
                memcmp(work->found[i], work->sites[i].patch.after,
                       work->sites[i].patch.size)
                == 0;
    return result;
}

static int compare_sites(const void *left, const void *right)
{
    const struct live_site *a = left, *b = right;

    return a->patch.address < b->patch.address
                   ? -1
                   : a->patch.address > b->patch.address;
}

static size_t count_bodies(const struct live_site *sites, size_t count)
{
    size_t bodies = 0;

    for (size_t i = 0; i < count; i++)
        if (sites[i].body >= bodies)
            bodies = sites[i].body + 1;
    return bodies;
}

int elf_select_live(const char *peer, const struct image *image,
                    struct live_site *sites, size_t count,
                    struct live_result *result, struct error *error)
{
    struct elf_view view;
    size_t size = 0;
    const uint8_t *file = image_file_bytes(image, &size);
    struct work work = {.view = &view,
                        .sites = sites,
                        .found = calloc(count + 1, sizeof *work.found),
                        .is_written = calloc(count + 1, 1),
                        .is_stuck = calloc(count_bodies(sites, count) + 1, 1),
                        .count = count,
                        .result = result};
    const struct gdb_work session = {.context = &work, .run = run};
    int code;

    *result = (struct live_result){.changed = 0};
    if (work.found == NULL || work.is_written == NULL
        || work.is_stuck == NULL) {
        code = error_set(error, MCUPROF_E_NOMEM, "", "out of memory");
    } else if (elf_view_open(&view, file, size) < 0) {
        code = error_set(error, MCUPROF_E_FORMAT,
                         "give the ELF that the linker wrote",
                         "the ELF is damaged");
    } else {
        if (count > 0)
            qsort(sites, count, sizeof *sites, compare_sites);
        code = gdb_session_run(peer, &session, &result->halted_us, error);
        if (code < 0 && work.is_done)
            add(error, "; the hooks are as they shall be");
    }
    free(work.found);
    free(work.is_written);
    free(work.is_stuck);
    return code;
}
