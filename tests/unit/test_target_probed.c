/* SPDX-License-Identifier: MIT */
/*
 * What a probe sees that looks between any two instructions: the RTT and RAM
 * transports on a modelled core, built as users build them. Before every
 * instruction the block is read as docs/wire.md says and held against what has
 * been written so far.
 */
#include "core_model.h"
#include "mcuprof_wire.h"

#define UP_SIZE 32u
#define DOWN_SIZE 16u
#define RAM_SIZE 512u
#define SOURCE_SIZE 256u

struct build {
    const char *compiler; /* and its flags */
    bool v6m;
};

static const struct build builds[] = {
        {"arm-none-eabi-gcc -mcpu=cortex-m4 -O2", false},
        {"arm-none-eabi-gcc -mcpu=cortex-m4 -Os -flto", false},
        {"arm-none-eabi-gcc -mcpu=cortex-m4 -O3", false},
        {"arm-none-eabi-gcc -mcpu=cortex-m0 -O0", true},
        {"clang --target=thumbv7em-none-eabi -mcpu=cortex-m4 -O2", false},
        {"clang --target=thumbv6m-none-eabi -mcpu=cortex-m0 -Os", true},
};

enum {
    BUILDS = sizeof builds / sizeof builds[0]
};

struct image_bytes {
    struct nm_table nm;
    uint8_t *binary;
    size_t size;
};

static struct image_bytes images[BUILDS];
static struct core_model m;
static uint32_t block; /* address of the block that is looked at */

/* The stream: byte n is stream_byte(n). */
static uint64_t stream_done;  /* bytes whose write has returned */
static uint64_t stream_given; /* with those of the write that runs */
static unsigned looks;

static uint8_t stream_byte(uint64_t n)
{
    return (uint8_t)(n * 151u + (n >> 8) * 89u + 1u);
}

/* The image is linked by gcc; flags must hold no spaces of their own. */
static void build(const char *directory, const struct build *how,
                  struct image_bytes *image)
{
    char elf[PATH_SIZE], binary[PATH_SIZE];

    fixture_path(elf, directory, "probed.elf");
    fixture_path(binary, directory, "probed.bin");
    run_tool(NULL, "sh", "-c",
             "cd \"$1\" && for f in target/transport/mcuprof_rtt.c "
             "target/transport/mcuprof_ram.c "
             "tests/unit/fixtures/probed_image.c; do "
             "$2 -mthumb -std=c99 -ffreestanding -Itarget "
             "-Itarget/transport -DMCUPROF_RTT_UP_SIZE=32 "
             "-DMCUPROF_RTT_DOWN_SIZE=16 -DMCUPROF_HELLO_BYTES=256 "
             "-DMCUPROF_RAM_SIZE=512 -c $f -o \"$3/${f##*/}.o\" || exit 1; "
             "done && arm-none-eabi-gcc -mcpu=$4 -mthumb -O2 "
             "-nostartfiles -Wl,-N,-Ttext=0x1FFF8000,-Tdata=0x20000000 "
             "-Wl,-Tbss=0x20000000,-e,probed_rtt_init,--no-gc-sections "
             "-Wl,-u,probed_rtt_write,-u,probed_rtt_read "
             "-Wl,-u,probed_ram_init,-u,probed_ram_write "
             "\"$3\"/*.o -o \"$5\" && rm \"$3\"/*.o",
             "sh", TEST_SOURCE_DIR "/../..", how->compiler, directory,
             how->v6m ? "cortex-m0" : "cortex-m4", elf, NULL);
    run_tool(NULL, "arm-none-eabi-strip", "-w", "-N", "$*", elf, NULL);
    run_tool(NULL, "arm-none-eabi-objcopy", "-O", "binary", elf, binary, NULL);
    nm_read(&image->nm, directory, elf);
    image->binary = file_read(binary, &image->size);
}

static int build_images(void **unused)
{
    char directory[PATH_SIZE];

    (void)unused;
    fixture_begin(directory);
    for (size_t i = 0; i < BUILDS; i++)
        build(directory, &builds[i], &images[i]);
    fixture_end(directory);
    return 0;
}

