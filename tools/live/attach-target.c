/*
 * SPDX-License-Identifier: MIT
 *
 * attach-target.c - see attach-target.h.
 */
#include "attach-target.h"

#include "command/command.h"
#include "refusal.h"
#include "standby.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* What `refusal` says in a few words is enough in a table; here it is to be said what can be done. */
static const char *
advice (const monocle__live_process *process)
{
	switch (process->kind) {
	case MONOCLE__LIVE_MONO: return "; a Mono takes no profiler once it runs: start it with monocle run";
	case MONOCLE__LIVE_NATIVE_AOT: return "; it has no profiling API";
	default: break;
	}
	if (process->diagnostics[0])
		return "; it must be started without this setting";
	if (process->profiler[0])
		return "; CoreCLR takes one main profiler";
	return process->has_adapter ? "; it was started with it, or another attach is at work" : "";
}

bool
monocle__attach_target_find (const char *word, monocle__live_process *ret_process)
{
	char text[512];
	if (monocle__live_processes_find (word, ret_process, text, sizeof text) != 0) {
		monocle__say ("%s", text);
		return false;
	}
	monocle__live_standby_ask (ret_process);
	if (!monocle__live_refusal (ret_process, text, sizeof text))
		return true;
	monocle__say ("cannot attach to process %d (%s): %s%s", (int) ret_process->pid, ret_process->program, text,
	              advice (ret_process));
	monocle__live_process_done (ret_process);
	return false;
}

/* clang-format off */
static const struct {
	const char *module, *reason;
} started_only[] = {
	{ "cover",    "methods that are compiled already have no counters" },
	{ "coverage", "methods that are compiled already have no counters" },
	{ "aot",      "it has to see methods being compiled" },
	{ "log",      "it is made for a process from its beginning to its end" },
};
/* clang-format on */

bool
monocle__attach_target_takes (const monocle__desc_list *profiles)
{
	for (size_t i = 0; i < profiles->count; i++)
		for (size_t k = 0; k < sizeof started_only / sizeof *started_only; k++) {
			const char *module = started_only[k].module, *desc = profiles->descs[i];
			if (strncmp (desc, module, strlen (module)) != 0 || (desc[strlen (module)] && desc[strlen (module)] != ':'))
				continue;
			monocle__say ("the module %s cannot be attached: %s; start the program with monocle run --profile=%s",
			              module, started_only[k].reason, module);
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
monocle__attach_target_give (const monocle__live_process *process, const char *folder)
{
	if (process->user == geteuid () || chown (folder, process->user, (gid_t) -1) == 0)
		return true;
	monocle__say ("cannot give %s to the user of process %d: %s", folder, (int) process->pid, strerror (errno));
	return false;
}
