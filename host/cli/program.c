/* SPDX-License-Identifier: MIT */
#include "complain.h"
#include "options.h"
#include "output.h"
#include "source.h"
#include "suggest.h"
#include "verbs.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#ifndef MCUPROF_PROGRAM_VERSION
#define MCUPROF_PROGRAM_VERSION "0"
#endif

static const char *const by_choices[] = {
        [REPORT_BY_FUNCTION] = "function", [REPORT_BY_LINE] = "line",
        [REPORT_BY_FILE] = "file",         [REPORT_BY_CONTEXT] = "context",
        [REPORT_BY_ADDRESS] = "address",   [REPORT_BY_HOTSPOTS] = NULL,
};
static const char *const sort_choices[] = {
        [REPORT_SORT_SAMPLES] = "samples", [REPORT_SORT_NAME] = "name",
        [REPORT_SORT_ADDRESS] = "address", [REPORT_SORT_SELF] = "self",
        [REPORT_SORT_SHARE] = "share",     [REPORT_SORT_CALLS] = "calls",
        [REPORT_SORT_TOTAL] = "total",     [REPORT_SORT_AVERAGE] = "average",
        [REPORT_SORT_MIN] = "min",         [REPORT_SORT_MAX] = "max",
        [REPORT_SORT_COUNT] = NULL,
};
static const char *const demangle_choices[] = {
        [DEMANGLE_SIMPLE] = "simple",
        [DEMANGLE_FULL] = "full",
        [DEMANGLE_NO] = "no",
        [DEMANGLE_NO + 1] = NULL,
};
static const char *const format_choices[] = {"table", "csv", "json", NULL};
static const char *const unit_choices[] = {
        [UNIT_US] = "us",
        [UNIT_CYCLES] = "cycles",
        [UNIT_CYCLES + 1] = NULL,
};
static const char *const report_unit_choices[] = {
        [REPORT_UNIT_AUTO] = "auto", [REPORT_UNIT_CYCLES] = "cycles",
        [REPORT_UNIT_US] = "us",     [REPORT_UNIT_MS] = "ms",
        [REPORT_UNIT_S] = "s",       [REPORT_UNIT_COUNT] = NULL,
};
static const char *const style_choices[] = {
        [STYLE_BRACES] = "braces",
        [STYLE_PLAIN] = "plain",
        [STYLE_PLAIN + 1] = NULL,
};
static const char *const advice_choices[] = {
        [ADVICE_NONE] = "table",    [ADVICE_SELECT] = "select",
        [ADVICE_GCC] = "gcc",       [ADVICE_CLANG] = "clang",
        [ADVICE_FILTER] = "filter", [ADVICE_FILTER + 1] = NULL,
};
static const char *const color_choices[] = {"auto", "always", "never", NULL};

#define AT(member) offsetof(struct settings, member)

static const struct option option_elf = {
        'e',          "elf",
        "FILE",       "the firmware's ELF; several times for several of them",
        OPTION_WORDS, AT(elfs),
        NULL};
static const struct option option_one_elf = {
        'e', "elf", "FILE", "the firmware's ELF", OPTION_WORDS, AT(elfs), NULL};
static const struct option option_dump_elf = {
        'e',          "elf",
        "FILE",       "the firmware's ELF, which gdb: and ram: need",
        OPTION_WORDS, AT(elfs),
        NULL};
static const struct option option_demangle = {
        0,
        "demangle",
        "STYLE",
        "C++ and Rust names: simple, full or no",
        OPTION_CHOICE,
        AT(demangle),
        demangle_choices};
static const struct option option_path_map = {
        0,
        "path-map",
        "FROM=TO",
        "source paths that begin with FROM are in TO here",
        OPTION_WORDS,
        AT(path_maps),
        NULL};
static const struct option option_strip_prefix = {
        0,
        "strip-prefix",
        "PATH",
        "leave this beginning of source paths out",
        OPTION_WORDS,
        AT(prefixes),
        NULL};
static const struct option option_hotspots = {
        0,           "hotspots",
        NULL,        "show the hot-spot table that the firmware kept",
        OPTION_FLAG, AT(hotspots),
        NULL};
static const struct option option_functions = {
        0,           "functions",
        NULL,        "show the function table that the firmware kept, alone",
        OPTION_FLAG, AT(functions),
        NULL};
static const struct option option_report_unit = {
        0,
        "unit",
        "UNIT",
        "of the function table: auto, cycles, us, ms or s",
        OPTION_CHOICE,
        AT(report_unit),
        report_unit_choices};
