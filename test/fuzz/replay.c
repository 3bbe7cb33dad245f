/*
 * SPDX-License-Identifier: MIT
 *
 * replay.c - runs a fuzz target as an ordinary test, with any compiler.
 *
 *   replay [-f FLIPS] FILE...
 *
 * Each file is given to the target as it is, cut at every length, and with single bytes changed FLIPS times (20000).
 * The bytes end at a page that cannot be read, so that a read past the end fails also without a sanitizer. The changes
 * come from a fixed seed: what fails, fails again.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "guard.h"

int LLVMFuzzerTestOneInput (const uint8_t *data, size_t size);

enum { FILE_MAX = 1 << 20, CUTS_MAX = 8192 };

static uint64_t seed = UINT64_C (0x9E3779B97F4A7C15);

/* xorshift64 */
static uint64_t
next_random (void)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return seed;
}

/* Every length of a small file, evenly spread ones of a large file. */
static void
run_cuts (const struct guard *guard, const uint8_t *data, size_t size)
{
	size_t step = size / CUTS_MAX + 1;
	for (size_t length = 0; length < size; length += step)
		LLVMFuzzerTestOneInput (guard_fill (guard, data, length), length);
}

/* All ones and all zeros are worth more than their share: lengths and counts become extreme by them. */
static uint8_t
changed_byte (uint8_t byte)
{
	uint64_t random = next_random ();
	switch (random & 3) {
	case 0:
		return 0xFF;
	case 1:
		return 0;
	case 2:
		return byte ^ (uint8_t)(1 << (random >> 8 & 7));
	default:
		return (uint8_t)(random >> 16);
	}
}

static void
run_flips (const struct guard *guard, const uint8_t *data, size_t size, unsigned long flips)
{
	uint8_t *bytes = guard_fill (guard, data, size);
	for (; flips; flips--) {
		size_t at = next_random () % size;
		bytes[at] = changed_byte (bytes[at]);
		LLVMFuzzerTestOneInput (bytes, size);
		bytes[at] = data[at];
	}
}

static int
run_file (const char *path, unsigned long flips)
{
	uint8_t *data = malloc (FILE_MAX);
	FILE *file = fopen (path, "rb");
	if (!file || !data) {
		fprintf (stderr, "replay: %s: %s\n", path, strerror (errno));
		free (data);
		return 1;
	}
	size_t size = fread (data, 1, FILE_MAX, file);
	fclose (file);
	struct guard guard = guard_new (size);
	LLVMFuzzerTestOneInput (guard_fill (&guard, data, size), size);
	run_cuts (&guard, data, size);
	if (size)
		run_flips (&guard, data, size, flips);
	guard_free (&guard);
	free (data);
	printf ("%s: %zu bytes, cut at every length, %lu changes\n", path, size, size ? flips : 0);
	return 0;
}

int
main (int argc, char **argv)
{
	unsigned long flips = 20000;
	int first = 1, failed = 0;
	if (argc > 2 && strcmp (argv[1], "-f") == 0) {
		flips = strtoul (argv[2], NULL, 10);
		first = 3;
	}
	if (first == argc) {
		fputs ("usage: replay [-f FLIPS] FILE...\n", stderr);
		return 2;
	}
	for (int i = first; i < argc; i++)
		failed |= run_file (argv[i], flips);
	return failed;
}
