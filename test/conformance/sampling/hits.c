/*
 * SPDX-License-Identifier: MIT
 *
 * hits.c - a module that counts samples by thread: `hits:FILE[,mode=process|real][,freq=N][,walk|empty][,answers]`.
 *
 * The profiled program may open this library and call hits_*: it asks how often its own thread was hit, and switches
 * sampling on and off. At the end FILE gets "NAME<tab>NUMBER" lines. It knows Mono's API only, but for the state that
 * other hosts tell of.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <ucontext.h>
#include <mono/metadata/loader.h>
#include <mono/metadata/profiler.h>
#include <monocle/ext.h>

enum { SLOTS = 1 << 16, FRAMES_MAX = 512 };

struct _MonoProfiler {
	char file[1024];
	MonoProfilerHandle handle, second;
	int walks;
	atomic_uint answers; /* a bit for each that is as Mono's documentation has it */
	atomic_ullong hits, wrong, others, frames, named, empty, late, nanoseconds;
	atomic_bool is_over;
};

/* By thread; a tid that is used again goes on counting. */
typedef struct {
	_Atomic (pthread_t) tid;
	atomic_ullong hits;
} slot;

static struct _MonoProfiler profiler;
static slot slots[SLOTS];

MONO_API void mono_profiler_init_hits (const char *desc);
MONO_API int64_t hits_of_thread (void);
MONO_API int hits_set (int mode, int frequency);
MONO_API int64_t hits_cpu_time (void);
MONO_API int64_t hits_process_time (void);
MONO_API int64_t hits_total (void);

/* --- in the handler ----------------------------------------------------------------------------------------------- */

static slot *
slot_of (pthread_t tid)
{
	for (size_t i = (tid >> 6) * 0x9E3779B97F4A7C15ull >> 48, tries = 0; tries < SLOTS; i = (i + 1) % SLOTS, tries++) {
		pthread_t none = 0, is = atomic_load (&slots[i].tid);
		if (is == tid || (is == 0 && (atomic_compare_exchange_strong (&slots[i].tid, &none, tid) || none == tid)))
			return &slots[i];
	}
	return NULL;
}

typedef struct {
	unsigned count, named;
} walked;

static mono_bool
frame (MonoMethod *method, MonoDomain *domain, void *base_address, int offset, void *data)
{
	walked *seen = data;
	seen->count++;
	seen->named += method != NULL;
	return seen->count == FRAMES_MAX;
}

static void
walk (const void *context)
{
	walked seen = { 0, 0 };
	mono_stack_walk_async_safe (frame, (void *) context, &seen);
	atomic_fetch_add (&profiler.frames, seen.count);
	atomic_fetch_add (&profiler.named, seen.named);
	if (!seen.count)
		atomic_fetch_add (&profiler.empty, 1);
}

static uint64_t
now_ns (clockid_t clock)
{
	struct timespec now;
	clock_gettime (clock, &now);
	return (uint64_t) now.tv_sec * 1000000000 + (uint64_t) now.tv_nsec;
}

static void
sample_hit (MonoProfiler *prof, const mono_byte *ip, const void *context)
{
	slot *own = slot_of (pthread_self ());
	if (own)
		atomic_fetch_add (&own->hits, 1);
	atomic_fetch_add (&prof->hits, 1);
	if (atomic_load (&prof->is_over))
		atomic_fetch_add (&prof->late, 1);
#ifdef __x86_64__
	if ((greg_t) ip != ((const ucontext_t *) context)->uc_mcontext.gregs[REG_RIP])
		atomic_fetch_add (&prof->wrong, 1);
#endif
	if (prof->walks) {
		uint64_t from = now_ns (CLOCK_MONOTONIC);
		walk (context);
		atomic_fetch_add (&prof->nanoseconds, now_ns (CLOCK_MONOTONIC) - from);
	}
}

/* What a sample costs by itself. */
static void
sample_nothing (MonoProfiler *prof, const mono_byte *ip, const void *context)
{
}

/* The older handle must have been told as often, afterwards. */
static void
sample_hit_too (MonoProfiler *prof, const mono_byte *ip, const void *context)
{
	atomic_fetch_add (&prof->others, 1);
}

/* --- for the program ---------------------------------------------------------------------------------------------- */

int64_t
hits_of_thread (void)
{
	slot *own = slot_of (pthread_self ());
	return own ? (int64_t) atomic_load (&own->hits) : -1;
}

int64_t
hits_total (void)
{
	return (int64_t) atomic_load (&profiler.hits);
}

/* Of the calling thread. */
int64_t
hits_cpu_time (void)
{
	return (int64_t) now_ns (CLOCK_THREAD_CPUTIME_ID);
}

int64_t
hits_process_time (void)
{
	return (int64_t) now_ns (CLOCK_PROCESS_CPUTIME_ID);
}

int
hits_set (int mode, int frequency)
{
	return mono_profiler_set_sample_mode (profiler.handle, (MonoProfilerSampleMode) mode, (uint32_t) frequency);
}

