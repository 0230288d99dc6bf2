/* SPDX-License-Identifier: MIT */

/*
 * A QEMU plugin that counts every executed instruction of a Cortex-M firmware
 * by address and context: the exact profile that samples are held against.
 *
 * QEMU 7.2 tells a plugin which instruction runs, but not of exceptions, and
 * lets it read no register. So exceptions are seen in the order of execution:
 *
 *   - a handler's first instruction runs, and the instruction before it could
 *     not have gone there: the exception is entered;
 *   - a handler has returned from all its calls and returns once more: it is
 *     left, and what runs next belongs to what it interrupted, or enters the
 *     next handler (tail-chaining).
 *
 * Hence the one thing that firmware under this plugin must not do: jump to a
 * handler of the vector table through a register. Only a trampoline may that
 * the plugin is told of: it stands in a vector table in RAM, belongs to the
 * profiler, and goes on to the handler as if this were chained to it.
 *
 * Arguments: out=FILE      (required)
 *            vectors=FILE  lines "exception address" (vectors.py)
 *            profiler=N    exception N belongs to the profiler, counted apart
 *            trampoline=N@ADDRESS  stands before the handler of exception N
 *            task=ADDRESS  a store there: task 512 runs (513 for the second
 *                          such argument, and so on)
 *            from=ADDRESS  count only after control came here
 *            until=ADDRESS and stop when it comes here
 *            watch=FILE    lines that begin with an address
 *            watched=FILE  where each execution of these is logged, in order,
 *                          and each switch of tasks: lines "CONTEXT ADDRESS
 *                          BEFORE", so many instructions having run before,
 *                          in all contexts
 *            clock=ADDRESS each load from there is logged, too
 *
 * Output, a line each, context being an exception number, 0 for thread mode,
 * 512 and up for tasks, or pN for a profiler's handler or trampoline:
 *
 *   total INSTRUCTIONS
 *   run CONTEXT ENTRIES LEAST MOST         instructions from entry to return
 *   count CONTEXT ADDRESS EXECUTED TAKEN   TAKEN: did not go on to the next
 */

#include "qemu_plugin.h"
#include "thumb.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    CONTEXTS = 32,
    EXCEPTIONS = 512,
    NESTING = 64,
    DEPTH = 512,
    TASKS = 8,
    TASK_FIRST = 512,
    PROFILER = 0x10000, /* added to the exception number */
    PAGE_BITS = 12
};

struct tally {
    uint64_t executed;
    uint64_t taken;
};

struct instruction {
    uint32_t address;
    uint32_t next;
    struct thumb thumb;
    bool known;
    uint8_t it_left;    /* > 0: in an IT block, this many from its end */
    uint16_t exception; /* whose handler begins here, or 0 */
    bool trampoline;    /* it is not the handler itself */
    bool watched;
    struct tally *tallies; /* one for each context */
};

struct context {
    unsigned id;
    uint64_t entries;
    uint64_t least;
    uint64_t most;
};

/* A context that has begun and not ended: the innermost one runs. */
struct frame {
    unsigned context; /* index */
    struct instruction *last;
    uint64_t executed;
    unsigned depth;
    uint32_t returns[DEPTH];
};

QEMU_PLUGIN_EXPORT int qemu_plugin_version = 1;
QEMU_PLUGIN_EXPORT int qemu_plugin_install(qemu_plugin_id_t id,
                                           const struct qemu_info *info,
                                           int argc, char **argv);

static struct instruction *pages[1u << (32 - PAGE_BITS)];
static struct context contexts[CONTEXTS];
static unsigned context_count;
static struct frame frames[NESTING];
static struct frame *frame = frames;
static bool profilers[EXCEPTIONS];
static uint32_t tasks[TASKS];
static unsigned task_count;
static uint32_t from, until, clock_register;
static bool counting = true;
static uint64_t ran;
static const char *out;
static FILE *watched;

static void fail(const char *cause)
{
    fprintf(stderr, "truth: %s\n", cause);
    exit(1);
}

static void *allocate(size_t count, size_t size)
{
    void *memory = calloc(count, size);

    if (!memory) {
        fail("out of memory");
    }
    return memory;
}

