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
#include "socket.h"
#include "standby.h"

#include <errno.h>
#include <limits.h>
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
	else if (process->system == MONOCLE__LIVE_SYSTEM_MUSL)
		text = "; Monocle's libraries need glibc";
	else if (process->system == MONOCLE__LIVE_SYSTEM_CPU)
		text = "; it would need Monocle's libraries for that CPU";
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

/* Is it the same file or folder under this path? *ret_is_there: there is one. */
static bool
sees (const monocle__live_process *process, const char *path, bool *ret_is_there)
{
	char *inside = monocle__format ("/proc/%d/root%s", (int) process->pid, path);
	struct stat here, there;
	*ret_is_there = stat (inside, &there) == 0;
	free (inside);
	return *ret_is_there && stat (path, &here) == 0 && here.st_dev == there.st_dev && here.st_ino == there.st_ino;
}

static const char *
library_for (const monocle__live_process *process, const monocle__layout *layout)
{
	return process->kind == MONOCLE__LIVE_MONO ? layout->umbrella : layout->adapter;
}

/* The runtime loads the library by its path. */
static bool
is_library_missed (const monocle__live_process *process, const monocle__layout *layout, char *ret_reason, size_t size)
{
	const char *library = library_for (process, layout);
	const char *name = process->kind == MONOCLE__LIVE_MONO ? "libmono-profiler-monocle.so" : "libmonocle-clr.so";
	bool is_there;
	if (!library)
		snprintf (ret_reason, size, "%s was not found", name);
	else if (sees (process, library, &is_there))
		return false;
	else
		snprintf (ret_reason, size, is_there ? "sees another %s" : "does not see %s", name);
	return true;
}

bool
monocle__attach_target_refusal (const monocle__live_process *process, const monocle__layout *layout, char *ret_reason,
                                size_t size)
{
	return monocle__live_refusal (process, ret_reason, size) || is_library_missed (process, layout, ret_reason, size);
}

/* "cannot attach to process 4711 (shop.dll): REASON; ADVICE" */
static void
say_refusal (const monocle__live_process *process, const monocle__layout *layout, const char *reason)
{
	const char *library = library_for (process, layout);
	char text[8];
	bool is_library = library && !monocle__live_refusal (process, text, sizeof text);
	char *hint = is_library
	               ? monocle__format (", which is %s here: run monocle in its container, or mount Monocle there "
	                                  "under the same path",
	                                  library)
	               : advice (process);
	monocle__say ("cannot attach to process %d (%s): %s%s", (int) process->pid, process->program, reason, hint);
	free (hint);
}

/* Is Monocle in it, and busy with something else than waiting to be attached to? */
static bool
is_busy (const monocle__live_process *process)
{
	if (process->kind == MONOCLE__LIVE_MONO)
		return process->has_umbrella && process->standby != MONOCLE__LIVE_STANDBY_IDLE;
	return process->is_at_work || process->standby == MONOCLE__LIVE_STANDBY_LOADED;
}

monocle__attach_target_answer
monocle__attach_target_find_or (const char *word, const monocle__layout *layout,
                                bool (*instead) (void *data, const monocle__live_process *process), void *data,
                                monocle__live_process *ret_process)
{
	enum { LOOK_NS = 20000000 };
	uint64_t end = monocle__nanoseconds (CLOCK_MONOTONIC) + MONOCLE__ATTACH_TARGET_PATIENCE_NS;
	char text[512];
	for (;;) {
		if (monocle__live_processes_find (word, ret_process, text, sizeof text) != 0) {
			monocle__say ("%s", text);
			return MONOCLE__ATTACH_TARGET_NONE;
		}
		monocle__live_standby_ask (ret_process);
		if (!monocle__attach_target_refusal (ret_process, layout, text, sizeof text))
			return MONOCLE__ATTACH_TARGET_FOUND;
		if (instead && is_busy (ret_process) && instead (data, ret_process)) {
			monocle__live_process_done (ret_process);
			return MONOCLE__ATTACH_TARGET_DONE;
		}
		if (!may_be_free_soon (ret_process) || monocle__nanoseconds (CLOCK_MONOTONIC) >= end)
			break;
		monocle__live_process_done (ret_process);
		nanosleep (&(struct timespec) { 0, LOOK_NS }, NULL);
	}
	if (monocle__live_process_is_there (ret_process))
		say_refusal (ret_process, layout, text);
	else
		monocle__say ("process %d has ended", (int) ret_process->pid);
	monocle__live_process_done (ret_process);
	return MONOCLE__ATTACH_TARGET_NONE;
}

