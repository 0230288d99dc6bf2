/* SPDX-License-Identifier: MIT */
#include "error.h"

#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#include "text.h"

static const struct {
    int code;
    const char *message;
} table[] = {
#define ERROR_ROW(name, value, message) {(value), (message)},
        MCUPROF_HOST_ERRORS(ERROR_ROW)
#undef ERROR_ROW
};

int error_set(struct error *error, int code, const char *remedy,
              const char *cause_format, ...)
{
    char cause[sizeof error->cause + 4]; /* so that a cut shows */
    va_list arguments;

    if (error == NULL)
        return code;
    error->code = code;
    va_start(arguments, cause_format);
    (void)vsnprintf(cause, sizeof cause, cause_format, arguments);
    va_end(arguments);
    text_clean(error->cause, sizeof error->cause, cause);
    text_clean(error->remedy, sizeof error->remedy, remedy);
    return code;
}

const char *error_message(int code)
{
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++)
        if (table[i].code == code)
            return table[i].message;
    return code == 0 ? "no error" : "unknown error";
}
