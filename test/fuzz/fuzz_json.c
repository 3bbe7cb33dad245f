/*
 * SPDX-License-Identifier: MIT
 *
 * fuzz_json.c - any bytes as JSON; what is well formed is walked over to its last value.
 */
#include <stdlib.h>

#include "json.h"

#include <stdint.h>

int LLVMFuzzerTestOneInput (const uint8_t *data, size_t size);

enum { DEPTH_MOST = 256 };

static void
look (monocle__json value)
{
	size_t length = (size_t) (value.end - value.at), index;
	double number;
	char *text = malloc (length + 1);

	if (text && monocle__json_unescape (value, text) > length)
		abort ();
	free (text);
	if (!monocle__json_kind (value) || (monocle__json_index (value, &index) && !monocle__json_number (value, &number)))
		abort ();
	monocle__json_member (value, "name");
}

/* What is left of each container that is open; nothing in json.c recurses, and this does not either. */
static void
walk (monocle__json value)
{
	monocle__json open[DEPTH_MOST + 1];
	size_t depth = 1;

	open[0] = value;
	while (depth) {
		monocle__json item, rest;
		if (!monocle__json_next (&open[depth - 1], &item)) {
			depth--;
			continue;
		}
		look (item);
		rest = monocle__json_kind (item) == '{' ? monocle__json_members (item) : monocle__json_items (item);
		if (rest.at == rest.end)
			continue;
		if (depth > DEPTH_MOST)
			abort ();
		open[depth++] = rest;
	}
}

int
LLVMFuzzerTestOneInput (const uint8_t *data, size_t size)
{
	monocle__json value;
	size_t offset = 0;

	if (monocle__json_check ((const char *) data, size, &value, &offset))
		walk (value);
	else if (offset > size)
		abort ();
	return 0;
}
