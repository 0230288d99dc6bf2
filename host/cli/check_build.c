/* SPDX-License-Identifier: MIT */
#include "check_build.h"

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

int check_build(const struct capture *capture, struct modules *modules,
                bool forced, struct error *error)
{
    const struct wire_identity *identity = &capture->identities[0];
    char firmware[IDENTITY_TEXT_MAX];
    char have[IDENTITY_TEXT_MAX];
    size_t which;

    if (capture->identity_count == 0 || forced
        || identity_check_any(modules, identity, have, &which)
                   != IDENTITY_MISMATCH)
        return 0;
    identity_format(identity, firmware);
    return error_set(error, MCUPROF_E_MISMATCH,
                     "name the ELF that was flashed with -e, or add --force",
                     "another build: the firmware has %s, the ELF has %s",
                     firmware, have);
}
