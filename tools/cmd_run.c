/*
 * SPDX-License-Identifier: MIT
 *
 * cmd_run.c - `monocle run`: a command with profiling switched on, then what it was.
 *
 * The program must not notice: descriptors, signals and exit code are its own. What Monocle has to say in its processes
 * is said here, as it comes; nothing else is printed before it ends but what a person must know to trust the result.
 * All of that goes to stderr.
 */
#include "command/desc-list.h"
#include "command/output.h"
#include "command/time-option.h"
#include "commands.h"
#include "file/left-over.h"
#include "file/run-folder.h"
#include "module/layout.h"
#include "module/module-ask.h"
#include "module/module-check.h"
#include "module/module-file.h"
#include "path.h"
#include "run/child.h"
#include "run/diagnose.h"
#include "run/environ.h"
#include "run/run-coverage.h"
#include "run/run-lines.h"
#include "run/run-merge.h"
#include "run/run-messages.h"
#include "run/run-output.h"
#include "run/run-report.h"
#include "run/run-snapshots.h"
#include "run/run-watch.h"
#include "run/unprofiled.h"

#include <errno.h>
#include <getopt.h> /* optind */
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

typedef struct {
	monocle__desc_list profiles;
	const char *output;
	size_t output_profile; /* the one that gets output= for -o */
	int output_error;      /* why nothing can be written there, as far as is known before */
	bool output_coverage;  /* it gathers all processes: there is one file */
	const char *process, *snapshots;
	size_t delay, duration; /* milliseconds; 0: none */
	size_t start_choice;
	bool all, quiet, merged;
	bool unchecked; /* modules that only the program's side can see may be named */
	bool embedded;  /* whatever embeds Mono is meant, however it does */
	char **command;
	struct timespec start;
} arguments;

enum { START_NOW, START_STOPPED, STARTS };

/* --- arguments ---------------------------------------------------------------------------------------------------- */

/* 0, or MONOCLE__EXIT_USAGE after one line. */
static int
check_output_name (const arguments *args)
{
	if (args->output && strcmp (args->output, "-") == 0)
		return monocle__usage_error (&monocle__command_run,
		                             "-o takes a file name; standard output is the program's own");
	if (args->merged && !args->output)
		return monocle__usage_error (&monocle__command_run, "--merge needs -o FILE");
	return !args->output || *args->output ? 0 : monocle__usage_error (&monocle__command_run, "-o takes a file name");
}

/* The options were read and argv[optind] is the first word of the command. 0, or the exit code after one line. */
static int
take_command (int argc, char **argv, arguments *args)
{
	int code = check_output_name (args);
	if (code != 0)
		return code;
	if (optind == argc && !monocle__desc_list_asks_help (&args->profiles))
		return monocle__usage_error (&monocle__command_run, "run takes a command: monocle run -- dotnet app.dll");
	args->command = argv + optind;
	monocle__desc_list_complete (&args->profiles);
	return 0;
}

/*
 * -o belongs to the first module that is known to take output=. Another one may refuse to start when it is given an
 * option that it does not know, and then there would be no profile at all.
 */
static int
choose_output (arguments *args, const monocle__layout *layout)
{
	monocle__module_writes writes = MONOCLE__WRITES_NOTHING;
	size_t i = 0;
	if (!args->output)
		return 0;
	while (i < args->profiles.count &&
	       (writes = monocle__module_file_look (layout, args->profiles.descs[i])) == MONOCLE__WRITES_NOTHING)
		i++;
	if (i == args->profiles.count)
		return monocle__usage_error (&monocle__command_run, "-o: --profile=%s is not known to take output=FILE",
		                             args->profiles.descs[0]);
	args->output_profile = i;
	args->output_coverage = writes == MONOCLE__WRITES_COVERAGE;
	if (monocle__output_refuse_data (args->output, !args->output_coverage))
		return MONOCLE__EXIT_USAGE;
	if (monocle__desc_list_has_output (&args->profiles, i))
		return monocle__usage_error (&monocle__command_run, "-o and output= in --profile=%s both name a file",
		                             args->profiles.descs[i]);
	return 0;
}

/* Is there a module that leaves a profile whenever it runs? */
static bool
expects_profile (const arguments *args, const monocle__layout *layout)
{
	for (size_t i = 0; i < args->profiles.count; i++) {
		monocle__module_writes writes = monocle__module_file_look (layout, args->profiles.descs[i]);
		if (monocle__desc_list_has_stream (&args->profiles, i))
			continue;
		if (writes == MONOCLE__WRITES_PROFILE || writes == MONOCLE__WRITES_COVERAGE)
			return true;
	}
	return false;
}

