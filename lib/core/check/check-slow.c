/*
 * SPDX-License-Identifier: MIT
 *
 * check-slow.c - callbacks that take long where others wait for them: in call probes and stopped worlds. See check.h.
 *
 * What counts is the time from call to return. Where the thread was only kept from running, by threads that wanted the
 * CPU, it is the CPU time: a busy machine is no fault of the module's.
 */
#include "check.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>
#include <mono/metadata/profiler.h>
#include <monocle/host.h>

#include "nanoseconds.h"

enum { LONG_NS = 1000000 };

static monocle__slowness *_Atomic all_slow; /* only grows */
static pthread_once_t once = PTHREAD_ONCE_INIT;
static pid_t reporter;

static void
read_usage (struct rusage *usage)
{
	memset (usage, 0, sizeof *usage);
	getrusage (RUSAGE_THREAD, usage);
}

static uint64_t
cpu_ns (const struct rusage *usage)
{
	return (uint64_t) (usage->ru_utime.tv_sec + usage->ru_stime.tv_sec) * 1000000000u +
	       (uint64_t) (usage->ru_utime.tv_usec + usage->ru_stime.tv_usec) * 1000u;
}

/* --- reports ------------------------------------------------------------------------------------------------------ */

static const char *
step_name (uintptr_t step)
{
	static const char *const names[] = {
		[MONO_GC_EVENT_START] = "MONO_GC_EVENT_START",
		[MONO_GC_EVENT_END] = "MONO_GC_EVENT_END",
		[MONO_GC_EVENT_POST_STOP_WORLD] = "MONO_GC_EVENT_POST_STOP_WORLD",
		[MONO_GC_EVENT_PRE_START_WORLD] = "MONO_GC_EVENT_PRE_START_WORLD",
	};
	return step < sizeof names / sizeof *names && names[step] ? names[step] : "another step";
}

/* Of a module that had several slow callbacks of one event; the others have been told. */
static void
report_counts (void)
{
	if (getpid () != reporter)
		return;
	for (monocle__slowness *slow = atomic_load (&all_slow); slow; slow = slow->next) {
		uint64_t count = atomic_load (&slow->count);
		if (count > 1)
			monocle_log ("module %s took longer than 1 ms in %llu callbacks of %s, %.1f ms at most", slow->module,
			             (unsigned long long) count, slow->event, (double) atomic_load (&slow->longest) / 1e6);
	}
}

static void
report_at_exit (void)
{
	reporter = getpid ();
	atexit (report_counts);
}

/* In a call probe. Asked as a module asks: the umbrella names no function of Mono's. "" when there is no telling. */
static void
name_method (uintptr_t method, char *buffer, size_t size)
{
	char *(*full_name) (uintptr_t, int) = (char *(*) (uintptr_t, int) ) dlsym (RTLD_DEFAULT, "mono_method_full_name");
	void (*free_it) (void *) = (void (*) (void *)) dlsym (RTLD_DEFAULT, "mono_free");
	char *name = full_name && free_it ? full_name (method, 1) : NULL;
	snprintf (buffer, size, "%s", name ? name : "");
	if (name)
		free_it (name);
}

static void
report_first (monocle__slowness *slow, uint32_t places, uintptr_t subject, uint64_t took)
{
	char name[256] = "";
	bool is_probe = places & IN_PROBE;
	slow->next = atomic_load (&all_slow);
	while (!atomic_compare_exchange_weak (&all_slow, &slow->next, slow))
		;
	if (!strcmp (slow->event, "gc_event"))
		strcpy (name, step_name (subject));
	else if (!strncmp (slow->event, "method_", strlen ("method_")))
		name_method (subject, name, sizeof name);
	monocle_log ("module %s took %.1f ms %s (%s%s%s), where %s waits for it: 1 ms is long there", slow->module,
	             (double) took / 1e6, is_probe ? "in a call probe" : "in a stopped world", slow->event,
	             *name ? ": " : "", name, is_probe ? "the program" : "every thread");
	pthread_once (&once, report_at_exit);
}

/* --- watching ----------------------------------------------------------------------------------------------------- */

void
monocle__check_watch_begin (monocle__watch *watch, const monocle__stay *stay)
{
	struct rusage usage;
	watch->places = stay->all_places & (IN_PROBE | IN_STOPPED);
	if (stay->all_places & IN_SIGNAL || !watch->places)
		watch->places = 0;
	if (!watch->places)
		return;
	read_usage (&usage);
	watch->voluntary = usage.ru_nvcsw;
	watch->involuntary = usage.ru_nivcsw;
	watch->cpu = cpu_ns (&usage);
	watch->wall = monocle__nanoseconds (CLOCK_MONOTONIC);
}

void
monocle__check_watch_end (const monocle__watch *watch, monocle__slowness *slow, uintptr_t subject)
{
	struct rusage usage;
	if (!watch->places)
		return;
	uint64_t took = monocle__nanoseconds (CLOCK_MONOTONIC) - watch->wall;
	if (took <= LONG_NS)
		return;
	read_usage (&usage);
	if (usage.ru_nivcsw != watch->involuntary && usage.ru_nvcsw == watch->voluntary)
		took = cpu_ns (&usage) - watch->cpu;
	if (took <= LONG_NS)
		return;
	uint64_t longest = atomic_load (&slow->longest);
	while (longest < took && !atomic_compare_exchange_weak (&slow->longest, &longest, took))
		;
	if (atomic_fetch_add (&slow->count, 1) == 0)
		report_first (slow, watch->places, subject, took);
}
