/*
 * SPDX-License-Identifier: MIT
 *
 * test_codemap.c - managed code by address, under a runtime that only answers. The image is that of
 * ../ecma/r2r_builder.h, as a loader maps it.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <mono/metadata/appdomain.h>
#include <mono/metadata/debug-helpers.h>
#include <mono/metadata/profiler.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "fake-runtime.h"
#include "house.h"
#include "thread-memory.h"

static fake_module house = { .path = u"/srv/house.exe", .is_mapped = true };
static fake_module guest = { .path = u"/srv/guest.exe", .flags = COR_PRF_MODULE_COLLECTIBLE, .is_mapped = true };
static const fake_body body = { 36, NULL, 0 }, other_body = { 48, NULL, 0 };

MONO_API void mono_profiler_init_codemap (const char *desc);

void
mono_profiler_init_codemap (const char *desc)
{
	mono_profiler_create (NULL);
}

/* As granting samples does: before the runtime's first image. */
static int
start (void **state)
{
	house.data = house_data ();
	guest.data = house_data ();
	setenv ("MONOCLE_PROFILE", "codemap", 1);
	monocle__codemap_begin ();
	if (monocle__callback_Initialize (NULL, (IUnknown *) &fake_runtime) != S_OK)
		return -1;
	fake_load (&house);
	return 0;
}

static void
await (bool (*condition) (uintptr_t ip), uintptr_t ip)
{
	FAKE_AWAIT (condition (ip));
}

static bool
is_named (uintptr_t ip)
{
	return house_name_at (ip) != NULL;
}

/* --- precompiled -------------------------------------------------------------------------------------------------- */

static monocle__code
find (uintptr_t ip)
{
	monocle__code code;
	assert_true (monocle__codemap_find (ip, &code));
	return code;
}

static void
precompiled_methods_are_known_by_every_byte (void **state)
{
	static const struct {
		uint32_t function, row;
		bool is_part;
	} rows[] = {
		{ 0, 1, false }, { 1, 1, true }, { 2, 3, false }, { 3, 20, false }, { 5, 3, true },
	};
	await (is_named, house_function (&house, 5)); /* the service goes through instances and parts */
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
		for (uint32_t offset = 0; offset < R2R_FUNCTION_SIZE; offset++) {
			uintptr_t start = house_function (&house, rows[i].function);
			monocle__code code = find (start + offset);
			assert_int_equal (code.start, start);
			assert_int_equal (code.size, R2R_FUNCTION_SIZE);
			assert_int_equal (code.kind, MONOCLE__CODE_R2R);
			assert_int_equal (code.is_part, rows[i].is_part);
			assert_ptr_equal (code.method, monocle_method_def (house_record (&house), 0x06000000 | rows[i].row));
			assert_non_null (code.unwind);
			assert_int_equal (code.unwind[1], 4);
		}
}

static void
thunks_are_stubs (void **state)
{
	monocle__r2r r2r;
	assert_int_equal (monocle__r2r_open (&r2r, &monocle__clr_image_find (ID (&house))->cli.ecma), 0);
	monocle__code code = find ((uintptr_t) house.data + r2r.thunks_rva + r2r.thunks_size - 1);
	assert_int_equal (code.kind, MONOCLE__CODE_STUB);
	assert_null (code.method);
	assert_null (code.frame);
	assert_null (mono_jit_info_table_find (NULL, (void *) ((uintptr_t) house.data + r2r.thunks_rva)));
}

static void
what_is_outside_is_not_found (void **state)
{
	monocle__code code = { .size = 77 };
	assert_false (monocle__codemap_find (house_function (&house, 0) - 1, &code));
	assert_false (monocle__codemap_find (house_function (&house, 6), &code));
	assert_false (monocle__codemap_find (0, &code));
	assert_false (monocle__codemap_find (UINTPTR_MAX, &code));
	assert_int_equal (code.size, 77);
}

