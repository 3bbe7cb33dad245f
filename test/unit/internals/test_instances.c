/*
 * SPDX-License-Identifier: MIT
 *
 * test_instances.c - the arguments of instances, read as Mono's aot profiler reads them, and signatures as text.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include "internals.h"
#include "shapes-host.h"

static int
start (void **state)
{
	shapes_host_start ();
	return 0;
}

static MonoType *
type_of (int code)
{
	return monocle_type (monocle_class_primitive ((uint32_t) code));
}

/* --- contexts ----------------------------------------------------------------------------------------------------- */

static uint32_t
count_in (const void *inst)
{
	return ((const uint32_t *) inst)[1] & 0x3fffff;
}

static MonoType *
argument_in (const void *inst, size_t index)
{
	return ((MonoType *const *) inst)[1 + index];
}

static void
an_instance_of_a_class_has_its_arguments (void **state)
{
	MonoType *two[] = { type_of (MONO_TYPE_I4), type_of (MONO_TYPE_STRING) };
	MonoClass *inst = monocle_class_inst (shapes_class ("Dictionary`2"), 2, two);
	MonoGenericContext *context = mono_class_get_context (inst);
	assert_int_equal (count_in (context->class_inst), 2);
	assert_ptr_equal (argument_in (context->class_inst, 0), two[0]);
	assert_ptr_equal (argument_in (context->class_inst, 1), two[1]);
	assert_null (context->method_inst);
	assert_ptr_equal (mono_class_get_context (inst), context);
}

static void
an_instance_of_a_method_has_both (void **state)
{
	MonoType *one[] = { type_of (MONO_TYPE_I4) }, *other[] = { type_of (MONO_TYPE_STRING) };
	MonoClass *outer = monocle_class_inst (shapes_class ("Outer`1"), 1, one);
	MonoGenericContext *context =
	    mono_method_get_context (monocle_method_inst (shapes_method ("Simple"), outer, 0, NULL));
	assert_ptr_equal (argument_in (context->class_inst, 0), one[0]);
	assert_null (context->method_inst);
	MonoMethod *generic = monocle_method_inst (shapes_method ("Method"), NULL, 1, other);
	context = mono_method_get_context (generic);
	assert_int_equal (count_in (context->method_inst), 1);
	assert_ptr_equal (argument_in (context->method_inst, 0), other[0]);
	assert_ptr_equal (mono_method_get_context (generic), context);
}

static void
equal_arguments_are_one_list_and_cost_nothing_more (void **state)
{
	MonoType *one[] = { type_of (MONO_TYPE_R8) };
	MonoClass *list = monocle_class_inst (shapes_class ("List`1"), 1, one);
	MonoMethod *method = monocle_method_inst (shapes_method ("Method"), NULL, 1, one);
	const void *arguments = mono_class_get_context (list)->class_inst;
	assert_ptr_equal (arguments, mono_method_get_context (method)->method_inst);
	uint64_t before = monocle_records_size ();
	for (int i = 0; i < 1000; i++) {
		mono_class_get_context (list);
		mono_method_get_context (method);
	}
	assert_int_equal (monocle_records_size (), before);
}

static void
what_is_no_instance_has_no_arguments (void **state)
{
	MonoGenericContext *contexts[] = {
		mono_class_get_context (shapes_class ("List`1")),
		mono_class_get_context (shapes_class ("Program")),
		mono_method_get_context (shapes_method ("Method")),
		mono_class_get_context (NULL),
		mono_method_get_context (NULL),
	};
	for (size_t i = 0; i < sizeof contexts / sizeof *contexts; i++) {
		assert_null (contexts[i]->class_inst);
		assert_null (contexts[i]->method_inst);
	}
}

/* --- signatures --------------------------------------------------------------------------------------------------- */

static void
is_spelt (MonoType *result, uint32_t count, MonoType *const *params, const char *wanted)
{
	monocle_signature_info info = { .size = sizeof info, .ret = result, .params = params, .param_count = count };
	char *text = mono_signature_full_name (mono_type_get_signature (monocle_type_fnptr (&info)));
	assert_string_equal (text, wanted);
	free (text);
}

static void
signatures_are_spelt_with_namespaces (void **state)
{
	MonoType *integer = type_of (MONO_TYPE_I4), *list[] = { integer };
	MonoType *params[] = {
		type_of (MONO_TYPE_STRING),
		integer,
		monocle_type_byref (shapes_class ("Color")),
		monocle_type (monocle_class_inst (shapes_class ("List`1"), 1, list)),
		monocle_type (monocle_class_array (mono_class_from_mono_type (integer), 2)),
	};
	is_spelt (type_of (MONO_TYPE_VOID), 0, NULL, "void()");
	is_spelt (integer, 2, params, "int(string,int)");
	is_spelt (
	    params[3], 5, params,
	    "System.Collections.Generic.List`1<int>(string,int,N.S.Color&,System.Collections.Generic.List`1<int>,int[,])");
}

static void
no_signature_is_called_invalid (void **state)
{
	char *text = mono_signature_full_name (NULL);
	assert_string_equal (text, "<invalid signature>");
	free (text);
}

int
main (void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test (an_instance_of_a_class_has_its_arguments),
		cmocka_unit_test (an_instance_of_a_method_has_both),
		cmocka_unit_test (equal_arguments_are_one_list_and_cost_nothing_more),
		cmocka_unit_test (what_is_no_instance_has_no_arguments),
		cmocka_unit_test (signatures_are_spelt_with_namespaces),
		cmocka_unit_test (no_signature_is_called_invalid),
	};
	return cmocka_run_group_tests (tests, start, NULL);
}
