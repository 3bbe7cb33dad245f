/*
 * SPDX-License-Identifier: MIT
 *
 * cmd_report.c - `monocle report`: a profile as a table, a tree, or rows for other programs.
 */
#include "choices.h"
#include "command.h"
#include "output.h"
#include "profile-file.h"
#include "report-format.h"

#include <getopt.h> /* optind */
#include <stdint.h>
#include <stdlib.h>

enum { TABLE_ROWS = 40, TREE_ROWS = 80 };

typedef struct {
	size_t sort, format, limit; /* limit SIZE_MAX: -n was not given */
	bool tree, slow;
} arguments;

static int
write_report (const monocle__profile *profile, const arguments *args, const char *path)
{
	const monocle__report_format *format = &monocle__report_formats[args->format];
	monocle__report_options options = { .title = path, .sort = (monocle__sort) args->sort, .tree = args->tree };
	if (format->is_for_people) {
		options.width = monocle__output_width (stdout);
		options.bold = monocle__output_bold (stdout);
		options.ellipsis = monocle__output_ellipsis ();
		options.limit = args->tree && !args->slow ? TREE_ROWS : TABLE_ROWS;
	}
	if (args->limit != SIZE_MAX)
		options.limit = args->limit;
	monocle__report_writer *writer = args->slow ? format->slow : format->report;
	if (writer (stdout, profile, &options) != 0) {
		monocle__say ("%s: out of memory", path);
		return MONOCLE__EXIT_FAILED;
	}
	return monocle__output_finish (stdout, NULL);
}

static int
report_file (const arguments *args, const char *path)
{
	monocle__profile *profile;
	char *newest = NULL;
	int result = MONOCLE__EXIT_FAILED;
	if (!path)
		path = newest = monocle__profile_file_newest ();
	if (!path) {
		monocle__say (
		    "there is no profile (*.pb.gz or *.spool) in this directory; name one, or make one with monocle run");
		return MONOCLE__EXIT_FAILED;
	}
	if (monocle__profile_file_open (path, &profile) == 0) {
		result = write_report (profile, args, path);
		monocle__profile_free (profile);
	}
	free (newest);
	return result;
}

static int
run (int argc, char **argv)
{
	arguments args = { .sort = MONOCLE__SORT_SELF, .limit = SIZE_MAX };
	int code;
	monocle__output_begin ();
	if (!monocle__options_read (&monocle__command_report, argc, argv, &args, &code))
		return code;
	if (argc - optind > 1)
		return monocle__usage_error (&monocle__command_report, "report takes one FILE, not %d", argc - optind);
	return report_file (&args, argv[optind]);
}

/* clang-format off */
static const monocle__option options[] = {
	{ "sort",   0,   MONOCLE__OPTION_CHOICE, offsetof (arguments, sort),   NULL,
	  "the order of rows: own cost (default), cost with callees, number of calls",
	  .choice = monocle__choices_sort },
	{ NULL,     'n', MONOCLE__OPTION_NUMBER, offsetof (arguments, limit),  "N",
	  "rows; 0: all. Default: 40, with --tree 80; tsv and json: all",
	  .wanted = "takes a number of rows" },
	{ "tree",   0,   MONOCLE__OPTION_ON,     offsetof (arguments, tree),   NULL,
	  "who calls whom, from the outermost caller" },
	{ "slow",   0,   MONOCLE__OPTION_ON,     offsetof (arguments, slow),   NULL,
	  "the calls that calls:threshold=TIME found slow, the longest first;\n"
	  "with --tree each with its callers" },
	{ "format", 0,   MONOCLE__OPTION_CHOICE, offsetof (arguments, format), NULL,
	  "for people (default), or for programs: names in full, plain numbers,\n"
	  "columns method, calls, self_ns, total_ns",
	  .choice = monocle__choices_report_format },
	{ 0 },
};
/* clang-format on */

const monocle__command monocle__command_report = {
	.name = "report",
	.summary = "show a profile as a table, a tree, or rows for other programs",
	.operands = "[FILE]",
	.options = options,
	.about = "FILE is a profile (pprof), or the spool of a process that died.\n"
	         "Without FILE it is the newest of *.pb.gz and *.spool in the current directory.\n"
	         "\n"
	         "Example: the single calls that took 50 ms or more, each with its callers:\n"
	         "  monocle run --profile=calls:threshold=50ms -o prof.pb.gz -- dotnet app.dll\n"
	         "  monocle report --slow --tree prof.pb.gz\n",
	.run = run,
};
