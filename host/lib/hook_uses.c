/* SPDX-License-Identifier: MIT */
#include "hook_uses.h"

#include "bytes.h"

#include <stdlib.h>

struct search {
    const struct code_map *code;
    const struct hook_sites *sites;
    size_t *subject_of;
    bool *is_used;   /* by function */
    size_t *pending; /* used, and not looked into yet */
    size_t pending_count;
    uint32_t *pool; /* where literals lie, ascending */
    size_t pool_count;
};

static void use(struct search *search, size_t function)
{
    if (search->is_used[function])
        return;
    search->is_used[function] = true;
    search->pending[search->pending_count++] = function;
}

/* The function that begins at ADDRESS. */
static size_t function_at(const struct code_map *code, uint32_t address)
{
    size_t found = code_map_find(code, address);

    return found != CODE_NONE && code->functions[found].start == address
                   ? found
                   : CODE_NONE;
}

/* Whether FUNCTION has hooks, those for SUBJECT if that is not CODE_NONE. */
static bool has_hooks(const struct search *search, size_t function,
                      size_t subject)
{
    const struct code_function *in = &search->code->functions[function];
    const struct hook_sites *sites = search->sites;

    for (size_t i = hook_sites_from(sites, in->start);
         i < sites->count && sites->items[i].address - in->start < in->size;
         i++)
        if (subject == CODE_NONE || sites->items[i].subject == subject)
            return true;
    return false;
}

static int compare_words(const void *left, const void *right)
{
    uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;

    return (a > b) - (a < b);
}

static void find_pool(struct search *search)
{
    const struct code_map *code = search->code;
    struct thumb thumb;

    for (size_t i = 0; i < code->constant_count; i++)
        if (code_map_at(code, code->constants[i].address, &thumb)
            && thumb.make == THUMB_LITERAL)
            search->pool[search->pool_count++] = thumb.value;
    qsort(search->pool, search->pool_count, sizeof *search->pool,
          compare_words);
}

static bool is_in_pool(const struct search *search, uint32_t address)
{
    return search->pool_count > 0
           && bsearch(&address, search->pool, search->pool_count,
                      sizeof address, compare_words)
                      != NULL;
}

/* Pointers lie in tables: all words but those that code loads. */
static void use_pointers(struct search *search)
{
    struct image_bytes bytes;

    for (size_t i = 0; image_bytes_get(search->code->image, i, &bytes); i++)
        for (uint32_t at = -bytes.start & 3U; at + 4 <= bytes.size; at += 4) {
            uint32_t word = bytes_get32(bytes.bytes + at);
            size_t function = (word & 1U) != 0
                                      ? function_at(search->code, word & ~1U)
                                      : CODE_NONE;

            if (function != CODE_NONE && !is_in_pool(search, bytes.start + at))
                use(search, function);
        }
}

/* Where it begins, and what has no hooks: who calls that is not asked. */
static void use_plain(struct search *search)
{
    size_t entry = function_at(search->code, image_entry(search->code->image));

    if (entry != CODE_NONE)
        use(search, entry);
    for (size_t i = 0; i < search->code->function_count; i++)
        if (search->subject_of[i] == CODE_NONE
            && !has_hooks(search, i, CODE_NONE))
            use(search, i);
}

static void use_called(struct search *search, size_t function)
{
    const struct code_map *code = search->code;

    for (size_t i = 0; i < code->functions[function].branches; i++) {
        size_t target =
                code_map_find(code, code_map_branch(code, function, i)->target);

        if (target != CODE_NONE)
            use(search, target);
    }
}

