/*
 * SPDX-License-Identifier: MIT
 *
 * test_stack.c - what the stack walks make of a host's frames.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <string.h>
#include <mono/metadata/loader.h>
#include "model/records.h"

static MonoMethod *leaf, *wrapper, *caller;
static char old_code[32], wrapper_code[32], unnamed_code[32];

/* --- a host with one stack: native, leaf's old code, a stub, unnamed code, a wrapper, caller --------------------- */

enum { FRAMES = 6 };

static const void *given_context;
static uint32_t given_flags;
static int outcome; /* what the host says of the end */

static int
walk_stack (void *host, const void *context, uint32_t flags, monocle_frame_visitor visit, void *data)
{
	const monocle_frame frames[FRAMES] = {
		{ .kind = MONOCLE_FRAME_NATIVE, .ip = 0x1000 },
		{ leaf, old_code, .ip = (uintptr_t) old_code + 8, .native_offset = 7, .kind = MONOCLE_FRAME_MANAGED },
		{ .kind = MONOCLE_FRAME_STUB, .ip = 0x2000 },
		{ NULL, unnamed_code, .ip = (uintptr_t) unnamed_code + 4, .native_offset = 3, .kind = MONOCLE_FRAME_MANAGED },
		{ wrapper, wrapper_code, .native_offset = 9, .kind = MONOCLE_FRAME_STUB },
		{ caller, NULL, .ip = 0x3000, .kind = MONOCLE_FRAME_MANAGED },
	};
	given_context = context;
	given_flags = flags;
	for (int i = 0; i < FRAMES; i++)
		if ((frames[i].kind != MONOCLE_FRAME_NATIVE || flags & MONOCLE_WALK_NATIVE) && visit (&frames[i], data))
			return 1;
	return outcome;
}

/* The same offset is other IL in other code. */
static int
il_offset_of (void *host, MonoMethod *method, const void *start, uint32_t native_offset, uint32_t *ret_il_offset)
{
	if (!start && method != caller)
		return MONOCLE_E_UNKNOWN;
	*ret_il_offset = start == old_code ? native_offset * 10 : native_offset;
	return start == wrapper_code ? MONOCLE_E_UNKNOWN : MONOCLE_OK;
}

static char seen[512];
static int stop_after;

static const char *
name_of (MonoMethod *method)
{
	return method == leaf ? "leaf" : method == wrapper ? "wrapper" : method == caller ? "caller" : method ? "?" : "-";
}

static int
note (const char *format, ...)
{
	va_list arguments;
	va_start (arguments, format);
	vsnprintf (seen + strlen (seen), sizeof seen - strlen (seen), format, arguments);
	va_end (arguments);
	return --stop_after == 0;
}

static mono_bool
on_mono_frame (MonoMethod *method, int32_t native_offset, int32_t il_offset, mono_bool managed, void *data)
{
	assert_ptr_equal (data, &stop_after);
	return note (" %s+%d/%d%s", name_of (method), native_offset, il_offset, managed ? "" : "*");
}

static mono_bool
on_signal_frame (MonoMethod *method, MonoDomain *domain, void *base_address, int offset, void *data)
{
	assert_ptr_equal (data, &stop_after);
	assert_ptr_equal (domain, monocle_domain_root ());
	return note (" %s@%s+%d", name_of (method),
	             base_address == old_code       ? "old"
	             : base_address == unnamed_code ? "unnamed"
	             : base_address                 ? "?"
	                                            : "-",
	             offset);
}

static int
on_frame (const monocle_frame *frame, void *data)
{
	assert_ptr_equal (data, &stop_after);
	return note (" %s:%u", name_of (frame->method), frame->kind);
}

static int
forget (void **state)
{
	*seen = 0;
	stop_after = outcome = 0;
	given_context = &outcome;
	return 0;
}

/* --- tests -------------------------------------------------------------------------------------------------------- */

static void
nothing_is_walked_without_a_host (void **state)
{
	mono_stack_walk (on_mono_frame, &stop_after);
	mono_stack_walk_async_safe (on_signal_frame, &outcome, &stop_after);
	assert_null (mono_method_get_last_managed ());
	assert_int_equal (monocle_stack_walk_async_safe (&outcome, 0, on_frame, &stop_after), MONOCLE_E_UNKNOWN);
	assert_string_equal (seen, "");
}

