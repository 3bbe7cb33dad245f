/*
 * SPDX-License-Identifier: MIT
 *
 * standby.c - see standby.h.
 */
#include "standby.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "control.h"
#include "socket.h"

static void
see_line (void *data, const char *text)
{
	static const char runtime[] = "runtime Mono ";
	monocle__live_process *process = data;
	if (strcmp (text, "standby idle") == 0)
		process->standby = MONOCLE__LIVE_STANDBY_IDLE;
	else if (strcmp (text, "standby loaded") == 0)
		process->standby = MONOCLE__LIVE_STANDBY_LOADED;
	else if (strncmp (text, runtime, sizeof runtime - 1) == 0 && !process->version[0])
		snprintf (process->version, sizeof process->version, "%s", text + sizeof runtime - 1);
}

void
monocle__live_standby_ask (monocle__live_process *process)
{
	enum { PATIENCE = 1 }; /* seconds */
	char reason[MONOCLE__LIVE_CONTROL_REASON];
	bool is_absent;
	bool is_ours = process->kind == MONOCLE__LIVE_MONO ? process->has_umbrella : process->has_adapter;
	if (!is_ours || process->is_stopped || !monocle__live_socket_is_allowed (process))
		return;
	int fd = monocle__live_control_connect (process->pid, &is_absent, reason);
	if (fd < 0)
		return;
	monocle__live_control_ask (fd, "status", PATIENCE, see_line, process, reason);
	close (fd);
}
