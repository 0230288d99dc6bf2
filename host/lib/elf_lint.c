/* SPDX-License-Identifier: MIT */
#include "elf_lint.h"

#include "demangle.h"
#include "elf_lint_parts.h"
#include "room.h"
#include "text.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char no_instrument[] =
        "__attribute__((no_instrument_function)) on each";

static const struct lint_rule rules[LINT_KINDS] = {
        [LINT_NO_MCUPROF] =
                {"no-mcuprof", LINT_ERROR,
                 "mcuprof is not in this ELF: nothing will be recorded",
                 "compile target/*.c and a port, and call mcuprof_init() "
                 "(docs/porting.md)",
                 "the same"},
        [LINT_BUILD_ID_FIRST] =
                {"build-id-first", LINT_ERROR,
                 "the build-id lies where the vector table belongs: the "
                 "firmware will not start",
                 "give .note.gnu.build-id a place in the linker script "
                 "(docs/porting.md), or link with -Wl,--build-id=none",
                 "the same"},
        [LINT_NAKED] = {"naked", LINT_ERROR,
                        "hooks in a naked function: they lose what nobody "
                        "saved there, and it will crash or hang",
                        NULL, no_instrument},
        [LINT_RECURSION] =
                {"recursion", LINT_ERROR,
                 "the hooks call what has hooks: they will call each other "
                 "until the stack is full",
                 NULL, no_instrument},
        [LINT_SAMPLER] = {"sampler", LINT_ERROR,
                          "hooks in a sampling interrupt: they come before "
                          "the sample and delay it, or spoil its frame",
                          NULL, no_instrument},
        [LINT_NO_HOOKS] =
                {"no-hooks", LINT_WARNING,
                 "the call ring or the function table is there, but no "
                 "function has hooks: it will stay empty",
                 "compile the files of interest with -finstrument-functions",
                 "the same"},
        [LINT_OTHER_HOOKS] =
                {"other-hooks", LINT_WARNING,
                 "functions have hooks, but these are not mcuprof's: neither "
                 "the call ring nor the function table is in this ELF",
                 "compile the library with MCUPROF_TRACE=1 or "
                 "MCUPROF_FUNCTIONS=1, without other definitions "
                 "of " HOOK_ENTER,
                 "the same"},
        [LINT_LIBRARY] =
                {"library", LINT_WARNING,
                 "mcuprof itself has hooks: it will record its own work",
                 "compile target/ without -finstrument-functions", "the same"},
        [LINT_EARLY] = {"early", LINT_WARNING,
                        "hooks before RAM is set up: these calls are not "
                        "recorded, and hooks other than mcuprof's may do harm "
                        "then",
                        NULL, no_instrument},
        [LINT_NOT_KEPT] =
                {"not-kept", LINT_WARNING,
                 "the call ring is to outlive a reset (MCUPROF_TRACE_KEEP), "
                 "and "
                 "lies where it will not",
                 "give .noinit a place of its own in the linker script, "
                 "(NOLOAD) and outside of .bss (docs/tracing.md)",
                 "the same"},
        [LINT_NO_DEBUG_INFO] =
                {"no-debug-info", LINT_WARNING,
                 "no debug info: no lines, and inlined functions cannot be "
                 "told",
                 "compile with -g; nothing of it is flashed", "the same"},
        [LINT_NO_IDENTITY] =
                {"no-identity", LINT_WARNING,
                 "neither build-id nor end of the image: whether this ELF is "
                 "what runs can be told by a part of the code only",
                 "define mcuprof_image_end, or mcuprof_build_id, in the linker "
                 "script (docs/porting.md)",
                 "the same"},
        [LINT_SELECTED] =
                {"selected", LINT_NOTE,
                 "a selected image (mcuprof select): what is said of hooks is "
                 "about those that it still has",
                 "mcuprof select --restore makes the original again",
                 "the same"},
        [LINT_INLINE_ONLY_C99] =
                {"c99-inline", LINT_NOTE,
                 "inline without an extern definition: with "
                 "-finstrument-functions it will not link",
                 NULL,
                 "static inline, or `extern inline` for it in one .c file"},
        [LINT_HANDLER] = {"handler", LINT_NOTE,
                          "interrupt handlers with hooks: that is fine, and "
                          "every interrupt pays for them",
                          NULL, no_instrument},
        [LINT_OUTWEIGHED] = {"outweighed", LINT_NOTE,
                             "functions that do less than a pair of hooks "
                             "costs, about 40 instructions",
                             NULL, no_instrument},
        [LINT_INLINED_ONLY] =
                {"inlined-only", LINT_NOTE,
                 "functions with hooks that nothing is seen to call, as they "
                 "are inlined: reports show them, gdb cannot stop there",
                 NULL, no_instrument},
};

