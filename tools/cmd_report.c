/* SPDX-License-Identifier: MIT
 *
 * cmd_report.c - `monocle report`: a profile as a table, a tree, or rows for other programs.
 */
#include "command.h"
#include "output.h"
#include "profile-file.h"
#include "report.h"

#include <getopt.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

enum { TABLE_ROWS = 40, TREE_ROWS = 80 };

typedef int (*report_writer) (FILE *out, const monocle__profile *profile, const monocle__report_options *options);

static const struct {
	const char *name;
	report_writer write;
	bool for_people; /* cut to what fits a screen unless -n says otherwise */
} formats[] = {
	{ "text", monocle__report_text, true },
	{ "tsv", monocle__report_tsv, false },
	{ "json", monocle__report_json, false },
};

static const char *const sorts[] = {
	[MONOCLE__SORT_SELF] = "self",
	[MONOCLE__SORT_TOTAL] = "total",
	[MONOCLE__SORT_CALLS] = "calls",
};

typedef struct {
	monocle__report_options options;
	size_t format;
	bool limited; /* -n was given */
	const char *path;
} arguments;

static bool
try_format (const char *name, arguments *args)
{
	for (size_t i = 0; i < sizeof formats / sizeof *formats; i++) {
		if (strcmp (formats[i].name, name) == 0) {
			args->format = i;
			return true;
		}
	}
	return false;
}

static bool
try_sort (const char *name, arguments *args)
{
	for (size_t i = 0; i < sizeof sorts / sizeof *sorts; i++) {
		if (strcmp (sorts[i], name) == 0) {
			args->options.sort = (monocle__sort) i;
			return true;
		}
	}
	return false;
}

static const struct option long_options[] = {
	{ "sort", required_argument, NULL, 's' },
	{ "tree", no_argument, NULL, 't' },
	{ "format", required_argument, NULL, 'f' },
	{ "help", no_argument, NULL, 'h' },
	{ 0 },
};

/* 0; an exit code otherwise, or -1 when help was asked. */
static int
parse_option (int option, arguments *args)
{
	switch (option) {
	case 's':
		if (!try_sort (optarg, args))
			return monocle__usage_error (&monocle__command_report, "--sort is self, total or calls, not '%s'", optarg);
		return 0;
	case 'n':
		args->limited = true;
		if (!monocle__try_number (optarg, &args->options.limit))
			return monocle__usage_error (&monocle__command_report, "-n takes a number of rows, not '%s'", optarg);
		return 0;
	case 't': args->options.tree = true; return 0;
	case 'f':
		if (!try_format (optarg, args))
			return monocle__usage_error (&monocle__command_report, "--format is text, tsv or json, not '%s'", optarg);
		return 0;
	case 'h': return -1;
	default: return MONOCLE__EXIT_USAGE;
	}
}

static int
write_report (const monocle__profile *profile, arguments *args, const char *path)
{
	args->options.title = path;
	if (formats[args->format].for_people) {
		args->options.width = monocle__output_width (stdout);
		args->options.bold = monocle__output_bold (stdout);
		args->options.ellipsis = monocle__output_ellipsis ();
		if (!args->limited)
			args->options.limit = args->options.tree ? TREE_ROWS : TABLE_ROWS;
	}
	if (formats[args->format].write (stdout, profile, &args->options) != 0) {
		monocle__say ("%s: out of memory", path);
		return MONOCLE__EXIT_FAILED;
	}
	return monocle__output_finish (stdout, NULL);
}

static int
report_file (arguments *args)
{
	monocle__profile *profile;
	char *newest = NULL;
	int result;

	if (!args->path)
		args->path = newest = monocle__profile_file_newest ();
	if (!args->path) {
		monocle__say (
		    "there is no profile (*.pb.gz or *.spool) in this directory; name one, or make one with monocle run");
		return MONOCLE__EXIT_FAILED;
	}
	result = MONOCLE__EXIT_FAILED;
	if (monocle__profile_file_open (args->path, &profile) == 0) {
		result = write_report (profile, args, args->path);
		monocle__profile_free (profile);
	}
	free (newest);
	return result;
}

static int
run (int argc, char **argv)
{
	arguments args = { .options.sort = MONOCLE__SORT_SELF };
	int option, result;

	signal (SIGPIPE, SIG_IGN); /* a closed pipe is an error that is told, not a silent death */
	while ((option = monocle__option_next (&monocle__command_report, argc, argv, ":n:h", long_options)) != -1) {
		result = parse_option (option, &args);
		if (result != 0)
			return result < 0 ? monocle__command_help (&monocle__command_report) : result;
	}
	if (argc - optind > 1)
		return monocle__usage_error (&monocle__command_report, "report takes one FILE, not %d", argc - optind);
	args.path = argv[optind];
	return report_file (&args);
}

const monocle__command monocle__command_report = {
	.name = "report",
	.summary = "show a profile as a table, a tree, or rows for other programs",
	.usage = "report [FILE] [--sort=self|total|calls] [-n N] [--tree] [--format=text|tsv|json]",
	.help = "FILE is a profile (pprof), or the spool of a process that died.\n"
	        "Without FILE it is the newest of *.pb.gz and *.spool in the current directory.\n\n"
	        "  --sort=self|total|calls   the order of rows: own cost (default), cost with callees, number of calls\n"
	        "  -n N                      rows; 0: all. Default: 40, with --tree 80; tsv and json: all\n"
	        "  --tree                    who calls whom, from the outermost caller\n"
	        "  --format=text|tsv|json    for people (default), or for programs: names in full, plain numbers,\n"
	        "                            columns method, calls, self_ns, total_ns\n",
	.run = run,
};
