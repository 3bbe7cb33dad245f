/*
 * SPDX-License-Identifier: MIT
 *
 * test_module_api.c - filters, features, the old API: what a module may ask, under a scripted host.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>
#include <monocle/host.h>
#include "child.h"

static char trace[4096];

#ifdef __GNUC__
__attribute__ ((format (printf, 1, 2)))
#endif
static void
note (const char *format, ...)
{
	size_t length = strlen (trace);
	va_list arguments;

	if (length)
		trace[length++] = ' ';
	va_start (arguments, format);
	vsnprintf (trace + length, sizeof trace - length, format, arguments);
	va_end (arguments);
}

static unsigned granted;

static int
host_enable (void *host, monocle_feature feature)
{
	note ("enable:%d", (int) feature);
	return granted >> feature & 1;
}

static void
host_filter_changed (void *host)
{
	note ("changed:%d", monocle_call_filter_installed ());
}

static MonoClass *
host_object_class (void *host, MonoObject *object)
{
	return (MonoClass *) ((char *) object + 1);
}

static const monocle_host_ops host = {
	.size = sizeof host,
	.api_version = MONOCLE_HOST_API_VERSION,
	.name = "test",
	.enable = host_enable,
	.call_filter_changed = host_filter_changed,
	.object_class = host_object_class,
};

static void
open_window (unsigned features)
{
	granted = features;
	CHECK (monocle_host_init (&host) == MONOCLE_OK);
}

static MonoProfilerHandle
handle_named (const char *name)
{
	return mono_profiler_create ((MonoProfiler *) name);
}

/* --- filters ------------------------------------------------------------------------------------------------------ */

static MonoProfilerCallInstrumentationFlags
ask_enter (MonoProfiler *prof, MonoMethod *method)
{
	note ("ask:%s", (const char *) prof);
	return MONO_PROFILER_CALL_INSTRUMENTATION_ENTER;
}

static MonoProfilerCallInstrumentationFlags
ask_leave (MonoProfiler *prof, MonoMethod *method)
{
	note ("ask:%s", (const char *) prof);
	return MONO_PROFILER_CALL_INSTRUMENTATION_LEAVE | MONO_PROFILER_CALL_INSTRUMENTATION_TAIL_CALL;
}

static mono_bool
cover_no (MonoProfiler *prof, MonoMethod *method)
{
	note ("cover:%s", (const char *) prof);
	return 0;
}

static mono_bool
cover_yes (MonoProfiler *prof, MonoMethod *method)
{
	note ("cover:%s", (const char *) prof);
	return 4;
}

static void
call_filters (void)
{
	CHECK (monocle_call_flags (NULL) == 0 && !monocle_call_filter_installed ());
	mono_profiler_set_call_instrumentation_filter_callback (handle_named ("a"), ask_enter);
	handle_named ("silent");
	mono_profiler_set_call_instrumentation_filter_callback (handle_named ("c"), ask_leave);
	CHECK (monocle_call_filter_installed ());
	CHECK (monocle_call_flags (NULL) ==
	       (MONO_PROFILER_CALL_INSTRUMENTATION_ENTER | MONO_PROFILER_CALL_INSTRUMENTATION_LEAVE |
	        MONO_PROFILER_CALL_INSTRUMENTATION_TAIL_CALL));
	CHECK_STRING (trace, "ask:c ask:a");
}

static void
call_filters_are_all_asked_newest_first_and_ored (void **state)
{
	child_passes (call_filters);
}

static void
coverage_filters (void)
{
	MonoProfilerHandle a = handle_named ("a"), b = handle_named ("b"), c = handle_named ("c");

	CHECK (!monocle_coverage_wanted (NULL));
	mono_profiler_set_coverage_filter_callback (a, cover_no);
	CHECK (!monocle_coverage_wanted (NULL));
	mono_profiler_set_coverage_filter_callback (b, cover_yes);
	mono_profiler_set_coverage_filter_callback (c, cover_no);
	CHECK (monocle_coverage_wanted (NULL) == 1);
	CHECK_STRING (trace, "cover:a cover:c cover:b cover:a");
}

static void
coverage_filters_are_all_asked_although_one_says_yes (void **state)
{
	child_passes (coverage_filters);
}

static void
filter_changes (void)
{
	MonoProfilerHandle a = handle_named ("a");

	mono_profiler_set_call_instrumentation_filter_callback (a, ask_enter);
	open_window (0);
	mono_profiler_set_call_instrumentation_filter_callback (a, ask_enter);
	note ("|");
	mono_profiler_set_call_instrumentation_filter_callback (a, ask_leave);
	mono_profiler_set_call_instrumentation_filter_callback (a, NULL);
	mono_profiler_set_call_instrumentation_filter_callback (a, NULL);
	note ("|");
	mono_profiler_set_call_instrumentation_filter_callback (a, ask_leave);
	monocle_host_startup_done ();
	monocle_host_shutdown ();
	CHECK_STRING (trace, "changed:1 | changed:1 changed:0 | changed:1");
	CHECK (monocle_call_flags (NULL) == 0 && !monocle_call_filter_installed ());
}

