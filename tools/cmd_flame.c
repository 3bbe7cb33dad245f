/* SPDX-License-Identifier: MIT
 *
 * cmd_flame.c - `monocle flame`: a profile as a flame graph in one HTML file.
 */
#include "command.h"
#include "output.h"
#include "profile-file.h"
#include "report.h"

#include <errno.h>
#include <getopt.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

typedef struct {
	const char *path, *output;
	double min_share;
} arguments;

/* prof.pb.gz -> prof.html */
static char *
default_output (const char *path)
{
	size_t length = strlen (path);
	static const char *const ends[] = { ".gz", ".pb", ".pprof" };

	for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
		size_t end = strlen (ends[i]);
		if (length > end && memcmp (path + length - end, ends[i], end) == 0)
			length -= end;
	}
	return monocle__format ("%.*s.html", (int)length, path);
}

static int
write_page (FILE *out, const monocle__profile *profile, const char *title, const char *name, double min_share)
{
	const char *base = strrchr (title, '/');
	monocle__report_options options = { .title = base ? base + 1 : title, .min_share = min_share };

	if (monocle__report_flame (out, profile, &options) != 0) {
		monocle__say ("%s: out of memory", title);
		return MONOCLE__EXIT_FAILED;
	}
	return monocle__output_finish (out, name);
}

/* "-" is standard output. A file of which only a part could be written is taken away again. */
static int
write_file (const monocle__profile *profile, const char *title, const char *output, double min_share)
{
	struct stat status;
	FILE *out;
	int result;

	if (strcmp (output, "-") == 0)
		return write_page (stdout, profile, title, NULL, min_share);
	out = fopen (output, "we");
	if (!out) {
		monocle__say ("cannot write %s: %s", output, strerror (errno));
		return MONOCLE__EXIT_FAILED;
	}
	result = write_page (out, profile, title, output, min_share);
	if (fclose (out) != 0 && result == 0) {
		monocle__say ("cannot write %s: %s", output, strerror (errno));
		result = MONOCLE__EXIT_FAILED;
	}
	if (result == 0) {
		printf ("%s\n", output);
		return monocle__output_finish (stdout, NULL);
	}
	if (lstat (output, &status) == 0 && S_ISREG (status.st_mode))
		unlink (output);
	return result;
}

static int
draw (const arguments *args)
{
	monocle__profile *profile;
	char *path, *output;
	int result;

	if (monocle__profile_file_open (args->path, &profile, &path) != 0)
		return MONOCLE__EXIT_FAILED;
	output = args->output ? monocle__format ("%s", args->output) : default_output (path);
	result = write_file (profile, path, output, args->min_share);
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
