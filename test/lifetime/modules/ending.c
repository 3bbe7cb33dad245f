/*
 * SPDX-License-Identifier: MIT
 *
 * ending.c - a module that frees what it owns in its cleanup callback, as it is told to: does any callback of it run
 * after that, or still?
 *
 *   ending:FILE[,takes=US][,stuck]   the numbers of `struct seen` go into FILE, which is mapped, so that they outlive
 *                                    the process; `stuck`: the callback of a throw does not return at all
 *
 * A callback stays where it is for as long as its structure lives, but for a moment at most: so a cleanup that does not
 * wait for it comes in the middle of it. With `takes` it stays for so many microseconds.
 */
#include <fcntl.h>
#include <mono/metadata/class.h>
#include <mono/metadata/profiler.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

enum { MOMENT_US = 200000, STEP_US = 1000 };

/* As the test reads it. */
struct seen {
	atomic_uint enters, throws;
	atomic_uint ends, cleanups;
	atomic_uint after_end;     /* callbacks that began when runtime_shutdown_end had come */
	atomic_uint after_cleanup; /* that ran when the structure was gone */
};

struct _MonoProfiler {
	struct seen *seen;
	bool is_stuck;
	unsigned takes; /* microseconds */
};

static void
nap (unsigned microseconds)
{
	nanosleep (&(struct timespec) { 0, microseconds * 1000 }, NULL);
}

static void
stay (MonoProfiler *prof, atomic_uint *count)
{
	struct seen *seen = prof->seen;
	atomic_fetch_add (count, 1);
	atomic_fetch_add (&seen->after_end, atomic_load (&seen->ends) != 0);
	for (unsigned us = 0; us < prof->takes && !atomic_load (&seen->cleanups); us += STEP_US)
		nap (prof->takes - us < STEP_US ? prof->takes - us : STEP_US);
	while (prof->is_stuck && count == &seen->throws)
		nap (STEP_US);
	atomic_fetch_add (&seen->after_cleanup, atomic_load (&seen->cleanups) != 0);
}

static void
on_enter (MonoProfiler *prof, MonoMethod *method, MonoProfilerCallContext *context)
{
	stay (prof, &prof->seen->enters);
}

static void
on_throw (MonoProfiler *prof, MonoObject *exception)
{
	stay (prof, &prof->seen->throws);
}

static MonoProfilerCallInstrumentationFlags
filter (MonoProfiler *prof, MonoMethod *method)
{
	return strcmp (mono_method_get_name (method), "Hold") ? 0 : MONO_PROFILER_CALL_INSTRUMENTATION_ENTER;
}

/* What comes meanwhile comes after the last event. */
static void
on_end (MonoProfiler *prof)
{
	atomic_fetch_add (&prof->seen->ends, 1);
	for (int i = 0; i < 20; i++)
		nap (STEP_US);
}

static void
on_cleanup (MonoProfiler *prof)
{
	atomic_fetch_add (&prof->seen->cleanups, 1);
}

MONO_API void mono_profiler_init_ending (const char *desc);

void
mono_profiler_init_ending (const char *desc)
{
	static struct _MonoProfiler own;
	char path[1024] = "";
	const char *colon = strchr (desc, ':'), *takes = strstr (desc, ",takes=");
	sscanf (colon ? colon + 1 : "", "%1023[^,]", path);
	int fd = open (path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	void *seen = MAP_FAILED;
	if (fd >= 0 && !ftruncate (fd, sizeof *own.seen))
		seen = mmap (NULL, sizeof *own.seen, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (seen == MAP_FAILED) {
		perror (path);
		return;
	}
	close (fd);
	own = (struct _MonoProfiler) { seen, strstr (desc, ",stuck") != NULL, MOMENT_US };
	if (takes)
		sscanf (takes, ",takes=%u", &own.takes);
	MonoProfilerHandle handle = mono_profiler_create (&own);
	mono_profiler_set_call_instrumentation_filter_callback (handle, filter);
	mono_profiler_set_method_enter_callback (handle, on_enter);
	mono_profiler_set_exception_throw_callback (handle, on_throw);
	mono_profiler_set_runtime_shutdown_end_callback (handle, on_end);
	mono_profiler_set_cleanup_callback (handle, on_cleanup);
}