static const struct option option_clock = {
        0,
        "clock",
        "HZ",
        "rate of the clock, whatever the firmware says",
        OPTION_COUNT,
        AT(clock_hz),
        NULL};
static const struct option option_clones = {
        0,           "clones",
        NULL,        "tell a function's clones and parts apart",
        OPTION_FLAG, AT(clones),
        NULL};
static const struct option option_inline = {
        0,           "inline",
        NULL,        "show inlined functions instead of those in memory",
        OPTION_FLAG, AT(inlined),
        NULL};
static const struct option option_discriminators = {
        0,           "discriminators",
        NULL,        "tell blocks within a line apart",
        OPTION_FLAG, AT(discriminators),
        NULL};
static const struct option option_output = {
        'o',
        "output",
        "FILE",
        "where to save (" DEFAULT_CAPTURE "), - for standard output",
        OPTION_TEXT,
        AT(output),
        NULL};
static const struct option option_directory = {
        'o',         "output",
        "DIR",       "the directory they are filed in (elves)",
        OPTION_TEXT, AT(output),
        NULL};
static const struct option option_duration = {0,
                                              "duration",
                                              "T",
                                              "stop after 500ms, 10s, 2m, 1h",
                                              OPTION_DURATION,
                                              AT(duration_ms),
                                              NULL};
static const struct option option_by = {
        0,
        "by",
        "WHAT",
        "function, line, file, context, address, or several",
        OPTION_CHOICES,
        AT(by),
        by_choices};
static const struct option option_sort = {
        0,
        "sort",
        "KEY",
        "samples, name, address; self, calls, total, average, min, max",
        OPTION_CHOICE,
        AT(sort),
        sort_choices};
static const struct option option_limit = {
        'n',          "rows",
        "N",          "rows to show, 0 for all (table 10, 30 lines, else all)",
        OPTION_COUNT, AT(limit),
        NULL};
static const struct option option_format = {
        0,          "format",      "F", "table, csv or json", OPTION_CHOICE,
        AT(format), format_choices};
static const struct option option_color = {
        0,         "color",      "WHEN", "auto, always or never", OPTION_CHOICE,
        AT(color), color_choices};
static const struct option option_force = {
        0,           "force",
        NULL,        "report although the ELF is another build",
        OPTION_FLAG, AT(force),
        NULL};
static const struct option option_strict = {
        0,           "strict",   NULL, "exit 3 if data are incomplete",
        OPTION_FLAG, AT(strict), NULL};

static const struct option option_lint_rows = {
        'n',          "rows",
        "N",          "places of a kind to show, 0 for all (10)",
        OPTION_COUNT, AT(limit),
        NULL};
static const struct option option_lint_strict = {
        0,           "strict",   NULL, "exit 3 if there are warnings",
        OPTION_FLAG, AT(strict), NULL};

static const struct option option_context = {
        0,
        "context",
        "WHICH",
        "this context alone, by number or name; several times for several",
        OPTION_WORDS,
        AT(contexts),
        NULL};
static const struct option option_function = {
        0,           "function",
        "PATTERN",   "these functions and what they call, as 'uart_*'",
        OPTION_TEXT, AT(function),
        NULL};
static const struct option option_depth = {0,
                                           "depth",
                                           "N",
                                           "levels of calls to show, 0 for all",
                                           OPTION_COUNT,
                                           AT(depth),
                                           NULL};
static const struct option option_time = {
        0,           "time",   "FROM..TO", "as 1.5ms..2ms, ..300us or 1000c..",
        OPTION_TEXT, AT(time), NULL};
static const struct option option_unit = {
        0,        "unit",      "UNIT", "us or cycles", OPTION_CHOICE,
        AT(unit), unit_choices};
static const struct option option_style = {
        0,         "style",      "STYLE", "braces or plain", OPTION_CHOICE,
        AT(style), style_choices};
static const struct option option_open = {
        0,           "open",   NULL, "show what was entered and not left",
        OPTION_FLAG, AT(open), NULL};
static const struct option option_raw = {
        0,           "raw",   NULL, "times with what the hooks took",
        OPTION_FLAG, AT(raw), NULL};

static const struct option *const calls_options[] = {
        &option_elf,      &option_context, &option_function,
        &option_depth,    &option_time,    &option_open,
        &option_style,    &option_unit,    &option_raw,
        &option_demangle, &option_format,  &option_force,
        &option_strict,   &option_color,   NULL};
