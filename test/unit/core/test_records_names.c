/*
 * SPDX-License-Identifier: MIT
 *
 * test_records_names.c - the core spells types and methods as real Mono does.
 *
 * oracle/names.c printed oracle/shapes.tsv on Mono 6.8. Here the same code prints what the core says about the same
 * shapes, described by a scripted host, and each line must be in that file.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include "golden.h"
#include "model/records.h"
#include "oracle/names.c"
#include "shapes-host.h"

static int
read_golden (void **state)
{
	golden_read (GOLDEN);
	shapes_host_start ();
	return 0;
}

/* Prints with `print` and looks every line up. Returns how many different lines there were. */
static size_t
check (void (*print) (void))
{
	char *text = NULL;
	size_t size = 0, count = 0;
	out = open_memstream (&text, &size);
	print ();
	fclose (out);
	size_t wrong = golden_compare (text, &count);
	free (text);
	assert_int_equal (wrong, 0);
	return count;
}

static void
definitions_are_spelt_as_mono_spells_them (void **state)
{
	size_t lines = check (definitions);
	size_t expected = golden_lines ("def:") + golden_lines ("typedef:") + golden_lines ("pattern:");
	assert_true (lines > expected);
	assert_true (expected >= 61 + 16 + 120);
}

/* The instances that shapes.exe runs, as shared code (R) or on their own. */
static const struct {
	const char *klass, *klass_arguments, *method, *arguments;
} instances[] = {
	{ "Outer`1", "R!0", "Simple", "" },
	{ "Outer`1", "i", "Simple", "" },
	{ "Outer`1", "CColor;", "Simple", "" },
	{ "Outer`1", "GKeyValuePair`2;2si", "Simple", "" },
	{ "Outer`1", "R!0", "Own", "" },
	{ "Outer`1", "i", "Own", "" },
	{ "Outer`1", "R!0", "Arrays", "" },
	{ "Outer`1", "i", "Arrays", "" },
	{ "Value", "R!0", "OfValue", "" },
	{ "Plain", "i", "InPlain", "" },
	{ "Inner`1", "R!0 R!1", "DeepStatic", "" },
	{ "Inner`1", "s i", "DeepStatic", "" },
	{ "Inner`1", "i l", "NoArguments", "" },
	{ "Inner`1", "R!0 R!1", "Deep", "R?0" },
	{ "Inner`1", "s i", "Deep", "s" },
	{ "Inner`1", "a c", "Deep", "a" },
	{ "Generics", "", "Method", "R?0" },
	{ "Generics", "", "Method", "i" },
	{ "Generics", "", "Method", "GKeyValuePair`2;2ii" },
	{ "Generics", "", "Two", "s i" },
	{ "Generics", "", "Two", "i [i" },
	{ "Generics", "", "Two", "2[i i" },
	{ "Generics", "", "Two", "GList`1;1s i" },
	{ "Generics", "", "Constrained", "d" },
	{ "Generics", "", "Constrained", "n" },
	{ "Generics", "", "Constrained", "CDecimal;" },
	{ "Program", "", "Touch", "R?0" },
	{ "Program", "", "TouchTwo", "R?0 R?1" },
};

static uint32_t
type_list (const char *script, MonoClass *klass, MonoMethod *method, MonoType **ret_types)
{
	uint32_t count = 0;
	while (*script)
		assert_non_null (ret_types[count++] = shapes_type (&script, klass, method));
	return count;
}

static MonoMethod *
instance_of (size_t i)
{
	MonoType *types[4];
	MonoMethod *method = shapes_method (instances[i].method);
	MonoClass *definition = shapes_class (instances[i].klass);
	uint32_t count = type_list (instances[i].klass_arguments, definition, method, types);
	MonoClass *klass = monocle_class_inst (definition, count, types);
	count = type_list (instances[i].arguments, definition, method, types);
	return monocle_method_inst (method, klass, count, types);
}

