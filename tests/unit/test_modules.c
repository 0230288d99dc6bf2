/* SPDX-License-Identifier: MIT */
#include <sys/stat.h>
#include <zlib.h>

#include "arm_fixture.h"
#include "identity.h"
#include "modules.h"

/*
 * Symbols and debug info made one, and several ELFs at once; against nm, the
 * sources in fixtures/ and what their linker scripts say.
 */

enum {
    PIC_AT = 0x60004000
};

struct state {
    char directory[PATH_SIZE];
    char labels[PATH_SIZE];
    char clones[PATH_SIZE];
    char lto[PATH_SIZE];
    char names[PATH_SIZE];
    char pic[PATH_SIZE];
    char other[PATH_SIZE];
    struct nm_table nm;
    struct modules *modules;
};

static struct state state;

static void build(const char *elf, const char *script, const char *option,
                  const char *first, const char *second)
{
    run_tool(NULL, "arm-none-eabi-gcc", "-mcpu=cortex-m3", "-mthumb", "-O2",
             "-g", "-ffreestanding", "-nostdlib", "-Wl,--build-id=sha1", option,
             "-T", script, "-o", elf, first, second, NULL);
}

static int setup_all(void **unused)
{
    (void)unused;
    fixture_begin(state.directory);
    fixture_path(state.labels, state.directory, "labels.elf");
    fixture_path(state.clones, state.directory, "clones.elf");
    fixture_path(state.lto, state.directory, "lto.elf");
    fixture_path(state.names, state.directory, "names.elf");
    fixture_path(state.pic, state.directory, "pic.elf");
    fixture_path(state.other, state.directory, "other.elf");
    build(state.labels, FIXTURES "names.ld", "-fno-lto", FIXTURES "labels.c",
          NULL);
    run_tool(NULL, "arm-none-eabi-gcc", "-mcpu=cortex-m3", "-mthumb", "-O2",
             "-g", "-ffreestanding", "-nostdlib", "-T", FIXTURES "names.ld",
             FIXTURES "clones.c", FIXTURES "clones_other.c",
             FIXTURES "clones_one.S", FIXTURES "clones_two.S", "-o",
             state.clones, NULL);
    build(state.lto, FIXTURES "names.ld", "-flto", FIXTURES "clones.c",
          FIXTURES "clones_other.c");
    build(state.pic, FIXTURES "pic.ld", "-fno-lto", FIXTURES "names.c",
          FIXTURES "names_asm.S");
    build_names(state.names);
    return 0;
}

static int teardown_all(void **unused)
{
    (void)unused;
    fixture_end(state.directory);
    return 0;
}

static int setup(void **unused)
{
    (void)unused;
    state.modules = modules_new();
    assert_non_null(state.modules);
    return 0;
}

static int teardown(void **unused)
{
    (void)unused;
    modules_free(state.modules);
    return 0;
}

static void add(const char *argument)
{
    struct error error;

    if (modules_add(state.modules, argument, &error) != 0)
        fail_msg("%s", error.cause);
}

static void use(const char *elf)
{
    add(elf);
    nm_read(&state.nm, state.directory, elf);
}

static void add_at(const char *elf, uint32_t address)
{
    char argument[PATH_SIZE + 16];

    (void)snprintf(argument, sizeof argument, "%s@0x%08x", elf,
                   (unsigned)address);
    add(argument);
}

static uint32_t address_of(const char *name)
{
    return nm_find(&state.nm, name)->address;
}

static struct modules_place find(uint32_t address)
{
    struct modules_place place;

    assert_int_equal(modules_find(state.modules, address, &place), 0);
    return place;
}

/* What ADDRESS has in common with all of its function. */
static uint64_t group_of(uint32_t address)
{
    struct modules_place place = find(address);

    assert_int_equal(place.kind, IMAGE_FUNCTION);
    return place.group;
}

/* All code of SYMBOL, as nm has it, is of the function NAME. */
static void expect_whole(const char *symbol, const char *name)
{
    const struct nm_symbol *nm = nm_find(&state.nm, symbol);
    uint64_t group = group_of(nm->address);

    assert_int_not_equal(nm->size, 0);
    for (uint32_t at = nm->address; at < nm->address + nm->size; at++) {
        struct modules_place place = find(at);

        if (place.kind == IMAGE_DATA)
            continue;
        assert_string_equal(place.name, name);
        assert_int_equal(place.kind, IMAGE_FUNCTION);
        assert_int_equal(place.start, nm->address);
        assert_int_equal(place.size, nm->size);
        assert_int_equal(place.base_size, strlen(name));
        assert_string_equal(place.section, ".text");
        assert_string_equal(place.suffix, "");
        assert_true(place.group == group);
    }
}

