/*
 * SPDX-License-Identifier: MIT
 *
 * test_run_note.c - notes for a parent that is `monocle run`.
 */
#include "run-note.h"

#include <errno.h>
#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static char folder[] = "/tmp/monocle-test-XXXXXX", path[PATH_MAX];

static void
a_note_is_one_line_in_the_folder_of_the_run (void **state)
{
	char text[32] = "";

	setenv ("MONOCLE_RUN_DIR", folder, 1);
	monocle__run_note ("loaded", "a longer first text");
	monocle__run_note ("loaded", "10.0.1");
	FILE *file = fopen (path, "r");
	assert_non_null (file);
	assert_int_equal (fread (text, 1, sizeof text - 1, file), 7);
	fclose (file);
	assert_string_equal (text, "10.0.1\n");
	monocle__run_note_remove ("loaded");
	assert_int_equal (access (path, F_OK), -1);
}

static void
no_link_is_followed_and_errno_is_kept (void **state)
{
	setenv ("MONOCLE_RUN_DIR", folder, 1);
	char target[PATH_MAX];
	snprintf (target, sizeof target, "%s/target", folder);
	assert_int_equal (symlink (target, path), 0);
	errno = E2BIG;
	monocle__run_note ("loaded", "text");
	assert_int_equal (errno, E2BIG);
	assert_int_equal (access (target, F_OK), -1);
	unlink (path);
	monocle__run_note_remove ("loaded");
	assert_int_equal (errno, ENOENT);
}

static void
without_such_a_parent_nothing_is_written (void **state)
{
	unsetenv ("MONOCLE_RUN_DIR");
	monocle__run_note ("loaded", "text");
	setenv ("MONOCLE_RUN_DIR", "", 1);
	monocle__run_note ("loaded", "text");
	assert_int_equal (access (path, F_OK), -1);
}

static int
make_folder (void **state)
{
	if (!mkdtemp (folder))
		return -1;
	snprintf (path, sizeof path, "%s/%d.loaded", folder, (int) getpid ());
	return 0;
}

static int
remove_folder (void **state)
{
	return rmdir (folder);
}

int
main (void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test (a_note_is_one_line_in_the_folder_of_the_run),
		cmocka_unit_test (no_link_is_followed_and_errno_is_kept),
		cmocka_unit_test (without_such_a_parent_nothing_is_written),
	};

	return cmocka_run_group_tests (tests, make_folder, remove_folder);
}
