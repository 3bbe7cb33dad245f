/*
 * SPDX-License-Identifier: MIT
 *
 * test_shown.c - the fields that modules read by themselves: where they are is asserted in the core and seen on Mono by
 * test/conformance/records; here is when they are there.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include <mono/metadata/attrdefs.h>
#include <mono/metadata/debug-helpers.h>
#include "model/generic-inst.h"
#include "model/records.h"
#include "shapes-host.h"

enum { VALUETYPE = 0x4, ENUM = 0x8, INFLATED = 1 << 12, GENERIC = 1 << 11 };

static MonoProfilerHandle handle;

static int
start (void **state)
{
	shapes_host_start ();
	handle = mono_profiler_create (NULL);
	monocle_host_startup_done ();
	return 0;
}

static MonoType *
int_type (void)
{
	return monocle_type (monocle_class_primitive (MONO_TYPE_I4));
}

static void
ignore (MonoProfiler *prof, MonoClass *klass)
{
}

/* What an event does before it tells a module. */
static void
hand_out (MonoClass *klass)
{
	mono_profiler_set_class_loaded_callback (handle, ignore);
	monocle_raise_class_loaded (klass);
	mono_profiler_set_class_loaded_callback (handle, NULL);
}

/* --- what describing shows ---------------------------------------------------------------------------------------- */

static void
a_class_shows_no_more_than_it_was_called_before_it_is_described (void **state)
{
	shapes_silent = 1;
	MonoClass *fresh = monocle_class_def (shapes_image, 3);
	assert_null (fresh->name);
	assert_string_equal (mono_class_get_name (fresh), "<0x02000003>");
	assert_string_equal (fresh->name, "<0x02000003>");
	assert_null (fresh->name_space);
	assert_int_equal (fresh->shown_kind, 1);
	assert_ptr_equal (fresh->element_class, fresh);
	assert_int_equal (fresh->by_value.shown_code, 0);
	shapes_silent = 0;
	const char *name = mono_class_get_name (fresh);
	assert_string_equal (name, fresh->name);
	assert_string_equal (mono_class_get_namespace (fresh), fresh->name_space);
	assert_int_equal (fresh->by_value.shown_code, MONO_TYPE_CLASS);
	assert_int_equal (fresh->by_reference.shown_code, MONO_TYPE_CLASS);
}

static void
kinds_are_monos (void **state)
{
	MonoType *one[] = { int_type () };
	MonoClass *list = shapes_class ("List`1");
	mono_class_get_name (list);
	assert_int_equal (shapes_class ("Program")->shown_kind, 1);
	assert_int_equal (list->shown_kind, 2);
	assert_int_equal (monocle_class_inst (list, 1, one)->shown_kind, 3);
	assert_int_equal (monocle_class_param (list, NULL, 0, 0)->shown_kind, 4);
	assert_int_equal (monocle_class_array (list, 1)->shown_kind, 5);
	assert_int_equal (monocle_class_pointer (one[0]->klass)->shown_kind, 6);
	assert_int_equal (monocle_class_array (list, 2)->by_value.shown_code, MONO_TYPE_ARRAY);
	assert_int_equal (monocle_class_inst (list, 1, one)->by_reference.shown_code, MONO_TYPE_GENERICINST);
}

static void
an_instance_shows_its_definition_and_its_arguments (void **state)
{
	MonoType *two[] = { int_type (), int_type () }, *one[] = { int_type () };
	MonoClass *definition = shapes_class ("Dictionary`2"), *inst = monocle_class_inst (definition, 2, two);
	hand_out (inst);
	assert_string_equal (inst->name, "Dictionary`2");
	assert_int_equal (inst->token, monocle_class_token (definition));
	assert_ptr_equal (inst->image, shapes_corlib);
	assert_ptr_equal (inst->generic_class->container, definition);
	assert_ptr_equal (inst->generic_class->klass, inst);
	assert_ptr_equal (inst->generic_class->context.class_inst, monocle__generic_inst_of (2, two));
	assert_null (inst->generic_class->context.method_inst);
	assert_int_equal (inst->generic_class->context.class_inst->count, 2);
	assert_ptr_not_equal (monocle__generic_inst_of (1, one), monocle__generic_inst_of (2, two));
	MonoClass *nullable = monocle_class_inst (shapes_class ("Nullable`1"), 1, one);
	hand_out (nullable);
	assert_ptr_equal (nullable->element_class, one[0]->klass);
	assert_int_equal (nullable->shown_bits, VALUETYPE);
}

