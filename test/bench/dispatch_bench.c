/*
 * SPDX-License-Identifier: MIT
 *
 * dispatch_bench.c - what an event costs in the core: nobody listens, one handle, three handles, and the bare call
 * beside it.
 *
 * Each figure is the median over rounds of nanoseconds of CPU time per event, less the empty loop of the same round;
 * rounds take turns, so that a change of the clock's speed meets all alike.
 */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <monocle/host.h>

enum { ROUNDS = 61, EVENTS = 2000000 };

/* Keeps the compiler from seeing through, merging or dropping what stands around it. */
#define BARRIER() __asm__ volatile("" ::: "memory")

static const uint32_t *counts;
static struct _MonoProfilerDesc *const *handles;

__attribute__ ((noinline)) static void
on_jit_begin (MonoProfiler *prof, MonoMethod *method)
{
	BARRIER ();
}

__attribute__ ((noinline)) static void
on_class_loaded (MonoProfiler *prof, MonoClass *klass)
{
	BARRIER ();
}

static MonoProfilerJitBeginCallback volatile callback = on_jit_begin;

static void
empty (void)
{
	BARRIER ();
}

static void
test_count (void)
{
	if (__builtin_expect (__atomic_load_n (&counts[MONOCLE_EVENT_jit_failed], __ATOMIC_RELAXED), 0))
		monocle_raise_jit_failed (NULL);
	BARRIER ();
}

static void
bare_call (void)
{
	callback (NULL, NULL);
}

static void
raise_unheard (void)
{
	monocle_raise_jit_failed (NULL);
}

static void
raise_one (void)
{
	monocle_raise_class_loaded (NULL);
}

static void
raise_three (void)
{
	monocle_raise_jit_begin (NULL);
}

/* What a host does that cannot afford a call into the library: it walks the list itself. */
static void
walk_here (void)
{
	for (struct _MonoProfilerDesc *to = __atomic_load_n (handles, __ATOMIC_ACQUIRE); to; to = to->next) {
		MonoProfilerJitBeginCallback listener =
		    (MonoProfilerJitBeginCallback) __atomic_load_n (&to->callbacks[MONOCLE_EVENT_jit_begin], __ATOMIC_ACQUIRE);
		if (listener)
			listener (to->prof, NULL);
	}
}

static double
now (void)
{
	struct timespec time;

	clock_gettime (CLOCK_PROCESS_CPUTIME_ID, &time);
	return (double) time.tv_sec * 1e9 + (double) time.tv_nsec;
}

static inline __attribute__ ((always_inline)) double
measure (void (*body) (void))
{
	double start = now ();

	for (int i = 0; i < EVENTS; i++)
		body ();
	return (now () - start) / EVENTS;
}

static int
compare (const void *left, const void *right)
{
	double a = *(const double *) left, b = *(const double *) right;

	return (a > b) - (a < b);
}

/* The first row is what the others are measured against. Bodies are inlined into their loops by name. */
#define ONE_HANDLE(row) \
	row (empty, "empty loop") row (test_count, "nobody listens, the host tests the count") \
	    row (bare_call, "the bare call of a callback") \
	        row (raise_unheard, "one handle, does not listen, raised anyway") row (raise_three, "one handle listens") \
	            row (walk_here, "one handle listens, the host walks the list")
#define THREE_HANDLES(row) \
	row (empty, "empty loop") row (raise_unheard, "three handles, none listens, raised anyway") \
	    row (raise_one, "one of three handles listens") row (raise_three, "three handles listen") \
	        row (walk_here, "three handles listen, the host walks the list")

#define TITLE_CASE(body, title) title,
#define RUN_CASE(body, title)   results[which++][round] = measure (body);

enum { CASES_MAX = 8 };

static double results[CASES_MAX][ROUNDS];

static void
print (const char *const *titles, int count)
{
	for (int i = 1; i < count; i++) {
		for (int round = 0; round < ROUNDS; round++)
			results[i][round] -= results[0][round];
		qsort (results[i], ROUNDS, sizeof (double), compare);
		printf ("%-45s %6.2f ns  [%5.2f, %5.2f]\n", titles[i], results[i][ROUNDS / 2], results[i][ROUNDS / 10],
		        results[i][ROUNDS - 1 - ROUNDS / 10]);
	}
}

static void
run_one_handle (void)
{
	static const char *const titles[] = { ONE_HANDLE (TITLE_CASE) };

	for (int round = 0; round < ROUNDS; round++) {
		int which = 0;
		ONE_HANDLE (RUN_CASE)
	}
	print (titles, sizeof titles / sizeof *titles);
}

static void
run_three_handles (void)
{
	static const char *const titles[] = { THREE_HANDLES (TITLE_CASE) };

	for (int round = 0; round < ROUNDS; round++) {
		int which = 0;
		THREE_HANDLES (RUN_CASE)
	}
	print (titles, sizeof titles / sizeof *titles);
}

int
main (void)
{
	static const monocle_host_ops host = {
		.size = sizeof host,
		.api_version = MONOCLE_HOST_API_VERSION,
		.name = "bench",
	};

	if (monocle_host_init (&host) != MONOCLE_OK)
		return 1;
	monocle_host_startup_done ();
	counts = monocle_event_counts ();
	handles = monocle_event_handles ();
	mono_profiler_set_jit_begin_callback (mono_profiler_create (NULL), on_jit_begin);
	run_one_handle ();
	mono_profiler_set_jit_begin_callback (mono_profiler_create (NULL), on_jit_begin);
	MonoProfilerHandle newest = mono_profiler_create (NULL);
	mono_profiler_set_jit_begin_callback (newest, on_jit_begin);
	mono_profiler_set_class_loaded_callback (newest, on_class_loaded);
	run_three_handles ();
	return 0;
}
