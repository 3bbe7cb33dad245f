/*
 * SPDX-License-Identifier: MIT
 *
 * test_records.c - records: what is the same is one record, what is known stays known.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include <pthread.h>
#include <stdbool.h>
#include <mono/jit/jit.h>
#include <mono/metadata/debug-helpers.h>
#include <mono/metadata/mono-config.h>
#include <mono/metadata/mono-gc.h>
#include <mono/metadata/threads.h>
#include <mono/utils/mono-counters.h>
#include "arena.h"
#include "model/records.h"
#include "shapes-host.h"

MONO_API char *mono_type_get_name_full (MonoType *type, int format);

static int
start (void **state)
{
	shapes_host_start ();
	return 0;
}

static MonoType *
int_type (void)
{
	return monocle_type (monocle_class_primitive (MONO_TYPE_I4));
}

static MonoType *
string_type (void)
{
	return monocle_type (monocle_class_primitive (MONO_TYPE_STRING));
}

/* --- identity ----------------------------------------------------------------------------------------------------- */

static void
equal_classes_are_one_record (void **state)
{
	MonoType *two[] = { int_type (), string_type () }, *swapped[] = { two[1], two[0] };
	MonoClass *dictionary = shapes_class ("Dictionary`2");
	assert_ptr_equal (dictionary, shapes_class ("Dictionary`2"));
	assert_ptr_equal (monocle_class_inst (dictionary, 2, two), monocle_class_inst (dictionary, 2, two));
	assert_ptr_not_equal (monocle_class_inst (dictionary, 2, two), monocle_class_inst (dictionary, 2, swapped));
	assert_ptr_equal (monocle_class_inst (dictionary, 0, NULL), dictionary);
	assert_ptr_equal (monocle_class_array (dictionary, 2), mono_array_class_get (dictionary, 2));
	assert_ptr_not_equal (monocle_class_array (dictionary, 2), monocle_class_array (dictionary, 1));
	assert_ptr_equal (monocle_class_pointer (dictionary), mono_ptr_class_get (mono_class_get_type (dictionary)));
	assert_ptr_equal (monocle_class_param (dictionary, NULL, 1, 0), monocle_class_param (dictionary, NULL, 1, 0));
	assert_ptr_not_equal (monocle_class_param (dictionary, NULL, 1, 0), monocle_class_param (dictionary, NULL, 1, 1));
	assert_true (monocle_class_is_stand_in (monocle_class_param (dictionary, NULL, 1, 1)));
	assert_false (monocle_class_is_stand_in (monocle_class_param (dictionary, NULL, 1, 0)));
	assert_false (monocle_class_is_stand_in (dictionary));
	assert_ptr_equal (monocle_class_named ("a", "b", "c", 0), monocle_class_named ("a", "b", "c", 0));
	assert_ptr_not_equal (monocle_class_named ("a", "b", "c", 0), monocle_class_named ("a", "b", "c", 1));
	assert_ptr_not_equal (monocle_class_named ("a", "b", "c", 0), monocle_class_named ("x", "b", "c", 0));
}

static void
equal_methods_are_one_record (void **state)
{
	MonoType *one[] = { int_type () };
	MonoMethod *simple = shapes_method ("Simple"), *generic = shapes_method ("Method");
	MonoClass *outer = monocle_class_inst (shapes_class ("Outer`1"), 1, one);
	MonoMethod *inst = monocle_method_inst (simple, outer, 0, NULL);
	assert_ptr_equal (inst, monocle_method_inst (simple, outer, 0, NULL));
	assert_ptr_not_equal (inst, simple);
	assert_ptr_equal (monocle_method_definition (inst), simple);
	assert_ptr_equal (monocle_method_inst (simple, shapes_class ("Outer`1"), 0, NULL), simple);
	assert_ptr_equal (monocle_method_inst (generic, NULL, 1, one), monocle_method_inst (generic, NULL, 1, one));
	assert_ptr_not_equal (monocle_method_slot (inst), monocle_method_slot (simple));
	assert_int_equal (mono_method_get_token (inst), mono_method_get_token (simple));
}

static void
a_primitive_is_the_class_that_corlib_defines (void **state)
{
	MonoClass *defined = mono_class_from_name (shapes_corlib, "System", "Int32");
	assert_ptr_equal (defined, mono_get_int32_class ());
	assert_int_equal (mono_class_get_type_token (mono_get_int32_class ()) >> 24, 2);
	assert_ptr_equal (mono_class_get_image (mono_get_string_class ()), shapes_corlib);
	assert_string_equal (mono_class_get_name (mono_class_get_parent (mono_get_byte_class ())), "ValueType");
	assert_null (monocle_class_primitive (MONO_TYPE_CLASS));
	assert_null (monocle_class_primitive (0xffff));
	assert_null (mono_class_get_parent (mono_get_object_class ()));
}

