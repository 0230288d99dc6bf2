/* SPDX-License-Identifier: MIT */
#include "demangle.h"

#include "text.h"

#include <libiberty/demangle.h>
#include <setjmp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

/* No compiler's name is longer, and the demanglers recurse over names. */
#define NAME_MAX_BYTES 4096

/*
 * Takes what a demangler prints, piece by piece, and leaves it by a long jump
 * once that is enough: a few substitutions can stand for gigabytes.
 */
struct sink {
    char text[DEMANGLE_MAX + 1]; /* as much of it as there is room for */
    size_t used;
    size_t total; /* bytes printed */
    size_t limit; /* of total */
    bool may_own; /* the demangler may hold memory while it prints */
    jmp_buf enough;
};

typedef int demangler(const char *name, int options,
                      demangle_callbackref callback, void *opaque);

static bool is_ascii(const char *data, size_t size)
{
    for (size_t i = 0; i < size; i++)
        if ((unsigned char)data[i] >= 0x80)
            return false;
    return true;
}

/*
 * Rust's demangler prints decoded Punycode out of memory that it frees
 * afterwards. Such a piece is never ASCII, and between any two of them comes
 * one that is.
 */
static void put(const char *data, size_t size, void *opaque)
{
    struct sink *sink = opaque;
    size_t room = sizeof sink->text - 1 - sink->used;
    size_t taken = size < room ? size : room;

    if (size == 0) /* DATA may be NULL */
        return;
    memcpy(sink->text + sink->used, data, taken);
    sink->used += taken;
    sink->total += size;
    if (sink->total > sink->limit && (!sink->may_own || is_ascii(data, size)))
        longjmp(sink->enough, 1);
}

static bool run(struct sink *sink, demangler *with, const char *name,
                int options)
{
    sink->used = 0;
    sink->total = 0;
    sink->may_own = with == rust_demangle_callback;
    if (setjmp(sink->enough) == 0 && with(name, options, put, sink) == 0)
        return false;
    sink->text[sink->used] = '\0';
    return sink->used > 0;
}

/* References back to an earlier part of a C++ name, as "S_" and "S1A_". */
static size_t count_references(const char *name)
{
    size_t count = 0;

    for (const char *at = name; *at != '\0'; at++)
        if (*at == 'S'
            && at[1 + strspn(at + 1, "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ")]
                       == '_')
            count++;
    return count;
}

static bool replace_all(char *text, const char *what, const char *with)
{
    bool found = false;

    for (char *at = text; (at = strstr(at, what)) != NULL; at += strlen(what)) {
        memcpy(at, with, strlen(what));
        found = true;
    }
    return found;
}

/* With less than this a name stands for thousands of parts at most. */
#define REFERENCES_HARMLESS 20
/* A name that prints as much has gone wrong. */
#define TREE_MAX 65536

/*
 * Where a C++ name expands a pack, libiberty looks for it in all that the
 * pattern stands for, without printing anything: 60 references are 2^60
 * steps. Printed as something else of the same form, an array for a type and
 * a negation for an expression, the name shows how large it is.
 */
static bool is_bounded(struct sink *sink, const char *name)
{
    char plain[NAME_MAX_BYTES];
    bool has_pack;

    if (count_references(name) < REFERENCES_HARMLESS)
        return true;
    (void)snprintf(plain, sizeof plain, "%s", name);
    has_pack = replace_all(plain, "Dp", "A_");
    has_pack |= replace_all(plain, "sp", "nt");
    has_pack |= replace_all(plain, "sZ", "nt");
    if (!has_pack)
        return true;
    sink->limit = TREE_MAX;
    return run(sink, cplus_demangle_v3_callback, plain, DMGL_PARAMS)
           && sink->total <= TREE_MAX;
}

/* Rust's old names look like C++ to a C++ demangler, so they come first. */
static bool try(struct sink *sink, enum demangle style, const char *name)
{
    bool full = style == DEMANGLE_FULL;

    sink->limit = DEMANGLE_MAX;
    if (run(sink, rust_demangle_callback, name, full ? DMGL_VERBOSE : 0))
        return true;
    if (!is_bounded(sink, name))
        return false;
    sink->limit = DEMANGLE_MAX;
    return run(sink, cplus_demangle_v3_callback, name,
               full ? DMGL_PARAMS | DMGL_ANSI : DMGL_ANSI);
}

/* Behind an old Rust name's hash, "17h" and 16 digits and "E"; else NULL. */
static const char *find_rust_end(const char *name)
{
    const char *at = name;

    while ((at = strstr(at, "17h")) != NULL) {
        at += 3;
        if (strspn(at, "0123456789abcdef") == 16 && at[16] == 'E')
            return at + 17;
    }
    return NULL;
}

/*
 * A compiler's clone suffix, ".constprop.0", begins with the first dot, except
 * that Rust's old names have dots of their own.
 */
static bool try_parts(struct sink *sink, enum demangle style, const char *name)
{
    const char *end = find_rust_end(name);
    const char *dot = end != NULL ? end : strchr(name, '.');
    char base[NAME_MAX_BYTES];

    if (dot == NULL || dot[0] != '.')
        return try(sink, style, name);
    memcpy(base, name, (size_t)(dot - name));
    base[dot - name] = '\0';
    if (!try(sink, style, base))
        return try(sink, style, name);
    strncat(sink->text, dot, sizeof sink->text - 1 - sink->used);
    return true;
}

void demangle(enum demangle style, const char *name, char out[DEMANGLE_MAX])
{
    struct sink sink;

    if (style != DEMANGLE_NO && name[0] == '_'
        && strnlen(name, NAME_MAX_BYTES) < NAME_MAX_BYTES
        && try_parts(&sink, style, name))
        text_clean(out, DEMANGLE_MAX, sink.text);
    else
        text_clean(out, DEMANGLE_MAX, name);
}
