/*
 * SPDX-License-Identifier: MIT
 *
 * run-report.c - see run-report.h.
 */
#include "run-report.h"

#include "column.h"
#include "command/command.h"
#include "command/output.h"
#include "command/shell-word.h"
#include "command/short-path.h"
#include "join.h"
#include "module/module-file.h"
#include "report.h"
#include "report/view-options.h"
#include "run-log.h"
#include "shown-comment.h"
#include "utf8.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { SUMMARY_ROWS = 15, ERROR_SIZE = 256, RUNTIME_LENGTH = 40, CELL_SIZE = 64, COLUMNS = 6 };

/* A profile that was written. */
typedef struct {
	const monocle__run_profile *file;
	monocle__profile *content; /* NULL: it cannot be read back */
	char *program;
	int64_t cost; /* of its main value */
	bool is_time; /* the cost is */
} entry;

/* --- one profile -------------------------------------------------------------------------------------------------- */

static void
print_rows (const monocle__profile *profile, const char *title)
{
	monocle__report_options options = {
		.title = title,
		.limit = SUMMARY_ROWS,
		.brief = true,
		.own_first = true,
		.width = monocle__output_width (stderr),
		.bold = monocle__output_bold (stderr),
		.ellipsis = monocle__output_ellipsis (),
	};
	monocle__profile *shown = monocle__view_options_for_people (profile);
	putc ('\n', stderr);
	if (shown)
		monocle__report_text (stderr, shown, &options);
	monocle__profile_free (shown);
	fflush (stderr);
}

/* The value of an argument of a desc, up to its comma; "": it has none. The caller frees. */
static char *
argument_of (const char *desc, const char *key)
{
	size_t length = strlen (key);
	for (const char *at = desc; (at = strpbrk (at, ":,"));) {
		if (strncmp (++at, key, length) == 0 && at[length] == '=') {
			const char *value = at + length + 1;
			size_t size = *value == '\'' || *value == '"' ? strcspn (value + 1, "'\"") + 2 : strcspn (value, ",");
			return monocle__format ("%.*s", (int) size, value);
		}
	}
	return monocle__format ("%s", "");
}

/* In the words of the profile, or of what was asked for, or of the module that wrote it. The caller frees. */
static char *
why_empty (const monocle__profile *content, const monocle__layout *layout)
{
	const char *desc = monocle__join_comment (content, "desc");
	const char *nothing = monocle__join_comment (content, "counted: nothing");
	char *spec = argument_of (desc ? desc : "", "callspec"), *filter = argument_of (desc ? desc : "", "filter");
	char *why = NULL;
	if (nothing)
		why = monocle__format ("%s", nothing);
	else if (*spec)
		why = monocle__format ("no method that was called matches callspec=%s", spec);
	else if (*filter)
		why = monocle__format ("no exception that was thrown matches filter=%s", filter);
	else if (desc)
		why = monocle__module_file_when_empty (layout, desc);
	free (spec);
	free (filter);
	return why ? why : monocle__format ("nothing happened that the module was asked for");
}

/* The runtime as the profile names it, else as the process told when it loaded us; NULL: unknown. */
static const char *
runtime_of (const monocle__run_folder *folder, const entry *e)
{
	const monocle__run_process *process = monocle__run_folder_process (folder, e->file->pid);
	const char *runtime = e->content ? monocle__join_comment (e->content, "runtime") : NULL;
	return runtime ? runtime : process ? process->runtime : NULL;
}

/* " (process 123, .NET 10.0.12)"; "": there is nothing to say. The caller frees. */
static char *
name_process (const monocle__run_folder *folder, const entry *e)
{
	const char *runtime = runtime_of (folder, e);
	char name[RUNTIME_LENGTH + 1];
	if (e->file->pid == 0)
		return monocle__format ("%s", e->content ? " (all processes)" : "");
	if (!runtime)
		return monocle__format (" (process %d)", (int) e->file->pid);
	monocle__shown_comment_runtime (runtime, name, sizeof name);
	return monocle__format (" (process %d, %s)", (int) e->file->pid, name);
}

static void
say_written (const monocle__run_folder *folder, const entry *e, const monocle__layout *layout)
{
	const char *path = monocle__short_path (e->file->path);
	char *who = name_process (folder, e), *word = monocle__shell_word (path), *why;
	if (e->content && e->content->sample_count == 0) {
		why = why_empty (e->content, layout);
		monocle__say ("wrote %s%s; it is empty: %s", path, who, why);
		free (why);
	} else {
		char *log = e->content ? NULL : monocle__run_log_summary (e->file->path);
		monocle__say ("wrote %s%s%s%s", path, who, log ? ": " : "", log ? log : "");
		free (log);
		if (e->content && !e->file->content)
			monocle__say ("see more: monocle report %s, monocle flame %s", word, word);
	}
	free (word);
	free (who);
}

