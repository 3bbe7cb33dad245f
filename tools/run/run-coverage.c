/*
 * SPDX-License-Identifier: MIT
 *
 * run-coverage.c - see run-coverage.h. Nothing of the folder is removed before the whole is written: what fails can be
 * repeated with `monocle merge FOLDER -o FILE`.
 */
#include "run-coverage.h"

#include "cmdline.h"
#include "command/command.h"
#include "command/output.h"
#include "command/shell-word.h"
#include "command/short-path.h"
#include "coverage-report.h"
#include "file/coverage-ask.h"
#include "file/coverage-file.h"
#include "file/move.h"
#include "module/module-file.h"
#include "path.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum {
	NUMBER_MOST = 1000,
	SUMMARY_ROWS = 5,
	PLAIN_WIDTH = 120 /* of the summary, where there is no terminal: in a log, a row may have too many missed lines */
};

typedef struct {
	monocle__run_folder *folder;
	const monocle__run_coverage_wishes *wishes;
	monocle__coverage *coverage;
	size_t read, collected, damaged, running; /* files; `damaged` and `running` are among `collected` */
	char *path;                               /* of the file that was written; NULL: none */
	char subject[256];                        /* of all processes; "": they differ, or none is known */
	bool is_named;                            /* `subject` is that of those so far */
} ending;

bool
monocle__run_coverage_is_there (const monocle__run_folder *folder)
{
	for (size_t i = 0; i < folder->profile_count; i++) {
		if (folder->profiles[i].is_coverage)
			return true;
	}
	return false;
}

/* --- adding up ---------------------------------------------------------------------------------------------------- */

