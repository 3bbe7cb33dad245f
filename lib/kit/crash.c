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
 *
 * Everything here is async-safe. It is not a module's, since it stays when modules are closed.
 */
#include <monocle/kit.h>

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>

#include "mono-nested.h"
#include "mono-signal.h"

static struct sigaction monos; /* what Mono does about its sampler's signal; written before our handler is known */

static void
on_signal (int number, siginfo_t *info, void *context)
{
	int saved_errno = errno;
	bool crashing = monocle__mono_signal_is_crashing ();
	errno = saved_errno;
	if (!crashing)
		monocle__mono_nested_call (monos.sa_sigaction, number, info, context);
}

/* An embedder may have handlers of its own: where Mono has none there is nothing to see. */
static void
install (int number)
{
	if (!number || monocle__mono_signal_is_crashing () || sigaction (number, NULL, &monos) ||
	    !(monos.sa_flags & SA_SIGINFO))
		return;
	struct sigaction action = monos;
	action.sa_sigaction = on_signal;
	sigaddset (&action.sa_mask, SIGTERM);
	sigaction (number, &action, NULL);
}

void
monocle_kit_crash_look_out (const void *context)
{
	static atomic_bool is_done;
	if (!context) {
		monocle__mono_nested_init ();
		return;
	}
	monocle__mono_nested_look ();
	if (!atomic_load_explicit (&is_done, memory_order_relaxed) && !atomic_exchange (&is_done, true))
		install (monocle__mono_signal_under_way (context));
}
