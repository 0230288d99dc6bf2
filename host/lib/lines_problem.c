/* SPDX-License-Identifier: MIT */
#include <stdio.h>

#include "lines_parts.h"

static const char *remedy_of(enum lines_trouble trouble)
{
    switch (trouble) {
    case LINES_FILE_SHARED:
        return "give the ELF from before dwz -m";
    case LINES_SPLIT_STALE:
        return "give the ELF that was linked when the .dwo files were made, or"
               " build again";
    case LINES_SPLIT_UNREADABLE:
    case LINES_SPLIT_MISSING:
        return "keep the .dwo files where the build put them, or build without"
               " -gsplit-dwarf";
    default:
        return "build or copy the file again; where debug info is missing, the"
               " symbol table alone names functions";
    }
}

void lines_note(struct lines *lines, enum lines_trouble trouble,
                const char *where, const char *what)
{
    struct lines_note *note = &lines->notes[trouble];

    /* Limits: what is beyond is not counted. */
    if (trouble >= LINES_TOO_MANY_RANGES && note->count > 0)
        return;
    if (note->count++ == 0) {
        note->where = where;
        note->what = what != NULL ? what : "";
    }
}

void lines_note_damage(struct lines *lines, struct lines_unit *unit)
{
    if (!unit->is_damaged)
        lines_note(lines, LINES_UNIT_DAMAGED, lines_unit_name(unit),
                   dwarf_errmsg(-1));
    unit->is_damaged = true;
}

/* What is the matter with .dwo files; NULL for other troubles. */
static const char *split_state(enum lines_trouble trouble)
{
    switch (trouble) {
    case LINES_SPLIT_UNREADABLE:
        return "cannot be read";
    case LINES_SPLIT_STALE:
        return "are of another build";
    case LINES_SPLIT_MISSING:
        return "are not there";
    default:
        return NULL;
    }
}

/* One line for the first trouble of a kind, of which there are COUNT. */
static void describe(char *text, size_t size, enum lines_trouble trouble,
                     const struct lines_note *note)
{
    const char *where = note->where[0] != '\0' ? note->where : "a unit";

    switch (trouble) {
    case LINES_FILE_UNREADABLE:
    case LINES_HEADER_DAMAGED:
        (void)snprintf(text, size, "damaged debug info: %s", note->what);
        break;
    case LINES_FILE_SHARED:
        (void)snprintf(text, size,
                       "its debug info refers to a shared file that dwz -m"
                       " made, which is not read");
        break;
    case LINES_UNIT_DAMAGED:
        (void)snprintf(text, size, "damaged debug info of %s: %s", where,
                       note->what);
        break;
    case LINES_SPLIT_UNREADABLE:
    case LINES_SPLIT_STALE:
    case LINES_SPLIT_MISSING:
        (void)snprintf(text, size,
                       "debug info of %u unit%s is in .dwo files that %s (%s):"
                       " no inlined functions",
                       note->count, note->count == 1 ? "" : "s",
                       split_state(trouble), note->where);
        break;
    case LINES_TABLE_DAMAGED:
        (void)snprintf(text, size, "damaged line table of %s: %s", where,
                       note->what);
        break;
    case LINES_TOO_MANY_RANGES:
        (void)snprintf(text, size, "address ranges without end in %s", where);
        break;
    case LINES_TOO_DEEP:
        (void)snprintf(text, size, "functions inlined too deeply in %s", where);
        break;
    case LINES_TOO_MANY_CLAIMS:
    case LINES_TROUBLES:
        (void)snprintf(text, size, "too many units claim one address");
        break;
    }
}

bool lines_problem(const struct lines *lines, struct error *out)
{
    const struct lines_note *note = NULL;
    enum lines_trouble worst = LINES_TROUBLES;
    unsigned others = 0;
    char text[160], more[40] = "";

    for (int i = 0; i < LINES_TROUBLES; i++) {
        if (lines->notes[i].count == 0)
            continue;
        if (worst == LINES_TROUBLES)
            worst = (enum lines_trouble)i;
        others += lines->notes[i].count;
    }
    if (worst == LINES_TROUBLES)
        return false;
    note = &lines->notes[worst];
    others -= split_state(worst) != NULL ? note->count : 1;
    describe(text, sizeof text, worst, note);
    if (others > 0)
        (void)snprintf(more, sizeof more, ", and %u other problem%s", others,
                       others == 1 ? "" : "s");
    (void)error_set(out, MCUPROF_E_FORMAT, remedy_of(worst), "%s: %s%s",
                    image_debug_path(lines->image), text, more);
    return true;
}
