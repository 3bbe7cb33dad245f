/*
 * SPDX-License-Identifier: MIT
 *
 * test_types.c - types that say more than a class: interned, named, inflated; and where types end.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdlib.h>
#include <string.h>
#include "arena.h"
#include "model/inflate.h"

static MonoClass *box, *pair, *marker, *other; /* Box<T>, Pair<A, B>, and two that modify */
static MonoImage *image;

static int
describe_class (void *host, MonoClass *klass, monocle_class_info *ret)
{
	static const struct {
		const char *name;
		uint32_t params;
	} rows[] = {
		{ "Box`1", 1 },
		{ "Pair`2", 2 },
		{ "Marker", 0 },
		{ "Other", 0 },
	};
	uint32_t row = (monocle_class_token (klass) & 0xFFFFFF) - 1;
	if (row >= sizeof rows / sizeof *rows)
		return MONOCLE_E_UNKNOWN;
	ret->name = rows[row].name;
	ret->name_space = "N";
	ret->generic_params = rows[row].params;
	return 0;
}

static const char *
generic_param_name (void *host, MonoClass *klass, MonoMethod *method, uint32_t index)
{
	return index ? "B" : klass == box ? "T" : "A";
}

static MonoType *
type_of (uint32_t code)
{
	return monocle_type (monocle_class_primitive (code));
}

static MonoType *
param (MonoClass *klass, uint32_t index)
{
	return monocle_type (monocle_class_param (klass, NULL, index, 0));
}

static MonoType *
boxed (MonoType *argument)
{
	return monocle_type (monocle_class_inst (box, 1, &argument));
}

static MonoType *
modified (MonoType *type, MonoClass *klass, bool required)
{
	MonoType *modifier = monocle_type (klass);
	return monocle_type_with (type, 0, 1, &modifier, required);
}

static void
check_name (MonoType *type, const char *expected)
{
	char *name = mono_type_full_name (type);
	assert_string_equal (name, expected);
	free (name);
}

static MonoType *
with_arguments (MonoType *type, MonoType *a)
{
	return a ? monocle__inflate_type (type, 1, &a, 0, NULL) : NULL;
}

static MonoType *
matrix (MonoType *element, const int32_t *sizes, uint32_t count)
{
	return monocle_type_array (
	    element,
	    &(monocle_array_info) { .size = sizeof (monocle_array_info), .rank = 2, .sizes = sizes, .size_count = count });
}

static MonoType *
pointer_to (MonoType *ret, MonoType *argument)
{
	return monocle_type_fnptr (&(monocle_signature_info) {
	    .size = sizeof (monocle_signature_info), .ret = ret, .params = &argument, .param_count = 1 });
}

/* --- */

static void
equal_parts_are_one_type_and_plain_ones_the_class_s_own (void **state)
{
	MonoType *integer = type_of (MONO_TYPE_I4);
	const int32_t sizes[] = { 3, 4 }, others[] = { 3, 5 };
	assert_ptr_equal (monocle_type_with (integer, 0, 0, NULL, 0), integer);
	assert_ptr_equal (monocle_type_with (integer, 1, 0, NULL, 0), monocle_type_byref (integer->klass));
	assert_ptr_equal (monocle_type_pointer (integer), monocle_type (monocle_class_pointer (integer->klass)));
	assert_ptr_equal (matrix (integer, NULL, 0), monocle_type (monocle_class_array (integer->klass, 2)));
	assert_ptr_equal (modified (integer, marker, true), modified (integer, marker, true));
	assert_ptr_not_equal (modified (integer, marker, true), modified (integer, marker, false));
	assert_ptr_not_equal (modified (integer, marker, true), modified (integer, other, true));
	assert_ptr_equal (matrix (integer, sizes, 2), matrix (integer, (int32_t[]) { 3, 4 }, 2));
	assert_ptr_not_equal (matrix (integer, sizes, 2), matrix (integer, others, 2));
	assert_true (mono_metadata_type_equal (matrix (integer, sizes, 2), matrix (integer, others, 2)));
	assert_false (mono_metadata_type_equal (integer, modified (integer, marker, true)));
	assert_ptr_equal (pointer_to (integer, integer), pointer_to (integer, integer));
	assert_ptr_not_equal (pointer_to (integer, integer), pointer_to (integer, type_of (MONO_TYPE_U4)));
	assert_null (monocle_type_pointer (NULL));
	assert_null (monocle_type_with (NULL, 1, 0, NULL, 0));
}

