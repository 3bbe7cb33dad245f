/*
 * SPDX-License-Identifier: MIT
 *
 * fuzz_ecma_signature.c - any bytes as signatures and as compressed numbers.
 */
#include <stdlib.h>
#include <string.h>

#include "ecma.h"
#include "walk.h"

int LLVMFuzzerTestOneInput (const uint8_t *data, size_t size);

/* What was read is written in no more bytes and reads the same again. */
static void
check_numbers (const uint8_t *data, uint32_t size)
{
	monocle__ecma_cursor cursor = monocle__ecma_cursor_over (data, size);
	while (cursor.at != cursor.end) {
		uint8_t out[4];
		const uint8_t *before = cursor.at;
		uint32_t value = monocle__ecma_read_u (&cursor);
		if (cursor.error)
			break;
		uint32_t written = monocle__ecma_write_u (out, value);
		monocle__ecma_cursor again = monocle__ecma_cursor_over (out, written);
		if (!written || written > (size_t) (cursor.at - before) || monocle__ecma_read_u (&again) != value)
			abort ();
	}
}

int
LLVMFuzzerTestOneInput (const uint8_t *data, size_t size)
{
	if (size > UINT32_MAX)
		return 0;
	walk_signature (data, (uint32_t) size);
	check_numbers (data, (uint32_t) size);
	return 0;
}
