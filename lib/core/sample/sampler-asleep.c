/*
 * SPDX-License-Identifier: MIT
 *
 * sampler-asleep.c - in mode REAL, the threads that a signal would wake up for good.
 *
 * poll (), nanosleep () and some more fail with EINTR after any signal, whatever SA_RESTART says (signal (7)), and many
 * libraries take that for an error. The system tells in which call a thread waits, and its pc and sp there. So such a
 * thread gets no signal: the sampler's thread walks its stack, and tells sample_asleep. What the thread has done
 * meanwhile would make nonsense of the frames, so they count only if it has not run since it was looked at.
 *
 * A thread that begins such a call after it was looked at and before its signal arrives is woken up all the same: that
 * is a few microseconds, and no thread can tell from outside.
 */
#include "sampler.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <monocle/host.h>
#include "arch/arch.h"
#include "read-file.h"

/* What the system says of a thread; the texts are the same as long as it has not run. */
typedef struct {
	char call[192]; /* "NUMBER ARGUMENT... SP PC" */
	char run[96];   /* "RUN WAITED COUNT" */
} wait;

static atomic_bool is_telling;
static _Atomic (uint64_t) hits, lost;

/* --- which calls -------------------------------------------------------------------------------------------------- */

/* Those that are never begun again. */
static bool
is_always_ended (long call)
{
	switch (call) {
#ifdef SYS_poll
	case SYS_poll:
	case SYS_select:
	case SYS_epoll_wait:
	case SYS_pause:
#endif
#ifdef SYS_epoll_pwait2
	case SYS_epoll_pwait2:
#endif
	case SYS_ppoll:
	case SYS_pselect6:
	case SYS_epoll_pwait:
	case SYS_nanosleep:
	case SYS_clock_nanosleep:
	case SYS_rt_sigsuspend:
	case SYS_rt_sigtimedwait:
	case SYS_msgrcv:
	case SYS_msgsnd:
	case SYS_semop:
	case SYS_semtimedop:
	case SYS_io_getevents: return true;
	default: return false;
	}
}

/* The socket option that makes the call one of them; 0: none does. */
static int
ending_option (long call)
{
	switch (call) {
	case SYS_accept:
	case SYS_accept4:
	case SYS_read:
	case SYS_readv:
	case SYS_recvfrom:
	case SYS_recvmsg:
	case SYS_recvmmsg: return SO_RCVTIMEO;
	case SYS_connect:
	case SYS_write:
	case SYS_writev:
	case SYS_sendto:
	case SYS_sendmsg:
	case SYS_sendmmsg: return SO_SNDTIMEO;
	default: return 0;
	}
}

static bool
has_time_limit (int socket, int option)
{
	struct timeval limit = { 0, 0 };
	socklen_t size = sizeof limit;
	return getsockopt (socket, SOL_SOCKET, option, &limit, &size) == 0 && (limit.tv_sec || limit.tv_usec);
}

/* "running" of a thread that is in no call, or not even there any more. */
static bool
ends_by_signal (const char *text)
{
	char *rest;
	long call = strtol (text, &rest, 10);
	int option = rest == text ? 0 : ending_option (call);
	if (rest == text || call < 0)
		return false;
	return is_always_ended (call) || (option && has_time_limit ((int) strtoul (rest, NULL, 16), option));
}

/* --- looking ------------------------------------------------------------------------------------------------------ */

static void
look (pid_t os_id, wait *ret)
{
	monocle__read_file_of_thread ((uint64_t) os_id, "schedstat", ret->run, sizeof ret->run);
	monocle__read_file_of_thread ((uint64_t) os_id, "syscall", ret->call, sizeof ret->call);
}

static bool
has_not_run (pid_t os_id, const wait *before)
{
	wait now;
	look (os_id, &now);
	return strcmp (now.call, before->call) == 0 && strcmp (now.run, before->run) == 0;
}

bool
monocle__sampler_asleep_is (pid_t os_id)
{
	char call[sizeof ((wait *) NULL)->call];
	monocle__read_file_of_thread ((uint64_t) os_id, "syscall", call, sizeof call);
	return ends_by_signal (call);
}

/* The last two numbers. */
static bool
read_place (const char *call, uintptr_t *ret_sp, uintptr_t *ret_pc)
{
	const char *last = strrchr (call, ' '), *one = last;
	while (one && one > call && one[-1] != ' ')
		one--;
	*ret_sp = one ? strtoul (one, NULL, 16) : 0;
	*ret_pc = last ? strtoul (last, NULL, 16) : 0;
	return *ret_sp && *ret_pc;
}

/* --- telling: on the sampler's thread ----------------------------------------------------------------------------- */

enum { FRAMES = 1024 };

typedef struct {
	monocle_frame frames[FRAMES];
	uint32_t count;
} stack;

static int
keep (const monocle_frame *frame, void *data)
{
	stack *all = data;
	all->frames[all->count++] = *frame;
	return all->count == FRAMES;
}

/* Does the walk reach the thread's root? */
static bool
walk (uintptr_t sp, uintptr_t pc, stack *all)
{
	ucontext_t context;
	all->count = 0;
	bool is_whole = monocle__arch_context_make (&context, pc, sp) &&
	                monocle_stack_walk_async_safe (&context, MONOCLE_WALK_NATIVE, keep, all) == 0;
	if (!all->count)
		all->frames[all->count++] = (monocle_frame) { .ip = pc, .sp = sp, .kind = MONOCLE_FRAME_NATIVE };
	return is_whole;
}

static void
tell (monocle__sampled *thread)
{
	static stack all;
	uintptr_t sp, pc;
	pid_t os_id = atomic_load (&thread->os_id);
	wait before;
	look (os_id, &before);
	if (!os_id || !ends_by_signal (before.call) || !read_place (before.call, &sp, &pc)) {
		atomic_fetch_add (&lost, 1);
		return;
	}
	MonocleAsleep asleep = { .size = sizeof asleep, .frames = all.frames };
	asleep.is_whole = walk (sp, pc, &all);
	asleep.count = all.count;
	if (!has_not_run (os_id, &before) || atomic_load (&thread->os_id) != os_id) {
		atomic_fetch_add (&lost, 1);
		return;
	}
	atomic_fetch_add (&hits, 1);
	monocle_raise_sample_asleep (thread->tid, (uint64_t) os_id, &asleep);
}

void
monocle__sampler_asleep_tell (void)
{
	atomic_store (&is_telling, true);
	bool is_heard = monocle_event_counts ()[MONOCLE_EVENT_sample_asleep] != 0;
	for (monocle__sampled *thread = monocle__sampler_first (); thread && is_heard; thread = thread->next)
		if (thread->is_asleep && monocle__sampler_is_on ())
			tell (thread);
	atomic_store (&is_telling, false);
}

bool
monocle__sampler_asleep_is_telling (void)
{
	return atomic_load (&is_telling);
}

void
monocle__sampler_asleep_count (uint64_t *ret_hits, uint64_t *ret_lost)
{
	*ret_hits = atomic_load_explicit (&hits, memory_order_relaxed);
	*ret_lost = atomic_load_explicit (&lost, memory_order_relaxed);
}