static void
print_instances (void)
{
	for (size_t i = 0; i < sizeof instances / sizeof *instances; i++)
		method_enter (NULL, instance_of (i), NULL);
}

static void
instances_are_spelt_as_mono_spells_them_when_it_enters_them (void **state)
{
	assert_true (check (print_instances) >= sizeof instances / sizeof *instances);
}

static void
print_unshared (void)
{
	MonoMethod *simple = shapes_method ("Simple");
	MonoType *string = mono_class_get_type (mono_get_string_class ());
	print_jit (monocle_method_inst (simple, monocle_class_inst (shapes_class ("Outer`1"), 1, &string), 0, NULL));
	print_jit (monocle_method_inst (shapes_method ("Method"), NULL, 1, &string));
}

static void
an_instance_that_is_not_shared_shows_its_arguments (void **state)
{
	assert_int_equal (check (print_unshared), 2);
}

static void
print_images (void)
{
	print_image ("shapes", shapes_image);
	print_image ("corlib", shapes_corlib);
	begin ("no", "signature");
	column_free ("desc", mono_signature_get_desc (NULL, 1));
	end ();
}

static void
assemblies_are_spelt_as_mono_spells_them (void **state)
{
	assert_int_equal (check (print_images), 3);
}

/* Mono counts the commas of the pattern as arguments, so that it never matches here. */
static void
a_pattern_may_have_commas_inside_brackets (void **state)
{
	MonoMethodDesc *desc =
	    mono_method_desc_new ("N.S.Primitives:Jagged(int[][],int[,,],int[,][],int[][,],string[],object[])", 1);
	assert_true (mono_method_desc_full_match (desc, shapes_method ("Jagged")));
	assert_ptr_equal (mono_method_desc_search_in_image (desc, shapes_image), shapes_method ("Jagged"));
	assert_ptr_equal (mono_method_desc_search_in_class (desc, shapes_class ("Primitives")), shapes_method ("Jagged"));
	assert_null (mono_method_desc_search_in_class (desc, shapes_class ("Color")));
	mono_method_desc_free (desc);
}

static void
function_pointers_and_odd_names_have_a_spelling (void **state)
{
	char *text = mono_type_full_name (monocle_type (monocle_class_fnptr ()));
	assert_string_equal (text, "*()");
	mono_free (text);
	text = mono_type_get_name (monocle_type (monocle_class_array (monocle_class_named ("lib", "A.B", "C`1", 0), 2)));
	assert_string_equal (text, "A.B.C[,]");
	mono_free (text);
	text = mono_type_full_name (monocle_type_byref (monocle_class_param (NULL, NULL, 0, 1)));
	assert_string_equal (text, "T_REF&");
	mono_free (text);
}

static void
names_longer_than_any_buffer_are_complete (void **state)
{
	MonoType *type = mono_class_get_type (mono_get_string_class ());
	for (int i = 0; i < 8; i++) {
		MonoType *two[] = { type, type };
		type = monocle_type (monocle_class_inst (shapes_class ("Dictionary`2"), 2, two));
	}
	char *text = mono_type_full_name (type);
	size_t length = strlen (text);
	assert_true (length > 5000);
	assert_int_equal (text[length - 1], '>');
	mono_free (text);
}

int
main (void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test (definitions_are_spelt_as_mono_spells_them),
		cmocka_unit_test (instances_are_spelt_as_mono_spells_them_when_it_enters_them),
		cmocka_unit_test (an_instance_that_is_not_shared_shows_its_arguments),
		cmocka_unit_test (assemblies_are_spelt_as_mono_spells_them),
		cmocka_unit_test (a_pattern_may_have_commas_inside_brackets),
		cmocka_unit_test (function_pointers_and_odd_names_have_a_spelling),
		cmocka_unit_test (names_longer_than_any_buffer_are_complete),
	};
	return cmocka_run_group_tests (tests, read_golden, NULL);
}
