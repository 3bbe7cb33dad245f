/*
 * SPDX-License-Identifier: MIT
 *
 * test_members.c - members and relations of classes where no file says it: malformed, unloaded, growing, out of memory.
 * That honest answers are Mono's is test/unit/describe/test_members.py's to show.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include <pthread.h>
#include "arena.h"
#include "model/field.h"
#include "model/relation.h"
#include "zoo-host.h"

static MonoImage *zoo;

static int
start (void **state)
{
	zoo_host_start ();
	zoo = zoo_open ();
	return 0;
}

static MonoType *
int_type (void)
{
	return mono_class_get_type (mono_get_int32_class ());
}

static MonoClass *
instance (MonoClass *definition, MonoType *argument)
{
	return monocle_class_inst (definition, 1, &argument);
}

static MonoClass *
box_of (MonoImage *image, MonoType *argument)
{
	return instance (zoo_class (image, ZOO_BOX), argument);
}

static void
assert_full_name (MonoMethod *method, const char *expected)
{
	char *name = mono_method_full_name (method, 1);
	assert_string_equal (name, expected);
	free (name);
}

/* --- lists -------------------------------------------------------------------------------------------------------- */

static void
a_list_is_asked_for_once (void **state)
{
	MonoClass *box = zoo_class (zoo, ZOO_BOX);
	void *iter = NULL;
	MonoClassField *first = mono_class_get_fields (box, &iter);
	int before = zoo_asked;
	iter = NULL;
	assert_ptr_equal (mono_class_get_fields (box, &iter), first);
	assert_string_equal (mono_field_get_name (first), "value");
	assert_int_equal (mono_class_num_fields (box), 5);
	assert_int_equal (zoo_asked, before);
}

static void
an_iterator_stays_at_its_end (void **state)
{
	void *iter = NULL;
	int count = 0;
	while (mono_class_get_fields (zoo_class (zoo, ZOO_BOX), &iter))
		count++;
	assert_int_equal (count, 5);
	assert_null (mono_class_get_fields (zoo_class (zoo, ZOO_BOX), &iter));
	assert_null (mono_class_get_fields (zoo_class (zoo, ZOO_BOX), NULL));
	assert_null (mono_class_get_methods (zoo_class (zoo, ZOO_BOX), NULL));
	assert_null (mono_class_get_interfaces (zoo_class (zoo, ZOO_LOOP), NULL));
	assert_null (mono_class_get_nested_types (zoo_class (zoo, ZOO_OUTER), NULL));
}

static void
members_of_an_instance_are_its_own (void **state)
{
	MonoClass *box = box_of (zoo, int_type ()), *open = zoo_class (zoo, ZOO_BOX);
	MonoClassField *field = mono_class_get_field_from_name (box, "value");
	MonoProperty *property = mono_class_get_property_from_name (box, "Value");
	void *iter = NULL;
	assert_ptr_not_equal (field, mono_class_get_field_from_name (open, "value"));
	assert_ptr_equal (field, mono_class_get_field_from_name (box, "value"));
	assert_ptr_equal (mono_field_get_type (field), int_type ());
	assert_ptr_equal (mono_field_get_parent (field), box);
	assert_ptr_equal (mono_field_get_name (field),
	                  mono_field_get_name (mono_class_get_field_from_name (open, "value")));
	assert_int_equal (mono_class_get_field_token (field), 0x04000001);
	assert_ptr_equal (mono_class_get_field (box, 0x04000001), field);
	assert_ptr_equal (mono_class_from_mono_type (mono_field_get_type (mono_class_get_field (box, 0x04000002))),
	                  monocle_class_array (mono_get_int32_class (), 1));
	assert_full_name (mono_property_get_set_method (property), "Zoo.Box`1<int>:set_Value (int,int)");
	assert_full_name (mono_event_get_remove_method (mono_class_get_events (box, &iter)),
	                  "Zoo.Box`1<int>:remove_Changed (int,int)");
	assert_int_equal (mono_class_num_methods (box), 4);
}

