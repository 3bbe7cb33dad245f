/*
 * SPDX-License-Identifier: MIT
 *
 * attribute.h - custom attributes (ECMA-335 II.21, II.22.10): the rows of a token, and their classes.
 *
 * Nothing here allocates or calls a runtime; everything is async-safe and points into the image. Negative codes are
 * those of ecma.h.
 */
#ifndef MONOCLE_ECMA_ATTRIBUTE_H
#define MONOCLE_ECMA_ATTRIBUTE_H

#include "ecma.h"

typedef struct {
	uint32_t parent_token, constructor_token; /* the constructor is a MethodDef or a MemberRef */
	const uint8_t *value;
	uint32_t size;
} monocle__attribute;

/* Row numbers of the attributes of a token: the first after row `after` (0: of all), or 0 when there are no more. */
uint32_t monocle__attribute_row (const monocle__ecma_image *image, uint32_t token, uint32_t after);
int monocle__attribute_get (const monocle__ecma_image *image, uint32_t row, monocle__attribute *ret_attribute);
/*
 * The row of the first attribute of a class with these names (NULL is "") on a token, or 0. Where the class is an
 * instance of a generic one, that one's names count.
 */
uint32_t monocle__attribute_find (const monocle__ecma_image *image, uint32_t token, const char *name_space,
                                  const char *name);

#endif