static const struct option *const tree_options[] = {&option_elf,
                                                    &option_context,
                                                    &option_depth,
                                                    &option_unit,
                                                    &option_raw,
                                                    &option_demangle,
                                                    &option_format,
                                                    &option_force,
                                                    &option_strict,
                                                    &option_color,
                                                    NULL};
static const struct option *const record_options[] = {
        &option_one_elf, &option_output, &option_duration, NULL};
static const struct option *const report_options[] = {
        &option_elf,          &option_by,       &option_hotspots,
        &option_functions,    &option_inline,   &option_clones,
        &option_sort,         &option_limit,    &option_report_unit,
        &option_clock,        &option_demangle, &option_path_map,
        &option_strip_prefix, &option_format,   &option_force,
        &option_strict,       &option_color,    NULL};
static const struct option *const where_options[] = {&option_elf,
                                                     &option_demangle,
                                                     &option_path_map,
                                                     &option_strip_prefix,
                                                     &option_discriminators,
                                                     &option_format,
                                                     NULL};
static const struct option *const info_options[] = {
        &option_dump_elf, &option_format, &option_strict, &option_color, NULL};

static const struct option *const archive_options[] = {&option_directory, NULL};

static const struct option *const lint_options[] = {
        &option_lint_rows, &option_demangle,
        &option_path_map,  &option_strip_prefix,
        &option_format,    &option_lint_strict,
        &option_color,     NULL};

static const struct option option_only = {
        0,
        "only",
        "PATTERN",
        "keep these functions alone, as 'crc*'; '!main' takes out",
        OPTION_WORDS,
        AT(only),
        NULL};
static const struct option option_drop = {
        0,         "drop", "PATTERN", "take out these functions", OPTION_WORDS,
        AT(drops), NULL};
static const struct option option_file = {
        0,
        "file",
        "PATTERN",
        "keep functions of these source files alone",
        OPTION_WORDS,
        AT(files),
        NULL};
static const struct option option_section = {
        0,
        "section",
        "PATTERN",
        "keep functions in these sections alone",
        OPTION_WORDS,
        AT(sections),
        NULL};
static const struct option option_keep_inlined = {
        0,           "keep-inlined",   NULL, "keep inlined bodies as well",
        OPTION_FLAG, AT(keep_inlined), NULL};
static const struct option option_from = {
        0,
        "from",
        "FILE",
        "a list: drop NAME, keep NAME, drop-inlined NAME; - for input",
        OPTION_TEXT,
        AT(from),
        NULL};
static const struct option option_list = {
        0,           "list",   NULL, "show each call of a hook, and why",
        OPTION_FLAG, AT(list), NULL};
static const struct option option_restore = {
        0,           "restore",   NULL, "give back the original, to the byte",
        OPTION_FLAG, AT(restore), NULL};
static const struct option option_in_place = {
        0,           "in-place",   NULL, "write to the ELF itself",
        OPTION_FLAG, AT(in_place), NULL};
static const struct option option_bin = {
        0,           "bin",   "FILE", "write what is loaded as plain bytes too",
        OPTION_TEXT, AT(bin), NULL};
static const struct option option_hex = {
        0,           "hex",   "FILE", "write what is loaded as Intel HEX too",
        OPTION_TEXT, AT(hex), NULL};
static const struct option option_select_output = {
        'o',         "output",   "FILE", "the ELF to write",
        OPTION_TEXT, AT(output), NULL};
static const struct option option_select_force = {
        0,           "force",
        NULL,        "although captures cannot tell it from other builds",
        OPTION_FLAG, AT(force),
        NULL};
static const struct option option_live_elf = {
        'e',          "elf",
        "FILE",       "the ELF of what runs, which gdb: needs",
        OPTION_WORDS, AT(elfs),
        NULL};
static const struct option *const select_options[] = {
        &option_select_output, &option_live_elf,
        &option_only,          &option_drop,
        &option_file,          &option_section,
        &option_keep_inlined,  &option_from,
        &option_list,          &option_restore,
        &option_in_place,      &option_bin,
        &option_hex,           &option_demangle,
        &option_path_map,      &option_strip_prefix,
        &option_format,        &option_select_force,
        &option_color,         NULL};

static const struct option option_budget = {
        0,
        "budget",
        "TIMES",
        "the slowdown that is allowed, as 1.2: what loses the least for it",
        OPTION_TEXT,
        AT(budget),
        NULL};
static const struct option option_apply = {
        0,
        "apply",
        "OUT.elf",
        "do it: `select` by the list, which is left in OUT.elf.list",
        OPTION_TEXT,
        AT(apply),
        NULL};