static void
names_show_modifiers_where_mono_shows_them (void **state)
{
	MonoType *integer = type_of (MONO_TYPE_I4), *both = modified (modified (integer, other, true), marker, false);
	check_name (both, "int modreq(N.Other) modopt(N.Marker)");
	check_name (monocle_type_with (both, 1, 0, NULL, 0), "int modreq(N.Other) modopt(N.Marker)&");
	check_name (monocle_type_pointer (both), "int modreq(N.Other) modopt(N.Marker)*");
	check_name (matrix (both, NULL, 0), "int[,]");
	check_name (boxed (both), "N.Box`1<int modreq(N.Other) modopt(N.Marker)>");
	check_name (pointer_to (both, both), "*()");
}

static void
arguments_reach_into_every_part (void **state)
{
	MonoType *t = param (box, 0), *text = type_of (MONO_TYPE_STRING);
	const int32_t sizes[] = { 7 };
	check_name (with_arguments (modified (t, marker, true), text), "string modreq(N.Marker)");
	check_name (with_arguments (monocle_type_pointer (modified (t, marker, false)), text), "string modopt(N.Marker)*");
	check_name (with_arguments (boxed (modified (t, marker, false)), text), "N.Box`1<string modopt(N.Marker)>");
	check_name (with_arguments (t, modified (text, marker, true)), "string modreq(N.Marker)");
	MonoType *array = with_arguments (matrix (t, sizes, 1), text);
	check_name (array, "string[,]");
	assert_int_equal (mono_type_get_array_type (array)->sizes[0], 7);
	assert_ptr_equal (mono_type_get_array_type (array)->eklass, text->klass);
	MonoMethodSignature *signature = mono_type_get_signature (with_arguments (pointer_to (t, boxed (t)), text));
	assert_ptr_equal (mono_signature_get_return_type (signature), text);
	check_name (*signature->params, "N.Box`1<string>");
	assert_ptr_equal (with_arguments (modified (text, marker, true), t), modified (text, marker, true));
}

/* Box<T> inside Box is Box itself where a class is asked for, and not where a type is. */
static void
an_instance_over_a_definition_s_own_parameters_shows_as_the_definition (void **state)
{
	MonoType *own = boxed (param (box, 0)), *foreign = boxed (param (pair, 0));
	assert_int_equal (mono_type_get_type (own), MONO_TYPE_GENERICINST);
	assert_ptr_equal (mono_class_from_mono_type (own), box);
	assert_ptr_not_equal (mono_class_from_mono_type (foreign), box);
	check_name (own, "N.Box`1<T>");
	check_name (matrix (own, NULL, 0), "N.Box`1[,]");
	check_name (monocle_type_pointer (own), "N.Box`1<T>*");
	check_name (matrix (foreign, NULL, 0), "N.Box`1<A>[,]");
	check_name (with_arguments (matrix (own, NULL, 0), type_of (MONO_TYPE_I4)), "N.Box`1<int>[,]");
}

static void
a_general_array_of_rank_1_is_no_vector (void **state)
{
	const monocle_array_info info = { .size = sizeof info, .rank = 1, .is_general = 1 };
	MonoType *integer = type_of (MONO_TYPE_I4), *array = monocle_type_array (integer, &info);
	assert_ptr_not_equal (array, monocle_type (monocle_class_array (integer->klass, 1)));
	assert_int_equal (mono_type_get_type (array), MONO_TYPE_ARRAY);
	assert_string_equal (mono_class_get_name (array->klass), "Int32[*]");
	check_name (array, "int[]");
	MonoType *open = monocle_type_array (param (box, 0), &info);
	assert_ptr_equal (with_arguments (open, integer), array);
}

