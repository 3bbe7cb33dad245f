/*
 * SPDX-License-Identifier: MIT
 *
 * cmd_ps.c - `monocle ps`: the .NET and Mono processes that the caller may see.
 */
#include "column.h"
#include "command/output.h"
#include "commands.h"
#include "ipc.h"
#include "live/attach-target.h"
#include "module/layout.h"
#include "process.h"
#include "socket.h"
#include "standby.h"
#include "width.h"

#include <getopt.h> /* optind */
#include <pwd.h>
#include <stdlib.h>
#include <string.h>

enum { ANSWER_LIMIT = 1000 };

enum { FORMAT_TEXT, FORMAT_TSV, FORMAT_JSON, FORMATS };

typedef struct {
	size_t format;
	bool is_full;
} arguments;

typedef struct {
	const monocle__live_process *process;
	char user[33];
	char version[48];
	char reason[160]; /* why it cannot be attached to; "": it can */
} row;

/* --- asking ------------------------------------------------------------------------------------------------------- */

static void
name_user (row *self)
{
	const struct passwd *entry = getpwuid (self->process->user);
	if (entry)
		snprintf (self->user, sizeof self->user, "%s", entry->pw_name);
	else
		snprintf (self->user, sizeof self->user, "%u", (unsigned) self->process->user);
}

/* Those with a runtime that listens; NativeAOT is asked for its version only. */
static bool
is_asked (const monocle__live_process *process)
{
	return process->kind != MONOCLE__LIVE_MONO && process->kind != MONOCLE__LIVE_FOREIGN &&
	       monocle__live_socket_is_allowed (process) && !process->is_stopped;
}

static void
fill_row (row *self, const monocle__live_process *process, const monocle__layout *layout,
          const monocle__live_info *info)
{
	self->process = process;
	name_user (self);
	snprintf (self->version, sizeof self->version, "%s", info->version[0] ? info->version : process->version);
	if (!monocle__attach_target_refusal (process, layout, self->reason, sizeof self->reason) && is_asked (process))
		snprintf (self->reason, sizeof self->reason, "%s", info->error);
}

/* All are asked at once. NULL: out of memory. */
static row *
rows_new (const monocle__live_process *processes, size_t count, const monocle__layout *layout)
{
	row *rows = calloc (count + 1, sizeof *rows);
	monocle__live_process *asked = calloc (count + 1, sizeof *asked);
	monocle__live_info *infos = calloc (count + 1, sizeof *infos);
	size_t asked_count = 0, next = 0;
	for (size_t i = 0; asked && i < count; i++) {
		if (is_asked (&processes[i]))
			asked[asked_count++] = processes[i];
	}
	if (!rows || !asked || !infos || monocle__live_ipc_info (asked, asked_count, ANSWER_LIMIT, infos) != 0) {
		free (rows);
		rows = NULL;
	}
	for (size_t i = 0; rows && i < count; i++) {
		static const monocle__live_info none;
		fill_row (&rows[i], &processes[i], layout, is_asked (&processes[i]) ? &infos[next++] : &none);
	}
	free (asked);
	free (infos);
	return rows;
}

/* --- for people --------------------------------------------------------------------------------------------------- */

enum { COLUMNS = 8, PLAIN_COMMAND = 100 /* columns of a command line where there is no terminal */ };

static const char *const headings[COLUMNS] = { "PID",       "RUNTIME", "VERSION", "USER",
	                                           "CONTAINER", "ATTACH",  "MODULES", "COMMAND" };

static void
attach_cell (const row *self, char *text, size_t size)
{
	bool stands_by = self->process->standby == MONOCLE__LIVE_STANDBY_IDLE;
	snprintf (text, size, self->reason[0] ? "no: %s" : stands_by ? "yes (standby)" : "yes", self->reason);
}