/* --- before ------------------------------------------------------------------------------------------------------- */

static void
say_output (arguments *args, const char *folder)
{
	args->output_error = args->output ? monocle__path_check_output (args->output) : 0;
	if (args->output_error != 0)
		monocle__say ("cannot write %s: %s; the program runs, and its profile will stay in %s", args->output,
		              strerror (-args->output_error), folder);
}

/* --- after -------------------------------------------------------------------------------------------------------- */

/* A start that never ended: the module left, in one way or another, and took the process with it. */
static void
say_starts (const monocle__run_folder *folder)
{
	for (size_t i = 0; i < folder->process_count; i++) {
		const monocle__run_process *process = &folder->processes[i];
		if (process->starting && kill (process->pid, 0) != 0 && errno == ESRCH)
			monocle__say ("process %d ended before the module '%s' had come back from mono_profiler_init_%s",
			              (int) process->pid, process->starting, process->starting);
	}
}

/* The first module that is none of ours; NULL: there is none. */
static const char *
strange_module (const arguments *args, const monocle__layout *layout)
{
	const char *found = NULL;
	for (size_t i = 0; i < args->profiles.count && !found; i++) {
		const char *desc = args->profiles.descs[i];
		char *path = monocle__module_file_of_monos (desc) ? NULL : monocle__module_file_find (layout, desc);
		if (path && !monocle__module_ask_is_ours (layout, path))
			found = desc;
		free (path);
	}
	return found;
}

/* CoreCLR is silent where native code in it crashes; Mono prints a report. */
static void
say_crash (const arguments *args, int code, const monocle__layout *layout)
{
	static const int crashes[] = { SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT };
	int number = code - MONOCLE__EXIT_SIGNAL;
	const char *desc = strange_module (args, layout);
	for (size_t i = 0; i < sizeof crashes / sizeof *crashes && desc; i++)
		if (crashes[i] == number)
			monocle__say ("%s was ended by signal %d (%s); if a callback of the module %.*s did it, "
			              "doc/debugging-a-module.md says how to find where",
			              args->command[0], number, strsignal (number), (int) strcspn (desc, ":"), desc);
}

static void
end_coverage (const arguments *args, monocle__run_folder *folder, const monocle__layout *layout,
              const monocle__run_snapshots *snapshots)
{
	monocle__run_coverage_wishes wishes = {
		.command = args->command, .layout = layout, .quiet = args->quiet, .snapshots = snapshots
	};
	if (args->output_coverage)
		wishes.output = args->output;
	monocle__run_coverage_end (folder, &wishes);
}

/* What was not profiled, and why. */
static void
say_missing (const arguments *args, int code, const monocle__child *child, const monocle__run_folder *folder,
             const monocle__environ_state *state, const monocle__environ_wishes *wishes, monocle__run_watch *watch)
{
	size_t count;
	const monocle__run_seen *silent = monocle__run_watch_silent (watch, &count);
	if (monocle__desc_list_asks_help (&args->profiles))
		return;
	monocle__diagnose_end end = { .exit_code = code,
		                          .signalled = child->signalled,
		                          .was_runtime_seen = monocle__unprofiled_has (silent, count, child->pid),
		                          .was_mono_seen = monocle__unprofiled_embeds (silent, count) };
	size_t said = monocle__unprofiled_say (silent, count, folder, child->pid);
	bool is_explained = said > 0 && folder->process_count == 0 && folder->unfinished == 0;
	if (folder->profile_count == 0 && !is_explained)
		monocle__diagnose (args->command, &end, folder, state, wishes, expects_profile (args, wishes->layout));
}

static void
report_run (const arguments *args, int code, const monocle__child *child, monocle__run_folder *folder,
            const monocle__environ_state *state, const monocle__environ_wishes *wishes,
            const monocle__run_snapshots *snapshots, monocle__run_watch *watch)
{
	monocle__run_folder_read (folder);
	monocle__run_lines_find (folder);
	if (!monocle__desc_list_asks_help (&args->profiles))
		say_starts (folder);
	if (child->signalled && !args->quiet)
		say_crash (args, code, wishes->layout);
	if (args->merged && monocle__run_merge_is_needed (folder))
		monocle__run_merge (folder, args->output);
	else if (args->output)
		monocle__run_output_place (folder, args->output, args->output_error);
	if (monocle__run_coverage_is_there (folder))
		end_coverage (args, folder, wishes->layout, snapshots);
	monocle__run_output_say_rescued (folder);
	/* Before the report: it may be long, and who is tired of it presses Ctrl-C. */
	monocle__run_folder_remove (folder);
	say_missing (args, code, child, folder, state, wishes, watch);
	if (!args->quiet) {
		monocle__run_report (folder, wishes->layout);
		monocle__run_report_monos (&args->profiles, &args->start);
	}
}

