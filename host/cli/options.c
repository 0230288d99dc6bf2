/* SPDX-License-Identifier: MIT */
#include "options.h"

#include "complain.h"
#include "suggest.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The arguments that are still to be read. */
struct cursor {
    const struct verb *verb;
    char **next;
    char **end;
    struct settings *settings;
    bool only_arguments; /* "--" was seen */
};

static const struct option help_option = {
        'h',         "help",      NULL,
        "this text", OPTION_FLAG, offsetof(struct settings, help),
        NULL};

static const struct option *find_long(const struct verb *verb, const char *name,
                                      size_t length)
{
    if (length == 4 && strncmp(name, "help", 4) == 0)
        return &help_option;
    for (size_t i = 0; verb->options[i] != NULL; i++)
        if (strlen(verb->options[i]->name) == length
            && strncmp(verb->options[i]->name, name, length) == 0)
            return verb->options[i];
    return NULL;
}

static const struct option *find_short(const struct verb *verb, char letter)
{
    if (letter == help_option.letter)
        return &help_option;
    for (size_t i = 0; verb->options[i] != NULL; i++)
        if (verb->options[i]->letter == letter)
            return verb->options[i];
    return NULL;
}

static int refuse_option(const struct verb *verb, const char *name,
                         size_t length)
{
    char wanted[32];
    char remedy[80];
    struct suggestion suggestion = {.wanted = wanted};

    (void)snprintf(wanted, sizeof wanted, "%.*s", (int)length, name);
    for (size_t i = 0; verb->options[i] != NULL; i++)
        suggest_offer(&suggestion, verb->options[i]->name);
    if (suggestion.best != NULL)
        (void)snprintf(remedy, sizeof remedy, "did you mean --%s?",
                       suggestion.best);
    else
        (void)snprintf(remedy, sizeof remedy,
                       "see `mcuprof %s --help` for its options", verb->name);
    return complain_usage(remedy, "%s has no option %s%s", verb->name,
                          length == 1 ? "-" : "--", wanted);
}

static int refuse_value(const struct option *option, const char *value,
                        const char *remedy)
{
    return complain_usage(remedy, "--%s cannot be '%s'", option->name, value);
}

static int refuse_choice(const struct option *option, const char *value)
{
    char remedy[120] = "one of:";

    for (int i = 0; option->choices[i] != NULL; i++) {
        size_t used = strlen(remedy);

        (void)snprintf(remedy + used, sizeof remedy - used, "%s %s",
                       i > 0 ? "," : "", option->choices[i]);
    }
    return refuse_value(option, value, remedy);
}

/* The place in choices of the LENGTH bytes at VALUE; -1: none. */
static int find_choice(const struct option *option, const char *value,
                       size_t length)
{
    for (int i = 0; option->choices[i] != NULL; i++)
        if (strlen(option->choices[i]) == length
            && strncmp(option->choices[i], value, length) == 0)
            return i;
    return -1;
}

static int add_word(const struct option *option, const char *value,
                    struct words *out)
{
    if (out->count == WORDS_MAX)
        return complain_usage("leave some out", "more than %d of --%s",
                              WORDS_MAX, option->name);
    out->items[out->count++] = value;
    return 0;
}

static int set_choice(const struct option *option, const char *value, int *out)
{
    int choice = find_choice(option, value, strlen(value));

    if (choice < 0)
        return refuse_choice(option, value);
    *out = choice;
    return 0;
}

static int set_choices(const struct option *option, const char *value,
                       struct choices *out)
{
    const char *rest = value;

    for (out->count = 0; out->count < CHOICES_MAX; rest++) {
        size_t length = strcspn(rest, ",");
        int choice = find_choice(option, rest, length);

        if (choice < 0)
            return refuse_choice(option, value);
        out->items[out->count++] = choice;
        rest += length;
        if (*rest == '\0')
            return 0;
    }
    return refuse_value(option, value, "name each once");
}

static bool parse_number(const char *text, char **end, uint64_t *out)
{
    if (text[0] < '0' || text[0] > '9')
        return false;
    errno = 0;
    *out = strtoull(text, end, 10);
    return errno == 0;
}

static int set_count(const struct option *option, const char *value,
                     uint64_t *out)
{
    char *end = NULL;

    if (!parse_number(value, &end, out) || *end != '\0')
        return refuse_value(option, value, "give a number, 0 for all");
    return 0;
}

static const struct {
    const char *suffix;
    uint64_t ms;
} units[] = {{"ms", 1},    {"s", 1000},    {"", 1000},
             {"m", 60000}, {"min", 60000}, {"h", 3600000}};

/* A week of recording is a mistake; the limit also keeps the product small. */
#define DURATION_MAX_MS (UINT64_C(7) * 24 * 3600 * 1000)