/* The source calls it __work; `work` is plainer, work_loop begins later. */
static void test_debug_info_beats_labels_and_aliases(void **unused)
{
    (void)unused;
    use(state.labels);
    assert_int_equal(address_of("work"), address_of("__work"));
    assert_in_range(address_of("work_loop"), address_of("__work") + 2,
                    address_of("__work") + nm_find(&state.nm, "work")->size);
    expect_whole("__work", "__work");
    expect_whole("rename_me", "rename_me");
    assert_true(group_of(address_of("work_loop"))
                == group_of(address_of("work")));
    assert_false(group_of(address_of("work"))
                 == group_of(address_of("rename_me")));
}

static void test_renamed_symbol(void **unused)
{
    (void)unused;
    run_tool(NULL, "arm-none-eabi-objcopy", "--redefine-sym",
             "rename_me=renamed", state.labels, state.other, NULL);
    use(state.other);
    expect_whole("renamed", "rename_me");
}

static void test_debug_info_alone(void **unused)
{
    (void)unused;
    nm_read(&state.nm, state.directory, state.labels);
    run_tool(NULL, "arm-none-eabi-objcopy", "-w", "--strip-symbol=*",
             state.labels, state.other, NULL);
    add(state.other);
    expect_whole("__work", "__work");
    expect_whole("rename_me", "rename_me");
    assert_false(group_of(address_of("work"))
                 == group_of(address_of("rename_me")));
}

static void test_symbols_alone(void **unused)
{
    (void)unused;
    run_tool(NULL, "arm-none-eabi-strip", "--strip-debug", "-o", state.other,
             state.labels, NULL);
    use(state.other);
    assert_string_equal(find(address_of("rename_me")).name, "rename_me");
    assert_string_equal(find(address_of("work_loop")).name, "work_loop");
    assert_int_equal(find(address_of("rename_me")).frame_count, 0);
}

static void expect_one_group(const char *a, const char *b)
{
    if (group_of(address_of(a)) != group_of(address_of(b)))
        fail_msg("%s and %s are apart", a, b);
}

static void expect_groups(const char *a, const char *b)
{
    if (group_of(address_of(a)) == group_of(address_of(b)))
        fail_msg("%s and %s are one", a, b);
}

static void test_clones(void **unused)
{
    struct modules_place place;

    (void)unused;
    use(state.clones);
    expect_one_group("guarded", "guarded.part.0");
    expect_groups("scaled", "scaled.constprop.0");
    /* By its symbols it could be a clone of the global one. */
    expect_groups("member", "member.isra.0");
    place = find(address_of("guarded.part.0") + 2);
    assert_string_equal(place.name, "guarded.part.0");
    assert_int_equal(place.base_size, strlen("guarded"));
    assert_int_equal(place.start, address_of("guarded.part.0"));
    /* Without debug info the names tell. */
    expect_one_group("twin", "twin.cold");
    expect_groups("split.lto_priv.0", "split.lto_priv.1");
    expect_one_group("split.lto_priv.0", "split.lto_priv.0.cold");
}

/* What gcc -flto leaves: the clones are global, the files have no names. */
static void test_clones_of_lto(void **unused)
{
    (void)unused;
    use(state.lto);
    expect_groups("member", "member.isra.0");
    assert_string_equal(find(address_of("member.isra.0")).name,
                        "member.isra.0");
}

static void expect_data(uint32_t address, const char *name, const char *suffix,
                        const char *section)
{
    struct modules_place place = find(address);

    assert_string_equal(place.name, name);
    assert_string_equal(place.suffix, suffix);
    assert_string_equal(place.section, section);
    assert_int_equal(place.kind, IMAGE_DATA);
    assert_int_equal(place.frame_count, 0);
}