static struct instruction *instruction_at(uint32_t address)
{
    struct instruction **page = &pages[address >> PAGE_BITS];

    if (!*page) {
        *page = allocate(1u << (PAGE_BITS - 1), sizeof(**page));
    }
    return &(*page)[address >> 1 & ((1u << (PAGE_BITS - 1)) - 1)];
}

static unsigned context_index(unsigned id)
{
    for (unsigned i = 0; i < context_count; i++) {
        if (contexts[i].id == id) {
            return i;
        }
    }
    if (context_count == CONTEXTS) {
        fail("too many contexts");
    }
    contexts[context_count] = (struct context){.id = id, .least = UINT64_MAX};
    return context_count++;
}

static bool goes_on(const struct instruction *instruction)
{
    return instruction->thumb.kind == THUMB_PLAIN
           || instruction->thumb.conditional || instruction->it_left > 0;
}

/* Whether control can have come from `last` to `here` without an exception. */
static bool reaches(const struct instruction *last,
                    const struct instruction *here)
{
    return last->thumb.target == here->address
           || (last->next == here->address && goes_on(last));
}

/* Whether the handler's last instruction was its return from the exception. */
static bool has_returned(const struct instruction *here)
{
    const struct instruction *last = frame->last;

    if (frame == frames || frame->depth > 0 || reaches(last, here)) {
        return false;
    }
    if (last->thumb.kind == THUMB_INDIRECT) {
        /* A jump within the handler, unless the interrupted code goes on. */
        const struct instruction *interrupted = frame[-1].last;

        return here->exception || reaches(interrupted, here);
    }
    return last->thumb.kind == THUMB_RETURN;
}

static void name_context(char *name, size_t size, unsigned context)
{
    unsigned id = contexts[context].id;

    snprintf(name, size, "%s%u", id & PROFILER ? "p" : "",
             id & ~(unsigned)PROFILER);
}

static void log_watched(unsigned context, uint32_t address)
{
    char name[16];

    name_context(name, sizeof(name), context);
    if (fprintf(watched, "%s %08" PRIx32 " %" PRIu64 "\n", name, address, ran)
        < 0) {
        fail("cannot write the file given by watched=");
    }
}

static void enter(const struct instruction *here)
{
    bool apart = here->trampoline || profilers[here->exception];

    if (++frame == frames + NESTING) {
        fail("exceptions nest too deep: a return was missed");
    }
    frame->context =
            context_index(here->exception + (apart ? (unsigned)PROFILER : 0));
    frame->last = NULL;
    frame->executed = 0;
    frame->depth = 0;
    contexts[frame->context].entries += counting;
}

static void leave(void)
{
    struct context *context = &contexts[frame->context];

    if (counting) {
        frame->last->tallies[frame->context].taken++;
        if (frame->executed < context->least) {
            context->least = frame->executed;
        }
        if (frame->executed > context->most) {
            context->most = frame->executed;
        }
    }
    frame--;
}

/* Anything but going on from a plain instruction to the next. */
static void arrive(const struct instruction *here)
{
    if (has_returned(here)) {
        leave();
    }
    if (here->exception && frame->last && !reaches(frame->last, here)) {
        enter(here);
    }
    if (frame->depth > 0 && frame->returns[frame->depth - 1] == here->address) {
        frame->depth--;
    }
    if (frame->last && frame->last->next != here->address
        && frame->last->thumb.kind != THUMB_PLAIN && counting) {
        frame->last->tallies[frame->context].taken++;
    }
}

/* Thread mode never returns further than it called, so needs no stack. */
static void push_return(uint32_t address)
{
    if (frame == frames) {
        return;
    }
    if (frame->depth == DEPTH) {
        fail("a handler's calls nest too deep: a return was missed");
    }
    frame->returns[frame->depth++] = address;
}

static void on_instruction(unsigned cpu, void *data)
{
    struct instruction *here = data;
    const struct instruction *last = frame->last;

    (void)cpu;
    if (!last || last->next != here->address
        || last->thumb.kind != THUMB_PLAIN) {
        arrive(here);
    }
    if (here->thumb.kind == THUMB_CALL) {
        push_return(here->next);
    }
    frame->last = here;
    frame->executed++;
    here->tallies[frame->context].executed += counting;
    if (here->watched && watched) {
        log_watched(frame->context, here->address);
    }
    ran++;
}

