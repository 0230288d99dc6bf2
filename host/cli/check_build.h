/* SPDX-License-Identifier: MIT */
#ifndef MCUPROF_CLI_CHECK_BUILD_H
#define MCUPROF_CLI_CHECK_BUILD_H

/*
 * Refuse what would give wrong names: another build of the firmware, several
 * firmwares in one capture.
 */

#include "capture.h"
#include "error.h"
#include "modules.h"

#include <stdbool.h>

/**
 * Check that CAPTURE, of that NAME, is of one firmware, unless FORCED.
 * errors: MCUPROF_E_MISMATCH
 */
int check_one_build(const struct capture *capture, const char *name,
                    bool forced, struct error *error) MUST_CHECK;

/**
 * Check that CAPTURE's firmware is one of MODULES, unless FORCED or unknown.
 * errors: MCUPROF_E_MISMATCH
 */
int check_build(const struct capture *capture, struct modules *modules,
                bool forced, struct error *error) MUST_CHECK;

#endif
