/*
 * SPDX-License-Identifier: MIT
 *
 * test_wrapper.c - methods that no image lists: spelled as Mono spells wrappers, kept apart while they live, and used
 * again by those that are spelled the same.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <mono/metadata/debug-helpers.h>
#include <mono/metadata/loader.h>
#include "arena.h"
#include "model/records.h"

static MonoImage *corlib;

static MonoMethod *
dynamic (const char *name, uint32_t count, MonoType *const *params)
{
	const monocle_signature_info signature = { .size = sizeof signature, .params = params, .param_count = count };
	const monocle_wrapper_info info = {
		.size = sizeof info,
		.wrapper = "dynamic-method",
		.name = name,
		.flags = 0x16,
		.klass = monocle_class_primitive (MONO_TYPE_OBJECT),
		.signature = &signature,
	};
	return monocle_method_wrapper_new (&info);
}

static MonoType *
type_of (uint32_t code)
{
	return monocle_type (monocle_class_primitive (code));
}

static void
a_wrapper_is_spelled_as_on_mono (void **state)
{
	MonoType *params[] = { type_of (MONO_TYPE_I4), type_of (MONO_TYPE_STRING) };
	MonoMethod *method = dynamic ("Dyn", 2, params);
	char *full = mono_method_full_name (method, 1), *plain = mono_method_full_name (method, 0);
	char *reflection = mono_method_get_reflection_name (method);
	assert_string_equal (full, "(wrapper dynamic-method) object:Dyn (int,string)");
	assert_string_equal (plain, "(wrapper dynamic-method) object:Dyn");
	assert_string_equal (reflection, "(wrapper dynamic-method) System.Object.Dyn(int,string)");
	assert_string_equal (mono_method_get_name (method), "Dyn");
	assert_int_equal (mono_method_get_token (method), 0);
	assert_int_equal (mono_method_get_flags (method, NULL), 0x16);
	assert_ptr_equal (mono_class_get_image (mono_method_get_class (method)), corlib);
	assert_ptr_equal (monocle_method_image (method), corlib);
	assert_int_equal (mono_signature_get_param_count (mono_method_signature (method)), 2);
	assert_false (mono_signature_is_instance (mono_method_signature (method)));
	assert_null (mono_method_get_header (method));
	mono_free (full);
	mono_free (plain);
	mono_free (reflection);
	monocle_method_wrapper_free (method);
}

static void
two_that_live_at_once_are_two (void **state)
{
	MonoMethod *one = dynamic ("Same", 0, NULL), *two = dynamic ("Same", 0, NULL);
	assert_non_null (one);
	assert_ptr_not_equal (one, two);
	monocle_method_wrapper_free (one);
	assert_string_equal (mono_method_get_name (one), "Same");
	assert_ptr_equal (dynamic ("Same", 0, NULL), one);
	monocle_method_wrapper_free (one);
	monocle_method_wrapper_free (two);
}

static void
only_equal_ones_share_a_record (void **state)
{
	MonoType *number[] = { type_of (MONO_TYPE_I4) }, *text[] = { type_of (MONO_TYPE_STRING) };
	MonoMethod *method = dynamic ("Shape", 1, number);
	monocle_method_wrapper_free (method);
	assert_ptr_not_equal (dynamic ("Shape", 1, text), method);
	assert_ptr_not_equal (dynamic ("Shape", 0, NULL), method);
	assert_ptr_not_equal (dynamic ("Shape2", 1, number), method);
	monocle_wrapper_info other = {
		.size = sizeof other,
		.wrapper = "other",
		.name = "Shape",
		.klass = monocle_class_primitive (MONO_TYPE_OBJECT),
	};
	assert_ptr_not_equal (monocle_method_wrapper_new (&other), method);
	assert_ptr_equal (dynamic ("Shape", 1, number), method);
}

static void
equal_ones_in_turn_take_no_memory (void **state)
{
	static char code[64];
	uint64_t size = 0;
	for (int i = 0; i < 1000; i++) {
		MonoMethod *method = dynamic ("Turn", 0, NULL);
		MonoJitInfo *info = monocle_jit_info_new (method, code, 32 + i % 32);
		assert_ptr_equal (mono_jit_info_table_find (NULL, code + 31), info);
		assert_ptr_equal (mono_jit_info_get_method (info), method);
		assert_int_equal (mono_jit_info_get_code_size (info), 32 + i % 32);
		monocle_jit_info_free_code (code);
		assert_null (mono_jit_info_table_find (NULL, code + 31));
		monocle_method_wrapper_free (method);
		if (i == 31) /* every size was there, and with it every granule */
			size = monocle_records_size ();
	}
	assert_int_equal (monocle_records_size (), size);
}

