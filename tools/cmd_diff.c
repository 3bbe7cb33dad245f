/* SPDX-License-Identifier: MIT
 *
 * cmd_diff.c - `monocle diff`: what grew and what shrank from one profile to another.
 */
#include "command.h"
#include "diff.h"
#include "output.h"
#include "path.h"
#include "profile-file.h"

#include <getopt.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

enum { TABLE_ROWS = 40 };

typedef int (*diff_writer) (FILE *out, const monocle__profile *profile, const monocle__diff_options *options);

static const struct {
	const char *name;
	diff_writer write;
	bool for_people; /* cut to what fits a screen unless -n says otherwise */
} formats[] = {
	{ "text", monocle__diff_text, true },
	{ "tsv", monocle__diff_tsv, false },
	{ "json", monocle__diff_json, false },
};

enum { FORMATS = sizeof formats / sizeof *formats };

typedef struct {
	monocle__diff_options options;
	size_t format; /* FORMATS: none was named */
	bool limited;
	const char *output, *value;
	const char *paths[2];
} arguments;

static int
write_flame (const monocle__profile *profile, const arguments *args)
{
	char *title = monocle__format ("%s: what changed since %s", monocle__path_base_name (args->options.after),
	                               monocle__path_base_name (args->options.before));
	monocle__report_options options = { .title = title, .diff = true };
	monocle__output_place place = { .path = args->output };
	int result = monocle__output_flame (place, args->options.after, profile, &options);

	free (title);
	return result;
}

static int
write_rows (const monocle__profile *profile, arguments *args)
{
	size_t format = args->format == FORMATS ? 0 : args->format;

	if (formats[format].for_people) {
		args->options.width = monocle__output_width (stdout);
		args->options.bold = monocle__output_bold (stdout);
		args->options.ellipsis = monocle__output_ellipsis ();
		if (!args->limited)
			args->options.limit = TABLE_ROWS;
	}
	if (formats[format].write (stdout, profile, &args->options) != 0) {
		monocle__say ("%s: out of memory", args->options.after);
		return MONOCLE__EXIT_FAILED;
	}
	return monocle__output_finish (stdout, NULL);
}

/* The values that are compared: what is named, or the first profile's main one, if both have it in one unit. */
static bool
try_values (monocle__profile *const profiles[2], const arguments *args, size_t values[2])
{
	const monocle__value_type *types[2];
	const char *name = args->value;

	for (size_t i = 0; i < 2; i++) {
		values[i] = name ? monocle__profile_find_value (profiles[i], name) : monocle__profile_main_value (profiles[i]);
		if (values[i] == SIZE_MAX && !args->value)
			values[i] = monocle__profile_main_value (profiles[i]);
		if (values[i] == SIZE_MAX) {
			monocle__profile_file_say_values (args->paths[i], profiles[i], name);
			return false;
		}
		types[i] = &profiles[i]->value_types[values[i]];
		name = args->value ? args->value : types[i]->type;
	}
	if (strcmp (types[0]->unit, types[1]->unit) == 0)
		return true;
	monocle__say ("%s is in %s (%s), %s in %s (%s): they cannot be compared; --value=NAME chooses another value",
	              args->paths[0], types[0]->unit, types[0]->type, args->paths[1], types[1]->unit, types[1]->type);
	return false;
}

static int
compare (monocle__profile *const profiles[2], arguments *args)
{
	monocle__profile *joined;
	size_t values[2];
	int result;

	if (!try_values (profiles, args, values))
		return MONOCLE__EXIT_FAILED;
	args->options.before = args->paths[0];
	args->options.after = args->paths[1];
	joined = monocle__diff_new (profiles[0], values[0], profiles[1], values[1], args->options.normalized);
	if (!joined) {
		monocle__say ("%s: out of memory", args->paths[1]);
		return MONOCLE__EXIT_FAILED;
	}
	result = args->output ? write_flame (joined, args) : write_rows (joined, args);
	monocle__profile_free (joined);
	return result;
}

