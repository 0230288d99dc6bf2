/* SPDX-License-Identifier: MIT */
#include "named_functions.h"

#include <stdlib.h>

void named_functions_free(struct named_functions *functions)
{
    if (functions == NULL)
        return;
    for (size_t i = 0; i < functions->longest_count; i++)
        free(functions->longest[i].path);
    free(functions->longest);
    free(functions->times);
    symbols_free(functions->symbols);
    free(functions);
}
