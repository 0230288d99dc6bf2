/* SPDX-License-Identifier: MIT */
#include "find_elf.h"

#include "complain.h"
#include "identity.h"

#include <dirent.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Without a capture any ELF will do. */
static bool matches(const char *path, const struct capture *capture)
{
    char have[IDENTITY_TEXT_MAX];
    struct image *image = NULL;
    enum identity_verdict verdict;

    if (capture == NULL)
        return true;
    if (image_open(&image, path, NULL) < 0)
        return false;
    verdict = identity_check(image, &capture->identities[0], have);
    image_free(image);
    return verdict == IDENTITY_MATCH || verdict == IDENTITY_PARTIAL;
}

bool find_elf_is_directory(const char *path)
{
    struct stat status;

    return stat(path, &status) == 0 && S_ISDIR(status.st_mode);
}

/* Of several matching ELFs any will do: their code is the same. */
static int open_from(struct found_elf *found, const char *directory,
                     const struct capture *capture, struct error *error)
{
    int count = 0;
    int result = MCUPROF_E_NOT_FOUND;
    struct dirent **entries = NULL;

    if (capture == NULL || capture->identity_count == 0)
        return error_set(error, MCUPROF_E_NOT_FOUND,
                         "name the ELF itself with -e fw.elf",
                         "there is nothing to tell by which ELF in %s ran",
                         directory);
    count = scandir(directory, &entries, NULL, alphasort);
    for (int i = 0; i < count; i++) {
        char path[sizeof found->path];

        (void)snprintf(path, sizeof path, "%s/%s", directory,
                       entries[i]->d_name);
        free(entries[i]);
        if (result != MCUPROF_E_NOT_FOUND || find_elf_is_directory(path)
            || !matches(path, capture))
            continue;
        result = modules_add(found->modules, path, error);
        (void)snprintf(found->path, sizeof found->path, "%s", path);
    }
    free(entries);
    if (result == MCUPROF_E_NOT_FOUND)
        return error_set(error, result,
                         "name the ELF that was flashed with -e fw.elf, or "
                         "file it there with `mcuprof archive`",
                         "no ELF in %s matches the firmware", directory);
    return result;
}

static int open_elfs(struct found_elf *found, const struct words *elfs,
                     const char *how, const struct capture *capture,
                     struct error *error)
{
    int result = 0;

    (void)snprintf(found->path, sizeof found->path, "%s", elfs->items[0]);
    found->how = how;
    for (size_t i = 0; i < elfs->count && result == 0; i++)
        if (find_elf_is_directory(elfs->items[i]))
            result = open_from(found, elfs->items[i], capture, error);
        else
            result = modules_add(found->modules, elfs->items[i], error);
    return result;
}

static int open_elf(struct found_elf *found, const char *path, const char *how,
                    const struct capture *capture, struct error *error)
{
    const struct words one = {.items = {path}, .count = 1};

    return open_elfs(found, &one, how, capture, error);
}

static int find_here(struct found_elf *found, const struct capture *capture,
                     struct error *error)
{
    const char *which = capture == NULL ? "" : " that matches the firmware";
    const char *chosen = NULL;
    size_t count = 0;
    glob_t here;
    int result;

    if (glob("*.elf", 0, NULL, &here) != 0)
        memset(&here, 0, sizeof here);
    for (size_t i = 0; i < here.gl_pathc; i++)
        if (matches(here.gl_pathv[i], capture)) {
            chosen = here.gl_pathv[i];
            count++;
        }
    if (count == 1)
        result = open_elf(found, chosen,
                          capture == NULL ? "the only *.elf here"
                                          : "matches the firmware",
                          NULL, error);
    else
        result = error_set(error, MCUPROF_E_NOT_FOUND,
                           "name the ELF that was flashed with -e fw.elf",
                           "no ELF given, and %s *.elf here%s",
                           count == 0 ? "no" : "more than one", which);
    globfree(&here);
    return result;
}

/* ARGUMENT may be "path@0x20001000". */
static bool exists(const char *argument)
{
    char path[4096];
    char *at;

    if (access(argument, F_OK) == 0)
        return true;
    (void)snprintf(path, sizeof path, "%s", argument);
    at = strrchr(path, '@');
    if (at == NULL)
        return false;
    *at = '\0';
    return access(path, F_OK) == 0;
}

int find_elf(struct found_elf *found, const struct words *given,
             const struct capture *capture, struct error *error)
{
    const char *environment = getenv("MCUPROF_ELF");

    found->modules = modules_new();
    if (found->modules == NULL)
        return error_set(error, MCUPROF_E_NOMEM, "close other programs", "%s",
                         error_message(MCUPROF_E_NOMEM));
    if (given->count > 0)
        return open_elfs(found, given, "-e", capture, error);
    if (capture != NULL && capture->has_host && exists(capture->host.elf))
        return open_elf(found, capture->host.elf, "named in the capture",
                        capture, error);
    if (environment != NULL && environment[0] != '\0')
        return open_elf(found, environment, "$MCUPROF_ELF", capture, error);
    return find_here(found, capture, error);
}

int find_elf_each(const char *directory,
                  int (*visit)(void *context, struct found_elf *found),
                  void *context)
{
    struct dirent **entries = NULL;
    int count = scandir(directory, &entries, NULL, alphasort);
    int result = 0;

    for (int i = 0; i < count; i++) {
        struct found_elf found = {.modules = modules_new(), .how = "-e"};

        (void)snprintf(found.path, sizeof found.path, "%s/%s", directory,
                       entries[i]->d_name);
        free(entries[i]);
        if (found.modules == NULL)
            result = MCUPROF_E_NOMEM;
        if (result == 0 && !find_elf_is_directory(found.path)
            && modules_add(found.modules, found.path, NULL) == 0)
            result = visit(context, &found);
        modules_free(found.modules);
    }
    free(entries);
    return result;
}

void find_elf_warn(const struct found_elf *found)
{
    struct error problem;

    for (size_t i = 0; modules_problem(found->modules, i, &problem); i++)
        warn(problem.remedy, "%s", problem.cause);
}
