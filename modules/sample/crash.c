/*
 * SPDX-License-Identifier: MIT
 *
 * crash.c - on Mono, no thread is hit any more once Mono's crash reporter is at work.
 *
 * A program that aborts, or faults in native code, dies in that reporter: it walks the stack of each thread, of the
 * others in a handler of SIGTERM that it installs for this. Mono's sampler goes on meanwhile, and its signal handler
 * takes for granted that the thread is not being walked already (6.8 asserts `!async_context ||
 * !info->is_async_context`). The failed assertion ends the process in the middle of the report, with exit code 0, or
 * leaves it to a watchdog that kills it half a minute later.
 *
 * So a handler is put before Mono's, which hits no thread while there is a crash: Mono does not hit a thread again
 * that has not answered. And SIGTERM waits until a hit is done, so that the reporter does not come upon one under way.
 * The reporter is known by the first thing that it does, before it walks: it gives up Mono's handlers of SIGABRT,
 * SIGILL and SIGQUIT.
 *
 * Everything here is async-safe.
 */
#include "sample.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <ucontext.h>

static struct sigaction monos; /* what Mono does about its sampler's signal; written before our handler is known */

static bool
is_default (int number)
{
	struct sigaction action;
	return sigaction (number, NULL, &action) == 0 && !(action.sa_flags & SA_SIGINFO) && action.sa_handler == SIG_DFL;
}

/* One system call as long as all is well. */
static bool
is_crashing (void)
{
	return is_default (SIGABRT) && is_default (SIGILL) && is_default (SIGQUIT);
}

static void
on_signal (int number, siginfo_t *info, void *context)
{
	int saved_errno = errno;
	bool crashing = is_crashing ();
	errno = saved_errno;
	if (!crashing)
		monos.sa_sigaction (number, info, context);
}

/*
 * Mono takes the first real-time signal that is free. In its handler this is the one that is blocked and was not
 * before; 0: there are more.
 */
static int
signal_under_way (const ucontext_t *context)
{
	sigset_t now;
	int found = 0;
	pthread_sigmask (SIG_BLOCK, NULL, &now);
	for (int number = 1; number <= SIGRTMAX; number++) {
		if (sigismember (&now, number) != 1 || sigismember (&context->uc_sigmask, number))
			continue;
		if (found)
			return 0;
		found = number;
	}
	return found;
}

/* An embedder may have handlers of its own: where Mono has none there is nothing to see. */
static void
install (int number)
{
	if (!number || is_crashing () || sigaction (number, NULL, &monos) || !(monos.sa_flags & SA_SIGINFO))
		return;
	struct sigaction action = monos;
	action.sa_sigaction = on_signal;
	sigaddset (&action.sa_mask, SIGTERM);
	sigaction (number, &action, NULL);
}

void
crash_look_out (const void *context)
{
	static atomic_bool is_done;
	if (!atomic_load_explicit (&is_done, memory_order_relaxed) && !atomic_exchange (&is_done, true))
		install (signal_under_way (context));
}
