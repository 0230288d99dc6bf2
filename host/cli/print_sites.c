/* SPDX-License-Identifier: MIT */
#include "print_sites.h"

#include "elf_select_live.h"
#include "json_text.h"
#include "print_table.h"
#include "text.h"
#include "units.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define SCHEMA_VERSION 1

enum {
    CHAIN_MAX = 2000 /* bytes; what is longer is cut */
};

enum column {
    COLUMN_ADDRESS,
    COLUMN_HOOK,
    COLUMN_KEPT,
    COLUMN_FUNCTION,
    COLUMN_IN,
    COLUMN_CHAIN,
    COLUMN_BODY,
    COLUMN_FILE,
    COLUMN_LINE,
    COLUMN_MEMORY,
    COLUMN_WHY,
    COLUMNS
};

static const struct table_column columns[COLUMNS] = {
        {"address", "address", TABLE_ADDRESS, TABLE_EVERYWHERE},
        {"hook", "hook", TABLE_TEXT, TABLE_EVERYWHERE},
        {"selection", "", TABLE_TEXT, TABLE_EVERYWHERE},
        {"function", "function", TABLE_TEXT, TABLE_EVERYWHERE},
        {"in", "in", TABLE_TEXT, TABLE_EVERYWHERE},
        {"chain", "", TABLE_TEXT, TABLE_IN_DATA},
        {"body", "", TABLE_COUNT, TABLE_IN_DATA},
        {"file", "", TABLE_TEXT, TABLE_IN_DATA},
        {"line", "", TABLE_COUNT, TABLE_IN_DATA},
        {"memory", "memory", TABLE_TEXT, TABLE_IN_DATA},
        {"why", "why", TABLE_TEXT, TABLE_EVERYWHERE},
};

static int set_name(const struct sites_printing *printing,
                    struct table_cell *cell, const char *name)
{
    char readable[DEMANGLE_MAX];

    demangle((enum demangle)printing->settings->demangle, name, readable);
    return readable[0] == '\0' ? 0 : table_set_text(cell, readable);
}

/* "inner < outer < function": the calls that were inlined at SITE. */
static int set_chain(const struct sites_printing *printing,
                     struct table_cell *cell, const struct hook_site *site)
{
    char chain[CHAIN_MAX] = "", name[DEMANGLE_MAX];
    size_t used = 0;

    for (size_t i = 0; i < site->frame_count && used + 1 < sizeof chain; i++) {
        const struct lines_frame *frame = &site->frame[i];
        int length;

        demangle((enum demangle)printing->settings->demangle,
                 frame->linkage[0] != '\0' ? frame->linkage : frame->qualified,
                 name);
        length = snprintf(chain + used, sizeof chain - used, "%s%s",
                          i > 0 ? " < " : "", name);
        used += length > 0 ? (size_t)length : 0;
    }
    return chain[0] == '\0' ? 0 : table_set_text(cell, chain);
}

static int set_file(const struct sites_printing *printing,
                    struct table_cell *cells, const struct lines_frame *frame)
{
    char *path, *clean;
    size_t size;
    int result = MCUPROF_E_NOMEM;

    if (frame == NULL || frame->file[0] == '\0')
        return 0;
    path = path_map_apply(printing->paths, frame->file);
    size = path == NULL ? 0 : 3 * strlen(path) + 8;
    clean = path == NULL ? NULL : malloc(size);
    if (clean != NULL) {
        text_clean(clean, size, path);
        result = table_set_text(&cells[COLUMN_FILE], clean);
        table_set_count(&cells[COLUMN_LINE], frame->line);
    }
    free(path);
    free(clean);
    return result;
}

/* Whom SITE is for; of an exit hook its body says it where r0 does not. */
static const char *site_name(const struct selection *selection, size_t index)
{
    const struct hook_pairs *pairs = selection->pairs;
    const struct hook_site *site = &pairs->sites->items[index];
    const struct hook_instance *instance =
            &pairs->instances[pairs->of_site[index]];
    size_t subject = site->subject;

    if (site->is_exit && !site->is_told && instance->enters > 0)
        subject = instance->subject;
    return pairs->sites->subjects[subject].name;
}

static int fill_row(const struct sites_printing *printing, size_t index,
                    struct table_cell *cells)
{
    const struct selection *selection = printing->selection;
    const struct hook_pairs *pairs = selection->pairs;
    const struct hook_site *site = &pairs->sites->items[index];
    size_t body = pairs->of_site[index];
    bool is_dropped = selection->choices[body].is_dropped;
    char why[SELECTION_WHY_MAX];
    int result;

