/*
 * SPDX-License-Identifier: MIT
 *
 * cmd_attach.c - `monocle attach`: profiles a program that runs, for a while, and leaves it as it was.
 *
 * Everything that can be known is asked before the process is touched. Then the runtime loads the adapter, which is
 * handed a block (attach-block.h): the modules, the time, and the folder of this run, through which it tells how it
 * goes, as with `monocle run`. A Mono that stands by is told the same over its control socket. From then on it ends by
 * itself, also when this command is killed.
 */
#include "command/desc-list.h"
#include "command/output.h"
#include "command/time-option.h"
#include "commands.h"
#include "file/run-folder.h"
#include "live/attach-target.h"
#include "live/attach.h"
#include "module/layout.h"
#include "module/module-check.h"
#include "module/module-file.h"
#include "path.h"
#include "run/run-output.h"
#include "run/run-report.h"

#include <errno.h>
#include <getopt.h> /* optind */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct {
	monocle__desc_list profiles;
	const char *output;
	size_t output_profile; /* the one that gets output= for -o */
	size_t duration;       /* ms */
	bool quiet;
} arguments;

/* --- before ------------------------------------------------------------------------------------------------------- */

/* -o belongs to the first module that is known to take output=. */
static bool
choose_output (arguments *args, const monocle__layout *layout)
{
	size_t i = 0;
	if (!args->output)
		return true;
	while (i < args->profiles.count &&
	       monocle__module_file_look (layout, args->profiles.descs[i]) == MONOCLE__WRITES_NOTHING)
		i++;
	args->output_profile = i;
	if (i == args->profiles.count)
		monocle__say ("-o: --profile=%s is not known to take output=FILE", args->profiles.descs[0]);
	else if (monocle__desc_list_has_output (&args->profiles, i))
		monocle__say ("-o and output= in --profile=%s both name a file", args->profiles.descs[i]);
	else
		return !monocle__output_refuse_data (args->output, true);
	return false;
}

static bool
check_output (const char *output)
{
	int error = output ? monocle__path_check_output (output) : 0;
	if (error != 0)
		monocle__say ("cannot write %s: %s", output, strerror (-error));
	return error == 0;
}

/* Somebody's own module may do what it does without a profile. */
static bool
is_profile_expected (const arguments *args, const monocle__layout *layout)
{
	for (size_t i = 0; i < args->profiles.count; i++) {
		if (monocle__module_file_look (layout, args->profiles.descs[i]) != MONOCLE__WRITES_NOTHING)
			return true;
	}
	return false;
}

/* --- after -------------------------------------------------------------------------------------------------------- */

/* The command's exit code. A program that dies is a failure, whoever is to blame; its profile is reported as ever. */
static int
report (const arguments *args, const monocle__live_process *process, monocle__run_folder *folder,
        const monocle__layout *layout, bool has_died)
{
	monocle__run_folder_read (folder);
	if (args->output)
		monocle__run_output_place (folder, args->output, 0);
	if (folder->user != geteuid () || monocle__run_folder_is_elsewhere (folder))
		monocle__run_output_bring (folder);
	monocle__run_output_say_rescued (folder);
	monocle__run_folder_remove (folder);
	if (folder->profile_count > 0 && !args->quiet)
		monocle__run_report (folder, layout);
	if (has_died)
		return MONOCLE__EXIT_FAILED;
	if (folder->profile_count > 0 || !is_profile_expected (args, layout))
		return MONOCLE__EXIT_OK;
	if (folder->unfinished == 0) /* else it was said what became of it */
		monocle__say ("process %d left no profile", (int) process->pid);
	return MONOCLE__EXIT_FAILED;
}

/* --- the attach --------------------------------------------------------------------------------------------------- */

static void
say_started (const monocle__attach_plan *plan, const monocle__live_process *process)
{
	monocle__say ("profiling process %d (%s) for %g s; Ctrl-C ends it early", (int) process->pid, process->program,
	              (double) plan->milliseconds / 1000);
}

