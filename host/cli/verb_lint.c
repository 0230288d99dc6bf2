/* SPDX-License-Identifier: MIT */
#include "verbs.h"

#include "complain.h"
#include "elf_lint.h"
#include "find_elf.h"
#include "output.h"
#include "paths_given.h"
#include "print_table.h"
#include "text.h"

#include <stdlib.h>
#include <string.h>

#define SCHEMA_VERSION 1
#define DEFAULT_ROWS 10

enum column {
    COLUMN_SEVERITY,
    COLUMN_KIND,
    COLUMN_FUNCTION,
    COLUMN_ADDRESS,
    COLUMN_FILE,
    COLUMN_LINE,
    COLUMN_DETAIL,
    COLUMN_WHAT,
    COLUMN_GCC,
    COLUMN_CLANG,
    COLUMNS
};

static const struct table_column columns[COLUMNS] = {
        {"severity", "", TABLE_TEXT, TABLE_IN_DATA},
        {"kind", "", TABLE_TEXT, TABLE_IN_DATA},
        {"function", "function", TABLE_TEXT, TABLE_IN_DATA},
        {"address", "address", TABLE_ADDRESS, TABLE_IN_DATA},
        {"file", "file", TABLE_TEXT, TABLE_IN_DATA},
        {"line", "line", TABLE_COUNT, TABLE_IN_DATA},
        {"detail", "detail", TABLE_TEXT, TABLE_IN_DATA},
        {"what", "", TABLE_TEXT, TABLE_IN_DATA},
        {"gcc", "", TABLE_TEXT, TABLE_IN_DATA},
        {"clang", "", TABLE_TEXT, TABLE_IN_DATA},
};

struct linting {
    const struct settings *settings;
    struct path_map paths;
    const struct lint *lint;
    struct output output;
};

static void name_finding(const struct linting *linting,
                         const struct lint_finding *finding,
                         char out[DEMANGLE_MAX])
{
    char linkage[DEMANGLE_MAX];

    (void)snprintf(linkage, sizeof linkage, "%.*s", (int)finding->name_size,
                   finding->name);
    demangle((enum demangle)linting->settings->demangle, linkage, out);
}

/* The file as the user has it, to be freed; NULL without memory. */
static char *place_file(const struct linting *linting,
                        const struct lint_finding *finding)
{
    char *path = path_map_apply(&linting->paths, finding->file);
    size_t size = path == NULL ? 0 : 3 * strlen(path) + 8;
    char *clean = path == NULL ? NULL : malloc(size);

    if (clean != NULL)
        text_clean(clean, size, path);
    free(path);
    return clean;
}

/* How many findings from FIRST on are of its kind. */
static size_t group_size(const struct lint *lint, size_t first)
{
    size_t count = 1;

    while (first + count < lint->count
           && lint->findings[first + count].kind == lint->findings[first].kind)
        count++;
    return count;
}

static int print_finding(const struct linting *linting,
                         const struct lint_finding *finding)
{
    FILE *stream = linting->output.stream;
    char name[DEMANGLE_MAX], detail[sizeof finding->detail + 4];
    char *file = place_file(linting, finding);

    if (file == NULL)
        return MCUPROF_E_NOMEM;
    name_finding(linting, finding, name);
    text_clean(detail, sizeof detail, finding->detail);
    (void)fputs(" ", stream);
    if (finding->has_place)
        (void)fprintf(stream, " 0x%08x", finding->address);
    if (name[0] != '\0')
        (void)fprintf(stream, " %s", name);
    if (file[0] != '\0')
        (void)fprintf(stream, " %s:%u", file, finding->line);
    if (detail[0] != '\0')
        (void)fprintf(stream, "%s%s", name[0] != '\0' ? ": " : " ", detail);
    (void)fputs("\n", stream);
    free(file);
    return 0;
}

