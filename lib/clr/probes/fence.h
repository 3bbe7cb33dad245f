/*
 * SPDX-License-Identifier: MIT
 *
 * fence.h - keeps what native code is returned apart from probes.
 */
#ifndef MONOCLE_CLR_FENCE_H
#define MONOCLE_CLR_FENCE_H

#include "rewrite.h"

enum { MONOCLE__FENCE_SIZE = 10 };

/* Does native code call the method? Then what it returns through must be kept apart from probes. */
bool monocle__fence_is_needed (monocle__clr_image *image, mdToken token);
/*
 * Writes a fence that begins with instruction `at` of an insertion; how many instructions. A `ret` follows, what it
 * returns lies below.
 */
uint32_t monocle__fence_write (monocle__il_instruction *out, uint32_t at);
/* Puts one before each `ret`, after what was inserted there before. 0 or negative. */
int monocle__fence_insert (const monocle__rewriting *job, monocle__il_edit *edit);
/* Native code is returned to by a method's own return only: what `tail.` asks for the runtime does not do there. */
void monocle__fence_drop_tail_calls (monocle__il_body *body);

#endif