static void
freed_code_gives_its_record_to_the_same_method_only (void **state)
{
	static char code[64];
	MonoMethod *one = dynamic ("Code1", 0, NULL), *two = dynamic ("Code2", 0, NULL);
	MonoJitInfo *first = monocle_jit_info_new (one, code, 16);
	monocle_jit_info_free_code (code);
	assert_ptr_not_equal (monocle_jit_info_new (two, code, 16), first);
	assert_ptr_equal (mono_jit_info_get_method (first), one);
}

static void
what_is_incomplete_or_no_wrapper_is_refused (void **state)
{
	monocle_wrapper_info info = { .size = sizeof info, .wrapper = "other", .name = "x" };
	assert_null (monocle_method_wrapper_new (NULL));
	assert_null (monocle_method_wrapper_new (&info));
	info.klass = monocle_class_primitive (MONO_TYPE_OBJECT);
	info.size = 8;
	assert_null (monocle_method_wrapper_new (&info));
	monocle_method_wrapper_free (NULL);
	monocle_method_wrapper_free (monocle_method_def (corlib, 0x06000001));
}

static void
without_memory_there_is_none (void **state)
{
	MonoMethod *method = NULL;
	for (int64_t budget = 0; !method; budget++) {
		monocle__arena_set_budget (budget);
		method = dynamic ("Nothing half made is kept", 0, NULL);
		monocle__arena_set_budget (-1);
		assert_true (budget < 16);
	}
	assert_string_equal (mono_method_get_name (method), "Nothing half made is kept");
}

/* Threads make and drop the same few; nobody ever has what another one has. */
static void *
make_and_drop (void *data)
{
	for (int i = 0; i < 5000; i++) {
		char name[16];
		snprintf (name, sizeof name, "T%d", i % 3);
		MonoMethod *method = dynamic (name, 0, NULL);
		void **slot = monocle_method_slot (method);
		void *none = NULL;
		if (!__atomic_compare_exchange_n (slot, &none, data, false, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED) ||
		    strcmp (mono_method_get_name (method), name))
			return data;
		__atomic_store_n (slot, NULL, __ATOMIC_RELEASE);
		monocle_method_wrapper_free (method);
	}
	return NULL;
}

static void
threads_never_have_the_same_one (void **state)
{
	enum { THREADS = 4 };
	pthread_t threads[THREADS];
	for (uintptr_t i = 0; i < THREADS; i++)
		assert_int_equal (pthread_create (&threads[i], NULL, make_and_drop, (void *) (i + 1)), 0);
	for (int i = 0; i < THREADS; i++) {
		void *failed;
		pthread_join (threads[i], &failed);
		assert_null (failed);
	}
}

int
main (void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test (a_wrapper_is_spelled_as_on_mono),
		cmocka_unit_test (two_that_live_at_once_are_two),
		cmocka_unit_test (only_equal_ones_share_a_record),
		cmocka_unit_test (equal_ones_in_turn_take_no_memory),
		cmocka_unit_test (freed_code_gives_its_record_to_the_same_method_only),
		cmocka_unit_test (what_is_incomplete_or_no_wrapper_is_refused),
		cmocka_unit_test (without_memory_there_is_none),
		cmocka_unit_test (threads_never_have_the_same_one),
	};
	const monocle_host_ops ops = {
		.size = sizeof ops,
		.api_version = MONOCLE_HOST_API_VERSION,
		.name = "wrappers",
	};
	if (monocle_host_init (&ops))
		return 1;
	corlib = monocle_image_new ("corlib.dll", MONOCLE_IMAGE_CORLIB, 4, 4, NULL);
	return cmocka_run_group_tests (tests, NULL, NULL);
}
