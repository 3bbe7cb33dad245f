/*
 * SPDX-License-Identifier: MIT
 *
 * top-methods.c - see top-methods.h. A spool is consistent at every instant and holds sums; what came in the last
 * seconds is the difference of two readings.
 */
#include "top-methods.h"

#include "cmdline.h"
#include "command/command.h"
#include "file/live-spool.h"
#include "file/profile-file.h"
#include "format.h"
#include "read-file.h"
#include "tree.h"
#include "view.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static void
round_done (monocle__top_round *round)
{
	for (size_t i = 0; i < round->count; i++)
		free (round->rows[i].name);
	free (round->rows);
	*round = (monocle__top_round) { 0 };
}

static int
compare_names (const void *a, const void *b)
{
	const monocle__top_method *x = a, *y = b;
	return strcmp (x->name, y->name);
}

/* Every method's sums, by name; several of one name are one. */
static void
round_fill (monocle__top_round *round, const monocle__profile *profile, size_t value)
{
	monocle__methods *methods = monocle__methods_new (profile);
	round->rows = methods ? calloc (methods->count + 1, sizeof *round->rows) : NULL;
	for (size_t i = 0; round->rows && i < methods->count; i++) {
		uint32_t function = methods->order[i];
		size_t at = function * profile->value_count + value;
		monocle__top_method *row = &round->rows[round->count];
		*row = (monocle__top_method) { .name = strdup (profile->functions[function].name),
			                           .self = methods->self[at],
			                           .total = methods->total[at] };
		round->count += row->name != NULL;
	}
	if (round->rows)
		qsort (round->rows, round->count, sizeof *round->rows, compare_names);
	monocle__methods_free (methods);
}

/* The profile with names as people write them; NULL: it cannot be read. */
static monocle__profile *
read_profile (const char *spool)
{
	static const monocle__view_options options = { .names = MONOCLE__NAMES_CSHARP };
	monocle__profile *profile = NULL, *view = NULL;
	char error[256];
	void *data;
	size_t length;
	if (!monocle__profile_file_is_spool (spool) || monocle__profile_file_unpack (spool, &data, &length) != 0)
		return NULL;
	if (monocle__profile_parse (data, length, &profile, error, sizeof error) == 0) {
		view = monocle__view_new (profile, &options);
		monocle__profile_free (profile);
	}
	free (data);
	return view;
}

/* Both are in the order of names. */
static void
subtract (monocle__top_methods *self, const monocle__top_round *old)
{
	const monocle__top_round *new = &self->rounds[0];
	size_t k = 0;
	free (self->rows);
	self->rows = calloc (new->count + 1, sizeof *self->rows);
	self->count = 0;
	self->sum = 0;
	self->seconds = new->time - old->time;
	for (size_t i = 0; self->rows && i < new->count; i++) {
		monocle__top_method row = new->rows[i];
		while (k < old->count && strcmp (old->rows[k].name, row.name) < 0)
			k++;
		if (k < old->count && strcmp (old->rows[k].name, row.name) == 0) {
			row.self -= old->rows[k].self;
			row.total -= old->rows[k].total;
		}
		self->sum += row.self > 0 ? row.self : 0;
		if (row.total > 0)
			self->rows[self->count++] = row;
	}
}

bool
monocle__top_methods_read (monocle__top_methods *methods, pid_t pid, double now)
{
	static const monocle__top_round nothing;
	char number[16];
	monocle__profile *profile;
	size_t last = 0;
	snprintf (number, sizeof number, "%d", (int) pid);
	if (!methods->spool)
		methods->spool = monocle__live_spool_find (number);
	profile = methods->spool ? read_profile (methods->spool) : NULL;
	if (!profile || profile->value_count == 0) {
		monocle__profile_free (profile);
		free (methods->spool);
		methods->spool = NULL;
		return false;
	}
	round_done (&methods->rounds[MONOCLE__TOP_ROUNDS - 1]);
	memmove (methods->rounds + 1, methods->rounds, sizeof *methods->rounds * (MONOCLE__TOP_ROUNDS - 1));
	methods->rounds[0] = (monocle__top_round) { .time = now };
	methods->is_time = strcmp (profile->value_types[monocle__profile_main_value (profile)].unit, "nanoseconds") == 0;
	round_fill (&methods->rounds[0], profile, monocle__profile_main_value (profile));
	monocle__profile_free (profile);
	while (last + 1 < MONOCLE__TOP_ROUNDS && methods->rounds[last + 1].rows)
		last++;
	subtract (methods, last ? &methods->rounds[last] : &nothing);
	return true;
}

/* As the process itself names its files; where it is gone by now, after the program. */
static void
name_subject (const char *program, pid_t pid, char *name, size_t size)
{
	char words[4096], path[32];
	snprintf (path, sizeof path, "/proc/%d/cmdline", (int) pid);
	size_t length = monocle__read_file_text (AT_FDCWD, path, words, sizeof words);
	if (length == 0)
		length = (size_t) snprintf (words, sizeof words, "%s", program) + 1;
	monocle__cmdline_subject (words, length, name, size);
}

char *
monocle__top_methods_write (const monocle__top_methods *methods, const char *program, pid_t pid)
{
	char date[32], subject[256], *path;
	time_t now = time (NULL);
	struct tm parts;
	void *data;
	size_t length;
	FILE *out;
	int fd;
	if (!methods->spool || monocle__profile_file_unpack (methods->spool, &data, &length) != 0)
		return NULL;
	strftime (date, sizeof date, "%Y%m%d_%H%M%S", localtime_r (&now, &parts));
	name_subject (program, pid, subject, sizeof subject);
	path = monocle__format ("%s_%s_%d.sample.pb.gz", subject, date, (int) pid);
	fd = open (path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	out = fd < 0 ? NULL : fdopen (fd, "w");
	if (!out || fwrite (data, 1, length, out) != length || fclose (out) != 0) {
		free (path);
		path = NULL;
	}
	free (data);
	return path;
}

void
monocle__top_methods_done (monocle__top_methods *methods)
{
	for (size_t i = 0; i < MONOCLE__TOP_ROUNDS; i++)
		round_done (&methods->rounds[i]);
	free (methods->rows);
	free (methods->spool);
	*methods = (monocle__top_methods) { 0 };
}
