/* SPDX-License-Identifier: MIT */
#include "verbs.h"

#include "complain.h"
#include "elf_program.h"
#include "elf_select.h"
#include "elf_select_live.h"
#include "elf_view.h"
#include "output.h"
#include "paths_given.h"
#include "places.h"
#include "print_sites.h"
#include "text.h"
#include "units.h"

#include <elf.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define RULES_MAX 4096
#define LIVE "gdb:"

/* An ELF, and all that was found in it. */
struct selecting {
    const struct settings *settings;
    const char *in;
    const char *out; /* NULL: nothing is written */
    struct path_map paths;
    struct selection_list *list;
    bool is_selected; /* already: what follows is of its original */
    bool is_held;     /* the selection is the one that it has */
    char rules[RULES_MAX];
    struct image *image;
    struct lines *lines;
    struct code_map *code;
    struct hook_sites *sites;
    struct hook_pairs *pairs;
    struct selection *selection;
    struct elf_patch *patches;
    size_t patch_count;
    struct output output;
};

static void close_all(struct selecting *selecting)
{
    free(selecting->patches);
    selection_free(selecting->selection);
    hook_pairs_free(selecting->pairs);
    hook_sites_free(selecting->sites);
    code_map_free(selecting->code);
    lines_free(selecting->lines);
    image_free(selecting->image);
    selection_list_free(selecting->list);
}

/* Whether relocations for code are left in the file. */
static bool has_code_relocations(const struct elf_view *view)
{
    for (uint32_t i = 0; i < view->section_count; i++) {
        struct elf_section section = elf_view_section(view, i);

        if ((section.type == SHT_REL || section.type == SHT_RELA)
            && section.size > 0 && section.info < view->section_count
            && (elf_view_section(view, section.info).flags & SHF_EXECINSTR)
                       != 0)
            return true;
    }
    return false;
}

static int refuse_relocated(const struct selecting *selecting,
                            struct error *error)
{
    size_t size;
    const uint8_t *bytes = image_file_bytes(selecting->image, &size);
    struct elf_view view;
    int result = elf_view_open(&view, bytes, size);

    if (result < 0)
        return error_set(error, result, "take the ELF that the linker wrote",
                         "the tables of %s are damaged", selecting->in);
    /* e_type */
    if ((bytes[16] | bytes[17] << 8) == ET_DYN)
        return error_set(error, MCUPROF_E_FORMAT,
                         "link it for a fixed address, without -pie",
                         "%s is position-independent: a loader changes its "
                         "code",
                         selecting->in);
    if (has_code_relocations(&view))
        return error_set(error, MCUPROF_E_FORMAT,
                         "link it without --emit-relocs (-q)",
                         "%s has relocations for its code: whoever applies "
                         "them brings the hooks back",
                         selecting->in);
    return 0;
}

static int refuse_without_lines(const struct selecting *selecting,
                                struct error *error)
{
    if (image_problem(selecting->image, error)
        || lines_problem(selecting->lines, error))
        return error->code = MCUPROF_E_NOT_FOUND;
    return error_set(error, MCUPROF_E_NOT_FOUND,
                     "compile with -g: the code stays the same",
                     "%s has no debug info: which hooks are of inlined bodies "
                     "is not known",
                     selecting->in);
}

static int open_elf(struct selecting *selecting, struct error *error)
{
    int result = elf_select_open(&selecting->image, selecting->in,
                                 &selecting->is_selected, error);

    if (result == 0)
        result = image_check_symbols(selecting->image, error);
    if (result == 0)
        result = refuse_relocated(selecting, error);
    if (result < 0)
        return result;
    error->code = 0;
    result = lines_open(&selecting->lines, selecting->image);
    if (result == 0 && !lines_exist(selecting->lines))
        return refuse_without_lines(selecting, error);
    if (result == 0)
        result = code_map_new(&selecting->code, selecting->image);
    if (result == 0)
        result = hook_sites_find(&selecting->sites, selecting->code,
                                 selecting->lines);
    if (result == 0 && selecting->sites->count == 0)
        return error_set(error, MCUPROF_E_NOT_FOUND,
                         "compile what is to be traced with "
                         "-finstrument-functions",
                         "%s has no calls of hooks", selecting->in);
    if (result == 0)
        result = hook_pairs_find(&selecting->pairs, selecting->code,
                                 selecting->sites);
    return result;
}

static struct selection_patterns patterns_of(const struct words *words)
{
    return (struct selection_patterns){words->items, words->count};
}

