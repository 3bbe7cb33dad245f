/*
 * SPDX-License-Identifier: MIT
 *
 * test_log_file.c - where a line goes, and a line that its file does not take: who hears it then.
 */
#include "log-file.h"
#include "log-place.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "coreclr.h"
#include "environment.h"

#define LINE "monocle: a line\n"

static const char nowhere[] = "/nowhere/at/all/log", *setting;
static int was_attached;
static char folder[] = "/tmp/monocle-place-XXXXXX", start[PATH_MAX];

/* The core's, of a program that we are attached to. */
int
monocle_host_setting (const char *name, const char **ret_value)
{
	*ret_value = NULL;
	if (strcmp (name, "attached") == 0) {
		*ret_value = was_attached ? "1" : NULL;
		return was_attached;
	}
	if (strcmp (name, "MONOCLE_LOG") == 0)
		*ret_value = setting;
	if (strcmp (name, "MONOCLE_RUN_DIR") == 0)
		*ret_value = folder;
	return setting != NULL;
}

/* What is on `heard` after a line was to go where it belongs, while that is stderr. */
static const char *
write_to (int heard)
{
	static char text[1024];
	monocle__log_place place;
	int before = dup (STDERR_FILENO);
	assert_int_equal (dup2 (heard, STDERR_FILENO), STDERR_FILENO);
	monocle__log_place_find (&place);
	monocle__log_file_write (&place, LINE, strlen (LINE));
	dup2 (before, STDERR_FILENO);
	close (before);
	ssize_t length = pread (heard, text, sizeof text - 1, 0);
	text[length > 0 ? length : 0] = '\0';
	return text;
}

static const char *
write_line (void)
{
	static char text[1024];
	FILE *heard = tmpfile ();
	assert_non_null (heard);
	snprintf (text, sizeof text, "%s", write_to (fileno (heard)));
	fclose (heard);
	return text;
}

/* The file is removed. "": it is not there. */
static const char *
take (const char *path)
{
	static char text[1024];
	int fd = open (path, O_RDONLY);
	ssize_t length = fd < 0 ? 0 : read (fd, text, sizeof text - 1);
	text[length > 0 ? length : 0] = '\0';
	if (fd >= 0)
		close (fd);
	unlink (path);
	return text;
}

static const char *
name_in (const char *place, const char *format)
{
	static char name[2 * PATH_MAX];
	int length = snprintf (name, sizeof name, "%s/", place);
	snprintf (name + length, sizeof name - (size_t) length, format, (int) getpid ());
	return name;
}

/* How many lines the folder says are missing; 0: it does not say. */
static long
take_lost (void)
{
	DIR *directory = opendir (folder);
	struct dirent *entry;
	struct stat status;
	char path[PATH_MAX + 256];
	long lost = 0;
	while (directory && (entry = readdir (directory))) {
		if (!strstr (entry->d_name, ".lost"))
			continue;
		snprintf (path, sizeof path, "%s/%s", folder, entry->d_name);
		if (stat (path, &status) == 0 && atoi (entry->d_name) == (int) getpid ())
			lost += status.st_size;
		unlink (path);
	}
	closedir (directory);
	return lost;
}

static int
forget (void **state)
{
	static const char *const names[] = {
		"MONOCLE_LOG",       "MONOCLE_RUN_DIR",  "MONOCLE_PROFILE",
		"MONOCLE_EMBED_PID", "CORECLR_PROFILER", "CORECLR_NOTIFICATION_PROFILERS",
		"JOURNAL_STREAM",
	};
	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		unsetenv (names[i]);
	setting = NULL;
	was_attached = 0;
	return 0;
}

static void
an_attached_program_has_its_stderr_to_itself (void **state)
{
	setting = nowhere;
	assert_string_equal (write_line (), "");
	setting = NULL;
	was_attached = 1;
	assert_string_equal (write_line (), "");
	assert_string_equal (take (name_in (start, "monocle.%d.log")), LINE);
}

static void
another_one_hears_why_the_file_does_not_take_it (void **state)
{
	setenv ("MONOCLE_LOG", nowhere, 1);
	assert_string_equal (write_line (), "monocle: MONOCLE_LOG=/nowhere/at/all/log: its folder does not exist; "
	                                    "messages stay on standard error\n" LINE);
	unsetenv ("MONOCLE_LOG");
	assert_string_equal (write_line (), LINE);
}

