/*
 * SPDX-License-Identifier: MIT
 *
 * replay.c - runs a fuzz target as an ordinary test, with any compiler.
 *
 *   replay [--full] [-f FLIPS] [-c CUTS] FILE...
 *
 * Each file is given to the target as it is, cut at every length (CUTS of them, 8192, when it is longer), and with
 * single bytes changed FLIPS times (20000): so in the second tier, which has --full. The first has a fraction of both.
 * The bytes end at a page that cannot be read, so that a read past the end fails also without a sanitizer. The changes
 * come from the seed of the tests: what fails, fails again.
 */
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../seed.h"
#include "guard.h"

int LLVMFuzzerTestOneInput (const uint8_t *data, size_t size);

enum { FILE_MAX = 1 << 20 };

static unsigned long flips = 20000, cuts = 8192;

static uint64_t state;

/* xorshift64 */
static uint64_t
next_random (void)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return state;
}

/* Every length of a small file, evenly spread ones of a large file. */
static void
run_cuts (const struct guard *guard, const uint8_t *data, size_t size)
{
	size_t step = size / cuts + 1;
	for (size_t length = 0; length < size; length += step)
		LLVMFuzzerTestOneInput (guard_fill (guard, data, length), length);
}

/* All ones and all zeros are worth more than their share: lengths and counts become extreme by them. */
static uint8_t
changed_byte (uint8_t byte)
{
	uint64_t random = next_random ();
	switch (random & 3) {
	case 0: return 0xFF;
	case 1: return 0;
	case 2: return byte ^ (uint8_t) (1 << (random >> 8 & 7));
	default: return (uint8_t) (random >> 16);
	}
}

static void
run_flips (const struct guard *guard, const uint8_t *data, size_t size)
{
	uint8_t *bytes = guard_fill (guard, data, size);
	for (unsigned long i = 0; i < flips; i++) {
		size_t at = next_random () % size;
		bytes[at] = changed_byte (bytes[at]);
		LLVMFuzzerTestOneInput (bytes, size);
		bytes[at] = data[at];
	}
}

static int
run_file (const char *path)
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
		run_flips (&guard, data, size);
	guard_free (&guard);
	free (data);
	printf ("%s: %zu bytes, cut at %zu lengths, %lu changes\n", path, size, size / (size / cuts + 1), size ? flips : 0);
	return 0;
}

/* A positive number; 0: there is none. */
static unsigned long
read_number (const char *text)
{
	return text ? strtoul (text, NULL, 10) : 0;
}

int
main (int argc, char **argv)
{
	enum { FLIPS_PART = 20, CUTS_PART = 8 };
	int first = 1, failed = 0;
	bool is_full = argc > 1 && strcmp (argv[1], "--full") == 0;
	first += is_full;
	for (; first + 1 < argc && argv[first][0] == '-'; first += 2) {
		if (strcmp (argv[first], "-f") == 0)
			flips = read_number (argv[first + 1]);
		else if (strcmp (argv[first], "-c") == 0 && read_number (argv[first + 1]))
			cuts = read_number (argv[first + 1]);
		else
			break;
	}
	if (first == argc || argv[first][0] == '-') {
		fputs ("usage: replay [--full] [-f FLIPS] [-c CUTS] FILE...\n", stderr);
		return 2;
	}
	if (!is_full) {
		flips /= FLIPS_PART;
		cuts /= CUTS_PART;
	}
	state = seed_of (UINT64_C (0x9E3779B97F4A7C15));
	for (int i = first; i < argc; i++)
		failed |= run_file (argv[i]);
	return failed;
}
