/*
 * SPDX-License-Identifier: MIT
 *
 * first.c - a module that tells when the first sample came: `first:FILE` gets CLOCK_MONOTONIC in nanoseconds. It asks
 * for 1000 samples a second of CPU time, as `sample:freq=1000` does.
 */
#include <fcntl.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include <mono/metadata/profiler.h>

struct _MonoProfiler {
	int fd;
	atomic_bool is_told;
};

static struct _MonoProfiler profiler;

MONO_API void mono_profiler_init_first (const char *desc);
MONO_API void monocle_profiler_leave_first (void);

/* In a signal handler. */
static void
on_sample (MonoProfiler *self, const mono_byte *address, const void *context)
{
	struct timespec now;
	char digits[24], *at = digits + sizeof digits;
	if (atomic_exchange (&self->is_told, true))
		return;
	clock_gettime (CLOCK_MONOTONIC, &now);
	uint64_t value = (uint64_t) now.tv_sec * 1000000000 + (uint64_t) now.tv_nsec;
	for (*--at = '\n'; value; value /= 10)
		*--at = (char) ('0' + value % 10);
	if (write (self->fd, at, (size_t) (digits + sizeof digits - at)) < 0)
		atomic_store (&self->is_told, false);
}

static void
on_end (MonoProfiler *self)
{
	close (self->fd);
}

void
mono_profiler_init_first (const char *desc)
{
	enum { FREQUENCY = 1000 };
	const char *file = desc ? strchr (desc, ':') : NULL;
	MonoProfilerHandle handle = mono_profiler_create (&profiler);
	atomic_store (&profiler.is_told, false);
	profiler.fd = file ? open (file + 1, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600) : -1;
	if (profiler.fd < 0)
		return;
	mono_profiler_set_runtime_shutdown_end_callback (handle, on_end);
	mono_profiler_enable_sampling (handle);
	mono_profiler_set_sample_mode (handle, MONO_PROFILER_SAMPLE_MODE_PROCESS, FREQUENCY);
	mono_profiler_set_sample_hit_callback (handle, on_sample);
}

/* Nothing is left; it may come again. */
void
monocle_profiler_leave_first (void)
{
	profiler.fd = -1;
}