static int
run_profiled (arguments *args, const monocle__layout *layout, monocle__run_folder *folder,
              monocle__run_snapshots *snapshots)
{
	monocle__environ_wishes wishes = {
		.layout = layout,
		.run_folder = folder->path,
		.process = args->process,
		.all = args->all,
		.delay = args->delay,
		.duration = args->duration,
		.is_stopped = args->start_choice == START_STOPPED,
	};
	wishes.embedded = args->embedded ? MONOCLE__EMBEDDED_ANY : monocle__environ_embedded (args->command[0]);
	monocle__environ_state state;
	monocle__child child;
	int code;
	monocle__environ_look (layout->adapter, &state);
	monocle__environ_say (&state, layout);
	monocle__environ_say_embedded (wishes.embedded, layout);
	say_output (args, folder->path);
	if (args->output && !args->output_coverage)
		monocle__run_output_collect (&args->profiles, args->output_profile, args->output, folder->path);
	wishes.profiles = args->profiles.descs;
	wishes.profile_count = args->profiles.count;
	monocle__environ_set (&wishes, &state);
	clock_gettime (CLOCK_REALTIME_COARSE, &args->start);
	monocle__run_messages *messages = monocle__run_messages_begin (folder);
	monocle__run_watch *watch = monocle__run_watch_begin (folder, args->command[0]);
	code = monocle__child_run (args->command, &child);
	monocle__output_begin (); /* after the child: it must not inherit this */
	monocle__run_snapshots_end (snapshots);
	if (child.pid != 0)
		monocle__run_folder_await (folder);
	monocle__run_messages_end (messages);
	monocle__run_watch_end (watch);
	if (child.pid != 0)
		report_run (args, code, &child, folder, &state, &wishes, snapshots, watch);
	else
		monocle__run_folder_remove (folder);
	monocle__run_watch_free (watch);
	free (state.foreign);
	return code;
}

/* The module whose help is asked for, where it needs no program for that: ours does not. NULL: there is none. */
static const char *
desc_to_explain (const arguments *args, const monocle__layout *layout)
{
	const char *found = NULL;
	for (size_t i = 0; i < args->profiles.count && !found; i++) {
		const char *desc = args->profiles.descs[i];
		char *path = monocle__desc_list_is_help (desc) ? monocle__module_file_find (layout, desc) : NULL;
		if (monocle__desc_list_is_help (desc) &&
		    (!*args->command || (path && monocle__module_ask_is_ours (layout, path))))
			found = desc;
		free (path);
	}
	return found;
}

static int
run_command (arguments *args)
{
	monocle__run_folder folder;
	monocle__run_snapshots *snapshots = NULL;
	monocle__layout layout;
	int code = MONOCLE__EXIT_RUN_FAILED;
	monocle__left_over_clean ();
	monocle__layout_find (&layout);
	if (!layout.adapter && !layout.umbrella) {
		monocle__say ("neither libmonocle-clr.so nor libmono-profiler-monocle.so is where this program expects it; "
		              "monocle doctor says more");
	} else if (desc_to_explain (args, &layout)) {
		code = monocle__module_check_help (&layout, desc_to_explain (args, &layout));
	} else if ((!args->unchecked && monocle__module_check (&layout, &args->profiles) != 0) ||
	           choose_output (args, &layout) != 0) {
		code = MONOCLE__EXIT_USAGE;
	} else if (monocle__layout_refuse (&layout) &&
	           (!args->snapshots || (snapshots = monocle__run_snapshots_begin (args->snapshots))) &&
	           monocle__run_folder_make (&folder) == 0) {
		code = run_profiled (args, &layout, &folder, snapshots);
		monocle__run_folder_done (&folder);
	}
	monocle__run_snapshots_free (snapshots);
	monocle__layout_done (&layout);
	return code;
}

static int
run (int argc, char **argv)
{
	arguments args = { 0 };
	int result;
	if (monocle__options_read (&monocle__command_run, argc, argv, &args, &result)) {
		result = take_command (argc, argv, &args);
		if (result == 0)
			result = run_command (&args);
	}
	monocle__desc_list_done (&args.profiles);
	return result;
}

