/*
 * SPDX-License-Identifier: MIT
 *
 * fuzz_source.c - any bytes as the symbols that were found for an image, and as an image that embeds them.
 */
#include <stdlib.h>
#include <string.h>

#include "file-host.h"
#include "source.h"
#include "symbols_builder.h"

int LLVMFuzzerTestOneInput (const uint8_t *data, size_t size);

enum { METHODS_MAX = 16, OFFSETS_MAX = 24, METHODDEF = 0x06000000 };

/* Strings live as long as the symbols do. */
static void
touch (const char *text, size_t length)
{
	unsigned sum = 0;
	for (size_t i = 0; text && i < length; i++)
		sum += (unsigned char) text[i];
	if (sum > 255u * length)
		abort ();
}

static void
ask (monocle__describe_source *source)
{
	for (uint32_t token = METHODDEF; token < METHODDEF + METHODS_MAX; token++) {
		monocle_source_info at = { .size = sizeof at };
		monocle_local_info local = { .size = sizeof local };
		monocle_scope_info scope = { .size = sizeof scope };
		for (uint32_t offset = 0; offset < OFFSETS_MAX; offset++)
			if (monocle__describe_source_locate (source, token, offset, &at) == 0 && at.file)
				touch (at.file, strlen (at.file));
		for (uint32_t i = 0; i < OFFSETS_MAX && monocle__describe_source_local (source, token, i, &local) == 0; i++)
			touch (local.name, local.name_length);
		for (uint32_t i = 0; i < OFFSETS_MAX && monocle__describe_source_scope (source, token, i, &scope) == 0; i++)
			touch (NULL, 0);
	}
}

int
LLVMFuzzerTestOneInput (const uint8_t *data, size_t size)
{
	static monocle__ecma_image house, image;
	static struct bytes pe;
	if (!pe.size) {
		setenv ("MONOCLE_LOG", "/dev/null", 1);
		file_host_start ();
		pe = build_pe_with_symbols ();
		if (monocle__ecma_open_pe (&house, pe.data, pe.size, false))
			abort ();
	}
	monocle__describe_source *source = monocle__describe_source_from (&house, "", data, (uint32_t) size);
	if (source)
		ask (source);
	monocle__describe_source_close (source);
	if (monocle__ecma_open_pe (&image, data, size, false) && monocle__ecma_open_pe (&image, data, size, true))
		return 0;
	source = monocle__describe_source_open (&image, "");
	if (source)
		ask (source);
	monocle__describe_source_close (source);
	return 0;
}
