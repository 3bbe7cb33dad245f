/*
 * SPDX-License-Identifier: MIT
 *
 * mono-signal.c - see mono-signal.h.
 */
#include "mono-signal.h"

#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <ucontext.h>

int
monocle__mono_signal_under_way (const void *context)
{
	const ucontext_t *interrupted = context;
	sigset_t now;
	int found = 0;
	pthread_sigmask (SIG_BLOCK, NULL, &now);
	for (int number = 1; number <= SIGRTMAX; number++) {
		if (sigismember (&now, number) != 1 || sigismember (&interrupted->uc_sigmask, number))
			continue;
		if (found)
			return 0;
		found = number;
	}
	return found;
}

static bool
is_default (int number)
{
	struct sigaction action;
	return sigaction (number, NULL, &action) == 0 && !(action.sa_flags & SA_SIGINFO) && action.sa_handler == SIG_DFL;
}

bool
monocle__mono_signal_is_crashing (void)
{
	return is_default (SIGABRT) && is_default (SIGILL) && is_default (SIGQUIT);
}
