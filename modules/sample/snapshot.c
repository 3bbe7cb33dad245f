/*
 * SPDX-License-Identifier: MIT
 *
 * snapshot.c - the stacks of all threads, once: on SIGUSR2 and at the end, into a profile of their own.
 *
 * A snapshot is a number that goes up. While one is under way the runtime is asked to hit all threads, and the first
 * hit of each is its stack; when all have been hit, or after a second, the mode is what it was. A thread in native code
 * that blocks the signal has no stack.
 */
#include "sample.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <time.h>

#include <monocle/ext.h>

enum { FREQUENCY = 200, LEAST_NS = 200000000, MOST_NS = 1000000000, STEP_NS = 5000000 };

static monocle_kit_stacks *the_snapshots;
static MonoProfilerHandle handle;
static MonoProfilerSampleMode usual_mode;
static uint32_t usual_frequency;
static _Atomic uint32_t number; /* of the latest one; 0: none */
static _Atomic uint32_t added;  /* stacks of the latest one */
static _Atomic uint64_t since;  /* when it began, nanoseconds; 0: none is under way */

/* Async-safe. */
static void
begin (void)
{
	number++;
	added = 0;
	since = monocle_kit_now ();
	mono_profiler_set_sample_mode (handle, MONO_PROFILER_SAMPLE_MODE_REAL, FREQUENCY);
}

static void
on_signal (int signal_number)
{
	int saved_errno = errno;
	begin ();
	errno = saved_errno;
}

void
snapshot_listen (bool replaces)
{
	struct sigaction action = { .sa_handler = on_signal, .sa_flags = SA_RESTART }, before;
	if (!the_snapshots)
		return;
	if (sigaction (SIGUSR2, NULL, &before) == 0 && (replaces || before.sa_handler == SIG_DFL))
		sigaction (SIGUSR2, &action, NULL);
	else
		monocle_kit_log ("sample", "SIGUSR2 is in use; there is a snapshot at the end only");
}

bool
snapshot_init (const monocle_kit_stacks_config *config, MonoProfilerHandle the_handle, MonoProfilerSampleMode mode,
               uint32_t frequency)
{
	handle = the_handle;
	usual_mode = mode;
	usual_frequency = frequency;
	the_snapshots = monocle_kit_stacks_open (config);
	return the_snapshots != NULL;
}

uint32_t
snapshot_under_way (void)
{
	return since ? number : 0;
}

bool
snapshot_wants_thread (uint32_t snapshot)
{
	struct thread_place *place = thread_take ();
	if (!place || place->snapshot == snapshot)
		return false;
	place->snapshot = snapshot;
	return true;
}

void
snapshot_add (const monocle_kit_frame *frames, uint32_t count)
{
	const uint64_t values[2] = { 1, 0 };
	monocle_kit_stacks_add (the_snapshots, frames, count, (uint64_t) pthread_self (), values);
	added++;
}

void
snapshot_thread_name (uintptr_t tid, const char *name)
{
	if (the_snapshots)
		monocle_kit_stacks_thread_name (the_snapshots, tid, name);
}

void
snapshot_thread_end (uintptr_t tid)
{
	if (the_snapshots)
		monocle_kit_stacks_thread_end (the_snapshots, tid);
}

/*
 * Has every thread been hit? The host is asked how many there are, because it knows; while it changes over from the
 * usual mode there seem to be fewer.
 */
static bool
is_complete (void)
{
	MonocleSampling state = { .size = sizeof state };
	return monocle_sampling_state && monocle_sampling_state (&state) && state.mode == MONO_PROFILER_SAMPLE_MODE_REAL &&
	       state.threads && added >= state.threads;
}

/* Where the number of threads is unknown, a fifth of a second has to do. */
void
snapshot_beat (void)
{
	uint64_t begun = since, patience = !monocle_sampling_state || is_complete () ? LEAST_NS : MOST_NS;
	if (begun && monocle_kit_now () - begun >= patience && atomic_compare_exchange_strong (&since, &begun, 0))
		mono_profiler_set_sample_mode (handle, usual_mode, usual_frequency);
}

void
snapshot_last (void)
{
	if (!the_snapshots)
		return;
	begin ();
	uint64_t end = since + MOST_NS;
	do
		nanosleep (&(struct timespec) { .tv_nsec = STEP_NS }, NULL);
	while (!is_complete () && monocle_kit_now () < end);
	since = 0;
}

void
snapshot_close (void)
{
	monocle_kit_stacks_close (the_snapshots);
}