static void
a_method_shows_what_kind_it_is (void **state)
{
	MonoType *one[] = { int_type () };
	MonoMethod *generic = shapes_method ("Method"), *inst = monocle_method_inst (generic, NULL, 1, one);
	mono_method_get_name (generic);
	mono_method_get_name (inst);
	assert_int_equal (generic->shown_bits, 0xffff0000 | GENERIC);
	assert_int_equal (inst->shown_bits, 0xffff0000 | INFLATED);
	assert_ptr_equal (inst->definition, generic);
	assert_ptr_equal (inst->context.method_inst, monocle__generic_inst_of (1, one));
	MonoMethodSignature *signature = mono_method_signature (inst);
	assert_true (signature->is_inflated);
	assert_false (mono_method_signature (generic)->is_inflated);
	for (uint32_t i = 0; i < signature->count; i++)
		assert_int_equal (signature->params[i]->shown_code, mono_type_get_type (signature->params[i]));
}

static void
a_circle_of_parents_and_nesting_ends (void **state)
{
	MonoClass *circle = shapes_class ("Circle");
	hand_out (circle);
	assert_string_equal (circle->name, "Circle");
	assert_ptr_equal (circle->nested_in, circle);
}

/* --- events ------------------------------------------------------------------------------------------------------- */

static unsigned told;

static void
class_told (MonoProfiler *prof, MonoClass *klass)
{
	told++;
	assert_string_equal (klass->name, "Color");
	assert_ptr_equal (klass->image, shapes_image);
	assert_string_equal (((MonoClass *) klass->parent)->name, "Enum");
	assert_true (klass->shown_bits & ENUM);
	assert_int_equal (klass->by_value.shown_code, MONO_TYPE_VALUETYPE);
}

static void
vtable_told (MonoProfiler *prof, MonoVTable *vtable)
{
	told++;
	assert_string_equal (vtable->klass->name, "Operators[]");
	assert_string_equal (((MonoClass *) vtable->klass->element_class)->name, "Operators");
}

static void
code_told (MonoProfiler *prof, MonoMethod *method, MonoJitInfo *info)
{
	told++;
	assert_string_equal (method->name, "Fire");
	assert_string_equal (((MonoClass *) method->klass)->name, "Operators");
	assert_string_equal (((MonoImage *) ((MonoClass *) method->klass)->image)->assembly_name, "shapes");
}

static void
image_told (MonoProfiler *prof, MonoImage *image)
{
	told++;
	assert_non_null (image->assembly_name);
	assert_non_null (image->guid);
}

static void
assembly_told (MonoProfiler *prof, MonoAssembly *assembly)
{
	told++;
	assert_string_equal (assembly->name.name, "shapes");
}

/* Of each a record that nobody has asked about. */
static void
raise_all (MonoMethod *method)
{
	monocle_raise_image_loaded (shapes_image);
	monocle_raise_assembly_loaded (monocle_image_assembly (shapes_image));
	monocle_raise_class_loaded (shapes_class ("Color"));
	monocle_raise_vtable_loaded (mono_class_vtable (NULL, monocle_class_array (shapes_class ("Operators"), 1)));
	monocle_raise_jit_done (method, NULL);
}

static void
what_events_hand_out_is_described_if_somebody_listens (void **state)
{
	MonoMethod *method = shapes_method ("Fire");
	int asked = shapes_asked;
	raise_all (method);
	assert_int_equal (shapes_asked, asked);
	assert_null (method->name);
	mono_profiler_set_image_loaded_callback (handle, image_told);
	mono_profiler_set_assembly_loaded_callback (handle, assembly_told);
	mono_profiler_set_class_loaded_callback (handle, class_told);
	mono_profiler_set_vtable_loaded_callback (handle, vtable_told);
	mono_profiler_set_jit_done_callback (handle, code_told);
	raise_all (method);
	assert_int_equal (told, 5);
	asked = shapes_asked;
	raise_all (method);
	assert_int_equal (told, 10);
	assert_int_equal (shapes_asked, asked);
}

int
main (void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test (a_class_shows_no_more_than_it_was_called_before_it_is_described),
		cmocka_unit_test (what_events_hand_out_is_described_if_somebody_listens),
		cmocka_unit_test (kinds_are_monos),
		cmocka_unit_test (an_instance_shows_its_definition_and_its_arguments),
		cmocka_unit_test (a_method_shows_what_kind_it_is),
		cmocka_unit_test (a_circle_of_parents_and_nesting_ends),
	};
	return cmocka_run_group_tests (tests, start, NULL);
}
