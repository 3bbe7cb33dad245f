/*
 * SPDX-License-Identifier: MIT
 *
 * test_first_body.c - what modules that know one body of each method are told of code: one that keeps a range for each
 * method, as Mono's own log profiler does, finds every sample in it.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <mono/jit/jit.h>
#include <mono/metadata/appdomain.h>
#include <mono/metadata/debug-helpers.h>
#include <mono/metadata/profiler.h>
#include <mono/metadata/threads.h>
#include "dispatch/handle.h"
#include "model/first-body.h"
#include "model/records.h"

static MonoMethod *spun, *ahead, *late;
static char tier0[100], tier1[300], precompiled[50], unknown[10], native[10];

/* --- a host with a stack of two and precompiled code -------------------------------------------------------------- */

static int
walk_stack (void *host, const void *context, uint32_t flags, monocle_frame_visitor visit, void *data)
{
	const monocle_frame frames[] = {
		{ spun, tier1, .ip = (uintptr_t) tier1 + 8, .native_offset = 8, .kind = MONOCLE_FRAME_MANAGED },
		{ NULL, unknown, .ip = (uintptr_t) unknown + 4, .native_offset = 4, .kind = MONOCLE_FRAME_MANAGED },
		{ ahead, precompiled, .ip = (uintptr_t) precompiled + 9, .native_offset = 9, .kind = MONOCLE_FRAME_MANAGED },
	};
	for (int i = 0; i < 3; i++)
		visit (&frames[i], data);
	return 0;
}

static MonoJitInfo *
code_at (void *host, const void *address)
{
	uintptr_t offset = (uintptr_t) address - (uintptr_t) precompiled;
	return offset < sizeof precompiled ? monocle_jit_info_new (ahead, precompiled, sizeof precompiled) : NULL;
}

static const monocle_host_ops ops = {
	.size = sizeof ops,
	.api_version = MONOCLE_HOST_API_VERSION,
	.name = "test",
	.walk_stack = walk_stack,
	.code_at = code_at,
};

/* --- the module --------------------------------------------------------------------------------------------------- */

static char seen[512];
static MonoProfilerHandle handle, other;
static const mono_byte *other_ip;

static const char *
place_of (const void *address)
{
	static char text[32];
	const struct {
		const char *name, *start;
		size_t size;
	} codes[] = { { "tier0", tier0, sizeof tier0 },
		          { "tier1", tier1, sizeof tier1 },
		          { "precompiled", precompiled, sizeof precompiled },
		          { "native", native, sizeof native } };
	for (size_t i = 0; i < sizeof codes / sizeof *codes; i++)
		if ((uintptr_t) address - (uintptr_t) codes[i].start < codes[i].size) {
			snprintf (text, sizeof text, "%s+%d", codes[i].name, (int) ((const char *) address - codes[i].start));
			return text;
		}
	return "?";
}

__attribute__ ((format (printf, 1, 2))) static void
note (const char *format, ...)
{
	va_list arguments;
	va_start (arguments, format);
	vsnprintf (seen + strlen (seen), sizeof seen - strlen (seen), format, arguments);
	va_end (arguments);
}

static const char *
name_of (MonoMethod *method)
{
	return method == spun ? "spun" : method == ahead ? "ahead" : method ? "?" : "-";
}

static void
on_jit_done (MonoProfiler *prof, MonoMethod *method, MonoJitInfo *info)
{
	note ("jit %s %s ", name_of (method), place_of (mono_jit_info_get_code_start (info)));
}

static mono_bool
on_frame (MonoMethod *method, MonoDomain *domain, void *base, int offset, void *data)
{
	note ("%s@%s ", name_of (method), place_of (base));
	return 0;
}

static void
on_sample (MonoProfiler *prof, const mono_byte *ip, const void *context)
{
	note ("hit %s ", place_of (ip));
	mono_stack_walk_async_safe (on_frame, (void *) context, NULL);
}

static void
on_other_sample (MonoProfiler *prof, const mono_byte *ip, const void *context)
{
	other_ip = ip;
}

static void
sample (const void *ip)
{
	monocle_raise_sample_hit (ip, seen);
}

/* As the thread that writes samples asks for what came without a method. */
static void *
ask (void *address)
{
	mono_thread_attach (NULL);
	mono_threads_attach_tools_thread ();
	MonoJitInfo *info = mono_jit_info_table_find (NULL, address);
	note ("is %s ", name_of (mono_jit_info_get_method (info)));
	mono_thread_detach (mono_thread_current ());
	return NULL;
}

static void
ask_elsewhere (void *address)
{
	pthread_t thread;
	assert_int_equal (pthread_create (&thread, NULL, ask, address), 0);
	pthread_join (thread, NULL);
}

#define ASSERT_SEEN(text) \
	do { \
		assert_string_equal (seen, text); \
		*seen = 0; \
	} while (0)

/* --- tests -------------------------------------------------------------------------------------------------------- */