static void on_window(unsigned cpu, void *data)
{
    const struct instruction *here = data;

    (void)cpu;
    counting = here->address == from;
}

static void on_access(unsigned cpu, qemu_plugin_meminfo_t info,
                      uint64_t address, void *data)
{
    (void)cpu;
    (void)data;
    if (!qemu_plugin_mem_is_store(info)) {
        if (address == clock_register && watched) {
            log_watched(frame->context, clock_register);
        }
        return;
    }
    for (unsigned i = 0; i < task_count; i++) {
        if (tasks[i] == address) {
            frames[0].context = context_index(TASK_FIRST + i);
            if (watched) {
                log_watched(frames[0].context, tasks[i]);
            }
        }
    }
}

static void decode(struct instruction *instruction,
                   const struct qemu_plugin_insn *insn)
{
    uint16_t halves[2] = {0, 0};
    size_t size = qemu_plugin_insn_size(insn);

    memcpy(halves, qemu_plugin_insn_data(insn), size);
    instruction->address = (uint32_t)qemu_plugin_insn_vaddr(insn);
    instruction->next = instruction->address + (uint32_t)size;
    instruction->thumb =
            thumb_decode(instruction->address, halves[0], halves[1]);
    /*
     * Execution comes to the inside of an IT block only through the IT, so
     * this is in time wherever the translation is cut.
     */
    if (instruction->thumb.it > 0 || instruction->it_left > 0) {
        instruction_at(instruction->next)->it_left =
                (uint8_t)(instruction->thumb.it > 0
                                  ? instruction->thumb.it
                                  : instruction->it_left - 1u);
    }
    if (!instruction->known) {
        instruction->known = true;
        instruction->tallies = allocate(CONTEXTS, sizeof(struct tally));
    }
}

static void on_translate(qemu_plugin_id_t id, struct qemu_plugin_tb *block)
{
    size_t count = qemu_plugin_tb_n_insns(block);

    (void)id;
    for (size_t i = 0; i < count; i++) {
        struct qemu_plugin_insn *insn = qemu_plugin_tb_get_insn(block, i);
        struct instruction *instruction =
                instruction_at((uint32_t)qemu_plugin_insn_vaddr(insn));

        decode(instruction, insn);
        if (instruction->address == from || instruction->address == until) {
            qemu_plugin_register_vcpu_insn_exec_cb(
                    insn, on_window, QEMU_PLUGIN_CB_NO_REGS, instruction);
        }
        qemu_plugin_register_vcpu_insn_exec_cb(
                insn, on_instruction, QEMU_PLUGIN_CB_NO_REGS, instruction);
        if (task_count > 0 || clock_register != 0) {
            qemu_plugin_register_vcpu_mem_cb(insn, on_access,
                                             QEMU_PLUGIN_CB_NO_REGS,
                                             QEMU_PLUGIN_MEM_RW, NULL);
        }
    }
}

static void write_counts(FILE *file, const char *name, unsigned context)
{
    for (size_t page = 0; page < sizeof(pages) / sizeof(*pages); page++) {
        for (size_t i = 0; pages[page] && i < 1u << (PAGE_BITS - 1); i++) {
            const struct instruction *instruction = &pages[page][i];
            const struct tally *tally =
                    instruction->known ? &instruction->tallies[context] : NULL;

            if (tally && tally->executed > 0) {
                fprintf(file,
                        "count %s %08" PRIx32 " %" PRIu64 " %" PRIu64 "\n",
                        name, instruction->address, tally->executed,
                        tally->taken);
            }
        }
    }
}

static uint64_t total(void)
{
    uint64_t sum = 0;

    for (size_t page = 0; page < sizeof(pages) / sizeof(*pages); page++) {
        for (size_t i = 0; pages[page] && i < 1u << (PAGE_BITS - 1); i++) {
            for (unsigned c = 0; pages[page][i].known && c < CONTEXTS; c++) {
                sum += pages[page][i].tallies[c].executed;
            }
        }
    }
    return sum;
}

