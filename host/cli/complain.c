/* SPDX-License-Identifier: MIT */
#include "complain.h"

#include <stdarg.h>
#include <stdio.h>

static const struct {
    int code;
    enum status status;
} statuses[] = {
        {MCUPROF_E_USAGE, STATUS_USAGE},
        {MCUPROF_E_UNREACHABLE, STATUS_UNREACHABLE},
};

static void print(const char *kind, const char *cause, const char *remedy)
{
    (void)fprintf(stderr, "mcuprof: %s%s\n", kind, cause);
    if (remedy[0] != '\0')
        (void)fprintf(stderr, "  %s\n", remedy);
}

int complain(const struct error *error)
{
    print("", error->cause, error->remedy);
    for (size_t i = 0; i < sizeof statuses / sizeof statuses[0]; i++)
        if (statuses[i].code == error->code)
            return (int)statuses[i].status;
    return STATUS_FAILED;
}

int complain_usage(const char *remedy, const char *cause_format, ...)
{
    struct error error;
    char cause[sizeof error.cause];
    va_list arguments;

    va_start(arguments, cause_format);
    (void)vsnprintf(cause, sizeof cause, cause_format, arguments);
    va_end(arguments);
    (void)error_set(&error, MCUPROF_E_USAGE, remedy, "%s", cause);
    return complain(&error);
}

void warn(const char *remedy, const char *cause_format, ...)
{
    struct error error;
    char cause[sizeof error.cause];
    va_list arguments;

    va_start(arguments, cause_format);
    (void)vsnprintf(cause, sizeof cause, cause_format, arguments);
    va_end(arguments);
    (void)error_set(&error, 0, remedy, "%s", cause);
    print("warning: ", error.cause, error.remedy);
}