static int make_selection(struct selecting *selecting, struct error *error)
{
    const struct settings *settings = selecting->settings;
    struct selection_rules rules = {.only = patterns_of(&settings->only),
                                    .drop = patterns_of(&settings->drops),
                                    .files = patterns_of(&settings->files),
                                    .sections =
                                            patterns_of(&settings->sections),
                                    .keep_inlined = settings->keep_inlined,
                                    .elf = selecting->in};
    int result = 0;

    if (settings->from != NULL)
        result = selection_list_read(&selecting->list, settings->from, error);
    rules.list = selecting->list;
    if (result == 0)
        result = selection_make(&selecting->selection, selecting->pairs,
                                selecting->code, &rules, error);
    if (result == 0)
        result = selection_patches(selecting->selection, &selecting->patches,
                                   &selecting->patch_count, error);
    return result;
}

static void add_words(char rules[RULES_MAX], const char *option,
                      const struct words *words)
{
    for (size_t i = 0; i < words->count; i++) {
        size_t used = strlen(rules);

        (void)snprintf(rules + used, RULES_MAX - used, "%s--%s %s",
                       used > 0 ? " " : "", option, words->items[i]);
    }
}

/* The rules in a line, as they were given. */
static void tell_rules(const struct settings *settings, char rules[RULES_MAX])
{
    struct words from = {.items = {settings->from},
                         .count = settings->from != NULL};
    size_t used;

    rules[0] = '\0';
    add_words(rules, "only", &settings->only);
    add_words(rules, "drop", &settings->drops);
    add_words(rules, "file", &settings->files);
    add_words(rules, "section", &settings->sections);
    add_words(rules, "from", &from);
    used = strlen(rules);
    if (settings->keep_inlined)
        (void)snprintf(rules + used, RULES_MAX - used, "%s--keep-inlined",
                       used > 0 ? " " : "");
}

static bool has_rules(const struct settings *settings)
{
    return settings->only.count > 0 || settings->drops.count > 0
           || settings->files.count > 0 || settings->sections.count > 0
           || settings->from != NULL || settings->keep_inlined;
}

/* Which sites RECORD takes out. */
static int find_out_sites(const struct selecting *selecting,
                          const struct select_record *record, bool *is_out,
                          struct error *error)
{
    const struct hook_sites *sites = selecting->sites;

    for (size_t i = 0; i < record->change_count; i++) {
        uint32_t address = record->changes[i].patch.address;
        size_t site = hook_sites_from(sites, address);

        if (site == sites->count || sites->items[site].address != address)
            return error_set(error, MCUPROF_E_MISMATCH,
                             "select it anew from the ELF that the linker "
                             "wrote",
                             "%s: there is no call of a hook at 0x%08" PRIx32
                             ", which its record has",
                             selecting->in, address);
        is_out[site] = true;
    }
    return 0;
}

static int take_record(struct selecting *selecting,
                       const struct select_record *record, struct error *error)
{
    bool *is_out = calloc(selecting->sites->count + 1, sizeof *is_out);
    int result = MCUPROF_E_NOMEM;

    if (is_out != NULL)
        result = find_out_sites(selecting, record, is_out, error);
    if (result == 0)
        result = selection_found(&selecting->selection, selecting->pairs,
                                 selecting->code, is_out, error);
    if (result == 0)
        text_clean(selecting->rules, sizeof selecting->rules,
                   record->summary.rules);
    free(is_out);
    return result;
}

/* The selection that the ELF has. */
static int hold_selection(struct selecting *selecting, struct error *error)
{
    struct select_record record = {.state = SELECT_NONE};
    struct image *image;
    int result = image_open(&image, selecting->in, error);

    if (result < 0)
        return result;
    result = elf_select_read(image, &record);
    if (result == 0 && record.state == SELECT_FOUND)
        result = take_record(selecting, &record, error);
    else if (result == 0)
        result = error_set(error, MCUPROF_E_IO, "try again",
                           "%s changes while it is read", selecting->in);
    select_record_deinit(&record);
    image_free(image);
    return result;
}

static int choose(struct selecting *selecting, struct error *error)
{
    const struct settings *settings = selecting->settings;

    selecting->is_held = selecting->is_selected && settings->list
                         && selecting->out == NULL && !has_rules(settings);
    if (selecting->is_held)
        return hold_selection(selecting, error);
    tell_rules(settings, selecting->rules);
    return make_selection(selecting, error);
}