static lint_check *const checks[] = {
        lint_check_library,    lint_check_build_id,     lint_check_naked,
        lint_check_recursion,  lint_check_hooks,        lint_check_own_hooks,
        lint_check_early,      lint_check_kept,         lint_check_handlers,
        lint_check_debug_info, lint_check_identity,     lint_check_c99_inline,
        lint_check_weight,     lint_check_inlined_only, lint_check_selected,
};

const struct lint_rule *lint_rule(enum lint_kind kind)
{
    return &rules[kind];
}

const char *lint_severity_name(enum lint_severity severity)
{
    static const char *const names[] = {"error", "warning", "note"};

    return names[severity];
}

bool lint_is_ours(const char *name)
{
    return strncmp(name, "mcuprof_", 8) == 0
           || strncmp(name, "mcuprofi_", 9) == 0;
}

int lint_add_finding(struct lint_search *search,
                     const struct lint_finding *finding)
{
    struct lint *lint = search->lint;
    struct lint_finding *findings = room_reserve(
            lint->findings, lint->count, &search->room, sizeof *findings);

    if (findings == NULL)
        return MCUPROF_E_NOMEM;
    lint->findings = findings;
    findings[lint->count++] = *finding;
    return 0;
}

int lint_add(struct lint_search *search, enum lint_kind kind,
             const char *detail_format, ...)
{
    struct lint_finding finding = {.kind = kind, .name = "", .file = ""};
    va_list arguments;

    va_start(arguments, detail_format);
    if (detail_format != NULL)
        (void)vsnprintf(finding.detail, sizeof finding.detail, detail_format,
                        arguments);
    va_end(arguments);
    return lint_add_finding(search, &finding);
}

/* Where the source has the function at ADDRESS. */
static int find_source(struct lint_search *search, uint32_t address,
                       struct lint_finding *finding)
{
    struct lines_place place;
    const struct lines_frame *frame;

    if (lines_find(search->lines, address, &place) < 0)
        return MCUPROF_E_NOMEM;
    if (place.frame_count == 0)
        return 0;
    frame = &place.frames[place.frame_count - 1];
    finding->file = frame->declared_file;
    finding->line = frame->declared_line;
    if (finding->file[0] == '\0') {
        finding->file = frame->file;
        finding->line = frame->line;
    }
    return 0;
}

/* Fill in what is known of FUNCTION. */
static int describe(struct lint_search *search, size_t function,
                    struct lint_finding *finding)
{
    const struct code_function *at = &search->code->functions[function];
    struct image_symbol symbol;

    finding->has_place = true;
    finding->address = at->start;
    finding->name = at->name;
    finding->name_size = strlen(at->name);
    if (image_find(search->image, at->start, &symbol) == 0
        && symbol.name == at->name)
        finding->name_size = symbol.base_size;
    return find_source(search, at->start, finding);
}

int lint_add_function(struct lint_search *search, enum lint_kind kind,
                      size_t function, uint64_t weight,
                      const char *detail_format, ...)
{
    struct lint_finding finding = {.kind = kind, .file = "", .weight = weight};
    va_list arguments;
    int result = describe(search, function, &finding);

    va_start(arguments, detail_format);
    (void)vsnprintf(finding.detail, sizeof finding.detail, detail_format,
                    arguments);
    va_end(arguments);
    return result == 0 ? lint_add_finding(search, &finding) : result;
}

int lint_add_subject(struct lint_search *search, enum lint_kind kind,
                     size_t subject, uint64_t weight, const char *detail_format,
                     ...)
{
    const struct hook_subject *about = &search->sites->subjects[subject];
    struct lint_finding finding = {.kind = kind,
                                   .name = about->name,
                                   .name_size = strlen(about->name),
                                   .file = "",
                                   .weight = weight};
    va_list arguments;
    int result = 0;

    if (about->function != CODE_NONE) {
        result = describe(search, about->function, &finding);
    } else if (about->frame != NULL) {
        finding.file = about->frame->declared_file;
        finding.line = about->frame->declared_line;
    }
    va_start(arguments, detail_format);
    (void)vsnprintf(finding.detail, sizeof finding.detail, detail_format,
                    arguments);
    va_end(arguments);
    return result == 0 ? lint_add_finding(search, &finding) : result;
}

