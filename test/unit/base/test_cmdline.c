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

static const char *
program (const char *arguments, size_t length)
{
	static char name[32];
	monocle__cmdline_program (arguments, length, name, sizeof name);
	return name;
}

#define program_of(text) program (text, sizeof (text))

static void
the_program_is_the_managed_one (void **state)
{
	assert_string_equal (program_of ("mono\0--profile=calls:output=x.exe\0/a/b/fib.exe\0zwei.dll"), "fib");
	assert_string_equal (program_of ("dotnet\0exec\0bin/My.App.dll\0-x"), "My.App");
	assert_string_equal (program_of ("/opt/app/server\0--port\0"
	                                 "80"),
	                     "server");
	assert_string_equal (program_of ("dotnet"), "dotnet");
	assert_string_equal (program_of ("/a/b\nc.EXE"), "b_c");
	assert_string_equal (program ("", 0), "program");
}

static void
the_host_of_tests_is_called_after_what_it_tests (void **state)
{
	char name[32];
#define assert_subject(text, expected) \
	(monocle__cmdline_subject (text, sizeof (text), name, sizeof name), assert_string_equal (name, expected))
	assert_subject ("/usr/bin/dotnet\0exec\0--runtimeconfig\0/src/Shop.Tests.runtimeconfig.json\0--depsfile\0"
	                "/src/Shop.Tests.deps.json\0/src/testhost.dll\0--port\0"
	                "37",
	                "Shop.Tests");
	assert_subject ("/src/testhost.x86\0--depsfile\0/src/A\nB.deps.json", "A_B");
	assert_subject ("/src/testhost\0--port\0"
	                "37",
	                "testhost");
	assert_subject ("/src/testhost\0/src/.deps.json", "testhost");
	assert_subject ("dotnet\0exec\0--depsfile\0/src/Shop.deps.json\0/src/Other.dll", "Other");
	assert_subject ("testhosts\0--depsfile\0/src/Shop.deps.json", "testhosts");
}

int
main (int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test (words_are_read_and_cut_with_a_nul_behind_them),
		cmocka_unit_test (assemblies_are_known_by_their_ends),
		cmocka_unit_test (the_program_is_the_managed_one),
		cmocka_unit_test (the_host_of_tests_is_called_after_what_it_tests),
	};

	if (argc > 1 && !strcmp (argv[1], "--words"))
		return check_words ();
	return cmocka_run_group_tests (tests, NULL, NULL);
}