static int free_images(void **unused)
{
    (void)unused;
    for (size_t i = 0; i < BUILDS; i++)
        free(images[i].binary);
    return 0;
}

static void power_on(size_t i)
{
    model_deinit(&m);
    model_init(&m, builds[i].v6m, &images[i].nm, images[i].binary,
               images[i].size);
    stream_done = 0;
    stream_given = 0;
    looks = 0;
}

static int power_off(void **unused)
{
    (void)unused;
    model_deinit(&m);
    return 0;
}

typedef void look_fn(void);

static void on_instruction(uc_engine *uc, uint64_t address, uint32_t size,
                           void *context)
{
    (void)uc;
    (void)address;
    (void)size;
    looks++;
    (*(look_fn **)context)();
}

/* Calls a function of the image, looking before each of its instructions. */
static uint32_t watched(const char *name, uint32_t argument, look_fn *look)
{
    unsigned before = looks;
    uc_hook hook;
    uint32_t result;

    model_must(uc_hook_add(m.uc, &hook, UC_HOOK_CODE,
                           (void *)(uintptr_t)on_instruction, &look, 1, 0));
    result = (uint32_t)model_call(&m, name, argument);
    model_must(uc_hook_del(m.uc, hook));
    assert_true(looks > before);
    look();
    return result;
}

static uint32_t word(uint32_t offset)
{
    return model_word(&m, block + offset);
}

static void set_word(uint32_t offset, uint32_t value)
{
    uint8_t b[4] = {(uint8_t)value, (uint8_t)(value >> 8),
                    (uint8_t)(value >> 16), (uint8_t)(value >> 24)};

    model_must(uc_mem_write(m.uc, block + offset, b, sizeof b));
}

/* Lays the next bytes of the stream ready. */
static void give(uint32_t size)
{
    uint8_t bytes[SOURCE_SIZE];

    for (uint32_t i = 0; i < size; i++)
        bytes[i] = stream_byte(stream_done + i);
    model_must(uc_mem_write(m.uc, nm_find(&m.nm, "probed_source")->address,
                            bytes, size));
    stream_given = stream_done + size;
}

/* RTT */

static uint32_t generation_before;

static bool has_id(void)
{
    uint8_t id[MCUPROF_RTT_ID_SIZE];

    model_must(uc_mem_read(m.uc, block, id, sizeof id));
    return memcmp(id, "SEGGER RTT\0\0\0\0\0", sizeof id) == 0;
}

static void assert_channel(uint32_t at, uint32_t length)
{
    uint32_t buffer = word(at + MCUPROF_RTT_CHANNEL_BUFFER);
    uint8_t name[8];

    assert_int_equal(word(at + MCUPROF_RTT_CHANNEL_LENGTH), length);
    assert_int_equal(word(at + MCUPROF_RTT_CHANNEL_FLAGS), 0);
    assert_in_range(buffer, MODEL_RAM, MODEL_RAM + MODEL_SIZE - length);
    model_must(uc_mem_read(m.uc, word(at + MCUPROF_RTT_CHANNEL_NAME), name,
                           sizeof name));
    assert_memory_equal(name, "mcuprof", sizeof name);
}

/* With the id there, all the rest is; and it is another generation. */
static void look_at_init(void)
{
    if (!has_id())
        return;
    if (word(MCUPROF_RTT_GENERATION) == generation_before) {
        /* Nothing of the old block is touched while its id stands. */
        assert_int_equal(word(MCUPROF_RTT_UP + MCUPROF_RTT_CHANNEL_WRITE), 7);
        return;
    }
    assert_int_equal(word(MCUPROF_RTT_UP_COUNT), 1);
    assert_int_equal(word(MCUPROF_RTT_DOWN_COUNT), 1);
    assert_channel(MCUPROF_RTT_UP, UP_SIZE);
    assert_channel(MCUPROF_RTT_DOWN, DOWN_SIZE);
    for (uint32_t at = MCUPROF_RTT_UP; at <= MCUPROF_RTT_DOWN;
         at += MCUPROF_RTT_CHANNEL_SIZE) {
        assert_int_equal(word(at + MCUPROF_RTT_CHANNEL_WRITE), 0);
        assert_int_equal(word(at + MCUPROF_RTT_CHANNEL_READ), 0);
    }
    for (uint32_t i = 0; i < UP_SIZE; i += 4)
        assert_int_equal(
                model_word(&m, word(MCUPROF_RTT_UP + MCUPROF_RTT_CHANNEL_BUFFER)
                                       + i),
                0);
}

