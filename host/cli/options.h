/* SPDX-License-Identifier: MIT */
#ifndef MCUPROF_CLI_OPTIONS_H
#define MCUPROF_CLI_OPTIONS_H

/*
 * Verbs and their options are tables; parsing, help and suggestions all read
 * them. Options may stand before and after other arguments; "--" ends them.
 */

#include "demangle.h"
#include "report.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum format {
    FORMAT_TABLE,
    FORMAT_CSV,
    FORMAT_JSON
};
enum color {
    COLOR_AUTO,
    COLOR_ALWAYS,
    COLOR_NEVER
};

enum unit {
    UNIT_US, /* where the rate of the clock is known */
    UNIT_CYCLES
};
enum style {
    STYLE_BRACES,
    STYLE_PLAIN
};

/* Whom `advise` is to tell what to drop. */
enum advice {
    ADVICE_NONE,
    ADVICE_SELECT,
    ADVICE_GCC,
    ADVICE_CLANG,
    ADVICE_FILTER
};

#define CHOICES_MAX 5
#define WORDS_MAX 16
#define LIMIT_UNSET UINT64_MAX

/* Choices in the order in which they were named; none: the default. */
struct choices {
    int items[CHOICES_MAX];
    size_t count;
};

/* The values of an option that may be given several times. */
struct words {
    const char *items[WORDS_MAX];
    size_t count;
};

/* Everything that any verb can be told. */
struct settings {
    char **arguments; /* within main()'s */
    size_t argument_count;
    struct words elfs;      /* "fw.elf" or "fw.elf@0x20001000" */
    struct words path_maps; /* "FROM=TO" */
    struct words prefixes;  /* to be stripped from paths */
    const char *output;
    uint64_t duration_ms;  /* 0: until the end */
    struct choices by;     /* enum report_by */
    int sort;              /* enum report_sort */
    int demangle;          /* enum demangle */
    int format;            /* enum format */
    int color;             /* enum color */
    uint64_t limit;        /* LIMIT_UNSET unless given */
    struct words contexts; /* patterns: of these alone */
    const char *function;  /* pattern: these, and what they call */
    const char *time;      /* FROM..TO */
    uint64_t depth;        /* levels of calls, 0: all */
    int unit;              /* enum unit */
    int report_unit;       /* enum report_unit */
    uint64_t clock_hz;     /* 0: as the firmware says */
    int style;             /* enum style */
    const char *budget;    /* a slowdown */
    const char *apply;     /* the ELF to make of what is advised */
    int advice;            /* enum advice */
    bool open;             /* what was entered and not left */
    bool raw;              /* with the time of the hooks */
    bool force;
    bool strict;
    bool clones;    /* tell them apart from their function */
    bool inlined;   /* rows for inlined functions */
    bool hotspots;  /* the target's table instead of samples */
    bool functions; /* the function table alone */
    bool discriminators;
    struct words only; /* patterns of functions: these alone */
    struct words drops;
    struct words files;    /* patterns of source files: these alone */
    struct words sections; /* patterns of sections: these alone */
    const char *from;      /* a list of what to select */
    const char *bin;       /* where to write the code as well */
    const char *hex;
    bool keep_inlined;
    bool list;
    bool restore;
    bool in_place;
    bool help;
};

enum option_kind {
    OPTION_FLAG,     /* bool */
    OPTION_TEXT,     /* const char * */
    OPTION_WORDS,    /* struct words, one each time */
    OPTION_COUNT,    /* uint64_t */
    OPTION_DURATION, /* uint64_t milliseconds */
    OPTION_CHOICE,   /* int, the place in choices */
    OPTION_CHOICES   /* struct choices, separated by commas */
};

struct option {
    char letter; /* 0: none */
    const char *name;
    const char *argument; /* as help shows it, NULL for a flag */
    const char *help;
    enum option_kind kind;
    size_t offset;              /* in struct settings */
    const char *const *choices; /* ends with NULL */
};

struct verb {
    const char *name;
    const char *synopsis;
    const char *summary;
    const char *details;
    const struct option *const *options; /* ends with NULL */
    size_t arguments_min;
    size_t arguments_max; /* SIZE_MAX: any number */
    int (*run)(const struct settings *settings);
};

/**
 * Parse ARGV, which begins after the verb, into SETTINGS; what is no option
 * moves to its front.
 * returns 0, or the exit status after saying what is wrong
 */
int options_parse(const struct verb *verb, int argc, char **argv,
                  struct settings *settings);

/** Print VERB's usage and options on standard output. */
void options_help(const struct verb *verb);

/** The verbs; the last one has a NULL name. */
const struct verb *verbs_all(void);

#endif
