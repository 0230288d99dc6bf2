/* SPDX-License-Identifier: MIT */
#ifndef MCUPROF_HOST_CODE_MAP_H
#define MCUPROF_HOST_CODE_MAP_H

/*
 * What the code of an image does, decoded once: its functions, where they
 * branch to, and which functions' addresses they make. Addresses are without
 * the Thumb bit. What goes through pointers in memory is not seen.
 *
 * Constants in registers are followed in straight lines only; over joins just
 * those in a register that the function sets a single time. What is said of
 * them is so, what is not said may be so all the same.
 */

#include "error.h"
#include "image.h"
#include "thumb_decode.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define CODE_NONE SIZE_MAX

/* A function as the symbol table has it, or code without one (name ""). */
struct code_function {
    const char *name; /* lives as long as the image */
    const char *suffix;
    uint32_t start;
    uint32_t size; /* bytes to its end, literals included */
    uint32_t instructions;
    bool has_loop;
    uint8_t sets[8]; /* how often it sets r4 to r11, but from the stack */
    size_t first;    /* of its branches, in by_function */
    size_t branches;
};

/* One that leaves its function, a call or a jump, or begins it anew. */
struct code_branch {
    uint32_t address;
    uint32_t target; /* veneers are followed */
    size_t function; /* that it is in, an index */
    uint8_t size;    /* of the instruction */
    bool is_call;
    bool is_indirect; /* through a register that holds a constant */
    bool is_veneer;   /* in a veneer that another branch goes through */
    bool has_argument;
    uint32_t argument; /* what r0 holds then, if known, with its Thumb bit */
};

/* A function's address, as a literal or immediate in code. */
struct code_constant {
    uint32_t address; /* of the instruction */
    uint32_t value;
    size_t function;
};

struct code_map {
    const struct image *image;
    struct code_function *functions; /* ascending starts */
    size_t function_count;
    struct code_branch *branches; /* ascending addresses */
    size_t branch_count;
    size_t *by_function; /* indices of branches: a function's one by one, in
                            their order */
    struct code_constant *constants; /* ascending addresses */
    size_t constant_count;
};

/**
 * Decode all code of IMAGE, which must outlive the map; free with
 * code_map_free().
 * errors: MCUPROF_E_NOMEM
 */
int code_map_new(struct code_map **out, const struct image *image) MUST_CHECK;

/** Free MAP; NULL is allowed. */
void code_map_free(struct code_map *map);

/** The index of the function that ADDRESS is in; CODE_NONE if in none. */
size_t code_map_find(const struct code_map *map, uint32_t address);

/** Branch INDEX of FUNCTION, by ascending addresses. */
const struct code_branch *code_map_branch(const struct code_map *map,
                                          size_t function, size_t index);

/** Decode the instruction at ADDRESS; false if nothing is there. */
bool code_map_at(const struct code_map *map, uint32_t address,
                 struct thumb *out);

/** Whether the function PART was moved away from the function WHOLE, both
 * indices, as "crc.cold" from "crc". */
bool code_map_is_moved(const struct code_map *map, size_t part, size_t whole);

/** Where one gets that goes to TARGET: behind the linker's veneers. */
uint32_t code_map_resolve(const struct code_map *map, uint32_t target);

#ifdef __cplusplus
}
#endif

#endif
