/*
 * SPDX-License-Identifier: MIT
 *
 * convert-coverage.c - coverage files, merged, in the file format of another tool.
 */
#include "convert-coverage.h"

#include "command/command.h"
#include "command/output.h"
#include "cover-file.h"
#include "coverage-file.h"
#include "path.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

typedef struct {
	const monocle__coverage *coverage;
	const monocle__coverage_format *format;
	monocle__coverage_convert_options options;
} conversion;

static int
write_coverage (FILE *out, const void *context)
{
	const conversion *c = context;
	return c->format->write (out, c->coverage, &c->options);
}

/*
 * The folder as symbols would name it: with slashes, from the root on, without a slash at the end. One that starts
 * somewhere else is of this machine. The caller frees.
 */
static char *
absolute (const char *folder)
{
	bool has_drive = folder[0] && folder[1] == ':';
	char *known = folder[0] == '/' || has_drive || strncmp (folder, "\\\\", 2) == 0 ? NULL : realpath (folder, NULL);
	char *name = monocle__format ("%s", known ? known : folder);
	free (known);
	for (char *c = name; *c && name[0] != '/'; c++)
		*c = *c == '\\' ? '/' : *c;
	for (size_t length = strlen (name); length > 1 && name[length - 1] == '/'; length--)
		name[length - 1] = '\0';
	return name;
}

/* What the result cannot show, because it is not in the coverage. */
static void
say_losses (const monocle__coverage *coverage, const char *title)
{
	uint64_t lost = coverage->losses[MONOCLE__COVER_LOSS_SPACE] + coverage->losses[MONOCLE__COVER_LOSS_REFUSED] +
	                coverage->losses[MONOCLE__COVER_LOSS_CHANGED] + coverage->conflicts;
	if (coverage->mixed)
		monocle__say ("some of the files have counts and some have hits: the result has hits");
	if (lost)
		monocle__say ("%s: %" PRIu64 " %s not counted in full", title, lost, lost == 1 ? "method is" : "methods are");
}

static int
write_output (const monocle__convert_coverage_plan *plan, const monocle__coverage *coverage, const char *title,
              const char *output)
{
	char *root = plan->source_root ? absolute (plan->source_root) : NULL;
	conversion c = { coverage, plan->format, { .title = title, .source_root = root } };
	monocle__output_place place = { .path = output, .chosen = !plan->output };
	int result = monocle__output_file (place, plan->paths[0], write_coverage, &c);
	if (result == 0)
		say_losses (coverage, title);
	free (root);
	return result;
}

static bool
would_replace (const monocle__convert_coverage_plan *plan, const char *output)
{
	for (size_t i = 0; i < plan->path_count; i++) {
		if (!monocle__path_is_same (plan->paths[i], output))
			continue;
		monocle__say ("%s would be replaced by its own conversion; name another file with -o", plan->paths[i]);
		return true;
	}
	return false;
}

int
monocle__convert_coverage (const monocle__convert_coverage_plan *plan)
{
	char *name = monocle__coverage_file_name (plan->paths[0]);
	char *output =
	    plan->output ? monocle__format ("%s", plan->output) : monocle__output_name (name, plan->format->extension);
	monocle__coverage *coverage;
	int result = MONOCLE__EXIT_FAILED;
	if ((strcmp (output, "-") == 0 || !would_replace (plan, output)) &&
	    monocle__coverage_file_open (plan->paths, plan->path_count, &plan->options, &coverage) == 0) {
		result = write_output (plan, coverage, monocle__path_base_name (name), output);
		monocle__coverage_free (coverage);
	}
	free (output);
	free (name);
	return result;
}