static void
a_run_has_the_lines_in_its_folder_and_stderr_has_none (void **state)
{
	setenv ("MONOCLE_RUN_DIR", folder, 1);
	setenv ("MONOCLE_LOG", "stderr", 1);
	assert_string_equal (write_line (), "");
	assert_string_equal (write_line (), "");
	assert_string_equal (take (name_in (folder, "%d.messages")), LINE LINE);
	setenv ("MONOCLE_LOG", name_in (folder, "log"), 1);
	assert_string_equal (write_line (), "");
	assert_string_equal (take (name_in (folder, "log")), LINE);
	assert_string_equal (take (name_in (folder, "%d.messages")), "");
}

static void
a_file_that_a_run_does_not_take_is_named_in_its_folder (void **state)
{
	setenv ("MONOCLE_RUN_DIR", folder, 1);
	setenv ("MONOCLE_LOG", "/tmp", 1);
	assert_string_equal (write_line (), "");
	assert_string_equal (take (name_in (folder, "%d.messages")), LINE); /* the complaint was said before */
}

static void
a_folder_that_is_gone_gives_way_to_a_file_of_the_process (void **state)
{
	setenv ("MONOCLE_RUN_DIR", "/nowhere/at/all", 1);
	assert_string_equal (write_line (), "");
	assert_string_equal (take (name_in (start, "monocle.%d.log")), LINE);
}

static void
by_variables_alone_a_file_has_the_lines_that_nobody_asked_for_on_stderr (void **state)
{
	static const char *const variables[][2] = {
		{ "MONOCLE_PROFILE", "calls" },
		{ "CORECLR_PROFILER", MONOCLE__CLSID },
		{ "CORECLR_NOTIFICATION_PROFILERS", "/x=y;/z=" MONOCLE__CLSID ";" },
	};
	for (size_t i = 0; i < sizeof variables / sizeof *variables; i++) {
		setenv (variables[i][0], variables[i][1], 1);
		assert_string_equal (write_line (), "");
		assert_string_equal (take (name_in (start, "monocle.%d.log")), LINE);
		setenv ("MONOCLE_LOG", "stderr", 1);
		assert_string_equal (write_line (), LINE);
		forget (NULL);
	}
	setenv ("CORECLR_PROFILER", MONOCLE__CLSID, 1);
	setenv ("MONOCLE_EMBED_PID", name_in ("", "%d") + 1, 1);
	assert_string_equal (write_line (), LINE);
	setenv ("CORECLR_PROFILER", "{another one}", 1);
	unsetenv ("MONOCLE_EMBED_PID");
	assert_string_equal (write_line (), LINE);
}

static void
a_terminal_and_the_journal_are_read_by_people (void **state)
{
	char variable[64], text[64] = "";
	struct stat status;
	int master = posix_openpt (O_RDWR | O_NOCTTY);
	setenv ("MONOCLE_PROFILE", "calls", 1);
	assert_true (master >= 0 && grantpt (master) == 0 && unlockpt (master) == 0);
	int slave = open (ptsname (master), O_RDWR | O_NOCTTY);
	write_to (slave);
	assert_true (read (master, text, sizeof text - 1) > 0);
	assert_string_equal (text, "monocle: a line\r\n");
	close (master);
	close (slave);

	FILE *heard = tmpfile ();
	assert_non_null (heard);
	assert_int_equal (fstat (fileno (heard), &status), 0);
	snprintf (variable, sizeof variable, "%ju:%ju", (uintmax_t) status.st_dev, (uintmax_t) status.st_ino);
	setenv ("JOURNAL_STREAM", variable, 1);
	assert_string_equal (write_to (fileno (heard)), LINE);
	setenv ("JOURNAL_STREAM", "1:2", 1);
	assert_int_equal (ftruncate (fileno (heard), 0), 0);
	assert_string_equal (write_to (fileno (heard)), "");
	assert_string_equal (take (name_in (start, "monocle.%d.log")), LINE);
	fclose (heard);
}

/* A limit on files has the system say EFBIG where a full disk says ENOSPC. */
static void
what_finds_no_room_in_the_folder_is_counted_there (void **state)
{
	struct rlimit before, none;
	signal (SIGXFSZ, SIG_IGN);
	setenv ("MONOCLE_RUN_DIR", folder, 1);
	write_line ();
	getrlimit (RLIMIT_FSIZE, &before);
	none = before;
	none.rlim_cur = strlen (LINE);
	setrlimit (RLIMIT_FSIZE, &none);
	assert_string_equal (write_line (), "");
	assert_string_equal (write_line (), "");
	setrlimit (RLIMIT_FSIZE, &before);
	assert_int_equal (take_lost (), 2);
	assert_string_equal (take (name_in (folder, "%d.messages")), LINE);
}