static void
the_host_is_told_when_a_call_filter_comes_changes_or_goes (void **state)
{
	child_passes (filter_changes);
}

/* --- features ----------------------------------------------------------------------------------------------------- */

static void
windows (void)
{
	CHECK (!mono_profiler_enable_allocations ());
	open_window (~0u);
	CHECK (mono_profiler_enable_allocations () == 1);
	CHECK (mono_profiler_enable_allocations () == 1);
	monocle_host_startup_done ();
	CHECK (!mono_profiler_enable_allocations () && !mono_profiler_enable_clauses ());
	monocle_host_reopen ();
	CHECK (mono_profiler_enable_clauses () == 1);
	monocle_host_startup_done ();
	CHECK (!mono_profiler_enable_coverage ());
	monocle_host_shutdown ();
	monocle_host_reopen ();
	CHECK (!mono_profiler_enable_coverage () && !mono_profiler_enable_call_context_introspection ());
	CHECK_STRING (trace, "enable:2 enable:3");
}

static void
features_are_granted_in_an_init_window_only_and_the_host_is_asked_once (void **state)
{
	child_passes (windows);
}

static void
refusals (void)
{
	MonoProfilerHandle a = handle_named ("a");

	open_window (0);
	for (int i = 0; i < 2; i++)
		CHECK (!mono_profiler_enable_coverage () && !mono_profiler_enable_allocations () &&
		       !mono_profiler_enable_clauses () && !mono_profiler_enable_call_context_introspection () &&
		       !mono_profiler_enable_sampling (a));
}

static void
a_refused_feature_is_said_once_by_name (void **state)
{
	child_prints (refusals, "monocle: a module asks for coverage, which the host test does not grant\n"
	                        "monocle: a module asks for allocations, which the host test does not grant\n"
	                        "monocle: a module asks for exception clauses, which the host test does not grant\n"
	                        "monocle: a module asks for call contexts, which the host test does not grant\n"
	                        "monocle: a module asks for sampling, which the host test does not grant\n");
}

static void
sample_modes (void)
{
	MonoProfilerHandle a = handle_named ("a"), b = handle_named ("b");
	MonoProfilerSampleMode mode = MONO_PROFILER_SAMPLE_MODE_REAL;
	uint32_t frequency = 7;

	open_window (1u << MONOCLE_FEATURE_SAMPLING);
	CHECK (!mono_profiler_set_sample_mode (NULL, MONO_PROFILER_SAMPLE_MODE_REAL, 10));
	CHECK (!mono_profiler_get_sample_mode (a, &mode, &frequency) && mode == 0 && frequency == 0);
	CHECK (!mono_profiler_enable_sampling (NULL));
	CHECK (mono_profiler_enable_sampling (a) == 1 && mono_profiler_enable_sampling (b) == 1);
	CHECK (mono_profiler_get_sample_mode (a, &mode, &frequency) == 1);
	CHECK (mode == MONO_PROFILER_SAMPLE_MODE_NONE && frequency == 100);
	CHECK (!mono_profiler_get_sample_mode (b, NULL, NULL) && !mono_profiler_get_sample_mode (NULL, NULL, NULL));
	monocle_host_startup_done ();
	CHECK (!mono_profiler_set_sample_mode (b, MONO_PROFILER_SAMPLE_MODE_REAL, 10));
	CHECK (!mono_profiler_set_sample_mode (NULL, MONO_PROFILER_SAMPLE_MODE_REAL, 10));
	CHECK (!mono_profiler_set_sample_mode (a, MONO_PROFILER_SAMPLE_MODE_REAL, 0));
	CHECK (!mono_profiler_set_sample_mode (a, (MonoProfilerSampleMode) 3, 10));
	CHECK (mono_profiler_set_sample_mode (a, MONO_PROFILER_SAMPLE_MODE_REAL, 4000000000u) == 1);
	CHECK (!mono_profiler_get_sample_mode (b, &mode, &frequency));
	CHECK (mode == MONO_PROFILER_SAMPLE_MODE_REAL && frequency == 4000000000u);
	CHECK (mono_profiler_set_sample_mode (a, MONO_PROFILER_SAMPLE_MODE_NONE, 0) == 1);
}

static void
the_first_handle_owns_the_sample_mode_and_the_others_may_look (void **state)
{
	child_passes (sample_modes);
}

