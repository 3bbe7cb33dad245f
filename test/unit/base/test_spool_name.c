/*
 * SPDX-License-Identifier: MIT
 *
 * test_spool_name.c - whose spool it is.
 */
#include "spool-name.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

static void
the_process_stands_before_number_and_suffix (void **state)
{
	assert_int_equal (monocle__spool_name_pid ("calls.4711.1.spool"), 4711);
	assert_int_equal (monocle__spool_name_pid ("my.own.7.module.4711.12.spool"), 4711);
}

static void
other_names_have_none (void **state)
{
	assert_int_equal (monocle__spool_name_pid (""), 0);
	assert_int_equal (monocle__spool_name_pid ("4711.1.spool"), 0);
	assert_int_equal (monocle__spool_name_pid ("calls.word.1.spool"), 0);
	assert_int_equal (monocle__spool_name_pid ("..."), 0);
}

static void
the_magic_is_eight_letters (void **state)
{
	uint64_t magic = MONOCLE__SPOOL_MAGIC;

	assert_memory_equal (&magic, "MNCSPOOL", 8);
}

int
main (void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test (the_process_stands_before_number_and_suffix),
		cmocka_unit_test (other_names_have_none),
		cmocka_unit_test (the_magic_is_eight_letters),
	};

	return cmocka_run_group_tests (tests, NULL, NULL);
}
