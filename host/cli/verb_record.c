/* SPDX-License-Identifier: MIT */
#include "verbs.h"

#include "capture.h"
#include "complain.h"
#include "find_elf.h"
#include "identity.h"
#include "load.h"
#include "modules.h"
#include "source.h"
#include "units.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#ifndef MCUPROF_PROGRAM_VERSION
#define MCUPROF_PROGRAM_VERSION "0"
#endif

#define BLOCK_SIZE 65536
#define WAIT_MS 100
/* A frame on its way takes 22 ms at 115,200 baud; more is not worth it. */
#define GRACE_MS 100
#define PROGRESS_MS 250

/* The signal that asks us to stop; 0 while none came. */
static volatile sig_atomic_t stop_signal;

static void on_signal(int number)
{
    stop_signal = number;
}

static void catch_signals(void)
{
    struct sigaction action = {.sa_handler = on_signal};

    (void)sigemptyset(&action.sa_mask);
    /* A second Ctrl-C ends the program the hard way. */
    action.sa_flags = (int)SA_RESETHAND;
    (void)sigaction(SIGINT, &action, NULL);
    (void)sigaction(SIGTERM, &action, NULL);
    (void)sigaction(SIGHUP, &action, NULL);
}

static uint64_t now_ms(clockid_t clock)
{
    struct timespec time;

    (void)clock_gettime(clock, &time);
    return (uint64_t)time.tv_sec * 1000 + (uint64_t)time.tv_nsec / 1000000;
}

struct recording {
    const struct settings *settings;
    const char *spec;        /* of the source */
    const char *path;        /* of the file */
    char elf[4096];          /* absolute, or "" */
    struct modules *modules; /* one, or NULL without an ELF */
    struct source *source;
    struct capture *capture;
    int file; /* -1 until the first byte comes */
    uint64_t saved;
    uint64_t begin;
    uint64_t progress; /* time of the last progress line */
    uint64_t stopped;  /* time of the wish to stop, 0 while there is none */
    bool terminal;
    bool reader_gone; /* standard output is a pipe that nobody reads */
    int decode_error; /* bytes are saved all the same */
};

/* The capture may be reported from another folder. */
static void make_absolute(char *out, size_t size, const char *path)
{
    size_t used = 0;

    if (path[0] != '/' && getcwd(out, size - 1) != NULL) {
        used = strlen(out);
        out[used++] = '/';
    }
    (void)snprintf(out + used, size - used, "%s", path);
}

/* A wrong -e is worth knowing before the recording, not after. */
static int open_elf(struct recording *recording, struct error *error)
{
    const struct words *elfs = &recording->settings->elfs;
    const char *given =
            elfs->count > 0 ? elfs->items[0] : getenv("MCUPROF_ELF");

    if (elfs->count > 1)
        return error_set(error, MCUPROF_E_USAGE,
                         "name the others with -e when you report",
                         "a recording keeps the name of one ELF, not of %zu",
                         elfs->count);
    if (given == NULL || given[0] == '\0')
        return 0;
    make_absolute(recording->elf, sizeof recording->elf, given);
    /* Which one in it ran is seen when it is reported. */
    if (find_elf_is_directory(given))
        return 0;
    recording->modules = modules_new();
    if (recording->modules == NULL)
        return error_set(error, MCUPROF_E_NOMEM, "", "out of memory");
    return modules_add(recording->modules, given, error);
}

static int write_error(const struct recording *recording, struct error *error)
{
    char saved[UNITS_MAX];
    int problem = errno;

    return error_set(
            error, MCUPROF_E_IO,
            problem == ENOSPC || problem == EFBIG || problem == EDQUOT
                    ? "free some space or save elsewhere with -o; what was "
                      "saved can be reported"
                    : "check the path given with -o",
            "cannot write %s: %s (%s bytes were saved)", recording->path,
            strerror(problem), units_count(saved, recording->saved));
}

static int save(struct recording *recording, const uint8_t *bytes, size_t size,
                struct error *error)
{
    while (size > 0) {
        ssize_t written = write(recording->file, bytes, size);

        if (written < 0 && errno == EINTR)
            continue;
        if (written < 0) {
            recording->reader_gone = errno == EPIPE;
            return write_error(recording, error);
        }
        recording->saved += (uint64_t)written;
        bytes += written;
        size -= (size_t)written;
    }
    return 0;
}