static void
base_classes_are_searched_for_fields_and_properties (void **state)
{
	MonoClass *child = zoo_class (zoo, ZOO_CHILD);
	MonoClassField *field = mono_class_get_field_from_name (child, "value");
	assert_ptr_equal (mono_class_from_mono_type (mono_field_get_type (field)), mono_get_string_class ());
	assert_ptr_equal (mono_class_get_field (child, 0x04000001), field);
	assert_non_null (mono_class_get_property_from_name (child, "Value"));
	assert_null (mono_class_get_method_from_name (child, "get_Value", -1));
	assert_int_equal (mono_class_num_fields (child), 0);
}

static void
what_cannot_be_described_is_left_out (void **state)
{
	MonoClass *broken = zoo_class (zoo, ZOO_BROKEN);
	assert_int_equal (mono_class_num_fields (broken), 3);
	assert_null (mono_class_get_field_from_name (broken, "many"));
	assert_string_equal (mono_field_get_name (monocle__field_at (broken, 2)), "counter");
	assert_null (monocle__field_at (broken, 4));
	assert_int_equal (mono_class_num_events (broken), 0);
}

static void
a_dynamic_class_grows_and_keeps_its_members (void **state)
{
	MonoImage *image = monocle_image_new ("dynamic", MONOCLE_IMAGE_DYNAMIC, 0, 0, NULL);
	MonoClass *box = zoo_class (image, ZOO_BOX), *inst = box_of (image, int_type ());
	MonoClassField *first = mono_class_get_field_from_name (box, "value");
	MonoClassField *own = mono_class_get_field_from_name (inst, "value");
	assert_null (mono_class_get_field_from_name (inst, "later"));
	zoo_box_fields = 7;
	assert_non_null (mono_class_get_field_from_name (inst, "last"));
	assert_int_equal (mono_class_num_fields (box), 7);
	assert_ptr_equal (mono_class_get_field_from_name (box, "value"), first);
	assert_ptr_equal (mono_class_get_field_from_name (inst, "value"), own);
	assert_int_equal (mono_class_num_fields (zoo_class (zoo, ZOO_BOX)), 5);
	zoo_box_fields = 5;
	monocle_image_unload (image);
}

/* Each of its interfaces would be compared with each of its argument's, and so on. */
static void
variance_of_classes_without_end_is_given_up (void **state)
{
	MonoClass *grow = zoo_class (zoo, ZOO_GROW), *to = mono_get_string_class ();
	for (int i = 0; i < 6; i++)
		to = instance (grow, mono_class_get_type (to));
	assert_false (mono_class_is_assignable_from (to, instance (grow, mono_class_get_type (mono_get_object_class ()))));
}

/* The next answer may be another one, so nothing is kept of it. */
static void
what_cannot_be_described_costs_nothing_each_time (void **state)
{
	MonoImage *image = monocle_image_new ("dynamic", MONOCLE_IMAGE_DYNAMIC, 0, 0, NULL);
	MonoClass *broken = zoo_class (image, ZOO_BROKEN);
	assert_int_equal (mono_class_num_fields (broken), 1);
	uint64_t size = monocle_records_size ();
	for (int i = 0; i < 1000; i++)
		assert_int_equal (mono_class_num_fields (broken), 1);
	assert_int_equal (monocle_records_size (), size);
	monocle_image_unload (image);
}

