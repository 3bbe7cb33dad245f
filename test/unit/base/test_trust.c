/*
 * SPDX-License-Identifier: MIT
 *
 * test_trust.c - whose files may run in this process.
 *
 * Each row changes one thing about FOLDER/in/file, or asks by another way, and says what must be answered.
 */
#include "trust.h"

#include <errno.h>
#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <cmocka.h>

enum { STRANGER = 64321, GROUP = 64322 };

static char folder[] = "/tmp/monocle-test-XXXXXX";

static char *
in_folder (const char *name)
{
	static char path[PATH_MAX];
	snprintf (path, sizeof path, "%s/%s", folder, name);
	return path;
}

/* clang-format off */
static const struct {
	const char *what;
	const char *changed; uint32_t mode; int user, group; /* -1: as it is */
	const char *asked;
	int answer;
	const char *said;
} rows[] = {
	{ "as it is made",                     "in/file", 0644, -1, -1,             "in/file",     0,       "" },
	{ "a link",                            "in/file", 0644, -1, -1,             "link",        0,       "" },
	{ "a file that all may write",         "in/file", 0666, -1, -1,             "in/file",     -EPERM,  "/in/file; chmod go-w" },
	{ "a folder that all may write",       "in",      0777, -1, -1,             "in/file",     -EPERM,  "every user can write to /tmp" },
	{ "... behind a link",                 "in",      0777, -1, -1,             "link",        -EPERM,  "/in; chmod go-w" },
	{ "... to a folder",                   "in",      0777, -1, -1,             "door/file",   -EPERM,  "/in; chmod go-w" },
	{ "... with dots",                     "in",      0777, -1, -1,             "in/../in/./file", -EPERM, "/in; chmod go-w" },
	{ "a link in such a folder",           "open",    0777, -1, -1,             "open/link",   -EPERM,  "/open; chmod go-w" },
	{ "a sticky folder",                   "in",      01777, -1, -1,            "in/file",     0,       "" },
	{ "a sticky folder, nothing there",    "in",      01777, -1, -1,            "in/none",     -EPERM,  "every user could put" },
	{ "... behind a link in it",           "in",      01777, -1, -1,            "in/dangling", -EPERM,  "every user could put a file at" },
	{ "... beside a folder in it",         "in",      01777, -1, -1,            "in/sub/../none", -EPERM, "every user could put a file at" },
	{ "a sticky folder passed through",    "open",    01777, -1, -1,            "open/../in/none", -ENOENT, "" },
	{ "nothing there",                     "in",      0755, -1, -1,             "in/none",     -ENOENT, "" },
	{ "a link to itself",                  "in",      0755, -1, -1,             "loop",        -EPERM,  "Too many levels" },
	{ "a file as a folder",                "in",      0755, -1, -1,             "in/file/x",   -EPERM,  "Not a directory" },
	{ "a stranger's file",                 "in/file", 0644, STRANGER, STRANGER, "in/file",     -EPERM,  "/in/file belongs to user 64321" },
	{ "a stranger's folder",               "in",      0755, STRANGER, STRANGER, "in/file",     -EPERM,  "/in belongs to user 64321" },
	{ "a stranger's file, sticky folder",  "in/file", 0644, STRANGER, STRANGER, "sticky/file", -EPERM,  "belongs to user 64321" },
	{ "a group's folder",                  "in",      0775, -1, GROUP,          "in/file",     -EPERM,  "its group 64322 can write to /tmp" },
	{ "a group's folder, sticky",          "in",      01775, -1, GROUP,         "in/file",     0,       "" },
	{ "a group's folder, read only",       "in",      0755, -1, GROUP,          "in/file",     0,       "" },
	{ "the owner's own group's folder",    "in",      0775, 0, 0,               "in/file",     0,       "" },
	{ "a system group's folder of root's", "in",      0775, 0, 50,              "in/file",     0,       "" },
	{ "... of the last such group",        "in",      0775, 0, 99,              "in/file",     0,       "" },
	{ "... of the first other group",      "in",      0775, 0, 100,             "in/file",     -EPERM,  "its group 100 can write to /tmp" },
};
/* clang-format on */

static void
make (void)
{
	FILE *file;
	assert_int_equal (mkdir (in_folder ("in"), 0755), 0);
	assert_int_equal (mkdir (in_folder ("open"), 0755), 0);
	assert_int_equal (mkdir (in_folder ("in/sub"), 0755), 0);
	assert_non_null (file = fopen (in_folder ("in/file"), "w"));
	fclose (file);
	assert_int_equal (symlink ("in/file", in_folder ("link")), 0);
	assert_int_equal (symlink ("./in//", in_folder ("door")), 0);
	assert_int_equal (symlink ("in", in_folder ("sticky")), 0);
	assert_int_equal (symlink ("none", in_folder ("in/dangling")), 0);
	assert_int_equal (symlink ("loop", in_folder ("loop")), 0);
	assert_int_equal (symlink ("../in/file", in_folder ("open/link")), 0);
}

static void
unmake (void)
{
	static const char *const names[] = { "open/link", "loop",   "sticky",      "door", "link",
		                                 "in/file",   "in/sub", "in/dangling", "open", "in" };
	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		assert_int_equal (remove (in_folder (names[i])), 0);
}

