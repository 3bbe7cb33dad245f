/*
 * SPDX-License-Identifier: MIT
 *
 * cmd_convert.c - `monocle convert`: a profile, or coverage, in the file format of another tool. The content of the
 * first file tells which of the two it is.
 */
#include "command/output.h"
#include "command/word-list.h"
#include "commands.h"
#include "file/convert-coverage.h"
#include "file/coverage-file.h"
#include "file/live-spool.h"
#include "file/profile-file.h"
#include "format.h"
#include "path.h"
#include "report/choices.h"
#include "report/topic-choice.h"
#include "report/view-options.h"

#include <errno.h>
#include <getopt.h> /* optind */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

typedef struct {
	const char *const *paths;
	size_t path_count;
	const char *path; /* the first one */
	const char *output, *value, *source_root;
	monocle__word_list map;
	monocle__topic_choice topic;
	size_t format; /* of those of profiles and then of coverage; SIZE_MAX: it was not given */
	monocle__view_arguments view;
} arguments;

typedef struct {
	const monocle__file_format *format;
	const monocle__profile *profile;
	monocle__convert_options options;
} conversion;

static int
write_profile (FILE *out, const void *context)
{
	const conversion *c = context;
	return c->format->write (out, c->profile, &c->options);
}

static bool
try_value (conversion *c, const char *path, const char *name)
{
	c->options.value = name ? monocle__profile_find_value (c->profile, name) : monocle__profile_main_value (c->profile);
	c->options.one_value = name != NULL;
	if (c->options.value != SIZE_MAX)
		return true;
	monocle__profile_file_say_values (path, c->profile, name);
	return false;
}

static bool
try_fit (const conversion *c, const char *path)
{
	char why[256];
	bool fits = !c->format->fits || c->format->fits (c->profile, &c->options, why, sizeof why);
	if (!fits)
		monocle__say ("%s: %s", path, why);
	return fits;
}

/*
 * A picture can be made again. A profile may be the only one, and is not overwritten by a name that the user did not
 * give.
 */
static int
write_output (conversion *c, const char *path, monocle__output_place place)
{
	place.kept = place.chosen && c->format->parse == monocle__pprof_parse;
	return monocle__output_file (place, path, write_profile, c);
}

static bool
to_pprof (const arguments *args)
{
	return monocle__file_formats[args->format].parse == monocle__pprof_parse;
}

/* What is kept and read again has what the profile has; all else is a picture. */
static bool
is_for_programs (const arguments *args)
{
	return to_pprof (args) || monocle__file_formats[args->format].parse == monocle__mlpd_parse;
}

static int
convert_profile (const arguments *args, const char *output)
{
	monocle__view_plan plan = { .arguments = &args->view, .tell_images = true };
	monocle__profile *profile;
	const char *path = monocle__profile_file_title (args->path);
	int result = MONOCLE__EXIT_FAILED;
	plan.by_default = is_for_programs (args) ? MONOCLE__VIEW_FOR_PROGRAMS : MONOCLE__VIEW_FOR_PEOPLE;
	if (monocle__profile_file_open (args->path, &profile) != 0)
		return MONOCLE__EXIT_FAILED;
	if (monocle__topic_choice_apply (&args->topic, path, profile) != 0 ||
	    monocle__view_options_apply (&plan, path, &profile) != MONOCLE__EXIT_OK) {
		monocle__profile_free (profile);
		return MONOCLE__EXIT_FAILED;
	}
	conversion c = { &monocle__file_formats[args->format], profile, { .title = monocle__path_base_name (path) } };
	if (try_value (&c, path, args->value) && try_fit (&c, path))
		result = write_output (&c, path, (monocle__output_place) { .path = output, .chosen = !args->output });
	monocle__profile_free (profile);
	return result;
}

typedef struct {
	void *data;
	size_t length;
} bytes;

static int
write_bytes (FILE *out, const void *context)
{
	const bytes *b = context;
	fwrite (b->data, 1, b->length, out); /* the stream keeps its errors */
	return 0;
}

/* A spool becomes the very file that its process would have written, with the same modes. */
static int
unpack_spool (const arguments *args, const char *output)
{
	monocle__output_place place = {
		.path = output, .chosen = !args->output, .kept = !args->output, .is_private = true
	};
	bytes b;
	int result;
	if (monocle__profile_file_unpack (args->path, &b.data, &b.length) != 0)
		return MONOCLE__EXIT_FAILED;
	result = monocle__output_file (place, args->path, write_bytes, &b);
	free (b.data);
	return result;
}

static int
convert (const arguments *args)
{
	const monocle__file_format *format = &monocle__file_formats[args->format];
	char *output = args->output ? monocle__format ("%s", args->output)
	                            : monocle__profile_file_output (args->path, format->extension);
	int result = MONOCLE__EXIT_FAILED;
	if (strcmp (output, "-") != 0 && monocle__path_is_same (args->path, output))
		monocle__say ("%s would be replaced by its own conversion; name another file with -o", args->path);
	else if (to_pprof (args) && !monocle__topic_choice_given (&args->topic) &&
	         !monocle__view_options_given (&args->view) &&
	         (monocle__profile_file_is_spool (args->path) || monocle__live_spool_is_pid (args->path)))
		result = unpack_spool (args, output);
	else
		result = convert_profile (args, output);
	free (output);
	return result;
}

