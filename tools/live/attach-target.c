/*
 * SPDX-License-Identifier: MIT
 *
 * attach-target.c - see attach-target.h.
 */
#include "attach-target.h"

#include "command/command.h"
#include "late-module.h"
#include "nanoseconds.h"
#include "refusal.h"
#include "standby.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* It works with modules that it has, and what they have seen can be looked at. The caller frees. */
static char *
advice_at_work (const monocle__live_process *process)
{
	int pid = (int) process->pid;
	if (process->kind == MONOCLE__LIVE_MONO)
		return monocle__format (
		    "; another attach is at work, or monocle ctl has loaded modules; monocle report %d shows "
		    "what they have seen so far",
		    pid);
	return monocle__format ("; it was started with it, or another attach is at work (monocle ctl %d unload ends it); "
	                        "monocle report %d shows what its modules have seen so far, monocle top %d what it does",
	                        pid, pid, pid);
}

/* What `refusal` says in a few words is enough in a table; here it is to be said what can be done. The caller frees. */
static char *
advice (const monocle__live_process *process)
{
	const char *text = "";
	if (process->kind == MONOCLE__LIVE_NATIVE_AOT)
		text = "; it has no profiling API";
	else if (process->kind == MONOCLE__LIVE_MONO && process->standby == MONOCLE__LIVE_STANDBY_NOT)
		text = process->is_stopped
		         ? ""
		         : "; it takes no profiler once it runs, unless it was started with --profile=monocle:standby";
	else if (process->diagnostics[0])
		text = "; it must be started without this setting";
	else if (process->profiler[0])
		text = "; CoreCLR takes one main profiler";
	else if (process->is_at_work || process->standby == MONOCLE__LIVE_STANDBY_LOADED)
		return advice_at_work (process);
	return monocle__format ("%s", text);
}

/* An attach may be about to end, whose caller has not waited for that. */
static bool
may_be_free_soon (const monocle__live_process *process)
{
	return process->is_at_work || process->standby == MONOCLE__LIVE_STANDBY_LOADED;
}

bool
monocle__attach_target_find (const char *word, monocle__live_process *ret_process)
{
	enum { LOOK_NS = 20000000 };
	uint64_t end = monocle__nanoseconds (CLOCK_MONOTONIC) + MONOCLE__ATTACH_TARGET_PATIENCE_NS;
	char text[512];
	for (;;) {
		if (monocle__live_processes_find (word, ret_process, text, sizeof text) != 0) {
			monocle__say ("%s", text);
			return false;
		}
		monocle__live_standby_ask (ret_process);
		if (!monocle__live_refusal (ret_process, text, sizeof text))
			return true;
		if (!may_be_free_soon (ret_process) || monocle__nanoseconds (CLOCK_MONOTONIC) >= end)
			break;
		monocle__live_process_done (ret_process);
		nanosleep (&(struct timespec) { 0, LOOK_NS }, NULL);
	}
	char *hint = advice (ret_process);
	monocle__say ("cannot attach to process %d (%s): %s%s", (int) ret_process->pid, ret_process->program, text, hint);
	free (hint);
	monocle__live_process_done (ret_process);
	return false;
}

bool
monocle__attach_target_takes (const monocle__live_process *process, const monocle__desc_list *profiles)
{
	for (size_t i = 0; i < profiles->count; i++) {
		const char *desc = profiles->descs[i];
		const char *reason = monocle__late_module_refusal (desc, process->kind == MONOCLE__LIVE_MONO);
		int length = (int) strcspn (desc, ":");
		if (!reason)
			continue;
		monocle__say ("the module %.*s cannot be attached: %s; start the program with monocle run --profile=%.*s",
		              length, desc, reason, length, desc);
		return false;
	}
	return true;
}

bool
monocle__attach_target_sees (const monocle__live_process *process, const char *path, const char *what)
{
	char *inside = monocle__format ("/proc/%d/root%s", (int) process->pid, path);
	struct stat here, there;
	bool is_there = stat (inside, &there) == 0, sees;
	sees = is_there && stat (path, &here) == 0 && here.st_dev == there.st_dev && here.st_ino == there.st_ino;
	free (inside);
	if (!sees && !monocle__live_process_is_there (process))
		monocle__say ("process %d has ended", (int) process->pid);
	else if (!sees)
		monocle__say (
		    "process %d (%s) has another root folder, a container's, and does not see %s %s%s: run monocle in "
		    "the container, or mount Monocle and the folder in TMPDIR there under the same paths",
		    (int) process->pid, process->program, what, path, is_there ? " that is here" : "");
	return sees;
}

bool
monocle__attach_target_give (const monocle__live_process *process, const monocle__run_folder *folder)
{
	if (process->user == geteuid () || fchown (folder->fd, process->user, (gid_t) -1) == 0)
		return true;
	monocle__say ("cannot give %s to the user of process %d: %s", folder->path, (int) process->pid, strerror (errno));
	return false;
}
