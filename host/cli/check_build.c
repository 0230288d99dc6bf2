/* SPDX-License-Identifier: MIT */
#include "check_build.h"

#include "function_starts.h"
#include "identity.h"

int check_one_build(const struct capture *capture, const char *name,
                    bool forced, struct error *error)
{
    if (forced || (capture->identity_count < 2 && capture->unlike == NULL))
        return 0;
    if (capture->unlike != NULL)
        return error_set(error, MCUPROF_E_MISMATCH,
                         "report the log of each firmware on its own, or add "
                         "--force for the last one's tables alone",
                         "%s holds function tables of different firmwares: %s "
                         "differ",
                         name, capture->unlike);
    return error_set(
            error, MCUPROF_E_MISMATCH,
            "record each firmware on its own, or add --force to merge them",
            "%s holds records of %zu different firmwares", name,
            capture->identity_count);
}

/* Where no identity tells it; a few may be in a ROM, say. */
static int check_starts(const struct capture *capture, struct modules *modules,
                        struct error *error)
{
    struct function_starts starts;

    if (function_starts_check(&starts, capture, modules) < 0)
        return error_set(error, MCUPROF_E_NOMEM, "", "out of memory");
    if (starts.strangers <= starts.functions / 2)
        return 0;
    return error_set(error, MCUPROF_E_MISMATCH,
                     "name the ELF that was flashed with -e, or add --force",
                     "another build: %zu of %zu functions in the table do not "
                     "begin where the ELF has functions",
                     starts.strangers, starts.functions);
}

int check_build(const struct capture *capture, struct modules *modules,
                bool forced, struct error *error)
{
    const struct wire_identity *identity = &capture->identities[0];
    char firmware[IDENTITY_TEXT_MAX];
    char have[IDENTITY_TEXT_MAX];
    size_t which;

    if (forced)
        return 0;
    if (capture->identity_count == 0
        || identity_check_any(modules, identity, have, &which)
                   != IDENTITY_MISMATCH)
        return check_starts(capture, modules, error);
    identity_format(identity, firmware);
    return error_set(error, MCUPROF_E_MISMATCH,
                     "name the ELF that was flashed with -e, or add --force",
                     "another build: the firmware has %s, the ELF has %s",
                     firmware, have);
}
