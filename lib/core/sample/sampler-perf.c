/*
 * SPDX-License-Identifier: MIT
 *
 * sampler-perf.c - each thread has the kernel's task clock as an event, which signals the thread whenever it has used
 * another period of CPU time. Nothing is read from the event; it needs no privilege where kernel.perf_event_paranoid is
 * 2 or less, since it counts what happens in user mode only, so a thread in a system call is never disturbed.
 *
 * The event is a descriptor in a program that may have its own ideas about descriptors: it may close all of them, open
 * files at their numbers, or run out of them. So events have high numbers, there are only so many of them, and nothing
 * is closed that does not prove to be ours.
 */
#include "invariant.h"
#include "sampler.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <monocle/host.h>

enum {
	BASE = 1024, /* what select () can wait for stays the program's */
	AHEAD = 2,   /* signals that an event sends unheard: with one, it would stop until the handler has run */
};

static unsigned opened;

/* A quarter of the descriptors that the process may have. */
static bool
is_out_of_descriptors (rlim_t *ret_limit)
{
	struct rlimit limit;
	if (getrlimit (RLIMIT_NOFILE, &limit))
		return true;
	*ret_limit = limit.rlim_cur;
	return opened >= limit.rlim_cur / 4;
}

/* Kernels before 5.13 do not know `remove_on_exec`. */
static int
open_event (pid_t os_id, uint64_t period)
{
	struct perf_event_attr attributes = {
		.type = PERF_TYPE_SOFTWARE,
		.size = sizeof attributes,
		.config = PERF_COUNT_SW_TASK_CLOCK,
		.sample_period = period,
		.wakeup_events = 1,
		.disabled = 1,
		.exclude_kernel = 1,
		.exclude_hv = 1,
	};
#ifdef PERF_ATTR_SIZE_VER7
	attributes.remove_on_exec = 1;
#endif
	int fd = (int) syscall (SYS_perf_event_open, &attributes, os_id, -1, -1, PERF_FLAG_FD_CLOEXEC);
#ifdef PERF_ATTR_SIZE_VER7
	attributes.remove_on_exec = 0;
	if (fd < 0 && errno == EINVAL)
		fd = (int) syscall (SYS_perf_event_open, &attributes, os_id, -1, -1, PERF_FLAG_FD_CLOEXEC);
#endif
	return fd;
}

/* The same event by a higher number; the one that it has when there is none. */
static int
move_up (int fd, rlim_t limit)
{
	int base = limit * 3 / 4 < BASE ? (int) (limit * 3 / 4) : BASE;
	int high = fcntl (fd, F_DUPFD_CLOEXEC, base);
	if (high < 0)
		return fd;
	close (fd);
	return high;
}

/* The signal goes to the thread itself, whichever thread caused it. */
static bool
direct (int fd, pid_t os_id)
{
	struct f_owner_ex owner = { .type = F_OWNER_TID, .pid = os_id };
	return fcntl (fd, F_SETOWN_EX, &owner) == 0 && fcntl (fd, F_SETSIG, monocle_sampling_signal ()) == 0 &&
	       fcntl (fd, F_SETFL, fcntl (fd, F_GETFL) | O_ASYNC) == 0;
}

static int
perf_open (monocle__sampled *thread, uint64_t period)
{
	rlim_t limit = 0;
	pid_t os_id = atomic_load (&thread->os_id);
	if (is_out_of_descriptors (&limit))
		return EMFILE;
	int fd = open_event (os_id, period);
	if (fd < 0)
		return errno;
	thread->fd = fd = move_up (fd, limit);
	if (ioctl (fd, PERF_EVENT_IOC_ID, &thread->event) || !direct (fd, os_id) ||
	    ioctl (fd, PERF_EVENT_IOC_REFRESH, AHEAD)) {
		int error = errno;
		close (fd);
		return error;
	}
	opened++;
	return 0;
}

/* Other descriptors do not know the question; other events have other numbers. */
static bool
is_intact (monocle__sampled *thread)
{
	uint64_t event = 0;
	return ioctl (thread->fd, PERF_EVENT_IOC_ID, &event) == 0 && event == thread->event;
}

/* A forked child may hold the event as well: closing it alone would not end it. */
static void
perf_close (monocle__sampled *thread)
{
	if (is_intact (thread)) {
		ioctl (thread->fd, PERF_EVENT_IOC_DISABLE, 0);
		close (thread->fd);
	}
	MONOCLE__INVARIANT (opened != 0);
	opened--;
}

/*
 * The event says POLL_HUP when it has used up what it may send and stops; it comes to that when a signal was on
 * its way already. A descriptor that is not ours any more does not know the request.
 */
static uint64_t
perf_again (monocle__sampled *thread, const siginfo_t *info)
{
	ioctl (thread->fd, PERF_EVENT_IOC_REFRESH, info->si_code == POLL_HUP ? AHEAD : 1);
	return 0;
}

void
monocle__sampler_perf_forget (monocle__sampled *thread)
{
	if (atomic_load (&thread->engine) == &monocle__engine_perf && is_intact (thread))
		close (thread->fd);
}

const monocle__engine monocle__engine_perf = {
	.name = "perf",
	.open = perf_open,
	.close = perf_close,
	.is_intact = is_intact,
	.again = perf_again,
};
