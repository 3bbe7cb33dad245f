/*
 * SPDX-License-Identifier: MIT
 *
 * perf-map.c - what compilers in a process say of the code they made: a text file, one function a line.
 */
#include "native.h"
#include "read-part.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { MAP_MOST = 128 << 20 };

/* "START SIZE NAME": where the name begins; NULL: the line is not so. */
static char *
parse_line (char *line, uint64_t *ret_start, uint64_t *ret_size)
{
	char *end;
	*ret_start = strtoull (line, &end, 16);
	if (end == line || *end != ' ')
		return NULL;
	line = end;
	*ret_size = strtoull (line, &end, 16);
	return end != line && *end == ' ' && end[1] ? end + 1 : NULL;
}

int
monocle__perf_map (int fd, struct monocle__symbols *symbols)
{
	struct stat status;
	size_t lines = 1, size;
	*symbols = (struct monocle__symbols) { .count = 0 };
	if (fstat (fd, &status) || status.st_size <= 0 || status.st_size > MAP_MOST)
		return -1;
	size = (size_t) status.st_size;
	symbols->texts = monocle__read_part (fd, 0, size);
	symbols->texts_size = size;
	for (size_t i = 0; symbols->texts && i < size; i++)
		lines += symbols->texts[i] == '\n';
	symbols->symbols = symbols->texts ? calloc (lines, sizeof *symbols->symbols) : NULL;
	if (!symbols->symbols) {
		monocle__symbols_done (symbols);
		return -1;
	}
	for (char *line = symbols->texts, *next; line && *line; line = next) {
		uint64_t start, length;
		next = strchr (line, '\n');
		if (!next) /* It is being written. */
			break;
		*next++ = '\0';
		char *name = parse_line (line, &start, &length);
		if (name)
			symbols->symbols[symbols->count++] =
			    (struct monocle__symbol) { start, length < UINT32_MAX ? (uint32_t) length : UINT32_MAX,
				                           (uint32_t) (name - symbols->texts) };
	}
	monocle__symbols_settle (symbols);
	return 0;
}
