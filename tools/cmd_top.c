/*
 * SPDX-License-Identifier: MIT
 *
 * cmd_top.c - `monocle top`: a live screen of what a running program, or a command, does.
 *
 * A command is started by `monocle run`, so that it is sampled and leaves its profile; while the screen is there, what
 * it and we write goes to a file without a name, which is copied out when the terminal is the user's again.
 */
#include "command/output.h"
#include "command/time-option.h"
#include "commands.h"
#include "file/run-folder.h"
#include "live/attach.h"
#include "live/live-watch.h"
#include "live/top-screen.h"
#include "module/layout.h"
#include "standby.h"

#include <errno.h>
#include <fcntl.h>
#include <getopt.h> /* optind */
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct {
	size_t interval, duration; /* milliseconds */
	bool is_plain, is_full;
	const char *output;
} arguments;

typedef struct {
	monocle__live_watch watch;
	monocle__top_screen screen;
	bool has_screen, is_command, is_quitting, is_full;
	int streams[3]; /* standard ones, while others stand in for them */
	int kept;       /* what was written meanwhile; -1: there is none */
} top;

/* --- plain lines -------------------------------------------------------------------------------------------------- */

static void
print_rates (const top *self, const monocle__live_watched *at, const monocle__top_rates *rates)
{
	FILE *out = self->is_command ? stderr : stdout;
	const char *silence = monocle__top_rates_silence (rates);
	char lines[MONOCLE__TOP_LINES][MONOCLE__TOP_LINE_SIZE];
	fprintf (out, "%d %s", (int) at->process.pid, at->process.program);
	if (self->is_full)
		monocle__top_rates_lines (rates, lines);
	else
		monocle__top_rates_line (rates, lines[0]);
	for (size_t i = 0; i < (self->is_full ? MONOCLE__TOP_LINES : 1); i++)
		fprintf (out, "   %s", lines[i]);
	fprintf (out, "%s%s\n", *silence ? "   " : "", silence);
}

static void
print_lines (top *self)
{
	for (size_t i = 0; i < self->watch.count; i++) {
		const monocle__live_watched *at = self->watch.watched[i];
		if (!at->session || at->is_over)
			continue;
		monocle__top_rates_read (&self->screen.rates[i], at);
		print_rates (self, at, &self->screen.rates[i]);
	}
	if (fflush (stdout) != 0)
		monocle__live_watch_stop (&self->watch);
}

/* --- the screen --------------------------------------------------------------------------------------------------- */

static void
tick (monocle__live_watch *watch, void *context)
{
	top *self = context;
	if (self->has_screen)
		monocle__top_screen_tick (&self->screen);
	else
		print_lines (self);
}

static void
have_key (int key, void *context)
{
	top *self = context;
	monocle__top_screen_key (&self->screen, key);
}

static void
redraw (void *context)
{
	top *self = context;
	monocle__top_screen_draw (&self->screen);
}

/* A command is asked to end as by Ctrl-C, the second time more firmly; the signal handler passes it on. */
static void
quit (void *context)
{
	top *self = context;
	if (self->is_command)
		kill (getpid (), self->is_quitting ? SIGTERM : SIGINT);
	else
		monocle__live_watch_stop (&self->watch);
	self->is_quitting = true;
}

/* The program's words would be in the picture, and ours too. */
static void
put_streams_away (top *self)
{
	FILE *file = tmpfile ();
	int nothing = open ("/dev/null", O_RDONLY | O_CLOEXEC);
	fflush (stdout);
	for (int i = 0; i < 3; i++)
		self->streams[i] = fcntl (i, F_DUPFD_CLOEXEC, 3);
	self->kept = file ? fcntl (fileno (file), F_DUPFD_CLOEXEC, 3) : -1;
	if (self->kept >= 0) {
		fcntl (self->kept, F_SETFL, O_APPEND);
		dup2 (self->kept, STDOUT_FILENO);
		dup2 (self->kept, STDERR_FILENO);
	}
	if (nothing >= 0) {
		dup2 (nothing, STDIN_FILENO);
		close (nothing);
	}
	if (file)
		fclose (file);
}

static void
take_streams_back (top *self)
{
	char piece[8192];
	ssize_t got;
	fflush (stdout);
	for (int i = 0; i < 3; i++) {
		if (self->streams[i] >= 0) {
			dup2 (self->streams[i], i);
			close (self->streams[i]);
		}
	}
	/* Of a process only our own lines are there, about its spool: they were the screen's to say. */
	if (self->kept >= 0)
		lseek (self->kept, 0, SEEK_SET);
	while (self->is_command && self->kept >= 0 && (got = read (self->kept, piece, sizeof piece)) > 0)
		fwrite (piece, 1, (size_t) got, stdout);
	if (self->kept >= 0)
		close (self->kept);
	fflush (stdout);
}

