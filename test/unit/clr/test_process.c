/*
 * SPDX-License-Identifier: MIT
 *
 * test_process.c - which processes the adapter declines. The command line it looks at is the process's own, so each
 * case starts this very program again under the arguments in question and takes the answer from its exit code.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include "process.h"
#include "run-note.h"

enum { MEANT = 10, DECLINED = 11 };

static int
answer (void)
{
	const char *reason = NULL;
	bool meant = monocle__process_is_meant (&reason);
	if (!meant && (!reason || !*reason))
		return 1;
	return meant ? MEANT : DECLINED;
}

static int
run (char *const *words, char *const *environment)
{
	pid_t pid;
	int status;
	assert_int_equal (posix_spawn (&pid, "/proc/self/exe", NULL, NULL, words, environment), 0);
	assert_int_equal (waitpid (pid, &status, 0), pid);
	assert_true (WIFEXITED (status));
	return WEXITSTATUS (status);
}

#define CHILD                 "MONOCLE_TEST_CHILD=1"
#define ASK(environment, ...) run ((char *[]) { __VA_ARGS__, NULL }, (char *[]) { CHILD, environment, NULL })
#define IS_MEANT(...)         assert_int_equal (ASK (NULL, __VA_ARGS__), MEANT)
#define IS_DECLINED(...)      assert_int_equal (ASK (NULL, __VA_ARGS__), DECLINED)

static void
programs_are_meant (void **state)
{
	IS_MEANT ("dotnet", "app.dll");
	IS_MEANT ("dotnet", "./app.exe", "build");
	IS_MEANT ("/usr/bin/dotnet", "exec", "app.dll");
	IS_MEANT ("dotnet", "exec", "--fx-version", "8.0.1", "app.exe", "32");
	IS_MEANT ("dotnet", "--roll-forward", "Major", "app.dll");
	IS_MEANT ("./app", "build");
	IS_MEANT ("/home/me/csc", "file.cs");
}

static void
commands_of_the_sdk_are_declined (void **state)
{
	IS_DECLINED ("dotnet", "build");
	IS_DECLINED ("dotnet", "run", "--", "app.dll");
	IS_DECLINED ("dotnet", "test");
	/* The muxer hands what is not there to the SDK, as a command that it does not know. */
	IS_DECLINED ("dotnet", "missing.dll");
	IS_DECLINED ("dotnet", "--roll-forward", "Major", "app.dll/missing.dll");
	IS_MEANT ("dotnet", "exec", "missing.dll");
	IS_DECLINED ("dotnet", "--info");
	IS_DECLINED ("dotnet");
}

static void
tools_of_the_sdk_are_declined (void **state)
{
	IS_DECLINED ("dotnet", "exec", "/usr/share/dotnet/sdk/10.0.401/Roslyn/bincore/VBCSCompiler.dll", "-pipename:x");
	IS_DECLINED ("dotnet", "/usr/share/dotnet/sdk/10.0.401/MSBuild.dll", "/nologo");
	IS_DECLINED ("/usr/share/dotnet/sdk/10.0.401/Roslyn/bincore/VBCSCompiler", "-pipename:x");
	IS_DECLINED ("dotnet", "vstest.console.dll");
}

static void
test_hosts_are_meant (void **state)
{
	IS_MEANT ("dotnet", "exec", "--runtimeconfig", "t.runtimeconfig.json", "--depsfile", "t.deps.json", "testhost.dll",
	          "--port", "1");
}

static void
all_lifts_the_rule_for_the_sdk (void **state)
{
	assert_int_equal (ASK ("MONOCLE_RUN_ALL=1", "dotnet", "build"), MEANT);
	assert_int_equal (ASK ("MONOCLE_RUN_ALL=0", "dotnet", "build"), DECLINED);
}

static void
the_very_command_of_run_is_meant_when_it_is_a_tool (void **state)
{
	char parent[64], other[64];
	snprintf (parent, sizeof parent, "MONOCLE_RUN_PID=%d", (int) getpid ());
	snprintf (other, sizeof other, "MONOCLE_RUN_PID=%d", (int) getpid () + 1);
	assert_int_equal (ASK (parent, "dotnet", "exec", "/sdk/csc.dll", "a.cs"), MEANT);
	assert_int_equal (ASK (other, "dotnet", "exec", "/sdk/csc.dll", "a.cs"), DECLINED);
	assert_int_equal (ASK (parent, "dotnet", "build"), DECLINED);
}

static void
switching_off_beats_everything (void **state)
{
	char *const words[] = { "dotnet", "app.dll", NULL };
	char *const environment[] = { CHILD, "MONOCLE_RUN_ALL=1", "MONOCLE_ENABLED=0", NULL };
	assert_int_equal (run (words, environment), DECLINED);
}

static void
reports_go_into_the_folder_of_run (void **state)
{
	char folder[] = "/tmp/monocle-test-XXXXXX", path[128], text[64] = "";
	assert_non_null (mkdtemp (folder));
	setenv ("MONOCLE_RUN_DIR", folder, 1);
	monocle__run_note ("loaded", "10.0.1 (CoreCLR)");
	snprintf (path, sizeof path, "%s/%d.loaded", folder, (int) getpid ());
	FILE *file = fopen (path, "r");
	assert_non_null (file);
	assert_non_null (fgets (text, sizeof text, file));
	fclose (file);
	assert_string_equal (text, "10.0.1 (CoreCLR)\n");
	unlink (path);
	rmdir (folder);
	unsetenv ("MONOCLE_RUN_DIR");
	monocle__run_note ("loaded", "nowhere to write is no error");
}

/* Where app.dll and app.exe are. */
static int
enter_folder (void **state)
{
	static char folder[] = "/tmp/monocle-test-XXXXXX";
	if (!mkdtemp (folder) || chdir (folder) != 0)
		return -1;
	*state = folder;
	fclose (fopen ("app.dll", "w"));
	fclose (fopen ("app.exe", "w"));
	return 0;
}

static int
leave_folder (void **state)
{
	unlink ("app.dll");
	unlink ("app.exe");
	return chdir ("/") != 0 ? -1 : rmdir (*state);
}

int
main (void)
{
	if (getenv ("MONOCLE_TEST_CHILD"))
		return answer ();
	const struct CMUnitTest tests[] = {
		cmocka_unit_test (programs_are_meant),
		cmocka_unit_test (commands_of_the_sdk_are_declined),
		cmocka_unit_test (tools_of_the_sdk_are_declined),
		cmocka_unit_test (test_hosts_are_meant),
		cmocka_unit_test (all_lifts_the_rule_for_the_sdk),
		cmocka_unit_test (the_very_command_of_run_is_meant_when_it_is_a_tool),
		cmocka_unit_test (switching_off_beats_everything),
		cmocka_unit_test (reports_go_into_the_folder_of_run),
	};
	return cmocka_run_group_tests (tests, enter_folder, leave_folder);
}
