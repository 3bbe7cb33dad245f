/*
 * SPDX-License-Identifier: MIT
 *
 * test_path.c - names of files, and whether one could be written. As root nothing is forbidden, and that is left out.
 */
#include "path.h"

#include <errno.h>
#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

static char folder[] = "/tmp/monocle-test-XXXXXX", path[PATH_MAX];

static const char *
in_folder (const char *name)
{
	snprintf (path, sizeof path, "%s/%s", folder, name);
	return path;
}

static void
base_names_follow_the_last_slash (void **state)
{
	assert_string_equal (monocle__path_base_name ("/a/b.dll"), "b.dll");
	assert_string_equal (monocle__path_base_name ("b.dll"), "b.dll");
	assert_string_equal (monocle__path_base_name ("/a/"), "");
	assert_string_equal (monocle__path_base_name (""), "");
}

static void
links_are_known_whatever_they_lead_to (void **state)
{
	assert_int_equal (symlink ("nowhere", in_folder ("link")), 0);
	assert_true (monocle__path_is_link (path));
	unlink (path);
	assert_false (monocle__path_is_link (path));
	assert_false (monocle__path_is_link (folder));
}

static void
two_names_may_be_one_file (void **state)
{
	assert_int_equal (symlink (folder, in_folder ("link")), 0);
	assert_true (monocle__path_is_same (path, folder));
	unlink (path);
	assert_false (monocle__path_is_same (path, path));
	assert_false (monocle__path_is_same (folder, "/"));
}

static void
a_file_can_be_made_in_a_folder_only (void **state)
{
	assert_int_equal (monocle__path_check_output (in_folder ("new")), 0);
	assert_int_equal (access (path, F_OK), -1);
	assert_int_equal (monocle__path_check_output (in_folder ("none/new")), -ENOENT);
	assert_int_equal (monocle__path_check_output (folder), -EISDIR);
	assert_int_equal (monocle__path_check_output ("/dev/null"), 0);
	assert_int_equal (monocle__path_check_output ("/dev/null/new"), -ENOTDIR);
	assert_int_equal (monocle__path_check_output ("new-in-this-folder"), 0);
}

static void
what_forbids_writing_is_said (void **state)
{
	if (geteuid () == 0)
		return;
	assert_int_equal (chmod (folder, 0500), 0);
	assert_int_equal (monocle__path_check_output (in_folder ("new")), -EACCES);
	assert_int_equal (chmod (folder, 0700), 0);
	assert_int_equal (monocle__path_check_output ("/new"), -EACCES);
}

static int
make_folder (void **state)
{
	return mkdtemp (folder) ? 0 : -1;
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
		cmocka_unit_test (base_names_follow_the_last_slash), cmocka_unit_test (links_are_known_whatever_they_lead_to),
		cmocka_unit_test (two_names_may_be_one_file),        cmocka_unit_test (a_file_can_be_made_in_a_folder_only),
		cmocka_unit_test (what_forbids_writing_is_said),
	};

	return cmocka_run_group_tests (tests, make_folder, remove_folder);
}
