/*
 * SPDX-License-Identifier: MIT
 *
 * sampler-timer.c - each thread has a timer on its own CPU clock. That needs no permission, but such timers are looked
 * at when the kernel's tick comes: 250 times a second on most systems, whatever was asked for.
 */
#include <errno.h>
#include <string.h>
#include <unistd.h>
#include <monocle/host.h>
#include "sampler.h"

#ifndef sigev_notify_thread_id
#define sigev_notify_thread_id _sigev_un._tid
#endif

/* How the kernel numbers the CPU clock of a thread (clock_getcpuclockid (3) knows processes only). */
#define THREAD_CLOCK(os_id) ((clockid_t) (~(unsigned) (os_id) << 3 | 6))

static int
timer_open (monocle__sampled *thread, uint64_t period)
{
	pid_t os_id = atomic_load (&thread->os_id);
	struct timespec each = { (time_t) (period / 1000000000), (long) (period % 1000000000) };
	struct itimerspec times = { .it_interval = each, .it_value = each };
	struct sigevent event = {
		.sigev_notify = SIGEV_THREAD_ID,
		.sigev_signo = monocle_sampling_signal (),
		.sigev_value = monocle__signal_mark (),
	};
	event.sigev_notify_thread_id = os_id;
	if (timer_create (THREAD_CLOCK (os_id), &event, &thread->timer))
		return errno;
	if (timer_settime (thread->timer, 0, &times, NULL) == 0)
		return 0;
	int error = errno;
	timer_delete (thread->timer);
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

bool
monocle__sampler_account (monocle__sampled *thread)
{
	struct timespec now;
	pid_t os_id = atomic_load (&thread->os_id);
	if (!os_id || clock_gettime (THREAD_CLOCK (os_id), &now))
		return false;
	uint64_t clock = (uint64_t) now.tv_sec * 1000000000 + (uint64_t) now.tv_nsec;
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
};
