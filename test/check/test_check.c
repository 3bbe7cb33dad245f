/*
 * SPDX-License-Identifier: MIT
 *
 * test_check.c - MONOCLE_CHECK=1 under a scripted host: each mistake of the module misbehave is one line.
 *
 * The module is a real one, opened by the core's loader; the host raises the events of every place, also those that
 * the real hosts do not raise yet.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>
#include <cmocka.h>
#include <monocle/host.h>
#include "child.h"

static MonoImage *image;
static MonoMethod *calls;

static int
describe_method (void *host, MonoMethod *method, monocle_method_info *ret_info)
{
	ret_info->name = "Calls";
	ret_info->klass = monocle_class_def (image, 0x02000002);
	return 0;
}

static int
describe_class (void *host, MonoClass *klass, monocle_class_info *ret_info)
{
	ret_info->name = "Program";
	ret_info->name_space = "";
	ret_info->element_type = MONO_TYPE_CLASS;
	return 0;
}

static int
enable (void *host, monocle_feature feature)
{
	return 1;
}

static const monocle_host_ops host = {
	.size = sizeof host,
	.api_version = MONOCLE_HOST_API_VERSION,
	.name = "test",
	.enable = enable,
	.describe_method = describe_method,
	.describe_class = describe_class,
};

static void
start_with (const char *check, const char *desc)
{
	setenv ("MONOCLE_MODULE_PATH", MODULE_FOLDER, 1);
	setenv ("MONOCLE_CHECK", check, 1);
	CHECK (monocle_host_init (&host) == MONOCLE_OK);
	monocle_thread_attach ((uintptr_t) pthread_self ());
	CHECK (monocle_host_load (desc) == MONOCLE_OK);
	image = monocle_image_new ("/nowhere/misbehave.exe", MONOCLE_IMAGE_MAIN, 2, 2, NULL);
	calls = monocle_method_def (image, 0x06000001);
	monocle_host_startup_done ();
}

static void
start (const char *check)
{
	start_with (check, MODULE ":allocations");
}

static void
on_profiling_signal (int number)
{
	monocle_raise_sample_hit (NULL, NULL);
}

static void
interrupt (void)
{
	signal (SIGPROF, on_profiling_signal);
	raise (SIGPROF);
}

static void
collect (void)
{
	monocle_raise_gc_event (MONO_GC_EVENT_PRE_STOP_WORLD, 0, 1);
	monocle_raise_gc_event (MONO_GC_EVENT_POST_STOP_WORLD, 0, 1);
	monocle_raise_gc_event (MONO_GC_EVENT_POST_START_WORLD, 0, 1);
}

#define LINE(function, where, why) \
	"monocle: module " MODULE " called " function " " where ", where it is not allowed: " why
#define SKIPPED "; it was not executed\n"
#define NORMAL  "it needs a normal context" SKIPPED
#define MEMORY  "it is not async-safe" SKIPPED

/* --- the tests ---------------------------------------------------------------------------------------------------- */

static void
one_round (void)
{
	start ("1");
	for (int i = 0; i < 2; i++) {
		monocle_raise_image_loaded (image);
		monocle_raise_jit_begin (calls);
		monocle_raise_method_enter (calls, NULL);
		collect ();
		monocle_raise_gc_allocation (NULL);
		interrupt ();
		monocle_raise_thread_exited (1);
	}
	monocle_raise_runtime_shutdown_end ();
	monocle_host_shutdown ();
}

#define JIT_BEGIN \
	LINE ("mono_profiler_enable_clauses", "after the init window", "it is for the init window\n") \
	LINE ("mono_profiler_call_context_get_this", "outside the callbacks that it is for", \
	      "it reads the context of a call event" SKIPPED) \
	LINE ("mono_image_loaded", "on a thread that the runtime does not know", "mono_thread_attach () makes it known\n") \
	LINE ("mono_image_loaded", "on a thread that has ended (thread_exited)", NORMAL)
#define IN_PROBE \
	LINE ("mono_image_loaded", "in a call probe (method_enter)", NORMAL) \
	LINE ("mono_method_full_name", "in a signal handler", MEMORY) \
	LINE ("mono_free", "in a signal handler", MEMORY) \
	LINE ("mono_method_desc_new", "in a signal handler", MEMORY)

static const char mistakes[] = LINE ("mono_image_loaded", "in the init window, before there is a runtime", NORMAL)
    LINE ("mono_class_from_name", "while something is half loaded (image_loaded)", NORMAL)
        JIT_BEGIN IN_PROBE LINE ("mono_method_full_name", "in a stopped world (gc_event)", MEMORY)
            LINE ("mono_free", "in a stopped world (gc_event)", MEMORY)
                LINE ("mono_image_loaded", "while the collector holds its lock (gc_event)", NORMAL)
                    LINE ("mono_image_loaded", "in an allocation (gc_allocation)", NORMAL)
                        LINE ("mono_thread_attach", "in the last event (runtime_shutdown_end)",
                              "threads cannot be attached or detached there" SKIPPED)
                            LINE ("mono_profiler_set_jit_begin_callback", "in a cleanup callback",
                                  "the handle is gone" SKIPPED);

