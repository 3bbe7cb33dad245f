/*
 * SPDX-License-Identifier: MIT
 *
 * annotate.c - see annotate.h.
 *
 *     self     total  line
 *                       14  	uint x = state;
 *   1.38 s    1.38 s    16  		x = x * 1664525;
 *
 * The end of a method is not in a profile. What is shown goes from the line before its first to some lines behind the
 * last one that cost something, but not into the next method that the profile knows.
 */
#include "annotate.h"

#include "column.h"
#include "source-path.h"
#include "source-text.h"
#include "width.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

enum { CELL_SIZE = 64, LINE_SIZE = 4096, NAMED = 20, BEHIND = 3 };

/* How well a name is matched; the best that there is counts. */
enum match { NOT, INSIDE, END, WHOLE };

typedef struct {
	const monocle__profile *profile;
	const monocle__annotate_options *options;
	uint8_t *matches;                  /* by function */
	const monocle__function *function; /* one of them */
	monocle__column *columns;
	size_t column_count;
	int64_t *self, *total; /* by line up to line_count and value; line 0: of the method, on no line */
	size_t line_count;
	size_t *seen; /* by line: the number of the last sample that was on it */
	int64_t first, last;
	int64_t beyond; /* places behind the end of the source */
	char *path;     /* after maps */
	FILE *out;
} annotation;

static __attribute__ ((format (printf, 2, 3))) int
fail (const annotation *a, const char *format, ...)
{
	char text[LINE_SIZE];
	va_list arguments;
	va_start (arguments, format);
	vsnprintf (text, sizeof text, format, arguments);
	va_end (arguments);
	a->options->say (text);
	return -1;
}

/* --- which method ------------------------------------------------------------------------------------------------- */

/* Arguments count when they are asked for. */
static enum match
match_name (const char *name, const char *wanted)
{
	size_t length = strlen (wanted), whole = strchr (wanted, '(') ? strlen (name) : strcspn (name, "(");
	while (whole > 0 && name[whole - 1] == ' ')
		whole--;
	if (whole >= length && strncmp (name + whole - length, wanted, length) == 0) {
		char before = whole > length ? name[whole - length - 1] : 0;
		if (whole == length)
			return WHOLE;
		if (strchr (".:/", before))
			return END;
	}
	return strstr (name, wanted) ? INSIDE : NOT;
}

static bool
is_same_place (const monocle__function *x, const monocle__function *y)
{
	return x->line == y->line && strcmp (x->source, y->source) == 0;
}

static int
say_all (const annotation *a)
{
	size_t count = 0;
	fail (a, "%s may be several methods; name more of it:", a->options->name);
	for (size_t i = 0; i < a->profile->function_count; i++) {
		if (a->matches[i] && count++ < NAMED)
			fail (a, "  %s", a->profile->functions[i].name);
	}
	if (count > NAMED)
		fail (a, "  and %zu more", count - NAMED);
	return -1;
}

static int
find_method (annotation *a)
{
	enum match best = NOT;
	size_t without = 0;
	bool is_one = true;
	for (size_t i = 0; i < a->profile->function_count; i++) {
		enum match match = match_name (a->profile->functions[i].name, a->options->name);
		without += match > NOT && !a->profile->functions[i].source;
		if (a->profile->functions[i].source && match > best)
			best = match;
	}
	for (size_t i = 0; best > NOT && i < a->profile->function_count; i++) {
		const monocle__function *function = &a->profile->functions[i];
		a->matches[i] = function->source && match_name (function->name, a->options->name) == best;
		if (a->matches[i] && a->function)
			is_one = is_one && is_same_place (a->function, function);
		else if (a->matches[i])
			a->function = function;
	}
	if (!a->function && without)
		return fail (a, "the source of %s is not known: there are no symbols of its image", a->options->name);
	if (!a->function)
		return fail (a, "no method in the profile has the name %s", a->options->name);
	return is_one ? 0 : say_all (a);
}

/* --- sums --------------------------------------------------------------------------------------------------------- */

static void
add (int64_t *sums, const int64_t *values, size_t count)
{
	for (size_t i = 0; i < count; i++)
		sums[i] = monocle__add (sums[i], values[i]);
}

static void
add_frame (annotation *a, size_t sample, size_t frame, bool is_leaf)
{
	const int64_t *values = monocle__profile_values (a->profile, sample);
	const monocle__place *place = monocle__profile_place (a->profile, frame);
	size_t width = a->profile->value_count, line = place ? (size_t) place->line : 0;
	if (line > a->line_count) {
		a->beyond++;
		return;
	}
	if (line && (int64_t) line < a->first)
		a->first = (int64_t) line;
	if ((int64_t) line > a->last)
		a->last = (int64_t) line;
	if (is_leaf)
		add (a->self + line * width, values, width);
	if (a->seen[line] != sample + 1)
		add (a->total + line * width, values, width);
	a->seen[line] = sample + 1;
}

