/* SPDX-License-Identifier: MIT */
#include "arm_fixture.h"
#include "thumb_decode.h"

#include <inttypes.h>

/* What each instruction of fixtures/thumb_effects.S does its label says; where
 * branches lead and how long instructions are, objdump. */

enum {
    TEXT = 0x8000,
    TEXT_SIZE = 2048
};

static struct {
    char directory[PATH_SIZE];
    char elf[PATH_SIZE];
    struct nm_table nm;
    uint8_t *text;
    size_t text_size;
} state;

static void build(const char *cpu, const char *source)
{
    char raw[PATH_SIZE];

    fixture_path(state.elf, state.directory, "thumb.elf");
    fixture_path(raw, state.directory, "thumb.bin");
    run_tool(NULL, "arm-none-eabi-gcc", cpu, "-mthumb", "-mfloat-abi=hard",
             "-mfpu=auto", "-nostdlib", "-Wl,-Ttext=0x8000,-e,Reset_Handler",
             source, "-o", state.elf, NULL);
    run_tool(NULL, "arm-none-eabi-objcopy", "-O", "binary", "-j", ".text",
             state.elf, raw, NULL);
    free(state.text);
    state.text = file_read(raw, &state.text_size);
    nm_read(&state.nm, state.directory, state.elf);
}

static int setup(void **unused)
{
    (void)unused;
    fixture_begin(state.directory);
    return 0;
}

static int teardown(void **unused)
{
    (void)unused;
    free(state.text);
    fixture_end(state.directory);
    return 0;
}

static void decode(uint32_t address, struct thumb *out)
{
    assert_in_range(address, TEXT, TEXT + state.text_size - 2);
    thumb_decode(out, address, state.text + (address - TEXT),
                 state.text_size - (address - TEXT));
}

static char flow_letter(enum thumb_flow flow)
{
    static const char letters[] = {[THUMB_NEXT] = 'n',
                                   [THUMB_CALL] = 'c',
                                   [THUMB_BRANCH] = 'b',
                                   [THUMB_JUMP] = 'j',
                                   [THUMB_STOP] = 's'};

    return letters[flow];
}

static void test_effects(void **unused)
{
    size_t count = 0;

    (void)unused;
    build("-mcpu=cortex-m4", FIXTURES "thumb_effects.S");
    for (size_t i = 0; i < state.nm.count; i++) {
        const struct nm_symbol *symbol = &state.nm.symbols[i];
        unsigned reads, writes;
        char flow;
        struct thumb thumb;

        if (sscanf(symbol->name, "t_%c_%x_%x_", &flow, &reads, &writes) != 3)
            continue;
        count++;
        decode(symbol->address, &thumb);
        if (thumb.reads != reads || thumb.writes != writes
            || flow_letter(thumb.flow) != flow)
            fail_msg("%s is %c %x %x", symbol->name, flow_letter(thumb.flow),
                     thumb.reads, thumb.writes);
    }
    assert_in_range(count, 100, NM_SYMBOLS);
}

/*
 * "    8010:\te12a      \tb.n\t8268 <x>": columns between tabs, the address of
 * a target stands before its name.
 */
static bool parse_line(char *line, uint32_t *address, unsigned *digits,
                       char name[16], uint32_t *target)
{
    char *codes = strchr(line, '\t');
    char *text = codes == NULL ? NULL : strchr(codes + 1, '\t');
    char *label;

    if (text == NULL || sscanf(line, " %" SCNx32 ":", address) != 1
        || sscanf(text, " %15s", name) != 1)
        return false;
    *digits = 0;
    for (; codes < text; codes++)
        *digits += *codes != ' ' && *codes != '\t';
    label = strchr(text, '<');
    while (label != NULL && label[-1] != '\t' && label[-1] != ','
           && (label[-1] != ' ' || label[0] == '<'))
        label--;
    *target = label != NULL ? (uint32_t)strtoul(label, NULL, 16) : 0;
    return true;
}

static bool is_branch(const char *name)
{
    static const char *const others[] = {"bic", "bfi", "bfc", "bkpt",
                                         "bx",  "blx", "bics"};

    if (name[0] == 'c')
        return strncmp(name, "cbz", 3) == 0 || strncmp(name, "cbnz", 4) == 0;
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
        if (strncmp(name, others[i], strlen(others[i])) == 0
            && strncmp(name, "bls", 3) != 0)
            return false;
    return name[0] == 'b' || strcmp(name, "le") == 0
           || strcmp(name, "wls") == 0;
}

static size_t compare_with_objdump(void)
{
    char list[PATH_SIZE], line[256], name[16];
    FILE *file;
    size_t branches = 0;

    fixture_path(list, state.directory, "objdump.txt");
    run_tool(list, "arm-none-eabi-objdump", "-d", "-j", ".text", state.elf,
             NULL);
    file = fopen(list, "r");
    assert_non_null(file);
    while (fgets(line, sizeof line, file) != NULL) {
        uint32_t address, target;
        unsigned digits;
        struct thumb thumb;

        if (!parse_line(line, &address, &digits, name, &target)
            || name[0] == '.')
            continue;
        decode(address, &thumb);
        if (thumb.size != digits / 2)
            fail_msg("%x is of another size: %s", address, line);
        if (is_branch(name) != thumb.has_target)
            fail_msg("%x is a branch or not: %s", address, line);
        if (thumb.has_target && thumb.target != target)
            fail_msg("%x does not go to %x: %s", address, thumb.target, line);
        branches += thumb.has_target;
    }
    (void)fclose(file);
    return branches;
}

static void test_targets(void **unused)
{
    (void)unused;
    build("-mcpu=cortex-m4", FIXTURES "thumb_effects.S");
    assert_in_range(compare_with_objdump(), 7, 100);
}

/* Each branch of each range, forth and back; the loops of Armv8.1-M. */
static void test_far_targets(void **unused)
{
    (void)unused;
    build("-mcpu=cortex-m55", FIXTURES "thumb_branches.S");
    assert_in_range(compare_with_objdump(), 30, 100);
}

static void test_half_an_instruction(void **unused)
{
    static const uint8_t bytes[] = {0x00, 0xF0};
    struct thumb thumb;

    (void)unused;
    thumb_decode(&thumb, TEXT, bytes, sizeof bytes);
    assert_int_equal(thumb.size, 2);
    assert_int_equal(thumb.flow, THUMB_NEXT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
            cmocka_unit_test(test_effects),
            cmocka_unit_test(test_targets),
            cmocka_unit_test(test_far_targets),
            cmocka_unit_test(test_half_an_instruction),
    };

    return cmocka_run_group_tests(tests, setup, teardown);
}