static void
nothing_is_answered_with_nothing (void **state)
{
	assert_null (mono_method_full_name (NULL, 1));
	assert_null (mono_method_get_name (NULL));
	assert_null (mono_method_get_class (NULL));
	assert_null (mono_class_get_name (NULL));
	assert_null (mono_class_get_image (NULL));
	assert_null (mono_class_get_parent (NULL));
	assert_null (mono_type_get_name (NULL));
	assert_null (mono_image_get_name (NULL));
	assert_null (mono_image_loaded ("nothing"));
	assert_null (mono_class_get (shapes_image, 0x02ffffff));
	assert_null (mono_get_method (shapes_image, 0x06ffffff, NULL));
	assert_null (mono_jit_info_table_find (NULL, NULL));
	assert_null (monocle_class_def (NULL, 1));
	assert_null (monocle_method_def (shapes_image, 0));
	assert_int_equal (mono_type_get_type (NULL), MONO_TYPE_END);
	assert_int_equal (mono_signature_get_param_count (NULL), 0);
}

/* --- describing --------------------------------------------------------------------------------------------------- */

static void
the_host_is_asked_once (void **state)
{
	MonoMethod *method = shapes_method ("Others");
	free (mono_method_full_name (method, 1));
	int before = shapes_asked;
	const char *name = mono_method_get_name (method);
	free (mono_method_full_name (method, 1));
	assert_ptr_equal (mono_method_get_name (method), name);
	assert_int_equal (shapes_asked, before);
}

static void
what_cannot_be_described_yet_is_asked_again (void **state)
{
	MonoImage *image = monocle_image_new ("/x/late.dll", 0, 4, 4, NULL);
	MonoMethod *method = monocle_method_def (image, 0x06000002);
	shapes_silent = 1;
	assert_string_equal (mono_method_get_name (method), "<0x06000002>");
	assert_string_equal (mono_image_get_name (image), "late");
	char *name = mono_method_full_name (method, 1);
	assert_string_equal (name, "<unknown>:<0x06000002> (<invalid signature>)");
	free (name);
	MonoMethod *late = shapes_method ("Identity");
	assert_non_null (late);
	assert_string_equal (mono_class_get_name (monocle_class_param (NULL, late, 0, 0)), "!!0");
	shapes_silent = 0;
	assert_string_equal (mono_class_get_name (monocle_class_param (NULL, late, 0, 0)), "A");
	assert_string_equal (mono_image_get_name (image), "shapes");
	monocle_image_unload (image);
}

static void
assert_text (char *text)
{
	assert_non_null (text);
	assert_true (*text);
	free (text);
}

/* What real Mono never leaves out of an image, and what a module reads without asking whether it is there. */
static void
assert_image_is_named (MonoImage *image)
{
	assert_non_null (image);
	assert_true (*mono_image_get_name (image));
	assert_non_null (mono_image_get_filename (image));
	MonoAssemblyName *name = mono_assembly_get_name (monocle_image_assembly (image));
	assert_true (*mono_assembly_name_get_name (name));
	assert_non_null (mono_assembly_name_get_culture (name));
	assert_text (mono_stringify_assembly_name (name));
}

static void
assert_class_is_named (MonoClass *klass)
{
	assert_non_null (klass);
	assert_true (*mono_class_get_name (klass));
	assert_non_null (mono_class_get_namespace (klass));
	for (int format = 0; format < 4; format++)
		assert_text (mono_type_get_name_full (mono_class_get_type (klass), format));
	assert_text (mono_type_get_name (mono_class_get_byref_type (klass)));
	assert_text (mono_type_full_name (mono_class_get_type (klass)));
	assert_image_is_named (mono_class_get_image (klass));
}

static void
assert_method_is_named (MonoMethod *method)
{
	MonoMethodDesc *desc = mono_method_desc_from_method (method);
	assert_non_null (method);
	assert_true (*mono_method_get_name (method));
	assert_ptr_equal (mono_method_get_name (method), mono_method_get_name (method));
	assert_text (mono_method_full_name (method, 0));
	assert_text (mono_method_full_name (method, 1));
	assert_text (mono_method_get_reflection_name (method));
	assert_text (mono_signature_get_desc (mono_method_signature (method), 1));
	mono_method_desc_free (desc);
	assert_class_is_named (mono_method_get_class (method));
}