static void
nothing_has_no_members (void **state)
{
	assert_int_equal (mono_class_num_fields (NULL), 0);
	assert_int_equal (mono_class_num_fields (monocle_class_array (mono_get_int32_class (), 1)), 0);
	assert_int_equal (mono_class_num_fields (monocle_class_param (zoo_class (zoo, ZOO_BOX), NULL, 0, 0)), 0);
	assert_int_equal (mono_class_num_methods (NULL), 0);
	assert_null (mono_field_get_name (NULL));
	assert_null (mono_field_full_name (NULL));
	assert_null (mono_property_get_get_method (NULL));
	assert_null (mono_event_get_raise_method (NULL));
	assert_null (mono_class_get_nullable_param (NULL));
	assert_int_equal (mono_field_get_offset (NULL), 0);
	assert_false (mono_class_is_assignable_from (NULL, mono_get_object_class ()));
	assert_false (mono_class_is_subclass_of (mono_get_object_class (), NULL, 1));
	assert_false (mono_method_can_access_method (NULL, NULL));
	assert_null (mono_field_from_token (zoo, 0x04000009, NULL, NULL));
	assert_null (mono_field_from_token (zoo, 0x0a000001, NULL, NULL));
	assert_null (mono_field_from_token (NULL, 0x04000001, NULL, NULL));
}

/* --- data and lifetimes ------------------------------------------------------------------------------------------- */

static void
a_constant_has_its_length_in_front (void **state)
{
	MonoClassField *field = mono_class_get_field_from_name (zoo_class (zoo, ZOO_BOX), "constant");
	const uint8_t *data = (const uint8_t *) mono_field_get_data (field);
	assert_memory_equal (data, "\x80\xc8\x01\x02\x03\x00", 6);
	assert_null (mono_field_get_data (mono_class_get_field_from_name (zoo_class (zoo, ZOO_BOX), "value")));
}

static void
what_was_asked_outlives_the_image (void **state)
{
	MonoImage *image = zoo_open ();
	MonoClass *box = zoo_class (image, ZOO_BOX), *outer = zoo_class (image, ZOO_OUTER);
	MonoClass *inst = box_of (image, int_type ());
	MonoClassField *data = mono_class_get_field_from_name (box, "data");
	const char *constant = mono_field_get_data (mono_class_get_field_from_name (box, "constant"));
	assert_non_null (mono_field_get_data (data));
	assert_non_null (mono_class_get_field_from_name (inst, "value"));
	monocle_image_unload (image);
	int before = zoo_asked;
	assert_int_equal (mono_class_num_fields (box), 5);
	assert_string_equal (mono_field_get_name (data), "data");
	assert_null (mono_field_get_data (data));
	assert_ptr_equal (mono_field_get_data (mono_class_get_field_from_name (box, "constant")), constant);
	assert_ptr_equal (mono_field_get_type (mono_class_get_field_from_name (inst, "many"))->klass->element,
	                  mono_get_int32_class ());
	assert_int_equal (mono_class_num_properties (box), 0);
	assert_int_equal (mono_class_num_methods (outer), 0);
	void *iter = NULL;
	assert_null (mono_class_get_nested_types (outer, &iter));
	assert_int_equal (mono_field_get_offset (mono_class_get_field_from_name (box, "value")), 0);
	assert_null (mono_class_from_name (image, "Zoo", "Outer"));
	assert_null (mono_class_from_name_case (image, "Zoo", "Outer"));
	assert_null (mono_field_from_token (image, 0x04000001, NULL, NULL));
	assert_int_equal (zoo_asked, before);
}

/* --- relations ---------------------------------------------------------------------------------------------------- */

static void
interfaces_that_never_end_are_left_in_time (void **state)
{
	MonoClass *loop = zoo_class (zoo, ZOO_LOOP), *grow = instance (zoo_class (zoo, ZOO_GROW), int_type ());
	MonoClass *list[MONOCLE__INTERFACE_LIMIT];
	assert_int_equal (monocle__relation_interfaces (loop, list), 2);
	assert_int_equal (monocle__relation_interfaces (grow, list), MONOCLE__INTERFACE_LIMIT);
	assert_true (mono_class_implements_interface (loop, zoo_class (zoo, ZOO_LOOP2)));
	assert_false (mono_class_implements_interface (grow, loop));
	assert_false (mono_class_is_subclass_of (grow, loop, 1));
}