    table_set_count(&cells[COLUMN_ADDRESS], site->address);
    table_set_count(&cells[COLUMN_BODY], body);
    result = table_set_text(&cells[COLUMN_HOOK],
                            site->is_exit ? "exit" : "enter");
    if (result == 0)
        result = table_set_text(&cells[COLUMN_KEPT],
                                is_dropped ? "dropped" : "kept");
    if (result == 0)
        result = set_name(printing, &cells[COLUMN_FUNCTION],
                          site_name(selection, index));
    if (result == 0)
        result = set_name(printing, &cells[COLUMN_IN],
                          selection->code->functions[site->function].name);
    if (result == 0)
        result = set_chain(printing, &cells[COLUMN_CHAIN], site);
    if (result == 0)
        result = set_file(printing, cells, site->frame);
    if (result == 0)
        result = table_set_text(
                &cells[COLUMN_MEMORY],
                elf_select_is_in_ram(selection->code->image, site->address)
                        ? "RAM"
                        : "flash");
    selection_why(selection, body, why);
    if (result == 0 && why[0] != '\0')
        result = table_set_text(&cells[COLUMN_WHY], why);
    return result;
}

static json_t *doubts_json(const struct selection *selection)
{
    json_t *doubts = json_object();

    for (size_t i = HOOK_SURE + 1; doubts != NULL && i < HOOK_DOUBT_COUNT; i++)
        if (selection->doubts[i] > 0
            && json_object_set_new(
                       doubts, hook_doubt_name((enum hook_doubt)i),
                       json_integer((json_int_t)selection->doubts[i]))
                       < 0) {
            json_decref(doubts);
            return NULL;
        }
    return doubts;
}

static json_t *head_json(const struct sites_printing *printing)
{
    const struct selection *selection = printing->selection;

    return json_pack("{s:s,s:i,s:b,s:o,s:I,s:I,s:I,s:I,s:o}", "schema",
                     "mcuprof-select", "schema_version", SCHEMA_VERSION, "held",
                     printing->is_held, "rules", json_text(printing->rules),
                     "sites", (json_int_t)selection->sites, "sites_kept",
                     (json_int_t)selection->sites_kept, "functions",
                     (json_int_t)selection->functions, "functions_kept",
                     (json_int_t)selection->functions_kept, "doubts",
                     doubts_json(selection));
}

int print_sites(struct output *output, const struct sites_printing *printing)
{
    struct table_column shown[COLUMNS];
    struct table table;
    int result = 0;

    memcpy(shown, columns, sizeof shown);
    if (printing->is_live)
        shown[COLUMN_MEMORY].where = TABLE_EVERYWHERE;
    table_init(&table, shown, COLUMNS);
    for (size_t i = 0;
         i < printing->selection->pairs->sites->count && result == 0; i++) {
        struct table_cell *cells = table_add(&table, false);

        result = cells == NULL ? MCUPROF_E_NOMEM : fill_row(printing, i, cells);
    }
    if (result == 0 && printing->settings->format == FORMAT_TABLE)
        print_text(output, &table);
    else if (result == 0 && printing->settings->format == FORMAT_CSV)
        print_csv(output, &table);
    else if (result == 0)
        result = print_json(output, head_json(printing), &table);
    table_deinit(&table);
    return result;
}

void print_selection(struct output *output, const struct selection *selection)
{
    char dropped[UNITS_MAX], sites[UNITS_MAX];
    char kept[UNITS_MAX], functions[UNITS_MAX];

    (void)fprintf(
            output->stream,
            "dropped %s of %s hook calls: %s of %s functions "
            "instrumented\n",
            units_count(dropped, selection->sites - selection->sites_kept),
            units_count(sites, selection->sites),
            units_count(kept, selection->functions_kept),
            units_count(functions, selection->functions));
}

void print_doubts(struct output *output, const struct selection *selection)
{
    char sites[UNITS_MAX], functions[UNITS_MAX];

    for (size_t i = HOOK_SURE + 1; i < HOOK_DOUBT_COUNT; i++)
        if (selection->doubts[i] > 0)
            (void)fprintf(output->stream,
                          "  kept in doubt: %s in %s function%s: %s\n",
                          units_count(sites, selection->doubts[i]),
                          units_count(functions, selection->functions_in[i]),
                          selection->functions_in[i] == 1 ? "" : "s",
                          hook_doubt_text((enum hook_doubt)i));
}
