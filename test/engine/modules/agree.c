/*
 * SPDX-License-Identifier: MIT
 *
 * agree.c - asks the runtime for the stack, walks it without it, and compares.
 *
 * In callbacks that come in normal context (an allocation, an exception that is thrown, a method that is compiled, a
 * class that is loaded) mono_stack_walk_no_il () asks the runtime, and monocle_stack_walk_async_safe () over
 * getcontext () reads the stack: the methods must be the same, to the root.
 *
 * Options: `output=FILE` (one line "= NAME compared different lost filters", then the differences), `every=N`: one of N
 * allocations, default 16.
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
#include <mono/metadata/class.h>
#include <mono/metadata/debug-helpers.h>
#include <mono/metadata/image.h>
#include <mono/metadata/profiler.h>
#include <mono/metadata/tokentype.h>
#include <monocle/ext.h>

enum { FRAMES_MAX = 400, SHOWN = 24, KINDS = 4 };

typedef struct {
	unsigned count;
	struct {
		MonoMethod *method;
		int offset;
	} frames[FRAMES_MAX];
} stack;

struct _MonoProfiler {
	FILE *output;
	unsigned every, shown;
	pthread_mutex_t lock;
	_Atomic unsigned met, turns;
	struct {
		const char *name;
		_Atomic unsigned compared, different, lost, filters;
	} kinds[KINDS];
};

enum { ALLOCATION, THROW, COMPILE, CLASS };

static struct _MonoProfiler profiler = {
	.every = 16,
	.lock = PTHREAD_MUTEX_INITIALIZER,
	.kinds = { { .name = "allocation" }, { .name = "throw" }, { .name = "compile" }, { .name = "class" } }
};

MONO_API void mono_profiler_init_agree (const char *desc);

static mono_bool
ask (MonoMethod *method, int32_t native_offset, int32_t il_offset, mono_bool managed, void *data)
{
	stack *s = data;
	if (!managed)
		return 0;
	s->frames[s->count].method = method;
	s->frames[s->count].offset = native_offset;
	return ++s->count == FRAMES_MAX;
}

static int
read_frame (const monocle_frame *frame, void *data)
{
	stack *s = data;
	if (frame->kind != MONOCLE_FRAME_MANAGED)
		return 0;
	s->frames[s->count].method = frame->method;
	s->frames[s->count].offset = (int) frame->native_offset;
	return ++s->count == FRAMES_MAX;
}

static MonoImage *
image_of (MonoMethod *method)
{
	return mono_class_get_image (mono_method_get_class (method));
}

/* Shared code is of many instances; the definition is what both can know. */
static bool
is_same_method (MonoMethod *a, MonoMethod *b)
{
	if (a == b || !a || !b)
		return a == b;
	uint32_t token = mono_method_get_token (a);
	return token && token == mono_method_get_token (b) && image_of (a) == image_of (b);
}

static bool
is_same (const stack *a, const stack *b)
{
	bool same = a->count == b->count;
	for (unsigned i = 0; same && i < a->count; i++)
		same = is_same_method (a->frames[i].method, b->frames[i].method);
	return same;
}

/*
 * What the runtime does not show, or not always: from .NET 9 on the managed code that dispatches exceptions, and what
 * has no metadata: wrappers of calls out and in, dynamic methods.
 */
static bool
is_of_runtime (MonoMethod *method)
{
	MonoClass *klass = mono_method_get_class (method);
	return !mono_method_get_token (method) || (strcmp (mono_class_get_name (klass), "EH") == 0 &&
	                                           strcmp (mono_class_get_namespace (klass), "System.Runtime") == 0);
}

static void
drop_runtime (stack *s)
{
	unsigned kept = 0;
	for (unsigned i = 0; i < s->count; i++)
		if (!s->frames[i].method || !is_of_runtime (s->frames[i].method))
			s->frames[kept++] = s->frames[i];
	s->count = kept;
}

/*
 * The runtime shows under a filter whoever threw, down to the method that the filter is of; the walk leaves that
 * method. Takes what is between the first method that differs and its second mention out of what was asked.
 */
static bool
drop_thrower (stack *asked, const stack *walked)
{
	unsigned i = 0, again;
	while (i < asked->count && i < walked->count && is_same_method (asked->frames[i].method, walked->frames[i].method))
		i++;
	if (!i)
		return false;
	for (again = i; again < asked->count; again++)
		if (is_same_method (asked->frames[again].method, asked->frames[i - 1].method))
			break;
	if (again == asked->count)
		return false;
	memmove (&asked->frames[i], &asked->frames[again + 1], (asked->count - again - 1) * sizeof *asked->frames);
	asked->count -= again + 1 - i;
	return true;
}