static void
report_one (const monocle__run_folder *folder, const entry *e, const monocle__layout *layout)
{
	if (e->content)
		print_rows (e->content, monocle__short_path (e->file->path));
	say_written (folder, e, layout);
}

/* --- several ------------------------------------------------------------------------------------------------------ */

/* The first value that counts: samples, calls. SIZE_MAX: there is none. */
static size_t
count_value (const monocle__profile *profile)
{
	for (size_t i = 0; i < profile->value_count; i++) {
		if (strcmp (profile->value_types[i].unit, "count") == 0)
			return i;
	}
	return SIZE_MAX;
}

static void
format_row (const entry *e, bool tells_type, char cells[COLUMNS][CELL_SIZE])
{
	const monocle__profile *p = e->content;
	size_t main = monocle__profile_main_value (p), count = count_value (p);
	char amount[CELL_SIZE / 2];
	monocle__amount_format (e->cost, p->value_types[main].unit, amount, sizeof amount);
	snprintf (cells[0], CELL_SIZE, "%s%s%.20s", amount, tells_type ? " " : "",
	          tells_type ? p->value_types[main].type : "");
	monocle__amount_format (p->duration_nanos, "nanoseconds", cells[1], CELL_SIZE);
	if (count == SIZE_MAX)
		strcpy (cells[2], "-");
	else
		monocle__amount_format (monocle__profile_sum (p, count), "count", cells[2], CELL_SIZE);
	snprintf (cells[3], CELL_SIZE, "%d", (int) e->file->pid);
	snprintf (cells[4], CELL_SIZE, "%.50s", e->program);
	*cells[5] = '\0';
}

static void
measure (char cells[COLUMNS][CELL_SIZE], size_t widths[COLUMNS])
{
	for (size_t i = 0; i < COLUMNS; i++)
		widths[i] = strlen (cells[i]) > widths[i] ? strlen (cells[i]) : widths[i];
}

/* Numbers to the right, names to the left; the file is what the line ends with. */
static void
print_row (char cells[COLUMNS][CELL_SIZE], const size_t widths[COLUMNS], const char *file)
{
	char *line =
	    monocle__format ("%*s  %*s  %*s  %*s  %-*s  %s", (int) widths[0], cells[0], (int) widths[1], cells[1],
	                     (int) widths[2], cells[2], (int) widths[3], cells[3], (int) widths[4], cells[4], file);
	fprintf (stderr, "%.*s\n", (int) monocle__utf8_clean (line, strlen (line)), line);
	free (line);
}

static const char *
cost_type (const entry *e)
{
	return e->content->value_types[monocle__profile_main_value (e->content)].type;
}

static const char *
count_type (const entry *e)
{
	size_t value = count_value (e->content);
	return value == SIZE_MAX ? "" : e->content->value_types[value].type;
}

/* What all of them have in the column; else `several`. */
static const char *
find_heading (const entry *entries, size_t count, const char *(*type) (const entry *e), const char *several)
{
	const char *first = type (&entries[0]);
	size_t i = 1;
	while (i < count && strcmp (type (&entries[i]), first) == 0)
		i++;
	return i == count && *first ? first : several;
}

static void
print_table (const entry *entries, size_t count)
{
	char head[COLUMNS][CELL_SIZE] = { "", "wall", "", "pid", "program", "" };
	char (*cells)[COLUMNS][CELL_SIZE] = calloc (count, sizeof *cells);
	size_t widths[COLUMNS] = { 0 };
	if (!cells)
		return;
	snprintf (head[0], CELL_SIZE, "%.20s", find_heading (entries, count, cost_type, "cost"));
	snprintf (head[2], CELL_SIZE, "%.20s", find_heading (entries, count, count_type, "count"));
	measure (head, widths);
	for (size_t i = 0; i < count; i++) {
		format_row (&entries[i], strcmp (head[0], "cost") == 0, cells[i]);
		measure (cells[i], widths);
	}
	putc ('\n', stderr);
	print_row (head, widths, "file");
	for (size_t i = 0; i < count; i++)
		print_row (cells[i], widths, monocle__short_path (entries[i].file->path));
	free (cells);
}