/* All in one process, in this order. */
static void
a_sample_in_a_later_body_is_in_the_first (void **state)
{
	monocle_raise_jit_done (spun, monocle_jit_info_new (spun, tier0, sizeof tier0));
	ASSERT_SEEN ("jit spun tier0+0 ");
	monocle_raise_jit_done (spun, monocle_jit_info_new (spun, tier1, sizeof tier1));
	ASSERT_SEEN ("jit spun tier0+0 ");
	sample (tier1 + 8);
	assert_ptr_equal (other_ip, tier1 + 8);
	ASSERT_SEEN ("hit tier0+8 -@tier1+0 -@precompiled+0 ");
	sample (tier1 + 299);
	ASSERT_SEEN ("hit tier0+99 -@tier1+0 -@precompiled+0 ");
	sample (native + 3);
	ASSERT_SEEN ("hit native+3 -@tier1+0 -@precompiled+0 ");
}

static void
who_writes_samples_is_told_of_a_method_once_before_it_has_it (void **state)
{
	mono_jit_info_table_find (NULL, tier1); /* not a tool's thread */
	ASSERT_SEEN ("");
	ask_elsewhere (tier1);
	ASSERT_SEEN ("jit spun tier0+0 is spun ");
	ask_elsewhere (tier1);
	ASSERT_SEEN ("is spun ");
	sample (precompiled + 7);
	ASSERT_SEEN ("hit precompiled+7 spun@tier1+0 -@precompiled+0 ");
	ask_elsewhere (precompiled);
	ASSERT_SEEN ("jit ahead precompiled+0 is ahead ");
	sample (precompiled + 7);
	ASSERT_SEEN ("hit precompiled+7 spun@tier1+0 ahead@precompiled+0 ");
}

static mono_bool
on_normal_frame (MonoMethod *method, int32_t native_offset, int32_t il_offset, mono_bool managed, void *data)
{
	note ("%s ", name_of (method));
	return 0;
}

static void
precompiled_code_on_a_stack_is_told_of_before_it_is_shown (void **state)
{
	MonoMethod *known = ahead;
	ahead = late;
	monocle_jit_info_free_code (precompiled);
	mono_stack_walk_no_il (on_normal_frame, NULL);
	ASSERT_SEEN ("spun jit ahead precompiled+0 ahead ");
	mono_stack_walk_no_il (on_normal_frame, NULL);
	ASSERT_SEEN ("spun ahead ");
	ahead = known;
}

static void
on_end (MonoProfiler *prof)
{
	note ("end ");
}

static MonoProfilerCallInstrumentationFlags
filter_calls (MonoProfiler *prof, MonoMethod *method)
{
	note ("filter ");
	return MONO_PROFILER_CALL_INSTRUMENTATION_ENTER;
}

/* Last: nothing but the end is delivered any more. */
static void
the_end_is_all_that_is_heard_by_then (void **state)
{
	mono_profiler_set_runtime_shutdown_end_callback (handle, on_end);
	assert_true (monocle_host_ends_alone ());
	assert_true (monocle_event_counts ()[MONOCLE_EVENT_jit_done]);
	mono_profiler_set_call_instrumentation_filter_callback (handle, filter_calls);
	assert_int_equal (monocle_call_flags (spun), MONO_PROFILER_CALL_INSTRUMENTATION_ENTER);
	ASSERT_SEEN ("filter ");
	monocle_host_quieten ();
	assert_false (monocle_event_counts ()[MONOCLE_EVENT_jit_done]);
	assert_int_equal (monocle_call_flags (spun), MONO_PROFILER_CALL_INSTRUMENTATION_NONE);
	monocle_raise_jit_done (spun, monocle_jit_info_new (spun, tier0, sizeof tier0));
	sample (native);
	ASSERT_SEEN ("");
	monocle_raise_runtime_shutdown_end ();
	ASSERT_SEEN ("end ");
	monocle_host_shutdown ();
	monocle_raise_runtime_shutdown_end ();
	ASSERT_SEEN ("");
}

static int
start (void **state)
{
	int result = monocle_host_init (&ops);
	mono_thread_attach (NULL); /* one that is sampled is known */
	MonoImage *image = monocle_image_new ("/bin/app.exe", 0, 2, 3, NULL);
	spun = monocle_method_def (image, 0x06000001);
	ahead = monocle_method_def (image, 0x06000002);
	late = monocle_method_def (image, 0x06000003);
	other = mono_profiler_create ((MonoProfiler *) &other);
	monocle__handle_wrap_next (monocle__first_body_wrap);
	handle = mono_profiler_create ((MonoProfiler *) &handle);
	monocle__handle_wrap_next (NULL);
	mono_profiler_set_sample_hit_callback (other, on_other_sample);
	mono_profiler_set_jit_done_callback (handle, on_jit_done);
	mono_profiler_set_sample_hit_callback (handle, on_sample);
	monocle_host_startup_done ();
	return result;
}

int
main (void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test (a_sample_in_a_later_body_is_in_the_first),
		cmocka_unit_test (who_writes_samples_is_told_of_a_method_once_before_it_has_it),
		cmocka_unit_test (precompiled_code_on_a_stack_is_told_of_before_it_is_shown),
		cmocka_unit_test (the_end_is_all_that_is_heard_by_then),
	};
	return cmocka_run_group_tests (tests, start, NULL);
}
