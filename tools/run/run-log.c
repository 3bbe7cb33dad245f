/*
 * SPDX-License-Identifier: MIT
 *
 * run-log.c - see run-log.h. The last line of the head names the columns; the third word of each line is its event.
 */
#include "run-log.h"

#include "column.h"
#include "command/command.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { NAME_SIZE = 48, NAMES_MOST = 128, SHOWN = 3, LENGTH_MOST = 64 << 20 };

typedef struct {
	char name[NAME_SIZE];
	int64_t lines;
} event_count;

typedef struct {
	event_count events[NAMES_MOST];
	size_t count;
	int64_t lines;
} counts;

static void
count_line (counts *c, const char *line)
{
	char name[NAME_SIZE];
	size_t i = 0;
	if (sscanf (line, "%*s %*s %47s", name) != 1 || *line == '#' || *line == '-')
		return;
	c->lines++;
	while (i < c->count && strcmp (c->events[i].name, name) != 0)
		i++;
	if (i == NAMES_MOST)
		return;
	if (i == c->count)
		strcpy (c->events[c->count++].name, name);
	c->events[i].lines++;
}

static int
compare_counts (const void *a, const void *b)
{
	const event_count *x = a, *y = b;
	if (x->lines != y->lines)
		return x->lines > y->lines ? -1 : 1;
	return strcmp (x->name, y->name);
}

static char *
in_words (counts *c)
{
	char amount[48];
	monocle__amount_format (c->lines, "count", amount, sizeof amount);
	char *text = monocle__format ("%s line%s", amount, c->lines == 1 ? "" : "s");
	qsort (c->events, c->count, sizeof *c->events, compare_counts);
	for (size_t i = 0; i < c->count && i < SHOWN; i++) {
		monocle__amount_format (c->events[i].lines, "count", amount, sizeof amount);
		char *longer = monocle__format ("%s%s %s %s", text, i ? "," : ":", amount, c->events[i].name);
		free (text);
		text = longer;
	}
	if (c->count > SHOWN) {
		char *longer = monocle__format ("%s, ...", text);
		free (text);
		text = longer;
	}
	return text;
}

/* The last line of the head is read. */
static bool
is_log (FILE *file, char **line, size_t *room)
{
	while (getline (line, room, file) > 0 && **line == '#')
		if (strcmp (*line, "# time thread event\n") == 0)
			return true;
	return false;
}

char *
monocle__run_log_summary (const char *path)
{
	struct stat status;
	bool is_short = stat (path, &status) == 0 && S_ISREG (status.st_mode) && status.st_size <= LENGTH_MOST;
	FILE *file = is_short ? fopen (path, "re") : NULL;
	counts *c = calloc (1, sizeof *c);
	char *line = NULL, *words = NULL;
	size_t room = 0;
	if (file && c && is_log (file, &line, &room)) {
		while (getline (&line, &room, file) > 0)
			count_line (c, line);
		words = in_words (c);
	}
	if (file)
		fclose (file);
	free (line);
	free (c);
	return words;
}
