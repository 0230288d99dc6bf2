/* SPDX-License-Identifier: MIT */
#ifndef MCUPROF_HOST_ERROR_H
#define MCUPROF_HOST_ERROR_H

/*
 * What went wrong, in a form the command line can print: a code, one line of
 * cause and one line of remedy. Functions return 0 or a negative code; those
 * that have something to say beyond the code also fill a struct error. A
 * lower function's code and text are passed up as they are.
 *
 * A struct error owns nothing; it may live on the stack and be copied.
 */

#ifdef __cplusplus
extern "C" {
#endif

#define MUST_CHECK __attribute__((warn_unused_result))

/* clang-format off */
#define MCUPROF_HOST_ERRORS(X)                                              \
    X(MCUPROF_E_IO,          -1, "cannot read or write")                    \
    X(MCUPROF_E_NOMEM,       -2, "out of memory")                           \
    X(MCUPROF_E_FORMAT,      -3, "not in the expected format")              \
    X(MCUPROF_E_MACHINE,     -4, "not a program for a little-endian Arm")   \
    X(MCUPROF_E_NO_SYMBOLS,  -5, "no symbols")                              \
    X(MCUPROF_E_MISMATCH,    -6, "firmware and ELF are not the same build") \
    X(MCUPROF_E_NO_DATA,     -7, "no data")                                 \
    X(MCUPROF_E_VERSION,     -8, "unknown format version")                  \
    X(MCUPROF_E_UNREACHABLE, -9, "target unreachable")                      \
    X(MCUPROF_E_USAGE,      -10, "wrong usage")                             \
    X(MCUPROF_E_TRUNCATED,  -11, "data end too early")                      \
    X(MCUPROF_E_NOT_FOUND,  -12, "not found")
/* clang-format on */

enum error_code {
#define ERROR_ENUMERATOR(name, value, message) name = (value),
    MCUPROF_HOST_ERRORS(ERROR_ENUMERATOR)
#undef ERROR_ENUMERATOR
};

struct error {
    int code;
    char cause[256];
    char remedy[256];
};

/**
 * Fill ERROR with CODE, the formatted cause and the remedy ("" for none).
 * ERROR may be NULL. Text that does not fit is cut, control characters
 * (a hostile file name, say) and invalid UTF-8 become '?'.
 * returns CODE, so that callers can write `return error_set(...)`
 */
int error_set(struct error *error, int code, const char *remedy,
              const char *cause_format, ...)
        __attribute__((format(printf, 4, 5)));

/** A few words for CODE, for use where no struct error was filled. */
const char *error_message(int code);

#ifdef __cplusplus
}
#endif

#endif