static bool
read_header (const char *path, struct monocle__cover_header *ret_header)
{
	int fd = open (path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	bool is_read = fd >= 0 && read (fd, ret_header, sizeof *ret_header) == sizeof *ret_header;
	if (fd >= 0)
		close (fd);
	return is_read && ret_header->magic == MONOCLE__COVER_MAGIC;
}

/* What the file of one process is about; the file of all is called so when all are about the same. */
static void
add_subject (ending *e, struct monocle__cover_header *header)
{
	char subject[sizeof e->subject];
	size_t length = sizeof header->arguments;
	header->arguments[length - 1] = '\0';
	while (length > 0 && !header->arguments[length - 1])
		length--;
	if (length == 0)
		return;
	monocle__cmdline_subject (header->arguments, length + 1, subject, sizeof subject);
	if (!e->is_named)
		strcpy (e->subject, subject);
	else if (strcmp (e->subject, subject) != 0)
		*e->subject = '\0';
	e->is_named = true;
}

static const char *
program_of (const monocle__run_folder *folder, pid_t pid)
{
	const monocle__run_process *process = monocle__run_folder_process (folder, pid);
	return process && process->runtime ? process->runtime : NULL;
}

static void
add (ending *e, const monocle__run_profile *profile)
{
	const char *runtime = program_of (e->folder, profile->pid);
	struct monocle__cover_header header;
	bool is_read = read_header (profile->path, &header), runs = is_read && monocle__coverage_ask_is_running (&header);
	if (is_read)
		add_subject (e, &header);
	e->collected += profile->collected;
	if (monocle__coverage_file_add (e->coverage, profile->path) != 0)
		e->damaged += profile->collected;
	else
		e->read++;
	if (runs)
		monocle__say ("process %d%s%s is still running: what it covers from now on is not in the result",
		              (int) profile->pid, runtime ? ", " : "", runtime ? runtime : "");
	e->running += runs && profile->collected;
}

/* They are of processes that have a file as well. */
static void
add_snapshots (monocle__coverage *coverage, const monocle__run_snapshots *snapshots)
{
	uint32_t processes = coverage->processes;
	for (size_t i = 0; i < monocle__run_snapshots_count (snapshots); i++)
		monocle__coverage_file_add (coverage, monocle__run_snapshots_path (snapshots, i));
	coverage->processes = processes;
}

/* --- where it goes ------------------------------------------------------------------------------------------------ */

/* Of the command, as one word is named: the first that is an assembly, else the first. */
static void
name_command (char *const *command, char *name, size_t size)
{
	const char *word = command[0];
	for (size_t i = 0; command[i] && !monocle__cmdline_is_assembly (word); i++)
		word = monocle__cmdline_is_assembly (command[i]) ? command[i] : word;
	monocle__cmdline_program (word, strlen (word) + 1, name, size);
}

/* A name that is free. The caller frees. */
static char *
choose_name (const ending *e)
{
	char program[sizeof e->subject], *path = NULL, stamp[32];
	time_t now = time (NULL);
	struct tm local;
	localtime_r (&now, &local);
	if (*e->subject)
		strcpy (program, e->subject);
	else
		name_command (e->wishes->command, program, sizeof program);
	strftime (stamp, sizeof stamp, "%Y%m%d_%H%M%S", &local);
	for (unsigned number = 1; number < NUMBER_MOST; number++) {
		char *more = number > 1 ? monocle__format ("-%u", number) : monocle__format ("%s", "");
		free (path);
		path = monocle__format ("%s_%s%s.cover.mcov", program, stamp, more);
		free (more);
		if (access (path, F_OK) != 0 && !monocle__path_is_link (path))
			break;
	}
	return path;
}

/* 0 or -errno. */
static int
write_part (const monocle__coverage *coverage, const char *path)
{
	int fd = open (path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600), error = 0;
	FILE *out = fd < 0 ? NULL : fdopen (fd, "wb");
	if (!out)
		return -errno;
	if (monocle__coverage_write (out, coverage) != 0)
		error = -ENOMEM;
	if (error == 0 && (fflush (out) != 0 || ferror (out)))
		error = errno ? -errno : -EIO;
	if (fclose (out) != 0 && error == 0)
		error = -errno;
	return error;
}

static void
write_whole (ending *e)
{
	const monocle__run_coverage_wishes *wishes = e->wishes;
	char *path = wishes->output ? monocle__format ("%s", wishes->output) : choose_name (e);
	char *part = monocle__format ("%s/whole.part", e->folder->path);
	int error = write_part (e->coverage, part);
	if (error == 0)
		error = monocle__move_file (part, path);
	unlink (part);
	free (part);
	if (error == 0) {
		e->path = path;
		return;
	}
	monocle__say ("cannot write %s: %s; when it can be: monocle merge %s -o FILE", path,
	              error == -ENXIO ? "nobody reads this pipe" : strerror (-error), e->folder->path);
	free (path);
}

/* --- what was written --------------------------------------------------------------------------------------------- */

/* The sums, and the files with the most lines that did not run. */
static void
print_summary (const ending *e)
{
	char *title = e->path ? monocle__format ("%s", monocle__short_path (e->path))
	                      : monocle__format ("%zu %s", e->read, e->read == 1 ? "process" : "processes");
	size_t width = monocle__output_width (stderr);
	monocle__coverage_report_options options = {
		.title = title,
		.sort = MONOCLE__COVERAGE_SORT_MISSED,
		.limit = SUMMARY_ROWS,
		.only_missed = true,
		.width = width > 0 ? width : PLAIN_WIDTH,
		.colour = monocle__output_bold (stderr),
		.ellipsis = monocle__output_ellipsis (),
	};
	putc ('\n', stderr);
	if (monocle__coverage_report_text (stderr, e->coverage, &options) != 0)
		monocle__say ("%s: out of memory", title);
	fflush (stderr);
	free (title);
}

/* The caller frees. */
static char *
why_empty (const monocle__coverage *coverage, const monocle__layout *layout)
{
	uint64_t unknown = coverage->losses[MONOCLE__COVER_LOSS_SOURCES];
	uint64_t skipped = coverage->losses[MONOCLE__COVER_LOSS_SKIPPED];
	uint64_t refused = coverage->losses[MONOCLE__COVER_LOSS_REFUSED] + coverage->losses[MONOCLE__COVER_LOSS_SPACE];
	char *why;
	if (skipped)
		return monocle__format ("none of the sources of %" PRIu64 " %s is on this machine", skipped,
		                        skipped == 1 ? "assembly" : "assemblies");
	if (unknown)
		return monocle__format ("no debug symbols (.pdb, .mdb) of the right build were found for %" PRIu64 " %s",
		                        unknown, unknown == 1 ? "method" : "methods");
	if (refused)
		return monocle__format ("%" PRIu64 " %s could not be counted", refused, refused == 1 ? "method" : "methods");
	why = monocle__module_file_when_empty (layout, coverage->desc);
	return why ? why
	           : monocle__format ("no assembly of the program's own with debug symbols was loaded, or the filters of "
	                              "--profile=%s leave none",
	                              coverage->desc);
}

static void
say_written (const ending *e, const char *path, const char *who)
{
	char *word = monocle__shell_word (path), *why = NULL;
	if (monocle__coverage_sum (e->coverage).methods == 0)
		why = why_empty (e->coverage, e->wishes->layout);
	if (why)
		monocle__say ("wrote %s (%s); it is empty: %s", path, who, why);
	else
		monocle__say ("wrote %s (%s); see more: monocle report %s, monocle html %s", path, who, word, word);
	free (why);
	free (word);
}

static void
say_all_written (const ending *e)
{
	size_t count = e->collected - e->damaged;
	char *who = monocle__format ("%zu %s", count, count == 1 ? "process" : "processes");
	if (e->path)
		say_written (e, monocle__short_path (e->path), who);
	free (who);
	for (size_t i = 0; i < e->folder->profile_count; i++) {
		const monocle__run_profile *profile = &e->folder->profiles[i];
		if (!profile->is_coverage || profile->collected)
			continue;
		who = monocle__format ("process %d", (int) profile->pid);
		say_written (e, monocle__short_path (profile->path), who);
		free (who);
	}
}

/* What is in the whole is not needed any more, unless there will be more of it. */
static void
let_go (ending *e)
{
	bool is_kept = !e->path || e->damaged || e->running;
	if (e->path && e->running)
		monocle__say ("when it has ended: monocle merge %s -o FILE", e->folder->path);
	else if (e->damaged)
		monocle__say ("what could not be read stays in %s", e->folder->path);
	for (size_t i = 0; i < e->folder->profile_count; i++) {
		monocle__run_profile *profile = &e->folder->profiles[i];
		if (!profile->is_coverage || !profile->collected)
			continue;
		if (!is_kept)
			profile->collected = false;
	}
}

void
monocle__run_coverage_end (monocle__run_folder *folder, const monocle__run_coverage_wishes *wishes)
{
	ending e = { .folder = folder, .wishes = wishes, .coverage = monocle__coverage_new () };
	for (size_t i = 0; e.coverage && i < folder->profile_count; i++) {
		if (folder->profiles[i].is_coverage)
			add (&e, &folder->profiles[i]);
	}
	if (e.coverage)
		add_snapshots (e.coverage, wishes->snapshots);
	if (!e.coverage || monocle__coverage_settle (e.coverage, NULL) != 0) {
		monocle__say ("out of memory; the coverage stays: monocle merge %s -o FILE", folder->path);
	} else {
		if (e.collected > e.damaged)
			write_whole (&e);
		if (!wishes->quiet) {
			if (monocle__coverage_sum (e.coverage).methods)
				print_summary (&e);
			say_all_written (&e);
		}
		let_go (&e);
	}
	monocle__coverage_free (e.coverage);
	free (e.path);
}
