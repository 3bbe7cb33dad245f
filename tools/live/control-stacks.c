/*
 * SPDX-License-Identifier: MIT
 *
 * control-stacks.c - see control-stacks.h. The process writes into a folder that is made for this, as with an attach,
 * and what it says of it comes with its answer: its stderr is its own.
 */
#include "control-stacks.h"

#include "attach.h"
#include "command/command.h"
#include "control.h"
#include "file/take-over.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { PATIENCE = 30 }; /* seconds */

static void
say_note (void *data, const char *text)
{
	const monocle__live_process *process = data;
	static const char note[] = "note ";
	if (!strncmp (text, note, sizeof note - 1))
		monocle__say ("process %d: %s", (int) process->pid, text + sizeof note - 1);
}

/* One that ends closes its sockets a moment before it is gone; one that was stopped answers nothing. */
static const char *
better_reason (const monocle__live_process *process)
{
	enum { PAUSE_NS = 5000000, LOOKS = 10 };
	monocle__live_process now;
	for (int i = 0; i < LOOKS && monocle__live_process_is_there (process); i++)
		nanosleep (&(struct timespec) { 0, PAUSE_NS }, NULL);
	if (!monocle__live_process_is_there (process) || monocle__live_process_read (process->pid, &now) != 0)
		return "has ended";
	bool is_stopped = now.is_stopped;
	monocle__live_process_done (&now);
	return is_stopped ? "is stopped, by a signal or a debugger: it answers when it goes on" : NULL;
}

/* The exit code. */
static int
say_failure (const monocle__live_process *process, const char *reason)
{
	const char *better = better_reason (process);
	if (better)
		monocle__say ("process %d (%s) %s", (int) process->pid, process->program, better);
	else
		monocle__say ("process %d (%s): no stacks: %s", (int) process->pid, process->program, reason);
	return MONOCLE__EXIT_FAILED;
}

static int
ask (const monocle__control_stacks *wish, const monocle__live_process *process, const monocle__run_folder *folder,
     int fd)
{
	char reason[MONOCLE__LIVE_CONTROL_REASON];
	char *words =
	    monocle__format ("stacks %s %s/%s", wish->is_async ? "async" : "threads", folder->seen_path, wish->file);
	int result = monocle__live_control_ask (fd, words, PATIENCE, say_note, (void *) process, reason);
	free (words);
	if (result != 0)
		return say_failure (process, reason);
	return wish->show (wish->data, process, folder);
}

bool
monocle__control_stacks_take (const monocle__control_stacks *wish, const monocle__live_process *process, int *ret_code)
{
	char reason[MONOCLE__LIVE_CONTROL_REASON];
	monocle__run_folder folder;
	bool is_absent;
	if (process->is_stopped) {
		*ret_code = say_failure (process, "it was stopped, and goes on now; ask again");
		return true;
	}
	int fd = monocle__live_control_connect (process->pid, &is_absent, reason);
	if (fd < 0)
		return false;
	*ret_code = MONOCLE__EXIT_FAILED;
	if (monocle__attach_folder_make (process, &folder)) {
		*ret_code = ask (wish, process, &folder, fd);
		monocle__run_folder_delete (folder.fd, folder.path);
		monocle__run_folder_done (&folder);
	}
	close (fd);
	return true;
}
