/*
 * SPDX-License-Identifier: MIT
 *
 * test_failures.c - every allocation of the registry and the loader fails once. Linked with the core's objects, so that
 * the linker can put the tests' allocator before libc's.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>
#include <monocle/host.h>
#include "child.h"
#include "failing-memory.h"

CHILD_PRINTS (create_without_memory_answers_null_and_says_so,
              "monocle: out of memory: a profiler handle was not created\n")
{
	failing_memory_allowed = 0;
	CHECK (mono_profiler_create (NULL) == NULL);
	mono_profiler_set_cleanup_callback (NULL, NULL);
}

CHILD_PRINTS (options_without_memory_load_nothing, "monocle: MONOCLE_PROFILE: out of memory in: x y\n")
{
	setenv ("MONOCLE_PROFILE", "x y", 1);
	failing_memory_allowed = 0;
	CHECK (monocle_host_load_from_env () == 0);
}

static void
load_fails (void)
{
	failing_memory_allowed = 0;
	CHECK (monocle_host_load ("nothing") == MONOCLE_E_NO_MEMORY);
	CHECK (monocle_host_load ("nothing") == MONOCLE_E_NOT_FOUND);
}

static void
a_load_without_memory_fails_and_may_be_repeated (void **state)
{
	char output[8192];

	assert_int_equal (child_run (load_fails, output, sizeof output), 0);
	assert_memory_equal (output, "monocle: profiler 'nothing': out of memory\n", 43);
}

/* With the n-th allocation failing, the host is registered all the same, or registration was refused cleanly. */
static void
init_fails (void)
{
	static const monocle_host_ops host = {
		.size = sizeof host,
		.api_version = MONOCLE_HOST_API_VERSION,
		.name = "test",
	};

	setenv ("MONOCLE_MODULE_PATH", "/nowhere", 1);
	for (int n = 0; n < 8; n++) {
		failing_memory_allowed = n;
		int result = monocle_host_init (&host);
		failing_memory_allowed = -1;
		CHECK (result == MONOCLE_OK || result == MONOCLE_E_BUSY);
		CHECK (monocle_host_name () != NULL);
	}
	failing_memory_allowed = 1;
	CHECK (monocle_host_load ("nothing") == MONOCLE_E_NOT_FOUND);
}

static void
registration_survives_any_failing_allocation (void **state)
{
	char output[16384];

	assert_int_equal (child_run (init_fails, output, sizeof output), 0);
	assert_non_null (strstr (output, "monocle: profiler 'nothing' not found"));
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test (create_without_memory_answers_null_and_says_so),
	cmocka_unit_test (options_without_memory_load_nothing),
	cmocka_unit_test (a_load_without_memory_fails_and_may_be_repeated),
	cmocka_unit_test (registration_survives_any_failing_allocation),
};

int
main (void)
{
	return cmocka_run_group_tests (tests, NULL, NULL);
}