/*
 * The previous capture stays as .old, so that it may even be the source;
 * devices and pipes are left alone.
 */
static int keep_previous(const char *path, struct error *error)
{
    struct stat status;
    char kept[4096];

    if (stat(path, &status) < 0 || !S_ISREG(status.st_mode))
        return 0;
    (void)snprintf(kept, sizeof kept, "%s.old", path);
    if (rename(path, kept) == 0)
        return 0;
    return error_set(
            error, MCUPROF_E_IO,
            "check your rights to the folder, or save elsewhere with -o",
            "cannot keep %s as %s: %s", path, kept, strerror(errno));
}

static int save_host_frame(struct recording *recording, struct error *error)
{
    uint8_t payload[MCUPROF_WIRE_PAYLOAD_MAX];
    uint8_t bytes[MCUPROF_WIRE_FRAME_MAX];
    uint64_t time = now_ms(CLOCK_REALTIME);
    struct frame frame = {.type = MCUPROF_WIRE_HOST, .payload = payload};

    frame.size = decode_pack_host(payload, time, MCUPROF_PROGRAM_VERSION,
                                  recording->elf);
    if (frame.size == 0) {
        warn("give it again with -e to `mcuprof report`",
             "the path of the ELF is too long to be kept");
        frame.size =
                decode_pack_host(payload, time, MCUPROF_PROGRAM_VERSION, "");
    }
    return save(recording, bytes, frame_encode(bytes, &frame), error);
}

