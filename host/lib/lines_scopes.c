/* SPDX-License-Identifier: MIT */
#include <dwarf.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lines_parts.h"
#include "lines_table_parts.h"

/*
 * Names with their scopes, for functions whose DIE has no linkage name: gcc
 * gives none to static functions, to lambdas and to what is made of these.
 * DIEs do not know what they are in, so one walk over a unit keeps it for all
 * that can be a scope or be in one. Units of C are never walked.
 */

enum {
    COPIES_MAX = 16,
    NESTING_MAX = 32,
    NAME_MAX_BYTES = 1024 /* outer scopes that do not fit are left out */
};

struct survey {
    struct lines_nest *nests;
    size_t count;
};

static bool is_class(int tag)
{
    return tag == DW_TAG_class_type || tag == DW_TAG_structure_type
           || tag == DW_TAG_union_type || tag == DW_TAG_interface_type
           || tag == DW_TAG_enumeration_type; /* Rust's have methods */
}

/* True of C++ and of what names its scopes alike. */
static bool has_scopes(Dwarf_Die *unit)
{
    switch (dwarf_srclang(unit)) {
    case DW_LANG_C_plus_plus:
    case DW_LANG_C_plus_plus_03:
    case DW_LANG_C_plus_plus_11:
    case DW_LANG_C_plus_plus_14:
    case 0x2B: /* C++17 and C++20, not in elfutils 0.188 */
    case 0x2C:
    case DW_LANG_ObjC_plus_plus:
    case DW_LANG_Rust:
        return true;
    default:
        return false;
    }
}

static int see(void *context, Dwarf_Die *die, uint32_t *scope)
{
    struct survey *survey = context;
    struct lines_nest *nests;
    int tag = dwarf_tag(die);

    if (tag == DW_TAG_lexical_block || tag == DW_TAG_try_block
        || tag == DW_TAG_catch_block)
        return 1;
    if (tag != DW_TAG_subprogram && tag != DW_TAG_namespace && !is_class(tag))
        return 0;
    nests = lines_grow(survey->nests, survey->count, sizeof *nests);
    if (nests == NULL)
        return MCUPROF_E_NOMEM;
    survey->nests = nests;
    nests[survey->count] =
            (struct lines_nest){.die = die->addr, .parent = *scope};
    *scope = (uint32_t)survey->count++;
    return 1;
}

/* Read what is in what of the unit CU, once; OUT may become NULL. */
static int read_nests(struct lines *lines, Dwarf_CU *cu,
                      struct lines_unit **out)
{
    int result = lines_unit_of(lines, cu, out);
    struct survey survey = {0};
    Dwarf_Die root;

    if (result < 0 || *out == NULL || (*out)->are_nests_read)
        return result;
    (*out)->are_nests_read = true;
    if (dwarf_cu_die(cu, &root, NULL, NULL, NULL, NULL, NULL, NULL) == NULL
        || !has_scopes(&root))
        return 0;
    (*out)->has_scopes = true;
    result = lines_walk_nests(lines, *out, root, see, &survey);
    (*out)->nests = survey.nests;
    (*out)->nest_count = survey.count;
    return result;
}

/* What DIE is a copy of or the definition for: that one is in its scope. */
static Dwarf_Die find_declared(Dwarf_Die die)
{
    Dwarf_Attribute attribute;
    Dwarf_Die next;

    for (int i = 0; i < COPIES_MAX; i++) {
        if ((dwarf_attr(&die, DW_AT_abstract_origin, &attribute) == NULL
             && dwarf_attr(&die, DW_AT_specification, &attribute) == NULL)
            || dwarf_formref_die(&attribute, &next) == NULL)
            break;
        die = next;
    }
    return die;
}

/* What encloses DIE, a declared one; 1, or 0 if nothing known does. */
static int find_parent(struct lines *lines, const Dwarf_Die *die,
                       Dwarf_Die *out)
{
    struct lines_unit *unit;
    int result = read_nests(lines, die->cu, &unit);
    size_t low = 0, high;

    if (result < 0 || unit == NULL)
        return result;
    high = unit->nest_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if ((uintptr_t)unit->nests[middle].die < (uintptr_t)die->addr)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == unit->nest_count || unit->nests[low].die != die->addr
        || unit->nests[low].parent == LINES_NONE)
        return 0;
    *out = (Dwarf_Die){.addr = unit->nests[unit->nests[low].parent].die,
                       .cu = die->cu};
    return 1;
}

