/*
 * SPDX-License-Identifier: MIT
 *
 * make_ecma_corpus.c - writes small images of every layout: PE32, PE32+, ReadyToRun, mapped, bare metadata; signatures.
 *
 *   make_ecma_corpus FOLDER
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "builder.h"

static const char *folder;

static void
write_file (const char *name, const struct bytes *bytes)
{
	char path[4096];
	snprintf (path, sizeof path, "%s/%s", folder, name);
	FILE *file = fopen (path, "wb");
	if (!file || fwrite (bytes->data, 1, bytes->size, file) != bytes->size || fclose (file)) {
		perror (path);
		exit (1);
	}
}

static void
write_images (void)
{
	struct bytes metadata = build_house ();
	struct bytes pe32 = build_pe (&metadata, (struct pe_options) { 0 });
	struct bytes pe32_plus = build_pe (&metadata, (struct pe_options) { .plus = true, .native_signature = 0x00525452 });
	struct bytes mapped = map_pe (&pe32_plus);
	write_file ("house.metadata", &metadata);
	write_file ("house-pe32.dll", &pe32);
	write_file ("house-pe32-plus.dll", &pe32_plus);
	write_file ("house-mapped.dll", &mapped);
	bytes_free (&mapped);
	bytes_free (&pe32_plus);
	bytes_free (&pe32);
	bytes_free (&metadata);
}

static void
write_signatures (void)
{
	static const struct {
		const char *name;
		size_t size;
		const char *data;
	} rows[] = {
		{ "method.signature", 12, "\x30\x02\x02\x15\x12\x05\x01\x1E\x00\x1D\x10\x08" },
		{ "locals.signature", 14, "\x07\x04\x08\x45\x10\x08\x14\x08\x03\x01\x02\x01\x7F\x1C" },
		{ "vararg.signature", 6, "\x05\x02\x01\x08\x41\x0E" },
		{ "pointer.signature", 15, "\x06\x1B\x09\x01\x20\x05\x01\x1B\x00\x00\x1F\x80\x81\x13\x01" },
		{ "property.signature", 4, "\x28\x01\x0E\x08" },
		{ "numbers.signature", 11, "\x7F\xBF\xFF\xDF\xFF\xFF\xFF\x80\x00\xC0\x00" },
	};
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		struct bytes bytes = { 0 };
		put_bytes (&bytes, rows[i].data, rows[i].size);
		write_file (rows[i].name, &bytes);
		bytes_free (&bytes);
	}
}

int
main (int argc, char **argv)
{
	if (argc != 2) {
		fputs ("usage: make_ecma_corpus FOLDER\n", stderr);
		return 2;
	}
	folder = argv[1];
	write_images ();
	write_signatures ();
	return 0;
}
