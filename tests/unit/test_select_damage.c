/* SPDX-License-Identifier: MIT */
#include "arm_fixture.h"
#include "elf_select.h"
#include "hook_pairs.h"
#include "selection.h"

#include <inttypes.h>
#include <libelf.h>

/*
 * Firmware whose debug info, symbols and tables have been damaged, but not its
 * code: what select makes of it has all calls of a body, or none; and nothing
 * else has changed. Or it is refused in one line. MCUPROF_FUZZ=N is for so many
 * rounds, another MCUPROF_FUZZ_SEED for other ones; MCUPROF_FUZZ_KEEP=FILE gets
 * the last damaged ELF.
 */

enum {
    ROUNDS = 300,
    RANGES = 64,
    SITES = 2048,
    HEADER = 52
};

struct range {
    size_t start;
    size_t size;
};

/* A call of a hook, by its place in the file. */
struct site {
    size_t offset;
    size_t size;
    size_t body;
};

static struct {
    char directory[PATH_SIZE];
    char elf[PATH_SIZE];
    char hurt[PATH_SIZE];
    char out[PATH_SIZE];
    uint8_t *bytes;
    size_t size;
    struct range debug[RANGES], tables[RANGES];
    size_t debug_count, table_count;
    struct range note;
    struct site sites[SITES];
    size_t site_count;
    size_t body_count;
    uint32_t dice;
    uint32_t round;
} state;

/* All that selecting an ELF needs. */
struct found {
    struct image *image;
    struct lines *lines;
    struct code_map *code;
    struct hook_sites *sites;
    struct hook_pairs *pairs;
    struct selection *selection;
    struct elf_patch *patches;
    size_t count;
};

static int find(struct found *found, const char *path, bool all,
                struct error *error)
{
    static const char *const every[] = {"*"};
    struct selection_rules rules = {.keep_inlined = false};
    bool is_selected;
    int result = elf_select_open(&found->image, path, &is_selected, error);

    if (all)
        rules.drop = (struct selection_patterns){every, 1};
    if (result < 0)
        return result;
    result = lines_open(&found->lines, found->image);
    if (result == 0)
        result = code_map_new(&found->code, found->image);
    if (result == 0)
        result = hook_sites_find(&found->sites, found->code, found->lines);
    if (result == 0)
        result = hook_pairs_find(&found->pairs, found->code, found->sites);
    if (result == 0)
        result = selection_make(&found->selection, found->pairs, found->code,
                                &rules, error);
    return result < 0 ? result
                      : selection_patches(found->selection, &found->patches,
                                          &found->count, error);
}

static void lose(struct found *found)
{
    free(found->patches);
    selection_free(found->selection);
    hook_pairs_free(found->pairs);
    hook_sites_free(found->sites);
    code_map_free(found->code);
    lines_free(found->lines);
    image_free(found->image);
}

static bool begins(const char *text, const char *with)
{
    return strncmp(text, with, strlen(with)) == 0;
}

static void take_section(Elf *elf, size_t names, Elf_Scn *section)
{
    const Elf32_Shdr *header = elf32_getshdr(section);
    const char *name = elf_strptr(elf, names, header->sh_name);
    const struct range range = {header->sh_offset, header->sh_size};

    if (begins(name, ".debug_") && range.size > 0)
        state.debug[state.debug_count++] = range;
    else if (strcmp(name, ".symtab") == 0 || strcmp(name, ".strtab") == 0
             || strcmp(name, ".shstrtab") == 0
             || strcmp(name, ".ARM.attributes") == 0)
        state.tables[state.table_count++] = range;
    else if (begins(name, ".note.gnu.build-id"))
        state.note = range;
}

static void find_ranges(void)
{
    int file = open(state.elf, O_RDONLY);
    const Elf32_Ehdr *header;
    Elf_Scn *section = NULL;
    size_t names;
    Elf *elf;

    (void)elf_version(EV_CURRENT);
    elf = elf_begin(file, ELF_C_READ, NULL);
    assert_non_null(elf);
    assert_int_equal(elf_getshdrstrndx(elf, &names), 0);
    while ((section = elf_nextscn(elf, section)) != NULL)
        take_section(elf, names, section);
    header = elf32_getehdr(elf);
    state.tables[state.table_count++] =
            (struct range){header->e_shoff, 40U * header->e_shnum};
    state.tables[state.table_count++] =
            (struct range){header->e_phoff, 32U * header->e_phnum};
    state.tables[state.table_count++] = (struct range){16, HEADER - 16};
    (void)elf_end(elf);
    (void)close(file);
    assert_in_range(state.debug_count, 5, RANGES - 1);
    assert_in_range(state.table_count, 7, RANGES - 1);
    assert_int_not_equal(state.note.size, 0);
}

