/*
 * SPDX-License-Identifier: MIT
 *
 * counted.c - covers what it is asked to, and writes down all that it is told: by Mono's functions each point, and
 * where monocle_coverage_set_counters () is there, each way out of a branch.
 *
 * Options: `output=FILE`; `image=NAME` (its methods; may come again; none: all images); `mode=hits|counts|own` (`own`:
 * the counters stay the core's, no arms then); `low` (counters below 2 GiB); `brief` (sums only); `calls`, `contexts`
 * and `clauses`: these events as well; `again`: call probes come and go from the first call on.
 *
 *   image   NAME
 *   method  D|I TOKEN NAME                               a definition, or an instance that was compiled
 *   point   TOKEN OFFSET COUNTER LINE COLUMN FILE        of the method above
 *   arm     TOKEN OFFSET PATH COUNTER LINE TARGET SWITCH FILE
 */
#include <dlfcn.h>
#include <inttypes.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <mono/metadata/assembly.h>
#include <mono/metadata/class.h>
#include <mono/metadata/debug-helpers.h>
#include <mono/metadata/image.h>
#include <mono/metadata/loader.h>
#include <mono/metadata/profiler.h>
#include <monocle/ext.h>

enum { TABLE_METHOD = 6, IMAGES_MAX = 16, BLOCK = 1 << 20 };

typedef struct {
	MonoMethod *method;
	uint32_t count;
	void *at;
} counters;

struct _MonoProfiler {
	MonoProfilerHandle handle;
	FILE *output;
	char *wanted[IMAGES_MAX];
	unsigned wanted_count;
	MonocleCoverageMode mode; /* 0: the core's own */
	mono_bool low, brief, failed;
	_Atomic (MonoProfilerCallInstrumentationFlags) flags;
	pthread_t thread;
	sem_t called; /* of a first call that was told of */
	atomic_bool stop;
	_Atomic (uint64_t) events;
	pthread_mutex_t lock;
	MonoMethod **asked; /* by the filter, each once in a row */
	size_t asked_count, asked_capacity;
	MonoImage **images;
	size_t image_count;
	counters *all;
	size_t count;
	char *block, *block_end;
	uint64_t points, covered, arms, methods;
	MonoMethod *now;
	uint64_t plans;
};

static struct _MonoProfiler profiler = { .lock = PTHREAD_MUTEX_INITIALIZER };

MONO_API void mono_profiler_init_counted (const char *desc);

/* Mono has none of ours. */
static __typeof__ (&monocle_coverage_set_counters) set_counters;
static __typeof__ (&monocle_coverage_plan) plan_of;
static __typeof__ (&monocle_reinstrument) reinstrument;

static MonoImage *
image_of (MonoMethod *method)
{
	MonoClass *klass = mono_method_get_class (method);
	return klass ? mono_class_get_image (klass) : NULL;
}

static mono_bool
is_wanted (const MonoProfiler *prof, MonoImage *image)
{
	const char *name = image ? mono_image_get_name (image) : NULL;
	for (unsigned i = 0; name && i < prof->wanted_count; i++)
		if (strcmp (prof->wanted[i], name) == 0)
			return 1;
	return !prof->wanted_count;
}

static void
remember_image (MonoProfiler *prof, MonoImage *image)
{
	for (size_t i = 0; i < prof->image_count; i++)
		if (prof->images[i] == image)
			return;
	prof->images = realloc (prof->images, (prof->image_count + 1) * sizeof *prof->images);
	prof->images[prof->image_count++] = image;
}

static mono_bool
filter (MonoProfiler *prof, MonoMethod *method)
{
	MonoImage *image = image_of (method);
	if (!is_wanted (prof, image))
		return 0;
	pthread_mutex_lock (&prof->lock);
	if (image)
		remember_image (prof, image);
	if (prof->asked_count == prof->asked_capacity) {
		prof->asked_capacity = prof->asked_capacity ? 2 * prof->asked_capacity : 1024;
		prof->asked = realloc (prof->asked, prof->asked_capacity * sizeof *prof->asked);
	}
	if (!prof->asked_count || prof->asked[prof->asked_count - 1] != method)
		prof->asked[prof->asked_count++] = method;
	pthread_mutex_unlock (&prof->lock);
	return 1;
}