static void test_data_and_veneers(void **unused)
{
    struct modules_place place;
    uint32_t load;

    (void)unused;
    use(state.names);
    load = address_of("_sidata") - address_of("_sdata");
    expect_data(address_of("rom_table") + 4, "rom_table", "", ".text");
    expect_data(address_of("pooled") + 8, "[unknown]", "", ".text");
    expect_data(address_of("zeroed_counter"), "zeroed_counter", "", ".bss");
    expect_data(address_of("hot_ram") + load, "hot_ram", " [load image]",
                ".data");
    assert_int_equal(find(address_of("hot_ram") + load + 2).start,
                     address_of("hot_ram") + load);
    place = find(address_of("__hot_ram_veneer"));
    assert_string_equal(place.name, "hot_ram");
    assert_string_equal(place.suffix, " [veneer]");
    assert_int_equal(place.kind, IMAGE_FUNCTION);
    assert_int_equal(place.frame_count, 0);
    assert_false(place.group == group_of(address_of("hot_ram")));
    place = find(0x40000000);
    assert_null(place.module);
    assert_int_equal(place.kind, IMAGE_UNKNOWN);
    assert_string_equal(place.name, "[unknown]");
    assert_string_equal(place.section, "");
}

/* pic.ld links at 0 with the vectors first; they land at the address. */
static void test_moved(void **unused)
{
    struct modules_place place;

    (void)unused;
    nm_read(&state.nm, state.directory, state.pic);
    add(state.labels);
    add_at(state.pic, PIC_AT);
    assert_int_equal(address_of("vectors"), 0);
    expect_data(PIC_AT, "vectors", "", ".isr");
    place = find((PIC_AT + address_of("pooled") + 2) | 1);
    assert_string_equal(place.name, "pooled");
    assert_int_equal(place.start, PIC_AT + address_of("pooled"));
    assert_string_equal(place.module->name, "pic.elf");
    assert_string_equal(place.module->path, state.pic);
    assert_int_equal(place.module->bias, PIC_AT);
    place = find(PIC_AT + address_of("quiet_sum"));
    assert_in_range(place.frame_count, 1, 4);
    assert_string_equal(place.frames[place.frame_count - 1].name, "quiet_sum");
    assert_null(find(PIC_AT - 2).module);
    /* The same function of two copies are two. */
    add_at(state.pic, PIC_AT + 0x10000);
    assert_false(group_of(PIC_AT + address_of("pooled"))
                 == group_of(PIC_AT + 0x10000 + address_of("pooled")));
}

static void expect_no_problem(void)
{
    struct error error;

    if (modules_problem(state.modules, 0, &error))
        fail_msg("%s", error.cause);
}

static void expect_problem(size_t index, const char *words)
{
    struct error error = {0};

    assert_true(modules_problem(state.modules, index, &error));
    if (strstr(error.cause, words) == NULL)
        fail_msg("\"%s\" does not say \"%s\"", error.cause, words);
    assert_int_not_equal(strlen(error.remedy), 0);
}

static struct error problem(size_t index)
{
    struct error error = {0};

    assert_true(modules_problem(state.modules, index, &error));
    return error;
}

/* pic.elf has code in RAM where labels.elf has its .bss: no matter. */
static void test_shared_ram(void **unused)
{
    struct modules_place place;

    (void)unused;
    nm_read(&state.nm, state.directory, state.pic);
    add(state.labels);
    add(state.pic);
    expect_no_problem();
    assert_int_equal(address_of("hot_ram") >> 28, 2);
    place = find(address_of("hot_ram"));
    assert_string_equal(place.name, "hot_ram");
    assert_string_equal(place.module->name, "pic.elf");
    nm_read(&state.nm, state.directory, state.labels);
    place = find(address_of("buffer") + 200);
    assert_string_equal(place.name, "buffer");
    assert_string_equal(place.module->name, "labels.elf");
}

static void start_over(void)
{
    modules_free(state.modules);
    state.modules = modules_new();
    assert_non_null(state.modules);
}

/* ADDRESS is data of FIRST if that one was named first, else of SECOND. */
static void expect_earlier(uint32_t address, const char *first,
                           const char *second)
{
    start_over();
    add(first);
    add(second);
    assert_int_equal(find(address).kind, IMAGE_DATA);
    assert_string_equal(find(address).module->path, first);
}

