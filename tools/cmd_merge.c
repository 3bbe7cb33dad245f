/*
 * SPDX-License-Identifier: MIT
 *
 * cmd_merge.c - `monocle merge`: several coverage files as one.
 */
#include "command.h"
#include "cover-file.h"
#include "coverage-file.h"
#include "output.h"

#include <getopt.h> /* optind */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
	const char *output;
} arguments;

static int
write_coverage (FILE *out, const void *context)
{
	return monocle__coverage_write (out, context);
}

/* Whoever merges must know what the result does not have. */
static void
say_losses (const monocle__coverage *coverage)
{
	uint64_t lost = coverage->losses[MONOCLE__COVER_LOSS_SPACE] + coverage->losses[MONOCLE__COVER_LOSS_REFUSED] +
	                coverage->losses[MONOCLE__COVER_LOSS_CHANGED];
	if (coverage->mixed)
		monocle__say ("some of the files have counts and some have hits: the result has hits");
	if (coverage->conflicts)
		monocle__say ("the files do not agree about %" PRIu64 " %s of assemblies with the same id: of each one version "
		              "is kept",
		              coverage->conflicts, coverage->conflicts == 1 ? "method" : "methods");
	if (lost)
		monocle__say ("the files lack %" PRIu64 " %s", lost, lost == 1 ? "method" : "methods");
}

static int
merge (char **paths, size_t count, const char *output)
{
	monocle__coverage *coverage = monocle__coverage_new ();
	int result = coverage ? 0 : -1;
	if (!coverage)
		monocle__say ("out of memory");
	for (size_t i = 0; result == 0 && i < count; i++)
		result = monocle__coverage_file_add (coverage, paths[i]);
	if (result == 0) {
		say_losses (coverage);
		result = monocle__output_file ((monocle__output_place) { .path = output }, output, write_coverage, coverage);
	}
	monocle__coverage_free (coverage);
	return result == 0 ? MONOCLE__EXIT_OK : MONOCLE__EXIT_FAILED;
}

static int
run (int argc, char **argv)
{
	arguments args = { 0 };
	int code;
	monocle__output_begin ();
	if (!monocle__options_read (&monocle__command_merge, argc, argv, &args, &code))
		return code;
	if (optind == argc)
		return monocle__usage_error (&monocle__command_merge, "merge takes coverage files, or folders that have some");
	if (!args.output)
		return monocle__usage_error (&monocle__command_merge, "merge needs -o OUT.mcov");
	return merge (argv + optind, (size_t) (argc - optind), args.output);
}

/* clang-format off */
static const monocle__option options[] = {
	{ "output", 'o', MONOCLE__OPTION_TEXT, offsetof (arguments, output), "OUT.mcov",
	  "where to write; - is standard output", .is_needed = true },
	{ 0 },
};
/* clang-format on */

const monocle__command monocle__command_merge = {
	.name = "merge",
	.summary = "make one coverage file of several",
	.operands = "FILE...",
	.options = options,
	.about = "Counters of the same method are added up: a method is the same when it is in the same build of an\n"
	         "assembly. FILE may be a folder: all NAME.mcov in it.\n",
	.run = run,
};
