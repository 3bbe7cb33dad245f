/*
 * SPDX-License-Identifier: MIT
 *
 * precompiled.h - the ReadyToRun code of the images that are loaded, by address. For codemap.c only.
 */
#ifndef MONOCLE_CLR_PRECOMPILED_H
#define MONOCLE_CLR_PRECOMPILED_H

#include "codemap.h"

/*
 * Lets the image's code be found; all of it has a name when monocle__precompiled_index () has run. False: the image has
 * no such code, or none that could be read. Once per image, which is never unloaded: the runtime uses no such code of
 * collectible ones. Normal context.
 */
bool monocle__precompiled_add (monocle__clr_image *image);
/* Does what is left to do of all images that came. One thread at a time. */
void monocle__precompiled_index (void);
/* As monocle__codemap_find (). */
bool monocle__precompiled_find (uintptr_t ip, monocle__code *ret);
/* The method of the code at an instance's address that the tables did not name. Any context. */
void monocle__precompiled_name (uintptr_t ip, MonoMethod *method);
/* Bytes that tables take which were made here. Any context. */
uint64_t monocle__precompiled_bytes (void);

#endif
