/* SPDX-License-Identifier: MIT
 *
 * cmd_flame.c - `monocle flame`: a profile as a flame graph in one HTML file.
 */
#include "command.h"
#include "output.h"
#include "profile-file.h"
#include "report.h"

#include <getopt.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
	const char *path, *output;
	double min_share;
} arguments;

typedef struct {
	const monocle__profile *profile;
	monocle__report_options options;
} page;

static int
write_page (FILE *out, const void *context)
{
	const page *p = context;

	return monocle__report_flame (out, p->profile, &p->options);
}

static int
draw (const arguments *args)
{
	monocle__profile *profile;
	char *path, *output, *base;
	int result;

	if (monocle__profile_file_open (args->path, &profile, &path) != 0)
		return MONOCLE__EXIT_FAILED;
	output = args->output ? monocle__format ("%s", args->output) : monocle__output_name (path, ".html");
	base = strrchr (path, '/');
	page p = { profile, { .title = base ? base + 1 : path, .min_share = args->min_share } };
	result = monocle__output_file (output, path, write_page, &p);
	monocle__profile_free (profile);
	free (path);
	free (output);
	return result;
}

static bool
try_share (const char *text, double *ret_share)
{
	char *end;
	double percent = strtod (text, &end);

	if (end == text || (*end && strcmp (end, "%") != 0) || !(percent >= 0 && percent <= 100))
		return false;
	*ret_share = percent / 100;
	return true;
}

static const struct option long_options[] = {
	{ "output", required_argument, NULL, 'o' },
	{ "min-share", required_argument, NULL, 'm' },
	{ "help", no_argument, NULL, 'h' },
	{ 0 },
};

static int
run (int argc, char **argv)
{
	arguments args = { 0 };
	int option;

	signal (SIGPIPE, SIG_IGN);
	while ((option = getopt_long (argc, argv, "o:h", long_options, NULL)) != -1) {
		if (option == 'h')
			return monocle__command_help (&monocle__command_flame);
		if (option == 'o')
			args.output = optarg;
		else if (option != 'm')
			return MONOCLE__EXIT_USAGE;
		else if (!try_share (optarg, &args.min_share))
			return monocle__usage_error (&monocle__command_flame, "--min-share is a percentage, not '%s'", optarg);
	}
	if (argc - optind != 1)
		return monocle__usage_error (&monocle__command_flame, "flame takes one FILE");
	args.path = argv[optind];
	return draw (&args);
}

const monocle__command monocle__command_flame = {
	.name = "flame",
	.summary = "draw a profile as a flame graph, one HTML file",
	.usage = "flame FILE [-o OUT.html] [--min-share=PERCENT]",
	.help = "The page needs nothing but itself: it opens from a disk, by mail, without a network. It has search by "
	        "regular\n"
	        "expression, zoom, keys (press ?), a dark mode, and every metric of the profile.\n\n"
	        "  -o OUT.html           where to write; - is standard output. Default: FILE with .html for .pb.gz\n"
	        "  --min-share=PERCENT   fold frames narrower than this; each fold says how many it holds.\n"
	        "                        Default: 0.01 where there are more than 20,000 frames, else nothing is folded\n",
	.run = run,
};
