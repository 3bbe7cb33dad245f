/* SPDX-License-Identifier: MIT
 *
 * cmd_convert.c - `monocle convert`: a profile in the file format of another tool.
 */
#include "command.h"
#include "format.h"
#include "output.h"
#include "path.h"
#include "profile-file.h"

#include <getopt.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

typedef struct {
	const char *path, *output, *value;
	const monocle__file_format *format;
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

/* A picture can be made again. A profile may be the only one, and is not overwritten by a name that nobody gave. */
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
	conversion c = { args->format, profile, { .title = monocle__path_base_name (path) } };
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
	bool to_pprof = args->format->parse == monocle__pprof_parse;
	char *output = args->output ? monocle__format ("%s", args->output)
	                            : monocle__output_name (args->path, args->format->extension);
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

static const struct option long_options[] = {
	{ "to", required_argument, NULL, 't' },
	{ "output", required_argument, NULL, 'o' },
	{ "value", required_argument, NULL, 'v' },
	{ "help", no_argument, NULL, 'h' },
	{ 0 },
};

static int
unknown_format (const char *name)
{
	char names[256] = "";

	for (size_t i = 0; i < monocle__file_format_count; i++)
		snprintf (names + strlen (names), sizeof names - strlen (names), "%s%s",
		          i == 0                                ? ""
		          : i + 1 == monocle__file_format_count ? " or "
		                                                : ", ",
		          monocle__file_formats[i].name);
	if (name)
		return monocle__usage_error (&monocle__command_convert, "--to is %s, not '%s'", names, name);
	return monocle__usage_error (&monocle__command_convert, "convert needs --to=FORMAT: %s", names);
}

static int
run (int argc, char **argv)
{
	arguments args = { 0 };
	int option;

	signal (SIGPIPE, SIG_IGN);
	while ((option = monocle__option_next (&monocle__command_convert, argc, argv, ":o:h", long_options)) != -1) {
		if (option == 'h')
			return monocle__command_help (&monocle__command_convert);
		if (option == 'o')
			args.output = optarg;
		else if (option == 'v')
			args.value = optarg;
		else if (option != 't')
			return MONOCLE__EXIT_USAGE;
		else if (!(args.format = monocle__file_format_find (optarg)))
			return unknown_format (optarg);
	}
	if (argc - optind != 1)
		return monocle__usage_error (&monocle__command_convert, "convert takes one FILE");
	if (!args.format)
		return unknown_format (NULL);
	args.path = argv[optind];
	return convert (&args);
}

const monocle__command monocle__command_convert = {
	.name = "convert",
	.summary = "write a profile in the format of another tool",
	.usage = "convert FILE --to=FORMAT [-o OUT] [--value=NAME]",
	.help = "FILE is a profile: pprof, collapsed stacks or speedscope, packed with gzip or not, or a spool.\n\n"
	        "  --to=FORMAT   collapsed   a line per stack, root first: what flame graph scripts read\n"
	        "                speedscope  JSON for https://www.speedscope.app, a profile per thread\n"
	        "                pprof       what all of this reads, and go tool pprof\n"
	        "                firefox     for https://profiler.firefox.com\n"
	        "                perfetto    for https://ui.perfetto.dev; widths are amounts, not moments\n"
	        "  -o OUT        where to write; - is standard output. Default: FILE with the format's own ending\n"
	        "  --value=NAME  which of the profile's values: calls, self, ... Default: what monocle report sorts by;\n"
	        "                pprof has all of them\n",
	.run = run,
};
