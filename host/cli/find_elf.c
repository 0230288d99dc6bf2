/* SPDX-License-Identifier: MIT */
#include "find_elf.h"

#include "identity.h"

#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int open_elf(struct found_elf *found, const char *path, const char *how,
                    struct error *error)
{
    (void)snprintf(found->path, sizeof found->path, "%s", path);
    found->how = how;
    return image_open(&found->image, path, error);
}

static bool matches(const char *path, const struct wire_identity *identity)
{
    char have[IDENTITY_TEXT_MAX];
    struct image *image = NULL;
    enum identity_verdict verdict;

    if (image_open(&image, path, NULL) < 0)
        return false;
    verdict = identity_check(image, identity, have);
    image_free(image);
    return verdict == IDENTITY_MATCH || verdict == IDENTITY_PARTIAL;
}

static int find_here(struct found_elf *found,
                     const struct wire_identity *identity, struct error *error)
{
    const char *chosen = NULL;
    size_t count = 0;
    glob_t here;
    int result;

    if (glob("*.elf", 0, NULL, &here) != 0)
        memset(&here, 0, sizeof here);
    for (size_t i = 0; i < here.gl_pathc; i++)
        if (matches(here.gl_pathv[i], identity)) {
            chosen = here.gl_pathv[i];
            count++;
        }
    if (count == 1)
        result = open_elf(found, chosen, "matches the firmware", error);
    else
        result = error_set(
                error, MCUPROF_E_NOT_FOUND,
                "name the ELF that was flashed with -e fw.elf",
                count == 0 ? "no ELF given, and no *.elf here that matches "
                             "the firmware"
                           : "no ELF given, and more than one *.elf here "
                             "matches the firmware");
    globfree(&here);
    return result;
}

int find_elf(struct found_elf *found, const char *given,
             const struct capture *capture, struct error *error)
{
    const char *environment = getenv("MCUPROF_ELF");

    found->image = NULL;
    if (given != NULL)
        return open_elf(found, given, "-e", error);
    if (capture->has_host && capture->host.elf[0] != '\0'
        && access(capture->host.elf, F_OK) == 0)
        return open_elf(found, capture->host.elf, "named in the capture",
                        error);
    if (environment != NULL && environment[0] != '\0')
        return open_elf(found, environment, "$MCUPROF_ELF", error);
    return find_here(found, &capture->identities[0], error);
}