/* Both have .bss there, which is data. */
static void test_earlier_data_wins(void **unused)
{
    uint32_t address;

    (void)unused;
    nm_read(&state.nm, state.directory, state.names);
    address = address_of("zeroed_counter");
    nm_read(&state.nm, state.directory, state.labels);
    assert_in_range(address, address_of("buffer"), address_of("buffer") + 255);
    expect_earlier(address, state.names, state.labels);
    expect_earlier(address, state.labels, state.names);
}

/* pic.elf's vectors, which are data, lie over names.elf's load image. */
static void test_data_beats_load_image(void **unused)
{
    uint32_t load;

    (void)unused;
    use(state.names);
    load = address_of("_sidata");
    assert_string_equal(find(load).suffix, " [load image]");
    add_at(state.pic, load);
    expect_no_problem();
    expect_data(load, "vectors", "", ".isr");
    assert_string_equal(find(load).module->name, "pic.elf");
    start_over();
    add_at(state.pic, load);
    add(state.names);
    expect_data(load, "vectors", "", ".isr");
}

/* The end of .text: "[ 1] .text PROGBITS 08000000 001000 0000b0 ..." */
static uint32_t text_end(const char *elf)
{
    char list[PATH_SIZE], line[256];
    uint32_t start = 0, size = 0;
    FILE *file;

    fixture_path(list, state.directory, "sections.txt");
    run_tool(list, "arm-none-eabi-readelf", "-SW", elf, NULL);
    file = fopen(list, "r");
    assert_non_null(file);
    while (size == 0 && fgets(line, sizeof line, file) != NULL) {
        char *at = strstr(line, " .text ");

        at = at != NULL ? strstr(at, "PROGBITS") : NULL;
        if (at == NULL)
            continue;
        start = (uint32_t)strtoul(at + 8, &at, 16);
        (void)strtoul(at, &at, 16);
        size = (uint32_t)strtoul(at, &at, 16);
    }
    (void)fclose(file);
    assert_int_not_equal(size, 0);
    return start + size;
}

/* names.ld puts both at 0x08000000; labels.elf is the shorter one. */
static void test_overlap(void **unused)
{
    char range[32];

    (void)unused;
    add(state.clones);
    add(state.labels);
    (void)snprintf(range, sizeof range, "0x08000000-0x%08x",
                   (unsigned)text_end(state.labels) - 1);
    expect_problem(0, range);
    expect_problem(0, "are those of clones.elf");
    assert_string_equal(find(0x08000000).module->name, "clones.elf");
    assert_null(strstr(problem(0).cause, "more"));
    /* One problem for all of them. */
    add(state.lto);
    assert_false(modules_problem(state.modules, 1, &(struct error){0}));
    expect_problem(0, "(and 2 more overlaps)");
}

/* The longest ELF is the last: what it has in common with the second one is
 * larger than anything the first one has. */
static void test_largest_overlap_first(void **unused)
{
    uint32_t size = text_end(state.labels) - 0x08000000;
    char words[160];

    (void)unused;
    assert_true(text_end(state.names) > text_end(state.labels) + 2);
    add_at(state.labels, 0x08000000 - size + 2);
    add(state.names);
    expect_problem(0, "labels.elf and names.elf both have code at "
                      "0x08000000-0x08000001: names there");
    assert_null(strstr(problem(0).cause, "more"));
    add(state.clones);
    (void)snprintf(words, sizeof words,
                   "names.elf and clones.elf both have code at "
                   "0x08000000-0x%08x: names there are those of names.elf "
                   "(and 2 more overlaps)",
                   (unsigned)(text_end(state.clones) < text_end(state.names)
                                      ? text_end(state.clones)
                                      : text_end(state.names))
                           - 1);
    expect_problem(0, words);
}

static void copy_to(char path[PATH_SIZE], const char *folder)
{
    fixture_path(path, state.directory, folder);
    (void)mkdir(path, 0700);
    (void)snprintf(path, PATH_SIZE, "%.300s/%s/fw.elf", state.directory,
                   folder);
    run_tool(NULL, "cp", "--", state.labels, path, NULL);
}

static void expect_module_names(const char *const *names, size_t count)
{
    assert_int_equal(modules_count(state.modules), count);
    for (size_t i = 0; i < count; i++)
        assert_string_equal(modules_get(state.modules, i)->name, names[i]);
}

