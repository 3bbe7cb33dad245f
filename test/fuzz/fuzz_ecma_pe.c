/*
 * SPDX-License-Identifier: MIT
 *
 * fuzz_ecma_pe.c - any bytes as a flat image, a mapped image and bare metadata; what opens is asked everything.
 */
#include <stdlib.h>
#include <string.h>

#include "ecma.h"
#include "walk.h"

int LLVMFuzzerTestOneInput (const uint8_t *data, size_t size);

/* An answer is 0 or a code that ecma.h names; with anything else the run ends here. */
static void
walk_opened (const monocle__ecma_image *image, int code)
{
	struct walk walk;
	if (code == 0)
		walk_image (image, &walk);
	else if (code < MONOCLE__ECMA_E_RANGE || code > 0)
		abort ();
}

int
LLVMFuzzerTestOneInput (const uint8_t *data, size_t size)
{
	static monocle__ecma_image image;
	walk_opened (&image, monocle__ecma_open_pe (&image, data, size, false));
	walk_opened (&image, monocle__ecma_open_pe (&image, data, size, true));
	walk_opened (&image, monocle__ecma_open_metadata (&image, data, size));
	return 0;
}
