/*
 * SPDX-License-Identifier: MIT
 *
 * cmd_stack.c - `monocle stack`: what each thread of a running program does at this moment.
 *
 * The module sample is attached for no longer than a snapshot takes, and what it wrote is printed. A process where
 * Monocle is at work already is asked over its control socket to write the same.
 */
#include "command/output.h"
#include "commands.h"
#include "file/profile-file.h"
#include "file/take-over.h"
#include "live/attach-leave.h"
#include "live/attach-target.h"
#include "live/attach.h"
#include "live/control-stacks.h"
#include "nanoseconds.h"
#include "module/layout.h"
#include "report.h"
#include "report/view-options.h"
#include "text-stacks.h"

#include <getopt.h> /* optind */
#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>

typedef struct {
	uint64_t began; /* as CLOCK_MONOTONIC has it */
	bool fold, async;
	monocle__view_arguments view;
} arguments;

static int
print (const arguments *args, const char *title, const monocle__profile *profile)
{
	monocle__report_options options = { .title = title, .apart = !args->fold, .brief = true };
	options.took = monocle__nanoseconds (CLOCK_MONOTONIC) - args->began;
	options.width = monocle__output_width (stdout);
	options.ellipsis = monocle__output_ellipsis ();
	if (monocle__text_stacks (stdout, profile, &options) != 0) {
		monocle__say ("out of memory");
		return MONOCLE__EXIT_FAILED;
	}
	return monocle__output_finish (stdout, NULL);
}

typedef struct {
	const arguments *args;
	const monocle__live_process *process;
	int folder;
	int code; /* the command's; -1: nothing has been shown yet */
} taking;

static int
show (const taking *self, const char *path)
{
	monocle__view_plan plan = { .arguments = &self->args->view, .is_table = true };
	monocle__profile *profile;
	if (monocle__profile_file_open (path, &profile) != 0)
		return MONOCLE__EXIT_FAILED;
	plan.by_default = MONOCLE__VIEW_FOR_PEOPLE;
	char *title = monocle__format ("%s (process %d)", self->process->program, (int) self->process->pid);
	int code = monocle__view_options_apply (&plan, title, &profile);
	if (code == 0)
		code = print (self->args, title, profile);
	free (title);
	monocle__profile_free (profile);
	return code;
}

/* In the folder of the run. */
static const char snapshot[] = "stacks.pb.gz";

/*
 * The file is whole when it is there. What is read is what was looked at: the process may be another user's, and
 * exchange it.
 */
static bool
look (void *data)
{
	taking *self = data;
	int fd = monocle__take_over_open (self->folder, snapshot, self->process->user);
	if (fd < 0)
		return false;
	char *path = monocle__format ("/proc/self/fd/%d", fd);
	if (monocle__take_over_is_read (fd, self->process->user)) {
		self->code = show (self, path);
	} else {
		monocle__say ("the stacks of process %d are larger than any", (int) self->process->pid);
		self->code = MONOCLE__EXIT_FAILED;
	}
	free (path);
	close (fd);
	return true;
}

/*
 * As soon as the module has come it is to go, and at its end it takes the snapshot. The runtime takes a third of a
 * second more to let us go: nobody who has read the stacks is to wait for that.
 */
static int
take (const arguments *args, const monocle__live_process *process, const monocle__layout *layout,
      monocle__run_folder *folder)
{
	enum { AT_ONCE = 1 };
	char *desc = monocle__format ("sample:mode=none,lines,%ssnapshot=%s/%s,output=%s/samples.pb.gz",
	                              args->async ? "async," : "", folder->seen_path, snapshot, folder->seen_path);
	taking self = { args, process, folder->fd, -1 };
	monocle__desc_list profiles = { &desc, 1 };
	monocle__attach_plan plan = { .profiles = &profiles, .layout = layout, .look = look, .data = &self };
	plan.milliseconds = AT_ONCE;
	bool has_died;
	int code = monocle__attach_run (&plan, process, folder, &has_died);
	bool is_found = self.code >= 0;
	if (code == MONOCLE__EXIT_OK && !is_found && !look (&self)) {
		if (!has_died)
			monocle__say ("process %d left no stacks", (int) process->pid);
		self.code = MONOCLE__EXIT_FAILED;
	}
	if (is_found)
		monocle__attach_leave (process, folder);
	else
		monocle__run_folder_delete (folder->fd, folder->path);
	free (desc);
	return code == MONOCLE__EXIT_OK ? self.code : code;
}