static void test_names_of_modules(void **unused)
{
    static const char *const both[] = {"a/fw.elf", "b/fw.elf"};
    static const char *const all[] = {"a/fw.elf", "b/fw.elf", "labels.elf",
                                      "pic.elf@0x60004000",
                                      "pic.elf@0x60014000"};
    char path[PATH_SIZE];

    (void)unused;
    copy_to(path, "a");
    add(path);
    assert_string_equal(modules_get(state.modules, 0)->name, "fw.elf");
    copy_to(path, "b");
    add(path);
    expect_module_names(both, 2);
    add(state.labels);
    add_at(state.pic, PIC_AT);
    assert_string_equal(modules_get(state.modules, 3)->name, "pic.elf");
    add_at(state.pic, PIC_AT + 0x10000);
    expect_module_names(all, 5);
}

static void expect_refused(const char *elf, const char *address, int code)
{
    char argument[PATH_SIZE + 32];
    size_t count = modules_count(state.modules);
    struct error error = {0};

    (void)snprintf(argument, sizeof argument, "%s%s", elf, address);
    assert_int_equal(modules_add(state.modules, argument, &error), code);
    assert_int_equal(error.code, code);
    assert_int_not_equal(strlen(error.cause), 0);
    assert_int_not_equal(strlen(error.remedy), 0);
    assert_int_equal(modules_count(state.modules), count);
    assert_int_equal(modules_add(state.modules, argument, NULL), code);
}

static void test_refused(void **unused)
{
    (void)unused;
    expect_refused(state.pic, "@", MCUPROF_E_USAGE);
    expect_refused(state.pic, "@0x", MCUPROF_E_USAGE);
    expect_refused(state.pic, "@here", MCUPROF_E_USAGE);
    expect_refused(state.pic, "@-4", MCUPROF_E_USAGE);
    expect_refused(state.pic, "@0x100000000", MCUPROF_E_USAGE);
    expect_refused(state.pic, "@0x60000001", MCUPROF_E_USAGE);
    expect_refused(state.pic, "@0xFFFFFF80", MCUPROF_E_USAGE);
    expect_refused(state.directory, "", MCUPROF_E_IO);
    expect_refused(state.directory, "/none.elf@0x1000", MCUPROF_E_IO);
    add(state.pic);
    expect_refused(state.pic, "", MCUPROF_E_USAGE);
    for (uint32_t i = 1; i < 16; i++)
        add_at(state.pic, PIC_AT + i * 0x10000);
    expect_refused(state.pic, "@0x70000000", MCUPROF_E_USAGE);
}

/* A file whose name looks like an address at the end is a file. */
static void test_file_with_at(void **unused)
{
    char path[PATH_SIZE];

    (void)unused;
    fixture_path(path, state.directory, "fw@0x1000");
    run_tool(NULL, "cp", "--", state.pic, path, NULL);
    add(path);
    assert_int_equal(modules_get(state.modules, 0)->bias, 0);
    assert_string_equal(modules_get(state.modules, 0)->name, "fw@0x1000");
}

static void test_problem_of_a_module(void **unused)
{
    char debug[PATH_SIZE];

    (void)unused;
    fixture_path(debug, state.directory, "gone.debug");
    file_write(debug, "", 1);
    run_tool(NULL, "arm-none-eabi-objcopy", "--strip-debug", state.pic,
             state.other, NULL);
    run_tool(NULL, "arm-none-eabi-objcopy", "--add-gnu-debuglink", debug,
             state.other, NULL);
    assert_int_equal(unlink(debug), 0);
    add(state.labels);
    expect_no_problem();
    add_at(state.other, PIC_AT);
    expect_problem(0, "gone.debug");
    assert_false(modules_problem(state.modules, 1, &(struct error){0}));
}

/* Sections lie over each other, and the .dwo file is not where it was. */
static void test_both_problems_of_a_module(void **unused)
{
    char elf[PATH_SIZE], dwo[PATH_SIZE];

    (void)unused;
    fixture_path(elf, state.directory, "split.elf");
    fixture_path(dwo, state.directory, "split.elf-labels.dwo");
    run_tool(NULL, "arm-none-eabi-gcc", "-mcpu=cortex-m3", "-mthumb", "-O2",
             "-g", "-gsplit-dwarf", "-ffreestanding", "-nostdlib",
             "-Wl,--no-check-sections,--allow-multiple-definition", "-T",
             FIXTURES "overlays.ld", FIXTURES "labels.c", FIXTURES "overlays.S",
             "-o", elf, NULL);
    assert_int_equal(unlink(dwo), 0);
    add(elf);
    assert_non_null(find(0x08000000).module);
    expect_problem(0, "lie over each other");
    expect_problem(1, "labels.dwo");
    assert_false(modules_problem(state.modules, 2, &(struct error){0}));
}

