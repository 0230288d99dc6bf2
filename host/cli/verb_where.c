/* SPDX-License-Identifier: MIT */
#include "verbs.h"

#include "complain.h"
#include "find_elf.h"
#include "output.h"
#include "paths_given.h"
#include "print_place.h"
#include "text.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define SCHEMA_VERSION 1
#define BLOCK_SIZE 65536
#define WORD_MAX 4096

/* What was asked, and what has been said so far. */
struct inquiry {
    const struct settings *settings;
    struct found_elf elf;
    struct path_map paths;
    struct place_style style;
    struct output output;
    size_t answers;
    char refused[80]; /* the first word that was no address */
    size_t refusals;
    char ambiguous[80]; /* the first name of several places, or "" */
    size_t meanings;    /* how many */
};

/* "name" or "name+0x12", by the symbol table; OUT only if there is one. */
static bool find_symbol(struct inquiry *inquiry, const char *word,
                        uint32_t *out)
{
    const struct modules *modules = inquiry->elf.modules;
    char name[WORD_MAX];
    const char *plus = strrchr(word, '+');
    uint32_t offset = 0, address;
    size_t meanings = 0;

    if (plus != NULL && !text_to_address(plus + 1, &offset))
        plus = NULL;
    (void)snprintf(name, sizeof name, "%s", word);
    if (plus != NULL && (size_t)(plus - word) < sizeof name)
        name[plus - word] = '\0';
    for (size_t i = 0; i < modules_count(modules); i++) {
        const struct module *module = modules_get(modules, i);

        if (image_symbol_address(module->image, name, &address) < 0)
            continue;
        if (meanings == 0)
            *out = address + module->bias + offset;
        meanings += image_symbol_count(module->image, name);
    }
    if (meanings > 1 && inquiry->ambiguous[0] == '\0') {
        text_clean(inquiry->ambiguous, sizeof inquiry->ambiguous, name);
        inquiry->meanings = meanings;
    }
    return meanings > 0;
}

/*
 * What WORD stands for: an address, unless it is a name as well (`add`, `dac`)
 * and there is nothing at that address.
 * errors: MCUPROF_E_NOT_FOUND
 */
static int look_up(struct inquiry *inquiry, const char *word, uint32_t *address,
                   struct modules_place *place)
{
    struct modules *modules = inquiry->elf.modules;
    bool is_address = text_to_address(word, address);
    int result;

    if (is_address) {
        result = modules_find(modules, *address, place);
        if (result < 0 || place->module != NULL)
            return result;
    }
    if (find_symbol(inquiry, word, address))
        return modules_find(modules, *address, place);
    return is_address ? 0 : MCUPROF_E_NOT_FOUND;
}

/*
 * A word that is no address. On standard input it has an answer all the same,
 * as somebody may be waiting for one; all are complained of at the end.
 */
static void refuse_word(struct inquiry *inquiry, const char *word)
{
    FILE *stream = inquiry->output.stream;
    char clean[WORD_MAX];

    text_clean(clean, sizeof clean, word);
    if (inquiry->refusals++ == 0)
        text_clean(inquiry->refused, sizeof inquiry->refused, word);
    if (inquiry->settings->argument_count > 0)
        return;
    if (inquiry->settings->format == FORMAT_TABLE)
        (void)fprintf(stream, "%s  [no address]\n", clean);
    else if (inquiry->settings->format == FORMAT_CSV)
        (void)fputs(",no_address,,,,,,,,,,,\n", stream);
    else
        (void)fprintf(stream,
                      "%s{\"address\":null,\"kind\":\"no_address\","
                      "\"module\":null,\"section\":null,\"symbol\":null,"
                      "\"frames\":[]}",
                      inquiry->answers > 0 ? ",\n" : "\n");
    inquiry->answers++;
}

static int answer(struct inquiry *inquiry, const char *word)
{
    FILE *stream = inquiry->output.stream;
    struct modules_place place;
    uint32_t address = 0;
    int result = look_up(inquiry, word, &address, &place);

    if (result == MCUPROF_E_NOT_FOUND) {
        refuse_word(inquiry, word);
        return 0;
    }
    if (result < 0)
        return result;
    if (inquiry->settings->format == FORMAT_TABLE)
        print_place_text(stream, &inquiry->style, address, &place);
    else if (inquiry->settings->format == FORMAT_CSV)
        print_place_csv(stream, &inquiry->style, address, &place);
    else {
        (void)fputs(inquiry->answers > 0 ? ",\n" : "\n", stream);
        print_place_json(stream, &inquiry->style, address, &place);
    }
    inquiry->answers++;
    return 0;
}

/* A word of standard input that may come in pieces. */
struct reader {
    char word[WORD_MAX];
    size_t used;
};

static int end_word(struct inquiry *inquiry, struct reader *reader)
{
    size_t used = reader->used;

    reader->word[used] = '\0';
    reader->used = 0;
    return used > 0 ? answer(inquiry, reader->word) : 0;
}

