/*
 * SPDX-License-Identifier: MIT
 *
 * test_cmdline.c - the words of a command line. The test starts itself again to have some.
 */
#include "cmdline.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

/* In the child: exit code 0 when the words are as they were given. */
static int
check_words (void)
{
	static const char words[] = "self\0--words\0\0last";
	char buffer[64], cut[8];

	if (monocle__cmdline_read (buffer, sizeof buffer) != sizeof words || memcmp (buffer, words, sizeof words))
		return 1;
	return monocle__cmdline_read (cut, sizeof cut) != sizeof cut - 1 || memcmp (cut, "self\0--", sizeof cut) ? 2 : 0;
}

static void
words_are_read_and_cut_with_a_nul_behind_them (void **state)
{
	pid_t child = fork ();
	int status;

	if (child == 0) {
		execl ("/proc/self/exe", "self", "--words", "", "last", (char *) NULL);
		_exit (99);
	}
	assert_int_equal (waitpid (child, &status, 0), child);
	assert_true (WIFEXITED (status));
	assert_int_equal (WEXITSTATUS (status), 0);
}

static void
assemblies_are_known_by_their_ends (void **state)
{
	assert_true (monocle__cmdline_is_assembly ("app.dll"));
	assert_true (monocle__cmdline_is_assembly ("/a/b/App.EXE"));
	assert_false (monocle__cmdline_is_assembly (".dll"));
	assert_false (monocle__cmdline_is_assembly (""));
	assert_false (monocle__cmdline_is_assembly ("app.dll.config"));
}

int
main (int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test (words_are_read_and_cut_with_a_nul_behind_them),
		cmocka_unit_test (assemblies_are_known_by_their_ends),
	};

	if (argc > 1 && !strcmp (argv[1], "--words"))
		return check_words ();
	return cmocka_run_group_tests (tests, NULL, NULL);
}
