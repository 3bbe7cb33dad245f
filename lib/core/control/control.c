/*
 * SPDX-License-Identifier: MIT
 *
 * control.c - see control.h.
 */
#include "control.h"

#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "control-command.h"
#include "control-server.h"
#include "control-stacks.h"
#include "duration.h"
#include "environment.h"
#include "log-level.h"
#include "log.h"

static _Atomic (pid_t) owner; /* the process that listens; 0: none does */

/* ThreadSanitizer takes equal numbers in two tables of descriptors for one, and tells of races that are none. */
#ifdef __SANITIZE_THREAD__
enum { IS_WATCHED = 1 };
#else
enum { IS_WATCHED = 0 };
#endif

/* MONOCLE_CONTROL=0? */
static bool
is_switched_off (void)
{
	const char *text = monocle__variable ("MONOCLE_CONTROL");
	if (text && *text && strcmp (text, "0") && strcmp (text, "1"))
		monocle_log ("MONOCLE_CONTROL=%s is neither 0 nor 1; taken as 1", text);
	return IS_WATCHED || (text && !strcmp (text, "0"));
}

/* --- when modules count ------------------------------------------------------------------------------------------- */

/* What MONOCLE_START says; UINT64_MAX: never. */
static uint64_t
start_after (void)
{
	const char *text = monocle__variable ("MONOCLE_START");
	uint64_t after = 0;
	if (!text || !*text || !strcmp (text, "now") || monocle__duration_read (text, 0, &after))
		return after;
	if (!strcmp (text, "stopped"))
		return UINT64_MAX;
	monocle_log ("MONOCLE_START=%s is neither now, nor stopped, nor a time like 5s; taken as now", text);
	return 0;
}

static uint64_t
stop_after (void)
{
	const char *text = monocle__variable ("MONOCLE_DURATION");
	uint64_t after = UINT64_MAX;
	if (text && *text && (!monocle__duration_read (text, 0, &after) || !after)) {
		monocle_log ("MONOCLE_DURATION=%s is no time like 30s; modules count until the end", text);
		return UINT64_MAX;
	}
	return after;
}

static void
stop_now (void)
{
	static monocle__control_answer unread;
	monocle__control_command_do (&(monocle__control_request) { MONOCLE__CONTROL_STOP, "" }, &unread);
}

/* --- begin and end ------------------------------------------------------------------------------------------------ */

/* Before a runtime starts there are no events, and one thread: what is stopped then never counts one. */
void
monocle__control_begin (const monocle__control_host *host)
{
	static uint64_t start, stop;
	bool is_first = owner != getpid ();
	if (is_first) {
		start = start_after ();
		stop = stop_after ();
	}
	if (start)
		stop_now ();
	if (!is_first)
		return;
	owner = getpid ();
	bool is_off = is_switched_off ();
	monocle__control_stacks_begin ();
	if (is_off && (!start || start == UINT64_MAX) && stop == UINT64_MAX)
		return;
	if (!monocle__control_command_begin (host, start, stop) || (!is_off && !monocle__control_server_begin ()))
		MONOCLE__LOG_DEBUG ("no thread could be made for the control socket");
}

void
monocle__control_hold (bool hold)
{
	if (owner == getpid ())
		monocle__control_command_hold (hold);
}

/* A forked child has the parent's memory, and neither its threads nor its folder. */
void
monocle__control_end (void)
{
	pid_t self = getpid ();
	if (!atomic_compare_exchange_strong (&owner, &self, 0))
		return;
	monocle__control_command_end ();
	monocle__control_server_end ();
}

/* Where a runtime ends without telling. A process that is killed leaves its folder to the next one. */
static __attribute__ ((destructor)) void
end_with_process (void)
{
	monocle__control_end ();
}