static void
show (FILE *file, const char *title, const stack *s)
{
	fprintf (file, "  %s\n", title);
	for (unsigned i = 0; i < s->count && i < SHOWN; i++) {
		char *name = s->frames[i].method ? mono_method_full_name (s->frames[i].method, 1) : NULL;
		fprintf (file, "    %s +%x\n", name ? name : "?", (unsigned) s->frames[i].offset);
		free (name);
	}
}

static bool
has_names (const stack *s)
{
	for (unsigned i = 0; i < s->count; i++)
		if (!s->frames[i].method)
			return false;
	return true;
}

/* Code that nobody announced has its name a moment after it was met first: that is waited for, so many times in all. */
static bool
take_turn (void)
{
	enum { TURNS = 2000, PAUSE_NS = 1000000 };
	if (atomic_fetch_add (&profiler.turns, 1) >= TURNS)
		return false;
	nanosleep (&(struct timespec) { .tv_nsec = PAUSE_NS }, NULL);
	return true;
}

static int
walk (stack *ret)
{
	int result;
	do {
		ucontext_t context;
		ret->count = 0;
		getcontext (&context);
		result = monocle_stack_walk_async_safe (&context, 0, read_frame, ret);
	} while (!has_names (ret) && take_turn ());
	return result;
}

static void __attribute__ ((noinline)) compare (int kind)
{
	static __thread bool is_inside;
	stack asked = { .count = 0 }, walked = { .count = 0 };
	if (is_inside)
		return;
	is_inside = true;
	mono_stack_walk_no_il (ask, &asked);
	int result = walk (&walked);
	atomic_fetch_add (&profiler.kinds[kind].compared, 1);
	if (result < 0)
		atomic_fetch_add (&profiler.kinds[kind].lost, 1);
	drop_runtime (&walked);
	drop_runtime (&asked);
	bool has_filter = false;
	while (!is_same (&asked, &walked) && drop_thrower (&asked, &walked))
		has_filter = true;
	atomic_fetch_add (&profiler.kinds[kind].filters, has_filter);
	if (!is_same (&asked, &walked)) {
		pthread_mutex_lock (&profiler.lock);
		atomic_fetch_add (&profiler.kinds[kind].different, 1);
		if (profiler.shown++ < 40) {
			fprintf (profiler.output, "%s\n", profiler.kinds[kind].name);
			show (profiler.output, "asked", &asked);
			show (profiler.output, "walked", &walked);
		}
		pthread_mutex_unlock (&profiler.lock);
	}
	is_inside = false;
}

static void
on_allocation (MonoProfiler *prof, MonoObject *object)
{
	if (atomic_fetch_add (&prof->met, 1) % prof->every == 0)
		compare (ALLOCATION);
}

static void
on_throw (MonoProfiler *prof, MonoObject *exception)
{
	compare (THROW);
}

static void
on_compile (MonoProfiler *prof, MonoMethod *method)
{
	compare (COMPILE);
}

static void
on_class (MonoProfiler *prof, MonoClass *klass)
{
	compare (CLASS);
}

static void
shutdown_end (MonoProfiler *prof)
{
	for (unsigned i = 0; i < KINDS; i++)
		fprintf (prof->output, "= %s %u %u %u %u\n", prof->kinds[i].name, prof->kinds[i].compared,
		         prof->kinds[i].different, prof->kinds[i].lost, prof->kinds[i].filters);
	fclose (prof->output);
}

static void
take_option (const char *word)
{
	if (strncmp (word, "output=", 7) == 0)
		profiler.output = fopen (word + 7, "w");
	else if (strncmp (word, "every=", 6) == 0)
		profiler.every = (unsigned) atoi (word + 6);
}

MONO_API void
mono_profiler_init_agree (const char *desc)
{
	char *copy = strdup (strchr (desc, ':') ? strchr (desc, ':') + 1 : ""), *rest = copy;
	for (char *word; (word = strsep (&rest, ","));)
		take_option (word);
	free (copy);
	profiler.output = profiler.output ? profiler.output : stderr;
	profiler.every = profiler.every ? profiler.every : 1;
	MonoProfilerHandle handle = mono_profiler_create (&profiler);
	if (!monocle_stack_walk_async_safe || !mono_profiler_enable_sampling (handle) ||
	    !mono_profiler_enable_allocations ())
		fprintf (profiler.output, "not everything is granted\n");
	mono_profiler_set_gc_allocation_callback (handle, on_allocation);
	mono_profiler_set_exception_throw_callback (handle, on_throw);
	mono_profiler_set_jit_begin_callback (handle, on_compile);
	mono_profiler_set_class_loaded_callback (handle, on_class);
	mono_profiler_set_runtime_shutdown_end_callback (handle, shutdown_end);
}
