/*
 * SPDX-License-Identifier: MIT
 *
 * il_check.h - what must hold for any bytes given to lib/ecma/il.h, real or hostile.
 */
#ifndef IL_CHECK_H
#define IL_CHECK_H

#include <stddef.h>
#include <stdint.h>

#include "ecma.h"
#include "il.h"

/*
 * Reads a body at `data`, and when that works, writes it in both forms, edits it all over and writes that. *ret_read
 * tells whether the bytes were a body; may be NULL. Returns what does not hold, NULL when everything does. `seed`
 * decides where code is inserted.
 */
const char *il_check (const uint8_t *data, size_t size, uint32_t seed, int *ret_read);

/* Whether two bodies say the same: instructions, switches, clauses, header values; offsets and forms may differ. */
bool il_same (const monocle__il_body *a, const monocle__il_body *b);

/* An allocator for monocle__il_write over malloc. */
void *il_malloc (void *context, size_t size);

#endif
