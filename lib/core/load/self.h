/*
 * SPDX-License-Identifier: MIT
 *
 * self.h - this library as the dynamic linker sees it.
 */
#ifndef MONOCLE_LOAD_SELF_H
#define MONOCLE_LOAD_SELF_H

#include <stdbool.h>
#include <stddef.h>

/* The folder that holds this library (or the program, when the core is linked into it), "" when unknown. */
const char *monocle__self_folder (void);
/* Puts our mono_* functions where modules look for them. Idempotent; normal context. */
void monocle__self_enter_global_scope (void);
/* Keeps modules that were linked to Mono's library from bringing it in. Idempotent; normal context. */
void monocle__self_open_compat (void);
/*
 * Opens a library of ours, `directory` and `below` put together, if it is there and no stranger can have put it there;
 * `flags`: RTLD_LOCAL or RTLD_GLOBAL. Normal context.
 */
bool monocle__self_open_library (const char *directory, const char *below, int flags);
/*
 * Is there another library whose mono_* functions are, or could be, the ones that modules call: a Mono, or another copy
 * of this library with a host? Writes who into `ret_who` and answers true. Normal context.
 */
bool monocle__self_has_rival (char *ret_who, size_t size);

#endif
