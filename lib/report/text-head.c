/*
 * SPDX-License-Identifier: MIT
 *
 * text-head.c - see text-head.h.
 */
#include "text-head.h"

#include <string.h>
#include <time.h>

#include "column.h"
#include "width.h"

enum {
	CELL_SIZE = 64,
	TEXT_SIZE = 8192, /* longer texts are cut */
	COMMENTS = 8,     /* more are not shown */
};

static bool
begins_with (const char *text, const char *what)
{
	return strncmp (text, what, strlen (what)) == 0;
}

/* What the kit writes into every profile; after a run the user knows it. */
static bool
is_routine (const char *comment)
{
	static const char *const beginnings[] = { "desc: ", "version: ", "runtime: ", "program: ", "frames: " };
	for (size_t i = 0; i < sizeof beginnings / sizeof *beginnings; i++) {
		if (begins_with (comment, beginnings[i]))
			return true;
	}
	return false;
}

static void
print_comments (FILE *out, const monocle__profile *profile, const monocle__report_options *options, const char *without)
{
	char buffer[TEXT_SIZE];
	size_t left = COMMENTS;
	for (size_t i = 0; i < profile->comment_count && left > 0; i++) {
		const char *comment = profile->comments[i];
		if ((options->brief && is_routine (comment)) || (without && begins_with (comment, without)))
			continue;
		monocle__utf8_elide (comment, 0, "", buffer, sizeof buffer);
		fprintf (out, "# %s\n", buffer);
		left--;
	}
}

void
monocle__text_head (FILE *out, const monocle__profile *profile, const monocle__report_options *options,
                    const char *without)
{
	char buffer[TEXT_SIZE], when[64] = "", amount[CELL_SIZE];
	time_t seconds = (time_t) (profile->time_nanos / 1000000000);
	struct tm local;
	monocle__utf8_elide (options->title ? options->title : "", 0, "", buffer, sizeof buffer);
	if (profile->time_nanos > 0 && localtime_r (&seconds, &local))
		strftime (when, sizeof when, ", %Y-%m-%d %H:%M:%S", &local);
	fprintf (out, "%s%s", buffer, when);
	if (options->took) {
		monocle__amount_format ((int64_t) options->took, "nanoseconds", amount, sizeof amount);
		fprintf (out, ", taken in %s", amount);
	} else if (profile->duration_nanos > 0) {
		monocle__amount_format (profile->duration_nanos, "nanoseconds", amount, sizeof amount);
		fprintf (out, ", ran %s", amount);
	}
	putc ('\n', out);
	print_comments (out, profile, options, without);
}
