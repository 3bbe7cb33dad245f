/*
 * SPDX-License-Identifier: MIT
 *
 * file_signatures.c - prints what signatures.c prints, of files and without a runtime: file_signatures PATH...
 */
#define SIGNATURES_OF_FILES
#include "signatures.c"
#include "file-host.h"

int
main (int argc, char **argv)
{
	MonoImage *images[64];
	out = stdout;
	file_host_start ();
	for (int i = 1; i < argc && i < 64; i++) {
		images[i] = file_host_open (argv[i]);
		if (!images[i]) {
			fprintf (stderr, "%s cannot be opened\n", argv[i]);
			return 1;
		}
	}
	for (int i = 1; i < argc && i < 64; i++)
		print_image (images[i], monocle_method_def);
	return 0;
}