static void
arguments_vary_as_their_parameters_say (void **state)
{
	MonoType *object = mono_class_get_type (mono_get_object_class ());
	MonoType *string = mono_class_get_type (mono_get_string_class ());
	MonoClass *out = zoo_class (zoo, ZOO_OUT);
	MonoClass *strings = monocle_class_inst (out, 2, (MonoType *[]) { string, string });
	MonoClass *first = monocle_class_inst (out, 2, (MonoType *[]) { object, string });
	MonoClass *second = monocle_class_inst (out, 2, (MonoType *[]) { string, object });
	MonoClass *ints = monocle_class_inst (out, 2, (MonoType *[]) { int_type (), string });
	assert_true (mono_class_is_assignable_from (first, strings));
	assert_false (mono_class_is_assignable_from (strings, first));
	assert_false (mono_class_is_assignable_from (second, strings));
	assert_false (mono_class_is_assignable_from (first, ints));
	assert_false (mono_class_is_assignable_from (box_of (zoo, object), box_of (zoo, string)));
}

static void
vectors_of_enums_are_vectors_of_integers (void **state)
{
	MonoClass *colors = monocle_class_array (zoo_class (zoo, ZOO_COLOR), 1);
	MonoClass *list = mono_class_from_name (zoo_corlib, "System.Collections.Generic", "IList`1");
	assert_true (mono_class_is_assignable_from (colors, monocle_class_array (mono_get_sbyte_class (), 1)));
	assert_false (mono_class_is_assignable_from (colors, monocle_class_array (mono_get_boolean_class (), 1)));
	assert_false (mono_class_is_assignable_from (colors, monocle_class_array (mono_get_byte_class (), 2)));
	MonoType *byte = mono_class_get_type (mono_get_byte_class ());
	assert_true (mono_class_implements_interface (colors, instance (list, byte)));
	assert_false (mono_class_implements_interface (colors, instance (list, int_type ())));
}

static void
a_value_goes_into_its_nullable (void **state)
{
	MonoClass *open = mono_class_from_name (zoo_corlib, "System", "Nullable`1");
	MonoClass *nullable = instance (open, int_type ());
	assert_true (mono_class_is_nullable (nullable));
	assert_false (mono_class_is_nullable (open));
	assert_ptr_equal (mono_class_get_nullable_param (nullable), mono_get_int32_class ());
	assert_true (mono_class_is_assignable_from (nullable, mono_get_int32_class ()));
	assert_false (mono_class_is_assignable_from (nullable, mono_get_byte_class ()));
	assert_false (mono_class_is_assignable_from (mono_get_int32_class (), nullable));
}

/* --- arrays ------------------------------------------------------------------------------------------------------- */

static void
arrays_have_methods_that_no_metadata_lists (void **state)
{
	MonoClass *vector = monocle_class_array (mono_get_int32_class (), 1), *cube = monocle_class_array (vector, 3);
	void *iter = NULL;
	assert_int_equal (mono_class_num_methods (vector), 4);
	assert_int_equal (mono_class_num_methods (monocle_class_array (vector, 1)), 5);
	assert_full_name (mono_class_get_method_from_name (cube, "Set", -1), "int[][,,]:Set (int,int,int,int[])");
	assert_full_name (mono_class_get_method_from_name (cube, ".ctor", 6), "int[][,,]:.ctor (int,int,int,int,int,int)");
	MonoMethod *address = mono_class_get_method_from_name (vector, "Address", 1);
	assert_true (mono_type_is_byref (mono_signature_get_return_type (mono_method_signature (address))));
	assert_ptr_equal (mono_method_get_class (address), vector);
	assert_int_equal (mono_method_get_token (address), 0);
	assert_int_equal (mono_method_get_index (address), 0);
	assert_ptr_equal (mono_class_get_methods (vector, &iter), mono_class_get_method_from_name (vector, ".ctor", 1));
}

