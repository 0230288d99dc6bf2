/* SPDX-License-Identifier: MIT */

/*
 * A link with commands. A line that is too long runs over the buffer into the
 * pointer behind it; nothing happens until that pointer is used.
 */
#include "crash_link.h"

#include <stddef.h>

struct counters {
    unsigned lines;
    unsigned errors;
};

static struct counters link_counters;

static struct {
    char line[12];
    struct counters *counters;
} link = {"", &link_counters};

void link_copy(const char *line);
int link_is(const char *command);
void link_set_speed(void);
void link_set_mode(void);
void link_dispatch(void);
void link_count(void);

/* The defect: it does not look how long the line is. */
void link_copy(const char *line)
{
    char *to = link.line;

    while ((*to++ = *line++) != '\0') {
    }
}

int link_is(const char *command)
{
    const char *line = link.line;

    while (*command != '\0' && *command == *line) {
        command++;
        line++;
    }
    return *command == '\0';
}

void link_set_speed(void)
{
}

void link_set_mode(void)
{
}

void link_dispatch(void)
{
    if (link_is("mode ")) {
        link_set_mode();
    } else if (link_is("speed ")) {
        link_set_speed();
    }
}

/* Here it faults. */
void link_count(void)
{
    link.counters->lines++;
}

void link_receive(const char *line)
{
    link_copy(line);
    link_dispatch();
    link_count();
}