static monocle__choice
start_choice (size_t index)
{
	static const char *const names[] = { [START_NOW] = "now", [START_STOPPED] = "stopped" };
	return (monocle__choice) { index < STARTS ? names[index] : NULL, NULL };
}

/* clang-format off */
static const monocle__option options[] = {
	{ "profile", 0,   MONOCLE__OPTION_READ, offsetof (arguments, profiles), "NAME[:ARGS]",
	  "the module to load, with its arguments; may be given again. Default: sample, which\n"
	  "looks a hundred times per second of CPU time; calls counts every call, cover\n"
	  "the lines that ran.\n"
	  "monocle help NAME prints a module's arguments, monocle list prints modules",
	  .try_read = monocle__desc_list_try_add, .wanted = "takes NAME[:ARGS]", .is_repeated = true },
	{ "output",  'o', MONOCLE__OPTION_TEXT, offsetof (arguments, output),   "FILE",
	  "where the first module's profile goes. With several processes the later ones get\n"
	  "their id before the extension; coverage of all processes is one file. OUT.html\n"
	  "is a flame graph, OUT.svg a picture of it, OUT.json is for speedscope. Default:\n"
	  "the module's own naming, usually PROGRAM_yyyyMMdd_HHmmss_PID.MODULE.pb.gz in the\n"
	  "current directory; for coverage PROGRAM_yyyyMMdd_HHmmss.cover.mcov" },
	{ "all",     0,   MONOCLE__OPTION_ON,   offsetof (arguments, all),      NULL,
	  "profile the .NET SDK's own processes too" },
	{ "start",   0,   MONOCLE__OPTION_CHOICE, offsetof (arguments, start_choice), NULL,
	  "when modules begin to count: with the process (default), or when monocle ctl says so", .choice = start_choice },
	{ "delay",   0,   MONOCLE__OPTION_READ, offsetof (arguments, delay),    "TIME",
	  "so long after the start of each process",
	  .try_read = monocle__time_option_try_read, .wanted = MONOCLE__TIME_OPTION_WANTED },
	{ "duration", 0,  MONOCLE__OPTION_READ, offsetof (arguments, duration), "TIME",
	  "and for so long; the program goes on",
	  .try_read = monocle__time_option_try_read, .wanted = MONOCLE__TIME_OPTION_WANTED },
	{ "process", 0,   MONOCLE__OPTION_TEXT, offsetof (arguments, process),  "GLOB[,!GLOB]",
	  "only programs with such a name" },
	{ "embedded-mono", 0, MONOCLE__OPTION_ON, offsetof (arguments, embedded), NULL,
	  "reach programs, too, that open Mono's library themselves, and those that COMMAND\n"
	  "starts and that are linked with it. A COMMAND that is linked with it needs no option" },
	{ "merge",   0,   MONOCLE__OPTION_ON,   offsetof (arguments, merged),   NULL,
	  "one profile of all processes; report --process=GLOB shows one of them" },
	{ "snapshots", 0, MONOCLE__OPTION_TEXT, offsetof (arguments, snapshots), "FOLDER",
	  "coverage test by test: a program that writes its process number into\n"
	  "$MONOCLE_SNAPSHOT_DIR/NAME.want gets what it covered since the last time in\n"
	  "NAME.mcov there" },
	{ "unchecked", 0, MONOCLE__OPTION_ON,   offsetof (arguments, unchecked), NULL,
	  "do not look first whether the modules are here and know their arguments: only\n"
	  "the program's side, a container say, can tell" },
	{ "quiet",   'q', MONOCLE__OPTION_ON,   offsetof (arguments, quiet),    NULL,
	  "no report at the end; failures are still told" },
	{ 0 },
};
/* clang-format on */

const monocle__command monocle__command_run = {
	.name = "run",
	.summary = "run a command and profile every .NET and Mono program in it",
	.operands = "COMMAND...",
	.has_command = true,
	.options = options,
	.about =
	    "Runs COMMAND with its own input, output, signals and exit code, and reports on stderr when it has ended.\n"
	    "What COMMAND leaves running in the background stays profiled: it is named, with where its profile will be.\n"
	    "Each .NET or Mono process that was not profiled is named, with the reason and what to do.\n",
	.more = "Exit codes: the command's own; 128+n when signal n ended it; 2 wrong usage; 125 monocle itself failed;\n"
	        "126 the command cannot be executed; 127 it was not found.\n",
	.examples = "  monocle run -- dotnet app.dll\n"
	            "  monocle run --profile=sample:mode=wall,threads -- dotnet app.dll\n"
	            "  monocle run --profile=calls -o calls.pb.gz -- mono app.exe\n",
	.run = run,
};
