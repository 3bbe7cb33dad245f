/*
 * SPDX-License-Identifier: MIT
 *
 * make_symbols_corpus.c - writes a portable PDB, an .mdb, an image with symbols, and metadata with attributes.
 *
 *   make_symbols_corpus FOLDER
 */
#include <stdio.h>
#include <stdlib.h>

#include "symbols_builder.h"

static const char *folder;

static void
write_file (const char *name, struct bytes bytes)
{
	char path[4096];
	snprintf (path, sizeof path, "%s/%s", folder, name);
	FILE *file = fopen (path, "wb");
	if (!file || fwrite (bytes.data, 1, bytes.size, file) != bytes.size || fclose (file)) {
		perror (path);
		exit (1);
	}
	bytes_free (&bytes);
}

static struct bytes
build_mapped (void)
{
	struct bytes flat = build_pe_with_symbols (), mapped = map_pe (&flat);
	bytes_free (&flat);
	return mapped;
}

/* Parameters and arguments of every kind: numbers, strings, types, enums, arrays, objects; a field and a property. */
static const char all_signature[] = "\12\1\2\3\12\15\16\22\5\21\14\21\11\35\16\35\34";
static const char all_values[] = "\1\0"
                                 "\1A\0\1\2\3\4\5\6\7\10\0\0\0\0\0\0\xF0\x3F\3abc\4Type\1\2\0\0\0"
                                 "\1\0\0\0\1s"
                                 "\2\0\0\0\x55\7N.Small\1\35\x51\1\0\0\0\10\1\0\0\0"
                                 "\2\0\x53\10\1f\1\0\0\0\x54\16\1p\xFF";

static struct bytes
build_all_arguments (void)
{
	return build_attributes (all_signature, sizeof all_signature - 1, all_values, sizeof all_values - 1);
}

int
main (int argc, char **argv)
{
	if (argc != 2) {
		fputs ("usage: make_symbols_corpus FOLDER\n", stderr);
		return 2;
	}
	folder = argv[1];
	write_file ("house.pdb", build_pdb ());
	write_file ("house.mdb", build_mdb ());
	write_file ("house-symbols.dll", build_pe_with_symbols ());
	write_file ("house-symbols-mapped.dll", build_mapped ());
	write_file ("attributes.metadata", build_all_arguments ());
	write_file ("generic.metadata", build_attributes ("\2\1\23\0\23\1", 6, "\1\0\7\0\0\0\1\0\0\0\1s\0\0", 14));
	return 0;
}
