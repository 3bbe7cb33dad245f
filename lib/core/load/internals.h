/*
 * SPDX-License-Identifier: MIT
 *
 * internals.h - the library of functions that only Mono's own modules use (lib/internals).
 */
#ifndef MONOCLE_LOAD_INTERNALS_H
#define MONOCLE_LOAD_INTERNALS_H

#include <stdbool.h>

/*
 * Is it one of the library's names, and is the library open? It is opened when the first of them is asked for. Normal
 * context.
 */
bool monocle__internals_supply (const char *name);
/* The library's file, if it is one of its names; else NULL. */
const char *monocle__internals_supplier (const char *name);
/* Does the file that this code is in need names of the library? Normal context. */
bool monocle__internals_are_needed (const void *code);

#endif