static int
convert_coverage (const arguments *args)
{
	monocle__convert_coverage_plan plan = {
		.paths = args->paths,
		.path_count = args->path_count,
		.output = args->output,
		.source_root = args->source_root,
		.format = &monocle__coverage_formats[args->format - monocle__file_format_count],
		.options = { .map = args->map.words },
	};
	return monocle__convert_coverage (&plan);
}

/* clang-format off */
static const monocle__option options[] = {
	{ "to",     0,   MONOCLE__OPTION_CHOICE, offsetof (arguments, format), "FORMAT",
	  .choice = monocle__choices_convert_format, .is_needed = true },
	{ "output", 'o', MONOCLE__OPTION_TEXT,   offsetof (arguments, output), "OUT",
	  "where to write; - is standard output. Default: FILE with the format's own ending" },
	{ "value",  0,   MONOCLE__OPTION_TEXT,   offsetof (arguments, value),  "NAME",
	  "which of the profile's values: calls, self, ... Default: what monocle report sorts by;\n"
	  "pprof has all of them" },
	MONOCLE__TOPIC_CHOICE_OPTIONS (arguments, topic),
	MONOCLE__VIEW_OPTIONS (arguments, view),
	{ "relative-to", 0, MONOCLE__OPTION_TEXT, offsetof (arguments, source_root), "FOLDER",
	  "coverage: name source files from this folder on" },
	{ "map",    0,   MONOCLE__OPTION_READ,   offsetof (arguments, map),    "FROM=TO",
	  "coverage: source files whose names begin with FROM begin with TO here",
	  .try_read = monocle__word_list_try_add_map, .wanted = "takes FROM=TO, at most 64 times", .is_repeated = true },
	{ 0 },
};
/* clang-format on */

/* "collapsed, speedscope or perfetto" of one kind of file. The caller frees. */
static char *
list_formats (monocle__choice (*choice) (size_t index))
{
	return monocle__options_list_choices (&(monocle__option) { .choice = choice });
}

static int
no_format (void)
{
	char *profiles = list_formats (monocle__choices_file_format);
	char *coverage = list_formats (monocle__choices_coverage_format);
	int code = monocle__usage_error (&monocle__command_convert,
	                                 "convert needs --to=FORMAT: %s of a profile, %s of coverage", profiles, coverage);
	free (profiles);
	free (coverage);
	return code;
}

static int
wrong_format (const arguments *args, bool is_coverage)
{
	const char *name = monocle__choices_convert_format (args->format).name;
	char *list = list_formats (is_coverage ? monocle__choices_coverage_format : monocle__choices_file_format);
	if (access (args->path, R_OK) != 0)
		monocle__say ("%s: %s", args->path, strerror (errno));
	else if (is_coverage)
		monocle__say ("%s is coverage, and --to=%s is for profiles; use %s", args->path, name, list);
	else
		monocle__say ("%s is no coverage, and --to=%s is for nothing else; of a profile use %s", args->path, name,
		              list);
	free (list);
	return MONOCLE__EXIT_FAILED;
}

/* The name of an option that means nothing for this kind of file; NULL: there is none. */
static const char *
idle_option (const arguments *args, bool is_coverage)
{
	const char *given = monocle__topic_choice_given (&args->topic);
	given = given ? given : monocle__view_options_given (&args->view);
	if (is_coverage)
		return args->value ? "value" : given ? given + strlen ("--") : NULL;
	return args->source_root ? "relative-to" : args->map.count ? "map" : NULL;
}

static bool
is_coverage_or_folder (const arguments *args)
{
	struct stat status;
	bool wants_coverage = args->format >= monocle__file_format_count;
	return monocle__coverage_file_is (args->path) ||
	       (wants_coverage && stat (args->path, &status) == 0 && S_ISDIR (status.st_mode));
}

static int
run (int argc, char **argv)
{
	arguments args = { .format = SIZE_MAX, .topic = MONOCLE__TOPIC_CHOICE_NONE, .view.names = SIZE_MAX };
	const char *idle;
	bool is_coverage;
	int code;
	monocle__output_begin ();
	if (!monocle__options_read (&monocle__command_convert, argc, argv, &args, &code))
		return code;
	if (argc == optind)
		return monocle__usage_error (&monocle__command_convert, "convert takes a FILE");
	if (args.format == SIZE_MAX)
		return no_format ();
	args.paths = (const char *const *) argv + optind;
	args.path = args.paths[0];
	args.path_count = (size_t) (argc - optind);
	is_coverage = is_coverage_or_folder (&args);
	if (is_coverage != (args.format >= monocle__file_format_count))
		return wrong_format (&args, is_coverage);
	if ((idle = idle_option (&args, is_coverage)))
		return monocle__usage_error (&monocle__command_convert, "--%s is not for %s", idle,
		                             is_coverage ? "coverage" : "profiles");
	if (!is_coverage && args.path_count != 1)
		return monocle__usage_error (&monocle__command_convert, "convert takes one FILE that is a profile");
	return is_coverage ? convert_coverage (&args) : convert (&args);
}

const monocle__command monocle__command_convert = {
	.name = "convert",
	.summary = "write a profile or coverage in the format of another tool",
	.operands = "FILE...",
	.options = options,
	.about = "FILE is a profile, packed with gzip or not, or a spool; the number of a process\n"
	         "that is being profiled stands for its spool. Or it is coverage (.mcov, or a folder\n"
	         "with such files), which is added up when there are several.\n",
	.examples = "  monocle convert --to=speedscope prof.pb.gz\n"
	            "  monocle convert --to=cobertura app.mcov\n",
	.run = run,
};