static void test_rtt_init(void **unused)
{
    (void)unused;
    for (size_t i = 0; i < BUILDS; i++) {
        power_on(i);
        block = nm_find(&m.nm, "mcuprof_rtt")->address;
        generation_before = 0;
        (void)watched("probed_rtt_init", 0, look_at_init);
        assert_true(has_id());
        assert_true(looks > 50);
        assert_int_equal(word(MCUPROF_RTT_GENERATION), 1);

        /* Anew, over what a boot before left: also over its last number. */
        for (unsigned left = 0; left < 3; left++) {
            static const uint32_t generations[] = {1, 41, 0xFFFFFFFFu};
            uint32_t next = generations[left] + 1u;
            uint8_t garbage[UP_SIZE];
            memset(garbage, 0xA5, sizeof garbage);
            model_must(uc_mem_write(m.uc, block + MCUPROF_RTT_SIZE, garbage,
                                    sizeof garbage));
            generation_before = generations[left];
            set_word(MCUPROF_RTT_GENERATION, generation_before);
            set_word(MCUPROF_RTT_UP + MCUPROF_RTT_CHANNEL_WRITE, 7);
            set_word(MCUPROF_RTT_UP + MCUPROF_RTT_CHANNEL_READ, 0xFFFFu);
            (void)watched("probed_rtt_init", 0, look_at_init);
            assert_true(has_id());
            assert_int_equal(word(MCUPROF_RTT_GENERATION),
                             next != 0 ? next : 1u);
        }
    }
}

/* Where the block is cleared at a reset, the cycle counter goes on. */
static void test_rtt_generation_from_the_cycle_counter(void **unused)
{
    (void)unused;
    for (size_t i = 0; i < BUILDS; i++) {
        power_on(i);
        block = nm_find(&m.nm, "mcuprof_rtt")->address;
        m.demcr = TRCENA;
        m.cyccnt = 7654321u;
        (void)model_call(&m, "probed_rtt_init", 0);
        assert_int_equal(word(MCUPROF_RTT_GENERATION),
                         builds[i].v6m ? 1u : 7654321u);
    }
}

static uint64_t host_read; /* bytes that the host has taken */

/* Every byte up to the write offset is one of the stream. */
static void look_at_up(void)
{
    uint32_t write = word(MCUPROF_RTT_UP + MCUPROF_RTT_CHANNEL_WRITE);
    uint32_t buffer = word(MCUPROF_RTT_UP + MCUPROF_RTT_CHANNEL_BUFFER);
    uint32_t read = (uint32_t)(host_read % UP_SIZE);
    uint8_t bytes[UP_SIZE];

    assert_int_equal(word(MCUPROF_RTT_UP + MCUPROF_RTT_CHANNEL_READ), read);
    assert_in_range(write, 0, UP_SIZE - 1);
    model_must(uc_mem_read(m.uc, buffer, bytes, sizeof bytes));
    uint64_t n = host_read;
    for (; read != write; read = (read + 1u) % UP_SIZE)
        assert_int_equal(bytes[read], stream_byte(n++));
    assert_true(n <= stream_given);
}

