/*
 * SPDX-License-Identifier: MIT
 *
 * sampler-asleep.c - in mode REAL, threads that wait in the kernel: they are looked at from outside.
 *
 * poll (), nanosleep () and some more fail with EINTR after any signal, whatever SA_RESTART says (signal (7)), and many
 * libraries take that for an error; and each thread that is woken up costs the program a few microseconds. The system
 * tells in which call a thread waits, and its pc and sp there. So such a thread gets no signal: the sampler's thread
 * walks its stack, and tells sample_asleep. As long as its CPU clock stands still the thread has not run, and its stack
 * is what it was: it is walked once in a wait, however long that is, and what was read of a thread that has run
 * meanwhile does not count.
 *
 * A wait that a signal does not end, and whose stack cannot be walked to its root from outside, is interrupted as ever,
 * and so are all of them where a module listens to sample_hit alone.
 *
 * A thread that begins a delicate call after it was looked at and before its signal arrives is woken up all the same:
 * that is a few microseconds, and no thread can tell from outside.
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

enum { AWAKE, ASLEEP, DELICATE }; /* delicate: a signal would end its wait */

/* What is known of a thread that was met at a tick. All of it is the sampler's thread's own. */
typedef struct monocle__watch {
	uint64_t clock; /* of its CPU time when it was looked at */
	pid_t os_id;    /* which thread that was; 0: nothing is known */
	int kind;
	bool is_due;    /* to be told of in this tick */
	bool is_walked; /* the frames are its stack, and have names */
	bool is_whole;  /* it was walked to its root, or not at all yet */
	uintptr_t sp, pc;
	monocle_frame *frames;
	uint32_t count, room;
} watch;

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

/* "NUMBER ARGUMENT... SP PC"; "running" of a thread that is in no call, and nothing of one that has ended. */
static int
kind_of (const char *text)
{
	char *rest;
	long call = strtol (text, &rest, 10);
	int option = rest == text ? 0 : ending_option (call);
	if (rest == text || call < 0)
		return AWAKE;
	bool is_delicate = is_always_ended (call) || (option && has_time_limit ((int) strtoul (rest, NULL, 16), option));
	return is_delicate ? DELICATE : ASLEEP;
}

/* The last two numbers. */
static bool
read_place (const char *text, uintptr_t *ret_sp, uintptr_t *ret_pc)
{
	const char *last = strrchr (text, ' '), *one = last;
	while (one && one > text && one[-1] != ' ')
		one--;
	*ret_sp = one ? strtoul (one, NULL, 16) : 0;
	*ret_pc = last ? strtoul (last, NULL, 16) : 0;
	return *ret_sp && *ret_pc;
}

/* --- looking ------------------------------------------------------------------------------------------------------ */

/* Has the thread run since it was looked at? */
static bool
has_run (const watch *own, pid_t os_id)
{
	uint64_t clock;
	return own->os_id != os_id || !monocle__sampler_clock (os_id, &clock) || clock != own->clock;
}

static void
look_at (watch *own, pid_t os_id)
{
	char text[192];
	own->is_walked = false;
	own->is_whole = true;
	own->kind = AWAKE;
	own->os_id = monocle__sampler_clock (os_id, &own->clock) ? os_id : 0;
	monocle__read_file_of_thread ((uint64_t) os_id, "syscall", text, sizeof text);
	if (own->os_id && read_place (text, &own->sp, &own->pc))
		own->kind = kind_of (text);
}

static uint32_t
listeners (monocle_event event)
{
	return __atomic_load_n (&monocle_event_counts ()[event], __ATOMIC_RELAXED);
}

/* Do all modules that are told of hits want to be told of sleepers? */
static bool
is_heard_by_all (void)
{
	return listeners (MONOCLE_EVENT_sample_asleep) >= listeners (MONOCLE_EVENT_sample_hit);
}

bool
monocle__sampler_asleep_is (monocle__sampled *thread)
{
	pid_t os_id = atomic_load (&thread->os_id);
	watch *own = thread->watch;
	if (!own && !(own = thread->watch = calloc (1, sizeof *own)))
		return false;
	if (has_run (own, os_id))
		look_at (own, os_id);
	own->is_due = own->kind == DELICATE || (own->kind == ASLEEP && own->is_whole && is_heard_by_all ());
	return own->is_due;
}

