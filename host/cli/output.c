/* SPDX-License-Identifier: MIT */
#include "output.h"

#include "complain.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#define WIDTH_DEFAULT 100
#define WIDTH_MIN 60

static bool wants_color(enum color color)
{
    const char *no_color = getenv("NO_COLOR");
    const char *terminal = getenv("TERM");

    if (color != COLOR_AUTO)
        return color == COLOR_ALWAYS;
    /* https://no-color.org: present and not empty */
    if (no_color != NULL && no_color[0] != '\0')
        return false;
    return isatty(STDOUT_FILENO) && terminal != NULL
           && strcmp(terminal, "dumb") != 0;
}

static unsigned terminal_width(void)
{
    struct winsize size;

    if (!isatty(STDOUT_FILENO))
        return 0;
    if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) < 0 || size.ws_col == 0)
        return WIDTH_DEFAULT;
    return size.ws_col < WIDTH_MIN ? WIDTH_MIN : size.ws_col;
}

int output_begin(struct output *output, enum color color)
{
    struct error error;

    memset(output, 0, sizeof *output);
    output->color = wants_color(color);
    output->width = terminal_width();
    output->stream = open_memstream(&output->text, &output->size);
    if (output->stream != NULL)
        return 0;
    (void)error_set(&error, MCUPROF_E_NOMEM, "", "out of memory");
    return complain(&error);
}

/* 0 or an errno. */
static int write_all(const char *text, size_t size)
{
    while (size > 0) {
        ssize_t written = write(STDOUT_FILENO, text, size);

        if (written < 0 && errno == EINTR)
            continue;
        if (written < 0)
            return errno;
        text += written;
        size -= (size_t)written;
    }
    return 0;
}

bool output_flush(struct output *output)
{
    if (output->problem == 0 && fflush(output->stream) != 0)
        output->problem = ENOMEM;
    if (output->problem == 0)
        output->problem = write_all(output->text, output->size);
    /* The stream's size follows its position: what was written is gone. */
    if (output->problem == 0 && fseeko(output->stream, 0, SEEK_SET) < 0)
        output->problem = ENOMEM;
    return output->problem == 0;
}

int output_end(struct output *output, int status)
{
    struct error error;
    int problem = output->problem;

    if (fclose(output->stream) != 0 && problem == 0)
        problem = ENOMEM;
    if (problem == 0 && (status == 0 || status == STATUS_INCOMPLETE))
        problem = write_all(output->text, output->size);
    free(output->text);
    if (problem == EPIPE)
        return STATUS_SIGNAL + SIGPIPE;
    if (problem == 0)
        return status;
    (void)error_set(&error, MCUPROF_E_IO,
                    problem == ENOSPC ? "free some space, or write elsewhere"
                                      : "check where standard output goes",
                    "cannot write to standard output: %s", strerror(problem));
    return complain(&error);
}

static const char *escape(const struct output *output, const char *sequence)
{
    return output->color ? sequence : "";
}

const char *output_bold(const struct output *output)
{
    return escape(output, "\033[1m");
}

const char *output_faint(const struct output *output)
{
    return escape(output, "\033[36m");
}

const char *output_alarm(const struct output *output)
{
    return escape(output, "\033[33m");
}

const char *output_plain(const struct output *output)
{
    return escape(output, "\033[0m");
}