static int take_block(struct inquiry *inquiry, struct reader *reader,
                      const char *block, size_t size)
{
    int result = 0;

    for (size_t i = 0; i < size && result == 0; i++) {
        if (strchr(" \t\r\n\v\f", block[i]) != NULL && block[i] != '\0')
            result = end_word(inquiry, reader);
        else if (reader->used + 1 < sizeof reader->word)
            reader->word[reader->used++] = block[i] != '\0' ? block[i] : '?';
    }
    return result;
}

/*
 * Before each wait all answers are out: another program may ask word by word
 * and wait for each of them.
 */
static int answer_input(struct inquiry *inquiry, struct error *error)
{
    struct reader *reader = calloc(1, sizeof *reader);
    char *block = malloc(BLOCK_SIZE);
    int result = reader == NULL || block == NULL ? MCUPROF_E_NOMEM : 0;
    ssize_t got = 1;

    while (result == 0 && got > 0) {
        if (!output_flush(&inquiry->output))
            break;
        do
            got = read(STDIN_FILENO, block, BLOCK_SIZE);
        while (got < 0 && errno == EINTR);
        if (got > 0)
            result = take_block(inquiry, reader, block, (size_t)got);
    }
    if (result == 0 && got == 0)
        result = end_word(inquiry, reader);
    if (got < 0)
        result = error_set(error, MCUPROF_E_IO,
                           "give addresses as arguments, or through a pipe",
                           "cannot read addresses from standard input: %s",
                           strerror(errno));
    free(reader);
    free(block);
    return result;
}

static int answer_all(struct inquiry *inquiry, struct error *error)
{
    const struct settings *settings = inquiry->settings;
    FILE *stream = inquiry->output.stream;
    int result = 0;

    if (settings->format == FORMAT_CSV)
        print_place_csv_header(stream);
    if (settings->format == FORMAT_JSON)
        (void)fprintf(stream,
                      "{\"schema\":\"mcuprof-where\",\"schema_version\":%d,"
                      "\"places\":[",
                      SCHEMA_VERSION);
    for (size_t i = 0; i < settings->argument_count && result == 0; i++)
        result = answer(inquiry, settings->arguments[i]);
    if (settings->argument_count == 0)
        result = answer_input(inquiry, error);
    if (settings->format == FORMAT_JSON)
        (void)fputs("\n]}\n", stream);
    return result;
}

/* Not if why there are none is told as a problem of the module. */
static void warn_without_lines(const struct inquiry *inquiry)
{
    struct error told;

    for (size_t i = 0; i < modules_count(inquiry->elf.modules); i++) {
        const struct module *module = modules_get(inquiry->elf.modules, i);

        if (lines_exist(module->lines) || image_problem(module->image, &told)
            || lines_problem(module->lines, &told))
            continue;
        warn("compile with -g",
             "%s has no debug info: lines and inlined functions are not known",
             module->path);
        return;
    }
}

static int refuse(const struct inquiry *inquiry)
{
    struct error error;
    char more[60] = "";

    if (inquiry->refusals > 1)
        (void)snprintf(more, sizeof more, ", nor %s %zu more",
                       inquiry->refusals > 2 ? "are" : "is",
                       inquiry->refusals - 1);
    (void)error_set(&error, MCUPROF_E_NOT_FOUND,
                    "write addresses in hexadecimal, with or without 0x",
                    "'%s' is no address, nor a name in the ELF%s",
                    inquiry->refused, more);
    return complain(&error);
}

static int run_where(struct inquiry *inquiry)
{
    struct error error = {0};
    int status = output_begin(&inquiry->output, COLOR_NEVER);
    int result;
    bool written;

    if (status != 0)
        return status;
    result = answer_all(inquiry, &error);
    written = output_flush(&inquiry->output);
    if (result < 0) {
        if (error.code == 0)
            (void)error_set(&error, result, "", "%s", error_message(result));
        status = complain(&error);
    } else if (written) {
        find_elf_warn(&inquiry->elf);
        warn_without_lines(inquiry);
        if (inquiry->ambiguous[0] != '\0')
            warn("give the address of the one you mean; nm lists them",
                 "'%s' is the name of %zu places: one of them is shown",
                 inquiry->ambiguous, inquiry->meanings);
        if (inquiry->refusals > 0)
            status = refuse(inquiry);
    }
    return output_end(&inquiry->output, status);
}

int verb_where(const struct settings *settings)
{
    struct inquiry inquiry = {
            .settings = settings,
            .style = {.demangle = (enum demangle)settings->demangle,
                      .with_discriminators = settings->discriminators},
    };
    struct error error;
    int status = paths_given(&inquiry.paths, settings);

    if (status != 0)
        return status;
    if (find_elf(&inquiry.elf, &settings->elfs, NULL, &error) < 0) {
        status = complain(&error);
    } else {
        inquiry.style.paths = &inquiry.paths;
        inquiry.style.with_module = modules_count(inquiry.elf.modules) > 1;
        status = run_where(&inquiry);
    }
    modules_free(inquiry.elf.modules);
    return status;
}
