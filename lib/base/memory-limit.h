/*
 * SPDX-License-Identifier: MIT
 *
 * memory-limit.h - how much memory this process may have: what its control groups and its own limits say.
 */
#ifndef MONOCLE_BASE_MEMORY_LIMIT_H
#define MONOCLE_BASE_MEMORY_LIMIT_H

#include <stdint.h>

/*
 * The lowest limit in bytes; UINT64_MAX: there is none. *ret_whose says whose it is ("the control group's memory
 * limit"), in static text, and is untouched where there is none. `root` is "", or a folder that tests look at in the
 * place of the root folder. Normal context.
 */
uint64_t monocle__memory_limit (const char *root, const char **ret_whose);

#endif