/* --- sizes -------------------------------------------------------------------------------------------------------- */

static void
sizes_are_the_layouts (void **state)
{
	MonoClass *structure = zoo_class (zoo, ZOO_STRUCT), *box = box_of (zoo, int_type ());
	uint32_t align = 99;
	zoo_instance_size = 0;
	assert_int_equal (mono_class_value_size (structure, &align), 0);
	assert_int_equal (mono_class_instance_size (box), 0);
	zoo_instance_size = 7; /* less than its header: a host that errs */
	assert_int_equal (mono_class_value_size (structure, NULL), 0);
	zoo_instance_size = 20;
	assert_int_equal (mono_class_value_size (structure, &align), 12);
	assert_int_equal (align, 4);
	assert_int_equal (mono_class_instance_size (structure), 20);
	assert_int_equal (mono_class_array_element_size (structure), 12);
	assert_int_equal (mono_array_element_size (monocle_class_array (structure, 2)), 12);
	assert_int_equal (mono_array_element_size (structure), 0);
	assert_int_equal (mono_class_array_element_size (box), 8);
	assert_int_equal (mono_class_min_align (box), 8);
	assert_int_equal (mono_class_data_size (box), 12);
	assert_int_equal (mono_class_data_size (zoo_class (zoo, ZOO_COLOR)), 12);
	assert_int_equal (mono_class_value_size (zoo_class (zoo, ZOO_COLOR), &align), 1);
	assert_int_equal (align, 1);
	assert_int_equal (mono_class_min_align (zoo_class (zoo, ZOO_ITSELF)), 8);
	assert_int_equal (mono_class_value_size (monocle_class_pointer (structure), &align), 8);
	assert_int_equal (align, 8);
}

static void
an_offset_is_asked_for_until_it_is_known (void **state)
{
	MonoClass *box = box_of (zoo, mono_class_get_type (mono_get_object_class ()));
	MonoClassField *many = mono_class_get_field_from_name (box, "many");
	zoo_instance_size = 0;
	assert_int_equal (mono_field_get_offset (many), 0);
	zoo_instance_size = 32;
	assert_int_equal (mono_field_get_offset (many), 16);
	int before = zoo_asked;
	assert_int_equal (mono_field_get_offset (many), 16);
	assert_int_equal (mono_field_get_offset (mono_class_get_field_from_name (box, "counter")), 0);
	assert_int_equal (zoo_asked, before);
}

/* --- look-ups, parameters, access --------------------------------------------------------------------------------- */

static void
nested_names_are_paths (void **state)
{
	static char long_name[3000];
	assert_ptr_equal (mono_class_from_name (zoo, "Zoo", "Outer/Inner/Innermost"), zoo_class (zoo, ZOO_INNERMOST));
	assert_ptr_equal (mono_class_from_name_case (zoo, "zOO", "outer/INNER"), zoo_class (zoo, ZOO_INNER));
	assert_null (mono_class_from_name (zoo, "Zoo", "Outer/inner"));
	assert_null (mono_class_from_name (zoo, "Zoo", "Outer//Innermost"));
	assert_null (mono_class_from_name (zoo, "Zoo", "/"));
	assert_null (mono_class_from_name (zoo, "", "Inner"));
	assert_null (mono_class_from_name_case (zoo, "", "Inner"));
	assert_null (mono_class_from_name (NULL, "Zoo", "Outer"));
	assert_null (mono_class_from_name (zoo, NULL, NULL));
	memset (long_name, 'x', sizeof long_name - 1);
	memcpy (long_name, "Outer/", 6);
	assert_null (mono_class_from_name (zoo, "Zoo", long_name));
}

