/*
 * SPDX-License-Identifier: MIT
 *
 * test_private_field.c - what a module does with names of a runtime that are no public API: the functions that it asks
 * are the test's own.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <mono/jit/jit.h>
#include <mono/metadata/appdomain.h>
#include <mono/metadata/image.h>
#include <mono/metadata/loader.h>
#include <mono/metadata/object.h>
#include <monocle/kit.h>

#include "private-field.h"

/* --- a runtime ---------------------------------------------------------------------------------------------------- */

static const char *build, *absent; /* a type or a field that the core library has not */
static char said[512], asked[256];

char *
mono_get_runtime_build_info (void)
{
	return strdup (build);
}

void
mono_free (void *memory)
{
	free (memory);
}

MonoImage *
mono_get_corlib (void)
{
	return (MonoImage *) "corlib";
}

MonoClass *
mono_class_from_name (MonoImage *image, const char *name_space, const char *name)
{
	snprintf (asked, sizeof asked, "%s|%s", name_space, name);
	return absent && strcmp (absent, name) == 0 ? NULL : (MonoClass *) "class";
}

MonoClassField *
mono_class_get_field_from_name (MonoClass *klass, const char *name)
{
	return absent && strcmp (absent, name) == 0 ? NULL : (MonoClassField *) "field";
}

void
monocle_kit_log (const char *module, const char *format, ...)
{
	va_list list;
	size_t length = (size_t) snprintf (said, sizeof said, "%s: ", module);
	va_start (list, format);
	vsnprintf (said + length, sizeof said - length, format, list);
	va_end (list);
}

static int
begin (void **state)
{
	build = "10.0.12 (CoreCLR)";
	absent = NULL;
	*said = 0;
	return 0;
}

/* --- tests -------------------------------------------------------------------------------------------------------- */

static void
a_feature_whose_names_are_there_is_served (void **state)
{
	assert_true (private_field_serves ("m", MONOCLE__PRIVATE_AWAITERS));
	build = "6.8.0.105 (Debian)";
	assert_true (private_field_serves ("m", MONOCLE__PRIVATE_MESSAGES));
	assert_string_equal (said, "");
}

static void
a_missing_field_is_said_once (void **state)
{
	absent = "m_continuationObject";
	assert_false (private_field_serves ("sample", MONOCLE__PRIVATE_AWAITERS));
	assert_string_equal (said, "sample: async methods that wait are not shown: this runtime has no "
	                           "System.Threading.Tasks.Task:m_continuationObject");
	*said = 0;
	assert_false (private_field_serves ("sample", MONOCLE__PRIVATE_AWAITERS));
	assert_string_equal (said, "");
}

static void
a_version_that_was_not_looked_at_is_not_trusted (void **state)
{
	build = "12.0.0 (CoreCLR)";
	assert_false (private_field_serves ("exceptions", MONOCLE__PRIVATE_MESSAGES));
	assert_string_equal (said, "exceptions: exceptions have no messages: what that needs is not known of .NET 12");
}

static void
classes_are_asked_for_by_name_space_and_name (void **state)
{
	assert_non_null (private_field_class (MONOCLE__NAME_BOX_MACHINE));
	assert_string_equal (asked, "System.Runtime.CompilerServices|AsyncTaskMethodBuilder`1/AsyncStateMachineBox`1");
	assert_true (private_field_is_type ("AsyncStateMachineBox`1", MONOCLE__NAME_BOX_MACHINE));
	assert_false (private_field_is_type ("AsyncStateMachineBox", MONOCLE__NAME_BOX_MACHINE));
	assert_true (private_field_is_type ("Task", MONOCLE__NAME_TASK_FLAGS));
}

int
main (void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup (a_feature_whose_names_are_there_is_served, begin),
		cmocka_unit_test_setup (a_missing_field_is_said_once, begin),
		cmocka_unit_test_setup (a_version_that_was_not_looked_at_is_not_trusted, begin),
		cmocka_unit_test_setup (classes_are_asked_for_by_name_space_and_name, begin),
	};
	return cmocka_run_group_tests (tests, NULL, NULL);
}
