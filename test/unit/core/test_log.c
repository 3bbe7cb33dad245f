/*
 * SPDX-License-Identifier: MIT
 *
 * test_log.c - the one way to speak, in programs that make it hard.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <monocle/host.h>
#include "child.h"

CHILD_PRINTS (a_message_is_one_line_that_cannot_steer_a_terminal,
              "monocle: one and 2\nmonocle: two lines  and ?[1mmore\n"
              "monocle: a ?31m, b ?31m?, c ?txt?\n"
              "monocle: gr\xc3\xbc\xc3\x9f \xe2\x82\xac \xf0\x9f\x98\x80\nmonocle: \n")
{
	errno = 77;
	monocle_log ("%s and %d", "one", 2);
	CHECK (errno == 77);
	monocle_log ("two\nlines\r\tand \033[1mmore");
	monocle_log ("a %s, b %s, c %s",
	             "\xc2\x9b"
	             "31m",
	             "\x9b"
	             "31m\x7f",
	             "\xe2\x80\xae"
	             "txt\xe2\x80\xa8");
	monocle_log ("gr\xc3\xbc\xc3\x9f \xe2\x82\xac \xf0\x9f\x98\x80");
	monocle_log ("%s", "");
}

static void
speak_long (void)
{
	static char text[10000];

	memset (text, 'x', sizeof text - 1);
	monocle_log ("%s", text);
}

static void
a_long_message_is_cut_and_says_so (void **state)
{
	char output[16384];

	assert_int_equal (child_run (speak_long, output, sizeof output), 0);
	assert_int_equal (strlen (output), 4095);
	assert_string_equal (output + strlen (output) - 5, "x...\n");
}

/* A name without a folder is one in the folder in which the process was started. */
CHILD_PRINTS (messages_go_to_the_named_file_whatever_the_program_does_to_folders_and_descriptors, "")
{
	char name[64], text[256] = "", start[PATH_MAX];

	CHECK (getcwd (start, sizeof start) && chdir ("/") == 0);
	snprintf (name, sizeof name, "words-%d.txt", (int) getpid ());
	setenv ("MONOCLE_LOG", name, 1);
	monocle_log ("one");
	CHECK (chdir ("/tmp") == 0);
	setenv ("MONOCLE_LOG", "/dev/null", 1);
	for (int fd = 3; fd < 64; fd++)
		close (fd);
	monocle_log ("two");
	CHECK (open ("/dev/null", O_RDONLY) == 3);
	CHECK (chdir (start) == 0);
	int fd = open (name, O_RDONLY);
	CHECK (fd >= 0 && read (fd, text, sizeof text - 1) > 0);
	CHECK_STRING (text, "monocle: one\nmonocle: two\n");
	CHECK (unlink (name) == 0);
}

#define STAY "; messages stay on standard error\nmonocle: here\n"

CHILD_PRINTS (a_file_that_cannot_be_opened_gives_way_to_stderr_and_a_line_says_so_once,
              "monocle: MONOCLE_LOG=/nowhere/at/ all: its folder does not exist" STAY "monocle: and here\n")
{
	setenv ("MONOCLE_LOG", "/nowhere/at/\nall", 1);
	monocle_log ("here");
	monocle_log ("and here");
}

CHILD_PRINTS (a_folder_is_no_log, "monocle: MONOCLE_LOG=/tmp: it is a folder" STAY)
{
	setenv ("MONOCLE_LOG", "/tmp", 1);
	monocle_log ("here");
}

CHILD_PRINTS (a_full_device_is_no_log, "monocle: MONOCLE_LOG=/dev/full: no space left" STAY)
{
	setenv ("MONOCLE_LOG", "/dev/full", 1);
	monocle_log ("here");
}

CHILD_PRINTS (standard_error_may_be_named, "monocle: here\n")
{
	setenv ("MONOCLE_LOG", "/dev/stderr", 1);
	monocle_log ("here");
}

static void
speak_with_a_long_name (void)
{
	static char name[1 << 16];

	for (size_t i = 0; i + 1 < sizeof name; i++)
		name[i] = i % 2 ? '.' : '/';
	setenv ("MONOCLE_LOG", name, 1);
	monocle_log ("here");
}

static void
a_name_that_is_too_long_is_not_cut (void **state)
{
	char output[4096];

	assert_int_equal (child_run (speak_with_a_long_name, output, sizeof output), 0);
	assert_non_null (strstr (output, "/./././...: the name is too long" STAY));
}

static void
name_log (const char *folder, const char *name)
{
	char path[256];

	snprintf (path, sizeof path, "%s/%s", folder, name);
	setenv ("MONOCLE_LOG", path, 1);
}

CHILD_TEST (a_pipe_that_nobody_reads_holds_nobody_up)
{
	char folder[] = "/tmp/monocle-log-XXXXXX";

	CHECK (mkdtemp (folder) && chdir (folder) == 0 && mkfifo ("pipe", 0600) == 0);
	name_log (folder, "pipe");
	monocle_log ("here");
	CHECK (unlink ("pipe") == 0 && rmdir (folder) == 0);
}

/* Only root can give a link away. */
CHILD_TEST (links_of_others_are_not_followed_and_ones_own_are)
{
	char folder[] = "/tmp/monocle-log-XXXXXX";

	CHECK (mkdtemp (folder) && chdir (folder) == 0);
	CHECK (symlink ("target", "link") == 0 && symlink ("victim", "planted") == 0);
	name_log (folder, "link");
	monocle_log ("here");
	CHECK (unlink ("target") == 0 && unlink ("link") == 0);
	if (geteuid () == 0 && lchown ("planted", 64321, 64321) == 0) {
		CHECK (rename ("planted", "link") == 0);
		monocle_log ("not there");
		CHECK (access ("victim", F_OK) != 0 && unlink ("link") == 0);
	} else
		CHECK (unlink ("planted") == 0);
	CHECK (chdir ("/") == 0 && rmdir (folder) == 0);
}

CHILD_TEST (a_reader_that_went_away_does_not_kill_the_program)
{
	int ends[2];

	CHECK (pipe (ends) == 0);
	CHECK (dup2 (ends[1], STDERR_FILENO) == STDERR_FILENO);
	close (ends[0]);
	monocle_log ("nobody hears this");
	monocle_log ("nor this");
	close (STDERR_FILENO);
	monocle_log ("nor this");
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test (a_message_is_one_line_that_cannot_steer_a_terminal),
	cmocka_unit_test (a_long_message_is_cut_and_says_so),
	cmocka_unit_test (messages_go_to_the_named_file_whatever_the_program_does_to_folders_and_descriptors),
	cmocka_unit_test (a_file_that_cannot_be_opened_gives_way_to_stderr_and_a_line_says_so_once),
	cmocka_unit_test (a_folder_is_no_log),
	cmocka_unit_test (a_full_device_is_no_log),
	cmocka_unit_test (standard_error_may_be_named),
	cmocka_unit_test (a_name_that_is_too_long_is_not_cut),
	cmocka_unit_test (a_pipe_that_nobody_reads_holds_nobody_up),
	cmocka_unit_test (links_of_others_are_not_followed_and_ones_own_are),
	cmocka_unit_test (a_reader_that_went_away_does_not_kill_the_program),
};

int
main (void)
{
	return cmocka_run_group_tests (tests, NULL, NULL);
}