static void
parameters_without_a_row_have_an_empty_name (void **state)
{
	MonoMethod *method = zoo_method (zoo, ZOO_GET);
	const char *names[2] = { NULL };
	mono_method_get_param_names (method, names);
	assert_string_equal (names[0], "");
	assert_string_equal (names[1], "second");
	assert_int_equal (mono_method_get_param_token (method, -1), 0x08000001);
	assert_int_equal (mono_method_get_param_token (method, 0), 0);
	assert_int_equal (mono_method_get_param_token (method, 1), 0x08000003);
	assert_int_equal (mono_method_get_param_token (method, 2), 0);
	assert_int_equal (mono_method_get_param_token (method, -2), 0);
	assert_true (mono_method_has_marshal_info (method));
	mono_method_get_param_names (method, NULL);
	mono_method_get_param_names (NULL, names);
}

static void
what_is_out_stands_in_the_row_of_the_parameter (void **state)
{
	MonoMethodSignature *signature = mono_method_signature (zoo_method (zoo, ZOO_GET));
	assert_false (mono_signature_param_is_out (signature, 0)); /* it has no row */
	assert_true (mono_signature_param_is_out (signature, 1));
	assert_false (mono_signature_param_is_out (signature, 2));
	assert_false (mono_signature_param_is_out (signature, -1));
	assert_false (mono_signature_param_is_out (NULL, 0));
	MonoMethodSignature *copy = mono_metadata_signature_alloc (zoo, 2);
	assert_false (mono_signature_param_is_out (copy, 1)); /* it is no method's */
	mono_metadata_free_method_signature (copy);
}

static void
whatever_has_an_element_has_a_base_type (void **state)
{
	MonoClass *structure = zoo_class (zoo, ZOO_STRUCT), *color = zoo_class (zoo, ZOO_COLOR);
	assert_ptr_equal (mono_class_enum_basetype (monocle_class_array (structure, 2)), monocle_type (structure));
	assert_ptr_equal (mono_class_enum_basetype (monocle_class_pointer (color)), monocle_type (color));
	assert_int_equal (mono_type_get_type (mono_class_enum_basetype (color)), MONO_TYPE_U1);
	assert_null (mono_class_enum_basetype (structure));
	assert_null (mono_class_enum_basetype (NULL));
	assert_ptr_equal (mono_type_get_underlying_type (monocle_type (monocle_class_array (color, 1))),
	                  monocle_type (monocle_class_array (color, 1)));
}

static bool
sees_internals (const char *blob, uint32_t size)
{
	MonoImage *other = monocle_image_new ("/app/other.dll", 0, ZOO_CLASSES, ZOO_METHODS, NULL);
	zoo_friend = (const uint8_t *) blob;
	zoo_friend_size = size;
	bool sees = mono_method_can_access_method (zoo_method (other, ZOO_USE), zoo_method (zoo, ZOO_HIDDEN));
	zoo_friend = NULL;
	return sees;
}

static void
friends_are_named_by_attributes (void **state)
{
	assert_false (sees_internals (NULL, 0));
	assert_true (sees_internals ("\1\0\5other\0\0", 10));
	assert_true (sees_internals ("\1\0\x17other, PublicKey=002400\0\0", 28));
	assert_false (sees_internals ("\1\0\6others\0\0", 11));
	assert_false (sees_internals ("\1\0\4othe\0\0", 9));
	assert_false (sees_internals ("\1\0\5oth", 6));
	assert_false (sees_internals ("\1\0\xff", 3));
	assert_false (sees_internals ("\1\0\xc0", 3));
	assert_false (sees_internals ("", 0));
	assert_true (mono_method_can_access_method (zoo_method (zoo, ZOO_USE), zoo_method (zoo, ZOO_HIDDEN)));
}

/* --- threads and memory ------------------------------------------------------------------------------------------- */

enum { THREADS = 4, ROUNDS = 50 };
static pthread_barrier_t barrier;
static MonoClass *shared;

