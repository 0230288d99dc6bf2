/* SPDX-License-Identifier: MIT */
#include "named_blocks.h"

#include <stdlib.h>

void named_blocks_free(struct named_blocks *blocks)
{
    if (blocks == NULL)
        return;
    symbols_free(blocks->symbols);
    free(blocks->blocks);
    free(blocks->others);
    free(blocks);
}
