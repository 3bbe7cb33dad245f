/*
 * SPDX-License-Identifier: MIT
 *
 * sampler-paced.c - the sampler's own thread sends the signals, a tick at a time. In mode REAL to every thread; as an
 * engine of mode PROCESS to those that have used a period of CPU time since their last signal and run at this moment,
 * so that nobody is pulled out of a system call. A thread has one signal on its way at most: one that is slow to take
 * it is not buried under them.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "sampler.h"

/* Credit beyond so many periods is lost: a thread that was not seen running for long gets no burst of samples. */
enum { CREDIT_MAX = 8 };

static int
paced_open (monocle__sampled *thread, uint64_t period)
{
	thread->credit = 0;
	atomic_store (&thread->signalled, false);
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

static void
send_to (monocle__sampled *thread)
{
	pid_t os_id = atomic_load (&thread->os_id);
	if (!os_id)
		return;
	if (atomic_exchange (&thread->signalled, true)) {
		atomic_fetch_add_explicit (&thread->missed, 1, memory_order_relaxed);
		return;
	}
	if (monocle__signal_send (os_id) == 0)
		return;
	atomic_store (&thread->signalled, false);
	atomic_fetch_add_explicit (&thread->missed, 1, memory_order_relaxed);
}

void
monocle__paced_all (void)
{
	for (monocle__sampled *thread = monocle__sampler_first (); thread; thread = thread->next)
		if (atomic_load (&thread->engine))
			send_to (thread);
}

/* "TID (NAME) STATE ...", where NAME may hold anything. */
static bool
is_ready (pid_t os_id)
{
	char path[64], text[256];
	snprintf (path, sizeof path, "/proc/self/task/%d/stat", (int) os_id);
	int fd = open (path, O_RDONLY | O_CLOEXEC);
	ssize_t size = fd < 0 ? 0 : read (fd, text, sizeof text - 1);
	if (fd >= 0)
		close (fd);
	text[size > 0 ? size : 0] = 0;
	const char *end = strrchr (text, ')');
	return end && end[1] == ' ' && end[2] == 'R';
}

/* The clock of a thread that is on a CPU goes on between two looks; one that waits for a CPU the system knows. */
static bool
is_running (monocle__sampled *thread)
{
	uint64_t clock = thread->clock, used = atomic_load_explicit (&thread->used, memory_order_relaxed);
	if (!monocle__sampler_account (thread))
		return false;
	thread->credit += atomic_load_explicit (&thread->used, memory_order_relaxed) - used;
	return thread->clock != clock || is_ready (atomic_load (&thread->os_id));
}

/* True: the thread used some CPU time. */
static bool
look_at (monocle__sampled *thread, uint64_t period)
{
	uint64_t before = atomic_load_explicit (&thread->used, memory_order_relaxed);
	if (!monocle__sampler_account (thread))
		return false;
	uint64_t more = atomic_load_explicit (&thread->used, memory_order_relaxed) - before;
	thread->credit += more;
	if (thread->credit > CREDIT_MAX * period) {
		atomic_fetch_add_explicit (&thread->missed, thread->credit / period - CREDIT_MAX, memory_order_relaxed);
		thread->credit = CREDIT_MAX * period;
	}
	if (thread->credit >= period && is_running (thread)) {
		thread->credit -= period;
		send_to (thread);
	}
	return more != 0;
}

bool
monocle__paced_used (uint64_t period)
{
	bool any = false;
	for (monocle__sampled *thread = monocle__sampler_first (); thread; thread = thread->next)
		if (atomic_load (&thread->engine) == &monocle__engine_paced)
			any |= look_at (thread, period);
	return any;
}

const monocle__engine monocle__engine_paced = {
	.name = "paced",
	.open = paced_open,
	.close = paced_close,
	.is_intact = paced_is_intact,
};