static void
without_a_descriptor_a_line_is_counted_with_the_next_one (void **state)
{
	struct rlimit before, none;
	setenv ("MONOCLE_RUN_DIR", folder, 1);
	monocle__log_place place;
	monocle__log_place_find (&place);
	take_lost ();
	write_line ();
	long known = take_lost ();
	getrlimit (RLIMIT_NOFILE, &before);
	none = before;
	none.rlim_cur = 0;
	setrlimit (RLIMIT_NOFILE, &none);
	monocle__log_file_write (&place, LINE, strlen (LINE));
	setrlimit (RLIMIT_NOFILE, &before);
	assert_int_equal (known, 0);
	write_line ();
	assert_int_equal (take_lost (), 3); /* with two of the test before */
	assert_string_equal (take (name_in (folder, "%d.messages")), LINE LINE);
}

static void
many_lines_end_with_one_that_says_so (void **state)
{
	struct stat status;
	setenv ("MONOCLE_RUN_DIR", folder, 1);
	monocle__log_place place;
	monocle__log_place_find (&place);
	for (size_t i = 0; i < MONOCLE__LOG_PLACE_MOST / strlen (LINE) + 100; i++)
		monocle__log_file_write (&place, LINE, strlen (LINE));
	int fd = open (name_in (folder, "%d.messages"), O_RDONLY);
	char end[96] = "";
	assert_int_equal (fstat (fd, &status), 0);
	assert_in_range (status.st_size, MONOCLE__LOG_PLACE_MOST - 16, MONOCLE__LOG_PLACE_MOST + 100);
	assert_true (pread (fd, end, sizeof end - 1, status.st_size - 95) == 95);
	assert_non_null (strstr (end, LINE "monocle: the messages of this process end here: there is a megabyte"));
	close (fd);
	unlink (name_in (folder, "%d.messages"));
}

static void
a_file_of_somebody_else_is_not_written_to (void **state)
{
	char other[PATH_MAX + 8];
	setenv ("MONOCLE_PROFILE", "calls", 1);
	setenv ("TMPDIR", folder, 1);
	snprintf (other, sizeof other, "%s/other", start);
	close (open (other, O_CREAT | O_WRONLY, 0600));
	assert_int_equal (link (other, name_in (start, "monocle.%d.log")), 0);
	assert_string_equal (write_line (), "");
	assert_string_equal (take (other), "");
	assert_string_equal (take (name_in (folder, "monocle.%d.log")), LINE);
	unlink (name_in (start, "monocle.%d.log"));
	assert_int_equal (symlink (other, name_in (start, "monocle.%d.log")), 0);
	assert_string_equal (write_line (), "");
	assert_int_equal (access (other, F_OK), -1);
	assert_string_equal (take (name_in (folder, "monocle.%d.log")), LINE);
	unlink (name_in (start, "monocle.%d.log"));
}

/* The last test: a command stays one. */
static void
a_command_speaks_on_its_own_stderr (void **state)
{
	monocle__log_place_be_command ();
	setenv ("MONOCLE_PROFILE", "calls", 1);
	setenv ("MONOCLE_RUN_DIR", folder, 1);
	setenv ("MONOCLE_LOG", name_in (folder, "log"), 1);
	assert_string_equal (write_line (), LINE);
}

int
main (void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup (an_attached_program_has_its_stderr_to_itself, forget),
		cmocka_unit_test_setup (another_one_hears_why_the_file_does_not_take_it, forget),
		cmocka_unit_test_setup (a_run_has_the_lines_in_its_folder_and_stderr_has_none, forget),
		cmocka_unit_test_setup (a_file_that_a_run_does_not_take_is_named_in_its_folder, forget),
		cmocka_unit_test_setup (a_folder_that_is_gone_gives_way_to_a_file_of_the_process, forget),
		cmocka_unit_test_setup (by_variables_alone_a_file_has_the_lines_that_nobody_asked_for_on_stderr, forget),
		cmocka_unit_test_setup (a_terminal_and_the_journal_are_read_by_people, forget),
		cmocka_unit_test_setup (what_finds_no_room_in_the_folder_is_counted_there, forget),
		cmocka_unit_test_setup (without_a_descriptor_a_line_is_counted_with_the_next_one, forget),
		cmocka_unit_test_setup (many_lines_end_with_one_that_says_so, forget),
		cmocka_unit_test_setup (a_file_of_somebody_else_is_not_written_to, forget),
		cmocka_unit_test_setup (a_command_speaks_on_its_own_stderr, forget),
	};
	if (!mkdtemp (folder) || !realpath (monocle__log_place_start (), start))
		return 1;
	int result = cmocka_run_group_tests (tests, NULL, NULL);
	rmdir (folder);
	return result;
}
