/*
 * SPDX-License-Identifier: MIT
 *
 * sampler-look.c - each attached thread is looked at once, whether or not anything is sampled.
 *
 *      the thread that looks                                     a thread that runs
 *      each thread: asleep? walk it from outside
 *        else NOT_ASKED -> ASKED, signal with a mark  ──►        ASKED -> INSIDE, hit (), INSIDE -> NOT_ASKED
 *      until all have come: signal once more
 *      time is over: ASKED -> NOT_ASKED, wait for those INSIDE
 *
 * No event is raised and no engine asked: modules that sample go on as if nothing had been. The signal is the
 * sampler's, of which the kernel keeps one for a thread: so one of ours may be swallowed by a sample's, and is sent
 * again, and one of a sample's by ours, and is made up for in the handler. Normal context, one thread at a time, which
 * no signal may interrupt.
 */
#include "sampler.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <monocle/host.h>
#include <monocle/stacks.h>
#include "arch/arch.h"
#include "invariant.h"
#include "nanoseconds.h"
#include "pause.h"

enum { NOT_ASKED, ASKED, INSIDE };

static const char mark; /* its address tells our signals from a sample's */
static const MonocleLook *_Atomic current;

union sigval
monocle__sampler_look_mark (void)
{
	return (union sigval) { .sival_ptr = (void *) &mark };
}

/* --- on the thread itself: async-safe ----------------------------------------------------------------------------- */

/* The look stays until this is over: who ends it waits for the threads that are inside. */
void
monocle__sampler_look_answer (monocle__sampled *thread, const void *context)
{
	int asked = ASKED;
	MONOCLE__PAUSE (sampler_look_hit);
	if (!atomic_compare_exchange_strong (&thread->look, &asked, INSIDE))
		return;
	MONOCLE__PAUSE (sampler_look_inside);
	const MonocleLook *look = atomic_load (&current);
	look->hit (look->data, monocle__arch_context_ip (context), context);
	atomic_store (&thread->look, NOT_ASKED);
}

/* --- on the thread that looks ------------------------------------------------------------------------------------- */

typedef struct {
	monocle__sampled *thread;
	pid_t os_id;
	bool is_delicate; /* a signal would end its wait, and it went on while its stack was read */
} target;

static bool
is_there (pid_t os_id)
{
	return syscall (SYS_tgkill, getpid (), os_id, 0) == 0;
}

static void
send (const target *at)
{
	int not_asked = NOT_ASKED;
	atomic_compare_exchange_strong (&at->thread->look, &not_asked, ASKED);
	monocle__sampler_signal_send (at->os_id, monocle__sampler_look_mark ());
}

/* Told of as asleep, or signalled, or to be looked at again. */
static bool
begin (target *at, const MonocleLook *look)
{
	switch (monocle__sampler_asleep_once (at->thread->tid, at->os_id, look)) {
	case MONOCLE__ASLEEP_TOLD: return true;
	case MONOCLE__ASLEEP_AGAIN: at->is_delicate = true; return false;
	case MONOCLE__ASLEEP_NOT: break;
	}
	at->is_delicate = false;
	send (at);
	return false;
}

/* Has its stack been taken, or is there nothing to take? `is_time`: to send another signal. */
static bool
is_done (target *at, const MonocleLook *look, bool is_time)
{
	if (!is_there (at->os_id)) {
		int asked = ASKED;
		atomic_compare_exchange_strong (&at->thread->look, &asked, NOT_ASKED);
		return true;
	}
	if (at->is_delicate)
		return begin (at, look);
	if (atomic_load (&at->thread->look) == NOT_ASKED)
		return true;
	if (is_time && atomic_load (&at->thread->look) == ASKED)
		monocle__sampler_signal_send (at->os_id, monocle__sampler_look_mark ());
	return false;
}

/* The same of all: those that are left move to the front. How many that are. */
static size_t
look_on (target *targets, size_t count, const MonocleLook *look, bool is_time)
{
	size_t left = 0;
	for (size_t i = 0; i < count; i++)
		if (!is_done (&targets[i], look, is_time))
			targets[left++] = targets[i];
	return left;
}

static size_t
list (target *targets, size_t room)
{
	size_t count = 0;
	for (monocle__sampled *thread = monocle__sampler_first (); thread; thread = thread->next) {
		pid_t os_id = atomic_load (&thread->os_id);
		if (!os_id || thread->is_stranger)
			continue;
		if (count < room)
			targets[count] = (target) { thread, os_id, false };
		count++;
	}
	return count < room ? count : room;
}

/* Who has not come by now is not let in any more. False: one is inside and does not come out. */
static bool
call_back (const target *targets, size_t count)
{
	enum { STEP_NS = 1000000, STEPS = 2000 };
	bool is_out = true;
	for (size_t i = 0; i < count; i++) {
		int asked = ASKED;
		if (atomic_compare_exchange_strong (&targets[i].thread->look, &asked, NOT_ASKED))
			continue;
		for (int k = 0; atomic_load (&targets[i].thread->look) == INSIDE && (is_out = k < STEPS); k++)
			nanosleep (&(struct timespec) { 0, STEP_NS }, NULL);
	}
	return is_out;
}

static int
look_at (target *targets, size_t count, const MonocleLook *look, uint32_t milliseconds, mono_bool (*is_over) (void))
{
	enum { STEP_NS = 500000, STEPS_A_SIGNAL = 20 };
	uint64_t end = monocle__nanoseconds (CLOCK_MONOTONIC) + milliseconds * UINT64_C (1000000);
	size_t left = 0;
	for (size_t i = 0; i < count; i++)
		if (!begin (&targets[i], look))
			targets[left++] = targets[i];
	for (unsigned step = 1; left && monocle__nanoseconds (CLOCK_MONOTONIC) < end && !is_over (); step++) {
		nanosleep (&(struct timespec) { 0, STEP_NS }, NULL);
		left = look_on (targets, left, look, step % STEPS_A_SIGNAL == 0);
	}
	MONOCLE__PAUSE (sampler_look_ends);
	return call_back (targets, left) ? (int) left : MONOCLE_STACKS_STUCK;
}

int
monocle__sampler_look (const MonocleLook *look, uint32_t milliseconds, mono_bool (*is_over) (void))
{
	size_t room = 0;
	if (!monocle__sampler_signal_install () || !monocle__sampler_signal_is_ours ())
		return MONOCLE_E_REFUSED;
	for (const monocle__sampled *thread = monocle__sampler_first (); thread; thread = thread->next)
		room++;
	target *targets = calloc (room + 1, sizeof *targets);
	if (!targets)
		return MONOCLE_E_NO_MEMORY;
	atomic_store (&current, look);
	int result = look_at (targets, list (targets, room), look, milliseconds, is_over);
	if (result != MONOCLE_STACKS_STUCK)
		atomic_store (&current, NULL);
	free (targets);
	return result;
}