static void
cell (const row *self, size_t column, char *text, size_t size)
{
	const monocle__live_process *process = self->process;
	const char *modules = process->modules[0] ? process->modules : process->has_adapter ? "none" : "";
	switch (column) {
	case 0: snprintf (text, size, "%d", (int) process->pid); return;
	case 1: snprintf (text, size, "%s", monocle__live_process_kind_name (process->kind)); return;
	case 2: snprintf (text, size, "%s", self->version); return;
	case 3: snprintf (text, size, "%s", self->user); return;
	case 4: snprintf (text, size, "%s", process->container); return;
	case 5: attach_cell (self, text, size); return;
	case 6: snprintf (text, size, "%s", modules); return;
	default: snprintf (text, size, "%s", process->command); return;
	}
}

/* "-" where there is nothing; a column in which no row has anything is left out (width 0). */
static void
measure (const row *rows, size_t count, size_t widths[COLUMNS])
{
	for (size_t column = 0; column < COLUMNS; column++) {
		widths[column] = 0;
		for (size_t i = 0; i < count; i++) {
			char text[256];
			cell (&rows[i], column, text, sizeof text);
			size_t width = monocle__utf8_width (text);
			widths[column] = width > widths[column] ? width : widths[column];
		}
		if (widths[column] && widths[column] < strlen (headings[column]))
			widths[column] = strlen (headings[column]);
	}
}

static void
print_cells (const row *self, const size_t widths[COLUMNS], size_t room)
{
	char text[4096], shown[4096];
	size_t used = 0;
	for (size_t column = 0; column < COLUMNS; column++) {
		bool is_last = column + 1 == COLUMNS;
		if (!widths[column] && !is_last)
			continue;
		snprintf (text, sizeof text, "%s", headings[column]);
		if (self)
			cell (self, column, text, sizeof text);
		if (!is_last) {
			const char *word = text[0] ? text : "-";
			printf ("%s%*s  ", word, (int) (widths[column] - monocle__utf8_width (word)), "");
			used += widths[column] + 2;
		} else {
			monocle__utf8_elide (text,
			                     room > used + 8 ? room - used
			                     : room          ? 8
			                                     : 0,
			                     monocle__output_ellipsis (), shown, sizeof shown);
			printf ("%s\n", shown);
		}
	}
}

static size_t
width_of (const size_t widths[COLUMNS])
{
	size_t width = 0;
	for (size_t column = 0; column + 1 < COLUMNS; column++)
		width += widths[column] ? widths[column] + 2 : 0;
	return width;
}

static void
print_text (const row *rows, size_t count, bool is_full)
{
	size_t widths[COLUMNS], room = monocle__output_width (stdout);
	measure (rows, count, widths);
	if (is_full)
		room = 0;
	else if (room == 0)
		room = width_of (widths) + PLAIN_COMMAND;
	if (count > 0)
		print_cells (NULL, widths, room);
	for (size_t i = 0; i < count; i++)
		print_cells (&rows[i], widths, room);
}

/* --- for programs ------------------------------------------------------------------------------------------------- */

static void
print_tsv (const row *rows, size_t count, bool is_full)
{
	fputs ("pid\tinner_pid\truntime\tversion\tuser\tcontainer\tattach\treason\tmodules\tprogram\tcommand\n", stdout);
	for (size_t i = 0; i < count; i++) {
		const monocle__live_process *process = rows[i].process;
		const char *texts[] = { process->container, rows[i].reason[0] ? "no" : "yes",
			                    rows[i].reason,     process->modules,
			                    process->program,   process->command };
		printf ("%d\t%d\t%s\t%s\t%s", (int) process->pid, (int) process->inner_pid,
		        monocle__live_process_kind_name (process->kind), rows[i].version, rows[i].user);
		for (size_t k = 0; k < sizeof texts / sizeof *texts; k++) {
			putchar ('\t');
			monocle__tsv_name (stdout, texts[k]);
		}
		putchar ('\n');
	}
}

