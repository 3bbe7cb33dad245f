/*
 * SPDX-License-Identifier: MIT
 *
 * test_process.c - which processes the environment chooses. Each row is run as its own command line: the test executes
 * itself under the row's words, and that process prints what it finds.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>
#include <sys/wait.h>
#include <monocle/host.h>
#include "child.h"

typedef struct {
	const char *enabled, *process;
	const char *words[6];
	int chosen;
} row;

#define APP "/srv/shop/Shop.dll"

/* clang-format off */
static const row rows[] = {
	{ NULL,    NULL,               { "dotnet", APP },                                1 },
	{ "1",     NULL,               { "dotnet", APP },                                1 },
	{ "true",  NULL,               { "dotnet", APP },                                1 },
	{ "",      "",                 { "dotnet", APP },                                1 },
	{ "0",     NULL,               { "dotnet", APP },                                0 },
	{ "False", NULL,               { "dotnet", APP },                                0 },
	{ "0",     "dotnet",           { "dotnet", APP },                                0 },
	{ NULL,    "dotnet",           { "/usr/bin/dotnet", APP },                       1 },
	{ NULL,    "Shop.dll",         { "dotnet", APP },                                1 },
	{ NULL,    "Shop",             { "dotnet", APP },                                1 },
	{ NULL,    "!Shop",            { "dotnet", APP },                                0 },
	{ NULL,    "greet",            { "mono", "greet.exe" },                          1 },
	{ NULL,    "tool",             { "lua", "bin/tool.lua" },                        0 },
	{ NULL,    "/srv/*",           { "dotnet", APP },                                1 },
	{ NULL,    "shop",             { "dotnet", APP },                                0 },
	{ NULL,    "Other*,Shop*",     { "dotnet", APP },                                1 },
	{ NULL,    "!Shop*",           { "dotnet", APP },                                0 },
	{ NULL,    "!Other*",          { "dotnet", APP },                                1 },
	{ NULL,    "dotnet,!Shop*",    { "dotnet", APP },                                0 },
	{ NULL,    "Shop.dll",         { "dotnet", "exec", "--fx-version", "8.0.0", APP }, 1 },
	{ NULL,    "Shop.dll",         { "dotnet", "exec", "first.dll", APP },           0 },
	{ NULL,    "tool.lua",         { "lua", "-e", "bin/tool.lua" },                  1 },
	{ NULL,    "shop",             { "/opt/shop" },                                  1 },
	{ NULL,    "shop?",            { "/opt/shop" },                                  0 },
};
/* clang-format on */

static const row *current;

static void
set_or_unset (const char *name, const char *value)
{
	if (value)
		setenv (name, value, 1);
	else
		unsetenv (name);
}

static void
become_row (void)
{
	set_or_unset ("MONOCLE_ENABLED", current->enabled);
	set_or_unset ("MONOCLE_PROCESS", current->process);
	setenv ("TEST_PROCESS_CHILD", "1", 1);
	execv ("/proc/self/exe", (char *const *) current->words);
	CHECK (!"executed");
}

static void
the_environment_chooses_processes_by_name_and_script (void **state)
{
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		char output[4096];

		current = &rows[i];
		int status = child_run (become_row, output, sizeof output);
		if (!WIFEXITED (status) || WEXITSTATUS (status) != current->chosen)
			fail_msg ("row %zu: status 0x%x, %s", i, (unsigned) status, output);
		if (!current->chosen)
			assert_non_null (strstr (output, current->enabled ? "MONOCLE_ENABLED=" : "MONOCLE_PROCESS="));
		else
			assert_string_equal (output, "");
	}
}

static const row odd = { "maybe", NULL, { "dotnet" }, 1 };

static void
a_word_that_is_neither_yes_nor_no_is_named_and_means_yes (void **state)
{
	char output[4096];

	current = &odd;
	int status = child_run (become_row, output, sizeof output);
	assert_true (WIFEXITED (status));
	assert_int_equal (WEXITSTATUS (status), 1);
	assert_string_equal (output, "monocle: MONOCLE_ENABLED=maybe is neither 0 nor 1; taken as 1\n");
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test (the_environment_chooses_processes_by_name_and_script),
	cmocka_unit_test (a_word_that_is_neither_yes_nor_no_is_named_and_means_yes),
};

/* As a row: the exit code is the answer, the output its reason. */
static int
answer (void)
{
	const char *reason = NULL;
	int enabled = monocle_host_process_enabled (&reason);

	if (reason)
		printf ("%s\n", reason);
	return enabled;
}

int
main (void)
{
	if (getenv ("TEST_PROCESS_CHILD"))
		return answer ();
	return cmocka_run_group_tests (tests, NULL, NULL);
}
