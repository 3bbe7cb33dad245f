/*
 * SPDX-License-Identifier: MIT
 *
 * roots.h - the kinds of roots that are reported to modules.
 */
#ifndef MONOCLE_CLR_ROOTS_H
#define MONOCLE_CLR_ROOTS_H

#include <stdint.h>
#include "corprof.h"

/* At the end of the init window. */
void monocle__roots_register (void);
/* References that the runtime's events tell of, 32 at most. World stopped. */
void monocle__roots_found (uint32_t count, ObjectID *objects, const uint8_t *of_kinds, const uint32_t *of_flags);

#endif