static int
start (void **state)
{
	monocle_host_ops ops = {
		.size = sizeof ops,
		.api_version = MONOCLE_HOST_API_VERSION,
		.name = "stack test",
		.walk_stack = walk_stack,
		.il_offset_of = il_offset_of,
	};
	if (monocle_host_init (&ops))
		return -1;
	MonoImage *image = monocle_image_new ("/bin/app.exe", 0, 2, 3, NULL);
	leaf = monocle_method_def (image, 0x06000001);
	wrapper = monocle_method_def (image, 0x06000002);
	caller = monocle_method_def (image, 0x06000003);
	return forget (state);
}

static void
il_offsets_are_those_of_the_code_that_runs (void **state)
{
	mono_stack_walk (on_mono_frame, &stop_after);
	assert_string_equal (seen, " leaf+7/70 wrapper+9/-1* caller+-1/0");
	assert_null (given_context);
	assert_int_equal (given_flags, 0);
}

static void
a_walk_without_il_asks_for_none (void **state)
{
	mono_stack_walk_no_il (on_mono_frame, &stop_after);
	assert_string_equal (seen, " leaf+7/-1 wrapper+9/-1* caller+-1/-1");
}

static void
a_visitor_stops_a_walk (void **state)
{
	stop_after = 1;
	mono_stack_walk (on_mono_frame, &stop_after);
	assert_string_equal (seen, " leaf+7/70");
	forget (state);
	stop_after = 2;
	mono_stack_walk_async_safe (on_signal_frame, &outcome, &stop_after);
	assert_string_equal (seen, " leaf@old+7 -@unnamed+-1");
	forget (state);
	stop_after = 1;
	assert_int_equal (monocle_stack_walk_async_safe (&outcome, 0, on_frame, &stop_after), 1);
}

static void
the_last_managed_method_is_the_innermost (void **state)
{
	assert_ptr_equal (mono_method_get_last_managed (), leaf);
}

static void
in_a_signal_code_without_a_name_is_told_by_its_start (void **state)
{
	int context;
	mono_stack_walk_async_safe (on_signal_frame, &context, &stop_after);
	assert_string_equal (seen, " leaf@old+7 -@unnamed+-1 caller@-+0");
	assert_ptr_equal (given_context, &context);
}

static void
native_frames_come_when_they_are_asked_for (void **state)
{
	int context;
	outcome = MONOCLE_E_UNKNOWN;
	assert_int_equal (monocle_stack_walk_async_safe (&context, 0, on_frame, &stop_after), MONOCLE_E_UNKNOWN);
	assert_string_equal (seen, " leaf:0 -:2 -:0 wrapper:2 caller:0");
	forget (state);
	assert_int_equal (monocle_stack_walk_async_safe (&context, MONOCLE_WALK_NATIVE, on_frame, &stop_after), 0);
	assert_string_equal (seen, " -:1 leaf:0 -:2 -:0 wrapper:2 caller:0");
	assert_int_equal (given_flags, MONOCLE_WALK_NATIVE);
}

static void
walks_without_a_visitor_or_a_context_are_refused (void **state)
{
	mono_stack_walk (NULL, NULL);
	mono_stack_walk_no_il (NULL, NULL);
	mono_stack_walk_async_safe (NULL, &outcome, NULL);
	mono_stack_walk_async_safe (on_signal_frame, NULL, &stop_after);
	assert_int_equal (monocle_stack_walk_async_safe (NULL, 0, on_frame, &stop_after), MONOCLE_E_INVALID);
	assert_int_equal (monocle_stack_walk_async_safe (&outcome, 0, NULL, NULL), MONOCLE_E_INVALID);
	assert_int_equal (monocle_stack_walk_async_safe (&outcome, 2, on_frame, &stop_after), MONOCLE_E_INVALID);
	assert_ptr_equal (given_context, &outcome); /* the host was not asked */
	assert_string_equal (seen, "");
}

int
main (void)
{
	const struct CMUnitTest before[] = { cmocka_unit_test (nothing_is_walked_without_a_host) };
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup (il_offsets_are_those_of_the_code_that_runs, forget),
		cmocka_unit_test_setup (a_walk_without_il_asks_for_none, forget),
		cmocka_unit_test_setup (a_visitor_stops_a_walk, forget),
		cmocka_unit_test_setup (the_last_managed_method_is_the_innermost, forget),
		cmocka_unit_test_setup (in_a_signal_code_without_a_name_is_told_by_its_start, forget),
		cmocka_unit_test_setup (native_frames_come_when_they_are_asked_for, forget),
		cmocka_unit_test_setup (walks_without_a_visitor_or_a_context_are_refused, forget),
	};
	return cmocka_run_group_tests (before, NULL, NULL) + cmocka_run_group_tests (tests, start, NULL);
}
