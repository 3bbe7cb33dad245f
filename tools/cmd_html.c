/*
 * SPDX-License-Identifier: MIT
 *
 * cmd_html.c - `monocle html`: coverage as one HTML file with all sources.
 */
#include "command/output.h"
#include "command/word-list.h"
#include "commands.h"
#include "coverage-html.h"
#include "file/coverage-file.h"
#include "path.h"

#include <getopt.h> /* optind */
#include <stdlib.h>
#include <string.h>

typedef struct {
	const char *output, *title;
	monocle__word_list map, sources;
	bool no_sources;
	char **paths;
	size_t path_count;
} arguments;

typedef struct {
	const monocle__coverage *coverage;
	const monocle__coverage_html_options *options;
} page;

static int
write_page (FILE *out, const void *context)
{
	const page *p = context;
	return monocle__coverage_html (out, p->coverage, p->options);
}

/* "a.mcov", "a.mcov and 2 more". The caller frees. */
static char *
title_of (const arguments *args, const char *name)
{
	const char *first = monocle__path_base_name (name);
	if (args->title)
		return monocle__format ("%s", args->title);
	if (args->path_count == 1)
		return monocle__format ("%s", first);
	return monocle__format ("%s and %zu more", first, args->path_count - 1);
}

static int
write_coverage (const monocle__coverage *coverage, const arguments *args)
{
	char *name = monocle__coverage_file_name (args->paths[0]), *title = title_of (args, name);
	char *output = args->output ? monocle__format ("%s", args->output) : monocle__output_name (name, ".html");
	monocle__coverage_html_options options = { .title = title, .no_sources = args->no_sources };
	page p = { coverage, &options };
	monocle__output_place place = { .path = output, .chosen = !args->output };
	int result = monocle__output_file (place, args->paths[0], write_page, &p);
	free (output);
	free (title);
	free (name);
	return result;
}

static int
show (const arguments *args)
{
	monocle__coverage_options options = { .map = args->map.words, .sources = args->sources.words };
	const char *const *paths = (const char *const *) args->paths;
	monocle__coverage *coverage;
	int result = MONOCLE__EXIT_FAILED;
	if (monocle__coverage_file_open (paths, args->path_count, &options, &coverage) != 0)
		return MONOCLE__EXIT_FAILED;
	if (args->no_sources || monocle__coverage_find_sources (coverage, &options) == 0)
		result = write_coverage (coverage, args);
	else
		monocle__say ("%s: out of memory", args->paths[0]);
	monocle__coverage_free (coverage);
	return result;
}

static int
run (int argc, char **argv)
{
	arguments args = { 0 };
	int code;
	monocle__output_begin ();
	if (!monocle__options_read (&monocle__command_html, argc, argv, &args, &code))
		return code;
	if (argc == optind)
		return monocle__usage_error (&monocle__command_html, "html takes at least one FILE");
	args.paths = argv + optind;
	args.path_count = (size_t) (argc - optind);
	return show (&args);
}

/* clang-format off */
static const monocle__option options[] = {
	{ "output",      'o', MONOCLE__OPTION_TEXT, offsetof (arguments, output),     "OUT.html",
	  "where to write; - is standard output. Default: the first FILE with .html for .mcov" },
	{ "title",       0,   MONOCLE__OPTION_TEXT, offsetof (arguments, title),      "TEXT",
	  "what the page is called. Default: the name of the first FILE" },
	{ "source-root", 0,   MONOCLE__OPTION_READ, offsetof (arguments, sources),    "FOLDER",
	  "a folder to look for sources in that are not where they were compiled",
	  .try_read = monocle__word_list_try_add, .wanted = "takes a folder, at most 64 times", .is_repeated = true },
	{ "map",         0,   MONOCLE__OPTION_READ, offsetof (arguments, map),        "FROM=TO",
	  "sources whose names begin with FROM begin with TO here",
	  .try_read = monocle__word_list_try_add_map, .wanted = "takes FROM=TO, at most 64 times", .is_repeated = true },
	{ "no-sources",  0,   MONOCLE__OPTION_ON,   offsetof (arguments, no_sources), NULL,
	  "leave out the text of sources: names, lines and counts only" },
	{ 0 },
};
/* clang-format on */

const monocle__command monocle__command_html = {
	.name = "html",
	.summary = "show coverage with all sources, one HTML file",
	.operands = "FILE...",
	.options = options,
	.about = "FILE is coverage (.mcov); several are added up. The page needs nothing but itself: it opens from a "
	         "disk, by mail,\n"
	         "without a network. It has a table of assemblies, folders, files and classes, a search, every source with "
	         "its hits\n"
	         "and missed branches, keys (press ?), and a dark mode. A folder stands for all NAME.mcov in it.\n",
	.examples = "  monocle html app.mcov\n"
	            "  monocle html tests.mcov --title=Tests -o tests.html\n",
	.run = run,
};