static void test_rtt_write(void **unused)
{
    static const uint32_t sizes[] = {1, 30, 5, 200, 31, 32, 3, 17, 64, 0, 255};

    (void)unused;
    for (size_t i = 0; i < BUILDS; i++) {
        power_on(i);
        block = nm_find(&m.nm, "mcuprof_rtt")->address;
        (void)model_call(&m, "probed_rtt_init", 0);
        host_read = 0;
        for (unsigned k = 0; k < 60; k++) {
            uint32_t room = UP_SIZE - 1u - (uint32_t)(stream_done - host_read);
            uint32_t size = sizes[k % 11u];
            give(size);
            uint32_t taken = watched("probed_rtt_write", size, look_at_up);
            assert_int_equal(taken, size < room ? size : room);
            stream_done += taken;
            host_read += k % 5u * 7u % (stream_done - host_read + 1u);
            set_word(MCUPROF_RTT_UP + MCUPROF_RTT_CHANNEL_READ,
                     (uint32_t)(host_read % UP_SIZE));
        }
        assert_true(stream_done > 10u * UP_SIZE);
    }
}

/* The firmware gives a byte's place back when it has taken the byte. */
static void look_at_down(void)
{
    uint32_t read = word(MCUPROF_RTT_DOWN + MCUPROF_RTT_CHANNEL_READ);
    uint32_t taken = (read + DOWN_SIZE - (uint32_t)(stream_done % DOWN_SIZE))
                     % DOWN_SIZE;
    uint8_t bytes[DOWN_SIZE];

    assert_in_range(read, 0, DOWN_SIZE - 1);
    model_must(uc_mem_read(m.uc, nm_find(&m.nm, "probed_taken")->address, bytes,
                           sizeof bytes));
    for (uint32_t i = 0; i < taken; i++)
        assert_int_equal(bytes[i], stream_byte(stream_done + i));
}

static void test_rtt_read(void **unused)
{
    (void)unused;
    for (size_t i = 0; i < BUILDS; i++) {
        power_on(i);
        block = nm_find(&m.nm, "mcuprof_rtt")->address;
        (void)model_call(&m, "probed_rtt_init", 0);
        uint32_t buffer = word(MCUPROF_RTT_DOWN + MCUPROF_RTT_CHANNEL_BUFFER);
        for (unsigned k = 0; k < 60; k++) {
            uint32_t waiting = (uint32_t)(stream_given - stream_done);
            uint32_t sent = k * 5u % (DOWN_SIZE - waiting);
            for (uint32_t j = 0; j < sent; j++) {
                uint8_t byte = stream_byte(stream_given);
                model_must(uc_mem_write(m.uc, buffer + stream_given % DOWN_SIZE,
                                        &byte, 1));
                stream_given++;
            }
            set_word(MCUPROF_RTT_DOWN + MCUPROF_RTT_CHANNEL_WRITE,
                     (uint32_t)(stream_given % DOWN_SIZE));
            waiting += sent;
            uint32_t size = 1u + k % 11u;
            uint32_t taken = watched("probed_rtt_read", size, look_at_down);
            assert_int_equal(taken, size < waiting ? size : waiting);
            stream_done += taken;
        }
        assert_true(stream_done > 10u * DOWN_SIZE);
    }
}

/* RAM */

/*
 * A core halted here: of the last bytes the oldest may be the next already, and
 * the count may be torn at its carry, but never below.
 */
static void look_at_ram(void)
{
    uint64_t written = (uint64_t)word(MCUPROF_RAM_WRITTEN + 4u) << 32
                       | word(MCUPROF_RAM_WRITTEN);
    uint32_t length = word(MCUPROF_RAM_LENGTH);
    uint8_t bytes[RAM_SIZE];
    uint64_t kept = written < length - 1u ? written : length - 1u;

    assert_int_equal(word(MCUPROF_RAM_MAGIC), MCUPROF_RAM_MAGIC_VALUE);
    assert_int_equal(length, RAM_SIZE);
    model_must(
            uc_mem_read(m.uc, block + MCUPROF_RAM_BYTES, bytes, sizeof bytes));
    if (written > stream_given) { /* torn */
        assert_int_equal((uint32_t)written, 0xFFFFFFFFu);
        written -= 1ull << 32;
    }
    assert_true(written >= stream_done && written <= stream_given);
    for (uint64_t n = written - kept; n < written; n++)
        assert_int_equal(bytes[n % RAM_SIZE], stream_byte(n));
}