static const struct option option_for = {
        0,
        "for",
        "WHOM",
        "print what to tell select, gcc, clang or a filter of the firmware",
        OPTION_CHOICE,
        AT(advice),
        advice_choices};
static const struct option option_advise_rows = {
        'n',          "rows",    "N", "functions to show, 0 for all (20)",
        OPTION_COUNT, AT(limit), NULL};

static const struct option *const advise_options[] = {&option_elf,
                                                      &option_budget,
                                                      &option_apply,
                                                      &option_for,
                                                      &option_format,
                                                      &option_advise_rows,
                                                      &option_demangle,
                                                      &option_force,
                                                      &option_strict,
                                                      &option_color,
                                                      NULL};

#define CALLS_SOURCES                                                          \
    "FILE is a capture (" DEFAULT_CAPTURE                                      \
    "), - for standard input, gdb:HOST:PORT for the\ncall ring of a target, "  \
    "or ram:FILE@ADDRESS for that in a dump of memory from\nADDRESS on.\n"

static const struct verb verbs[] = {
        {"record", "record SOURCE [-e fw.elf] [-o FILE] [--duration T]",
         "Save what a target sends, until it ends, the time is up or "
         "Ctrl-C",
         "SOURCE is - (standard input), a file or device, "
         "tcp:HOST:PORT, or memory:\ngdb:HOST:PORT, ram:FILE@ADDRESS (see "
         "report).\nAn older capture is kept as FILE.old.\n",
         record_options, 1, 1, verb_record},
        {"report",
         "report [FILE] [-e fw.elf] [--by WHAT | --hotspots | --functions]",
         "Show where the time went",
         "FILE is a capture (" DEFAULT_CAPTURE
         "), - for standard input, a dump of mcuprof_ram,\n"
         "ram:FILE@ADDRESS for one of memory from ADDRESS on, ram:FILE for "
         "Intel HEX or a\ncore, or gdb:HOST:PORT.\nWithout -e the ELF is "
         "the one "
         "given to record, $MCUPROF_ELF, or the one\n*.elf here that "
         "matches the firmware.\nA function table is shown as well, with "
         "--by context apart for each context; also\none that "
         "mcuprof_functions_print() wrote, out of any log.\n",
         report_options, 0, 1, verb_report},
        {"calls",
         "calls [FILE] [-e fw.elf] [--open | --style STYLE | --format F]",
         "Show every call in order, per context, up to the last one",
         CALLS_SOURCES
         "Times are without what interrupted a call and, but with --raw, "
         "without what\nthe hooks took.\n",
         calls_options, 0, 1, verb_calls},
        {"tree", "tree [FILE] [-e fw.elf] [--format F]",
         "Show the calls of each path together: self, total, calls",
         CALLS_SOURCES, tree_options, 0, 1, verb_tree},
        {"where", "where [ADDRESS...] [-e fw.elf]...",
         "Say what is at an address: function, line, inlined calls",
         "ADDRESS is hexadecimal with or without 0x, or the name of a symbol "
         "as\nname or name+0x12; of a word that is both, the name counts if "
         "nothing is at\nthe address. Without one, addresses are read from "
         "standard input and\nanswered as they come. Without -e the ELF is "
         "$MCUPROF_ELF, or the only *.elf\nhere. -e pic.elf@0x20001000 is for "
         "an ELF that was loaded there.\n",
         where_options, 0, SIZE_MAX, verb_where},
        {"info", "info [FILE] [-e fw.elf]",
         "Show what a capture says of itself",
         "FILE is a capture (" DEFAULT_CAPTURE
         "), - for standard input, or a dump of mcuprof_ram: no ELF "
         "is needed.\nIn ram:FILE@ADDRESS, a dump of memory from ADDRESS on, "
         "and at gdb:HOST:PORT the\nELF tells where to look.\n",
         info_options, 0, 1, verb_info},
        {"archive", "archive ELF... [-o DIR]",
         "File ELFs where -e DIR finds the one that ran",
         "Each is copied under its name and the CRC-32 of its bytes. Any verb "
         "then takes\n-e DIR: the ELF in it that matches the firmware is "
         "used.\n",
         archive_options, 1, SIZE_MAX, verb_archive},
        {"lint", "lint [fw.elf]", "Say what will go wrong, before flashing",
         "Hooks where they do harm, or cost more than they tell, and what is "
         "missing in\nthe ELF. Each comes with what helps, for gcc and for "
         "clang. Exit 1 if there\nare errors. Without an argument the ELF is "
         "$MCUPROF_ELF, or the only *.elf here.\n",
         lint_options, 0, 1, verb_lint},
        {"select", "select fw.elf -o OUT.elf [--only PATTERN] [--drop PATTERN]",
         "Take calls of hooks out of an ELF",
         "Without rules those of inlined bodies go, which are most of them: "
         "every real call\nis still traced. A function's calls go together, "
         "and what is in doubt stays. An\nELF that was selected is selected "
         "anew, from its original.\nPatterns are as a shell's; options that "
         "take one may be given several times. A\nfunction must be in each of "
         "--only, --file and --section that is given.\n"
         "gdb:HOST:PORT -e fw.elf does it in a target that runs, where code is "
         "in RAM;\n--restore puts its hooks back.\n",
         select_options, 1, 1, verb_select},
        {"advise",
         "advise [FILE] [-e fw.elf] [--budget TIMES] [--for WHOM | --apply "
         "OUT]",
         "Say which hooks to do without, and what that wins",
         "FILE is a capture (" DEFAULT_CAPTURE
         ") or another source of `calls` or `report`: of a call\nring, a "
         "function table or samples. Functions whose hooks take most for what "
         "they\ntell come first. Without --budget what was inlined is "
         "dropped, as `select` does.\nSlowdowns are estimates, whose base is "
         "said.\n",
         advise_options, 0, 1, verb_advise},
        {NULL, NULL, NULL, NULL, NULL, 0, 0, NULL},
};