void
monocle__sampler_asleep_forget (void)
{
	for (monocle__sampled *thread = monocle__sampler_first (); thread; thread = thread->next) {
		if (thread->watch)
			free (thread->watch->frames);
		free (thread->watch);
		thread->watch = NULL;
	}
}

/* --- telling: on the sampler's thread ----------------------------------------------------------------------------- */

enum { FRAMES = 1024 };

typedef struct {
	monocle_frame frames[FRAMES];
	uint32_t count;
	bool is_named; /* all of it; what has no name yet may have one when it is met again */
} stack;

static int
keep (const monocle_frame *frame, void *data)
{
	stack *all = data;
	all->is_named &= frame->kind == MONOCLE_FRAME_NATIVE || frame->method;
	all->frames[all->count++] = *frame;
	return all->count == FRAMES;
}

static bool
make_room (watch *own, uint32_t count)
{
	monocle_frame *more = count > own->room ? realloc (own->frames, count * sizeof *more) : own->frames;
	if (!more)
		return false;
	own->frames = more;
	own->room = count > own->room ? count : own->room;
	return true;
}

/* False: the thread has run meanwhile. */
static bool
read_stack (watch *own, stack *all)
{
	ucontext_t context;
	all->count = 0;
	all->is_named = true;
	own->is_whole = monocle__arch_context_make (&context, own->pc, own->sp) &&
	                monocle_stack_walk_async_safe (&context, MONOCLE_WALK_NATIVE, keep, all) == 0;
	if (!all->count)
		all->frames[all->count++] = (monocle_frame) { .ip = own->pc, .sp = own->sp, .kind = MONOCLE_FRAME_NATIVE };
	return !has_run (own, own->os_id);
}

/* False: the thread has run meanwhile, or there is no memory. */
static bool
walk (watch *own)
{
	static stack all;
	if (!read_stack (own, &all) || !make_room (own, all.count))
		return false;
	memcpy (own->frames, all.frames, all.count * sizeof *own->frames);
	own->count = all.count;
	own->is_walked = all.is_named;
	return true;
}

static void
tell (monocle__sampled *thread, watch *own)
{
	if (!own->is_walked && !walk (own)) {
		own->os_id = 0;
		atomic_fetch_add (&lost, 1);
		return;
	}
	if (!own->is_whole && own->kind == ASLEEP) /* it is interrupted at the next tick */
		return;
	const MonocleAsleep asleep = {
		.size = sizeof asleep, .count = own->count, .frames = own->frames, .is_whole = own->is_whole
	};
	atomic_fetch_add (&hits, 1);
	monocle_raise_sample_asleep (thread->tid, (uint64_t) own->os_id, &asleep);
}

monocle__sampler_asleep_answer
monocle__sampler_asleep_once (uintptr_t tid, pid_t os_id, const MonocleLook *look)
{
	static stack all;
	watch own = { .os_id = 0 };
	look_at (&own, os_id);
	if (own.kind == AWAKE)
		return MONOCLE__ASLEEP_NOT;
	if (!read_stack (&own, &all))
		return own.kind == DELICATE ? MONOCLE__ASLEEP_AGAIN : MONOCLE__ASLEEP_NOT;
	if (!own.is_whole && own.kind == ASLEEP) /* it shows more when it is interrupted */
		return MONOCLE__ASLEEP_NOT;
	const MonocleAsleep asleep = {
		.size = sizeof asleep, .count = all.count, .frames = all.frames, .is_whole = own.is_whole
	};
	look->asleep (look->data, tid, (uint64_t) os_id, &asleep);
	return MONOCLE__ASLEEP_TOLD;
}

static bool
is_due (monocle__sampled *thread)
{
	bool is = thread->watch && thread->watch->is_due && atomic_load (&thread->engine);
	if (thread->watch)
		thread->watch->is_due = false;
	return is;
}

void
monocle__sampler_asleep_tell (void)
{
	atomic_store (&is_telling, true);
	bool is_heard = listeners (MONOCLE_EVENT_sample_asleep) != 0;
	for (monocle__sampled *thread = monocle__sampler_first (); thread && is_heard; thread = thread->next)
		if (is_due (thread) && monocle__sampler_is_on ())
			tell (thread, thread->watch);
	atomic_store (&is_telling, false);
}

void
monocle__sampler_asleep_forked (void)
{
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