/* --- counters ----------------------------------------------------------------------------------------------------- */

static void *
take (MonoProfiler *prof, size_t size)
{
	size = (size + 7) & ~(size_t) 7;
	if (size > BLOCK || (size_t) (prof->block_end - prof->block) < size) {
		size_t length = size > BLOCK ? size : BLOCK;
		int flags = MAP_PRIVATE | MAP_ANONYMOUS | (prof->low ? MAP_32BIT : 0);
		char *block = mmap (NULL, length, PROT_READ | PROT_WRITE, flags, -1, 0);
		if (block == MAP_FAILED)
			return NULL;
		prof->block = block;
		prof->block_end = block + length;
	}
	prof->block += size;
	return prof->block - size;
}

static counters *
find (MonoProfiler *prof, MonoMethod *method)
{
	for (size_t i = 0; i < prof->count; i++)
		if (prof->all[i].method == method)
			return &prof->all[i];
	return NULL;
}

static void *
ask (void *data, const MonocleCoveragePlan *plan)
{
	MonoProfiler *prof = data;
	pthread_mutex_lock (&prof->lock);
	counters *known = prof->brief ? NULL : find (prof, plan->method);
	void *at = known ? known->at : take (prof, plan->counter_count * (size_t) prof->mode);
	if (!known) {
		prof->all = realloc (prof->all, (prof->count + 1) * sizeof *prof->all);
		prof->all[prof->count++] = (counters) { plan->method, plan->counter_count, at };
	} else if (known->count != plan->counter_count)
		prof->failed = 1;
	pthread_mutex_unlock (&prof->lock);
	return at;
}

/* --- what is written ---------------------------------------------------------------------------------------------- */

static void
write_point (MonoProfiler *prof, const MonoProfilerCoverageData *point)
{
	prof->points++;
	prof->covered += point->counter != 0;
	if (!prof->brief)
		fprintf (prof->output, "point\t%08x\t%u\t%u\t%u\t%u\t%s\n", mono_method_get_token (prof->now), point->il_offset,
		         point->counter, point->line, point->column, point->file_name ? point->file_name : "-");
}

static void
write_arms (void *data, const MonocleCoveragePlan *plan)
{
	MonoProfiler *prof = data;
	const counters *found = find (prof, plan->method);
	for (uint32_t i = 0; i < plan->arm_count; i++) {
		const MonocleCoverageArm *arm = &plan->arms[i];
		const MonocleCoveragePoint *point = &plan->points[arm->point];
		uint32_t value = 0;
		if (found && found->at)
			value = prof->mode == MONOCLE_COVERAGE_HITS ? ((uint8_t *) found->at)[arm->counter]
			                                            : ((uint32_t *) found->at)[arm->counter];
		fprintf (prof->output, "arm\t%08x\t%u\t%u\t%u\t%u\t%u\t%u\t%s\n", mono_method_get_token (plan->method),
		         arm->il_offset, arm->path, value, point->start_line, arm->target_offset, arm->of_switch,
		         point->document ? point->document->path : "-");
	}
}

static void
write_method (MonoProfiler *prof, MonoMethod *method, const char *kind)
{
	char *name = prof->brief ? NULL : mono_method_full_name (method, 1);
	prof->now = method;
	prof->methods++;
	if (name)
		fprintf (prof->output, "method\t%s\t%08x\t%s\n", kind, mono_method_get_token (method), name);
	mono_free (name);
	mono_profiler_get_coverage_data (prof->handle, method, write_point);
	if (plan_of && prof->mode && !prof->brief && *kind == 'D')
		plan_of (method, write_arms, prof);
}

static void
write_image (MonoProfiler *prof, MonoImage *image)
{
	int rows = mono_image_get_table_rows (image, TABLE_METHOD);
	MonoMethod **own = calloc (prof->asked_count + 1, sizeof *own);
	size_t count = 0;
	for (size_t i = 0; own && i < prof->asked_count; i++)
		if (image_of (prof->asked[i]) == image)
			own[count++] = prof->asked[i];
	fprintf (prof->output, "image\t%s\n", mono_image_get_name (image));
	for (int row = 1; row <= rows; row++) {
		MonoMethod *method = mono_get_method (image, 0x06000000u | (uint32_t) row, NULL);
		if (method)
			write_method (prof, method, "D");
		for (size_t i = 0; i < count; i++)
			if (own[i] != method && mono_method_get_token (own[i]) == (0x06000000u | (uint32_t) row))
				write_method (prof, own[i], "I");
	}
	free (own);
}

