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
#include "units.h"

#include <elf.h>
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
    bool is_selected;
    int result = elf_select_open(&selecting->image, selecting->in, &is_selected,
                                 error);

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
                                    .keep_inlined = settings->keep_inlined};
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
    char rules[RULES_MAX];
    struct select_summary summary = {
            .functions = (uint32_t)selection->functions,
            .functions_kept = (uint32_t)selection->functions_kept,
            .sites = (uint32_t)selection->sites,
            .sites_kept = (uint32_t)selection->sites_kept,
            .rules = rules};
    int result = 0;

    tell_rules(selecting->settings, rules);
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

static void tell_signature(const struct selecting *selecting)
{
    char found[ELF_SELECT_SIGNATURE_MAX];

    if (selecting->out != NULL && elf_select_signature(selecting->image, found))
        warn("make it again over the selected image, as your build does",
             "%s has a checksum or signature of its own: %s", selecting->in,
             found);
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
        result = print_sites(&selecting->output, settings, &selecting->paths,
                             selecting->selection);
    if (!settings->list || settings->format == FORMAT_TABLE)
        print_selection(&selecting->output, selecting->selection);
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
        result = make_selection(selecting, &error);
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
                        "write to another file; to the ELF itself with "
                        "--in-place instead of -o");
}

static bool has_rules(const struct settings *settings)
{
    return settings->only.count > 0 || settings->drops.count > 0
           || settings->files.count > 0 || settings->sections.count > 0
           || settings->from != NULL || settings->keep_inlined;
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
    struct selection *all = NULL;
    struct elf_patch *patches = NULL;
    size_t next = 0;
    int result = selection_make(&all, selecting->pairs, selecting->code, &rules,
                                error);

    if (result == 0)
        result = selection_patches(all, &patches, count, error);
    selection_free(all);
    if (result < 0 || patches == NULL)
        return result;
    *out = calloc(*count + 1, sizeof **out);
    for (size_t i = 0; *out != NULL && i < *count; i++) {
        (*out)[i].patch = patches[i];
        while (next < selecting->patch_count
               && selecting->patches[next].address < patches[i].address)
            next++;
        (*out)[i].is_dropped =
                !selecting->settings->restore && next < selecting->patch_count
                && selecting->patches[next].address == patches[i].address;
    }
    free(patches);
    return *out != NULL ? 0 : MCUPROF_E_NOMEM;
}

static int print_live(struct selecting *selecting,
                      const struct live_result *done)
{
    struct output *output = &selecting->output;
    char changed[UNITS_MAX], right[UNITS_MAX], flash[UNITS_MAX],
            halted[UNITS_MAX];
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
    if (done->flash > 0)
        (void)fprintf(output->stream,
                      "  left alone in flash: %s; write an ELF for it with "
                      "-o\n",
                      units_count(flash, done->flash));
    (void)fprintf(output->stream,
                  "  until the next reset; %s is not changed, and reports with "
                  "it do not know\n",
                  selecting->in);
    return output_end(output, STATUS_FINE);
}

static int select_live(struct selecting *selecting, struct live_result *done,
                       struct error *error)
{
    const char *peer = selecting->settings->arguments[0] + strlen(LIVE);
    struct live_site *sites = NULL;
    size_t count = 0;
    int result = open_elf(selecting, error);

    if (result == 0)
        result = make_selection(selecting, error);
    if (result == 0)
        warn_all(selecting);
    if (result == 0)
        result = make_live_sites(selecting, &sites, &count, error);
    if (result == 0)
        result = elf_select_live(peer, selecting->image, sites, count, done,
                                 error);
    free(sites);
    return result;
}

static int run_live(struct selecting *selecting)
{
    const struct settings *settings = selecting->settings;
    struct live_result done = {0};
    struct error error = {0};
    int result;

    if (settings->output != NULL || settings->in_place || settings->bin != NULL
        || settings->hex != NULL || settings->list)
        return complain_usage("leave out -o, --in-place, --bin, --hex, --list",
                              "gdb: changes a target's memory, not a file");
    if (settings->elfs.count != 1)
        return complain_usage("name it with -e fw.elf",
                              "gdb: needs the firmware's ELF");
    selecting->in = settings->elfs.items[0];
    result = select_live(selecting, &done, &error);
    if (result < 0) {
        if (error.code == 0)
            (void)error_set(&error, result, "", "%s", error_message(result));
        return complain(&error);
    }
    return print_live(selecting, &done);
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
