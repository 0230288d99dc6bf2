/* SPDX-License-Identifier: MIT */
#include <stdio.h>

#include "lines_parts.h"

static const char remedy_build[] =
        "build or copy the file again; where debug info is missing, the symbol"
        " table alone names functions";

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
    case LINES_UNIT_DAMAGED:
        (void)snprintf(text, size, "damaged debug info of %s: %s", where,
                       note->what);
        break;
    case LINES_SPLIT_MISSING:
        (void)snprintf(text, size,
                       "debug info of %u unit%s is in .dwo files that are not"
                       " there (%s): no inlined functions",
                       note->count, note->count == 1 ? "" : "s", note->where);
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
    const char *remedy = remedy_build;
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
    others -= worst == LINES_SPLIT_MISSING ? note->count : 1;
    if (worst == LINES_SPLIT_MISSING)
        remedy = "keep the .dwo files where the build put them, or build"
                 " without -gsplit-dwarf";
    describe(text, sizeof text, worst, note);
    if (others > 0)
        (void)snprintf(more, sizeof more, ", and %u other problem%s", others,
                       others == 1 ? "" : "s");
    (void)error_set(out, MCUPROF_E_FORMAT, remedy, "%s: %s%s",
                    image_debug_path(lines->image), text, more);
    return true;
}
