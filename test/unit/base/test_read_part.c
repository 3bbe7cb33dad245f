/*
 * SPDX-License-Identifier: MIT
 *
 * test_read_part.c - a part of a file is there whole or not at all.
 */
#include "read-part.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

#include "failing-memory.h"

static int fd;

static void
a_part_has_a_nul_behind_it (void **state)
{
	char *all = monocle__read_part (fd, 0, 10), *part = monocle__read_part (fd, 3, 4),
	     *none = monocle__read_part (fd, 10, 0);

	assert_string_equal (all, "0123456789");
	assert_string_equal (part, "3456");
	assert_string_equal (none, "");
	free (all);
	free (part);
	free (none);
}

static void
what_is_not_there_is_not_read (void **state)
{
	assert_null (monocle__read_part (fd, 0, 11));
	assert_null (monocle__read_part (fd, 11, 1));
	assert_null (monocle__read_part (fd, UINT64_MAX, 1));
	assert_null (monocle__read_part (fd, (uint64_t) INT64_MAX, 1));
	assert_null (monocle__read_part (fd, 0, MONOCLE__READ_PART_MOST + 1));
	assert_null (monocle__read_part (fd, 0, UINT64_MAX));
	assert_null (monocle__read_part (-1, 0, 1));
	failing_memory_allowed = 0;
	assert_null (monocle__read_part (fd, 0, 10));
}

static int
make_file (void **state)
{
	fd = memfd_create ("part", MFD_CLOEXEC);
	return write (fd, "0123456789", 10) == 10 ? 0 : -1;
}

static int
close_file (void **state)
{
	return close (fd);
}

int
main (void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test (a_part_has_a_nul_behind_it),
		cmocka_unit_test (what_is_not_there_is_not_read),
	};

	return cmocka_run_group_tests (tests, make_file, close_file);
}