static int
diff_files (arguments *args)
{
	monocle__profile *profiles[2] = { 0 };
	int result = MONOCLE__EXIT_FAILED;

	if (monocle__profile_file_open (args->paths[0], &profiles[0]) == 0 &&
	    monocle__profile_file_open (args->paths[1], &profiles[1]) == 0)
		result = compare (profiles, args);
	for (size_t i = 0; i < 2; i++)
		monocle__profile_free (profiles[i]);
	return result;
}

static const struct option long_options[] = {
	{ "format", required_argument, NULL, 'f' }, { "normalize", no_argument, NULL, 'N' },
	{ "output", required_argument, NULL, 'o' }, { "sort", required_argument, NULL, 's' },
	{ "tree", no_argument, NULL, 't' },         { "value", required_argument, NULL, 'v' },
	{ "help", no_argument, NULL, 'h' },         { 0 },
};

static bool
try_format (const char *name, arguments *args)
{
	for (args->format = 0; args->format < FORMATS; args->format++) {
		if (strcmp (formats[args->format].name, name) == 0)
			return true;
	}
	return false;
}

static bool
try_sort (const char *name, arguments *args)
{
	args->options.sort = strcmp (name, "total") == 0 ? MONOCLE__SORT_TOTAL : MONOCLE__SORT_SELF;
	return args->options.sort == MONOCLE__SORT_TOTAL || strcmp (name, "self") == 0;
}

/* 0; an exit code otherwise, or -1 when help was asked. */
static int
parse_option (int option, arguments *args)
{
	switch (option) {
	case 'f':
		if (!try_format (optarg, args))
			return monocle__usage_error (&monocle__command_diff, "--format is text, tsv or json, not '%s'", optarg);
		return 0;
	case 's':
		if (!try_sort (optarg, args))
			return monocle__usage_error (&monocle__command_diff, "--sort is self or total, not '%s'", optarg);
		return 0;
	case 'n':
		args->limited = true;
		if (!monocle__try_number (optarg, &args->options.limit))
			return monocle__usage_error (&monocle__command_diff, "-n takes a number of rows, not '%s'", optarg);
		return 0;
	case 'N': args->options.normalized = true; return 0;
	case 'o': args->output = optarg; return 0;
	case 't': args->options.tree = true; return 0;
	case 'v': args->value = optarg; return 0;
	case 'h': return -1;
	default: return MONOCLE__EXIT_USAGE;
	}
}

static int
run (int argc, char **argv)
{
	arguments args = { .options.sort = MONOCLE__SORT_SELF, .format = FORMATS };
	int option, result;

	signal (SIGPIPE, SIG_IGN);
	while ((option = monocle__option_next (&monocle__command_diff, argc, argv, ":n:o:h", long_options)) != -1) {
		result = parse_option (option, &args);
		if (result != 0)
			return result < 0 ? monocle__command_help (&monocle__command_diff) : result;
	}
	if (argc - optind != 2)
		return monocle__usage_error (&monocle__command_diff, "diff takes two profiles: BEFORE and AFTER");
	if (args.output && args.format != FORMATS)
		return monocle__usage_error (&monocle__command_diff, "-o writes a flame graph, --format prints rows: not both");
	args.paths[0] = argv[optind];
	args.paths[1] = argv[optind + 1];
	return diff_files (&args);
}

const monocle__command monocle__command_diff = {
	.name = "diff",
	.summary = "show what grew and what shrank between two profiles",
	.usage = "diff BEFORE AFTER [--sort=self|total] [-n N] [--tree] [--normalize] [--value=NAME]\n"
	         "                    [--format=text|tsv|json] [-o OUT.html]",
	.help = "The largest change comes first, whatever its direction. Points are percent of the whole after, less\n"
	        "percent of the whole before. A method is the same when its full name is.\n\n"
	        "  --sort=self|total         the change of own cost (default), or of cost with callees\n"
	        "  -n N                      rows; 0: all. Default: 40; tsv and json: all\n"
	        "  --tree                    paths of calls instead of methods\n"
	        "  --normalize               scale BEFORE so that both come to the same whole: what is compared is shares\n"
	        "  --value=NAME              which of the profiles' values: calls, self, ...\n"
	        "  --format=text|tsv|json    for people (default; what did not change is left out), or for programs\n"
	        "  -o OUT.html               write a flame graph instead: red grew, blue shrank; - is standard output\n",
	.run = run,
};