static void
print_json_modules (const char *modules)
{
	fputs (", \"modules\": [", stdout);
	for (const char *at = modules; *at;) {
		char word[64];
		size_t length = strcspn (at, ",");
		snprintf (word, sizeof word, "%.*s", (int) length, at);
		monocle__json_string (stdout, word);
		at += length;
		if (*at) {
			at++;
			fputs (", ", stdout);
		}
	}
	putchar (']');
}

static void
print_json_text (const char *name, const char *text)
{
	printf (", \"%s\": ", name);
	if (text[0])
		monocle__json_string (stdout, text);
	else
		fputs ("null", stdout);
}

static void
print_json (const row *rows, size_t count, bool is_full)
{
	fputs ("[", stdout);
	for (size_t i = 0; i < count; i++) {
		const monocle__live_process *process = rows[i].process;
		printf ("%s\n  {\"pid\": %d, \"inner_pid\": %d", i ? "," : "", (int) process->pid, (int) process->inner_pid);
		print_json_text ("runtime", monocle__live_process_kind_name (process->kind));
		print_json_text ("version", rows[i].version);
		print_json_text ("user", rows[i].user);
		print_json_text ("container", process->container);
		printf (", \"attach\": %s", rows[i].reason[0] ? "false" : "true");
		print_json_text ("reason", rows[i].reason);
		print_json_modules (process->modules);
		print_json_text ("program", process->program);
		print_json_text ("command", process->command);
		putchar ('}');
	}
	fputs (count ? "\n]\n" : "]\n", stdout);
}

/* --- the command -------------------------------------------------------------------------------------------------- */

static monocle__choice
format_choice (size_t index)
{
	static const char *const names[] = { [FORMAT_TEXT] = "text", [FORMAT_TSV] = "tsv", [FORMAT_JSON] = "json" };
	return (monocle__choice) { index < FORMATS ? names[index] : NULL, NULL };
}

static int
list (const arguments *args)
{
	static void (*const print[]) (const row *, size_t, bool) = { print_text, print_tsv, print_json };
	size_t count = 0;
	monocle__live_process *processes = monocle__live_processes_new (&count);
	for (size_t i = 0; processes && i < count; i++)
		monocle__live_standby_ask (&processes[i]);
	monocle__layout layout;
	monocle__layout_find (&layout);
	row *rows = processes ? rows_new (processes, count, &layout) : NULL;
	monocle__layout_done (&layout);
	int code = MONOCLE__EXIT_FAILED;
	if (rows) {
		print[args->format](rows, count, args->is_full);
		code = monocle__output_finish (stdout, NULL);
	} else {
		monocle__say ("out of memory");
	}
	if (rows && count == 0 && args->format == FORMAT_TEXT)
		monocle__say ("no .NET or Mono process runs that you may see");
	free (rows);
	monocle__live_processes_free (processes, count);
	return code;
}

static int
run (int argc, char **argv)
{
	arguments args = { .format = FORMAT_TEXT };
	int code;
	monocle__output_begin ();
	if (!monocle__options_read (&monocle__command_ps, argc, argv, &args, &code))
		return code;
	if (optind < argc)
		return monocle__usage_error (&monocle__command_ps, "ps takes no arguments");
	return list (&args);
}

/* clang-format off */
static const monocle__option options[] = {
	{ "format", 0, MONOCLE__OPTION_CHOICE, offsetof (arguments, format), NULL,
	  "for people (default), or for programs", .choice = format_choice },
	{ "full",   0, MONOCLE__OPTION_ON,     offsetof (arguments, is_full), NULL,
	  "for people: command lines as long as they are, as programs have them" },
	{ 0 },
};
/* clang-format on */

const monocle__command monocle__command_ps = {
	.name = "ps",
	.summary = "list the .NET and Mono processes that run",
	.options = options,
	.about =
	    "Prints number, runtime, user and container of each process that you may see, whether monocle attach can go\n"
	    "to it, or the reason why not, and the profiler modules that are in it.\n",
	.examples = "  monocle ps\n"
	            "  monocle ps --format=json\n",
	.run = run,
};