static void
on_coverage (MonoProfiler *prof, const MonoProfilerCoverageData *data)
{
	note ("coverage");
}

static void
off (void)
{
	MonoProfilerCallContext *context = (MonoProfilerCallContext *) trace;

	open_window (0);
	CHECK (!mono_profiler_get_coverage_data (handle_named ("a"), NULL, on_coverage));
	CHECK (!mono_profiler_call_context_get_this (context) && !mono_profiler_call_context_get_argument (context, 0));
	CHECK (!mono_profiler_call_context_get_local (context, 0) && !mono_profiler_call_context_get_result (context));
	CHECK (!mono_profiler_call_context_get_this (NULL));
	mono_profiler_call_context_free_buffer (malloc (8));
	mono_profiler_call_context_free_buffer (NULL);
	CHECK_STRING (trace, "");
}

static void
coverage_data_and_call_contexts_answer_nothing_while_off (void **state)
{
	child_prints (off, "");
}

/* --- the old API -------------------------------------------------------------------------------------------------- */

void mono_profiler_install (MonoProfiler *prof, void (*shutdown) (MonoProfiler *prof));
void mono_profiler_install_thread (void (*start) (MonoProfiler *prof, uintptr_t tid),
                                   void (*end) (MonoProfiler *prof, uintptr_t tid));
void mono_profiler_install_gc (void (*event) (MonoProfiler *prof, MonoProfilerGCEvent event, int generation),
                               void (*resize) (MonoProfiler *prof, int64_t size));
void mono_profiler_install_jit_end (void (*end) (MonoProfiler *prof, MonoMethod *method, MonoJitInfo *jinfo,
                                                 int result));
void mono_profiler_install_allocation (void (*allocation) (MonoProfiler *prof, MonoObject *object, MonoClass *klass));
void mono_profiler_install_enter_leave (void (*enter) (MonoProfiler *prof, MonoMethod *method),
                                        void (*leave) (MonoProfiler *prof, MonoMethod *method));
void mono_profiler_install_exception (void (*exception) (MonoProfiler *prof, MonoObject *object),
                                      void (*leave) (MonoProfiler *prof, MonoMethod *method),
                                      void (*clause) (MonoProfiler *prof, MonoMethod *method, int type, int index));
void mono_profiler_set_events (int flags);

#define NUMBER(pointer) ((int) (uintptr_t) (pointer))

static void
old_shutdown (MonoProfiler *prof)
{
	note ("shutdown:%s", (const char *) prof);
}

static void
old_thread_start (MonoProfiler *prof, uintptr_t tid)
{
	note ("start:%s:%d", (const char *) prof, (int) tid);
}

static void
old_thread_end (MonoProfiler *prof, uintptr_t tid)
{
	note ("end:%s:%d", (const char *) prof, (int) tid);
}

static void
old_gc (MonoProfiler *prof, MonoProfilerGCEvent event, int generation)
{
	note ("gc:%s:%d:%d", (const char *) prof, (int) event, generation);
}

static void
old_resize (MonoProfiler *prof, int64_t size)
{
	note ("resize:%s:%d", (const char *) prof, (int) size);
}

static void
old_jit_end (MonoProfiler *prof, MonoMethod *method, MonoJitInfo *jinfo, int result)
{
	note ("jit:%s:%d:%d:%d", (const char *) prof, NUMBER (method), NUMBER (jinfo), result);
}

static void
old_allocation (MonoProfiler *prof, MonoObject *object, MonoClass *klass)
{
	note ("alloc:%s:%d:%d", (const char *) prof, NUMBER (object), NUMBER (klass));
}

static void
old_enter (MonoProfiler *prof, MonoMethod *method)
{
	note (">%s:%d", (const char *) prof, NUMBER (method));
}

static void
old_leave (MonoProfiler *prof, MonoMethod *method)
{
	note ("<%s:%d", (const char *) prof, NUMBER (method));
}

static void
old_throw (MonoProfiler *prof, MonoObject *object)
{
	note ("throw:%s:%d", (const char *) prof, NUMBER (object));
}

static void
old_exception_leave (MonoProfiler *prof, MonoMethod *method)
{
	note ("!%s:%d", (const char *) prof, NUMBER (method));
}

static void
old_clause (MonoProfiler *prof, MonoMethod *method, int type, int index)
{
	note ("clause:%s:%d:type%d:index%d", (const char *) prof, NUMBER (method), type, index);
}

