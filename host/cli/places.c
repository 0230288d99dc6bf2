/* SPDX-License-Identifier: MIT */
#include "places.h"

#include "complain.h"
#include "file_replace.h"

#include <string.h>

static bool is_dash(const struct named_file *place)
{
    return strcmp(place->path, "-") == 0;
}

static const char *path_of(const struct named_file *place)
{
    return is_dash(place) ? "/dev/stdin" : place->path;
}

static int check_pair(const struct named_file *place,
                      const struct named_file *other, const char *remedy)
{
    if (place->path == NULL || (!place->is_written && !other->is_written)
        || !file_is_same(path_of(place), path_of(other)))
        return 0;
    return complain_usage(remedy,
                          "%s would be overwritten: it is %s as well as %s",
                          other->is_written ? other->path : place->path,
                          place->what, other->what);
}

int places_check(const struct named_file *places, size_t count,
                 const char *remedy)
{
    for (size_t i = 0; i < count; i++) {
        int status = 0;

        if (places[i].path == NULL)
            continue;
        if (places[i].is_written && is_dash(&places[i]))
            return complain_usage("name a file; one with that name is ./-",
                                  "%s - cannot be: an ELF is a file, not a "
                                  "stream",
                                  places[i].what);
        for (size_t k = 0; k < i && status == 0; k++)
            status = check_pair(&places[k], &places[i], remedy);
        if (status != 0)
            return status;
    }
    return 0;
}
