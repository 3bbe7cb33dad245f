/*
 * SPDX-License-Identifier: MIT
 *
 * fuzz_attribute.c - any bytes as the value of a custom attribute: the first byte chooses the constructor's signature.
 */
#include <stdlib.h>
#include <string.h>

#include "attribute.h"
#include "symbols_builder.h"

int LLVMFuzzerTestOneInput (const uint8_t *data, size_t size);

enum { STEPS_MAX = 100000 };

#define SIGNATURE(text) \
	{ \
		text, sizeof text - 1 \
	}

/* Counts of parameters, void, then the parameters: numbers, text, types, enums here and elsewhere, arrays, objects. */
static const struct {
	const char *data;
	size_t size;
} signatures[] = {
	SIGNATURE ("\0\1"),
	SIGNATURE ("\12\1\2\3\12\15\16\22\5\21\14\21\11\35\16\35\34"),
	SIGNATURE ("\2\1\34\34"),
	SIGNATURE ("\3\1\16\16\35\34"),
	SIGNATURE ("\2\1\23\0\23\1"),
	SIGNATURE ("\2\1\35\35\16\22\5"),
	SIGNATURE ("\2\1\21\11\21\14"),
};

/* What an argument points to lies in the image, all of it. */
static void
touch (const monocle__attribute_argument *argument)
{
	unsigned sum = 0;
	for (uint32_t i = 0; argument->text && i < argument->text_size; i++)
		sum += (unsigned char) argument->text[i];
	if (argument->text && sum > 255u * argument->text_size)
		abort ();
}

static void
read_all (const monocle__ecma_image *image, uint32_t row)
{
	monocle__attribute attribute;
	monocle__attribute_reader reader;
	monocle__attribute_argument argument;
	if (monocle__attribute_get (image, row, &attribute) ||
	    monocle__attribute_read (&reader, image, &attribute, NULL, NULL))
		return;
	for (int i = 0; monocle__attribute_next (&reader, &argument) == 1; i++) {
		if (argument.depth > MONOCLE__ATTRIBUTE_DEPTH_MAX)
			abort ();
		touch (&argument);
		/* Each step reads a byte or ends an array: more of them than this is no progress. */
		if (i > STEPS_MAX || (!reader.depth && !reader.fixed_left && reader.in_named && !reader.named_left))
			break;
	}
}

int
LLVMFuzzerTestOneInput (const uint8_t *data, size_t size)
{
	static monocle__ecma_image image;
	if (!size)
		return 0;
	size_t choice = data[0] % (sizeof signatures / sizeof *signatures);
	struct bytes metadata = build_attributes (signatures[choice].data, signatures[choice].size, data + 1, size - 1);
	if (monocle__ecma_open_metadata (&image, metadata.data, metadata.size) == 0) {
		read_all (&image, 1);
		read_all (&image, 2);
	}
	bytes_free (&metadata);
	return 0;
}