static size_t first_constant(const struct code_map *code, uint32_t address)
{
    size_t low = 0, high = code->constant_count;

    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (code->constants[middle].address < address)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

enum {
    ARGUMENTS = 4 /* registers of them */
};

/* Whether the address is still in the register MADE, an argument's, when
   something is called that is no hook. On ARMv6-M it comes to one that is kept
   by way of these. */
static bool is_handed_on(const struct search *search,
                         const struct code_constant *constant, unsigned made)
{
    const struct code_map *code = search->code;
    const struct code_function *in = &code->functions[constant->function];
    struct thumb thumb;

    for (uint32_t at = constant->address;
         at - in->start < in->size && code_map_at(code, at, &thumb);
         at += thumb.size) {
        if (thumb.flow == THUMB_CALL)
            return !thumb.has_target
                   || !hook_sites_is_hook(search->sites,
                                          code_map_resolve(code, thumb.target));
        if (thumb.make == THUMB_COPY && thumb.value == made
            && thumb.made >= ARGUMENTS)
            return false;
        if (at != constant->address
            && (thumb.flow == THUMB_STOP || thumb.flow == THUMB_JUMP
                || (thumb.writes >> made & 1) != 0))
            return false;
    }
    return false;
}

/* A function's address in code where there are hooks for it: that it is for
   them, unless it goes into something else. */
static bool is_for_hooks(const struct search *search,
                         const struct code_constant *constant, size_t target)
{
    struct thumb thumb;

    if (search->subject_of[target] == CODE_NONE
        || !code_map_at(search->code, constant->address, &thumb))
        return false;
    return has_hooks(search, constant->function, search->subject_of[target])
           && (thumb.made >= ARGUMENTS
               || !is_handed_on(search, constant, thumb.made));
}

static void use_taken(struct search *search, size_t function)
{
    const struct code_map *code = search->code;
    const struct code_function *in = &code->functions[function];

    for (size_t i = first_constant(code, in->start);
         i < code->constant_count
         && code->constants[i].address - in->start < in->size;
         i++) {
        size_t target = function_at(code, code->constants[i].value);

        if (target != CODE_NONE
            && !is_for_hooks(search, &code->constants[i], target))
            use(search, target);
    }
}

static bool search_begin(struct search *search, const struct code_map *code,
                         const struct hook_sites *sites)
{
    size_t count = code->function_count + 1;

    *search = (struct search){
            .code = code,
            .sites = sites,
            .subject_of = hook_uses_subjects(code, sites),
            .is_used = calloc(count, sizeof *search->is_used),
            .pending = malloc(count * sizeof *search->pending),
            .pool = malloc((code->constant_count + 1) * sizeof *search->pool)};
    return search->subject_of != NULL && search->is_used != NULL
           && search->pending != NULL && search->pool != NULL;
}

bool *hook_uses_functions(const struct code_map *code,
                          const struct hook_sites *sites)
{
    struct search search;

    if (search_begin(&search, code, sites)) {
        find_pool(&search);
        use_pointers(&search);
        use_plain(&search);
        while (search.pending_count > 0) {
            size_t function = search.pending[--search.pending_count];

            use_called(&search, function);
            use_taken(&search, function);
        }
    } else {
        free(search.is_used);
        search.is_used = NULL;
    }
    free(search.subject_of);
    free(search.pending);
    free(search.pool);
    return search.is_used;
}

size_t *hook_uses_subjects(const struct code_map *code,
                           const struct hook_sites *sites)
{
    size_t *subject_of =
            malloc((code->function_count + 1) * sizeof *subject_of);

    if (subject_of == NULL)
        return NULL;
    for (size_t i = 0; i < code->function_count; i++)
        subject_of[i] = CODE_NONE;
    for (size_t i = 0; i < sites->subject_count; i++)
        if (sites->subjects[i].function != CODE_NONE)
            subject_of[sites->subjects[i].function] = i;
    for (size_t i = 0; i < code->function_count; i++) {
        struct image_symbol symbol;
        size_t base;

        if (subject_of[i] != CODE_NONE
            || image_find(code->image, code->functions[i].start, &symbol) < 0)
            continue;
        base = code_map_find(code, symbol.base_start);
        if (base != CODE_NONE)
            subject_of[i] = subject_of[base];
    }
    return subject_of;
}

bool *hook_uses_find(const struct code_map *code,
                     const struct hook_sites *sites)
{
    bool *is_used = calloc(sites->subject_count + 1, sizeof *is_used);
    bool *functions = hook_uses_functions(code, sites);
    size_t *subject_of = hook_uses_subjects(code, sites);

    if (is_used == NULL || functions == NULL || subject_of == NULL) {
        free(is_used);
        is_used = NULL;
    }
    for (size_t i = 0; is_used != NULL && i < code->function_count; i++)
        if (functions[i] && subject_of[i] != CODE_NONE)
            is_used[subject_of[i]] = true;
    free(functions);
    free(subject_of);
    return is_used;
}
