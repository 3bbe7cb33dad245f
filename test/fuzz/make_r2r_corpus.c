/*
 * SPDX-License-Identifier: MIT
 *
 * make_r2r_corpus.c - writes a small image with precompiled code, as a file and as it is mapped.
 *
 *   make_r2r_corpus FOLDER
 */
#include <stdio.h>
#include <stdlib.h>

#include "r2r_builder.h"

static void
write_file (const char *folder, const char *name, const struct bytes *bytes)
{
	char path[4096];
	snprintf (path, sizeof path, "%s/%s", folder, name);
	FILE *file = fopen (path, "wb");
	if (!file || fwrite (bytes->data, 1, bytes->size, file) != bytes->size || fclose (file)) {
		perror (path);
		exit (1);
	}
}

int
main (int argc, char **argv)
{
	if (argc != 2) {
		fputs ("usage: make_r2r_corpus FOLDER\n", stderr);
		return 2;
	}
	struct bytes flat = build_r2r (), mapped = map_pe (&flat);
	write_file (argv[1], "house-r2r.dll", &flat);
	write_file (argv[1], "house-r2r-mapped.dll", &mapped);
	bytes_free (&flat);
	bytes_free (&mapped);
	return 0;
}
