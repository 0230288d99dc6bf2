/* SPDX-License-Identifier: MIT */
#ifndef MCUPROF_HOST_LINES_PARTS_H
#define MCUPROF_HOST_LINES_PARTS_H

/*
 * The inside of struct lines, for the lines_*.c files only.
 *
 * lines_units.c lists the units and which addresses they claim,
 * lines_claims.c finds the claims of an address, lines_split.c the .dwo files,
 * lines_walk.c reads the functions of a unit and what was inlined into them,
 * lines_flatten.c makes disjoint ranges of these, lines_frames.c finds names,
 * files and lines, lines_scopes.c what these are in, lines_problem.c says what
 * went wrong, lines_map.c is a hash map. lines.c puts them together.
 *
 * libdw reads what DIEs hold. What a hostile file could make it do without
 * end, lines_check.c finds before it is asked.
 */

#include <elfutils/libdw.h>

#include "lines.h"
#include "lines_table.h"

#define LINES_NONE UINT32_MAX

/* A stretch of code: of a scope, or as a claim of a unit. */
struct lines_piece {
    uint32_t start;
    uint32_t end;
    uint32_t owner; /* index of the scope or unit */
};

/* How well the symbol table confirms that a function is where it says. */
enum lines_match {
    LINES_MATCH_UNASKED,
    LINES_MATCH_NONE,
    LINES_MATCH_NAME,
    LINES_MATCH_SIZE /* name and size */
};

/* A function in memory, or a body inlined into one. */
struct lines_scope {
    void *die;              /* its place in .debug_info */
    uint32_t parent;        /* scope; LINES_NONE for a function in memory */
    uint32_t depth;         /* of inlining; 0 for a function in memory */
    uint32_t first;         /* of its pieces: ascending, disjoint, and within */
    uint32_t count;         /* those of its parent */
    uint32_t entry;         /* of a function in memory */
    uint32_t size;          /* of all pieces */
    enum lines_match match; /* of a function in memory */
    const struct lines_function *function; /* NULL until asked for */
};

/* What all copies of a function have in common. */
struct lines_function {
    const char *name;
    const char *qualified;
    const char *linkage;
    const char *file;
    uint32_t line;
    const void *origin;
    bool has_scopes;
};

/* What a DIE is in. */
struct lines_nest {
    void *die;
    uint32_t parent; /* index; LINES_NONE for the unit */
};

struct lines_unit {
    Dwarf_Die die;  /* its own, or the skeleton of a split unit */
    Dwarf_Die code; /* where its functions are; addr NULL if in a .dwo file
                       that is not there */
    uint32_t number;

    bool is_sought;  /* CODE of a split unit was */
    bool is_damaged; /* which is noted once */
    bool is_walked;
    bool has_functions; /* with code, be it discarded code */
    struct lines_scope *scopes;
    struct lines_piece *pieces; /* of all scopes */
    struct lines_piece *ranges; /* ascending, disjoint: innermost scopes */
    size_t scope_count;
    size_t range_count;

    bool is_table_read;
    struct lines_table table;

    bool are_nests_read;
    bool has_scopes;          /* its language has */
    struct lines_nest *nests; /* ascending places */
    size_t nest_count;
};

/* Which units claim what, in a tree of the farthest ends. */
struct lines_claims {
    struct lines_piece *items; /* ascending starts */
    size_t count;
    uint32_t *reach;
    size_t leaves;
};

struct lines_map_slot {
    const void *first;
    const void *second;
    void *value;
};

struct lines_map {
    struct lines_map_slot *slots;
    size_t room; /* a power of two, or 0 */
    size_t count;
};

/* Worst first. */
enum lines_trouble {
    LINES_FILE_UNREADABLE,
    LINES_FILE_SHARED,
    LINES_HEADER_DAMAGED,
    LINES_UNIT_DAMAGED,
    LINES_SPLIT_UNREADABLE,
    LINES_SPLIT_STALE,
    LINES_SPLIT_MISSING,
    LINES_TABLE_DAMAGED,
    LINES_TOO_MANY_RANGES,
    LINES_TOO_DEEP,
    LINES_TOO_MANY_CLAIMS,
    LINES_TROUBLES
};

