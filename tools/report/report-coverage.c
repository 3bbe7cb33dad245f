/*
 * SPDX-License-Identifier: MIT
 *
 * report-coverage.c - see report-coverage.h.
 */
#include "report-coverage.h"

#include "command/command.h"
#include "command/output.h"
#include "coverage-annotate.h"
#include "coverage-find.h"
#include "file/coverage-file.h"
#include "report-format.h"

#include <stdlib.h>

enum { TREE_ROWS = 80, NAMED = 20 /* of what a name may mean */ };

/* "a.mcov", "a.mcov and 2 more". The caller frees. */
static char *
title_of (const char *const *paths, size_t count)
{
	return count == 1 ? monocle__format ("%s", paths[0]) : monocle__format ("%s and %zu more", paths[0], count - 1);
}

static void
options_init (monocle__coverage_report_options *options, const monocle__report_coverage_arguments *args)
{
	*options = (monocle__coverage_report_options) {
		.by = args->by,
		.sort = args->sort,
		.only_missed = args->only_missed,
		.tree = args->tree,
	};
	if (monocle__report_formats[args->format].is_for_people) {
		options->width = monocle__output_width (stdout);
		options->colour = monocle__output_bold (stdout);
		options->ellipsis = monocle__output_ellipsis ();
		options->blocks = options->width > 0 && monocle__output_is_utf8 ();
		options->limit = args->tree ? TREE_ROWS : 0;
	}
	if (args->limit != SIZE_MAX)
		options->limit = args->limit;
}

static int
write_report (const monocle__coverage *coverage, const char *title, const monocle__report_coverage_arguments *args)
{
	monocle__coverage_report_options options;
	options_init (&options, args);
	options.title = title;
	if (monocle__report_formats[args->format].coverage (stdout, coverage, &options) != 0) {
		monocle__say ("%s: out of memory", title);
		return MONOCLE__EXIT_FAILED;
	}
	return monocle__output_finish (stdout, NULL);
}

/* --- annotations -------------------------------------------------------------------------------------------------- */

static void
say_one (const monocle__coverage *coverage, const monocle__coverage_found *found, size_t i)
{
	uint32_t index = found->items[i];
	const monocle__coverage_method *method = &coverage->methods[index];
	if (found->by == MONOCLE__COVERAGE_BY_FILE)
		monocle__say ("  %s", coverage->files[index].path);
	else if (found->by == MONOCLE__COVERAGE_BY_CLASS)
		monocle__say ("  %s", coverage->types[index].name);
	else
		monocle__say ("  %s:%s", coverage->types[method->type].name, method->name);
}

static void
say_all (const monocle__coverage *coverage, const monocle__coverage_found *found, const char *name)
{
	static const char *const kinds[] = { "files", "classes", "methods" };
	monocle__say ("%s may be any of %zu %s; name more of it:", name, found->count, kinds[found->by]);
	for (size_t i = 0; i < found->count && i < NAMED; i++)
		say_one (coverage, found, i);
	if (found->count > NAMED)
		monocle__say ("  and %zu more", found->count - NAMED);
}

static int
annotate (const monocle__coverage *coverage, const char *title, const monocle__report_coverage_arguments *args,
          const monocle__coverage_found *found)
{
	monocle__coverage_report_options options;
	char error[4096 + 256];
	options_init (&options, args);
	if (found->count == 0) {
		monocle__say ("%s has no file, class or method %s", title, args->annotate);
		return MONOCLE__EXIT_FAILED;
	}
	if (found->count > 1) {
		say_all (coverage, found, args->annotate);
		return MONOCLE__EXIT_FAILED;
	}
	if (monocle__coverage_annotate (stdout, coverage, found->by, found->items[0], &options, error, sizeof error) != 0) {
		fflush (stdout);
		monocle__say ("%s", error);
		return MONOCLE__EXIT_FAILED;
	}
	return monocle__output_finish (stdout, NULL);
}

static int
find_and_annotate (monocle__coverage *coverage, const char *title, const monocle__report_coverage_arguments *args)
{
	monocle__coverage_found found = { 0 };
	int result = MONOCLE__EXIT_FAILED;
	if (monocle__coverage_find_sources (coverage, &args->options) != 0 ||
	    monocle__coverage_find (coverage, args->annotate, &found) != 0)
		monocle__say ("%s: out of memory", title);
	else
		result = annotate (coverage, title, args, &found);
	free (found.items);
	return result;
}

/* --- the whole ---------------------------------------------------------------------------------------------------- */

static int
show (monocle__coverage *coverage, const char *title, const monocle__report_coverage_arguments *args)
{
	monocle__coverage_sums sums = monocle__coverage_sum (coverage);
	int result = args->annotate ? find_and_annotate (coverage, title, args) : write_report (coverage, title, args);
	return result == MONOCLE__EXIT_OK ? monocle__fail_under_check (&args->fail_under, &sums) : result;
}

int
monocle__report_coverage (const char *const *paths, size_t count, const monocle__report_coverage_arguments *args)
{
	monocle__coverage *coverage;
	char *title;
	int result;
	if (monocle__coverage_file_open (paths, count, &args->options, &coverage) != 0)
		return MONOCLE__EXIT_FAILED;
	title = title_of (paths, count);
	result = show (coverage, title, args);
	free (title);
	monocle__coverage_free (coverage);
	return result;
}
