/*
 * SPDX-License-Identifier: MIT
 *
 * test_coreclr.c - a program that embeds a runtime names the adapter, and says when it needs the runtime no more.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>
#include <monocle/embed.h>
#include "child.h"

static char trace[16384];

static void
note (const char *text)
{
	strcat (trace, text);
}

static int
note_variable (void *data, const char *name, const char *value)
{
	note (name);
	note (strcmp (value, ADAPTER) == 0 ? "=ADAPTER " : strcmp (value, data) == 0 ? "=DATA " : "=OTHER ");
	return 0;
}

static int
set_one (void *data, const char *name, const char *value)
{
	return ++*(int *) data > 1;
}

static void
clean (void)
{
	static const char *const names[] = { "CORECLR_ENABLE_PROFILING", "CORECLR_PROFILER",
		                                 "CORECLR_PROFILER_PATH",    "CORECLR_PROFILER_PATH_64",
		                                 "DOTNET_ENABLE_PROFILING",  "DOTNET_EnableDiagnostics",
		                                 "DOTNET_PROFILER_PATH" };
	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		unsetenv (names[i]);
}

CHILD_PRINTS (the_adapter_beside_the_library_is_named_in_four_variables, "")
{
	clean ();
	setenv ("CORECLR_PROFILER_PATH_64", "/old/libmonocle-clr.so", 1);
	CHECK (monocle_coreclr_environment (NULL, NULL) == MONOCLE_OK);
	CHECK (monocle_coreclr_environment (NULL, NULL) == MONOCLE_OK); /* what is ours is not foreign */
	CHECK_STRING (getenv ("CORECLR_ENABLE_PROFILING"), "1");
	CHECK_STRING (getenv ("CORECLR_PROFILER"), "{F5E0F6A1-5B3C-4C7E-9D64-6D6F6E6F636C}");
	CHECK_STRING (getenv ("CORECLR_PROFILER_PATH"), ADAPTER);
	CHECK_STRING (getenv ("CORECLR_PROFILER_PATH_64"), ADAPTER);
	CHECK (atol (getenv ("MONOCLE_EMBED_PID")) == (long) getpid ());
}

/* .NET 11 reads it first. */
CHILD_PRINTS (a_newer_name_that_is_there_gets_the_same_value, "")
{
	clean ();
	setenv ("DOTNET_ENABLE_PROFILING", "0", 1);
	setenv ("DOTNET_PROFILER_PATH", "/old/libmonocle-clr.so", 1);
	CHECK (monocle_coreclr_environment (NULL, NULL) == MONOCLE_OK);
	CHECK_STRING (getenv ("DOTNET_ENABLE_PROFILING"), "1");
	CHECK_STRING (getenv ("DOTNET_PROFILER_PATH"), ADAPTER);
	CHECK (!getenv ("DOTNET_PROFILER"));
}

CHILD_PRINTS (a_setter_is_used_instead_of_the_environment, "")
{
	clean ();
	CHECK (monocle_coreclr_environment (note_variable, "1") == MONOCLE_OK);
	CHECK_STRING (trace, "CORECLR_ENABLE_PROFILING=DATA CORECLR_PROFILER=OTHER CORECLR_PROFILER_PATH=ADAPTER "
	                     "CORECLR_PROFILER_PATH_64=ADAPTER MONOCLE_EMBED_PID=OTHER ");
	CHECK (!getenv ("CORECLR_PROFILER"));
}

CHILD_PRINTS (a_setter_that_fails_is_said, "monocle: CORECLR_PROFILER cannot be set; CoreCLR is not profiled\n")
{
	int count = 0;

	clean ();
	CHECK (monocle_coreclr_environment (set_one, &count) == MONOCLE_E_NO_MEMORY && count == 2);
}

CHILD_PRINTS (a_foreign_profiler_stays_and_is_said,
              "monocle: another profiler is in the environment (CORECLR_PROFILER_PATH=/x.so); it stays, and CoreCLR is "
              "not profiled\n")
{
	clean ();
	setenv ("CORECLR_ENABLE_PROFILING", "1", 1);
	setenv ("CORECLR_PROFILER", "{00000000-0000-0000-0000-000000000001}", 1);
	setenv ("CORECLR_PROFILER_PATH", "/x.so", 1);
	CHECK (monocle_coreclr_environment (note_variable, "") == MONOCLE_E_BUSY);
	CHECK_STRING (trace, "");
	setenv ("CORECLR_ENABLE_PROFILING", "0", 1); /* switched off, it is in nobody's way */
	CHECK (monocle_coreclr_environment (NULL, NULL) == MONOCLE_OK);
	CHECK_STRING (getenv ("CORECLR_PROFILER_PATH"), ADAPTER);
}

CHILD_PRINTS (
    diagnostics_that_are_off_are_said,
    "monocle: DOTNET_EnableDiagnostics=0 in the environment keeps CoreCLR from loading any profiler; unset it "
    "to profile\n")
{
	clean ();
	setenv ("DOTNET_EnableDiagnostics", "0", 1);
	CHECK (monocle_coreclr_environment (note_variable, "") == MONOCLE_E_REFUSED);
	CHECK_STRING (trace, "");
}

/* --- the end ------------------------------------------------------------------------------------------------------ */

static void
on_shutdown (MonoProfiler *prof)
{
	note ("shutdown ");
}

static void
on_cleanup (MonoProfiler *prof)
{
	note ("cleanup ");
}

static void
host_end (void *host)
{
	note ("end ");
	monocle_raise_runtime_shutdown_end ();
	monocle_host_shutdown ();
}

CHILD_TEST (the_host_is_told_once_that_the_program_needs_the_runtime_no_more)
{
	const monocle_host_ops host = {
		.size = sizeof host, .api_version = MONOCLE_HOST_API_VERSION, .name = "test", .end = host_end
	};
	MonoProfilerHandle handle = mono_profiler_create (NULL);

	mono_profiler_set_runtime_shutdown_end_callback (handle, on_shutdown);
	mono_profiler_set_cleanup_callback (handle, on_cleanup);
	monocle_runtime_end (); /* there is no host */
	CHECK (monocle_host_init (&host) == MONOCLE_OK);
	monocle_runtime_end (); /* it has not begun */
	CHECK_STRING (trace, "");
	monocle_host_startup_done ();
	monocle_runtime_end ();
	monocle_runtime_end ();
	CHECK_STRING (trace, "end shutdown cleanup ");
}

CHILD_TEST (a_host_that_does_not_wait_for_the_end_is_left_alone)
{
	const monocle_host_ops host = { .size = sizeof host, .api_version = MONOCLE_HOST_API_VERSION, .name = "test" };

	mono_profiler_set_cleanup_callback (mono_profiler_create (NULL), on_cleanup);
	CHECK (monocle_host_init (&host) == MONOCLE_OK);
	monocle_host_startup_done ();
	monocle_runtime_end ();
	CHECK_STRING (trace, "");
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test (the_adapter_beside_the_library_is_named_in_four_variables),
	cmocka_unit_test (a_newer_name_that_is_there_gets_the_same_value),
	cmocka_unit_test (a_setter_is_used_instead_of_the_environment),
	cmocka_unit_test (a_setter_that_fails_is_said),
	cmocka_unit_test (a_foreign_profiler_stays_and_is_said),
	cmocka_unit_test (diagnostics_that_are_off_are_said),
	cmocka_unit_test (the_host_is_told_once_that_the_program_needs_the_runtime_no_more),
	cmocka_unit_test (a_host_that_does_not_wait_for_the_end_is_left_alone),
};

int
main (void)
{
	return cmocka_run_group_tests (tests, NULL, NULL);
}