struct lines_note {
    unsigned count;
    const char *where; /* of the first, a unit's or file's name */
    const char *what;
};

struct lines_chunk;

struct lines {
    const struct image *image;
    int file;
    Elf *elf;
    Dwarf *dwarf;              /* NULL if there is no debug info */
    struct lines_section info; /* what is in .debug_info */
    struct lines_sections sections;
    bool has_function_at_0;
    size_t budget; /* pieces that may still be read */

    bool are_units_read;
    bool are_strays_read;
    struct lines_unit **units;
    size_t unit_count; /* those with code first */
    size_t code_count; /* that may hold code; others only have names */
    struct lines_claims claims;
    struct lines_claims strays; /* code outside of its unit's claims */
    uint64_t split_budget;      /* what .dwo files may still take of memory */

    struct lines_map units_by_cu;
    struct lines_map functions; /* by the place of their DIE */
    struct lines_map frames;
    struct lines_chunk *chunks;
    struct lines_note notes[LINES_TROUBLES];
};

/* Where an address is: SCOPE may be LINES_NONE, ROW may be NULL. */
struct lines_hit {
    struct lines_unit *unit; /* NULL if nowhere */
    uint32_t scope;
    const struct lines_row *row;
};

/* lines.c */

/* Allow as many pieces as the sections of ELF can hold. */
void lines_budget_add(struct lines *lines, Elf *elf);

/* Memory that lives as long as LINES; NULL without memory. */
void *lines_allocate(struct lines *lines, size_t size);

/* lines_problem.c */

/* WHERE is the name of a unit or file, WHAT a few words; both must last. */
void lines_note(struct lines *lines, enum lines_trouble trouble,
                const char *where, const char *what);

void lines_note_damage(struct lines *lines, struct lines_unit *unit);

/* lines_check.c */

/*
 * Check the units' headers and abbreviations.
 * returns how many units, from the first on, libdw can be given; WHAT is a few
 * words for what is wrong with the next one, NULL if there is none
 */
size_t lines_check(const struct lines *lines, const char **what);

/* How much memory libdw takes to decompress the sections. */
uint64_t lines_inflated_size(Elf *elf);

/* Whether debug info is in another file, as dwz -m leaves it, which libdw
 * opens, be it a pipe. */
bool lines_is_shared(Elf *elf);

/*
 * Check what libdw does of itself to a file: it decompresses all sections, and
 * opens the file of shared debug info.
 * returns NULL, or a few words for why it must not have this one
 */
const char *lines_check_file(Elf *elf);

/* lines_units.c */

/* List units and claims. */
MUST_CHECK int lines_units_read(struct lines *lines);

/* Search all units for code that they do not claim. */
MUST_CHECK int lines_strays_read(struct lines *lines);

/* The unit of CU, which may be one of another file. */
MUST_CHECK int lines_unit_of(struct lines *lines, Dwarf_CU *cu,
                             struct lines_unit **out);

/* The unit's name; "" if it has none. */
const char *lines_unit_name(struct lines_unit *unit);

/* The bytes of the section NAME, as ".debug_line", decompressed. */
struct lines_section lines_section_find(Elf *elf, const char *name);

/* lines_split.c */

/* Let UNIT->code be where its functions are. */
MUST_CHECK int lines_unit_find_code(struct lines *lines,
                                    struct lines_unit *unit);

/* lines_claims.c */

enum {
    LINES_CLAIMANTS_MAX = 64
};

MUST_CHECK int lines_claims_add(struct lines_claims *claims,
                                struct lines_piece piece);
MUST_CHECK int lines_claims_index(struct lines_claims *claims);
void lines_claims_free(struct lines_claims *claims);

