/*
 * SPDX-License-Identifier: MIT
 *
 * test_code.c - machine code and its way back to IL, under a runtime that only answers. The image is "house" of
 * ../ecma/builder.h with embedded symbols.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <mono/metadata/appdomain.h>
#include <mono/metadata/loader.h>
#include <mono/metadata/mono-debug.h>
#include <mono/metadata/profiler.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "../ecma/symbols_builder.h"
#include "fake-runtime.h"
#include "images/image.h"
#include "images/resolve.h"

#define PROLOG        ((ULONG32) -2)
#define EPILOG        ((ULONG32) -3)
#define NO_MAPPING    ((ULONG32) -1)
#define LENGTH(array) (sizeof (array) / sizeof *(array))

enum { RUN = 0x06000001, MAIN = 0x06000003 };

static fake_module house = { .path = u"/srv/house.exe" };
static MonoMethod *run, *method_main;

/* The order is the runtime's affair. */
static const COR_DEBUG_IL_TO_NATIVE_MAP statements[] = {
	{ PROLOG, 0, 10 },  { 5, 20, 30 }, { NO_MAPPING, 10, 14 }, { 2, 14, 20 },
	{ EPILOG, 32, 36 }, { 5, 18, 18 }, { NO_MAPPING, 30, 32 },
};
static const fake_body whole = { 36, statements, LENGTH (statements) };
static const fake_body precompiled = { 20, statements, 1 };
static const fake_body bare = { 24, NULL, 0 };

static fake_function of_main = { &house, MAIN, 0, 0, { 0 }, { &whole }, 1 };

MONO_API char *mono_pmip (void *ip);
MONO_API void mono_profiler_init_code (const char *desc);

void
mono_profiler_init_code (const char *desc)
{
	mono_profiler_create (NULL);
}

static int
start (void **state)
{
	struct bytes pe = build_pe_with_symbols ();
	house.data = pe.data;
	house.size = pe.size;
	setenv ("MONOCLE_PROFILE", "code", 1);
	if (monocle__callback_Initialize (NULL, (IUnknown *) &fake_runtime) != S_OK)
		return -1;
	fake_load (&house);
	MonoImage *image = monocle__clr_image_find (ID (&house))->cli.record;
	run = monocle_method_def (image, RUN);
	method_main = monocle_method_def (image, MAIN);
	return 0;
}

static int
find_main (void **state)
{
	of_main = (fake_function) { &house, MAIN, 0, 0, { 0 }, { &whole }, 1 };
	fake_found = &of_main;
	return 0;
}

static int32_t
il_offset (MonoMethod *method, uint32_t native_offset)
{
	return mono_debug_il_offset_from_address (method, mono_get_root_domain (), native_offset);
}

static void
native_offsets_lead_to_the_il_that_began_before (void **state)
{
	assert_int_equal (il_offset (method_main, 14), 2);
	assert_int_equal (il_offset (method_main, 18), 5);
	assert_int_equal (il_offset (method_main, 29), 5);
	assert_int_equal (il_offset (method_main, UINT32_MAX), 5);
}

static void
a_prologue_is_no_il_and_an_epilogue_the_last (void **state)
{
	assert_int_equal (il_offset (method_main, 0), -1);
	assert_int_equal (il_offset (method_main, 9), -1);
	assert_int_equal (il_offset (method_main, 12), 0);
	assert_int_equal (il_offset (method_main, 31), 5);
	assert_int_equal (il_offset (method_main, 35), 5);
}

static void
a_native_offset_has_a_line (void **state)
{
	MonoDebugSourceLocation *at = mono_debug_lookup_source_location (method_main, 22, mono_get_root_domain ());
	assert_string_equal (at->source_file, "b.cs");
	assert_int_equal (at->row, 4);
	mono_debug_free_source_location (at);
}

static void
check_code (MonoMethod *method, const fake_body *body, uint32_t lines)
{
	MonoDebugMethodJitInfo *jit = mono_debug_find_method (method, mono_get_root_domain ());
	assert_non_null (jit);
	assert_ptr_equal (jit->code_start, body);
	assert_int_equal (jit->code_size, body->size);
	assert_int_equal (jit->num_line_numbers, lines);
	mono_debug_free_method_jit_info (jit);
}