static void on_exit(qemu_plugin_id_t id, void *data)
{
    FILE *file = fopen(out, "w");

    (void)id;
    (void)data;
    if (!file) {
        fail("cannot write the file given by out=");
    }
    fprintf(file, "total %" PRIu64 "\n", total());
    for (unsigned i = 0; i < context_count; i++) {
        const struct context *context = &contexts[i];
        char name[16];

        name_context(name, sizeof(name), i);
        if (context->most > 0) {
            fprintf(file, "run %s %" PRIu64 " %" PRIu64 " %" PRIu64 "\n", name,
                    context->entries, context->least, context->most);
        }
        write_counts(file, name, i);
    }
    if (fclose(file) != 0) {
        fail("cannot write the file given by out=");
    }
    if (watched && fclose(watched) != 0) {
        fail("cannot write the file given by watched=");
    }
}

static void read_vectors(const char *path)
{
    FILE *file = fopen(path, "r");
    unsigned exception;
    uint32_t address;

    if (!file) {
        fail("cannot read the file given by vectors=");
    }
    while (fscanf(file, "%u %" SCNx32, &exception, &address) == 2) {
        struct instruction *handler = instruction_at(address & ~1u);

        if (exception > 1 && exception < EXCEPTIONS && !handler->exception) {
            handler->exception = (uint16_t)exception;
        }
    }
    fclose(file);
}

static void read_watch(const char *path)
{
    FILE *file = fopen(path, "r");
    uint32_t address;

    if (!file) {
        fail("cannot read the file given by watch=");
    }
    while (fscanf(file, "%" SCNx32 "%*[^\n]", &address) == 1) {
        instruction_at(address & ~1u)->watched = true;
    }
    fclose(file);
}

static void open_watched(const char *path)
{
    watched = fopen(path, "w");
    if (!watched) {
        fail("cannot write the file given by watched=");
    }
}

static void take_trampoline(const char *value)
{
    unsigned exception;
    uint32_t address;
    struct instruction *first;

    if (sscanf(value, "%u@%" SCNx32, &exception, &address) != 2
        || exception <= 1 || exception >= EXCEPTIONS) {
        fail("a trampoline is EXCEPTION@ADDRESS");
    }
    first = instruction_at(address & ~1u);
    first->exception = (uint16_t)exception;
    first->trampoline = true;
}

static void take_argument(char *argument)
{
    char *value = strchr(argument, '=');
    uint32_t number;

    if (!value) {
        fail("arguments are KEY=VALUE");
    }
    *value++ = '\0';
    number = (uint32_t)strtoul(value, NULL, 0);
    if (strcmp(argument, "out") == 0) {
        out = value;
    } else if (strcmp(argument, "vectors") == 0) {
        read_vectors(value);
    } else if (strcmp(argument, "profiler") == 0 && number < EXCEPTIONS) {
        profilers[number] = true;
    } else if (strcmp(argument, "trampoline") == 0) {
        take_trampoline(value);
    } else if (strcmp(argument, "task") == 0 && task_count < TASKS) {
        tasks[task_count++] = number;
    } else if (strcmp(argument, "watch") == 0) {
        read_watch(value);
    } else if (strcmp(argument, "watched") == 0) {
        open_watched(value);
    } else if (strcmp(argument, "clock") == 0) {
        clock_register = number;
    } else if (strcmp(argument, "from") == 0) {
        from = number & ~1u;
        counting = false;
    } else if (strcmp(argument, "until") == 0) {
        until = number & ~1u;
    } else {
        fail("unknown argument");
    }
}

int qemu_plugin_install(qemu_plugin_id_t id, const struct qemu_info *info,
                        int argc, char **argv)
{
    (void)info;
    for (int i = 0; i < argc; i++) {
        char *argument = strdup(argv[i]);

        if (!argument) {
            fail("out of memory");
        }
        take_argument(argument); /* kept: `out` points into it */
    }
    if (!out) {
        fail("out=FILE is missing");
    }
    frames[0].context = context_index(0);
    qemu_plugin_register_vcpu_tb_trans_cb(id, on_translate);
    qemu_plugin_register_atexit_cb(id, on_exit, NULL);
    return 0;
}