static void warn_all(const struct selecting *selecting)
{
    const struct selection *selection = selecting->selection;
    struct error error;

    if (image_problem(selecting->image, &error))
        warn(error.remedy, "%s", error.cause);
    if (lines_problem(selecting->lines, &error))
        warn(error.remedy, "%s", error.cause);
    if (selection->lines_unused > 0)
        warn("they may be of another build, or have no hooks",
             "%zu line%s of %s match%s no function with hooks, first line "
             "%zu: %.100s",
             selection->lines_unused, selection->lines_unused == 1 ? "" : "s",
             selecting->settings->from,
             selection->lines_unused == 1 ? "es" : "",
             selection->line_unused->number, selection->line_unused->name);
    if (selection->only_inlined)
        warn("keep its inlined bodies with --keep-inlined",
             "what --only matches was inlined everywhere");
}

/* What a programmer may want beside the ELF. */
static int write_programs(const struct settings *settings, const char *elf,
                          struct error *error)
{
    int result = 0;

    if (settings->bin != NULL)
        result = elf_bin_write(elf, settings->bin, error);
    if (result == 0 && settings->hex != NULL)
        result = elf_hex_write(elf, settings->hex, error);
    return result;
}

static int write_selected(const struct selecting *selecting,
                          struct error *error)
{
    const struct selection *selection = selecting->selection;
    struct select_summary summary = {
            .functions = (uint32_t)selection->functions,
            .functions_kept = (uint32_t)selection->functions_kept,
            .sites = (uint32_t)selection->sites,
            .sites_kept = (uint32_t)selection->sites_kept,
            .rules = selecting->rules};
    int result = 0;

    if (!selecting->settings->force)
        result = elf_select_check_identity(selecting->image, selecting->patches,
                                           selecting->patch_count, error);
    if (result == 0)
        result = elf_select_write(selecting->in, selecting->out,
                                  selecting->patches, selecting->patch_count,
                                  &summary, error);
    if (result == 0)
        result = write_programs(selecting->settings, selecting->out, error);
    return result;
}

/* What it means, of a list alone. */
static void print_held(FILE *stream, const struct selecting *selecting)
{
    (void)fprintf(stream,
                  "  this is what %s holds, selected by: %s; with rules or -o "
                  "--list shows a new selection\n",
                  selecting->in,
                  selecting->rules[0] != '\0' ? selecting->rules : "no rules");
}

static void tell_signature(const struct selecting *selecting)
{
    char found[ELF_SELECT_SIGNATURE_MAX];

    if (selecting->out != NULL && elf_select_signature(selecting->image, found))
        warn("make it again over the selected image, as your build does",
             "%s has a checksum or signature of its own: %s", selecting->in,
             found);
}

static int print_list(struct selecting *selecting, bool is_live)
{
    const struct sites_printing printing = {
            selecting->settings, &selecting->paths,  selecting->selection,
            selecting->rules,    selecting->is_held, is_live};

    return print_sites(&selecting->output, &printing);
}

static int print_all(struct selecting *selecting)
{
    const struct settings *settings = selecting->settings;
    struct error error;
    int status = output_begin(&selecting->output, (enum color)settings->color);
    int result = 0;

    if (status != 0)
        return status;
    if (settings->list)
        result = print_list(selecting, false);
    if (!settings->list || settings->format == FORMAT_TABLE) {
        print_selection(&selecting->output, selecting->selection);
        print_doubts(&selecting->output, selecting->selection);
    }
    if (selecting->is_held && settings->format != FORMAT_JSON)
        print_held(settings->format == FORMAT_TABLE ? selecting->output.stream
                                                    : stderr,
                   selecting);
    if (result < 0) {
        (void)error_set(&error, result, "", "%s", error_message(result));
        return output_end(&selecting->output, complain(&error));
    }
    return output_end(&selecting->output, STATUS_FINE);
}

static int run_select(struct selecting *selecting)
{
    struct error error = {0};
    int result = open_elf(selecting, &error);

    if (result == 0)
        result = choose(selecting, &error);
    if (result == 0)
        warn_all(selecting);
    if (result == 0 && selecting->out != NULL)
        result = write_selected(selecting, &error);
    if (result < 0) {
        if (error.code == 0)
            (void)error_set(&error, result, "", "%s", error_message(result));
        return complain(&error);
    }
    tell_signature(selecting);
    return print_all(selecting);
}

static int run_restore(const struct selecting *selecting)
{
    struct error error = {0};
    int result = elf_select_restore(selecting->in, selecting->out, &error);

    if (result == 0)
        result = write_programs(selecting->settings, selecting->out, &error);
    return result < 0 ? complain(&error) : STATUS_FINE;
}

