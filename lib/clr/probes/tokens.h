/*
 * SPDX-License-Identifier: MIT
 *
 * tokens.h - what rewritten bodies refer to. Each 0 (or false) when the runtime refuses, which was logged.
 */
#ifndef MONOCLE_CLR_TOKENS_H
#define MONOCLE_CLR_TOKENS_H

#include "rewrite.h"

bool monocle__tokens_open (monocle__clr_image *image);
/* void (int64, native int * count), unmanaged, no transition. */
uint32_t monocle__tokens_calli (monocle__clr_image *image, uint32_t count);
/* int64 (int64, native int * count), the same otherwise. */
uint32_t monocle__tokens_calli_returning (monocle__clr_image *image, uint32_t count);
/* Reads the types of the locals that the body has. */
bool monocle__tokens_open_locals (monocle__rewriting *job);
/* Gives the body more locals of one type; the number of the first, or MONOCLE__IL_NONE. */
uint32_t monocle__tokens_add_locals (monocle__rewriting *job, const uint8_t *type, uint32_t type_size, uint32_t count);
/* Names all of them in the body. False: it cannot be written. */
bool monocle__tokens_close_locals (monocle__rewriting *job);
uint32_t monocle__tokens_to_int_ptr (monocle__clr_image *image);
/* The generic class itself as its own code sees it. */
uint32_t monocle__tokens_own_class (monocle__clr_image *image, uint32_t owner, uint32_t params);
uint32_t monocle__tokens_type_spec (monocle__clr_image *image, const uint8_t *blob, uint32_t size);

#endif