static void
a_type_nests_128_deep_and_no_deeper (void **state)
{
	MonoType *type = type_of (MONO_TYPE_I4);
	for (int i = 0; i < 128; i++)
		assert_non_null (type = boxed (type));
	assert_null (boxed (type));
	assert_null (monocle_type_pointer (type));
	assert_null (with_arguments (boxed (param (box, 0)), type));
}

/* Each with its last modifier in front. */
static void
a_type_has_64_modifiers_and_no_more (void **state)
{
	MonoType *type = type_of (MONO_TYPE_I4);
	for (int i = 0; i < 64; i++)
		assert_non_null (type = modified (type, marker, i == 63));
	assert_null (modified (type, marker, true));
	char *name = mono_type_full_name (type);
	assert_non_null (strstr (name, "modopt(N.Marker) modreq(N.Marker)"));
	free (name);
}

static void
nothing_half_made_is_kept_without_memory (void **state)
{
	MonoType *text = type_of (MONO_TYPE_STRING), *open = pointer_to (param (box, 0), boxed (param (box, 0)));
	for (int allocations = 0; allocations < 12; allocations++) {
		const int32_t sizes[] = { 100 + allocations, 1 };
		monocle__arena_set_budget (allocations);
		matrix (text, sizes, 2);
		pointer_to (text, modified (text, other, allocations & 1));
		with_arguments (open, modified (text, other, allocations & 1));
		monocle__arena_set_budget (-1);
		MonoType *array = matrix (text, sizes, 2);
		MonoType *pointer = pointer_to (text, modified (text, other, allocations & 1));
		assert_int_equal (mono_type_get_array_type (array)->sizes[0], 100 + allocations);
		check_name (*mono_type_get_signature (pointer)->params,
		            allocations & 1 ? "string modreq(N.Other)" : "string modopt(N.Other)");
	}
}

static void
a_sentinel_says_where_the_arguments_of_one_call_begin (void **state)
{
	MonoType *string = monocle_type (monocle_class_primitive (MONO_TYPE_STRING)), *params[] = { string, string };
	monocle_signature_info plain = { .size = sizeof plain, .ret = string, .params = params, .param_count = 2 };
	monocle_signature_info fixed = plain, call;
	fixed.call_convention = MONO_CALL_VARARG;
	call = fixed;
	call.sentinel = 2;
	assert_int_equal (mono_signature_vararg_start (mono_type_get_signature (monocle_type_fnptr (&fixed))), 2);
	assert_int_equal (mono_signature_vararg_start (mono_type_get_signature (monocle_type_fnptr (&call))), 1);
	assert_int_equal (mono_signature_vararg_start (mono_type_get_signature (monocle_type_fnptr (&plain))), -1);
	assert_int_equal (mono_signature_vararg_start (NULL), -1);
}

int
main (void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test (equal_parts_are_one_type_and_plain_ones_the_class_s_own),
		cmocka_unit_test (names_show_modifiers_where_mono_shows_them),
		cmocka_unit_test (arguments_reach_into_every_part),
		cmocka_unit_test (an_instance_over_a_definition_s_own_parameters_shows_as_the_definition),
		cmocka_unit_test (a_general_array_of_rank_1_is_no_vector),
		cmocka_unit_test (a_type_nests_128_deep_and_no_deeper),
		cmocka_unit_test (a_type_has_64_modifiers_and_no_more),
		cmocka_unit_test (nothing_half_made_is_kept_without_memory),
		cmocka_unit_test (a_sentinel_says_where_the_arguments_of_one_call_begin),
	};
	const monocle_host_ops ops = {
		.size = sizeof ops,
		.api_version = MONOCLE_HOST_API_VERSION,
		.name = "types",
		.describe_class = describe_class,
		.generic_param_name = generic_param_name,
	};
	if (monocle_host_init (&ops))
		return 1;
	image = monocle_image_new ("types.dll", 0, 4, 0, NULL);
	box = monocle_class_def (image, 0x02000001);
	pair = monocle_class_def (image, 0x02000002);
	marker = monocle_class_def (image, 0x02000003);
	other = monocle_class_def (image, 0x02000004);
	return cmocka_run_group_tests (tests, NULL, NULL);
}