static int check_places(const struct selecting *selecting)
{
    const struct settings *settings = selecting->settings;
    const struct named_file places[] = {
            {selecting->in, "the ELF to select from", false},
            {settings->from, "--from", false},
            {settings->in_place ? NULL : selecting->out, "-o", true},
            {settings->bin, "--bin", true},
            {settings->hex, "--hex", true}};

    return places_check(places, sizeof places / sizeof places[0],
                        "give each a file of its own; --in-place instead "
                        "of -o changes the ELF itself");
}

static int check_restore(const struct settings *settings)
{
    if (!settings->restore || (!has_rules(settings) && !settings->list))
        return 0;
    return complain_usage("leave out the rules and --list, or --restore",
                          "--restore gives back all hooks: there is nothing "
                          "to choose or to list");
}

/* Where to write, if at all; 0 or a status. */
static int find_out(struct selecting *selecting)
{
    const struct settings *settings = selecting->settings;

    selecting->out = settings->in_place ? selecting->in : settings->output;
    if (settings->in_place && settings->output != NULL)
        return complain_usage("leave one out",
                              "--in-place and -o say different places");
    if (selecting->out == NULL && !settings->list)
        return complain_usage("write to another file with -o OUT.elf, or to "
                              "the ELF itself with --in-place",
                              "nothing says where to write");
    if (selecting->out == NULL
        && (settings->bin != NULL || settings->hex != NULL))
        return complain_usage("give -o OUT.elf as well",
                              "--bin and --hex come beside an ELF");
    return check_places(selecting);
}

/* What selecting all would change, and of it what is selected. */
static int make_live_sites(const struct selecting *selecting,
                           struct live_site **out, size_t *count,
                           struct error *error)
{
    static const char *const every[] = {"*"};
    const struct selection_rules rules = {.drop = {every, 1}};
    const struct hook_pairs *pairs = selecting->pairs;
    struct selection *all = NULL;
    struct elf_patch *patches = NULL;
    int result = selection_make(&all, pairs, selecting->code, &rules, error);

    if (result == 0)
        result = selection_patches(all, &patches, count, error);
    selection_free(all);
    if (result < 0 || patches == NULL)
        return result < 0 ? result : MCUPROF_E_NOMEM;
    *out = calloc(*count + 1, sizeof **out);
    for (size_t i = 0; *out != NULL && i < *count; i++) {
        size_t body = pairs->of_site[hook_sites_from(pairs->sites,
                                                     patches[i].address)];

        (*out)[i] = (struct live_site){
                .patch = patches[i],
                .body = body,
                .is_dropped =
                        !selecting->settings->restore
                        && selecting->selection->choices[body].is_dropped};
    }
    free(patches);
    return *out != NULL ? 0 : MCUPROF_E_NOMEM;
}

/* The selection that runs in the target now. */
static int find_live(const struct selecting *selecting,
                     const struct live_site *sites, size_t count,
                     struct selection **out, struct error *error)
{
    bool *is_out = calloc(selecting->sites->count + 1, sizeof *is_out);
    int result = MCUPROF_E_NOMEM;

    *out = NULL;
    for (size_t i = 0; is_out != NULL && i < count; i++)
        is_out[hook_sites_from(selecting->sites, sites[i].patch.address)] =
                sites[i].is_out;
    if (is_out != NULL)
        result = selection_found(out, selecting->pairs, selecting->code, is_out,
                                 error);
    free(is_out);
    return result;
}

static void print_flash(FILE *stream, const struct selecting *selecting,
                        size_t count)
{
    char flash[UNITS_MAX];

    if (count == 0)
        return;
    (void)fprintf(stream, "  left alone in flash: %s; ",
                  units_count(flash, count));
    if (selecting->settings->restore)
        (void)fprintf(stream, "flash the ELF that the linker wrote\n");
    else
        (void)fprintf(stream,
                      "make an ELF to flash by `mcuprof select %s -o OUT.elf` "
                      "with the same rules\n",
                      selecting->in);
}

/* What was done; NOW runs in the target. */
static int print_live(struct selecting *selecting,
                      const struct live_result *done,
                      const struct selection *now)
{
    struct output *output = &selecting->output;
    char changed[UNITS_MAX], right[UNITS_MAX], halted[UNITS_MAX];
    int status = output_begin(output, (enum color)selecting->settings->color);

    if (status != 0)
        return status;
    (void)fprintf(
            output->stream,
            "%s: %s hook call%s changed in RAM, %s %s as they shall be; "
            "the target was halted for %s\n",
            selecting->settings->arguments[0],
            units_count(changed, done->changed), done->changed == 1 ? "" : "s",
            units_count(right, done->right), done->right == 1 ? "was" : "were",
            units_seconds(halted, done->halted_us / 1e6));
    print_selection(output, now);
    if (!selecting->settings->restore)
        print_doubts(output, selecting->selection);
    print_flash(output->stream, selecting, done->flash);
    (void)fprintf(output->stream,
                  "  until the next reset; %s is not changed, and reports with "
                  "it do not know\n",
                  selecting->in);
    return output_end(output, STATUS_FINE);
}