/* The dearest first; what is no time comes behind. */
static int
compare_entries (const void *a, const void *b)
{
	const entry *x = a, *y = b;
	if (x->is_time != y->is_time)
		return x->is_time ? -1 : 1;
	return (x->cost < y->cost) - (x->cost > y->cost);
}

/* Those of `entries` that have samples come first. How many there are. */
static size_t
separate (entry *entries, size_t count)
{
	size_t full = 0;
	for (size_t i = 0; i < count; i++) {
		entry e = entries[i];
		if (!e.content || e.content->sample_count == 0 || e.content->value_count == 0)
			continue;
		memmove (&entries[full + 1], &entries[full], (i - full) * sizeof e);
		entries[full++] = e;
	}
	return full;
}

static void
report_several (const monocle__run_folder *folder, entry *entries, size_t count, const monocle__layout *layout)
{
	size_t full = separate (entries, count);
	for (size_t i = full; i < count; i++)
		say_written (folder, &entries[i], layout);
	if (full > 1) {
		qsort (entries, full, sizeof *entries, compare_entries);
		print_table (entries, full);
	}
	if (full > 0)
		report_one (folder, &entries[0], layout);
}

/* What several modules say of one process is of different things. */
static bool
are_of_one_process (const entry *entries, size_t count)
{
	size_t i = 1;
	while (i < count && entries[i].file->pid == entries[0].file->pid)
		i++;
	return i >= count;
}

static void
report_each (const monocle__run_folder *folder, const entry *entries, size_t count, const monocle__layout *layout)
{
	for (size_t i = 0; i < count; i++)
		report_one (folder, &entries[i], layout);
}

/* --- all ---------------------------------------------------------------------------------------------------------- */

static void
entry_init (entry *e, const monocle__run_folder *folder, const monocle__run_profile *file)
{
	char error[ERROR_SIZE];
	const char *program = NULL;
	*e = (entry) { .file = file, .content = file->content };
	if (!e->content && monocle__run_folder_read_back (folder, file, &e->content, error, sizeof error) != 0)
		e->content = NULL;
	if (e->content && monocle__profile_main_value (e->content) != SIZE_MAX) {
		size_t main = monocle__profile_main_value (e->content);
		program = monocle__join_comment (e->content, "program");
		e->cost = monocle__profile_sum (e->content, main);
		e->is_time = strcmp (e->content->value_types[main].unit, "nanoseconds") == 0;
	}
	e->program = monocle__format ("%.*s", program ? (int) strcspn (program, ",") : 1, program ? program : "-");
}

void
monocle__run_report (const monocle__run_folder *folder, const monocle__layout *layout)
{
	entry *entries = calloc (folder->profile_count + 1, sizeof *entries);
	size_t count = 0;
	for (size_t i = 0; entries && i < folder->profile_count; i++) {
		if (!folder->profiles[i].is_coverage)
			entry_init (&entries[count++], folder, &folder->profiles[i]);
	}
	if (are_of_one_process (entries, count))
		report_each (folder, entries, count, layout);
	else
		report_several (folder, entries, count, layout);
	for (size_t i = 0; i < count; i++) {
		if (entries[i].content != entries[i].file->content)
			monocle__profile_free (entries[i].content);
		free (entries[i].program);
	}
	free (entries);
}

/* --- what nobody told --------------------------------------------------------------------------------------------- */

static bool
is_written_since (const char *path, const struct timespec *start)
{
	struct stat status;
	if (stat (path, &status) != 0 || !S_ISREG (status.st_mode) || status.st_size == 0)
		return false;
	return status.st_mtim.tv_sec > start->tv_sec ||
	       (status.st_mtim.tv_sec == start->tv_sec && status.st_mtim.tv_nsec >= start->tv_nsec);
}

static void
report_monos (const char *desc, const struct timespec *start)
{
	const char *usual = monocle__module_file_of_monos (desc);
	char *path = argument_of (desc, "output"), *word;
	if (!*path && usual) {
		free (path);
		path = monocle__format ("%s", usual);
	}
	word = monocle__shell_word (path);
	if (usual && is_written_since (path, start)) {
		monocle__say ("wrote %s", path);
		if (strncmp (desc, "log", 3) == 0)
			monocle__say ("see more: monocle report %s, monocle flame %s", word, word);
	}
	free (word);
	free (path);
}

void
monocle__run_report_monos (const monocle__desc_list *descs, const struct timespec *start)
{
	for (size_t i = 0; i < descs->count; i++)
		report_monos (descs->descs[i], start);
}