/* On a busy machine, and under a sanitizer, any callback may be slow: that is said, and is another test's subject. */
static void
leave_out_slowness (char *lines)
{
	char *to = lines;
	for (char *line = lines, *next; *line; line = next) {
		size_t length = strcspn (line, "\n");
		next = line + length + (line[length] == '\n');
		char *about = strstr (line, " ms");
		if (about && about < next)
			continue;
		memmove (to, line, (size_t) (next - line));
		to += next - line;
	}
	*to = '\0';
}

static void
child_prints_of_mistakes (void (*body) (void), const char *should)
{
	char output[16384];
	assert_int_equal (child_run (body, output, sizeof output), 0);
	leave_out_slowness (output);
	assert_string_equal (output, should);
}

static void
each_mistake_is_reported_once (void **state)
{
	child_prints_of_mistakes (one_round, mistakes);
}

/* A class is loaded while a call probe runs: both places count, and the inner one is named. */
static void
load_inside_a_probe (MonoProfiler *prof, MonoMethod *method, MonoProfilerCallContext *context)
{
	static int depth;

	if (depth++ == 0)
		monocle_raise_image_loaded (image);
}

static void
nested (void)
{
	start ("1");
	monocle_raise_jit_begin (calls);
	MonoProfilerHandle mine = mono_profiler_create (NULL);
	mono_profiler_set_method_enter_callback (mine, load_inside_a_probe);
	monocle_raise_method_enter (calls, NULL);
	monocle_raise_method_enter (calls, NULL);
}

static const char nested_mistakes[] =
    LINE ("mono_image_loaded", "in the init window, before there is a runtime", NORMAL)
        JIT_BEGIN LINE ("mono_class_from_name", "while something is half loaded (image_loaded)", NORMAL) IN_PROBE;

static void
the_place_is_the_callbacks_own_when_others_raise_events (void **state)
{
	child_prints_of_mistakes (nested, nested_mistakes);
}

static void *
raise_much (void *unused)
{
	monocle_thread_attach ((uintptr_t) pthread_self ());
	for (int i = 0; i < 2000; i++)
		monocle_raise_gc_allocation (NULL);
	return NULL;
}

static void
many_threads (void)
{
	pthread_t threads[4];

	start ("1");
	for (int i = 0; i < 4; i++)
		CHECK (pthread_create (&threads[i], NULL, raise_much, NULL) == 0);
	for (int i = 0; i < 4; i++)
		pthread_join (threads[i], NULL);
}

static void
threads_do_not_report_twice (void **state)
{
	char output[16384];

	assert_int_equal (child_run (many_threads, output, sizeof output), 0);
	const char *first = strstr (output, "mono_image_loaded in an allocation");
	assert_non_null (first);
	assert_null (strstr (first + 1, "mono_image_loaded in an allocation"));
}

/* Without checks nothing is said, calls are executed, and late ones answer by themselves. */
static void
unchecked (void)
{
	start ("0");
	monocle_raise_jit_begin (calls);
	monocle_raise_thread_exited (1);
}

static void
nothing_is_said_without_checks (void **state)
{
	child_prints (unchecked, "");
}

/* What is said at exit comes before this; what a leak checker has to say of a child does not matter. */
static void
leave_at_once (void)
{
	_exit (0);
}

static void
slow_round (void)
{
	atexit (leave_at_once);
	start_with ("1", MODULE ":slow");
	for (int i = 0; i < 2; i++) {
		monocle_raise_method_enter (calls, NULL);
		collect ();
	}
	exit (0);
}

static void
callbacks_that_others_wait_for_are_reported_when_they_are_slow (void **state)
{
	char output[16384];
	assert_int_equal (child_run (slow_round, output, sizeof output), 0);
	const char *probe = strstr (output, " ms in a call probe (method_enter: Program:Calls");
	const char *world =
	    strstr (output, " ms in a stopped world (gc_event: MONO_GC_EVENT_POST_STOP_WORLD), where every");
	assert_true (probe && world && probe < world);
	assert_null (strstr (probe + 1, " ms in a call probe (method_enter: "));
	assert_null (strstr (world + 1, " ms in a stopped world (gc_event: "));
	assert_non_null (strstr (world, "module " MODULE " took longer than 1 ms in 2 callbacks of method_enter, "));
	assert_non_null (strstr (world, "module " MODULE " took longer than 1 ms in 2 callbacks of gc_event, "));
}

static void
quick_round (void)
{
	atexit (leave_at_once);
	start ("1");
	for (int i = 0; i < 2; i++) {
		monocle_raise_method_enter (calls, NULL);
		collect ();
	}
	exit (0);
}

static void
nothing_is_said_of_callbacks_that_are_quick (void **state)
{
	enum { TRIES = 20 };
	char output[16384] = " ms ";
	/* On a busy machine the thread may lose its processor in the middle of a callback. */
	for (int i = 0; i < TRIES && strstr (output, " ms "); i++)
		assert_int_equal (child_run (quick_round, output, sizeof output), 0);
	assert_null (strstr (output, " ms "));
}

int
main (void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test (each_mistake_is_reported_once),
		cmocka_unit_test (the_place_is_the_callbacks_own_when_others_raise_events),
		cmocka_unit_test (threads_do_not_report_twice),
		cmocka_unit_test (nothing_is_said_without_checks),
		cmocka_unit_test (callbacks_that_others_wait_for_are_reported_when_they_are_slow),
		cmocka_unit_test (nothing_is_said_of_callbacks_that_are_quick),
	};
	return cmocka_run_group_tests (tests, NULL, NULL);
}