/* Each kind of class and method, over an image of which nothing is told. */
static void
what_nothing_describes_has_names (void **state)
{
	MonoImage *image = monocle_image_new ("", MONOCLE_IMAGE_DYNAMIC, 0, 0, NULL);
	MonoMethod *method = monocle_method_def (image, 1);
	MonoClass *klass = monocle_class_def (image, 2);
	shapes_silent = 1;
	MonoType *types[] = { mono_class_get_type (klass), int_type () };
	MonoClass *classes[] = {
		klass,
		mono_method_get_class (method),
		monocle_class_inst (klass, 2, types),
		monocle_class_array (klass, 1),
		monocle_class_array (mono_method_get_class (method), 3),
		monocle_class_pointer (klass),
		monocle_class_fnptr (),
		monocle_class_param (klass, NULL, 0, 0),
		monocle_class_param (NULL, method, 0, 1),
		monocle_class_param (NULL, NULL, 3, 0),
		monocle_class_param (NULL, NULL, 3, 1),
		monocle_class_named ("elsewhere", "N", "Named", 0),
		monocle_class_named ("", "", "?", 1),
		monocle_class_array (monocle_class_named ("elsewhere", "N", "Named", 0), 1),
	};
	for (size_t i = 0; i < sizeof classes / sizeof *classes; i++)
		assert_class_is_named (classes[i]);
	assert_method_is_named (method);
	assert_method_is_named (monocle_method_inst (method, NULL, 2, types));
	assert_method_is_named (monocle_method_inst (method, monocle_class_inst (klass, 1, types), 0, NULL));
	assert_image_is_named (image);
	shapes_silent = 0;
	monocle_image_unload (image);
}

/* It is no class of the image: what is found out later is not held against it. */
static void
the_unknown_class_of_a_method_gives_way (void **state)
{
	MonoImage *image = monocle_image_new ("/app/late.dll", 0, SHAPES_CLASSES, SHAPES_METHODS, state);
	MonoMethod *method = monocle_method_def (image, 0x06000010);
	MonoType *one[] = { int_type () };
	shapes_silent = 1;
	MonoClass *unknown = mono_method_get_class (method);
	assert_string_equal (mono_class_get_name (unknown), "<unknown>");
	assert_string_equal (mono_class_get_namespace (unknown), "");
	assert_ptr_equal (mono_class_get_image (unknown), image);
	assert_ptr_equal (mono_method_get_class (monocle_method_def (image, 0x06000011)), unknown);
	assert_ptr_equal (monocle_method_inst (method, unknown, 0, NULL), method);
	MonoMethod *generic = monocle_method_inst (method, unknown, 1, one);
	assert_ptr_equal (monocle_method_inst (method, NULL, 1, one), generic);
	shapes_silent = 0;
	assert_string_equal (mono_class_get_name (mono_method_get_class (method)), "Outer`1");
	assert_string_equal (mono_class_get_name (mono_method_get_class (generic)), "Outer`1");
	assert_string_equal (mono_method_get_name (method), "Simple");
	monocle_image_unload (image);
}

static void
a_class_known_by_name_is_in_an_image_that_is_not_there (void **state)
{
	MonoClass *klass = monocle_class_named ("elsewhere", "N", "Named", 0);
	MonoImage *image = mono_class_get_image (klass);
	assert_string_equal (mono_image_get_name (image), "elsewhere");
	assert_string_equal (mono_image_get_filename (image), "");
	assert_ptr_equal (mono_class_get_image (monocle_class_named ("elsewhere", "N", "Other", 0)), image);
	assert_ptr_equal (mono_class_get_image (monocle_class_array (klass, 1)), image);
	assert_ptr_not_equal (mono_class_get_image (monocle_class_named ("", "N", "Named", 0)), image);
	assert_string_equal (mono_image_get_name (mono_class_get_image (monocle_class_named ("", "N", "Named", 0))),
	                     "<unknown>");
	assert_null (mono_image_loaded ("elsewhere"));
	assert_null (monocle_image_data (image));
	assert_null (mono_class_from_name (image, "N", "Named"));
	assert_int_equal (mono_image_get_table_rows (image, MONO_TABLE_TYPEDEF), 0);
	assert_ptr_equal (mono_class_get_image (monocle_class_fnptr ()), shapes_corlib);
	assert_ptr_equal (mono_class_get_image (monocle_class_param (NULL, NULL, 0, 0)), shapes_corlib);
}

static void
the_methods_of_a_class_are_its_rows (void **state)
{
	assert_int_equal (mono_class_num_methods (shapes_class ("Primitives")), 16);
	assert_int_equal (mono_class_num_methods (shapes_class ("Color")), 0);
	assert_int_equal (mono_class_num_methods (shapes_class ("Program")), 3);
	assert_int_equal (mono_class_num_methods (monocle_class_pointer (shapes_class ("Program"))), 0);
	assert_ptr_equal (mono_class_get_method_from_name (shapes_class ("Primitives"), "Typed", 1),
	                  shapes_method ("Typed"));
	assert_ptr_equal (mono_class_get_method_from_name (shapes_class ("Primitives"), "Typed", -1),
	                  shapes_method ("Typed"));
	assert_null (mono_class_get_method_from_name (shapes_class ("Primitives"), "Typed", 2));
	MonoType *one[] = { int_type () };
	MonoClass *outer = monocle_class_inst (shapes_class ("Outer`1"), 1, one);
	MonoMethod *simple = mono_class_get_method_from_name (outer, "Simple", 1);
	assert_ptr_equal (mono_method_get_class (simple), outer);
	void *iter = NULL;
	assert_ptr_equal (mono_signature_get_params (mono_method_signature (simple), &iter), int_type ());
	assert_null (mono_signature_get_params (mono_method_signature (simple), &iter));
}

