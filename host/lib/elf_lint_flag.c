/* SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "demangle.h"
#include "elf_lint.h"

/*
 * gcc's -finstrument-functions-exclude-function-list compares with names as
 * the source has them, finds them in the middle of others as well, and takes
 * "\\," for a comma within a name.
 */

/* A longer list names most of a program; what else it hits matters less. */
enum {
    COMPARED_MAX = 200
};

static void name_for_gcc(const struct lint_finding *finding,
                         char out[DEMANGLE_MAX])
{
    char linkage[DEMANGLE_MAX];

    (void)snprintf(linkage, sizeof linkage, "%.*s", (int)finding->name_size,
                   finding->name);
    demangle(DEMANGLE_SIMPLE, linkage, out);
}

/* Static functions may have one name. */
static bool is_repeated(const struct lint_finding *first,
                        const struct lint_finding *finding)
{
    for (; first < finding; first++)
        if (first->name_size == finding->name_size
            && strncmp(first->name, finding->name, first->name_size) == 0)
            return true;
    return false;
}

static void print_flag(FILE *stream, const struct lint *lint, size_t first,
                       size_t count)
{
    const char *before = "-finstrument-functions-exclude-function-list=";

    for (size_t i = first; i < first + count; i++) {
        char name[DEMANGLE_MAX];

        name_for_gcc(&lint->findings[i], name);
        if (name[0] == '\0'
            || is_repeated(&lint->findings[first], &lint->findings[i]))
            continue;
        (void)fputs(before, stream);
        for (const char *at = name; *at != '\0'; at++)
            (void)fprintf(stream, *at == ',' ? "\\%c" : "%c", *at);
        before = ",";
    }
}

char *lint_exclude_flag(const struct lint *lint, size_t first, size_t count)
{
    char *text = NULL;
    size_t size = 0;
    FILE *stream = open_memstream(&text, &size);

    if (stream == NULL)
        return NULL;
    print_flag(stream, lint, first, count);
    if (fclose(stream) == 0)
        return text;
    free(text);
    return NULL;
}

/* Whether NAME is that of one of the findings, or of a clone of it. */
static bool is_among(const struct lint_finding *findings, size_t count,
                     const char *name)
{
    for (size_t i = 0; i < count; i++) {
        size_t size = findings[i].name_size;

        if (strncmp(findings[i].name, name, size) == 0
            && (name[size] == '\0' || name[size] == '.'))
            return true;
    }
    return false;
}

/* Whether gcc would find one of the COUNT findings' names in READABLE. */
static bool is_hit(const struct lint_finding *findings, size_t count,
                   const char *readable)
{
    for (size_t i = 0; i < count; i++) {
        char name[DEMANGLE_MAX];

        name_for_gcc(&findings[i], name);
        if (name[0] != '\0' && strstr(readable, name) != NULL)
            return true;
    }
    return false;
}

size_t lint_exclude_others(const struct lint *lint, size_t first, size_t count,
                           const char **example)
{
    const struct lint_finding *findings = &lint->findings[first];
    size_t others = 0;

    if (count > COMPARED_MAX)
        return 0;
    for (size_t i = 0; i < lint->hooked_count; i++) {
        const struct lint_hooked *hooked = &lint->hooked[i];

        if (is_hit(findings, count, hooked->readable)
            && !is_among(findings, count, hooked->name) && others++ == 0)
            *example = hooked->readable;
    }
    return others;
}
