/*
 * SPDX-License-Identifier: MIT
 *
 * sampling.c - what CoreCLR needs so that its threads can be interrupted by the core's sampler.
 *
 * The runtime turns a fault in managed code into an exception: its SIGSEGV handler runs on an alternate stack, which
 * holds one signal's registers and not two. A sample that came meanwhile would find no room there, and the kernel ends
 * a process that it cannot deliver a signal to. So the sampling signal waits while such handlers run. They do not
 * return but go on in the exception's handler, with the signal still blocked; the runtime takes its own signals out of
 * that by itself, and we take ours out when the exception is announced to us.
 */
#include "sampling.h"
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <monocle/host.h>
#include "arch/arch.h"
#include "codemap.h"
#include "state.h"
#include "walk.h"

static atomic_bool is_granted;

/* Handlers on alternate stacks let the sampling signal wait. They are set already when profilers are initialised. */
static void
keep_out_of_faults (int number)
{
	struct sigaction action;
	if (sigaction (number, NULL, &action) || !(action.sa_flags & SA_ONSTACK))
		return;
	sigaddset (&action.sa_mask, monocle_sampling_signal ());
	sigaction (number, &action, NULL);
}

static const int faults[] = { SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP };

static void
let_into_faults (int number)
{
	struct sigaction action;
	if (sigaction (number, NULL, &action) || !(action.sa_flags & SA_ONSTACK))
		return;
	sigdelset (&action.sa_mask, monocle_sampling_signal ());
	sigaction (number, &action, NULL);
}

/* Nothing is sampled any more. What is known of code stays known; what goes is not heard of from now on. */
void
monocle__sampling_leave (void)
{
	if (!atomic_exchange (&is_granted, false))
		return;
	for (size_t i = 0; i < sizeof faults / sizeof *faults; i++)
		let_into_faults (faults[i]);
	monocle__codemap_end ();
}

bool
monocle__sampling_grant (void)
{
	if (!MONOCLE__ARCH_WALKS) {
		monocle__clr_complain ("stacks cannot be walked on this CPU: there are no samples");
		return false;
	}
	if (atomic_exchange (&is_granted, true))
		return true;
	for (size_t i = 0; i < sizeof faults / sizeof *faults; i++)
		keep_out_of_faults (faults[i]);
	monocle__codemap_begin ();
	monocle__walk_prepare ();
	return true;
}

static bool
granted (void)
{
	return atomic_load_explicit (&is_granted, memory_order_relaxed);
}

/* Where its stack lies is not asked for nothing: for the first thread the system reads all of its mappings. */
void
monocle__sampling_thread_began (void)
{
	if (granted ())
		monocle__walk_thread ();
}

void
monocle__sampling_thrown (void)
{
	sigset_t ours;
	if (!granted ())
		return;
	sigemptyset (&ours);
	sigaddset (&ours, monocle_sampling_signal ());
	pthread_sigmask (SIG_UNBLOCK, &ours, NULL);
}