static void
raise_what_the_old_api_hears (void)
{
	monocle_raise_thread_started (5);
	monocle_raise_jit_done ((MonoMethod *) 6, (MonoJitInfo *) 7);
	monocle_raise_jit_failed ((MonoMethod *) 6);
	monocle_raise_method_enter ((MonoMethod *) 6, NULL);
	monocle_raise_method_leave ((MonoMethod *) 6, NULL);
	monocle_raise_method_tail_call ((MonoMethod *) 8, NULL);
	monocle_raise_exception_throw ((MonoObject *) 9);
	monocle_raise_exception_clause ((MonoMethod *) 6, 3, MONO_EXCEPTION_CLAUSE_FINALLY, NULL);
	monocle_raise_method_exception_leave ((MonoMethod *) 6, NULL);
	monocle_raise_gc_allocation ((MonoObject *) 10);
	monocle_raise_gc_event (MONO_GC_EVENT_END, 1, 1);
	monocle_raise_gc_resize (4096);
	monocle_raise_thread_stopped (5);
	monocle_raise_runtime_shutdown_end ();
}

static void
old_api (void)
{
	open_window (0);
	mono_profiler_install ((MonoProfiler *) "a", old_shutdown);
	mono_profiler_install_thread (old_thread_start, old_thread_end);
	mono_profiler_install_gc (old_gc, old_resize);
	mono_profiler_install_jit_end (old_jit_end);
	mono_profiler_install_allocation (old_allocation);
	mono_profiler_install_enter_leave (old_enter, old_leave);
	mono_profiler_install_exception (old_throw, old_exception_leave, old_clause);
	mono_profiler_set_events (-1);
	monocle_host_startup_done ();
	raise_what_the_old_api_hears ();
	CHECK_STRING (trace, "start:a:5 jit:a:6:7:0 jit:a:6:0:1 >a:6 <a:6 <a:8 throw:a:9 clause:a:6:type2:index3 !a:6 "
	                     "alloc:a:10:11 gc:a:5:1 resize:a:4096 end:a:5 shutdown:a");
}

static void
the_old_functions_translate_todays_events (void **state)
{
	child_passes (old_api);
}

static void
old_handles (void)
{
	open_window (0);
	mono_profiler_install ((MonoProfiler *) "a", old_shutdown);
	mono_profiler_install_enter_leave (old_enter, NULL);
	mono_profiler_install ((MonoProfiler *) "b", NULL);
	mono_profiler_install_enter_leave (old_enter, old_leave);
	mono_profiler_install_enter_leave (NULL, old_leave);
	monocle_host_startup_done ();
	monocle_raise_method_enter ((MonoMethod *) 1, NULL);
	monocle_raise_method_leave ((MonoMethod *) 1, NULL);
	monocle_raise_runtime_shutdown_end ();
	CHECK_STRING (trace, ">a:1 <b:1 shutdown:a");
}

static void
install_makes_the_handle_that_the_old_functions_act_on (void **state)
{
	child_passes (old_handles);
}

static void
old_without_install (void)
{
	mono_profiler_install_thread (old_thread_start, old_thread_end);
	mono_profiler_install_gc (old_gc, old_resize);
	mono_profiler_install_jit_end (old_jit_end);
	mono_profiler_install_allocation (old_allocation);
	mono_profiler_install_enter_leave (old_enter, old_leave);
	mono_profiler_install_exception (old_throw, old_exception_leave, old_clause);
}

static void
the_old_functions_say_that_install_is_missing (void **state)
{
	child_prints (old_without_install,
	              "monocle: mono_profiler_install_thread: there was no mono_profiler_install () before\n"
	              "monocle: mono_profiler_install_gc: there was no mono_profiler_install () before\n"
	              "monocle: mono_profiler_install_jit_end: there was no mono_profiler_install () before\n"
	              "monocle: mono_profiler_install_allocation: there was no mono_profiler_install () before\n"
	              "monocle: mono_profiler_install_enter_leave: there was no mono_profiler_install () before\n"
	              "monocle: mono_profiler_install_exception: there was no mono_profiler_install () before\n");
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test (call_filters_are_all_asked_newest_first_and_ored),
	cmocka_unit_test (coverage_filters_are_all_asked_although_one_says_yes),
	cmocka_unit_test (the_host_is_told_when_a_call_filter_comes_changes_or_goes),
	cmocka_unit_test (features_are_granted_in_an_init_window_only_and_the_host_is_asked_once),
	cmocka_unit_test (a_refused_feature_is_said_once_by_name),
	cmocka_unit_test (the_first_handle_owns_the_sample_mode_and_the_others_may_look),
	cmocka_unit_test (coverage_data_and_call_contexts_answer_nothing_while_off),
	cmocka_unit_test (the_old_functions_translate_todays_events),
	cmocka_unit_test (install_makes_the_handle_that_the_old_functions_act_on),
	cmocka_unit_test (the_old_functions_say_that_install_is_missing),
};

int
main (void)
{
	return cmocka_run_group_tests (tests, NULL, NULL);
}
