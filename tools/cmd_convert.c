/*
 * SPDX-License-Identifier: MIT
 *
 * cmd_convert.c - `monocle convert`: a profile in the file format of another tool.
 */
#include "choices.h"
#include "command.h"
#include "format.h"
#include "output.h"
#include "path.h"
#include "profile-file.h"

#include <getopt.h> /* optind */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

typedef struct {
	const char *path, *output, *value;
	size_t format; /* SIZE_MAX: it was not given */
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
is_same_file (const char *a, const char *b)
{
	struct stat x, y;
	return stat (a, &x) == 0 && stat (b, &y) == 0 && x.st_dev == y.st_dev && x.st_ino == y.st_ino;
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

static int
convert_profile (const arguments *args, const char *output)
{
	monocle__profile *profile;
	const char *path = args->path;
	int result = MONOCLE__EXIT_FAILED;
	if (monocle__profile_file_open (path, &profile) != 0)
		return MONOCLE__EXIT_FAILED;
	conversion c = { &monocle__file_formats[args->format], profile, { .title = monocle__path_base_name (path) } };
	if (try_value (&c, path, args->value))
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
	bool to_pprof = format->parse == monocle__pprof_parse;
	char *output =
	    args->output ? monocle__format ("%s", args->output) : monocle__output_name (args->path, format->extension);
	int result = MONOCLE__EXIT_FAILED;
	if (strcmp (output, "-") != 0 && is_same_file (args->path, output))
		monocle__say ("%s would be replaced by its own conversion; name another file with -o", args->path);
	else if (to_pprof && monocle__profile_file_is_spool (args->path))
		result = unpack_spool (args, output);
	else
		result = convert_profile (args, output);
	free (output);
	return result;
}

/* clang-format off */
static const monocle__option options[] = {
	{ "to",     0,   MONOCLE__OPTION_CHOICE, offsetof (arguments, format), "FORMAT",
	  .choice = monocle__choices_file_format, .is_needed = true },
	{ "output", 'o', MONOCLE__OPTION_TEXT,   offsetof (arguments, output), "OUT",
	  "where to write; - is standard output. Default: FILE with the format's own ending" },
	{ "value",  0,   MONOCLE__OPTION_TEXT,   offsetof (arguments, value),  "NAME",
	  "which of the profile's values: calls, self, ... Default: what monocle report sorts by;\n"
	  "pprof has all of them" },
	{ 0 },
};
/* clang-format on */

static int
no_format (void)
{
	char *list = monocle__options_list_choices (&options[0]);
	int code = monocle__usage_error (&monocle__command_convert, "convert needs --to=FORMAT: %s", list);
	free (list);
	return code;
}

static int
run (int argc, char **argv)
{
	arguments args = { .format = SIZE_MAX };
	int code;
	monocle__output_begin ();
	if (!monocle__options_read (&monocle__command_convert, argc, argv, &args, &code))
		return code;
	if (argc - optind != 1)
		return monocle__usage_error (&monocle__command_convert, "convert takes one FILE");
	if (args.format == SIZE_MAX)
		return no_format ();
	args.path = argv[optind];
	return convert (&args);
}

const monocle__command monocle__command_convert = {
	.name = "convert",
	.summary = "write a profile in the format of another tool",
	.operands = "FILE",
	.options = options,
	.about = "FILE is a profile, packed with gzip or not, or a spool.\n",
	.run = run,
};