/* The CRC-32 of pic.elf as programmed, without the word at 28. */
static struct wire_identity identity_of_pic(void)
{
    struct wire_identity identity = {.start = PIC_AT, .valid = true};
    uint8_t *bytes;
    size_t size;
    uLong crc;

    run_tool(NULL, "arm-none-eabi-objcopy", "-O", "binary", "--gap-fill=0xff",
             state.pic, state.other, NULL);
    bytes = file_read(state.other, &size);
    assert_in_range(size, 64, 1 << 16);
    crc = crc32(crc32(0, NULL, 0), bytes, 28);
    crc = crc32(crc, bytes + 32, (uInt)(size - 32));
    free(bytes);
    identity.length = (uint32_t)size;
    for (unsigned i = 0; i < 4; i++)
        identity.value[i] = (uint8_t)(crc >> 8 * i);
    return identity;
}

static void test_identity_of_any(void **unused)
{
    struct wire_identity identity = identity_of_pic();
    char have[IDENTITY_TEXT_MAX];
    size_t which = 9;

    (void)unused;
    add(state.labels);
    add_at(state.pic, PIC_AT);
    assert_int_equal(identity_check_any(state.modules, &identity, have, &which),
                     IDENTITY_MATCH);
    assert_int_equal(which, 1);
    assert_non_null(strstr(have, "over 0x60004000-"));
    identity.partial = true;
    assert_int_equal(identity_check_any(state.modules, &identity, have, &which),
                     IDENTITY_PARTIAL);
    assert_int_equal(which, 1);
    /* None matches: the suspect is the one that has code there. */
    identity.value[0] ^= 1;
    assert_int_equal(identity_check_any(state.modules, &identity, have, &which),
                     IDENTITY_MISMATCH);
    assert_int_equal(which, 1);
    assert_non_null(strstr(have, "CRC-32 0x"));
    identity.start = 0x50000000;
    assert_int_equal(identity_check_any(state.modules, &identity, have, &which),
                     IDENTITY_MISMATCH);
    assert_int_equal(which, 0);
    assert_non_null(strstr(have, "no code"));
    identity.valid = false;
    assert_int_equal(identity_check_any(state.modules, &identity, have, &which),
                     IDENTITY_UNKNOWN);
}

static void test_identity_by_build_id(void **unused)
{
    struct wire_identity identity = {.valid = true, .build_id = true};
    char have[IDENTITY_TEXT_MAX];
    uint8_t id[20];
    size_t size, which = 9;

    (void)unused;
    add(state.clones); /* has none */
    add(state.labels);
    add_at(state.pic, PIC_AT);
    assert_int_equal(
            image_build_id(modules_get(state.modules, 2)->image, id, &size), 0);
    memcpy(identity.value, id, sizeof identity.value);
    assert_int_equal(identity_check_any(state.modules, &identity, have, &which),
                     IDENTITY_MATCH);
    assert_int_equal(which, 2);
    identity.value[7] ^= 1;
    assert_int_equal(identity_check_any(state.modules, &identity, have, &which),
                     IDENTITY_MISMATCH);
    assert_int_equal(which, 1);
    assert_non_null(strstr(have, "build-id "));
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
            TEST(test_debug_info_beats_labels_and_aliases),
            TEST(test_renamed_symbol),
            TEST(test_debug_info_alone),
            TEST(test_symbols_alone),
            TEST(test_clones),
            TEST(test_clones_of_lto),
            TEST(test_data_and_veneers),
            TEST(test_moved),
            TEST(test_shared_ram),
            TEST(test_earlier_data_wins),
            TEST(test_data_beats_load_image),
            TEST(test_overlap),
            TEST(test_largest_overlap_first),
            TEST(test_both_problems_of_a_module),
            TEST(test_names_of_modules),
            TEST(test_refused),
            TEST(test_file_with_at),
            TEST(test_problem_of_a_module),
            TEST(test_identity_of_any),
            TEST(test_identity_by_build_id),
    };

    return cmocka_run_group_tests(tests, setup_all, teardown_all);
}
