/*
 * SPDX-License-Identifier: MIT
 *
 * wait.c - MONOCLE_WAIT: a debugger is waited for.
 *
 * A debugger that starts the runtime itself has to follow it through its children, and pending breakpoints in libraries
 * that nobody has opened; one that attaches needs a process that stands still before there is anything to miss. The
 * kernel tells who traces us in /proc/self/status.
 */
#include "wait.h"

#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>
#include <monocle/host.h>
#include "environment.h"
#include "log-level.h"
#include "nanoseconds.h"
#include "read-file.h"

enum { FOR_EVER = 1, SECONDS_MAX = 86400, PAUSE_MS = 50 };

/* 1, 0, or -1: it cannot be known. */
static int
is_traced (void)
{
	static const char key[] = "\nTracerPid:\t";
	char text[4096];
	monocle__read_file_text (AT_FDCWD, "/proc/self/status", text, sizeof text);
	const char *found = strstr (text, key);
	return found ? found[sizeof key - 1] != '0' : -1;
}

/* The number that the variable is; 0 when nothing is to be waited for. */
static unsigned
wanted (void)
{
	const char *text = monocle__variable ("MONOCLE_WAIT");
	if (!text || !*text)
		return 0;
	size_t digits = strspn (text, "0123456789");
	unsigned long number = digits < 7 ? strtoul (text, NULL, 10) : SECONDS_MAX + 1;
	if (!text[digits] && number <= SECONDS_MAX)
		return (unsigned) number;
	monocle_log ("MONOCLE_WAIT=%s is neither 0, nor 1, nor a number of seconds up to %d; no debugger is waited for",
	             text, SECONDS_MAX);
	return 0;
}

/* True when one has come. */
static bool
wait_for (unsigned seconds)
{
	const struct timespec pause = { 0, PAUSE_MS * 1000000L };
	const uint64_t end = monocle__nanoseconds (CLOCK_MONOTONIC) + seconds * MONOCLE__NANOSECONDS_SECOND;
	int traced;
	while ((traced = is_traced ()) == 0 && (seconds == FOR_EVER || monocle__nanoseconds (CLOCK_MONOTONIC) < end))
		nanosleep (&pause, NULL);
	return traced == 1;
}

void
monocle__wait_for_debugger (void)
{
	unsigned seconds = wanted ();
	char bound[64] = "";
	int pid = (int) getpid ();
	if (!seconds || is_traced () == 1)
		return;
	if (seconds != FOR_EVER)
		snprintf (bound, sizeof bound, ", for at most %u seconds", seconds);
	monocle_log ("process %d waits for a debugger before modules are loaded%s: gdb -p %d", pid, bound, pid);
	/* Where only parents may trace (Yama), anybody of the same user may, as long as we ask for it. */
	prctl (PR_SET_PTRACER, PR_SET_PTRACER_ANY, 0, 0, 0);
	bool has_come = wait_for (seconds);
	prctl (PR_SET_PTRACER, 0, 0, 0, 0);
	if (has_come)
		MONOCLE__LOG_DEBUG ("a debugger is there");
	else
		monocle_log ("no debugger has come; process %d goes on", pid);
}