static void
a_dynamic_image_takes_rows_in_any_order (void **state)
{
	MonoImage *image = monocle_image_new ("dynamic", MONOCLE_IMAGE_DYNAMIC, 0, 0, NULL);
	MonoMethod *far = monocle_method_def (image, 0x06000000 + 70000), *first = monocle_method_def (image, 0x06000001);
	assert_non_null (far);
	assert_ptr_not_equal (far, first);
	assert_ptr_equal (monocle_method_def (image, 0x06000000 + 70000), far);
	assert_ptr_equal (monocle_method_def_if_known (image, 0x06000001), first);
	assert_null (monocle_method_def_if_known (image, 0x06000002));
	for (uint32_t row = 1; row < 1000; row++)
		assert_int_equal (mono_method_get_token (monocle_method_def (image, row)), 0x06000000 | row);
	assert_null (monocle_method_def (image, 0x06000000));
	assert_true (mono_image_is_dynamic (image));
	assert_null (mono_image_get_guid (shapes_corlib));
	monocle_image_unload (image);
}

static void
rows_may_be_added_to_an_image_that_is_not_dynamic (void **state)
{
	MonoImage *image = monocle_image_new ("/x/edited.dll", 0, 2, 3, NULL);
	MonoMethod *last = monocle_method_def (image, 3), *added = monocle_method_def (image, 4);
	assert_non_null (added);
	assert_ptr_not_equal (last, added);
	assert_ptr_equal (monocle_method_def (image, 4), added);
	monocle_image_unload (image);
}

/* Records of an unloaded image answer without its host data, whatever was asked before. */
static void
an_unloaded_image_still_answers (void **state)
{
	MonoImage *image = monocle_image_new ("/app/again.dll", 0, SHAPES_CLASSES, SHAPES_METHODS, state);
	monocle_image_set_assembly_visible (image);
	MonoClass *klass = monocle_class_def (image, 0x02000009);
	assert_string_equal (mono_class_get_name (klass), "Outer`1");
	MonoMethod *method = monocle_method_def (image, 0x06000010);
	char *name;
	assert_ptr_equal (monocle_image_data (image), state);
	monocle_image_unload (image);
	assert_null (monocle_image_data (image));
	shapes_silent = 1;
	name = mono_method_full_name (method, 1);
	assert_string_equal (name, "N.S.Outer`1:Simple (T)");
	free (name);
	assert_string_equal (mono_class_get_namespace (klass), "N.S");
	assert_string_equal (mono_class_get_name (mono_class_get_parent (klass)), "Object");
	name = mono_type_get_name (mono_class_get_type (klass));
	assert_string_equal (name, "N.S.Outer<T>");
	free (name);
	int before = shapes_asked;
	assert_null (mono_class_get_nesting_type (klass));
	assert_string_equal (mono_class_get_name (mono_method_get_class (monocle_method_def (image, 0x06000011))),
	                     "<unknown>");
	assert_int_equal (shapes_asked, before);
	shapes_silent = 0;
}

static void
count_assemblies (void *assembly, void *count)
{
	assert_ptr_equal (mono_image_get_assembly (mono_assembly_get_image (assembly)), assembly);
	++*(int *) count;
}

static void
assemblies_are_listed_while_they_are_loaded (void **state)
{
	int before = 0, with = 0, after = 0;
	mono_assembly_foreach (count_assemblies, &before);
	MonoImage *image = monocle_image_new ("/app/third.dll", 0, 1, 1, NULL);
	assert_null (mono_image_get_assembly (image));
	monocle_image_set_assembly_visible (image);
	mono_assembly_foreach (count_assemblies, &with);
	monocle_image_unload (image);
	mono_assembly_foreach (count_assemblies, &after);
	assert_int_equal (with, before + 1);
	assert_int_equal (after, before);
	assert_ptr_equal (mono_assembly_get_main (), mono_image_get_assembly (shapes_image));
	assert_ptr_equal (mono_image_loaded ("shapes"), shapes_image);
	assert_ptr_equal (mono_get_corlib (), shapes_corlib);
	assert_string_equal (mono_image_get_filename (shapes_image), "/app/shapes.exe");
}

/* Metadata may say that a class nests in itself and derives from itself. */
static void
circles_end (void **state)
{
	MonoClass *circle = shapes_class ("Circle");
	assert_ptr_equal (mono_class_get_parent (circle), circle);
	assert_ptr_equal (mono_class_get_nesting_type (circle), circle);
	char *name = mono_type_full_name (mono_class_get_type (circle));
	assert_memory_equal (name, "Circle/Circle/", 14);
	free (name);
	name = mono_type_get_name (mono_class_get_type (circle));
	assert_memory_equal (name, "Circle.Circle.", 14);
	free (name);
	assert_false (mono_class_is_delegate (circle));
	assert_false (mono_class_is_subclass_of (circle, mono_get_array_class (), 0));
	assert_false (mono_class_is_assignable_from (mono_get_array_class (), circle));
	assert_null (mono_class_get_field_from_name (circle, "none"));
	assert_null (mono_class_get_property_from_name (circle, "none"));
	assert_null (mono_class_get_method_from_name (circle, "None", -1));
}