/* Everything is known to be right but what only the runtime can say. */
static int
attach_to (arguments *args, const monocle__live_process *process, const monocle__layout *layout)
{
	monocle__attach_plan plan = { .profiles = &args->profiles, .layout = layout };
	monocle__run_folder folder;
	int code;
	bool has_died;
	if (!monocle__attach_folder_make (process, &folder))
		return MONOCLE__EXIT_FAILED;
	if (args->output)
		monocle__run_output_collect (&args->profiles, args->output_profile, args->output, folder.seen_path);
	plan.milliseconds = (uint32_t) args->duration;
	plan.started = args->quiet ? NULL : say_started;
	code = monocle__attach_run (&plan, process, &folder, &has_died);
	if (code == MONOCLE__EXIT_OK)
		code = report (args, process, &folder, layout, has_died);
	else
		monocle__run_folder_remove (&folder);
	monocle__run_folder_done (&folder);
	return code;
}

static int
attach_word (arguments *args, const char *word, monocle__layout *layout)
{
	monocle__live_process process;
	if (monocle__desc_list_asks_help (&args->profiles)) { /* which ends a process */
		monocle__say ("monocle help NAME prints the arguments of a module");
		return MONOCLE__EXIT_USAGE;
	}
	if (monocle__module_check (layout, &args->profiles) != 0 || !choose_output (args, layout))
		return MONOCLE__EXIT_USAGE;
	if (!monocle__layout_refuse (layout) || !layout->adapter || !check_output (args->output) ||
	    !monocle__attach_target_find (word, layout, &process))
		return MONOCLE__EXIT_FAILED;
	int code = monocle__attach_target_takes (&process, &args->profiles) ? attach_to (args, &process, layout)
	                                                                    : MONOCLE__EXIT_USAGE;
	monocle__live_process_done (&process);
	return code;
}

static int
attach_command (arguments *args, const char *word)
{
	monocle__layout layout;
	int code = monocle__attach_layout_find (&layout) ? attach_word (args, word, &layout) : MONOCLE__EXIT_FAILED;
	monocle__layout_done (&layout);
	return code;
}

static int
run (int argc, char **argv)
{
	arguments args = { .duration = 10000 };
	int result;
	if (!monocle__options_read (&monocle__command_attach, argc, argv, &args, &result)) {
		monocle__desc_list_done (&args.profiles);
		return result;
	}
	monocle__output_begin ();
	monocle__desc_list_complete (&args.profiles);
	if (optind + 1 != argc)
		result = monocle__usage_error (&monocle__command_attach, "attach takes one process: its number or its name");
	else
		result = attach_command (&args, argv[optind]);
	monocle__desc_list_done (&args.profiles);
	return result;
}

/* clang-format off */
static const monocle__option options[] = {
	{ "profile", 0,   MONOCLE__OPTION_READ, offsetof (arguments, profiles), "NAME[:ARGS]",
	  "the module to load, with its arguments; may be given again. Default: sample.\n"
	  "exceptions, events and calls work as well, calls:callspec=SPEC of any methods;\n"
	  "what has to be there from the beginning, as cover, is refused",
	  .try_read = monocle__desc_list_try_add, .wanted = "takes NAME[:ARGS]", .is_repeated = true },
	{ "duration", 0,  MONOCLE__OPTION_READ, offsetof (arguments, duration), "TIME",
	  "how long: 500ms, 10s (default), 2m",
	  .try_read = monocle__time_option_try_read, .wanted = MONOCLE__TIME_OPTION_WANTED },
	{ "output",  'o', MONOCLE__OPTION_TEXT, offsetof (arguments, output),   "FILE",
	  "where the first module's profile goes. OUT.html is a flame graph, OUT.svg a picture\n"
	  "of it, OUT.json is for speedscope. Default:\n"
	  "PROGRAM_yyyyMMdd_HHmmss_PID.MODULE.pb.gz here" },
	{ "quiet",   'q', MONOCLE__OPTION_ON,   offsetof (arguments, quiet),    NULL,
	  "no report at the end; failures are still told" },
	{ 0 },
};
/* clang-format on */

const monocle__command monocle__command_attach = {
	.name = "attach",
	.summary = "profile a program that runs already",
	.operands = "PID|NAME",
	.options = options,
	.about =
	    "Loads modules into the running program, waits, reports, and leaves the program as it was. Ctrl-C ends it\n"
	    "early. monocle ps lists the programs that can be attached to. Once calls were counted Monocle stays in the\n"
	    "process, idle: its runtime lets it go no more.\n",
	.more = "Mono takes no profiler once it runs, unless it was started with mono --profile=monocle:standby.\n",
	.examples = "  monocle attach 4711\n"
	            "  monocle attach shop.dll --profile=exceptions --duration=1m\n",
	.run = run,
};