static int
prepare (top *self, const arguments *args)
{
	*self = (top) { .kept = -1 };
	if (monocle__live_watch_init (&self->watch) != 0)
		return -1;
	self->watch.tick = tick;
	self->watch.context = self;
	self->watch.tick_interval = args->interval;
	self->watch.counter_interval = (double) args->interval / 1000;
	self->watch.duration = args->duration;
	self->screen.watch = &self->watch;
	self->screen.quit = quit;
	self->screen.context = self;
	self->is_full = args->is_full;
	self->has_screen = !args->is_plain && monocle__terminal_is_there ();
	return 0;
}

/* After what can fail with a line, before the loop runs. */
static void
open_screen (monocle__live_watch *watch, void *context)
{
	top *self = context;
	if (!self->has_screen)
		return;
	self->has_screen = monocle__terminal_open (&self->screen.terminal, &self->watch.loop, have_key, redraw, self) == 0;
	if (!self->has_screen)
		return;
	put_streams_away (self);
	monocle__top_screen_draw (&self->screen);
}

static void
close_screen (top *self)
{
	if (!self->has_screen)
		return;
	monocle__terminal_close (&self->screen.terminal);
	take_streams_back (self);
}

static void
say_end (const top *self)
{
	for (size_t i = 0; i < self->watch.count; i++) {
		const monocle__live_watched *at = self->watch.watched[i];
		if (at->error[0])
			monocle__say ("process %d (%s) %s", (int) at->process.pid, at->process.program, at->error);
		else if (!self->is_command && !self->is_quitting && !self->watch.signal && !self->watch.is_stopping)
			monocle__say ("process %d (%s) has ended", (int) at->process.pid, at->process.program);
	}
}

static void
finish (top *self)
{
	monocle__top_screen_done (&self->screen);
	monocle__live_watch_done (&self->watch);
}

/* --- a Mono that stands by ---------------------------------------------------------------------------------------- */

/* It is sampled while the screen is there. False: it is not, which is no reason not to show it. */
static bool
begin_sampling (monocle__live_process *process, monocle__run_folder *ret_folder)
{
	monocle__layout layout;
	bool is_begun = false;
	monocle__live_standby_ask (process);
	if (process->standby != MONOCLE__LIVE_STANDBY_IDLE)
		return false;
	if (monocle__attach_layout_find (&layout) && monocle__layout_refuse (&layout) &&
	    monocle__attach_folder_make (process, ret_folder)) {
		char *desc = monocle__format ("sample:output=%s/top.pb.gz", ret_folder->seen_path);
		monocle__desc_list profiles = { &desc, 1 };
		monocle__attach_plan plan = { .profiles = &profiles, .layout = &layout };
		is_begun = monocle__attach_begin (&plan, process, ret_folder) == MONOCLE__EXIT_OK;
		if (!is_begun) {
			monocle__run_folder_delete (ret_folder->fd, ret_folder->path);
			monocle__run_folder_done (ret_folder);
		}
		free (desc);
	}
	monocle__layout_done (&layout);
	return is_begun;
}

/* A profile of it is what the key w has written. */
static void
end_sampling (const monocle__live_watched *at, monocle__run_folder *folder)
{
	monocle__attach_end (&at->process, folder);
	monocle__run_folder_delete (folder->fd, folder->path);
	monocle__run_folder_done (folder);
}

/* --- the command -------------------------------------------------------------------------------------------------- */

static int
top_process (const char *word, const arguments *args)
{
	monocle__live_process process;
	char error[256];
	int code, result;
	monocle__run_folder folder;
	top self;
	monocle__output_begin ();
	if (monocle__live_processes_find (word, &process, error, sizeof error) != 0) {
		monocle__say ("%s", error);
		return MONOCLE__EXIT_FAILED;
	}
	if (prepare (&self, args) != 0) {
		monocle__live_process_done (&process);
		return MONOCLE__EXIT_FAILED;
	}
	bool is_sampled = begin_sampling (&process, &folder);
	self.watch.ready = open_screen;
	result = monocle__live_watch_process (&self.watch, &process);
	close_screen (&self);
	if (result == 0) /* else it was said */
		say_end (&self);
	if (is_sampled && self.watch.count)
		end_sampling (self.watch.watched[0], &folder);
	code = result == 0 && !self.watch.watched[0]->error[0] ? MONOCLE__EXIT_OK : MONOCLE__EXIT_FAILED;
	finish (&self);
	return code == MONOCLE__EXIT_OK ? monocle__output_finish (stdout, NULL) : code;
}

