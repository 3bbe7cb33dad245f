/*
 * SPDX-License-Identifier: MIT
 *
 * cmd_flame.c - `monocle flame`: a profile as a flame graph in one HTML file.
 */
#include "command.h"
#include "output.h"
#include "path.h"
#include "profile-file.h"
#include "report.h"
#include "threads.h"
#include "topic-choice.h"

#include <fnmatch.h>
#include <getopt.h> /* optind */
#include <stdlib.h>
#include <string.h>

typedef struct {
	const char *output, *thread;
	double min_share;
	bool upright;
	monocle__topic_choice topic;
} arguments;

/* The samples of the threads whose names match, which the page says; NULL: out of memory. */
static monocle__profile *
select_threads (const monocle__profile *profile, const monocle__threads *threads, const uint8_t *wanted,
                const char *pattern)
{
	monocle__profile *selected = monocle__threads_select (profile, threads, wanted);
	char *text = monocle__format ("threads: %s", pattern);
	const char *comment = selected ? monocle__profile_text (selected, text, strlen (text)) : NULL;
	free (text);
	if (comment && monocle__profile_add_comment (selected, comment))
		return selected;
	monocle__profile_free (selected);
	return NULL;
}

/* "main, worker, ..." */
static char *
list_threads (const monocle__threads *threads)
{
	enum { SHOWN = 8 };
	char *list = monocle__format ("%s", "");

	for (size_t i = 0; i < threads->count && i < SHOWN; i++) {
		const char *name = *threads->names[i] ? threads->names[i] : "(no name)";
		char *longer = monocle__format ("%s%s%.60s", list, i ? ", " : "", name);
		free (list);
		list = longer;
	}
	if (threads->count > SHOWN) {
		char *longer = monocle__format ("%s and %zu more", list, threads->count - SHOWN);
		free (list);
		list = longer;
	}
	return list;
}

static void
say_no_thread (const char *path, const monocle__threads *threads, const char *pattern)
{
	char *list = list_threads (threads);
	if (threads->count == 0)
		monocle__say ("%s does not tell threads apart: none of its samples has the label 'thread'", path);
	else
		monocle__say ("no thread of %s matches '%s'; it has: %s", path, pattern, list);
	free (list);
}

/* Replaces *profile by what of it is on the threads that match. 0 or the exit code. */
static int
filter_threads (monocle__profile **profile, const char *path, const char *pattern)
{
	monocle__threads *threads = monocle__threads_new (*profile);
	uint8_t *wanted = threads ? calloc (threads->count + 1, 1) : NULL;
	monocle__profile *selected = NULL;
	size_t matches = 0;
	for (size_t i = 0; wanted && i < threads->count; i++)
		matches += wanted[i] = fnmatch (pattern, threads->names[i], 0) == 0;
	if (matches)
		selected = select_threads (*profile, threads, wanted, pattern);
	if (!wanted || (matches && !selected))
		monocle__say ("%s: out of memory", path);
	else if (!matches)
		say_no_thread (path, threads, pattern);
	free (wanted);
	monocle__threads_free (threads);
	if (!selected)
		return MONOCLE__EXIT_FAILED;
	monocle__profile_free (*profile);
	*profile = selected;
	return 0;
}

static int
draw_profile (const monocle__profile *profile, const char *path, const arguments *args)
{
	char *output = args->output ? monocle__format ("%s", args->output) : monocle__output_name (path, ".html");
	monocle__report_options options = { .title = monocle__path_base_name (path),
		                                .min_share = args->min_share,
		                                .upright = args->upright };
	monocle__output_place place = { .path = output, .chosen = !args->output };
	int result = monocle__output_flame (place, path, profile, &options);
	free (output);
	return result;
}

static int
draw (const arguments *args, const char *path)
{
	monocle__profile *profile;
	int result = 0;
	if (monocle__profile_file_open (path, &profile) != 0)
		return MONOCLE__EXIT_FAILED;
	if (monocle__topic_choice_apply (&args->topic, path, profile) != 0)
		result = MONOCLE__EXIT_FAILED;
	if (result == 0 && args->thread)
		result = filter_threads (&profile, path, args->thread);
	if (result == 0)
		result = draw_profile (profile, path, args);
	monocle__profile_free (profile);
	return result;
}

static int
draw_newest (const arguments *args)
{
	char *path = monocle__profile_file_newest (false, NULL);
	int result = MONOCLE__EXIT_FAILED;
	if (path)
		result = draw (args, path);
	else
		monocle__profile_file_say_none (false);
	free (path);
	return result;
}

static bool
try_share (const char *text, void *ret_share)
{
	char *end;
	double percent = strtod (text, &end);
	if (end == text || (*end && strcmp (end, "%") != 0) || !(percent >= 0 && percent <= 100))
		return false;
	*(double *) ret_share = percent / 100;
	return true;
}

static int
run (int argc, char **argv)
{
	arguments args = { .topic = MONOCLE__TOPIC_CHOICE_NONE };
	int code;
	monocle__output_begin ();
	if (!monocle__options_read (&monocle__command_flame, argc, argv, &args, &code))
		return code;
	if (argc - optind > 1)
		return monocle__usage_error (&monocle__command_flame, "flame takes one FILE");
	return argc > optind ? draw (&args, argv[optind]) : draw_newest (&args);
}

/* clang-format off */
static const monocle__option options[] = {
	{ "output",    'o', MONOCLE__OPTION_TEXT, offsetof (arguments, output),    "OUT.html",
	  "where to write; - is standard output. Default: FILE with .html for .pb.gz" },
	{ "icicle",    0,   MONOCLE__OPTION_OFF,  offsetof (arguments, upright),   NULL,
	  "begin with callers on top and what they called below (default)" },
	{ "no-icicle", 0,   MONOCLE__OPTION_ON,   offsetof (arguments, upright),   NULL,
	  "begin with callers at the bottom; the key i turns the picture at any time" },
	{ "thread",    0,   MONOCLE__OPTION_TEXT, offsetof (arguments, thread),    "GLOB",
	  "only the threads whose names match; the profile must tell threads apart" },
	MONOCLE__TOPIC_CHOICE_OPTIONS (arguments, topic),
	{ "min-share", 0,   MONOCLE__OPTION_READ, offsetof (arguments, min_share), "PERCENT",
	  "fold frames narrower than this; each fold says how many it holds.\n"
	  "Default: 0.01 where there are more than 20,000 frames, else nothing is folded",
	  .try_read = try_share, .wanted = "is a percentage" },
	{ 0 },
};
/* clang-format on */

const monocle__command monocle__command_flame = {
	.name = "flame",
	.summary = "draw a profile as a flame graph, one HTML file",
	.operands = "[FILE]",
	.options = options,
	.about = "The page needs nothing but itself: it opens from a disk, by mail, without a network. It has search by "
	         "regular\n"
	         "expression, zoom, keys (press ?), a dark mode, and every metric of the profile.\n"
	         "Without FILE it is the newest profile of the current directory.\n",
	.run = run,
};
