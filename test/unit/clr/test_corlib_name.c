/*
 * SPDX-License-Identifier: MIT
 *
 * test_corlib_name.c - what a core library has of the names that we know: Mono's stands for one of .NET.
 *
 * Argument: an mscorlib.dll.
 */
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "images/corlib-name.h"
#include "state.h"

monocle__clr monocle__clr_state;
static monocle__clr_image corlib;
static bool is_there;
static char said[1024];

monocle__clr_image *
monocle__clr_image_corlib (void)
{
	return is_there ? &corlib : NULL;
}

void
monocle__clr_complain (const char *format, ...)
{
	va_list list;
	size_t length = strlen (said);
	va_start (list, format);
	vsnprintf (said + length, sizeof said - length, format, list);
	va_end (list);
	strcat (said, "\n");
}

static int
open_corlib (const char *path)
{
	struct stat status;
	int fd = open (path, O_RDONLY), result = -1;
	if (fd < 0)
		return -1;
	if (fstat (fd, &status) == 0) {
		void *bytes = mmap (NULL, (size_t) status.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
		if (bytes != MAP_FAILED)
			result = monocle__ecma_open_pe (&corlib.cli.ecma, bytes, (size_t) status.st_size, false);
	}
	close (fd);
	corlib.cli.readable = result == 0;
	return result;
}

static int
begin (void **state)
{
	monocle__clr_state.major = 10;
	is_there = true;
	*said = 0;
	return 0;
}

static void
before_there_is_a_core_library_no_feature_is_had_and_nothing_said (void **state)
{
	is_there = false;
	assert_false (monocle__corlib_name_has (MONOCLE__PRIVATE_STRINGS));
	assert_false (monocle__corlib_name_serves (MONOCLE__PRIVATE_STRINGS));
	assert_string_equal (said, "");
}

static void
a_feature_is_had_where_all_its_names_are (void **state)
{
	assert_true (monocle__corlib_name_has (MONOCLE__PRIVATE_STRINGS));
	assert_true (monocle__corlib_name_serves (MONOCLE__PRIVATE_STRINGS));
	assert_string_equal (said, "");
}

static void
a_missing_name_is_said_once_where_it_is_wanted (void **state)
{
	assert_false (monocle__corlib_name_has (MONOCLE__PRIVATE_SEGMENTS));
	assert_string_equal (said, "");
	assert_false (monocle__corlib_name_serves (MONOCLE__PRIVATE_SEGMENTS));
	assert_false (monocle__corlib_name_serves (MONOCLE__PRIVATE_SEGMENTS));
	assert_string_equal (said, "calls of methods that the runtime itself suspends are not counted: this .NET 10 has no "
	                           "System.Runtime.CompilerServices.AsyncHelpers:AllocContinuation\n");
}

static void
a_version_that_was_not_looked_at_has_no_feature (void **state)
{
	monocle__clr_state.major = MONOCLE__PRIVATE_NEWEST + 1;
	assert_false (monocle__corlib_name_serves (MONOCLE__PRIVATE_FAILURES));
	assert_string_equal (
	    said, "images that cannot be loaded raise no image_failed: what that needs is not known of .NET 12\n");
}

static void
names_lead_to_tokens_and_methods_to_names (void **state)
{
	const monocle__ecma_image *image = &corlib.cli.ecma;
	uint32_t invoke = monocle__corlib_name_token (image, MONOCLE__NAME_INVOKE_METHOD);
	assert_int_equal (invoke >> 24, MONOCLE__TABLE_MethodDef);
	assert_int_equal (monocle__corlib_name_token (image, MONOCLE__NAME_STRING_LENGTH) >> 24, MONOCLE__TABLE_Field);
	assert_int_equal (monocle__corlib_name_token (image, MONOCLE__NAME_DISPATCH_THUNK), 0);
	assert_int_equal (monocle__corlib_name_of (image, invoke, MONOCLE__PRIVATE_INVOCATIONS),
	                  MONOCLE__NAME_INVOKE_METHOD);
	assert_int_equal (monocle__corlib_name_of (image, invoke, MONOCLE__PRIVATE_GROUND), MONOCLE__NAMES);
	assert_int_equal (monocle__corlib_name_of (image, invoke + 1, MONOCLE__PRIVATE_INVOCATIONS), MONOCLE__NAMES);
}

int
main (int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup (before_there_is_a_core_library_no_feature_is_had_and_nothing_said, begin),
		cmocka_unit_test_setup (a_feature_is_had_where_all_its_names_are, begin),
		cmocka_unit_test_setup (a_missing_name_is_said_once_where_it_is_wanted, begin),
		cmocka_unit_test_setup (a_version_that_was_not_looked_at_has_no_feature, begin),
		cmocka_unit_test_setup (names_lead_to_tokens_and_methods_to_names, begin),
	};
	if (argc < 2 || open_corlib (argv[1])) {
		printf ("usage: test_corlib_name mscorlib.dll (which must be there)\n");
		return 77;
	}
	return cmocka_run_group_tests (tests, NULL, NULL);
}