/* "monocle run [-o FILE] -- COMMAND...". The caller frees; NULL: out of memory. */
static char **
run_words (char *const *argv, const char *output)
{
	static char self[] = "/proc/self/exe", run_word[] = "run", output_word[] = "-o", end_word[] = "--";
	size_t count = 0, used = 0;
	char **words;
	while (argv[count])
		count++;
	words = calloc (count + 6, sizeof *words);
	if (!words)
		return NULL;
	words[used++] = self;
	words[used++] = run_word;
	if (output) {
		words[used++] = output_word;
		words[used++] = (char *) output;
	}
	words[used++] = end_word;
	memcpy (words + used, argv, count * sizeof *words);
	return words;
}

static int
top_command (char *const *argv, const arguments *args)
{
	char **words = run_words (argv, args->output);
	int code;
	top self;
	if (!words || prepare (&self, args) != 0) {
		free (words);
		return MONOCLE__EXIT_RUN_FAILED;
	}
	self.is_command = true;
	open_screen (&self.watch, &self);
	code = monocle__live_watch_command (&self.watch, words);
	monocle__output_begin ();
	close_screen (&self);
	say_end (&self);
	finish (&self);
	free (words);
	return code;
}

static int
run (int argc, char **argv)
{
	arguments args = { .interval = 1000 };
	bool is_command;
	int code;
	int dashes = monocle__options_find_dashes (argc, argv);
	if (!monocle__options_read (&monocle__command_top, argc, argv, &args, &code))
		return code;
	if (optind == argc)
		return monocle__usage_error (&monocle__command_top, "top needs a process or, after --, a command");
	is_command = strcmp (argv[optind - 1], "--") == 0;
	if (is_command && optind <= dashes)
		return monocle__usage_error (&monocle__command_top, "top takes a process, '%s', or a command, and not both",
		                             argv[optind]);
	if (!is_command && argc - optind > 1)
		return monocle__usage_error (&monocle__command_top, "top takes one process; a command comes after --");
	if (!is_command && args.output)
		return monocle__usage_error (&monocle__command_top, "-o is for a command; the key w writes a profile");
	return is_command ? top_command (argv + optind, &args) : top_process (argv[optind], &args);
}

/* clang-format off */
static const monocle__option options[] = {
	{ "interval", 0,   MONOCLE__OPTION_READ, offsetof (arguments, interval), "TIME",
	  "how often it is drawn anew (default: 1s)",
	  .wanted = MONOCLE__TIME_OPTION_WANTED, .try_read = monocle__time_option_try_read },
	{ "duration", 0,   MONOCLE__OPTION_READ, offsetof (arguments, duration), "TIME",
	  "leave after this time",
	  .wanted = MONOCLE__TIME_OPTION_WANTED, .try_read = monocle__time_option_try_read },
	{ "plain",    0,   MONOCLE__OPTION_ON,   offsetof (arguments, is_plain), NULL,
	  "a line each time, and no screen; so it is without a terminal" },
	{ "full",     0,   MONOCLE__OPTION_ON,   offsetof (arguments, is_full),  NULL,
	  "with --plain: all that the screen says, in lines of some 300 columns" },
	{ "output",   'o', MONOCLE__OPTION_TEXT, offsetof (arguments, output),   "FILE",
	  "of a command: the profile, as run writes it" },
	{ 0 },
};
/* clang-format on */

const monocle__command monocle__command_top = {
	.name = "top",
	.summary = "watch what a running program or a command does",
	.operands = "PID|NAME|-- COMMAND...",
	.options = options,
	.about =
	    "Shows CPU, memory, collections and their pauses, the heap, allocations, exceptions, contended locks, the "
	    "thread\n"
	    "pool and compiled methods of a .NET process as they change, with its threads and, where it is sampled, its\n"
	    "hottest methods of the last seconds; the key a samples it until top ends. ? lists the keys, q quits.\n"
	    "A command is started as by monocle run: it is sampled. What it writes is shown when the screen is gone.\n",
	.examples = "  monocle top app\n"
	            "  monocle top -- dotnet app.dll\n",
	.run = run,
};