/* Where in the file the byte at ADDRESS is. */
static size_t place_of(uint32_t address)
{
    const Elf32_Ehdr *header = (const void *)state.bytes;
    const Elf32_Phdr *segments = (const void *)(state.bytes + header->e_phoff);

    for (unsigned i = 0; i < header->e_phnum; i++)
        if (segments[i].p_type == PT_LOAD
            && address - segments[i].p_vaddr < segments[i].p_filesz)
            return segments[i].p_offset + (address - segments[i].p_vaddr);
    fail_msg("nothing is at 0x%x", address);
    return 0;
}

/* Whom r0 says that each call of a hook is for, by binutils: the calls are the
   same, those of a body are for one function, and it is entered and left. */
static void check_bodies(const struct found *found)
{
    static char told[SITES][64];
    static size_t enters[SITES], exits[SITES];
    char list[PATH_SIZE], line[256], hook[8], name[64];
    size_t next = 0, count = 0;
    FILE *file;

    memset(told, 0, sizeof told);
    memset(enters, 0, sizeof enters);
    memset(exits, 0, sizeof exits);
    fixture_path(list, state.directory, "calls.txt");
    run_tool(list, "python3", TEST_SOURCE_DIR "/../tools/hook_calls.py",
             state.elf, NULL);
    file = fopen(list, "r");
    assert_non_null(file);
    while (fgets(line, sizeof line, file) != NULL) {
        size_t body = found->pairs->of_site[next];
        uint32_t address;

        assert_int_equal(sscanf(line, "%" SCNx32 " %7s %*s %*s %63s", &address,
                                hook, name),
                         3);
        assert_in_range(next, 0, found->sites->count - 1);
        assert_int_equal(found->sites->items[next++].address, address);
        (strcmp(hook, "exit") == 0 ? exits : enters)[body]++;
        if (strcmp(name, "-") == 0)
            continue;
        if (told[body][0] == '\0')
            memcpy(told[body], name, sizeof name);
        if (strcmp(told[body], name) != 0
            && !found->pairs->instances[body].is_shared)
            fail_msg("0x%x: %s, in a body of %s", address, name, told[body]);
        count++;
    }
    (void)fclose(file);
    assert_int_equal(next, found->sites->count);
    assert_in_range(count, next / 2, next);
    for (size_t i = 0; i < found->pairs->count; i++)
        assert_true(enters[i] > 0 && exits[i] > 0);
}

static void find_bodies(void)
{
    struct found found = {0};
    struct error error = {0};

    assert_int_equal(find(&found, state.elf, true, &error), 0);
    state.site_count = found.sites->count;
    state.body_count = found.pairs->count;
    assert_in_range(state.site_count, 100, SITES);
    assert_in_range(state.body_count, 40, SITES);
    for (size_t i = 0; i < state.site_count; i++)
        state.sites[i] = (struct site){place_of(found.sites->items[i].address),
                                       found.sites->items[i].size,
                                       found.pairs->of_site[i]};
    check_bodies(&found);
    /* It is worth the damage: undamaged, nearly all can go. */
    assert_in_range(found.count, state.site_count * 9 / 10, state.site_count);
    lose(&found);
}

static int build(const char *cpu, const char *level)
{
    fixture_begin(state.directory);
    fixture_path(state.elf, state.directory, "fw.elf");
    fixture_path(state.hurt, state.directory, "hurt.elf");
    fixture_path(state.out, state.directory, "out.elf");
    run_tool(NULL, "arm-none-eabi-gcc", cpu, "-mthumb", level, "-g",
             "-nostartfiles", "-finstrument-functions", "-Wl,--build-id",
             "-Wl,-z,noexecstack,--no-warn-rwx-segments",
             "-Wl,--defsym=select_pend=mcuprof_init", "-T",
             FIXTURES "select_work.ld", FIXTURES "select_work.c",
             TEST_SOURCE_DIR "/../firmware/select_truth_work.c", "-o",
             state.elf, NULL);
    state.bytes = file_read(state.elf, &state.size);
    state.debug_count = state.table_count = 0;
    find_ranges();
    find_bodies();
    return 0;
}

static int setup(void **unused)
{
    (void)unused;
    return build("-mcpu=cortex-m4", "-O2");
}

static int setup_small(void **unused)
{
    (void)unused;
    return build("-mcpu=cortex-m0", "-O3");
}

static int teardown(void **unused)
{
    (void)unused;
    free(state.bytes);
    fixture_end(state.directory);
    return 0;
}

/* source: G. Marsaglia, Xorshift RNGs, 2003 */
static uint32_t roll(uint32_t below)
{
    state.dice ^= state.dice << 13;
    state.dice ^= state.dice >> 17;
    state.dice ^= state.dice << 5;
    return state.dice % below;
}

