/*
 * SPDX-License-Identifier: MIT
 *
 * test_log_file.c - a line that its file does not take: who hears it then.
 */
#include "log-file.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "environment.h"

static const char nowhere[] = "/nowhere/at/all/log", *setting;

/* The core's, of a program that we are attached to. */
int
monocle_host_setting (const char *name, const char **ret_value)
{
	*ret_value = strcmp (name, "MONOCLE_LOG") == 0 ? setting : NULL;
	return setting != NULL;
}

/* What is on stderr after a line was to go to the file. */
static const char *
write_line (const char *path)
{
	static const char line[] = "monocle: a line\n";
	static char text[1024];
	FILE *heard = tmpfile ();
	int before = dup (STDERR_FILENO);
	assert_non_null (heard);
	assert_int_equal (dup2 (fileno (heard), STDERR_FILENO), STDERR_FILENO);
	monocle__log_file_write (path, line, strlen (line));
	dup2 (before, STDERR_FILENO);
	close (before);
	rewind (heard);
	text[fread (text, 1, sizeof text - 1, heard)] = '\0';
	fclose (heard);
	return text;
}

static void
an_attached_program_has_its_stderr_to_itself (void **state)
{
	setting = nowhere;
	assert_string_equal (write_line (nowhere), "");
}

static void
another_one_hears_why_the_file_does_not_take_it (void **state)
{
	setting = NULL;
	assert_string_equal (write_line (nowhere), "monocle: MONOCLE_LOG=/nowhere/at/all/log: its folder does not exist; "
	                                           "messages stay on standard error\nmonocle: a line\n");
	assert_string_equal (write_line (NULL), "monocle: a line\n");
}

int
main (void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test (an_attached_program_has_its_stderr_to_itself),
		cmocka_unit_test (another_one_hears_why_the_file_does_not_take_it),
	};
	return cmocka_run_group_tests (tests, NULL, NULL);
}