static int compare_findings(const void *left, const void *right)
{
    const struct lint_finding *a = left, *b = right;
    enum lint_severity severity_a = rules[a->kind].severity;
    enum lint_severity severity_b = rules[b->kind].severity;

    if (severity_a != severity_b)
        return severity_a < severity_b ? -1 : 1;
    if (a->kind != b->kind)
        return a->kind < b->kind ? -1 : 1;
    if (a->weight != b->weight)
        return a->weight > b->weight ? -1 : 1;
    if (a->address != b->address)
        return a->address < b->address ? -1 : 1;
    return strcmp(a->name, b->name);
}

static int list_hooked(struct lint *lint, const struct hook_sites *sites)
{
    char readable[DEMANGLE_MAX];
    size_t room = 0;

    lint->hook_sites = sites->count;
    for (size_t i = 0; i < sites->subject_count; i++) {
        struct lint_hooked *hooked =
                room_reserve(lint->hooked, i, &room, sizeof *hooked);

        if (hooked == NULL)
            return MCUPROF_E_NOMEM;
        lint->hooked = hooked;
        demangle(DEMANGLE_SIMPLE, sites->subjects[i].name, readable);
        hooked[i].name = sites->subjects[i].name;
        hooked[i].readable = text_copy(readable);
        lint->hooked_count++;
        if (hooked[i].readable == NULL)
            return MCUPROF_E_NOMEM;
    }
    return 0;
}

static void count_dropped(struct lint_search *search)
{
    const struct select_record *record = &search->record;

    for (size_t i = 0; i < record->change_count; i++) {
        size_t function =
                code_map_find(search->code, record->changes[i].patch.address);

        if (function != CODE_NONE)
            search->dropped[function]++;
    }
}

/* What the checks need in common. */
static int prepare(struct lint_search *search)
{
    const struct code_map *code;
    int result = elf_select_read(search->image, &search->record);

    if (result == 0)
        result = code_map_new(&search->code, search->image);
    if (result == 0)
        result = hook_sites_find(&search->sites, search->code, search->lines);
    if (result == 0)
        result = list_hooked(search->lint, search->sites);
    if (result < 0)
        return result;
    code = search->code;
    search->is_hooked = calloc(code->function_count + 1, 1);
    search->is_naked = calloc(code->function_count + 1, 1);
    search->dropped = calloc(code->function_count + 1, sizeof(uint32_t));
    if (search->is_hooked == NULL || search->is_naked == NULL
        || search->dropped == NULL)
        return MCUPROF_E_NOMEM;
    count_dropped(search);
    for (size_t i = 0; i < search->sites->count; i++)
        search->is_hooked[search->sites->items[i].function] = true;
    for (size_t i = 0; i < code->function_count; i++)
        search->has_library |= lint_is_ours(code->functions[i].name);
    search->has_trace = image_symbol_count(search->image, "mcuprof_trace") > 0;
    search->has_functions =
            image_symbol_count(search->image, "mcuprof_functions") > 0;
    search->has_library |= search->has_trace || search->has_functions;
    lint_find_vectors(search);
    return 0;
}

int lint_run(struct lint **out, const struct module *module,
             struct error *error)
{
    struct lint_search search = {.module = module,
                                 .image = module->image,
                                 .lines = module->lines,
                                 .lint = calloc(1, sizeof *search.lint)};
    int result;

    *out = NULL;
    if (search.lint == NULL)
        return MCUPROF_E_NOMEM;
    result = image_check_symbols(module->image, error);
    if (result == 0)
        result = prepare(&search);
    for (size_t i = 0; result == 0 && i < sizeof checks / sizeof checks[0]; i++)
        result = checks[i](&search);
    free(search.is_hooked);
    free(search.is_naked);
    free(search.dropped);
    hook_sites_free(search.sites);
    code_map_free(search.code);
    select_record_deinit(&search.record);
    if (result < 0) {
        lint_free(search.lint);
        search.lint = NULL;
    } else if (search.lint->count > 0) {
        qsort(search.lint->findings, search.lint->count,
              sizeof *search.lint->findings, compare_findings);
    }
    *out = search.lint;
    return result;
}

void lint_free(struct lint *lint)
{
    if (lint == NULL)
        return;
    for (size_t i = 0; i < lint->hooked_count; i++)
        free(lint->hooked[i].readable);
    free(lint->hooked);
    free(lint->findings);
    free(lint);
}
