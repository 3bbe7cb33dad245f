/*
 * SPDX-License-Identifier: MIT
 *
 * walk.h - asks an image everything that ecma.h can answer, and counts what is not as it should be.
 *
 * On a real image every count of failures must be 0; on a hostile one the walk must come to its end, no more.
 */
#ifndef MONOCLE_TEST_ECMA_WALK_H
#define MONOCLE_TEST_ECMA_WALK_H

#include "ecma.h"

struct walk {
	uint32_t cells, typedefs, methods, typerefs, generic_params, nested, params, signatures, typespecs;
	uint32_t bad_cells, bad_names, bad_typedefs, bad_methods, bad_owners, bad_nested, bad_generic_params,
	    bad_references;
	uint32_t bad_signatures;      /* did not parse */
	uint32_t long_signatures;     /* parsed, but bytes were left */
	uint32_t first_bad_signature; /* token, for the message */
};

void walk_image (const monocle__ecma_image *image, struct walk *ret_walk);
/* Everything a cursor can do with these bytes. */
void walk_signature (const uint8_t *data, uint32_t size);

#endif
