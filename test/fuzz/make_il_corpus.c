/*
 * SPDX-License-Identifier: MIT
 *
 * make_il_corpus.c - writes one method body for each thing that the format can express.
 *
 *   make_il_corpus FOLDER
 *
 * A row that is no body to its last byte fails: it would let the target test nothing but refusals.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "il.h"

/* Rows in columns: clang-format leaves them alone. */
/* clang-format off */

#define FAT(more, size) 0x03 | (more), 0x30, 8, 0, (size), 0, 0, 0, 0, 0, 0, 0

/* br.s, brtrue.s and leave.s both ways, long ones, one to the end; tiny */
static const uint8_t branches[] = { 0x5A, 0x2B, 0x01, 0x00, 0x17, 0x2D, 0xFC, 0x38, 0, 0, 0, 0, 0xDE, 0x00,
	                            0x16, 0x3A, 0xF0, 0xFF, 0xFF, 0xFF, 0x2B, 0x01, 0x2A };

/* two catches round one try, small section, padding that is not zero */
static const uint8_t catches[] = { FAT (0x08, 9), 0xDE, 6, 0x26, 0xDE, 3, 0x26, 0xDE, 0, 0x2A, 1, 2, 3, 0x01, 28, 0, 0,
	                           0, 0, 0, 0, 2, 2, 0, 3, 5, 0, 0, 1, 0, 0, 0, 0, 2, 5, 0, 3, 6, 0, 0, 1 };

static const uint8_t filter[] = { FAT (0x08, 10), 0xDE, 7, 0x26, 0x17, 0xFE, 0x11, 0x26, 0xDE, 0, 0x2A, 0, 0,
	                          0x01, 16, 0, 0, 1, 0, 0, 0, 2, 6, 0, 3, 2, 0, 0, 0 };

/* nested, fat section, the outer handler ends the code */
static const uint8_t finally[] = { FAT (0x08, 6), 0x00, 0xDE, 1, 0xDC, 0x2A, 0xDC, 0, 0, 0x41, 52, 0, 0,
	                           2, 0, 0, 0, 0, 0, 0, 0, 3, 0, 0, 0, 3, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0,
	                           4, 0, 0, 0, 0, 0, 0, 0, 4, 0, 0, 0, 5, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0 };

/* tail. call; unaligned. volatile. ldind.i4; constrained. callvirt; readonly. ldelema; no. */
static const uint8_t prefixes[] = { FAT (0, 43), 0xFE, 0x14, 0x28, 1, 0, 0, 0x0A, 0x2A, 0xFE, 0x12, 1, 0xFE, 0x13, 0x4A,
	                            0xFE, 0x16, 2, 0, 0, 0x1B, 0x6F, 3, 0, 0, 0x0A, 0xFE, 0x1E, 0x8F, 4, 0, 0, 1,
	                            0xFE, 0x19, 1, 0x7B, 5, 0, 0, 4, 0x26, 0x26, 0x2A };

/* one of each operand; fat with locals, initialised */
static const uint8_t operands[] = { 0x13, 0x30, 0x40, 0, 46, 0, 0, 0, 1, 0, 0, 0x11, 0x1F, 0xFF, 0x0E, 4,
	                            0xFE, 0x09, 0, 1,
	                            0x20, 1, 2, 3, 4, 0x21, 1, 2, 3, 4, 5, 6, 7, 8, 0x22, 0, 0, 0x80, 0x3F,
	                            0x23, 0, 0, 0, 0, 0, 0, 0xF0, 0x3F, 0x72, 1, 0, 0, 0x70, 0x29, 1, 0, 0, 0x11 };

/* small, empty, fat */
static const uint8_t sections[] = { FAT (0x08, 4), 0xDE, 1, 0xDC, 0x2A,
	                            0x81, 16, 9, 9, 4, 0, 0, 0, 2, 2, 0, 1, 0, 0, 0, 0,
	                            0xC1, 4, 0, 0,
	                            0x41, 28, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0, 2, 0, 0, 0, 1, 0, 0, 0,
	                            0, 0, 0, 0 };

static const uint8_t switches[] = { 0x66, 0x16, 0x45, 2, 0, 0, 0, 1, 0, 0, 0, 0xF2, 0xFF, 0xFF, 0xFF, 0x00, 0x16,
	                            0x45, 0, 0, 0, 0, 0x2B, 0xF8, 0x2B, 0x00 };

static const struct { const char *name; const uint8_t *data; size_t size; } rows[] = {
	{ "branches.il", branches, sizeof branches },
	{ "catch.il",    catches,  sizeof catches  },
	{ "filter.il",   filter,   sizeof filter   },
	{ "finally.il",  finally,  sizeof finally  },
	{ "prefixes.il", prefixes, sizeof prefixes },
	{ "operands.il", operands, sizeof operands },
	{ "sections.il", sections, sizeof sections },
	{ "switch.il",   switches, sizeof switches },
};

static int
is_body (const uint8_t *data, size_t size)
{
	monocle__il_body body;
	size_t used;

	if (monocle__il_read (&body, data, size, &used))
		return 0;
	monocle__il_free (&body);
	return used == size;
}

int
main (int argc, char **argv)
{
	if (argc != 2) {
		fputs ("usage: make_il_corpus FOLDER\n", stderr);
		return 2;
	}
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		char path[4096];
		FILE *file;

		if (!is_body (rows[i].data, rows[i].size)) {
			fprintf (stderr, "%s is no body\n", rows[i].name);
			return 1;
		}
		snprintf (path, sizeof path, "%s/%s", argv[1], rows[i].name);
		file = fopen (path, "wb");
		if (!file || fwrite (rows[i].data, 1, rows[i].size, file) != rows[i].size || fclose (file)) {
			perror (path);
			return 1;
		}
	}
	return 0;
}
