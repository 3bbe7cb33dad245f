/*
 * SPDX-License-Identifier: MIT
 *
 * snapshot.c - the stacks of all threads, once: on SIGUSR2 and at the end, each into a profile of its own.
 *
 * A snapshot is a number that goes up. While one is under way the runtime is asked to hit all threads, and the first
 * hit of each is its stack; when all have been hit, or after a second, the mode is what it was, and the file is
 * written. A thread in native code that blocks the signal has no stack.
 *
 *      NONE --begin--> TAKING --beat, last--> WRITING --the same--> NONE
 *
 * Who is asked for another one meanwhile remembers that, and the one who has written begins it.
 */
#include "sample.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <monocle/ext.h>

enum { FREQUENCY = 200, LEAST_NS = 200000000, MOST_NS = 1000000000, STEP_NS = 5000000, WRITE_MS = 10000 };
enum { NONE, TAKING, WRITING };

static monocle_kit_stacks *the_snapshots;
static MonoProfilerHandle handle;
static _Atomic (MonoProfilerSampleMode) usual_mode;
static uint32_t usual_frequency;
static uint32_t async_depth; /* 0: there are threads only */
static _Atomic int phase;
static _Atomic bool is_wanted;        /* one more, when this one is done */
static _Atomic uint32_t number;       /* of the latest one; 0: none */
static _Atomic uint32_t added;        /* stacks of the latest one */
static _Atomic uint64_t since;        /* when it began, nanoseconds */
static _Atomic bool is_short;         /* some stack of it was not walked to its end */
static _Atomic uint64_t found_before; /* by the host's walks, when it began */
static _Atomic uint32_t sweeps;       /* hits of the one that was hit most often */
static struct sigaction was;          /* what SIGUSR2 did before */
static struct states states;

/* Async-safe. */
static void
begin (void)
{
	int none = NONE;
	uint64_t found = 0;
	is_wanted = true;
	if (!atomic_compare_exchange_strong (&phase, &none, TAKING))
		return;
	is_wanted = false;
	added = sweeps = 0;
	is_short = false;
	if (monocle_code_awaited)
		monocle_code_awaited (&found);
	found_before = found;
	since = monocle_kit_now ();
	state_look (&states);
	number++;
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
	struct sigaction action = { .sa_handler = on_signal, .sa_flags = SA_RESTART };
	if (!the_snapshots)
		return;
	if (sigaction (SIGUSR2, NULL, &was) == 0 && (replaces || was.sa_handler == SIG_DFL))
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
	the_snapshots = config ? monocle_kit_stacks_open (config) : NULL;
	return the_snapshots != NULL;
}

void
snapshot_take_async (uint32_t depth)
{
	async_depth = depth;
}

void
snapshot_set_mode (MonoProfilerSampleMode mode)
{
	usual_mode = mode;
	if (phase != TAKING)
		mono_profiler_set_sample_mode (handle, mode, usual_frequency);
}

uint32_t
snapshot_under_way (void)
{
	return phase == TAKING ? number : 0;
}

bool
snapshot_wants_thread (uint32_t snapshot, const struct subject *subject)
{
	struct thread_place *place = thread_take_of (subject->tid);
	if (!place)
		return false;
	bool is_first = place->snapshot != snapshot;
	place->tid = subject_number (subject);
	place->snapshot = snapshot;
	place->hits = is_first ? 1 : place->hits + 1;
	if (place->hits > sweeps) /* of two at once either will do */
		sweeps = place->hits;
	return is_first;
}

void
snapshot_add (monocle_kit_frame *frames, uint32_t count, const struct subject *subject, const void *context)
{
	uintptr_t state = state_frame (&states, subject, context);
	const uint64_t values[2] = { async_depth ? 0 : 1, async_depth ? 1 : 0 };
	if (state)
		frames[count++] = (monocle_kit_frame) { (void *) state, 0 };
	monocle_kit_stacks_add (the_snapshots, frames, count, subject->tid, values);
	added++;
}

