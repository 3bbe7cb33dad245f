/*
 * SPDX-License-Identifier: MIT
 *
 * test_module_api.c - filters and features: what a module may ask, under a scripted host.
 */
#include <errno.h>
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

/* The context is an int; `this` is all zero, the arguments are the context and one byte of it. */
static int
host_call_value (void *unused, const MonoProfilerCallContext *context, monocle_call_value value, uint32_t position,
                 const void **ret_data, uint32_t *ret_size)
{
	if (value > MONOCLE_CALL_ARGUMENT || position > 1)
		return MONOCLE_E_UNKNOWN;
	*ret_data = value == MONOCLE_CALL_THIS ? NULL : (const char *) context + position;
	*ret_size = value == MONOCLE_CALL_THIS || position == 0 ? 4 : 1;
	return MONOCLE_OK;
}

static const monocle_host_ops host = {
	.size = sizeof host,
	.call_value = host_call_value,
	.api_version = MONOCLE_HOST_API_VERSION,
	.name = "test",
	.enable = host_enable,
	.filter_changed = host_filter_changed,
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

CHILD_TEST (call_filters_are_all_asked_newest_first_and_ored)
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

CHILD_TEST (coverage_filters_are_all_asked_although_one_says_yes)
{
	MonoProfilerHandle a = handle_named ("a"), b = handle_named ("b"), c = handle_named ("c");

	mono_profiler_set_coverage_filter_callback (b, cover_yes);
	CHECK (!monocle_coverage_wanted (NULL)); /* nobody has enabled it */
	mono_profiler_set_coverage_filter_callback (b, NULL);
	open_window (1u << MONOCLE_FEATURE_COVERAGE);
	CHECK (mono_profiler_enable_coverage () && !monocle_coverage_wanted (NULL));
	trace[0] = '\0';
	mono_profiler_set_coverage_filter_callback (a, cover_no);
	CHECK (!monocle_coverage_wanted (NULL));
	mono_profiler_set_coverage_filter_callback (b, cover_yes);
	mono_profiler_set_coverage_filter_callback (c, cover_no);
	CHECK (monocle_coverage_wanted (NULL) == 1);
	CHECK_STRING (trace, "changed:0 cover:a changed:0 changed:0 cover:c cover:b cover:a");
}

CHILD_TEST (the_host_is_told_when_a_call_filter_comes_changes_or_goes)
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

CHILD_TEST (a_host_that_comes_after_a_filter_is_told_of_it)
{
	mono_profiler_set_coverage_filter_callback (handle_named ("a"), cover_no);
	CHECK_STRING (trace, "");
	open_window (0);
	monocle_host_startup_done ();
	CHECK_STRING (trace, "changed:0");
}

/* --- features ----------------------------------------------------------------------------------------------------- */

CHILD_TEST (features_are_granted_in_an_init_window_only_and_the_host_is_asked_once)
{
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

CHILD_PRINTS (a_refused_feature_is_said_once_by_name,
              "monocle: a module asks for coverage, which the host test does not grant\n"
              "monocle: a module asks for allocations, which the host test does not grant\n"
              "monocle: a module asks for exception clauses, which the host test does not grant\n"
              "monocle: a module asks for call contexts, which the host test does not grant\n"
              "monocle: a module asks for sampling, which the host test does not grant\n")
{
	MonoProfilerHandle a = handle_named ("a");

	open_window (0);
	for (int i = 0; i < 2; i++)
		CHECK (!mono_profiler_enable_coverage () && !mono_profiler_enable_allocations () &&
		       !mono_profiler_enable_clauses () && !mono_profiler_enable_call_context_introspection () &&
		       !mono_profiler_enable_sampling (a));
}

static mono_bool
enable_four (void)
{
	return mono_profiler_enable_coverage () && mono_profiler_enable_allocations () && mono_profiler_enable_clauses () &&
	       mono_profiler_enable_call_context_introspection ();
}

/* The numbers are those of monocle_feature. */
CHILD_PRINTS (before_the_host_everything_is_promised_and_it_is_asked_once_when_it_comes, "")
{
	CHECK (enable_four () && enable_four () && mono_profiler_enable_sampling (handle_named ("a")) == 1);
	CHECK_STRING (trace, "");
	open_window (~0u);
	CHECK_STRING (trace, "enable:0 enable:1 enable:2 enable:3 enable:4");
	CHECK (enable_four () && mono_profiler_enable_sampling (handle_named ("b")) == 1);
	CHECK_STRING (trace, "enable:0 enable:1 enable:2 enable:3 enable:4");
	monocle_host_startup_done ();
	CHECK (!mono_profiler_enable_coverage ());
}

CHILD_PRINTS (a_promise_that_the_host_breaks_is_said_once,
              "monocle: a module that was loaded early was promised sampling, which the host test does not grant\n"
              "monocle: a module that was loaded early was promised coverage, which the host test does not grant\n")
{
	MonoProfilerHandle a = handle_named ("a");
	MonoProfilerSampleMode mode;

	CHECK (mono_profiler_enable_coverage () == 1 && mono_profiler_enable_sampling (a) == 1);
	CHECK (mono_profiler_set_sample_mode (a, MONO_PROFILER_SAMPLE_MODE_REAL, 50) == 1);
	open_window (1u << MONOCLE_FEATURE_CLAUSES);
	CHECK_STRING (trace, "enable:0 enable:1"); /* and not for what nobody asked */
	CHECK (!mono_profiler_enable_coverage () && !mono_profiler_enable_sampling (a));
	CHECK (!mono_profiler_set_sample_mode (a, MONO_PROFILER_SAMPLE_MODE_REAL, 50));
	CHECK (!mono_profiler_get_sample_mode (a, &mode, NULL) && mode == MONO_PROFILER_SAMPLE_MODE_NONE);
	CHECK (mono_profiler_enable_clauses () == 1);
}

CHILD_TEST (a_sample_mode_that_is_set_early_holds_when_the_host_has_come)
{
	MonoProfilerHandle a = handle_named ("a"), b = handle_named ("b");
	MonoProfilerSampleMode mode;
	uint32_t frequency;

	CHECK (!mono_profiler_set_sample_mode (a, MONO_PROFILER_SAMPLE_MODE_REAL, 50));
	CHECK (mono_profiler_enable_sampling (a) == 1 && mono_profiler_enable_sampling (b) == 1);
	CHECK (!mono_profiler_set_sample_mode (b, MONO_PROFILER_SAMPLE_MODE_REAL, 60));
	CHECK (mono_profiler_get_sample_mode (a, &mode, &frequency) == 1);
	CHECK (mode == MONO_PROFILER_SAMPLE_MODE_NONE && frequency == 100);
	CHECK (mono_profiler_set_sample_mode (a, MONO_PROFILER_SAMPLE_MODE_REAL, 50) == 1);
	open_window (~0u);
	monocle_host_startup_done ();
	CHECK (mono_profiler_get_sample_mode (a, &mode, &frequency) == 1);
	CHECK (mode == MONO_PROFILER_SAMPLE_MODE_REAL && frequency == 50);
	MonocleSampling state = { .size = sizeof state };
	for (; state.mode != MONO_PROFILER_SAMPLE_MODE_REAL; usleep (1000)) /* the sampler's thread takes it soon */
		CHECK (monocle_sampling_state (&state));
	CHECK (state.frequency == 50);
	monocle_host_shutdown ();
}

CHILD_TEST (a_host_that_could_not_start_breaks_no_promise)
{
	monocle_host_ops bad = host;

	bad.api_version = 99;
	CHECK (mono_profiler_enable_clauses () == 1);
	CHECK (monocle_host_init (&bad) == MONOCLE_E_INVALID);
	CHECK (mono_profiler_enable_allocations () == 1);
	open_window (~0u);
	CHECK_STRING (trace, "enable:2 enable:3");
}

CHILD_TEST (a_host_learns_whether_anybody_has_a_handle)
{
	CHECK (!monocle_host_has_handles ());
	handle_named ("a");
	CHECK (monocle_host_has_handles ());
	open_window (0);
	CHECK (monocle_host_has_handles ());
}

CHILD_TEST (the_first_handle_owns_the_sample_mode_and_the_others_may_look)
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
on_coverage (MonoProfiler *prof, const MonoProfilerCoverageData *data)
{
	note ("coverage");
}

CHILD_PRINTS (a_context_answers_with_copies_of_what_the_host_shows, "")
{
	int value = 0x04030201;
	const MonoProfilerCallContext *shown = (const MonoProfilerCallContext *) &value;
	MonoProfilerCallContext *context = (MonoProfilerCallContext *) shown;
	open_window (1u << MONOCLE_FEATURE_CALL_CONTEXT);
	CHECK (!monocle_call_values_wanted () && !mono_profiler_call_context_get_argument (context, 0));
	CHECK (mono_profiler_enable_call_context_introspection ());
	monocle_host_startup_done ();
	errno = ENOTTY;
	int *own = mono_profiler_call_context_get_this (context);
	int *whole = mono_profiler_call_context_get_argument (context, 0);
	uint8_t *byte = mono_profiler_call_context_get_argument (context, 1);
	CHECK (own && *own == 0 && whole && *whole == value && whole != &value && byte && *byte == 2);
	CHECK (!mono_profiler_call_context_get_argument (context, 2) && !mono_profiler_call_context_get_argument (NULL, 0));
	CHECK (!mono_profiler_call_context_get_local (context, 0) && !mono_profiler_call_context_get_result (context));
	mono_profiler_call_context_free_buffer (own);
	mono_profiler_call_context_free_buffer (whole);
	mono_profiler_call_context_free_buffer (byte);
	CHECK (errno == ENOTTY);
}

/* This program imports all four getters: whoever reads this. */
CHILD_PRINTS (a_host_is_told_which_values_can_be_read, "")
{
	open_window (1u << MONOCLE_FEATURE_CALL_CONTEXT);
	CHECK (monocle_call_values_wanted () == 0);
	CHECK (mono_profiler_enable_call_context_introspection ());
	uint32_t all = 1u << MONOCLE_CALL_THIS | 1u << MONOCLE_CALL_ARGUMENT | 1u << MONOCLE_CALL_RESULT;
	CHECK ((monocle_call_values_wanted () & all) == all);
}

CHILD_PRINTS (coverage_data_and_call_contexts_answer_nothing_while_off, "")
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

static const struct CMUnitTest tests[] = {
	cmocka_unit_test (call_filters_are_all_asked_newest_first_and_ored),
	cmocka_unit_test (coverage_filters_are_all_asked_although_one_says_yes),
	cmocka_unit_test (the_host_is_told_when_a_call_filter_comes_changes_or_goes),
	cmocka_unit_test (a_host_that_comes_after_a_filter_is_told_of_it),
	cmocka_unit_test (features_are_granted_in_an_init_window_only_and_the_host_is_asked_once),
	cmocka_unit_test (a_refused_feature_is_said_once_by_name),
	cmocka_unit_test (before_the_host_everything_is_promised_and_it_is_asked_once_when_it_comes),
	cmocka_unit_test (a_promise_that_the_host_breaks_is_said_once),
	cmocka_unit_test (a_sample_mode_that_is_set_early_holds_when_the_host_has_come),
	cmocka_unit_test (a_host_that_could_not_start_breaks_no_promise),
	cmocka_unit_test (a_host_learns_whether_anybody_has_a_handle),
	cmocka_unit_test (the_first_handle_owns_the_sample_mode_and_the_others_may_look),
	cmocka_unit_test (a_context_answers_with_copies_of_what_the_host_shows),
	cmocka_unit_test (a_host_is_told_which_values_can_be_read),
	cmocka_unit_test (coverage_data_and_call_contexts_answer_nothing_while_off),
};

int
main (void)
{
	return cmocka_run_group_tests (tests, NULL, NULL);
}
