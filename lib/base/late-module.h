/*
 * SPDX-License-Identifier: MIT
 *
 * late-module.h - modules that have to be there from the program's beginning.
 */
#ifndef MONOCLE_BASE_LATE_MODULE_H
#define MONOCLE_BASE_LATE_MODULE_H

#include <stdbool.h>
#include <stddef.h>

/* Why the module of this description, NAME[:ARGS], cannot come later on this runtime; NULL: it can, for all we know. */
const char *monocle__late_module_refusal (const char *desc, bool is_mono);

#endif