void
snapshot_cut (void)
{
	is_short = true;
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

/* Does it have a CPU, or wait for one? */
static bool
is_runnable (const char *tid)
{
	char path[64], text[512] = "";
	snprintf (path, sizeof path, "/proc/self/task/%.20s/stat", tid);
	FILE *file = fopen (path, "re");
	const char *name_end = file && fgets (text, sizeof text, file) ? strrchr (text, ')') : NULL;
	if (file)
		fclose (file);
	return name_end && !strncmp (name_end, ") R", 3);
}

static bool
is_any_on_its_way (void)
{
	DIR *tasks = opendir ("/proc/self/task");
	struct dirent *entry;
	bool found = false;
	while (tasks && !found && (entry = readdir (tasks)))
		found = isdigit ((unsigned char) *entry->d_name) && atoi (entry->d_name) != (int) syscall (SYS_gettid) &&
		        is_runnable (entry->d_name) && !thread_is_in_snapshot (atoi (entry->d_name), number);
	if (tasks)
		closedir (tasks);
	return found;
}

/*
 * Mono's sampler hits one thread after the other, and none that has not answered: when one has been hit four times,
 * each has, and has answered but for those that wait for a CPU.
 */
static bool
is_settled (void)
{
	enum { SWEEPS = 4 };
	return !monocle_sampling_state && sweeps >= SWEEPS && !is_any_on_its_way ();
}

static void
say (void *data, const char *line)
{
	monocle_kit_log ("sample", "async: %s", line);
}

/* The file is whole when this returns. A handler that is in the middle of its hit has a step to come to its end. */
static void
write_one (void)
{
	int taking = TAKING;
	if (!atomic_compare_exchange_strong (&phase, &taking, WRITING))
		return;
	mono_profiler_set_sample_mode (handle, usual_mode, usual_frequency);
	nanosleep (&(struct timespec) { .tv_nsec = STEP_NS }, NULL);
	if (async_depth)
		async_take (the_snapshots, async_depth, say, NULL);
	monocle_kit_stacks_cut (the_snapshots, WRITE_MS);
	phase = NONE;
	if (is_wanted)
		begin ();
}

/* Where the number of threads is unknown, a fifth of a second has to do. */
void
snapshot_beat (void)
{
	uint64_t patience = !monocle_sampling_state || is_complete () ? LEAST_NS : MOST_NS;
	if (phase == TAKING && monocle_kit_now () - since >= patience)
		write_one ();
}

static void
await_stacks (void)
{
	while (phase == WRITING ||
	       (phase == TAKING && !is_complete () && !is_settled () && monocle_kit_now () < since + MOST_NS))
		nanosleep (&(struct timespec) { .tv_nsec = STEP_NS }, NULL);
}

/* Stacks lack code that was not known to be any, as what a program made before we came. Has more been found since? */
static bool
await_code (void)
{
	uint64_t found = 0, until = monocle_kit_now () + MOST_NS;
	if (!monocle_code_awaited)
		return false;
	while (monocle_code_awaited (&found) && monocle_kit_now () < until)
		nanosleep (&(struct timespec) { .tv_nsec = STEP_NS }, NULL);
	return found != found_before;
}

/*
 * What Mono could not be asked about in the handler the drain thread has asked it about when it has named all; CoreCLR
 * is asked by the host. False: nothing was missing.
 */
static bool
take_again (void)
{
	int taking = TAKING;
	bool is_missing = await_code ();
	if ((!atomic_exchange (&is_short, false) && !is_missing) ||
	    !atomic_compare_exchange_strong (&phase, &taking, WRITING))
		return false;
	nanosleep (&(struct timespec) { .tv_nsec = STEP_NS }, NULL);
	monocle_kit_stacks_sync (the_snapshots, WRITE_MS);
	monocle_kit_stacks_reset (the_snapshots, WRITE_MS);
	phase = NONE;
	begin ();
	return true;
}

/* One that was asked for just before has its time and its file. */
void
snapshot_last (void)
{
	enum { TRIES = 4 };
	if (!the_snapshots)
		return;
	for (int i = 0; i < 2; i++) {
		bool is_asked_for = phase != NONE;
		if (!is_asked_for)
			begin ();
		await_stacks ();
		for (int k = 0; k < TRIES && take_again (); k++)
			await_stacks ();
		is_wanted = false;
		write_one ();
		if (!is_asked_for)
			return;
	}
}

void
snapshot_close (void)
{
	monocle_kit_stacks_close (the_snapshots);
}

void
snapshot_leave (void)
{
	struct sigaction is;
	if (!the_snapshots)
		return;
	if (sigaction (SIGUSR2, NULL, &is) == 0 && is.sa_handler == on_signal)
		sigaction (SIGUSR2, &was, NULL);
	monocle_kit_stacks_free (the_snapshots);
}