/* --- what the functions answer ------------------------------------------------------------------------------------ */

static void
expect (int number, int is, int should)
{
	if (is == should)
		atomic_fetch_or (&profiler.answers, 1u << number);
}

/* What is asked before somebody enabled sampling is asked with a handle: Mono does not stand NULL there. */
static void
ask (MonoProfilerHandle first, MonoProfilerHandle second)
{
	MonoProfilerSampleMode mode = MONO_PROFILER_SAMPLE_MODE_REAL;
	uint32_t frequency = 1;
	expect (0, mono_profiler_get_sample_mode (first, &mode, &frequency), 0);
	expect (1, (int) mode, 0);
	expect (2, (int) frequency, 0);
	expect (3, mono_profiler_set_sample_mode (first, MONO_PROFILER_SAMPLE_MODE_NONE, 10), 0);
	expect (4, mono_profiler_enable_sampling (first), 1);
	expect (5, mono_profiler_enable_sampling (second), 1);
	expect (6, mono_profiler_enable_sampling (first), 1);
	expect (7, mono_profiler_get_sample_mode (first, &mode, &frequency), 1);
	expect (8, (int) mode, 0);
	expect (9, (int) frequency, 100);
	expect (10, mono_profiler_get_sample_mode (second, NULL, NULL), 0);
	expect (11, mono_profiler_set_sample_mode (second, MONO_PROFILER_SAMPLE_MODE_NONE, 10), 0);
	expect (12, mono_profiler_set_sample_mode (first, MONO_PROFILER_SAMPLE_MODE_NONE, 77), 1);
	expect (13, mono_profiler_get_sample_mode (second, &mode, &frequency), 0);
	expect (14, (int) frequency, 77);
	expect (15, (int) mode, 0);
}

/* Too late for those who come now. */
static void
runtime_initialized (MonoProfiler *prof)
{
	expect (16, mono_profiler_enable_sampling (prof->second), 0);
	expect (17, mono_profiler_get_sample_mode (prof->handle, NULL, NULL), 1);
}

/* --- start and end ------------------------------------------------------------------------------------------------ */

static void
write_state (FILE *file)
{
	MonocleSampling state = { .size = sizeof state };
	if (!monocle_sampling_state || !monocle_sampling_state (&state))
		return;
	fprintf (file, "engine:%s\t1\nachieved\t%u\nlost\t%llu\n", state.engine, state.achieved,
	         (unsigned long long) state.lost);
}

static void
runtime_shutdown_end (MonoProfiler *prof)
{
	FILE *file = fopen (prof->file, "w");
	if (!file)
		return;
	write_state (file);
	hits_set (MONO_PROFILER_SAMPLE_MODE_NONE, 100);
	atomic_store (&prof->is_over, true);
	fprintf (file, "answers\t%u\nhits\t%llu\nothers\t%llu\nwrong\t%llu\n", atomic_load (&prof->answers),
	         atomic_load (&prof->hits), atomic_load (&prof->others), atomic_load (&prof->wrong));
	fprintf (file, "frames\t%llu\nnamed\t%llu\nempty\t%llu\nnanoseconds\t%llu\n", atomic_load (&prof->frames),
	         atomic_load (&prof->named), atomic_load (&prof->empty), atomic_load (&prof->nanoseconds));
	fclose (file);
}

static int
number_after (const char *text, const char *word, int otherwise)
{
	const char *at = strstr (text, word);
	return at ? atoi (at + strlen (word)) : otherwise;
}

MONO_API void
mono_profiler_init_hits (const char *desc)
{
	const char *colon = strchr (desc, ':');
	snprintf (profiler.file, sizeof profiler.file, "%s", colon ? colon + 1 : "/dev/null");
	const char *options = strchr (desc, ',') ? strchr (desc, ',') : "";
	profiler.file[strcspn (profiler.file, ",")] = 0;
	profiler.walks = strstr (options, ",walk") != NULL;
	profiler.second = mono_profiler_create (&profiler);
	profiler.handle = mono_profiler_create (&profiler);
	if (strstr (options, ",answers"))
		ask (profiler.handle, profiler.second);
	else
		mono_profiler_enable_sampling (profiler.handle);
	mono_profiler_set_sample_hit_callback (profiler.handle, strstr (options, ",empty") ? sample_nothing : sample_hit);
	if (strstr (options, ",answers"))
		mono_profiler_set_sample_hit_callback (profiler.second, sample_hit_too);
	mono_profiler_set_runtime_initialized_callback (profiler.handle, runtime_initialized);
	mono_profiler_set_runtime_shutdown_end_callback (profiler.handle, runtime_shutdown_end);
	int mode = strstr (options, ",mode=real") ? 2 : strstr (options, ",mode=process") ? 1 : 0;
	if (mode)
		hits_set (mode, number_after (options, ",freq=", 100));
}
