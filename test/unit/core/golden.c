/*
 * SPDX-License-Identifier: MIT
 *
 * golden.c - see golden.h.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include "golden.h"

enum { LINES = 2000 };

static char *golden[LINES];
static size_t golden_count;

static int
by_text (const void *left, const void *right)
{
	return strcmp (*(char *const *) left, *(char *const *) right);
}

/* Splits a text into its lines, sorted, each once. */
static size_t
split (char *text, char **lines)
{
	size_t count = 0, kept = 0;
	for (char *line = strtok (text, "\n"); line; line = strtok (NULL, "\n")) {
		assert_true (count < LINES);
		lines[count++] = line;
	}
	qsort (lines, count, sizeof *lines, by_text);
	for (size_t i = 0; i < count; i++)
		if (!kept || strcmp (lines[kept - 1], lines[i]))
			lines[kept++] = lines[i];
	return kept;
}

void
golden_read (const char *path)
{
	static char text[1 << 20];
	FILE *file = fopen (path, "r");
	assert_non_null (file);
	size_t length = fread (text, 1, sizeof text - 1, file);
	fclose (file);
	assert_true (length > 0 && length < sizeof text - 1);
	golden_count = split (text, golden);
}

size_t
golden_lines (const char *kind)
{
	size_t count = 0;
	for (size_t i = 0; i < golden_count; i++)
		count += !strncmp (golden[i], kind, strlen (kind));
	return count;
}

static void
show_nearest (const char *line)
{
	size_t subject = strcspn (line, "\t") + 1;
	print_error ("ours: %s\n", line);
	for (size_t i = 0; i < golden_count; i++)
		if (!strncmp (golden[i], line, subject))
			print_error ("Mono: %s\n", golden[i]);
}

size_t
golden_compare (char *text, size_t *ret_count)
{
	char *lines[LINES];
	size_t count = split (text, lines), wrong = 0;
	for (size_t i = 0; i < count; i++)
		if (!bsearch (&lines[i], golden, golden_count, sizeof *golden, by_text)) {
			show_nearest (lines[i]);
			wrong++;
		}
	*ret_count = count;
	return wrong;
}