static int
size_of (const char *script)
{
	int alignment;
	return mono_type_size (shapes_type (&script, NULL, NULL), &alignment);
}

static void
types_have_the_size_of_their_storage (void **state)
{
	assert_int_equal (size_of ("b"), 1);
	assert_int_equal (size_of ("c"), 2);
	assert_int_equal (size_of ("i"), 4);
	assert_int_equal (size_of ("d"), 8);
	assert_int_equal (size_of ("n"), 8);
	assert_int_equal (size_of ("&b"), 8);
	assert_int_equal (size_of ("s"), 8);
	assert_int_equal (size_of ("[i"), 8);
	assert_int_equal (size_of ("v"), 0);
	assert_int_equal (size_of ("CColor;"), 1);
	assert_int_equal (size_of ("CInside;"), 2);
	assert_int_equal (size_of ("CDateTime;"), 0);
}

/* --- code --------------------------------------------------------------------------------------------------------- */

static void *
at (uintptr_t address)
{
	return (void *) address;
}

static void
an_address_leads_to_its_method (void **state)
{
	MonoMethod *method = shapes_method ("Fire");
	MonoJitInfo *small = monocle_jit_info_new (method, at (0x70000010), 0x30);
	MonoJitInfo *large = monocle_jit_info_new (method, at (0x70000040), 0x12345);
	MonoDomain *domain = mono_domain_get ();
	assert_ptr_equal (mono_jit_info_table_find (domain, at (0x70000010)), small);
	assert_ptr_equal (mono_jit_info_table_find (domain, at (0x7000003f)), small);
	assert_ptr_equal (mono_jit_info_table_find (domain, at (0x70000040)), large);
	assert_ptr_equal (mono_jit_info_table_find (domain, at (0x70000040 + 0x12344)), large);
	assert_null (mono_jit_info_table_find (domain, at (0x70000040 + 0x12345)));
	assert_null (mono_jit_info_table_find (domain, at (0x7000000f)));
	assert_ptr_equal (mono_jit_info_get_method (large), method);
	assert_ptr_equal (mono_jit_info_get_code_start (large), at (0x70000040));
	assert_int_equal (mono_jit_info_get_code_size (large), 0x12345);
	assert_ptr_equal (monocle_jit_info_new (method, at (0x70000010), 0x30), small);
}

static void
freed_code_is_not_found_and_its_place_is_used_again (void **state)
{
	MonoMethod *method = shapes_method ("Fire"), *other = shapes_method ("Typed");
	MonoDomain *domain = mono_domain_get ();
	MonoJitInfo *first = monocle_jit_info_new (method, at (0x71000000), 0x2000);
	monocle_jit_info_free_code (at (0x71000100));
	assert_ptr_equal (mono_jit_info_table_find (domain, at (0x71000100)), first);
	monocle_jit_info_free_code (at (0x71000000));
	assert_null (mono_jit_info_table_find (domain, at (0x71000100)));
	assert_ptr_equal (mono_jit_info_get_method (first), method);
	MonoJitInfo *second = monocle_jit_info_new (other, at (0x71000000), 0x100);
	assert_ptr_equal (mono_jit_info_table_find (domain, at (0x71000000)), second);
	assert_null (mono_jit_info_table_find (domain, at (0x71000100)));
	/* A runtime that reuses memory without a word. */
	MonoJitInfo *third = monocle_jit_info_new (method, at (0x71000080), 0x1000);
	assert_null (mono_jit_info_table_find (domain, at (0x71000000)));
	assert_ptr_equal (mono_jit_info_table_find (domain, at (0x71000080)), third);
	assert_null (monocle_jit_info_new (method, at (0x72000000), 0));
}

/* --- ids ---------------------------------------------------------------------------------------------------------- */

static void
ids_are_bound_replaced_and_dropped (void **state)
{
	int a, b;
	assert_null (monocle_id_find (MONOCLE_ID_METHOD, 0x1000));
	assert_int_equal (monocle_id_bind (MONOCLE_ID_METHOD, 0x1000, &a), 0);
	assert_ptr_equal (monocle_id_find (MONOCLE_ID_METHOD, 0x1000), &a);
	assert_null (monocle_id_find (MONOCLE_ID_CLASS, 0x1000));
	assert_int_equal (monocle_id_bind (MONOCLE_ID_METHOD, 0x1000, &b), 0);
	assert_ptr_equal (monocle_id_find (MONOCLE_ID_METHOD, 0x1000), &b);
	monocle_id_drop (MONOCLE_ID_METHOD, 0x1000);
	assert_null (monocle_id_find (MONOCLE_ID_METHOD, 0x1000));
	assert_int_equal (monocle_id_bind (MONOCLE_ID_METHOD, 0x1000, &a), 0);
	assert_ptr_equal (monocle_id_find (MONOCLE_ID_METHOD, 0x1000), &a);
	assert_int_equal (monocle_id_bind (MONOCLE_ID_METHOD, 0, &a), MONOCLE_E_INVALID);
	assert_int_equal (monocle_id_bind (99, 1, &a), MONOCLE_E_INVALID);
	assert_null (monocle_id_find (99, 1));
}

