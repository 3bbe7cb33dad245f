/*
 * SPDX-License-Identifier: MIT
 *
 * inlined.h - which methods the compiler made parts of others, and where their code lies.
 *
 * Known of each body that the runtime compiles while a module samples, if DOTNET_RichDebugInfo=1 stands in its
 * environment, as under `monocle run` (inline-tree.h). Not of code that was compiled ahead.
 */
#ifndef MONOCLE_CLR_INLINED_H
#define MONOCLE_CLR_INLINED_H

#include <stdbool.h>
#include <stdint.h>
#include <monocle/host.h>
#include "corprof.h"

/* A module samples from now on. Init, or normal context after an attach. */
void monocle__inlined_begin (void);
/* No module samples any more: forgets every tree. */
void monocle__inlined_end (void);

/* The function has a body at `start`, a new one. Are there parts of other methods in it? Normal context. */
bool monocle__inlined_learn (FunctionID function, uintptr_t start);
/* The host operation inlined_at. */
uint32_t monocle__inlined_at (void *host, MonoMethod *method, const void *start, uint32_t native_offset,
                              monocle_inlined *ret, uint32_t capacity);

#endif