/* Only root can give a file away. */
static void
only_what_no_stranger_can_change_is_trusted (void **state)
{
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		char reason[2048] = "";
		if (geteuid () && (rows[i].user >= 0 || rows[i].group >= 0))
			continue;
		make ();
		assert_int_equal (chown (in_folder (rows[i].changed), (uid_t) rows[i].user, (gid_t) rows[i].group), 0);
		assert_int_equal (chmod (in_folder (rows[i].changed), rows[i].mode), 0);
		int answer = monocle__trust_path (in_folder (rows[i].asked), reason, sizeof reason);
		if (answer != rows[i].answer || !strstr (reason, rows[i].said) || (!answer && reason[0]))
			fail_msg ("%s: %d %s", rows[i].what, answer, reason);
		unmake ();
	}
}

static void
a_folder_that_strangers_can_add_to_is_trusted_for_what_it_has_alone (void **state)
{
	char reason[2048] = "";
	make ();
	assert_int_equal (monocle__trust_folder (in_folder ("in"), reason, sizeof reason), 0);
	assert_int_equal (monocle__trust_folder (in_folder ("in/none"), reason, sizeof reason), -ENOENT);
	assert_string_equal (reason, "");
	assert_int_equal (chmod (in_folder ("in"), 01777), 0);
	assert_int_equal (monocle__trust_path (in_folder ("door"), reason, sizeof reason), 0);
	assert_int_equal (monocle__trust_folder (in_folder ("door"), reason, sizeof reason), -EPERM);
	assert_non_null (strstr (reason, "others can put files into /tmp"));
	unmake ();
}

static void
a_relative_path_begins_in_the_current_folder (void **state)
{
	char reason[2048] = "";
	make ();
	assert_int_equal (chdir (folder), 0);
	assert_int_equal (monocle__trust_path ("in/file", reason, sizeof reason), 0);
	assert_int_equal (monocle__trust_path (".", reason, sizeof reason), 0);
	assert_int_equal (monocle__trust_path ("", reason, sizeof reason), 0);
	assert_int_equal (chmod (".", 0777), 0);
	assert_int_equal (monocle__trust_path ("in/file", reason, sizeof reason), -EPERM);
	assert_int_equal (chmod (".", 0700), 0);
	assert_int_equal (chdir ("/"), 0);
	unmake ();
}

static void
a_path_that_is_too_long_is_refused (void **state)
{
	char reason[2048] = "", path[PATH_MAX + 2];
	memset (path, 'x', sizeof path);
	path[sizeof path - 1] = '\0';
	assert_int_equal (monocle__trust_path (path, reason, sizeof reason), -EPERM);
	assert_non_null (strstr (reason, "too long"));
	path[0] = '/';
	path[300] = '\0';
	assert_int_equal (monocle__trust_path (path, reason, sizeof reason), -EPERM);
}

/* Version 2: the owner and user 64321 may write, the group may read, at most writing is allowed, others may read. */
static void
a_user_of_an_access_list_is_a_stranger (void **state)
{
	static const struct entry {
		uint16_t tag, rights;
		uint32_t id;
	} entries[] = { { 1, 7, ~0u }, { 2, 7, STRANGER }, { 4, 5, ~0u }, { 16, 7, ~0u }, { 32, 5, ~0u } };
	struct {
		uint32_t version;
		struct entry entries[5];
	} list = { .version = 2 };
	char reason[2048] = "";
	memcpy (list.entries, entries, sizeof entries);
	make ();
	if (setxattr (in_folder ("in"), "system.posix_acl_access", &list, sizeof list, 0) == 0) {
		assert_int_equal (monocle__trust_path (in_folder ("in/file"), reason, sizeof reason), -EPERM);
		assert_non_null (strstr (reason, " or users of its access list can write to /tmp"));
		assert_int_equal (chmod (in_folder ("in"), 0755), 0);
		assert_int_equal (monocle__trust_path (in_folder ("in/file"), reason, sizeof reason), 0);
	}
	unmake ();
}

/* The test itself lies where its builder put it, and its builder runs code here already. */
static void
what_is_built_by_the_owner_of_this_program_is_trusted (void **state)
{
	struct stat status;
	char reason[2048] = "";
	assert_int_equal (stat ("/proc/self/exe", &status), 0);
	if (geteuid () || !status.st_uid)
		return;
	make ();
	assert_int_equal (chown (in_folder ("in/file"), status.st_uid, status.st_gid), 0);
	assert_int_equal (monocle__trust_path (in_folder ("in/file"), reason, sizeof reason), 0);
	unmake ();
}

static int
set_up (void **state)
{
	umask (022);
	return mkdtemp (folder) ? 0 : -1;
}

static int
tear_down (void **state)
{
	return rmdir (folder);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test (only_what_no_stranger_can_change_is_trusted),
	cmocka_unit_test (a_folder_that_strangers_can_add_to_is_trusted_for_what_it_has_alone),
	cmocka_unit_test (a_relative_path_begins_in_the_current_folder),
	cmocka_unit_test (a_path_that_is_too_long_is_refused),
	cmocka_unit_test (a_user_of_an_access_list_is_a_stranger),
	cmocka_unit_test (what_is_built_by_the_owner_of_this_program_is_trusted),
};

int
main (void)
{
	return cmocka_run_group_tests (tests, set_up, tear_down);
}