static void
more_ids_than_one_level_holds_are_all_found (void **state)
{
	enum { COUNT = 100000 };
	for (uintptr_t i = 1; i <= COUNT; i++)
		assert_int_equal (monocle_id_bind (MONOCLE_ID_CLASS, i * 8, (void *) (i + 1)), 0);
	for (uintptr_t i = 1; i <= COUNT; i++)
		assert_ptr_equal (monocle_id_find (MONOCLE_ID_CLASS, i * 8), (void *) (i + 1));
	for (uintptr_t i = 1; i <= COUNT; i += 2)
		monocle_id_drop (MONOCLE_ID_CLASS, i * 8);
	for (uintptr_t i = 1; i <= COUNT; i++)
		assert_ptr_equal (monocle_id_find (MONOCLE_ID_CLASS, i * 8), i % 2 ? NULL : (void *) (i + 1));
}

/* --- threads, counters, the rest ---------------------------------------------------------------------------------- */

static void *
on_a_thread (void *data)
{
	uintptr_t tid = (uintptr_t) pthread_self ();
	assert_null (mono_thread_current ());
	MonoThread *thread = monocle_thread_attach (tid);
	assert_ptr_equal (mono_thread_current (), thread);
	assert_null (mono_thread_get_name_utf8 (thread));
	monocle_thread_set_name (tid, "worker");
	char *name = mono_thread_get_name_utf8 (thread);
	assert_string_equal (name, "worker");
	free (name);
	monocle_thread_set_name (tid, "renamed");
	monocle_thread_set_name (tid, "again");
	name = mono_thread_get_name_utf8 (thread);
	assert_string_equal (name, "again");
	free (name);
	/* 126 letters and a character of two bytes, of which one would fit: none is kept. */
	char name_to_cut[] = "%0126d\xC3\xA4";
	char long_name[160];
	snprintf (long_name, sizeof long_name, name_to_cut, 0);
	monocle_thread_set_name (tid, long_name);
	name = mono_thread_get_name_utf8 (thread);
	assert_int_equal (strlen (name), 126);
	free (name);
	monocle_thread_set_name (tid, NULL);
	assert_null (mono_thread_get_name_utf8 (thread));
	mono_thread_detach (thread);
	assert_ptr_equal (mono_thread_current (), thread);
	monocle_thread_detach (tid);
	assert_null (mono_thread_current ());
	thread = mono_thread_attach (mono_domain_get ());
	assert_true (mono_thread_is_foreign (thread));
	mono_thread_detach (thread);
	assert_null (mono_thread_current ());
	return NULL;
}

static void
a_thread_is_known_while_it_is_attached (void **state)
{
	pthread_t thread;
	assert_int_equal (pthread_create (&thread, NULL, on_a_thread, NULL), 0);
	pthread_join (thread, NULL);
	MonoThread *main_thread = monocle_thread_attach ((uintptr_t) pthread_self ());
	assert_ptr_equal (mono_thread_get_main (), main_thread);
	assert_true (mono_thread_get_managed_id (main_thread) > 0);
}

static int64_t
forty_two (void)
{
	return 42;
}

static mono_bool
find_counter (MonoCounter *counter, void *data)
{
	if (!strcmp (mono_counter_get_name (counter), "answer"))
		*(MonoCounter **) data = counter;
	return 1;
}

static mono_bool
note_counter (MonoCounter *counter, void *data)
{
	strcat (strcat (data, mono_counter_get_name (counter)), " ");
	return 1;
}

static void
counters_come_in_their_order_and_each_address_once (void **state)
{
	static int32_t one, two;
	char names[256] = "";
	mono_counters_register ("first", MONO_COUNTER_JIT | MONO_COUNTER_INT, &one);
	mono_counters_register ("second", MONO_COUNTER_JIT | MONO_COUNTER_INT, &two);
	mono_counters_register ("first again", MONO_COUNTER_JIT | MONO_COUNTER_INT, &one);
	mono_counters_foreach (note_counter, names);
	assert_non_null (strstr (names, "first second "));
	assert_null (strstr (names, "again"));
}

