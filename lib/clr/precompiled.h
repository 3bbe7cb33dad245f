/*
 * SPDX-License-Identifier: MIT
 *
 * precompiled.h - the ReadyToRun code of the images that are loaded, by address. For codemap.c only.
 */
#ifndef MONOCLE_CLR_PRECOMPILED_H
#define MONOCLE_CLR_PRECOMPILED_H

#include "codemap.h"

/*
 * Makes the way back from addresses to methods. False: the image has no such code, or none that could be read. Once per
 * image, which is never unloaded: the runtime uses no such code of collectible ones. Normal context.
 */
bool monocle__precompiled_add (monocle__clr_image *image);
/* As monocle__code_find (). */
bool monocle__precompiled_find (uintptr_t ip, monocle__code *ret);
/* The method of the code at an instance's address that the tables did not name. Any context. */
void monocle__precompiled_name (uintptr_t ip, MonoMethod *method);
/* Bytes that tables take which were made here. Any context. */
uint64_t monocle__precompiled_bytes (void);

#endif
