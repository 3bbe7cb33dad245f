/*
 * SPDX-License-Identifier: MIT
 *
 * refusal.c - see refusal.h. One reason is enough: the one that nobody can mend comes first.
 */
#include "refusal.h"

#include "socket.h"

#include <stdio.h>

bool
monocle__live_refusal (const monocle__live_process *process, char *ret_reason, size_t size)
{
	if (!monocle__live_socket_is_allowed (process))
		snprintf (ret_reason, size, "another user's");
	else if (process->kind == MONOCLE__LIVE_MONO && process->standby == MONOCLE__LIVE_STANDBY_NOT)
		snprintf (ret_reason, size, process->has_umbrella && process->is_stopped ? "stopped" : "Mono");
	else if (process->kind == MONOCLE__LIVE_NATIVE_AOT)
		snprintf (ret_reason, size, "NativeAOT");
	else if (!process->is_visible)
		snprintf (ret_reason, size, "cannot be looked into");
	else if (process->system == MONOCLE__LIVE_SYSTEM_MUSL)
		snprintf (ret_reason, size, "runs on musl");
	else if (process->system == MONOCLE__LIVE_SYSTEM_CPU)
		snprintf (ret_reason, size, "for another kind of CPU");
	else if (process->diagnostics[0])
		snprintf (ret_reason, size, "diagnostics off (%s)", process->diagnostics);
	else if (process->profiler[0])
		snprintf (ret_reason, size, "has the profiler %s", process->profiler);
	else if (process->standby == MONOCLE__LIVE_STANDBY_LOADED || process->is_at_work)
		snprintf (ret_reason, size, "has Monocle already");
	else if (process->is_stopped)
		snprintf (ret_reason, size, "stopped");
	else
		return false;
	return true;
}