static int
compare (const void *a, const void *b)
{
	uintptr_t x = *(const uintptr_t *) a, y = *(const uintptr_t *) b;
	return x < y ? -1 : x > y;
}

static void
sort_asked (MonoProfiler *prof)
{
	size_t kept = 0;
	qsort (prof->asked, prof->asked_count, sizeof *prof->asked, compare);
	for (size_t i = 0; i < prof->asked_count; i++)
		if (!i || prof->asked[i] != prof->asked[i - 1])
			prof->asked[kept++] = prof->asked[i];
	prof->asked_count = kept;
}

/* With `brief`, methods of which instances are told are those of one image alone. */
static void
shutdown_end (MonoProfiler *prof)
{
	sort_asked (prof);
	for (size_t i = 0; prof->output && !prof->brief && i < prof->image_count; i++)
		write_image (prof, prof->images[i]);
	for (size_t i = 0; prof->output && prof->brief && i < prof->asked_count; i++)
		write_method (prof, prof->asked[i], "D");
	if (!prof->output)
		return;
	fprintf (prof->output, "sum\t%" PRIu64 "\t%" PRIu64 "\t%" PRIu64 "\t%" PRIu64 "\t%zu\n", prof->methods,
	         prof->points, prof->covered, (uint64_t) prof->events, prof->count);
	fprintf (prof->output, "end\t%s\n", prof->failed ? "the counters of a method changed their number" : "ok");
	fclose (prof->output);
	prof->output = NULL;
}

/* --- other events of the same methods ----------------------------------------------------------------------------- */

static MonoProfilerCallInstrumentationFlags
call_filter (MonoProfiler *prof, MonoMethod *method)
{
	return is_wanted (prof, image_of (method)) ? prof->flags : MONO_PROFILER_CALL_INSTRUMENTATION_NONE;
}

static void
call (MonoProfiler *prof, MonoMethod *method, MonoProfilerCallContext *context)
{
	if (!atomic_fetch_add_explicit (&prof->events, 1, memory_order_relaxed))
		sem_post (&prof->called);
}

static void
tail_call (MonoProfiler *prof, MonoMethod *method, MonoMethod *target)
{
	atomic_fetch_add_explicit (&prof->events, 1, memory_order_relaxed);
}

static void
exception_leave (MonoProfiler *prof, MonoMethod *method, MonoObject *exception)
{
	atomic_fetch_add_explicit (&prof->events, 1, memory_order_relaxed);
}

static void
clause (MonoProfiler *prof, MonoMethod *method, uint32_t index, MonoExceptionEnum type, MonoObject *exception)
{
	atomic_fetch_add_explicit (&prof->events, 1, memory_order_relaxed);
}

static void
listen (MonoProfiler *prof, const char *word)
{
	if (strcmp (word, "clauses") == 0) {
		mono_profiler_set_exception_clause_callback (prof->handle, clause);
		return;
	}
	prof->flags = MONO_PROFILER_CALL_INSTRUMENTATION_ENTER | MONO_PROFILER_CALL_INSTRUMENTATION_LEAVE |
	              MONO_PROFILER_CALL_INSTRUMENTATION_TAIL_CALL | MONO_PROFILER_CALL_INSTRUMENTATION_EXCEPTION_LEAVE;
	if (strcmp (word, "contexts") == 0 && mono_profiler_enable_call_context_introspection ())
		prof->flags |=
		    MONO_PROFILER_CALL_INSTRUMENTATION_ENTER_CONTEXT | MONO_PROFILER_CALL_INSTRUMENTATION_LEAVE_CONTEXT;
	mono_profiler_set_call_instrumentation_filter_callback (prof->handle, call_filter);
	mono_profiler_set_method_enter_callback (prof->handle, call);
	mono_profiler_set_method_leave_callback (prof->handle, call);
	mono_profiler_set_method_tail_call_callback (prof->handle, tail_call);
	mono_profiler_set_method_exception_leave_callback (prof->handle, exception_leave);
}