static void
add_samples (annotation *a)
{
	for (size_t i = 0; i < a->profile->sample_count; i++) {
		const monocle__sample *sample = &a->profile->samples[i];
		for (size_t k = 0; k < sample->depth; k++) {
			if (a->matches[a->profile->frames[sample->frames + k]])
				add_frame (a, i, sample->frames + k, k == 0);
		}
	}
}

static bool
make_sums (annotation *a, const monocle__source_text *source)
{
	monocle__source_rest rest = monocle__source_text_lines (source);
	size_t width = a->profile->value_count, length;
	const char *text;
	while (monocle__source_text_try_next (&rest, &text, &length))
		a->line_count++;
	a->self = calloc ((a->line_count + 1) * width, sizeof *a->self);
	a->total = calloc ((a->line_count + 1) * width, sizeof *a->total);
	a->seen = calloc (a->line_count + 1, sizeof *a->seen);
	a->columns = monocle__columns_new (a->profile, &a->column_count);
	if (!a->self || !a->total || !a->seen || !a->columns)
		return false;
	a->first = a->last = a->function->line;
	add_samples (a);
	return true;
}

/* The next method in the same source begins behind what is shown; its declaration is on the line before it. */
static void
find_end (annotation *a)
{
	int64_t end = a->last + BEHIND;
	for (size_t i = 0; i < a->profile->function_count; i++) {
		const monocle__function *other = &a->profile->functions[i];
		if (other->source && other->line > a->last && other->line - 2 < end &&
		    strcmp (other->source, a->function->source) == 0)
			end = other->line - 2;
	}
	a->last = end > a->last ? end : a->last;
	a->first -= a->first > 1;
}

/* --- output ------------------------------------------------------------------------------------------------------- */

static int64_t
amount_of (const annotation *a, const monocle__column *column, size_t line)
{
	return (column->is_total ? a->total : a->self)[line * a->profile->value_count + column->value];
}

static bool
has_cost (const annotation *a, size_t line)
{
	for (size_t i = 0; i < a->column_count; i++) {
		if (amount_of (a, &a->columns[i], line))
			return true;
	}
	return false;
}

/* How often a stack was seen says nothing that its weight does not. */
static bool
is_shown (const annotation *a, const monocle__column *column)
{
	return column->value == monocle__profile_main_value (a->profile);
}

static void
format_amount (const annotation *a, const monocle__column *column, size_t line, char *buffer)
{
	int64_t amount = amount_of (a, column, line);
	if (amount)
		monocle__amount_format (amount, a->profile->value_types[column->value].unit, buffer, CELL_SIZE);
	else
		*buffer = '\0';
}

static void
print_cells (const annotation *a, size_t line)
{
	char buffer[CELL_SIZE];
	for (size_t i = 0; i < a->column_count; i++) {
		if (!is_shown (a, &a->columns[i]))
			continue;
		format_amount (a, &a->columns[i], line, buffer);
		fprintf (a->out, "%*s  ", 10, buffer);
	}
}

static void
print_name (const annotation *a, const char *before, const char *text)
{
	char buffer[LINE_SIZE];
	monocle__utf8_elide (text, 0, "", buffer, sizeof buffer);
	fprintf (a->out, "%s%s\n", before, buffer);
}

static void
print_head (const annotation *a, const char *local)
{
	print_name (a, "", a->path);
	print_name (a, "# method: ", a->function->name);
	if (strcmp (a->path, local) != 0)
		print_name (a, "# source: ", local);
	fprintf (a->out, "\n%s", a->options->bold ? "\033[1m" : "");
	for (size_t i = 0; i < a->column_count; i++) {
		if (is_shown (a, &a->columns[i]))
			fprintf (a->out, "%10s  ", a->columns[i].heading);
	}
	fprintf (a->out, "%6s%s\n", "line", a->options->bold ? "\033[0m" : "");
}

static void
print_tsv_row (const annotation *a, size_t line, const char *text)
{
	monocle__tsv_name (a->out, a->path);
	fprintf (a->out, "\t%zu", line);
	for (size_t i = 0; i < a->column_count; i++)
		fprintf (a->out, "\t%" PRId64, amount_of (a, &a->columns[i], line));
	putc ('\t', a->out);
	monocle__tsv_name (a->out, text);
	putc ('\n', a->out);
}

static void
print_json_row (const annotation *a, size_t line, const char *text)
{
	fprintf (a->out, "%s\n    {\"line\": %zu", line > (size_t) a->first ? "," : "", line);
	for (size_t i = 0; i < a->column_count; i++)
		fprintf (a->out, ", \"%s\": %" PRId64, a->columns[i].name, amount_of (a, &a->columns[i], line));
	fputs (", \"text\": ", a->out);
	monocle__json_string (a->out, text);
	putc ('}', a->out);
}

