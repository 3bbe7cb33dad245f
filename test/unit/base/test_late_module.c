/*
 * SPDX-License-Identifier: MIT
 *
 * Modules that have to be there from the beginning are known by their names, whatever their arguments.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "late-module.h"

static void
what_needs_the_beginning_has_a_reason (void **state)
{
	static const char *const descs[] = { "calls", "calls:callspec=all", "cover", "coverage:x", "aot", "log:report" };
	for (size_t i = 0; i < sizeof descs / sizeof *descs; i++) {
		const char *reason = monocle__late_module_refusal (descs[i], true);
		assert_non_null (reason);
		assert_true (strlen (reason) > 10);
	}
}

static void
calls_come_later_where_methods_get_other_bodies (void **state)
{
	assert_null (monocle__late_module_refusal ("calls:callspec=all", false));
	assert_non_null (monocle__late_module_refusal ("cover", false));
}

static void
others_have_none (void **state)
{
	static const char *const descs[] = {
		"sample", "exceptions:log", "events:only=calls", "callsx", "call", "", ":calls"
	};
	for (size_t i = 0; i < sizeof descs / sizeof *descs; i++)
		assert_null (monocle__late_module_refusal (descs[i], true));
}

int
main (void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test (what_needs_the_beginning_has_a_reason),
		cmocka_unit_test (calls_come_later_where_methods_get_other_bodies),
		cmocka_unit_test (others_have_none),
	};
	return cmocka_run_group_tests (tests, NULL, NULL);
}