/* One to eight places, near each other or not. */
static void damage(uint8_t *bytes)
{
    bool is_debug = roll(3) > 0;
    const struct range *range =
            is_debug ? &state.debug[roll((uint32_t)state.debug_count)]
                     : &state.tables[roll((uint32_t)state.table_count)];

    for (uint32_t left = 1 + roll(8); left > 0; left--) {
        uint32_t at = roll((uint32_t)range->size);
        uint8_t *byte = &bytes[range->start + at];

        switch (roll(4)) {
        case 0:
            *byte = (uint8_t)roll(256);
            break;
        case 1:
            *byte ^= (uint8_t)(1U << roll(8));
            break;
        case 2:
            *byte = roll(2) == 0 ? 0 : 0xFF;
            break;
        default: /* what is elsewhere in it: an entry that makes sense */
            for (uint32_t i = 0; i < 16 && at + i < range->size; i++)
                bytes[range->start + at + i] =
                        state.bytes[range->start + roll((uint32_t)range->size)];
            break;
        }
    }
}

static bool is_in(const struct range *range, size_t offset)
{
    return offset - range->start < range->size;
}

/* Nothing but calls of hooks has changed, and of a body all or none. */
static size_t check_pairs(const uint8_t *before, const uint8_t *after)
{
    static size_t gone[SITES], all[SITES];
    size_t next = 0, dropped = 0;

    memset(gone, 0, sizeof gone);
    memset(all, 0, sizeof all);
    /* The header tells where the new tables are. */
    for (size_t i = HEADER; i < state.size;) {
        while (next < state.site_count && state.sites[next].offset < i)
            next++;
        if (next < state.site_count && state.sites[next].offset == i) {
            const struct site *site = &state.sites[next];

            all[site->body]++;
            if (memcmp(before + i, after + i, site->size) != 0) {
                gone[site->body]++;
                dropped++;
            }
            i += site->size;
            continue;
        }
        if (before[i] != after[i] && !is_in(&state.note, i))
            fail_msg("round %u: the byte at %zu has changed", state.round, i);
        i++;
    }
    for (size_t i = 0; i < state.body_count; i++)
        if (gone[i] != 0 && gone[i] != all[i])
            fail_msg("round %u: of body %zu %zu of %zu calls are gone",
                     state.round, i, gone[i], all[i]);
    return dropped;
}

static void check_words(const struct error *error, int result)
{
    if (error->code == 0)
        return; /* of the library, without words */
    assert_int_equal(error->code, result);
    assert_null(strchr(error->cause, '\n'));
    assert_null(strchr(error->remedy, '\n'));
}

/* Returns how many calls went; SIZE_MAX: refused. */
static size_t select_damaged(const uint8_t *bytes)
{
    const struct select_summary summary = {.rules = ""};
    struct found found = {0};
    struct error error = {0};
    size_t dropped = SIZE_MAX;
    int result;

    file_write(state.hurt, bytes, state.size);
    if (getenv("MCUPROF_FUZZ_KEEP") != NULL)
        file_write(getenv("MCUPROF_FUZZ_KEEP"), bytes, state.size);
    (void)unlink(state.out);
    result = find(&found, state.hurt, roll(2) == 0, &error);
    if (result == 0)
        result = elf_select_write(state.hurt, state.out, found.patches,
                                  found.count, &summary, &error);
    lose(&found);
    if (result < 0) {
        check_words(&error, result);
    } else {
        size_t size;
        uint8_t *after = file_read(state.out, &size);

        assert_in_range(size, state.size, SIZE_MAX);
        dropped = check_pairs(bytes, after);
        free(after);
    }
    return dropped;
}

static uint32_t setting(const char *name, uint32_t otherwise)
{
    const char *text = getenv(name);

    return text != NULL ? (uint32_t)strtoul(text, NULL, 10) : otherwise;
}

static void test_damage(void **unused)
{
    uint32_t rounds = setting("MCUPROF_FUZZ", ROUNDS);
    uint32_t seed = setting("MCUPROF_FUZZ_SEED", 1);
    uint8_t *bytes = malloc(state.size);
    size_t refused = 0, whole = 0, nothing = 0;

    (void)unused;
    assert_non_null(bytes);
    for (uint32_t i = 0; i < rounds; i++) {
        size_t dropped;

        state.round = i;
        state.dice = (seed * 2654435761U) ^ (i * 40503U + 1U);
        state.dice = state.dice == 0 ? 1 : state.dice;
        (void)roll(2);
        memcpy(bytes, state.bytes, state.size);
        damage(bytes);
        dropped = select_damaged(bytes);
        refused += dropped == SIZE_MAX;
        nothing += dropped == 0;
        whole += dropped > 0 && dropped != SIZE_MAX;
    }
    free(bytes);
    print_message("%zu with fewer calls, %zu with all, %zu refused\n", whole,
                  nothing, refused);
    /* Much is not needed for it, and some is. */
    assert_in_range(whole, rounds / 4, rounds - 1);
    assert_in_range(refused + nothing, rounds / 50, rounds - 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
            cmocka_unit_test_setup_teardown(test_damage, setup, teardown),
            cmocka_unit_test_setup_teardown(test_damage, setup_small, teardown),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