static void
code_has_its_lines (void **state)
{
	MonoDebugMethodJitInfo *jit = mono_debug_find_method (method_main, mono_get_root_domain ());
	const uint32_t expected[] = { 2, 14, 5, 18, 5, 20 }; /* IL, native ... */
	assert_int_equal (jit->prologue_end, 10);
	assert_int_equal (jit->epilogue_begin, 32);
	assert_int_equal (jit->num_line_numbers, LENGTH (expected) / 2);
	assert_memory_equal (jit->line_numbers, expected, sizeof expected);
	mono_debug_free_method_jit_info (jit);
}

/* The runtime lists the first body, then the others, newest first. */
static void
the_newest_body_counts (void **state)
{
	of_main.bodies[0] = &precompiled;
	of_main.body_count = 1;
	check_code (method_main, &precompiled, 0);
	of_main.bodies[1] = &whole;
	of_main.bodies[2] = &bare;
	of_main.body_count = 3;
	check_code (method_main, &whole, 3);
}

static void
a_body_without_a_map_has_no_lines (void **state)
{
	of_main.bodies[0] = &bare;
	check_code (method_main, &bare, 0);
	assert_int_equal (il_offset (method_main, 12), -1);
}

static void
a_method_without_code_has_none (void **state)
{
	of_main.body_count = 0;
	assert_null (mono_debug_find_method (method_main, mono_get_root_domain ()));
	assert_int_equal (il_offset (method_main, 12), -1);
	fake_found = NULL;
	assert_null (mono_debug_find_method (method_main, mono_get_root_domain ()));
}

/* A generic method cannot be found by its token, but by the id that named it. */
static void
a_function_that_was_seen_is_found_while_its_id_means_it (void **state)
{
	static fake_function seen = { &house, RUN, 0, 0, { 0 }, { &whole }, 1 };
	assert_null (mono_debug_find_method (run, mono_get_root_domain ()));
	MonoMethod *instance = monocle__resolve_method (ID (&seen));
	assert_ptr_equal (monocle_method_definition (instance), run);
	check_code (instance, &whole, 3);
	monocle_id_drop (MONOCLE_ID_METHOD, ID (&seen));
	assert_null (mono_debug_find_method (instance, mono_get_root_domain ()));
}

static void
addresses_of_code_that_nobody_listened_for_have_text (void **state)
{
	char expected[64];
	char *text = mono_pmip ((char *) &whole + 22);
	assert_non_null (text);
	snprintf (expected, sizeof expected, " + 0x16] [b.cs :: 4u] (%p ", (const void *) &whole);
	assert_non_null (strstr (text, "N.Last:Main ("));
	assert_non_null (strstr (text, expected));
	mono_free (text);
	assert_null (mono_pmip (&house));
}

static void
an_unloaded_image_is_not_asked_about (void **state)
{
	fake_unload (&house);
	unsigned asked = fake_asked;
	assert_null (mono_debug_find_method (method_main, mono_get_root_domain ()));
	assert_int_equal (il_offset (method_main, 22), -1);
	assert_int_equal (fake_asked, asked);
	free (house.data);
}

#define WITH_MAIN(test) cmocka_unit_test_setup (test, find_main)

int
main (void)
{
	const struct CMUnitTest tests[] = {
		WITH_MAIN (native_offsets_lead_to_the_il_that_began_before),
		WITH_MAIN (a_prologue_is_no_il_and_an_epilogue_the_last),
		WITH_MAIN (a_native_offset_has_a_line),
		WITH_MAIN (code_has_its_lines),
		WITH_MAIN (the_newest_body_counts),
		WITH_MAIN (a_body_without_a_map_has_no_lines),
		WITH_MAIN (a_method_without_code_has_none),
		WITH_MAIN (a_function_that_was_seen_is_found_while_its_id_means_it),
		WITH_MAIN (addresses_of_code_that_nobody_listened_for_have_text),
		WITH_MAIN (an_unloaded_image_is_not_asked_about),
	};
	return cmocka_run_group_tests (tests, start, NULL);
}