/* --- a process with Monocle in it --------------------------------------------------------------------------------- */

typedef struct {
	const arguments *args;
	int code;
} asking;

/* In the folder of the run is what the process has written. */
static int
show_written (void *data, const monocle__live_process *process, const monocle__run_folder *folder)
{
	const asking *self = data;
	taking shown = { self->args, process, folder->fd, MONOCLE__EXIT_FAILED };
	if (!look (&shown))
		monocle__say ("process %d left no stacks", (int) process->pid);
	return shown.code;
}

static bool
ask (void *data, const monocle__live_process *process)
{
	asking *self = data;
	const monocle__control_stacks wish = { self->args->async, snapshot, show_written, self };
	return monocle__control_stacks_take (&wish, process, &self->code);
}

/* --- the command -------------------------------------------------------------------------------------------------- */

static int
attach (const arguments *args, const monocle__live_process *process, const monocle__layout *layout)
{
	monocle__run_folder folder;
	if (!monocle__attach_folder_make (process, &folder))
		return MONOCLE__EXIT_FAILED;
	int code = take (args, process, layout, &folder);
	monocle__run_folder_done (&folder);
	return code;
}

static int
stack (const arguments *args, const char *word)
{
	asking self = { args, MONOCLE__EXIT_FAILED };
	monocle__live_process process;
	monocle__layout layout;
	if (monocle__attach_layout_find (&layout) && monocle__layout_refuse (&layout) && layout.adapter &&
	    monocle__attach_target_find_or (word, &layout, ask, &self, &process) == MONOCLE__ATTACH_TARGET_FOUND) {
		self.code = attach (args, &process, &layout);
		monocle__live_process_done (&process);
	}
	monocle__layout_done (&layout);
	return self.code;
}

static int
run (int argc, char **argv)
{
	arguments args = { .began = monocle__nanoseconds (CLOCK_MONOTONIC), .view.names = SIZE_MAX };
	int code;
	monocle__output_begin ();
	if (!monocle__options_read (&monocle__command_stack, argc, argv, &args, &code))
		return code;
	if (optind + 1 != argc)
		return monocle__usage_error (&monocle__command_stack, "stack takes one process: its number or its name");
	return stack (&args, argv[optind]);
}

/* clang-format off */
static const monocle__option options[] = {
	{ "fold",       0, MONOCLE__OPTION_ON, offsetof (arguments, fold),            NULL,
	  "print equal stacks once, whatever their threads are called, those of most\n"
	  "threads first" },
	{ "all-frames", 0, MONOCLE__OPTION_ON, offsetof (arguments, view.all_frames), NULL,
	  "show each frame of the framework above your own code, too, not one for all\n"
	  "between" },
	{ "async",      0, MONOCLE__OPTION_ON, offsetof (arguments, async),           NULL,
	  "the async methods that wait, too, and who awaits them: they are on no thread's\n"
	  "stack, but on the heap; the program stands still for a full collection" },
	MONOCLE__VIEW_WHICH_OPTIONS (arguments, view),
	{ 0 },
};
/* clang-format on */

const monocle__command monocle__command_stack = {
	.name = "stack",
	.summary = "show what each thread of a running program does now",
	.operands = "PID|NAME",
	.options = options,
	.about =
	    "Prints the stack of every thread once, with source lines where there are symbols and with what the thread\n"
	    "did (running, sleeping, waiting for a lock ...), and leaves the program as it was. monocle ps lists the\n"
	    "programs that it works with, and it works where Monocle is at work already.\n",
	.more = "A program that was started with sample:snapshot=FILE writes its stacks itself when it gets SIGUSR2.\n",
	.examples = "  monocle stack 4711\n"
	            "  monocle stack shop.dll --fold --mine\n"
	            "  monocle stack shop.dll --async\n",
	.run = run,
};