/* What helps against the COUNT findings from FIRST on. */
static int print_cures(const struct linting *linting, size_t first,
                       size_t count)
{
    const struct lint *lint = linting->lint;
    const struct lint_rule *rule = lint_rule(lint->findings[first].kind);
    FILE *stream = linting->output.stream;
    const char *example = "";
    char *flag;
    size_t others;

    if (rule->gcc != NULL) {
        (void)fprintf(stream, "  -> %s\n", rule->gcc);
        return 0;
    }
    flag = lint_exclude_flag(lint, first, count);
    if (flag == NULL)
        return MCUPROF_E_NOMEM;
    others = lint_exclude_others(lint, first, count, &example);
    (void)fprintf(stream, "  -> gcc: %s", flag);
    if (others > 0)
        (void)fprintf(stream, " (hits %zu more by parts of names: %s%s)",
                      others, example, others > 1 ? " ..." : "");
    (void)fprintf(stream, "\n  -> clang: %s\n", rule->clang);
    free(flag);
    return 0;
}

static size_t rows_shown(const struct linting *linting, size_t count)
{
    uint64_t limit = linting->settings->limit;

    if (limit == LIMIT_UNSET)
        limit = DEFAULT_ROWS;
    return limit == 0 || limit > count ? count : (size_t)limit;
}

static int print_group(struct linting *linting, size_t first, size_t count)
{
    const struct lint_finding *findings = &linting->lint->findings[first];
    const struct lint_rule *rule = lint_rule(findings->kind);
    struct output *output = &linting->output;
    size_t shown = rows_shown(linting, count);
    bool is_alarm = rule->severity != LINT_NOTE;
    int result = 0;

    (void)fprintf(output->stream, "%s%s:%s %s [%s]\n",
                  is_alarm ? output_alarm(output) : output_bold(output),
                  lint_severity_name(rule->severity), output_plain(output),
                  rule->what, rule->name);
    for (size_t i = 0; i < shown && result == 0; i++)
        if (findings[i].has_place || findings[i].name[0] != '\0'
            || findings[i].detail[0] != '\0')
            result = print_finding(linting, &findings[i]);
    if (shown < count)
        (void)fprintf(output->stream, "  and %zu more: -n 0 shows all\n",
                      count - shown);
    return result == 0 ? print_cures(linting, first, shown) : result;
}

static void count_severities(const struct lint *lint, size_t counts[3])
{
    for (size_t i = 0; i < lint->count; i++)
        counts[lint_rule(lint->findings[i].kind)->severity]++;
}

static int print_all(struct linting *linting)
{
    const struct lint *lint = linting->lint;
    size_t counts[3] = {0}, size;
    int result = 0;

    for (size_t i = 0; i < lint->count && result == 0; i += size) {
        size = group_size(lint, i);
        result = print_group(linting, i, size);
    }
    count_severities(lint, counts);
    (void)fprintf(linting->output.stream,
                  "%zu error%s, %zu warning%s, %zu note%s; %zu calls of hooks "
                  "for %zu functions\n",
                  counts[LINT_ERROR], counts[LINT_ERROR] == 1 ? "" : "s",
                  counts[LINT_WARNING], counts[LINT_WARNING] == 1 ? "" : "s",
                  counts[LINT_NOTE], counts[LINT_NOTE] == 1 ? "" : "s",
                  lint->hook_sites, lint->hooked_count);
    return result;
}

static int fill_places(const struct linting *linting,
                       const struct lint_finding *finding,
                       struct table_cell *cells)
{
    char name[DEMANGLE_MAX];
    char *file = place_file(linting, finding);
    int result = file == NULL ? MCUPROF_E_NOMEM : 0;

    name_finding(linting, finding, name);
    if (finding->has_place)
        table_set_count(&cells[COLUMN_ADDRESS], finding->address);
    if (result == 0 && name[0] != '\0')
        result = table_set_text(&cells[COLUMN_FUNCTION], name);
    if (result == 0 && file[0] != '\0') {
        table_set_count(&cells[COLUMN_LINE], finding->line);
        result = table_set_text(&cells[COLUMN_FILE], file);
    }
    free(file);
    return result;
}

static int fill_row(const struct linting *linting, size_t index,
                    struct table *table)
{
    const struct lint_finding *finding = &linting->lint->findings[index];
    const struct lint_rule *rule = lint_rule(finding->kind);
    struct table_cell *cells = table_add(table, false);
    char detail[sizeof finding->detail + 4];
    char *flag;
    int result;