static void
print_line (const annotation *a, size_t line, const char *text, size_t length)
{
	char copy[LINE_SIZE];
	if (a->options->format == MONOCLE__ANNOTATE_TEXT) {
		print_cells (a, line);
		fprintf (a->out, "%6zu%s", line, length ? "  " : "");
		monocle__source_text_print (a->out, text, length);
		return;
	}
	snprintf (copy, sizeof copy, "%.*s", length < sizeof copy ? (int) length : (int) sizeof copy - 1, text);
	if (a->options->format == MONOCLE__ANNOTATE_TSV)
		print_tsv_row (a, line, copy);
	else
		print_json_row (a, line, copy);
}

static void
print_begin (const annotation *a, const char *local)
{
	if (a->options->format == MONOCLE__ANNOTATE_TEXT)
		print_head (a, local);
	if (a->options->format == MONOCLE__ANNOTATE_TSV) {
		fputs ("file\tline", a->out);
		for (size_t i = 0; i < a->column_count; i++)
			fprintf (a->out, "\t%s", a->columns[i].name);
		fputs ("\ttext\n", a->out);
	}
	if (a->options->format != MONOCLE__ANNOTATE_JSON)
		return;
	fputs ("{\n  \"method\": ", a->out);
	monocle__json_string (a->out, a->function->name);
	fputs (",\n  \"file\": ", a->out);
	monocle__json_string (a->out, a->path);
	fputs (",\n  \"source\": ", a->out);
	monocle__json_string (a->out, local);
	fputs (",\n  \"lines\": [", a->out);
}

/* What is on no line, and on lines that this text does not have, is told too. */
static void
print_end (const annotation *a)
{
	if (a->options->format == MONOCLE__ANNOTATE_JSON)
		fputs ("\n  ]\n}\n", a->out);
	if (a->options->format == MONOCLE__ANNOTATE_TSV && has_cost (a, 0))
		print_tsv_row (a, 0, "");
	if (a->options->format != MONOCLE__ANNOTATE_TEXT)
		return;
	if (has_cost (a, 0)) {
		print_cells (a, 0);
		fputs ("     -  (on no line that is known)\n", a->out);
	}
	if (a->beyond)
		fputs ("(some costs are on lines beyond the end of this text: it is not what was compiled)\n", a->out);
}

static void
print_all (annotation *a, const monocle__source_text *source, const char *local)
{
	monocle__source_rest rest = monocle__source_text_lines (source);
	const char *text;
	size_t length;
	find_end (a);
	print_begin (a, local);
	for (int64_t line = 1; line <= a->last && monocle__source_text_try_next (&rest, &text, &length); line++) {
		if (line >= a->first)
			print_line (a, (size_t) line, text, length);
	}
	print_end (a);
}

/* --- the whole ---------------------------------------------------------------------------------------------------- */

static int
print_source (annotation *a, const char *local)
{
	const monocle__coverage_file file = { .path = a->path, .local = local };
	monocle__source_text source;
	monocle__source_text_state state = monocle__source_text_read (&file, &source);
	int result = -1;
	if (state == MONOCLE__SOURCE_TEXT_MISSING)
		fail (a, "%s: the source of %s was not found here; --source-root names folders to look in", a->path,
		      a->function->name);
	else if (state == MONOCLE__SOURCE_TEXT_REFUSED)
		fail (a, "%s: %s", a->path, source.why);
	else if (state == MONOCLE__SOURCE_TEXT_MEMORY || !make_sums (a, &source))
		fail (a, "%s: out of memory", a->path);
	else
		result = 0;
	if (result == 0)
		print_all (a, &source, local);
	free (source.bytes);
	return result;
}

int
monocle__annotate (FILE *out, const monocle__profile *profile, const monocle__annotate_options *options)
{
	annotation a = { .profile = profile, .options = options, .out = out };
	char folder[PATH_MAX], *local = NULL;
	a.matches = calloc (profile->function_count + 1, 1);
	int result = a.matches ? find_method (&a) : fail (&a, "out of memory");
	if (result == 0 && !(a.path = monocle__source_path_mapped (a.function->source, options->map)))
		result = fail (&a, "out of memory");
	if (result == 0) {
		bool has_copy = monocle__source_path_working_copy (folder);
		local = monocle__source_path_find (a.path, a.function->source, options->folders, has_copy ? folder : NULL);
		result = print_source (&a, local);
	}
	free (local);
	free (a.path);
	free (a.matches);
	free (a.columns);
	free (a.self);
	free (a.total);
	free (a.seen);
	return result;
}
