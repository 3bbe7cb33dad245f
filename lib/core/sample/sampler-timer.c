/*
 * SPDX-License-Identifier: MIT
 *
 * sampler-timer.c - each thread has a timer on its own CPU clock. That needs no permission, but such timers are looked
 * at when the kernel's tick comes: 250 times a second on most systems, whatever was asked for.
 */
#include "invariant.h"
#include "nanoseconds.h"
#include "sampler.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>
#include <monocle/host.h>

#ifndef sigev_notify_thread_id
#define sigev_notify_thread_id _sigev_un._tid
#endif

/* How the kernel numbers the CPU clock of a thread (clock_getcpuclockid (3) knows processes only). */
#define THREAD_CLOCK(os_id) ((clockid_t) (~(unsigned) (os_id) << 3 | 6))

static int
set_timer (monocle__sampled *thread, uint64_t due)
{
	struct itimerspec times = { .it_value = { (time_t) (due / 1000000000), (long) (due % 1000000000) } };
	atomic_store_explicit (&thread->due, due, memory_order_relaxed);
	return timer_settime (thread->timer, TIMER_ABSTIME, &times, NULL) ? errno : 0;
}

static int
timer_open (monocle__sampled *thread, uint64_t period)
{
	pid_t os_id = atomic_load (&thread->os_id);
	struct sigevent event = {
		.sigev_notify = SIGEV_THREAD_ID,
		.sigev_signo = monocle_sampling_signal (),
		.sigev_value = monocle__sampler_signal_mark (),
	};
	event.sigev_notify_thread_id = os_id;
	timer_t timer;
	if (timer_create (THREAD_CLOCK (os_id), &event, &timer))
		return errno;
	atomic_store (&thread->timer, timer);
	atomic_store (&thread->period, period);
	int error = set_timer (thread, thread->clock + period);
	if (error)
		timer_delete (timer);
	return error;
}

static void
timer_close (monocle__sampled *thread)
{
	timer_delete (thread->timer);
}

static bool
timer_is_intact (monocle__sampled *thread)
{
	return true;
}

/* By the CPU time that should have passed, so that looking rarely makes no difference in the long run. */
static uint64_t
timer_again (monocle__sampled *thread, const siginfo_t *info)
{
	struct timespec clock;
	if (info->si_code != SI_TIMER || clock_gettime (CLOCK_THREAD_CPUTIME_ID, &clock))
		return 0;
	uint64_t now = monocle__nanoseconds_of (clock);
	uint64_t period = thread->period, due = thread->due + period, missed = due > now ? 0 : (now - due) / period + 1;
	MONOCLE__INVARIANT (period && due + missed * period > now);
	set_timer (thread, due + missed * period);
	return missed;
}

bool
monocle__sampler_clock (pid_t os_id, uint64_t *ret_clock)
{
	struct timespec now;
	if (!os_id || clock_gettime (THREAD_CLOCK (os_id), &now))
		return false;
	*ret_clock = monocle__nanoseconds_of (now);
	return true;
}

bool
monocle__sampler_account (monocle__sampled *thread)
{
	uint64_t clock;
	if (!monocle__sampler_clock (atomic_load (&thread->os_id), &clock))
		return false;
	if (clock > thread->clock)
		atomic_fetch_add_explicit (&thread->used, clock - thread->clock, memory_order_relaxed);
	thread->clock = clock;
	return true;
}

const monocle__engine monocle__engine_timer = {
	.name = "timer",
	.open = timer_open,
	.close = timer_close,
	.is_intact = timer_is_intact,
	.again = timer_again,
};
