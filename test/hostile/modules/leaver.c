/* SPDX-License-Identifier: MIT */
/* leaver.c - ends the process while it starts, refuses an option, or does nothing, as its only argument says. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

__attribute__ ((visibility ("default"))) void mono_profiler_init_leaver (const char *desc);

/* Not known to be NULL by a compiler, which would leave nothing but a trap. */
static int *volatile nowhere;

void
mono_profiler_init_leaver (const char *desc)
{
	const char *word = strchr (desc, ':') ? strchr (desc, ':') + 1 : "";

	if (!strcmp (word, "exit"))
		exit (7);
	else if (!strcmp (word, "_exit"))
		_exit (8);
	else if (!strcmp (word, "abort"))
		abort ();
	else if (!strcmp (word, "segv"))
		*(volatile int *) nowhere = 1;
	else if (!strcmp (word, "kill"))
		kill (getpid (), SIGKILL);
	else if (*word)
		fprintf (stderr, "leaver: I do not know %s\n", word);
}