    if (cells == NULL)
        return MCUPROF_E_NOMEM;
    flag = rule->gcc != NULL ? text_copy(rule->gcc)
                             : lint_exclude_flag(linting->lint, index, 1);
    result = flag == NULL ? MCUPROF_E_NOMEM
                          : fill_places(linting, finding, cells);
    text_clean(detail, sizeof detail, finding->detail);
    if (result == 0)
        result = table_set_text(&cells[COLUMN_SEVERITY],
                                lint_severity_name(rule->severity));
    if (result == 0)
        result = table_set_text(&cells[COLUMN_KIND], rule->name);
    if (result == 0 && detail[0] != '\0')
        result = table_set_text(&cells[COLUMN_DETAIL], detail);
    if (result == 0)
        result = table_set_text(&cells[COLUMN_WHAT], rule->what);
    if (result == 0)
        result = table_set_text(&cells[COLUMN_GCC], flag);
    if (result == 0)
        result = table_set_text(&cells[COLUMN_CLANG], rule->clang);
    free(flag);
    return result;
}

static int print_data(struct linting *linting)
{
    const struct lint *lint = linting->lint;
    struct table table;
    json_t *head;
    int result = 0;

    table_init(&table, columns, COLUMNS);
    for (size_t i = 0; i < lint->count && result == 0; i++)
        result = fill_row(linting, i, &table);
    if (result == 0 && linting->settings->format == FORMAT_CSV) {
        print_csv(&linting->output, &table);
    } else if (result == 0) {
        head = json_pack("{s:s,s:i,s:I,s:I}", "schema", "mcuprof-lint",
                         "schema_version", SCHEMA_VERSION, "hook_calls",
                         (json_int_t)lint->hook_sites, "hooked_functions",
                         (json_int_t)lint->hooked_count);
        result = print_json(&linting->output, head, &table);
    }
    table_deinit(&table);
    return result;
}

/* 1 if it will break, 3 if --strict and something will be missing. */
static int judge(const struct linting *linting)
{
    size_t counts[3] = {0};

    count_severities(linting->lint, counts);
    if (counts[LINT_ERROR] > 0)
        return STATUS_FAILED;
    return linting->settings->strict && counts[LINT_WARNING] > 0
                   ? STATUS_INCOMPLETE
                   : STATUS_FINE;
}

static int print_lint(struct linting *linting, const struct found_elf *elf)
{
    const struct settings *settings = linting->settings;
    struct error error;
    int status = output_begin(&linting->output, (enum color)settings->color);
    int result, ended;

    if (status != 0)
        return status;
    result = settings->format == FORMAT_TABLE ? print_all(linting)
                                              : print_data(linting);
    if (result < 0 && linting->output.problem == 0) {
        (void)error_set(&error, result, "", "%s", error_message(result));
        return output_end(&linting->output, complain(&error));
    }
    ended = output_end(&linting->output, STATUS_FINE);
    find_elf_warn(elf);
    return ended != STATUS_FINE ? ended : judge(linting);
}

static int run_lint(struct linting *linting, const struct found_elf *elf)
{
    struct lint *lint = NULL;
    struct error error = {0};
    int result = lint_run(&lint, modules_get(elf->modules, 0), &error);
    int status;

    if (result < 0) {
        if (error.code == 0)
            (void)error_set(&error, result, "", "%s", error_message(result));
        return complain(&error);
    }
    linting->lint = lint;
    status = print_lint(linting, elf);
    lint_free(lint);
    return status;
}

int verb_lint(const struct settings *settings)
{
    struct linting linting = {.settings = settings};
    struct words given = {.count = 0};
    struct found_elf elf = {0};
    struct error error;
    int status = paths_given(&linting.paths, settings);

    if (status != 0)
        return status;
    if (settings->argument_count > 0)
        given = (struct words){.items = {settings->arguments[0]}, .count = 1};
    if (find_elf(&elf, &given, NULL, &error) < 0)
        status = complain(&error);
    else
        status = run_lint(&linting, &elf);
    modules_free(elf.modules);
    return status;
}
