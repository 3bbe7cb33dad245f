/*
 * SPDX-License-Identifier: MIT
 *
 * value.h - the values that a method has, where its signature and its locals name their types: what they are made of,
 * and how large they are.
 */
#ifndef MONOCLE_CLR_VALUE_H
#define MONOCLE_CLR_VALUE_H

#include <stdbool.h>
#include <stdint.h>
#include "rewrite.h"

/* What a type may be made of. FLOATS: what no register keeps. */
enum {
	MONOCLE__VALUE_FLOATS = 1,
	MONOCLE__VALUE_REFERENCES = 2,
	MONOCLE__VALUE_ANYTHING = MONOCLE__VALUE_FLOATS | MONOCLE__VALUE_REFERENCES,
};

typedef struct {
	const uint8_t *type; /* in the signature, without modifiers, which are no part of a local's; NULL: void */
	uint32_t size;       /* bytes of that */
	uint8_t kind;        /* its element type; of a generic instance what the definition is */
	bool is_large;       /* it lives in memory, and a copy would be stack that the program counts on */
	bool is_ref_struct;  /* it may hold the address of something; only looked for where methods are suspended */
	unsigned parts;      /* 0 for what is large */
} monocle__value;

/* The next type; of a local, what is pinned. */
monocle__value monocle__value_read (monocle__rewriting *job, monocle__ecma_cursor *cursor);
/* Puts a cursor at the result's type, which the parameters' follow. *ret_this: 1 if a `this` comes before them. */
bool monocle__value_open_signature (monocle__rewriting *job, monocle__ecma_cursor *ret_cursor, uint32_t *ret_this,
                                    uint32_t *ret_params);
/* The type as `initobj` and `sizeof` take it; 0: it cannot be had. */
uint32_t monocle__value_token (monocle__rewriting *job, const monocle__value *value);
/* In bytes; 0: only the runtime knows. */
uint32_t monocle__value_size (const monocle__value *value);

#endif