static void write_ram(uint32_t size)
{
    give(size);
    assert_int_equal(watched("probed_ram_write", size, look_at_ram), size);
    stream_done += size;
    assert_int_equal(word(MCUPROF_RAM_WRITTEN), (uint32_t)stream_done);
    assert_int_equal(word(MCUPROF_RAM_WRITTEN + 4u),
                     (uint32_t)(stream_done >> 32));
}

/* A stream that has come to byte `n`. */
static void begin_ram(uint64_t n)
{
    (void)model_call(&m, "probed_ram_init", 0);
    stream_done = n;
    set_word(MCUPROF_RAM_WRITTEN, (uint32_t)n);
    set_word(MCUPROF_RAM_WRITTEN + 4u, (uint32_t)(n >> 32));
    for (uint32_t i = 0; i < RAM_SIZE && i < n; i++) {
        uint8_t byte = stream_byte(n - 1u - i);
        model_must(uc_mem_write(m.uc,
                                block + MCUPROF_RAM_BYTES
                                        + (uint32_t)((n - 1u - i) % RAM_SIZE),
                                &byte, 1));
    }
}

static void test_ram_write(void **unused)
{
    static const uint32_t sizes[] = {1, 250, 250, 60, 0, 251, 7};
    static const uint64_t carries[] = {0xFFFFFFFFull, 0xFFFFFF80ull,
                                       0x5FFFFFFF3ull};

    (void)unused;
    for (size_t i = 0; i < BUILDS; i++) {
        power_on(i);
        block = nm_find(&m.nm, "mcuprof_ram")->address;
        begin_ram(0);
        for (unsigned k = 0; k < 7; k++)
            write_ram(sizes[k]);
        for (unsigned k = 0; k < 3; k++) {
            begin_ram(carries[k]);
            write_ram(200);
            write_ram(3);
        }
    }
}

/* While the magic stands the block is whole: the old one or the new one. */
static void look_at_ram_init(void)
{
    if (word(MCUPROF_RAM_MAGIC) != MCUPROF_RAM_MAGIC_VALUE)
        return;
    assert_int_equal(word(MCUPROF_RAM_VERSION), 1);
    assert_int_equal(word(MCUPROF_RAM_LENGTH), RAM_SIZE);
    assert_int_equal(word(MCUPROF_RAM_WRITTEN),
                     word(MCUPROF_RAM_GENERATION) == generation_before ? 1000
                                                                       : 0);
}

static void test_ram_init(void **unused)
{
    (void)unused;
    for (size_t i = 0; i < BUILDS; i++) {
        power_on(i);
        block = nm_find(&m.nm, "mcuprof_ram")->address;
        generation_before = 0;
        (void)watched("probed_ram_init", 0, look_at_ram_init);
        assert_int_equal(word(MCUPROF_RAM_MAGIC), MCUPROF_RAM_MAGIC_VALUE);
        assert_int_equal(word(MCUPROF_RAM_GENERATION), 1);
        begin_ram(1000);
        generation_before = word(MCUPROF_RAM_GENERATION);
        (void)watched("probed_ram_init", 0, look_at_ram_init);
        assert_int_equal(word(MCUPROF_RAM_MAGIC), MCUPROF_RAM_MAGIC_VALUE);
        assert_int_equal(word(MCUPROF_RAM_GENERATION), generation_before + 1u);
        assert_int_equal(word(MCUPROF_RAM_WRITTEN), 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
            cmocka_unit_test_teardown(test_rtt_init, power_off),
            cmocka_unit_test_teardown(
                    test_rtt_generation_from_the_cycle_counter, power_off),
            cmocka_unit_test_teardown(test_rtt_write, power_off),
            cmocka_unit_test_teardown(test_rtt_read, power_off),
            cmocka_unit_test_teardown(test_ram_write, power_off),
            cmocka_unit_test_teardown(test_ram_init, power_off),
    };
    return cmocka_run_group_tests(tests, build_images, free_images);
}
