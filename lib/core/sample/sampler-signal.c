/*
 * SPDX-License-Identifier: MIT
 *
 * sampler-signal.c - the signal that interrupts a thread, and what happens on that thread.
 *
 * The signal is SIGURG, because its default action is to do nothing. A signal may be on its way when the program gives
 * the handler back, or replaces itself by exec: the default action of SIGPROF, and of every real-time signal, would be
 * its death. Real-time signals are lost, or turned into SIGIO, when the user's quota of queued signals is used up,
 * which never happens to this one. Nothing in .NET uses it, and debuggers let it pass.
 *
 * No SA_ONSTACK: a runtime that handles faults on an alternate stack has room for one frame there, not for two. All
 * other signals wait, except for those that a faulty instruction raises, so a runtime that stops threads by signals
 * finds them where the program was, not in here.
 *
 * Everything below is async-safe.
 */
#include "sampler.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <monocle/host.h>
#include "arch/arch.h"
#include "invariant.h"
#include "model/thread.h"
#include "pause.h"
#include "read-file.h"

enum { SIGNAL = SIGURG };

static struct sigaction before; /* the program's own; written before the kernel knows our handler */
static atomic_bool is_installed;
static const char mark; /* its address tells our signals from others */

int
monocle_sampling_signal (void)
{
	return SIGNAL;
}

union sigval
monocle__sampler_signal_mark (void)
{
	return (union sigval) { .sival_ptr = (void *) &mark };
}

/*
 * A perf event names itself as a descriptor that has something to read. A signal whose record the kernel had no
 * memory for seems to come from process 0.
 */
static bool
is_ours (const siginfo_t *info, monocle__sampled *thread)
{
	switch (info->si_code) {
	case SI_QUEUE:
	case SI_TIMER: return info->si_value.sival_ptr == &mark;
	case POLL_IN:
	case POLL_HUP: return true;
	case SI_USER: return info->si_pid == 0 && thread && atomic_load_explicit (&thread->signalled, memory_order_relaxed);
	default: return false;
	}
}

/* Only the thread itself writes these. */
static void
count (_Atomic (uint64_t) *counter, uint64_t more)
{
	atomic_store_explicit (counter, atomic_load_explicit (counter, memory_order_relaxed) + more, memory_order_relaxed);
}

static void
take (monocle__sampled *thread, const siginfo_t *info, void *context)
{
	const monocle__engine *engine = atomic_load (&thread->engine);
	if (engine)
		count (&thread->overruns, engine->again (thread, info));
	if (!atomic_load_explicit (&thread->is_listed, memory_order_relaxed)) {
		count (&thread->overruns, 1); /* it was sent to a stranger, who is just being attached */
	} else if (monocle__sampler_is_on ()) {
		MONOCLE__PAUSE (sampler_hit_due);
		count (&thread->hits, 1);
		monocle_raise_sample_hit (monocle__arch_context_ip (context), context);
	}
}

/* It is inside before anybody is told so: who leaves waits, and who has no answer knows that one is being given. */
static void
hit (monocle__sampled *thread, const siginfo_t *info, void *context)
{
	atomic_store (&thread->is_inside, true);
	MONOCLE__PAUSE (sampler_inside);
	atomic_store_explicit (&thread->signalled, false, memory_order_release);
	atomic_store_explicit (&thread->is_closed, false, memory_order_relaxed);
	if (monocle__sampler_hears ())
		take (thread, info, context);
	MONOCLE__PAUSE (sampler_hit_over);
	atomic_store_explicit (&thread->is_inside, false, memory_order_release);
}

/* The kernel keeps one signal for a thread: that of a sample may have been on its way, and was not kept. */
static void
be_looked_at (monocle__sampled *thread, const siginfo_t *info, void *context)
{
	if (thread)
		monocle__sampler_look_answer (thread, context);
	if (thread && atomic_load_explicit (&thread->signalled, memory_order_relaxed))
		hit (thread, info, context);
}

/* Another sender's signal goes where it would have gone; the default is to do nothing. */
static void
pass_on (int number, siginfo_t *info, void *context)
{
	if (before.sa_flags & SA_SIGINFO)
		before.sa_sigaction (number, info, context);
	else if (before.sa_handler != SIG_DFL && before.sa_handler != SIG_IGN)
		before.sa_handler (number);
}

static void
on_signal (int number, siginfo_t *info, void *context)
{
	int saved_errno = errno;
	monocle__sampled *thread = monocle__thread_sampled ();
	if (!thread)
		thread = monocle__sampler_stranger ();
	if (info->si_code == SI_QUEUE && info->si_value.sival_ptr == monocle__sampler_ask_mark ().sival_ptr)
		monocle__sampler_ask_answer ();
	else if (info->si_code == SI_QUEUE && info->si_value.sival_ptr == monocle__sampler_look_mark ().sival_ptr)
		be_looked_at (thread, info, context);
	else if (!is_ours (info, thread))
		pass_on (number, info, context);
	else if (thread)
		hit (thread, info, context);
	errno = saved_errno;
}

bool
monocle__sampler_signal_install (void)
{
	static const int faults[] = { SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGSYS, SIGABRT };
	struct sigaction action = { .sa_sigaction = on_signal, .sa_flags = SA_SIGINFO | SA_RESTART };
	if (atomic_load (&is_installed))
		return true;
	sigfillset (&action.sa_mask);
	for (size_t i = 0; i < sizeof faults / sizeof *faults; i++)
		sigdelset (&action.sa_mask, faults[i]);
	if (sigaction (SIGNAL, NULL, &before) || sigaction (SIGNAL, &action, NULL))
		return false;
	MONOCLE__INVARIANT (before.sa_sigaction != on_signal); /* or it would call itself */
	atomic_store (&is_installed, true);
	return true;
}

/* What is under way meets the program's own way with the signal, which is to ignore it unless it says otherwise. */
void
monocle__sampler_signal_remove (void)
{
	if (atomic_load (&is_installed) && monocle__sampler_signal_is_ours () && sigaction (SIGNAL, &before, NULL) == 0)
		atomic_store (&is_installed, false);
}

bool
monocle__sampler_signal_is_ours (void)
{
	struct sigaction now;
	return sigaction (SIGNAL, NULL, &now) == 0 && now.sa_flags & SA_SIGINFO && now.sa_sigaction == on_signal;
}

/* Is the signal in that set of a thread's? */
static bool
is_in (const char *status, const char *label)
{
	const char *line = strstr (status, label);
	return line && strtoull (line + strlen (label), NULL, 16) >> (SIGNAL - 1) & 1;
}

bool
monocle__sampler_signal_waits (pid_t os_id)
{
	char status[4096];
	monocle__read_file_of_thread ((uint64_t) os_id, "status", status, sizeof status);
	return is_in (status, "\nSigPnd:") && is_in (status, "\nSigBlk:");
}

int
monocle__sampler_signal_send (pid_t os_id, union sigval value)
{
	siginfo_t info = { .si_signo = SIGNAL, .si_code = SI_QUEUE };
	info.si_pid = getpid ();
	info.si_uid = getuid ();
	info.si_value = value;
	return syscall (SYS_rt_tgsigqueueinfo, info.si_pid, os_id, SIGNAL, &info) ? errno : 0;
}