const struct verb *verbs_all(void)
{
    return verbs;
}

static void print_usage(FILE *stream)
{
    (void)fputs("usage: mcuprof VERB [ARGUMENTS]\n\n", stream);
    for (const struct verb *verb = verbs; verb->name != NULL; verb++)
        (void)fprintf(stream, "  %-8s %s\n", verb->name, verb->summary);
    (void)fputs("\n  mcuprof help VERB    the options of one verb\n"
                "  mcuprof --version\n",
                stream);
}

static const struct verb *find_verb(const char *name)
{
    for (const struct verb *verb = verbs; verb->name != NULL; verb++)
        if (strcmp(verb->name, name) == 0)
            return verb;
    return NULL;
}

static int refuse_verb(const char *name)
{
    struct suggestion suggestion = {.wanted = name};
    char remedy[80] = "see `mcuprof --help` for what there is";

    for (const struct verb *verb = verbs; verb->name != NULL; verb++)
        suggest_offer(&suggestion, verb->name);
    if (suggestion.best != NULL)
        (void)snprintf(remedy, sizeof remedy, "did you mean `mcuprof %s`?",
                       suggestion.best);
    return complain_usage(remedy, "there is no verb '%s'", name);
}

static int help(const char *name)
{
    const struct verb *verb = name == NULL ? NULL : find_verb(name);

    if (name == NULL) {
        print_usage(stdout);
        return 0;
    }
    if (verb == NULL)
        return refuse_verb(name);
    options_help(verb);
    return 0;
}

static int run_verb(const struct verb *verb, int argc, char **argv)
{
    struct settings settings = {.limit = LIMIT_UNSET};
    int status = options_parse(verb, argc, argv, &settings);

    if (status != 0)
        return status;
    if (!settings.help)
        return verb->run(&settings);
    options_help(verb);
    return 0;
}

/*
 * A file opened in the place of a closed standard input would be read as what
 * the user typed. To the others nothing can be written, as when closed.
 */
static void fill_standard_files(void)
{
    int file = open("/dev/null", O_RDONLY);

    while (file >= 0 && file <= STDERR_FILENO)
        file = open("/dev/null", O_RDONLY);
    if (file > STDERR_FILENO)
        (void)close(file);
}

int main(int argc, char **argv)
{
    const struct verb *verb;

    fill_standard_files();
    /* A closed pipe is seen as EPIPE where it is written to. */
    (void)signal(SIGPIPE, SIG_IGN);
    /* So is a file that would exceed `ulimit -f`, as EFBIG. */
    (void)signal(SIGXFSZ, SIG_IGN);
    if (argc < 2) {
        print_usage(stderr);
        return STATUS_USAGE;
    }
    if (strcmp(argv[1], "--version") == 0) {
        (void)puts("mcuprof " MCUPROF_PROGRAM_VERSION);
        return 0;
    }
    if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0
        || strcmp(argv[1], "help") == 0)
        return help(argc > 2 ? argv[2] : NULL);
    verb = find_verb(argv[1]);
    if (verb == NULL)
        return refuse_verb(argv[1]);
    return run_verb(verb, argc - 2, argv + 2);
}