static int set_duration(const struct option *option, const char *value,
                        uint64_t *out)
{
    char *end = NULL;
    uint64_t number = 0;

    if (parse_number(value, &end, &number) && number > 0)
        for (size_t i = 0; i < sizeof units / sizeof units[0]; i++)
            if (strcmp(units[i].suffix, end) == 0
                && number <= DURATION_MAX_MS / units[i].ms) {
                *out = number * units[i].ms;
                return 0;
            }
    return refuse_value(option, value, "write it as 500ms, 10s, 2m or 1h");
}

/* Offsets come from offsetof() in the option tables. */
static void *place_of(const struct option *option, struct settings *settings)
{
    return (char *)settings + option->offset;
}

static int store(const struct option *option, const char *value,
                 struct settings *settings)
{
    void *place = place_of(option, settings);

    switch (option->kind) {
    case OPTION_TEXT:
        *(const char **)place = value;
        return 0;
    case OPTION_WORDS:
        return add_word(option, value, place);
    case OPTION_COUNT:
        return set_count(option, value, place);
    case OPTION_DURATION:
        return set_duration(option, value, place);
    case OPTION_CHOICE:
        return set_choice(option, value, place);
    case OPTION_CHOICES:
        return set_choices(option, value, place);
    case OPTION_FLAG:
        break;
    }
    return 0;
}

/* NULL at the end. */
static const char *next_word(struct cursor *cursor)
{
    return cursor->next < cursor->end ? *cursor->next++ : NULL;
}

/* VALUE is what stood in the same word, NULL if nothing did. */
static int take_option(struct cursor *cursor, const struct option *option,
                       const char *value)
{
    if (option->kind == OPTION_FLAG && value != NULL)
        return complain_usage("leave it out", "--%s takes no value",
                              option->name);
    if (option->kind == OPTION_FLAG) {
        *(bool *)place_of(option, cursor->settings) = true;
        return 0;
    }
    if (value == NULL)
        value = next_word(cursor);
    if (value == NULL)
        return complain_usage(option->help, "--%s needs a value: %s",
                              option->name, option->argument);
    return store(option, value, cursor->settings);
}

static int take_long(struct cursor *cursor, const char *name)
{
    size_t length = strcspn(name, "=");
    const struct option *option = find_long(cursor->verb, name, length);

    if (option == NULL)
        return refuse_option(cursor->verb, name, length);
    return take_option(cursor, option,
                       name[length] == '=' ? name + length + 1 : NULL);
}

static int take_short(struct cursor *cursor, const char *letters)
{
    const struct option *option = find_short(cursor->verb, letters[0]);

    if (option == NULL)
        return refuse_option(cursor->verb, letters, 1);
    return take_option(cursor, option, letters[1] != '\0' ? letters + 1 : NULL);
}

/* At most as many arguments were taken as words were read: there is room. */
static int take_argument(struct cursor *cursor, char *argument)
{
    struct settings *settings = cursor->settings;
    char remedy[160];

    (void)snprintf(remedy, sizeof remedy, "usage: mcuprof %s",
                   cursor->verb->synopsis);
    if (settings->argument_count == cursor->verb->arguments_max)
        return complain_usage(remedy, "one argument too many: %s", argument);
    settings->arguments[settings->argument_count++] = argument;
    return 0;
}

static int take_word(struct cursor *cursor)
{
    char *word = *cursor->next++;

    if (cursor->only_arguments || word[0] != '-' || word[1] == '\0')
        return take_argument(cursor, word);
    if (strcmp(word, "--") == 0) {
        cursor->only_arguments = true;
        return 0;
    }
    return word[1] == '-' ? take_long(cursor, word + 2)
                          : take_short(cursor, word + 1);
}

int options_parse(const struct verb *verb, int argc, char **argv,
                  struct settings *settings)
{
    struct cursor cursor = {
            .verb = verb,
            .next = argv,
            .end = argv + argc,
            .settings = settings,
    };
    char remedy[160];

    settings->arguments = argv;
    while (cursor.next < cursor.end) {
        int status = take_word(&cursor);

        if (status != 0)
            return status;
    }
    if (settings->help || settings->argument_count >= verb->arguments_min)
        return 0;
    (void)snprintf(remedy, sizeof remedy, "usage: mcuprof %s", verb->synopsis);
    return complain_usage(remedy, "%s needs more than that", verb->name);
}

static void print_option(const struct option *option)
{
    char left[40];
    char letter[4] = "  ";

    if (option->letter != 0)
        (void)snprintf(letter, sizeof letter, "-%c", option->letter);
    (void)snprintf(left, sizeof left, "%s%s --%s%s%s", letter,
                   option->letter != 0 ? "," : " ", option->name,
                   option->argument != NULL ? "=" : "",
                   option->argument != NULL ? option->argument : "");
    (void)printf("  %-24s %s\n", left, option->help);
}

void options_help(const struct verb *verb)
{
    (void)printf("usage: mcuprof %s\n\n%s.\n%s\n", verb->synopsis,
                 verb->summary, verb->details);
    for (size_t i = 0; verb->options[i] != NULL; i++)
        print_option(verb->options[i]);
    print_option(&help_option);
}
