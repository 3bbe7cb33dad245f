/*
 * SPDX-License-Identifier: MIT
 *
 * sampler-paced.c - the sampler's own thread sends the signals, a tick at a time. In mode REAL to every thread but
 * those that can be looked at asleep; as an engine of mode PROCESS to those that have used a period of CPU time since
 * their last signal and run at this moment.
 *
 * A thread that runs now may be about to enter a system call, which the signal would then interrupt. So one that has
 * been at it since the last tick is signalled at once, since it will most likely go on; one that runs for moments only
 * is spared until it has used many periods. That costs it samples, which are counted as lost, and saves it nearly all
 * interruptions. A thread has one signal on its way at most: one that is slow to take it is not buried under them.
 */
#include "invariant.h"
#include "read-file.h"
#include "sampler.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* Credit beyond so many periods is lost: a thread that was not seen running for long gets no burst of samples. */
enum { PATIENCE = 16 };

static int
paced_open (monocle__sampled *thread, uint64_t period)
{
	thread->credit = thread->looked = thread->asked = 0;
	atomic_store (&thread->signalled, false);
	atomic_store (&thread->is_closed, false);
	return 0;
}

static void
paced_close (monocle__sampled *thread)
{
}

static bool
paced_is_intact (monocle__sampled *thread)
{
	return true;
}

static uint64_t
paced_again (monocle__sampled *thread, const siginfo_t *info)
{
	return 0;
}

/*
 * A thread that is slow may get its turn meanwhile, and says so itself. One that is inside the handler has the next
 * signal waiting, too.
 */
static void
note_silence (monocle__sampled *thread, pid_t os_id)
{
	atomic_fetch_add_explicit (&thread->missed, 1, memory_order_relaxed);
	if (!atomic_load (&thread->is_closed) && monocle__sampler_signal_waits (os_id) && !atomic_load (&thread->is_inside))
		atomic_store (&thread->is_closed, atomic_load (&thread->signalled));
}

static void
send_to (monocle__sampled *thread)
{
	pid_t os_id = atomic_load (&thread->os_id);
	if (!os_id || !monocle__sampler_hears ())
		return;
	if (atomic_exchange (&thread->signalled, true)) {
		note_silence (thread, os_id);
		return;
	}
	if (monocle__sampler_signal_send (os_id, monocle__sampler_signal_mark ()) == 0)
		return;
	atomic_store (&thread->signalled, false);
	atomic_fetch_add_explicit (&thread->missed, 1, memory_order_relaxed);
}

void
monocle__sampler_paced_all (void)
{
	for (monocle__sampled *thread = monocle__sampler_first (); thread; thread = thread->next)
		if (atomic_load (&thread->engine) && !monocle__sampler_asleep_is (thread))
			send_to (thread);
}

/* "TID (NAME) STATE ...", where NAME may hold anything. */
static bool
is_ready (pid_t os_id)
{
	char text[256];
	monocle__read_file_of_thread ((uint64_t) os_id, "stat", text, sizeof text);
	const char *end = strrchr (text, ')');
	return end && end[1] == ' ' && end[2] == 'R';
}

static uint64_t
used_by (monocle__sampled *thread)
{
	return atomic_load_explicit (&thread->used, memory_order_relaxed);
}

/* The clock of a thread that is on a CPU goes on between two looks; one that waits for a CPU the system knows. */
static bool
is_running (monocle__sampled *thread)
{
	uint64_t clock = thread->clock, used = used_by (thread);
	if (!monocle__sampler_account (thread))
		return false;
	thread->credit += used_by (thread) - used;
	return thread->clock != clock || is_ready (atomic_load (&thread->os_id));
}

/* Was it ready to run half of the time since this was asked last, whether or not it got a CPU? "RUN WAITED COUNT". */
static bool
is_kept_waiting (monocle__sampled *thread, uint64_t now)
{
	char text[128];
	unsigned long long run = 0, waited = 0;
	monocle__read_file_of_thread ((uint64_t) atomic_load (&thread->os_id), "schedstat", text, sizeof text);
	if (sscanf (text, "%llu %llu", &run, &waited) != 2)
		return false;
	uint64_t ready = run + waited, more = ready - thread->ready, passed = now - thread->asked;
	bool is_first = !thread->asked;
	thread->ready = ready;
	thread->asked = now;
	return !is_first && more >= passed / 2;
}

static void
lose (monocle__sampled *thread, uint64_t period, uint64_t rest)
{
	MONOCLE__INVARIANT (period && thread->credit >= rest);
	atomic_fetch_add_explicit (&thread->missed, (thread->credit - rest) / period, memory_order_relaxed);
	thread->credit = rest;
}

static void
hit_if_running (monocle__sampled *thread, uint64_t period, uint64_t now, bool is_busy)
{
	if (thread->credit < period)
		return;
	is_busy = is_busy || is_kept_waiting (thread, now);
	if ((!is_busy && thread->credit < PATIENCE * period) || !is_running (thread))
		return;
	thread->credit -= period;
	if (!is_busy)
		lose (thread, period, 0);
	send_to (thread);
}

/* True: the thread used some CPU time. */
static bool
look_at (monocle__sampled *thread, uint64_t period, uint64_t now)
{
	uint64_t before = used_by (thread), passed = now - thread->looked;
	if (!monocle__sampler_account (thread))
		return false;
	uint64_t more = used_by (thread) - before;
	thread->looked = now;
	thread->credit += more;
	if (thread->credit > PATIENCE * period)
		lose (thread, period, PATIENCE * period);
	MONOCLE__INVARIANT (thread->credit <= PATIENCE * period); /* no burst of samples */
	hit_if_running (thread, period, now, more >= passed / 2);
	return more != 0;
}

bool
monocle__sampler_paced_used (uint64_t period, uint64_t now)
{
	bool any = false;
	for (monocle__sampled *thread = monocle__sampler_first (); thread; thread = thread->next)
		if (atomic_load (&thread->engine) == &monocle__engine_paced)
			any |= look_at (thread, period, now);
	return any;
}

const monocle__engine monocle__engine_paced = {
	.name = "paced",
	.open = paced_open,
	.close = paced_close,
	.is_intact = paced_is_intact,
	.again = paced_again,
};