static void
a_string_counter_is_the_text_at_its_address (void **state)
{
	static char text[8] = "hello";
	char value[10] = "xxxxxxxxx";
	MonoCounter *counter = NULL;
	mono_counters_register_with_size ("answer", MONO_COUNTER_JIT | MONO_COUNTER_STRING, text, 4);
	mono_counters_foreach (find_counter, &counter);
	assert_int_equal (mono_counters_sample (counter, value, 3), -1);
	assert_int_equal (mono_counters_sample (counter, value, sizeof value), 4);
	assert_memory_equal (value, "hel\0xxxxx", 10);
}

static void
a_registered_counter_can_be_sampled (void **state)
{
	MonoCounter *counter = NULL;
	int64_t value = 0;
	mono_counters_register (
	    "answer", MONO_COUNTER_PROFILER | MONO_COUNTER_LONG | MONO_COUNTER_CALLBACK | MONO_COUNTER_BYTES, forty_two);
	mono_counters_foreach (find_counter, &counter);
	assert_non_null (counter);
	assert_int_equal (mono_counters_sample (counter, &value, sizeof value), sizeof value);
	assert_int_equal (value, 42);
	assert_int_equal (mono_counters_sample (counter, &value, 4), -1);
	assert_int_equal (mono_counter_get_section (counter), MONO_COUNTER_PROFILER);
	assert_int_equal (mono_counter_get_unit (counter), MONO_COUNTER_BYTES);
	assert_int_equal (mono_counter_get_variance (counter), MONO_COUNTER_MONOTONIC);
	assert_int_equal (mono_counter_get_size (counter), 8);
}

static double
a_third (void)
{
	return 1.0 / 3;
}

static void
register_every_kind (void)
{
	static int32_t number = -5;
	static uint32_t positive = 4000000000u;
	static intptr_t word = 9;
	static int64_t ticks = 12345678, bytes = 5000000, interval = 1234567;
	static uint64_t large = UINT64_MAX;
	static char text[] = "text";
	const int own = MONO_COUNTER_INTERP, both = MONO_COUNTER_INTERP | MONO_COUNTER_GENERICS;
	mono_counters_register ("int", own | MONO_COUNTER_INT | MONO_COUNTER_TIME, &number);
	mono_counters_register ("uint", own | MONO_COUNTER_UINT, &positive);
	mono_counters_register ("word", own | MONO_COUNTER_WORD | MONO_COUNTER_TIME, &word);
	mono_counters_register ("time", own | MONO_COUNTER_LONG | MONO_COUNTER_TIME, &ticks);
	mono_counters_register ("bytes", both | MONO_COUNTER_LONG | MONO_COUNTER_BYTES, &bytes);
	mono_counters_register ("ulong", own | MONO_COUNTER_ULONG, &large);
	mono_counters_register ("interval", own | MONO_COUNTER_TIME_INTERVAL, &interval);
	mono_counters_register ("a name that is longer than its column is",
	                        own | MONO_COUNTER_DOUBLE | MONO_COUNTER_CALLBACK | MONO_COUNTER_PERCENTAGE, a_third);
	mono_counters_register_with_size ("string", own | MONO_COUNTER_STRING, text, sizeof text);
}

/* What Mono 6.8 prints. */
static const char interp_printed[] = "\nInterp statistics\n"
                                     "int                                 : -5\n"
                                     "uint                                : 4000000000\n"
                                     "word                                : 9\n"
                                     "time                                : 1234.57 ms\n"
                                     "bytes                               : 5000000\n"
                                     "ulong                               : 18446744073709551615\n"
                                     "interval                            : 1234.57 ms\n"
                                     "a name that is longer than its column is: 0.3333\n"
                                     "string                              : text\n";
static const char generics_printed[] = "\nGenerics statistics\nbytes                               : 5000000\n";

static void
assert_dump (int sections, const char *first, const char *second)
{
	char text[1024] = "", expected[1024];
	FILE *file = fmemopen (text, sizeof text, "w");
	assert_non_null (file);
	mono_counters_dump (sections, file);
	fclose (file);
	snprintf (expected, sizeof expected, "%s%s", first, second);
	assert_string_equal (text, expected);
}

static void
counters_of_enabled_sections_are_printed_as_mono_prints_them (void **state)
{
	const int both = MONO_COUNTER_INTERP | MONO_COUNTER_GENERICS;
	register_every_kind ();
	assert_dump (both, "", "");
	mono_counters_enable (MONO_COUNTER_INTERP);
	assert_dump (both, "", interp_printed);
	mono_counters_enable (-1);
	assert_dump (both | MONO_COUNTER_SECURITY, generics_printed, interp_printed);
	assert_dump (MONO_COUNTER_GENERICS | MONO_COUNTER_VARIABLE, generics_printed, "");
	mono_counters_enable (0);
	assert_dump (both, "", "");
	mono_counters_dump (both, NULL);
}

