/*
 * SPDX-License-Identifier: MIT
 *
 * cmd_stat.c - `monocle stat`: what a running program, or a command, does, in figures.
 */
#include "command/output.h"
#include "command/time-option.h"
#include "commands.h"
#include "live/live-watch.h"
#include "live/stat-format.h"

#include <errno.h>
#include <getopt.h> /* optind */
#include <stdlib.h>
#include <string.h>

/* A command may be over soon: what the runtime tells now and then is told more often. */
static const double COMMAND_INTERVAL = 0.1, PROCESS_INTERVAL = 1;

typedef struct {
	size_t format;
	size_t interval, duration; /* milliseconds; 0: not given */
	const char *output;
} arguments;

typedef struct {
	monocle__stat_kind format;
	const char *name; /* NULL: a standard stream */
	FILE *out;
	bool is_replaced; /* the file holds one answer, not a row of them */
} sink;

/* --- where it goes ------------------------------------------------------------------------------------------------ */

static int
sink_open (sink *self, const arguments *args, FILE *standard)
{
	*self = (sink) { .format = (monocle__stat_kind) args->format, .out = standard };
	if (args->output && strcmp (args->output, "-") != 0) {
		self->name = args->output;
		self->out = fopen (args->output, "we");
		self->is_replaced = self->format == MONOCLE__STAT_OPENMETRICS;
	} else if (args->output) {
		self->out = stdout;
	}
	if (self->out)
		return 0;
	monocle__say ("%s: %s", args->output, strerror (errno));
	return -1;
}

/* Readers of the file see the old answer or the new one. */
static void
replace (const sink *self, const monocle__live_watch *watch)
{
	char *path = monocle__format ("%s.new", self->name);
	FILE *out = fopen (path, "we");
	if (out) {
		monocle__stat_format_rows (out, self->format, watch);
		if (fclose (out) == 0)
			rename (path, self->name);
	}
	free (path);
}

static void
write_rows (monocle__live_watch *watch, void *context)
{
	sink *self = context;
	if (self->is_replaced) {
		replace (self, watch);
		return;
	}
	monocle__stat_format_rows (self->out, self->format, watch);
	if (fflush (self->out) != 0 && self->out == stdout)
		monocle__live_watch_stop (watch); /* Nobody reads it. */
}

static int
sink_close (sink *self)
{
	int code = monocle__output_finish (self->out, self->name);
	if (self->name)
		fclose (self->out);
	return code;
}

/* --- the command -------------------------------------------------------------------------------------------------- */

static void
say_errors (const monocle__live_watch *watch)
{
	for (size_t i = 0; i < watch->count; i++) {
		const monocle__live_watched *at = watch->watched[i];
		if (at->error[0])
			monocle__say ("process %d (%s) %s", (int) at->process.pid, at->process.program, at->error);
	}
}

static bool
has_figures (const monocle__live_watch *watch)
{
	bool has = false;
	for (size_t i = 0; i < watch->count; i++)
		has = has || watch->watched[i]->session;
	return has;
}

/* Fills the watch in and opens the output. */
static int
prepare (monocle__live_watch *watch, sink *out, const arguments *args, FILE *standard, double interval)
{
	if (sink_open (out, args, standard) != 0)
		return -1;
	if (monocle__live_watch_init (watch) != 0) {
		sink_close (out);
		return -1;
	}
	watch->counter_interval = interval;
	watch->duration = args->duration;
	if (args->interval) {
		watch->counter_interval = (double) args->interval / 1000 < interval ? (double) args->interval / 1000 : interval;
		watch->tick = write_rows;
		watch->tick_interval = args->interval;
		watch->context = out;
	}
	if (!out->is_replaced)
		monocle__stat_format_head (out->out, out->format);
	return 0;
}

