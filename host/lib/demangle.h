/* SPDX-License-Identifier: MIT */
#ifndef MCUPROF_HOST_DEMANGLE_H
#define MCUPROF_HOST_DEMANGLE_H

/*
 * The names of C++ and Rust as their authors wrote them.
 */

#include "error.h"

#ifdef __cplusplus
extern "C" {
#endif

enum demangle {
    DEMANGLE_SIMPLE, /* without parameters, return type and Rust's hash */
    DEMANGLE_FULL,
    DEMANGLE_NO
};

/* Longer results are cut, and end in "...". */
#define DEMANGLE_MAX 1024

/**
 * Write the readable form of NAME into OUT; NAME itself if it is not mangled
 * or makes no sense. Control characters become '?'. Time and memory are
 * bounded, whatever NAME holds.
 */
void demangle(enum demangle style, const char *name, char out[DEMANGLE_MAX]);

#ifdef __cplusplus
}
#endif

#endif
