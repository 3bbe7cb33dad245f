/*
 * SPDX-License-Identifier: MIT
 *
 * switch.c - see switch.h. Setters come in the init window; from then on the lists are the switch's thread's alone.
 */
#define SWITCH_ITSELF
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#include "switch.h"

enum { CALLBACKS_MAX = 8 };

static struct {
	switch_setter set;
	MonoProfilerHandle handle;
	void *callback;
} callbacks[CALLBACKS_MAX];
static unsigned callback_count;

static struct {
	MonoProfilerHandle handle;
	MonoProfilerSampleMode mode;
	uint32_t frequency;
} sampling;

static void (*hook) (bool is_on);

static void
set_all (bool is_on)
{
	for (unsigned i = 0; i < callback_count; i++)
		callbacks[i].set (callbacks[i].handle, is_on ? callbacks[i].callback : NULL);
	if (sampling.handle)
		mono_profiler_set_sample_mode (sampling.handle, is_on ? sampling.mode : MONO_PROFILER_SAMPLE_MODE_NONE,
		                               sampling.frequency);
	if (hook)
		hook (is_on);
}

static void *
run (void *data)
{
	char order;
	int fd = (int) (intptr_t) data;
	while (read (fd, &order, 1) == 1) {
		set_all (order == '1');
		if (write (fd, &order, 1) != 1)
			break;
	}
	return NULL;
}

static void
begin (void)
{
	static bool has_begun;
	const char *fd = getenv ("MONOCLE_SWITCH");
	pthread_t thread;
	sigset_t all, before;
	if (has_begun || !fd)
		return;
	has_begun = true;
	sigfillset (&all);
	pthread_sigmask (SIG_SETMASK, &all, &before);
	if (pthread_create (&thread, NULL, run, (void *) (intptr_t) atoi (fd)) == 0)
		pthread_detach (thread);
	pthread_sigmask (SIG_SETMASK, &before, NULL);
}

void
switch_callback (switch_setter set, MonoProfilerHandle handle, void *callback)
{
	set (handle, callback);
	if (callback_count == CALLBACKS_MAX)
		abort ();
	callbacks[callback_count].set = set;
	callbacks[callback_count].handle = handle;
	callbacks[callback_count++].callback = callback;
	begin ();
}

mono_bool
switch_mode (MonoProfilerHandle handle, MonoProfilerSampleMode mode, uint32_t frequency)
{
	if (mode != MONO_PROFILER_SAMPLE_MODE_NONE) {
		sampling.handle = handle;
		sampling.mode = mode;
		sampling.frequency = frequency;
		begin ();
	}
	return mono_profiler_set_sample_mode (handle, mode, frequency);
}

void
switch_call (void (*set) (bool is_on))
{
	hook = set;
	begin ();
}