static void
an_instance_is_read_from_its_signature (void **state)
{
	monocle__thread_memory_scratch ();
	monocle__code code = find (house_function (&house, 4));
	assert_int_equal (code.kind, MONOCLE__CODE_R2R_INSTANCE);
	assert_non_null (code.method);
	char *text = mono_method_full_name (code.method, 0);
	assert_string_equal (text, "N.Outer`1<T_REF>:Stop");
	free (text);
	assert_ptr_equal (find (house_function (&house, 4) + 3).method, code.method);
}

static void *
find_without_memory (void *ip)
{
	monocle__code code;
	assert_false (monocle__thread_memory_exists ());
	assert_true (monocle__codemap_find ((uintptr_t) ip, &code));
	assert_false (monocle__thread_memory_exists ());
	return code.method;
}

/* A signal handler on a thread that never called us finds what was found before, and no memory is made for it. */
static void
threads_without_memory_find_what_is_known (void **state)
{
	pthread_t thread;
	void *method = NULL;
	pthread_create (&thread, NULL, find_without_memory, (void *) house_function (&house, 4));
	pthread_join (thread, &method);
	assert_ptr_equal (method, house_name_at (house_function (&house, 4)));
}

static void
precompiled_code_becomes_a_jit_info_when_a_module_asks (void **state)
{
	void *at = (void *) (house_function (&house, 2) + 5);
	assert_null (monocle_jit_info_find (at));
	MonoJitInfo *info = mono_jit_info_table_find (mono_get_root_domain (), at);
	assert_non_null (info);
	assert_ptr_equal (mono_jit_info_get_code_start (info), (void *) house_function (&house, 2));
	assert_int_equal (mono_jit_info_get_code_size (info), R2R_FUNCTION_SIZE);
	assert_ptr_equal (mono_jit_info_get_method (info), monocle_method_def (house_record (&house), HOUSE_MAIN));
	assert_ptr_equal (mono_jit_info_table_find (mono_get_root_domain (), at), info);
	assert_null (mono_jit_info_table_find (mono_get_root_domain (), (void *) house_function (&house, 6)));
}

static void
each_piece_has_a_word_of_its_own (void **state)
{
	for (uint32_t i = 0; i < 6; i++) {
		_Atomic (uint64_t) *word = find (house_function (&house, i)).frame;
		assert_non_null (word);
		assert_int_equal (*word, 0);
		*word = i + 1;
	}
	for (uint32_t i = 0; i < 6; i++)
		assert_int_equal (*find (house_function (&house, i) + 1).frame, i + 1);
}

static void
collectible_images_have_no_precompiled_code_in_use (void **state)
{
	monocle__code code;
	fake_load (&guest);
	assert_false (monocle__codemap_find (house_function (&guest, 0), &code));
	fake_unload (&guest);
}

/* --- compiled ----------------------------------------------------------------------------------------------------- */

static fake_function of_main = { &house, HOUSE_MAIN, 0, 0, { 0 }, { &body }, 1 };
static fake_function of_guest = { &guest, HOUSE_MAIN, 0, 0, { 0 }, { &other_body }, 1 };

static void
compiled_bodies_are_found_as_soon_as_they_are_told (void **state)
{
	monocle__code code;
	assert_false (monocle__codemap_find (ID (&body) + 3, &code));
	monocle__callback_JITCompilationFinished (NULL, ID (&of_main), S_OK, 1);
	code = find (ID (&body) + 3);
	assert_int_equal (code.kind, MONOCLE__CODE_JIT);
	assert_int_equal (code.start, ID (&body));
	assert_int_equal (code.size, body.size);
	assert_ptr_equal (code.method, monocle_method_def (house_record (&house), HOUSE_MAIN));
	assert_int_equal (*code.frame, 0);
	*code.frame = 5;
	assert_int_equal (*find (ID (&body)).frame, 5);
	monocle_jit_info_free_code (&body);
	assert_false (monocle__codemap_find (ID (&body) + 3, &code));
	monocle__callback_JITCompilationFinished (NULL, ID (&of_main), S_OK, 1);
	assert_int_equal (*find (ID (&body)).frame, 0);
	monocle_jit_info_free_code (&body);
}