static int
stat_process (const char *word, const arguments *args)
{
	monocle__live_process process;
	monocle__live_watch watch;
	char error[256];
	int code, result;
	sink out;
	monocle__output_begin ();
	if (monocle__live_processes_find (word, &process, error, sizeof error) != 0) {
		monocle__say ("%s", error);
		return MONOCLE__EXIT_FAILED;
	}
	if (process.kind == MONOCLE__LIVE_MONO) {
		monocle__say ("process %d is Mono, which tells no figures; monocle run --profile=sample samples a new run",
		              (int) process.pid);
		monocle__live_process_done (&process);
		return MONOCLE__EXIT_FAILED;
	}
	if (prepare (&watch, &out, args, stdout, PROCESS_INTERVAL) != 0) {
		monocle__live_process_done (&process);
		return MONOCLE__EXIT_FAILED;
	}
	result = monocle__live_watch_process (&watch, &process);
	if (result == 0) {
		say_errors (&watch);
		monocle__stat_format_end (out.out, out.format, &watch);
		result = watch.watched[0]->error[0] ? -1 : 0;
	}
	code = sink_close (&out);
	monocle__live_watch_done (&watch);
	return result == 0 ? code : MONOCLE__EXIT_FAILED;
}

static int
stat_command (char *const *argv, const arguments *args)
{
	monocle__live_watch watch;
	sink out;
	int code;
	if (prepare (&watch, &out, args, stderr, COMMAND_INTERVAL) != 0)
		return MONOCLE__EXIT_RUN_FAILED;
	code = monocle__live_watch_command (&watch, argv);
	monocle__output_begin (); /* The command had the signals of a shell. */
	say_errors (&watch);
	if (has_figures (&watch))
		monocle__stat_format_end (out.out, out.format, &watch);
	else if (code != MONOCLE__EXIT_NOT_FOUND && code != MONOCLE__EXIT_CANNOT_EXECUTE && watch.count == 0)
		monocle__say ("no .NET runtime was met that tells its figures");
	sink_close (&out);
	monocle__live_watch_done (&watch);
	return code;
}

static int
run (int argc, char **argv)
{
	arguments args = { .format = MONOCLE__STAT_TEXT };
	int code;
	bool is_command;
	int dashes = monocle__options_find_dashes (argc, argv);
	if (!monocle__options_read (&monocle__command_stat, argc, argv, &args, &code))
		return code;
	if (optind == argc)
		return monocle__usage_error (&monocle__command_stat, "stat needs a process or, after --, a command");
	is_command = strcmp (argv[optind - 1], "--") == 0;
	if (is_command && optind <= dashes)
		return monocle__usage_error (&monocle__command_stat, "stat takes a process, '%s', or a command, and not both",
		                             argv[optind]);
	if (!is_command && argc - optind > 1)
		return monocle__usage_error (&monocle__command_stat, "stat takes one process; a command comes after --");
	return is_command ? stat_command (argv + optind, &args) : stat_process (argv[optind], &args);
}

/* clang-format off */
static const monocle__option options[] = {
	{ "interval", 0,   MONOCLE__OPTION_READ,   offsetof (arguments, interval), "TIME",
	  "a row each time, 1s for instance, and not only the end",
	  .wanted = MONOCLE__TIME_OPTION_WANTED, .try_read = monocle__time_option_try_read },
	{ "duration", 0,   MONOCLE__OPTION_READ,   offsetof (arguments, duration), "TIME",
	  "stop after this time, and not at Ctrl-C or the program's end; the program goes on",
	  .wanted = MONOCLE__TIME_OPTION_WANTED, .try_read = monocle__time_option_try_read },
	{ "format",   0,   MONOCLE__OPTION_CHOICE, offsetof (arguments, format),   NULL,
	  "a table for people (default), or rows for programs", .choice = monocle__stat_format_choice },
	{ "output",   'o', MONOCLE__OPTION_TEXT,   offsetof (arguments, output),   "FILE",
	  "where to write; default: standard output, of a command standard error" },
	{ 0 },
};
/* clang-format on */

const monocle__command monocle__command_stat = {
	.name = "stat",
	.summary = "count what a running program or a command does",
	.operands = "PID|NAME|-- COMMAND...",
	.options = options,
	.about = "Prints CPU time, memory, collections and their pauses, the heap, allocations, exceptions, contended "
	         "locks, the\n"
	         "thread pool and compiled methods of a .NET process. The runtime tells them; nothing is loaded into it.\n"
	         "Of a command, all .NET processes that it starts are counted, and its exit code is passed on, as by run;\n"
	         "also where it starts none, which a line says.\n",
	.examples = "  monocle stat -- dotnet app.dll\n"
	            "  monocle stat app --interval=1s --format=tsv -o app.tsv\n",
	.run = run,
};
