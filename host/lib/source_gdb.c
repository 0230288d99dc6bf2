/* SPDX-License-Identifier: MIT */
#include "source_gdb.h"

#include "gdb_session.h"

static int read_memory(void *context, uint32_t address, uint8_t *out,
                       size_t size, struct error *error)
{
    return gdb_client_read(context, address, out, size, error);
}

struct taking {
    struct source_dump dump;
    const struct source_addresses *addresses;
};

static int take(void *context, struct gdb_client *client, struct error *error)
{
    struct taking *taking = context;
    const struct memory memory = {
            .context = client, .read = read_memory, .name = client->name};
    int result =
            source_dump_take(&taking->dump, &memory, taking->addresses, error);

    /* Names are no must, but what went wrong with one goes on doing so. */
    if (result == 0 && client->failure.code != 0) {
        *error = client->failure;
        result = error->code;
    }
    return result;
}

int source_gdb_read(uint8_t **out, size_t *size, uint32_t *halted_us,
                    const char *peer, const struct source_addresses *addresses,
                    struct error *error)
{
    struct taking taking = {.addresses = addresses};
    const struct gdb_work work = {.context = &taking, .run = take};
    int result = gdb_session_run(peer, &work, halted_us, error);

    if (result == 0
        && source_dump_frames(&taking.dump, *halted_us, out, size) < 0)
        result = error_set(error, MCUPROF_E_NOMEM, "", "out of memory");
    source_dump_deinit(&taking.dump);
    return result;
}