static int open_file(struct recording *recording, struct error *error)
{
    int result;

    if (strcmp(recording->path, "-") == 0) {
        recording->file = STDOUT_FILENO;
        return save_host_frame(recording, error);
    }
    result = keep_previous(recording->path, error);
    if (result < 0)
        return result;
    recording->file = open(recording->path,
                           O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (recording->file < 0)
        return write_error(recording, error);
    return save_host_frame(recording, error);
}

static int take(struct recording *recording, const uint8_t *bytes, size_t size,
                struct error *error)
{
    int result = 0;

    if (recording->file < 0)
        result = open_file(recording, error);
    if (result == 0)
        result = save(recording, bytes, size, error);
    if (recording->decode_error == 0)
        recording->decode_error = capture_feed(recording->capture, bytes, size);
    return result;
}

static void show_progress(struct recording *recording)
{
    const struct ledger_totals *totals = capture_totals(recording->capture);
    uint64_t now = now_ms(CLOCK_MONOTONIC);
    char samples[UNITS_MAX];
    char lost[UNITS_MAX];
    char bytes[UNITS_MAX];

    if (!recording->terminal || now - recording->progress < PROGRESS_MS)
        return;
    recording->progress = now;
    (void)fprintf(stderr,
                  "\r%6.1f s  %s samples, %s lost, %s bytes; Ctrl-C ends\033[K",
                  (double)(now - recording->begin) / 1000.0,
                  units_count(samples, totals->samples.received),
                  units_count(lost, totals->samples.lost_target
                                            + totals->samples.lost_line),
                  units_count(bytes, recording->saved));
}

/*
 * After a signal or the end of the time the frame on its way is still waited
 * for, a little: a recording should not end in the middle of one.
 */
static bool is_over(struct recording *recording)
{
    uint64_t now = now_ms(CLOCK_MONOTONIC);
    uint64_t duration = recording->settings->duration_ms;

    if (recording->stopped == 0
        && (stop_signal != 0
            || (duration != 0 && now - recording->begin >= duration)))
        recording->stopped = now;
    return recording->stopped != 0
           && (!deframer_unfinished(&recording->capture->deframer)
               || now - recording->stopped >= GRACE_MS);
}

static int wait_ms(const struct recording *recording)
{
    uint64_t duration = recording->settings->duration_ms;

    return duration != 0 && duration < WAIT_MS ? (int)duration : WAIT_MS;
}

static int copy(struct recording *recording, struct error *error)
{
    uint8_t *block = malloc(BLOCK_SIZE);
    long got = SOURCE_NOTHING_YET;
    int result = 0;

    if (block == NULL)
        return error_set(error, MCUPROF_E_NOMEM, "", "out of memory");
    while (result == 0 && got != 0 && !is_over(recording)) {
        got = source_read(recording->source, block, BLOCK_SIZE,
                          wait_ms(recording), error);
        if (got > 0)
            result = take(recording, block, (size_t)got, error);
        else if (got < 0 && got != SOURCE_NOTHING_YET)
            result = (int)got;
        show_progress(recording);
    }
    free(block);
    return result;
}

static int close_file(struct recording *recording, struct error *error)
{
    int result = 0;

    if (recording->file >= 0 && recording->file != STDOUT_FILENO
        && close(recording->file) < 0)
        result = write_error(recording, error);
    recording->file = -1;
    return result;
}

static void warn_of_another_build(const struct recording *recording)
{
    const struct capture *capture = recording->capture;
    char firmware[IDENTITY_TEXT_MAX];
    char have[IDENTITY_TEXT_MAX];

    if (recording->modules == NULL || capture->identity_count == 0
        || identity_check(modules_get(recording->modules, 0)->image,
                          &capture->identities[0], have)
                   != IDENTITY_MISMATCH)
        return;
    identity_format(&capture->identities[0], firmware);
    warn("report it with the ELF that was flashed",
         "another build: the firmware is %s, the ELF is %s", firmware, have);
}

/* "1,000 samples, 3 lost" */
static void print_counts(const struct ledger_counts *counts, const char *what)
{
    char came[UNITS_MAX];
    char lost[UNITS_MAX];

    (void)fprintf(stderr, "%s %s, %s lost", units_count(came, counts->received),
                  what,
                  units_count(lost, counts->lost_target + counts->lost_line));
}

static void summarize(const struct recording *recording)
{
    const struct ledger_totals *totals = capture_totals(recording->capture);
    bool has_trace = totals->trace.received > 0;

    (void)fprintf(stderr, "%s: ",
                  strcmp(recording->path, "-") == 0 ? "standard output"
                                                    : recording->path);
    if (!has_trace || totals->samples.produced > 0)
        print_counts(&totals->samples, "samples");
    if (has_trace && totals->samples.produced > 0)
        (void)fputs("; ", stderr);
    if (has_trace)
        print_counts(&totals->trace, "records of the call ring");
    (void)fputc('\n', stderr);
    warn_of_another_build(recording);
}

/* What the recording was good for, once all that came is saved. */
static int judge(struct recording *recording, struct error *error)
{
    const char *name = recording->spec;

    if (recording->decode_error == 0)
        recording->decode_error = capture_end(recording->capture);
    if (recording->decode_error < 0)
        return capture_explain(recording->capture, recording->decode_error,
                               name, error);
    if (recording->saved == 0)
        return source_explain_nothing(recording->source, error);
    return capture_check(recording->capture, name, error);
}

static int record(struct recording *recording, struct error *error)
{
    int result = open_elf(recording, error);
    int closing;

    if (result == 0)
        result = load_source(&recording->source, recording->spec,
                             &recording->settings->elfs, error);
    if (result < 0)
        return result;
    recording->capture = capture_new();
    if (recording->capture == NULL)
        return error_set(error, MCUPROF_E_NOMEM, "", "out of memory");
    catch_signals();
    recording->begin = now_ms(CLOCK_MONOTONIC);
    result = copy(recording, error);
    closing = close_file(recording, result == 0 ? error : NULL);
    if (recording->terminal && recording->progress != 0)
        (void)fputs("\r\033[K", stderr);
    if (result == 0)
        result = closing;
    return result == 0 ? judge(recording, error) : result;
}

int verb_record(const struct settings *settings)
{
    struct recording recording = {
            .settings = settings,
            .spec = settings->arguments[0],
            .path = settings->output != NULL ? settings->output
                                             : DEFAULT_CAPTURE,
            .file = -1,
            .terminal = isatty(STDERR_FILENO),
    };
    struct error error;
    int result = record(&recording, &error);
    int status = 0;

    if (recording.reader_gone)
        status = STATUS_SIGNAL + SIGPIPE;
    else if (recording.capture != NULL && recording.saved > 0)
        summarize(&recording);
    if (result < 0 && !recording.reader_gone)
        status = complain(&error);
    if (stop_signal != 0)
        status = STATUS_SIGNAL + (int)stop_signal;
    source_close(recording.source);
    capture_free(recording.capture);
    modules_free(recording.modules);
    return status;
}