static int select_live(struct selecting *selecting, struct error *error)
{
    const char *peer = selecting->settings->arguments[0] + strlen(LIVE);
    struct live_result done = {0};
    struct live_site *sites = NULL;
    struct selection *now = NULL;
    size_t count = 0;
    int result = make_live_sites(selecting, &sites, &count, error);

    if (result == 0)
        result = elf_select_live(peer, selecting->image, sites, count, &done,
                                 error);
    if (result == 0)
        result = find_live(selecting, sites, count, &now, error);
    if (result == 0)
        result = print_live(selecting, &done, now);
    selection_free(now);
    free(sites);
    return result;
}

/* Count the sites that would be dropped, by where their bodies are. */
static void count_places(const struct selecting *selecting, size_t *ram,
                         size_t *flash)
{
    const struct hook_pairs *pairs = selecting->pairs;

    *ram = *flash = 0;
    for (size_t i = 0; i < pairs->count; i++) {
        const struct hook_instance *body = &pairs->instances[i];
        bool is_in_ram = true;

        if (!selecting->selection->choices[i].is_dropped)
            continue;
        for (size_t k = 0; k < body->count && is_in_ram; k++)
            is_in_ram = elf_select_is_in_ram(
                    selecting->image,
                    selecting->sites->items[pairs->by_instance[body->first + k]]
                            .address);
        *(is_in_ram ? ram : flash) += body->count;
    }
}

/* What would be done, which the ELF says alone. */
static int list_live(struct selecting *selecting, struct error *error)
{
    struct output *output = &selecting->output;
    char in_ram[UNITS_MAX];
    size_t ram, flash;
    int result, status = output_begin(output,
                                      (enum color)selecting->settings->color);

    if (status != 0)
        return status;
    result = print_list(selecting, true);
    if (result < 0)
        return output_end(output, complain((error_set(error, result, "", "%s",
                                                      error_message(result)),
                                            error)));
    if (selecting->settings->format == FORMAT_TABLE) {
        count_places(selecting, &ram, &flash);
        print_selection(output, selecting->selection);
        print_doubts(output, selecting->selection);
        (void)fprintf(output->stream,
                      "  of these in RAM, which %s would change: %s; nothing "
                      "was asked of the target\n",
                      selecting->settings->arguments[0],
                      units_count(in_ram, ram));
        print_flash(output->stream, selecting, flash);
    }
    return output_end(output, STATUS_FINE);
}

static int run_live(struct selecting *selecting)
{
    const struct settings *settings = selecting->settings;
    struct error error = {0};
    int result;

    if (settings->output != NULL || settings->in_place || settings->bin != NULL
        || settings->hex != NULL)
        return complain_usage("leave out -o, --in-place, --bin, --hex",
                              "gdb: changes a target's memory, not a file");
    if (settings->elfs.count != 1)
        return complain_usage("name it with -e fw.elf",
                              "gdb: needs the firmware's ELF");
    selecting->in = settings->elfs.items[0];
    result = open_elf(selecting, &error);
    tell_rules(settings, selecting->rules);
    if (result == 0)
        result = make_selection(selecting, &error);
    if (result == 0)
        warn_all(selecting);
    if (result == 0)
        result = settings->list ? list_live(selecting, &error)
                                : select_live(selecting, &error);
    if (result >= 0)
        return result;
    if (error.code == 0)
        (void)error_set(&error, result, "", "%s", error_message(result));
    return complain(&error);
}

int verb_select(const struct settings *settings)
{
    struct selecting selecting = {.settings = settings,
                                  .in = settings->arguments[0]};
    bool is_live = strncmp(selecting.in, LIVE, strlen(LIVE)) == 0;
    int status = paths_given(&selecting.paths, settings);

    if (status == 0)
        status = check_restore(settings);
    if (status == 0 && !is_live)
        status = find_out(&selecting);
    if (status != 0)
        return status;
    if (is_live)
        status = run_live(&selecting);
    else
        status = settings->restore ? run_restore(&selecting)
                                   : run_select(&selecting);
    close_all(&selecting);
    return status;
}