/* From the first call on calls are not wanted, and are, until the program ends. */
static void *
toggle (void *data)
{
	MonoProfiler *prof = data;
	sem_wait (&prof->called);
	while (!atomic_load (&prof->stop)) {
		prof->flags =
		    prof->flags ^ (MONO_PROFILER_CALL_INSTRUMENTATION_ENTER | MONO_PROFILER_CALL_INSTRUMENTATION_LEAVE);
		reinstrument ();
	}
	return NULL;
}

static void
initialized (MonoProfiler *prof)
{
	pthread_create (&prof->thread, NULL, toggle, prof);
}

static void
shutdown_begin (MonoProfiler *prof)
{
	atomic_store (&prof->stop, true);
	sem_post (&prof->called);
	pthread_join (prof->thread, NULL);
}

static void
begin_toggling (MonoProfiler *prof)
{
	reinstrument = (__typeof__ (reinstrument)) dlsym (RTLD_DEFAULT, "monocle_reinstrument");
	prof->flags = MONO_PROFILER_CALL_INSTRUMENTATION_ENTER | MONO_PROFILER_CALL_INSTRUMENTATION_LEAVE;
	mono_profiler_set_call_instrumentation_filter_callback (prof->handle, call_filter);
	mono_profiler_set_method_enter_callback (prof->handle, call);
	mono_profiler_set_method_leave_callback (prof->handle, call);
	mono_profiler_set_runtime_initialized_callback (prof->handle, initialized);
	mono_profiler_set_runtime_shutdown_begin_callback (prof->handle, shutdown_begin);
}

/* --- options ------------------------------------------------------------------------------------------------------ */

static void
option (MonoProfiler *prof, const char *word)
{
	if (strncmp (word, "output=", 7) == 0)
		prof->output = fopen (word + 7, "w");
	else if (strncmp (word, "image=", 6) == 0 && prof->wanted_count < IMAGES_MAX)
		prof->wanted[prof->wanted_count++] = strdup (word + 6);
	else if (strcmp (word, "mode=hits") == 0)
		prof->mode = MONOCLE_COVERAGE_HITS;
	else if (strcmp (word, "mode=counts") == 0)
		prof->mode = MONOCLE_COVERAGE_COUNTS;
	else if (strcmp (word, "low") == 0)
		prof->low = 1;
	else if (strcmp (word, "brief") == 0)
		prof->brief = 1;
	else if (strcmp (word, "again") == 0)
		begin_toggling (prof);
	else if (strcmp (word, "calls") == 0 || strcmp (word, "contexts") == 0 || strcmp (word, "clauses") == 0)
		listen (prof, word);
	else if (strcmp (word, "mode=own") != 0)
		fprintf (stderr, "counted: unknown option '%s'\n", word);
}

MONO_API void
mono_profiler_init_counted (const char *desc)
{
	MonoProfiler *prof = &profiler;
	const char *colon = strchr (desc, ':');
	char *options = strdup (colon ? colon + 1 : ""), *state = NULL;
	set_counters = (__typeof__ (set_counters)) dlsym (RTLD_DEFAULT, "monocle_coverage_set_counters");
	plan_of = (__typeof__ (plan_of)) dlsym (RTLD_DEFAULT, "monocle_coverage_plan");
	prof->handle = mono_profiler_create (prof);
	sem_init (&prof->called, 0, 0);
	if (!mono_profiler_enable_coverage ())
		fprintf (stderr, "counted: there is no coverage\n");
	for (char *word = strtok_r (options, ",", &state); word; word = strtok_r (NULL, ",", &state))
		option (prof, word);
	if (!set_counters)
		prof->mode = 0;
	if (prof->mode && !set_counters (prof->mode, ask, prof))
		fprintf (stderr, "counted: counters lie elsewhere\n");
	mono_profiler_set_runtime_shutdown_end_callback (prof->handle, shutdown_end);
	mono_profiler_set_coverage_filter_callback (prof->handle, filter);
	free (options);
}
