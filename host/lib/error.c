/* SPDX-License-Identifier: MIT */
#include "error.h"

#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

static const struct {
    int code;
    const char *name;
    const char *message;
} table[] = {
#define ERROR_ROW(name, value, message) {(value), #name, (message)},
        MCUPROF_HOST_ERRORS(ERROR_ROW)
#undef ERROR_ROW
};

/* Bytes of 0x80 and up stay: they are somebody's file name in UTF-8. */
static void strip_controls(char *text)
{
    for (; *text != '\0'; text++) {
        unsigned char c = (unsigned char)*text;

        if (c < 0x20 || c == 0x7F)
            *text = '?';
    }
}

int error_set(struct error *error, int code, const char *remedy,
              const char *cause_format, ...)
{
    va_list arguments;

    if (error == NULL)
        return code;
    error->code = code;
    va_start(arguments, cause_format);
    (void)vsnprintf(error->cause, sizeof error->cause, cause_format, arguments);
    va_end(arguments);
    (void)snprintf(error->remedy, sizeof error->remedy, "%s", remedy);
    strip_controls(error->cause);
    strip_controls(error->remedy);
    return code;
}

const char *error_name(int code)
{
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++)
        if (table[i].code == code)
            return table[i].name;
    return "unknown";
}

const char *error_message(int code)
{
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++)
        if (table[i].code == code)
            return table[i].message;
    return code == 0 ? "no error" : "unknown error";
}