bool
monocle__attach_target_find (const char *word, const monocle__layout *layout, monocle__live_process *ret_process)
{
	return monocle__attach_target_find_or (word, layout, NULL, NULL, ret_process) == MONOCLE__ATTACH_TARGET_FOUND;
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

/* --- the folder of the run ---------------------------------------------------------------------------------------- */

/* May the process's user come to the folder? Groups are not asked. */
static bool
is_reachable (const monocle__live_process *process, const char *place)
{
	char *path = monocle__format ("%s/", place);
	bool may = true;
	for (char *at = strchr (path + 1, '/'); at && may && process->user != 0; at = strchr (at + 1, '/')) {
		struct stat status;
		*at = '\0';
		may = stat (path, &status) == 0 && status.st_mode & (status.st_uid == process->user ? S_IXUSR : S_IXOTH);
		*at = '/';
	}
	free (path);
	return may;
}

static bool
sees_here (const monocle__live_process *process)
{
	char here[PATH_MAX];
	bool is_there;
	return getcwd (here, sizeof here) && sees (process, here, &is_there);
}

/* In a place that both have: a service with a /tmp of its own has the others. 0, or an errno; -1: there is none. */
static int
make_shared (const monocle__live_process *process, monocle__run_folder *ret_folder)
{
	const char *places[MONOCLE__RUN_FOLDER_PLACES];
	size_t count = monocle__run_folder_places (places);
	int error = -1;
	for (size_t i = 0; i < count && error != 0; i++) {
		bool is_there;
		if (sees (process, places[i], &is_there) && is_reachable (process, places[i]))
			error = monocle__run_folder_make_in (places[i], places[i], sees_here (process), ret_folder);
	}
	return error;
}

/* Could the process's user make a folder there? The kernel asks only who calls it. Groups are not asked. */
static bool
may_make (const monocle__live_process *process, int place)
{
	struct stat status;
	if (process->user == geteuid () || process->user == 0)
		return true;
	return fstat (place, &status) == 0 && status.st_mode & (status.st_uid == process->user ? S_IWUSR : S_IWOTH);
}

/*
 * Among its own temporary files, which are not ours: in the very folder that was looked at, whatever the process's user
 * exchanges meanwhile. 0 or an errno.
 */
static int
make_inside (const monocle__live_process *process, monocle__run_folder *ret_folder)
{
	int place = process->folder[0] == '/' ? monocle__live_socket_open_folder (process) : -1;
	if (place < 0)
		return process->folder[0] == '/' ? errno : EINVAL;
	char *path = monocle__format ("/proc/self/fd/%d", place);
	int error = may_make (process, place)
	              ? monocle__run_folder_make_in (path, process->folder, sees_here (process), ret_folder)
	              : EACCES;
	if (error == 0) {
		free (ret_folder->path);
		ret_folder->path = monocle__format ("/proc/%d/root%s", (int) process->pid, ret_folder->seen_path);
	}
	free (path);
	close (place);
	return error;
}

bool
monocle__attach_target_make_folder (const monocle__live_process *process, monocle__run_folder *ret_folder)
{
	int error = make_shared (process, ret_folder);
	if (error != 0)
		error = make_inside (process, ret_folder);
	if (error == 0)
		return true;
	if (!monocle__live_process_is_there (process))
		monocle__say ("process %d has ended", (int) process->pid);
	else
		monocle__say (
		    "process %d (%s) sees no folder for temporary files of this monocle, and in its own %s none can be "
		    "made: %s",
		    (int) process->pid, process->program, process->folder, strerror (error));
	return false;
}

bool
monocle__attach_target_give (const monocle__live_process *process, const monocle__run_folder *folder)
{
	if (process->user == geteuid () || fchown (folder->fd, process->user, (gid_t) -1) == 0)
		return true;
	monocle__say ("cannot give %s to the user of process %d: %s", folder->path, (int) process->pid, strerror (errno));
	return false;
}