/* The name of SCOPE, in which there is a function or scope INNER. */
static const char *name_scope(Dwarf_Die *scope, const char *inner)
{
    const char *name = lines_string(scope, DW_AT_name);
    int tag = dwarf_tag(scope);

    if (name[0] != '\0')
        return name;
    if (tag == DW_TAG_namespace)
        return "(anonymous namespace)";
    if (!is_class(tag))
        return "{unnamed}";
    return strncmp(inner, "operator()", strlen("operator()")) == 0
                           || strcmp(inner, "_FUN") == 0
                   ? "{lambda}"
                   : "{unnamed type}";
}

/* Text that grows to the front. */
struct name {
    char text[NAME_MAX_BYTES];
    size_t begin;
};

static bool prepend(struct name *name, const char *text)
{
    size_t size = strlen(text);

    if (size > name->begin)
        return false;
    name->begin -= size;
    memcpy(name->text + name->begin, text, size);
    return true;
}

static int prepend_scopes(struct lines *lines, Dwarf_Die die, const char *inner,
                          struct name *name)
{
    Dwarf_Die scope;
    int result = 0;

    die = find_declared(die);
    for (int i = 0; i < NESTING_MAX; i++) {
        size_t begin = name->begin;

        result = find_parent(lines, &die, &scope);
        if (result <= 0)
            break;
        inner = name_scope(&scope, inner);
        if (!prepend(name, "::") || !prepend(name, inner)) {
            name->begin = begin;
            return 0;
        }
        die = find_declared(scope);
    }
    return result < 0 ? result : 0;
}

static const char *last_part(const char *path)
{
    for (const char *at = path; *at != '\0'; at++)
        if (*at == '/' || *at == '\\')
            path = at + 1;
    return path;
}

/*
 * Say where the lambda is that the template argument DIE stands for. gcc's
 * name for what is made of a lambda is the same for all lambdas of a function
 * that take the same.
 */
static int describe_lambda(struct lines *lines, Dwarf_Die *die, char *out,
                           size_t size)
{
    struct lines_function lambda = {0};
    Dwarf_Attribute attribute;
    Dwarf_Die type;
    int result;

    if (dwarf_attr(die, DW_AT_type, &attribute) == NULL
        || dwarf_formref_die(&attribute, &type) == NULL
        || !is_class(dwarf_tag(&type))
        || lines_string(&type, DW_AT_name)[0] != '\0')
        return 0;
    result = lines_declaration(lines, &type, &lambda);
    if (result == 0 && lambda.line > 0)
        (void)snprintf(out, size, " [%.40s at %.100s:%" PRIu32 "]",
                       lines_string(die, DW_AT_name), last_part(lambda.file),
                       lambda.line);
    return result;
}

static int prepend_lambdas(struct lines *lines, Dwarf_Die die,
                           struct name *name)
{
    int result = 0;
    bool more = dwarf_child(&die, &die) == 0;

    while (more && result == 0) {
        char text[160] = "";

        if (dwarf_tag(&die) == DW_TAG_template_type_parameter)
            result = describe_lambda(lines, &die, text, sizeof text);
        if (!prepend(name, text))
            break;
        more = dwarf_siblingof(&die, &die) == 0;
    }
    return result;
}

int lines_qualify(struct lines *lines, Dwarf_Die *origin,
                  struct lines_function *function)
{
    struct name name = {.begin = NAME_MAX_BYTES};
    const char *bare = function->name;
    struct lines_unit *unit;
    size_t size;
    int result;
    char *copy;

    function->qualified = bare;
    if (function->linkage[0] != '\0' || bare[0] == '\0')
        return 0;
    result = read_nests(lines, origin->cu, &unit);
    if (result < 0 || unit == NULL || !unit->has_scopes)
        return result;
    function->has_scopes = true;
    if (strstr(bare, "<lambda") != NULL)
        result = prepend_lambdas(lines, *origin, &name);
    if (result < 0 || !prepend(&name, bare))
        return result;
    result = prepend_scopes(lines, *origin, bare, &name);
    size = NAME_MAX_BYTES - name.begin;
    if (result < 0 || size == strlen(bare))
        return result;
    copy = lines_allocate(lines, size + 1);
    if (copy == NULL)
        return MCUPROF_E_NOMEM;
    memcpy(copy, name.text + name.begin, size);
    function->qualified = copy; /* zeroed, which ends it */
    return 0;
}

int lines_declare_by_class(struct lines *lines, Dwarf_Die *origin,
                           struct lines_function *function)
{
    Dwarf_Die declared = find_declared(*origin), scope;
    int result;

    if (function->line != 0 || function->linkage[0] != '\0')
        return 0;
    result = find_parent(lines, &declared, &scope);
    return result > 0 && is_class(dwarf_tag(&scope))
                   ? lines_declaration(lines, &scope, function)
                   : (result < 0 ? result : 0);
}