/* The claims of ADDRESS, in the order of their starts. */
size_t lines_claims_find(const struct lines_claims *claims, uint32_t address,
                         const struct lines_piece *out[LINES_CLAIMANTS_MAX]);

/* lines_walk.c */

/* START to END as a piece; false if nothing of it is in the address space. */
bool lines_piece_make(uint64_t start, uint64_t end, uint32_t owner,
                      struct lines_piece *out);

/* Whether the code at START can be that of FUNCTION; NULL if unknown. */
bool lines_is_live(struct lines *lines, uint32_t start, Dwarf_Die *function);

/* Read the scopes of UNIT, once. */
MUST_CHECK int lines_walk(struct lines *lines, struct lines_unit *unit);

/* Give the pieces of all live functions of UNIT to TAKE. */
MUST_CHECK int
lines_walk_functions(struct lines *lines, struct lines_unit *unit,
                     int (*take)(void *context, struct lines_piece piece),
                     void *context);

/*
 * Give all DIEs of UNIT, whose own is ROOT, to SEE with the scope they are in:
 * LINES_NONE, or what SEE made of it for its children, which it gets if it
 * returns 1. What is in other DIEs than those is skipped.
 */
MUST_CHECK int
lines_walk_nests(struct lines *lines, struct lines_unit *unit, Dwarf_Die root,
                 int (*see)(void *context, Dwarf_Die *die, uint32_t *scope),
                 void *context);

/* lines_flatten.c */

/* Make UNIT's ranges of its scopes' PIECE_COUNT pieces. */
MUST_CHECK int lines_flatten(struct lines *lines, struct lines_unit *unit,
                             size_t piece_count);

/* Whether the symbol table knows FUNCTION of UNIT; asked once. */
enum lines_match lines_match(struct lines *lines, struct lines_unit *unit,
                             uint32_t function);

/* Whether function A of UNIT_A is to be believed before B of UNIT_B, another
 * one at the same address; a total order. */
bool lines_is_better(struct lines *lines, struct lines_unit *unit_a, uint32_t a,
                     struct lines_unit *unit_b, uint32_t b);

/* The innermost scope at ADDRESS, or LINES_NONE. */
uint32_t lines_scope_at(const struct lines_unit *unit, uint32_t address);

/* The function in memory that SCOPE is part of. */
uint32_t lines_root(const struct lines_unit *unit, uint32_t scope);

/* lines_frames.c */

/* The string of attribute NAME of DIE or what it is a copy of; "" if none. */
const char *lines_string(Dwarf_Die *die, unsigned name);
const char *lines_linkage(Dwarf_Die *die);

/* True if the symbol table has the function of these names at ADDRESS. */
bool lines_is_named(const struct image *image, uint32_t address,
                    const char *name, const char *linkage);

/* Read UNIT's line table, once; it is empty if there is none. */
MUST_CHECK int lines_unit_table(struct lines *lines, struct lines_unit *unit);

/* Describe HIT; nothing if not even a line is known. */
MUST_CHECK int lines_frames(struct lines *lines, const struct lines_hit *hit,
                            uint32_t address, struct lines_place *out);

/* Find where DIE is declared. The file's number is one of the unit that says
 * it. */
MUST_CHECK int lines_declaration(struct lines *lines, Dwarf_Die *die,
                                 struct lines_function *function);

/* lines_scopes.c */

/* Let FUNCTION, which ORIGIN is, have its name with its scopes, if the linker
 * has no name for it that tells. */
MUST_CHECK int lines_qualify(struct lines *lines, Dwarf_Die *origin,
                             struct lines_function *function);

/* A lambda's function is declared where the lambda is, if nowhere else. */
MUST_CHECK int lines_declare_by_class(struct lines *lines, Dwarf_Die *origin,
                                      struct lines_function *function);

/* lines_map.c */

void *lines_map_get(const struct lines_map *map, const void *first,
                    const void *second);
MUST_CHECK int lines_map_put(struct lines_map *map, const void *first,
                             const void *second, void *value);
void lines_map_free(struct lines_map *map);

#endif