static void
the_runtime_is_what_the_host_says (void **state)
{
	char *version = mono_get_runtime_build_info ();
	assert_string_equal (version, "shapes 1.0");
	mono_free (version);
	assert_string_equal (mono_config_get_os (), "linux");
	assert_string_equal (mono_config_get_wordsize (), "64");
	assert_false (mono_jit_aot_compiling ());
	assert_int_equal (mono_domain_get_id (mono_get_root_domain ()), 0);
	monocle_domain_set_name (mono_get_root_domain (), "shapes.exe");
	assert_string_equal (mono_domain_get_friendly_name (mono_domain_get ()), "shapes.exe");
	assert_ptr_equal (mono_vtable_class (mono_class_vtable (NULL, mono_get_object_class ())), mono_get_object_class ());
	assert_int_equal (mono_gc_max_generation (), 0);
	assert_null (mono_object_get_class (NULL));
}

static void
a_refused_function_returns_its_failure (void **state)
{
	MonoObject *exc = (MonoObject *) &exc;
	assert_null (mono_runtime_invoke (NULL, NULL, NULL, &exc));
	assert_null (exc);
	assert_int_equal (mono_gc_invoke_finalizers (), 0);
	assert_int_equal (mono_gc_walk_heap (0, NULL, NULL), 1); /* this host has no heap */
}

/* --- memory ------------------------------------------------------------------------------------------------------- */

static bool
everything_about_something_new (uint32_t salt)
{
	MonoImage *image = monocle_image_new ("/x/failing.dll", 0, SHAPES_CLASSES, SHAPES_METHODS, NULL);
	MonoMethod *method = image ? monocle_method_def (image, 0x06000010) : NULL;
	MonoClass *klass = image ? monocle_class_array (monocle_class_def (image, 0x02000009), 1 + salt % 200) : NULL;
	MonoType *type = monocle_type (klass);
	MonoClass *inst = type ? monocle_class_inst (shapes_class ("List`1"), 1, &type) : NULL;
	char *one = mono_method_full_name (method, 1), *two = mono_type_get_name (monocle_type (inst));
	MonoJitInfo *info = monocle_jit_info_new (method, at (0x80000000 + salt * 0x10000), 0x8000);
	bool bound = monocle_id_bind (MONOCLE_ID_IMAGE, 16 + salt, image) == 0;
	monocle_image_unload (image);
	free (one);
	free (two);
	return image && method && inst && info && bound;
}

/* Every allocation fails once, in turn; nothing crashes, and in the end all is there. */
static void
without_memory_nothing_is_made_and_nothing_breaks (void **state)
{
	bool done = false;
	for (uint32_t allowed = 0; !done && allowed < 1000; allowed++) {
		monocle__arena_set_budget (allowed);
		done = everything_about_something_new (allowed);
		if (allowed < 8)
			assert_false (done);
	}
	monocle__arena_set_budget (-1);
	assert_true (done);
	assert_true (everything_about_something_new (1001));
}

int
main (void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test (equal_classes_are_one_record),
		cmocka_unit_test (equal_methods_are_one_record),
		cmocka_unit_test (a_primitive_is_the_class_that_corlib_defines),
		cmocka_unit_test (nothing_is_answered_with_nothing),
		cmocka_unit_test (the_host_is_asked_once),
		cmocka_unit_test (what_cannot_be_described_yet_is_asked_again),
		cmocka_unit_test (what_nothing_describes_has_names),
		cmocka_unit_test (the_unknown_class_of_a_method_gives_way),
		cmocka_unit_test (a_class_known_by_name_is_in_an_image_that_is_not_there),
		cmocka_unit_test (the_methods_of_a_class_are_its_rows),
		cmocka_unit_test (a_dynamic_image_takes_rows_in_any_order),
		cmocka_unit_test (rows_may_be_added_to_an_image_that_is_not_dynamic),
		cmocka_unit_test (an_unloaded_image_still_answers),
		cmocka_unit_test (assemblies_are_listed_while_they_are_loaded),
		cmocka_unit_test (circles_end),
		cmocka_unit_test (types_have_the_size_of_their_storage),
		cmocka_unit_test (an_address_leads_to_its_method),
		cmocka_unit_test (freed_code_is_not_found_and_its_place_is_used_again),
		cmocka_unit_test (ids_are_bound_replaced_and_dropped),
		cmocka_unit_test (more_ids_than_one_level_holds_are_all_found),
		cmocka_unit_test (a_thread_is_known_while_it_is_attached),
		cmocka_unit_test (a_registered_counter_can_be_sampled),
		cmocka_unit_test (counters_come_in_their_order_and_each_address_once),
		cmocka_unit_test (counters_of_enabled_sections_are_printed_as_mono_prints_them),
		cmocka_unit_test (a_string_counter_is_the_text_at_its_address),
		cmocka_unit_test (the_runtime_is_what_the_host_says),
		cmocka_unit_test (a_refused_function_returns_its_failure),
		cmocka_unit_test (without_memory_nothing_is_made_and_nothing_breaks),
	};
	return cmocka_run_group_tests (tests, start, NULL);
}