static void *
list_all (void *result)
{
	void **seen = result;
	pthread_barrier_wait (&barrier);
	seen[0] = mono_class_get_field_from_name (shared, "many");
	seen[1] = mono_class_get_property_from_name (shared, "Value");
	seen[2] = mono_field_get_type (seen[0]);
	return NULL;
}

static void
threads_see_the_same_members (void **state)
{
	pthread_barrier_init (&barrier, NULL, THREADS);
	for (int round = 0; round < ROUNDS; round++) {
		pthread_t threads[THREADS];
		void *seen[THREADS][3];
		shared = box_of (zoo_open (), int_type ());
		for (int i = 0; i < THREADS; i++)
			assert_int_equal (pthread_create (&threads[i], NULL, list_all, seen[i]), 0);
		for (int i = 0; i < THREADS; i++)
			pthread_join (threads[i], NULL);
		assert_non_null (seen[0][2]);
		for (int i = 1; i < THREADS; i++)
			assert_memory_equal (seen[i], seen[0], sizeof seen[0]);
	}
	pthread_barrier_destroy (&barrier);
}

/* Whichever allocation fails, a list is whole or is not there, and comes when there is memory again. */
static void
without_memory_there_is_no_list (void **state)
{
	bool found = false;
	for (int64_t budget = 0; !found; budget++) {
		MonoImage *image = zoo_open ();
		MonoClass *box = box_of (image, int_type ());
		monocle__arena_set_budget (budget);
		int count = mono_class_num_fields (box);
		MonoClassField *field = mono_class_get_field_from_name (box, "many");
		found = field && mono_field_get_type (field) && mono_class_get_property_from_name (box, "Value");
		monocle__arena_set_budget (-1);
		assert_true (count <= 5);
		assert_true (budget < 100);
	}
	for (int64_t budget = 0; budget < 12; budget++) {
		MonoClass *array = monocle_class_array (mono_get_char_class (), (uint32_t) (20 + budget));
		monocle__arena_set_budget (budget);
		mono_class_num_methods (array);
		monocle__arena_set_budget (-1);
		assert_int_equal (mono_class_num_methods (array), 5);
	}
}

int
main (void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test (a_list_is_asked_for_once),
		cmocka_unit_test (an_iterator_stays_at_its_end),
		cmocka_unit_test (members_of_an_instance_are_its_own),
		cmocka_unit_test (base_classes_are_searched_for_fields_and_properties),
		cmocka_unit_test (variance_of_classes_without_end_is_given_up),
		cmocka_unit_test (what_cannot_be_described_is_left_out),
		cmocka_unit_test (a_dynamic_class_grows_and_keeps_its_members),
		cmocka_unit_test (what_cannot_be_described_costs_nothing_each_time),
		cmocka_unit_test (nothing_has_no_members),
		cmocka_unit_test (a_constant_has_its_length_in_front),
		cmocka_unit_test (what_was_asked_outlives_the_image),
		cmocka_unit_test (interfaces_that_never_end_are_left_in_time),
		cmocka_unit_test (arguments_vary_as_their_parameters_say),
		cmocka_unit_test (vectors_of_enums_are_vectors_of_integers),
		cmocka_unit_test (a_value_goes_into_its_nullable),
		cmocka_unit_test (arrays_have_methods_that_no_metadata_lists),
		cmocka_unit_test (sizes_are_the_layouts),
		cmocka_unit_test (an_offset_is_asked_for_until_it_is_known),
		cmocka_unit_test (nested_names_are_paths),
		cmocka_unit_test (parameters_without_a_row_have_an_empty_name),
		cmocka_unit_test (what_is_out_stands_in_the_row_of_the_parameter),
		cmocka_unit_test (whatever_has_an_element_has_a_base_type),
		cmocka_unit_test (friends_are_named_by_attributes),
		cmocka_unit_test (threads_see_the_same_members),
		cmocka_unit_test (without_memory_there_is_no_list),
	};
	return cmocka_run_group_tests (tests, start, NULL);
}
