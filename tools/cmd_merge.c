/*
 * SPDX-License-Identifier: MIT
 *
 * cmd_merge.c - `monocle merge`: several profiles as one, or several coverage files.
 */
#include "command/output.h"
#include "commands.h"
#include "cover-file.h"
#include "file/coverage-file.h"
#include "file/profile-file.h"
#include "format.h"

#include <getopt.h> /* optind */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

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
write_profile (FILE *out, const void *context)
{
	static const monocle__convert_options options = { 0 };
	return monocle__pprof_convert (out, context, &options);
}

static int
merge_profiles (char **paths, size_t count, const char *output)
{
	monocle__profile *sum;
	int result;
	if (monocle__profile_file_open_all ((const char *const *) paths, count, &sum) != 0)
		return MONOCLE__EXIT_FAILED;
	result = monocle__output_file ((monocle__output_place) { .path = output, .is_private = true }, output,
	                               write_profile, sum);
	monocle__profile_free (sum);
	return result == 0 ? MONOCLE__EXIT_OK : MONOCLE__EXIT_FAILED;
}

static bool
is_named_coverage (const char *path)
{
	static const char ending[] = ".mcov";
	size_t length = strlen (path);
	return length > sizeof ending - 1 && strcmp (path + length - (sizeof ending - 1), ending) == 0;
}

/* Files of coverage by what they hold or are called, and folders, which are searched for such files. */
static size_t
count_coverage (char **paths, size_t count)
{
	struct stat status;
	size_t coverage = 0;
	for (size_t i = 0; i < count; i++)
		coverage += monocle__coverage_file_is (paths[i]) || is_named_coverage (paths[i]) ||
		            (stat (paths[i], &status) == 0 && S_ISDIR (status.st_mode));
	return coverage;
}

static bool
are_there (char **paths, size_t count)
{
	size_t i = 0;
	while (i < count && access (paths[i], R_OK) == 0)
		i++;
	return i == count;
}

/* What is none of the two is told by the reader of the first one's kind. */
static int
merge_files (char **paths, size_t count, const char *output)
{
	size_t coverage = count_coverage (paths, count);
	if (coverage == 0)
		return merge_profiles (paths, count, output);
	if (coverage < count && are_there (paths, count))
		return monocle__usage_error (&monocle__command_merge, "some of the files are coverage, and some are not");
	return merge (paths, count, output);
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
		return monocle__usage_error (&monocle__command_merge,
		                             "merge takes profiles, or coverage files, or folders that have some");
	if (!args.output)
		return monocle__usage_error (&monocle__command_merge, "merge needs -o OUT");
	if (monocle__output_refuse_data (args.output, false))
		return MONOCLE__EXIT_USAGE;
	return merge_files (argv + optind, (size_t) (argc - optind), args.output);
}

/* clang-format off */
static const monocle__option options[] = {
	{ "output", 'o', MONOCLE__OPTION_TEXT, offsetof (arguments, output), "OUT",
	  "where to write; - is standard output", .is_needed = true },
	{ 0 },
};
/* clang-format on */

const monocle__command monocle__command_merge = {
	.name = "merge",
	.summary = "make one profile of several, or one coverage file",
	.operands = "FILE...",
	.options = options,
	.about =
	    "Samples of profiles are put together, and each tells which process it is of: report\n"
	    "--process=GLOB shows those of one.\n"
	    "Of coverage, counters of the same method are added up: a method is the same when it is in the same build\n"
	    "of an assembly. FILE may be a folder: all NAME.mcov in it.\n",
	.examples = "  monocle merge one.pb.gz two.pb.gz -o both.pb.gz\n"
	            "  monocle merge unit.mcov system.mcov -o all.mcov\n",
	.run = run,
};