static void
code_of_an_image_goes_with_it (void **state)
{
	monocle__code code;
	fake_load (&guest);
	monocle__callback_JITCompilationFinished (NULL, ID (&of_guest), S_OK, 1);
	assert_true (monocle__codemap_find (ID (&other_body), &code));
	monocle__callback_ModuleUnloadStarted (NULL, ID (&guest));
	assert_false (monocle__codemap_find (ID (&other_body), &code));
	monocle__callback_ModuleUnloadFinished (NULL, ID (&guest), S_OK);
	assert_false (monocle__codemap_find (ID (&other_body), &code));
}

/* --- learning ----------------------------------------------------------------------------------------------------- */

static monocle__codemap_counts
counts (void)
{
	monocle__codemap_counts now;
	monocle__codemap_count (&now);
	return now;
}

static uint64_t settled; /* questions that were answered, or dropped, before */

static bool
is_settled (uintptr_t unused)
{
	monocle__codemap_counts now = counts ();
	return now.named + now.refused + now.lost > settled;
}

static void
learn (uintptr_t ip)
{
	monocle__codemap_counts now = counts ();
	settled = now.named + now.refused + now.lost;
	monocle__codemap_learn (ip);
}

static void
what_is_learnt_is_named (void **state)
{
	fake_found = &of_main;
	learn (ID (&body) + 8);
	await (is_named, ID (&body) + 8);
	assert_ptr_equal (house_name_at (ID (&body)), monocle_method_def (house_record (&house), HOUSE_MAIN));
	await (is_settled, 0);
	fake_found = NULL;
	monocle_jit_info_free_code (&body);
}

static void
what_the_runtime_does_not_know_is_asked_once (void **state)
{
	uint64_t asked = counts ().asked;
	learn (ID (&house));
	await (is_settled, 0);
	assert_int_equal (counts ().asked, asked + 1);
	for (int i = 0; i < 100; i++)
		monocle__codemap_learn (ID (&house));
	learn (ID (&house) + 1);
	await (is_settled, 0);
	assert_int_equal (counts ().asked, asked + 2);
}

static void
nothing_is_learnt_while_an_image_goes (void **state)
{
	uint64_t asked = counts ().asked;
	fake_load (&guest);
	monocle__callback_ModuleUnloadStarted (NULL, ID (&guest));
	learn (ID (&other_body));
	await (is_settled, 0);
	assert_int_equal (counts ().asked, asked);
	monocle__callback_ModuleUnloadFinished (NULL, ID (&guest), S_OK);
	learn (ID (&other_body));
	await (is_settled, 0);
	assert_int_equal (counts ().asked, asked + 1);
}

int
main (void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test (precompiled_methods_are_known_by_every_byte),
		cmocka_unit_test (thunks_are_stubs),
		cmocka_unit_test (what_is_outside_is_not_found),
		cmocka_unit_test (an_instance_is_read_from_its_signature),
		cmocka_unit_test (threads_without_memory_find_what_is_known),
		cmocka_unit_test (precompiled_code_becomes_a_jit_info_when_a_module_asks),
		cmocka_unit_test (each_piece_has_a_word_of_its_own),
		cmocka_unit_test (collectible_images_have_no_precompiled_code_in_use),
		cmocka_unit_test (compiled_bodies_are_found_as_soon_as_they_are_told),
		cmocka_unit_test (code_of_an_image_goes_with_it),
		cmocka_unit_test (what_is_learnt_is_named),
		cmocka_unit_test (what_the_runtime_does_not_know_is_asked_once),
		cmocka_unit_test (nothing_is_learnt_while_an_image_goes),
	};
	return cmocka_run_group_tests (tests, start, NULL);
}
