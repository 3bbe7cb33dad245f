/*
 * SPDX-License-Identifier: MIT
 *
 * test_short_name.c - what names lose, and in which order, where a line has too little room.
 */
#include "short-name.h"
#include "width.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void
check (const char *name, size_t columns, const char *wanted)
{
	char buffer[512];
	monocle__short_name (name, columns, "..", buffer, sizeof buffer);
	assert_string_equal (buffer, wanted);
}

static void
arguments_go_first_and_the_method_last (void **state)
{
	static const char name[] = "System.Text.Regex<int>.RunMatch<string> (Mode, int)";
	check (name, 0, name);
	check (name, 51, name);
	check (name, 50, "System.Text.Regex<int>.RunMatch<string> (..)");
	check (name, 43, "System.Text.Regex<int>.RunMatch<string>");
	check (name, 38, "Regex<int>.RunMatch<string> (..)");
	check (name, 31, "Regex<int>.RunMatch<string>");
	check (name, 26, "Regex<..>.RunMatch<..>");
	check (name, 21, "RunMatch<..>");
	check (name, 11, "RunMatch");
	check (name, 8, "RunMatch");
	check (name, 7, "Run..ch");
}

static void
each_spelling_is_known (void **state)
{
	check ("System.Text.Regex:Match (string)", 20, "Regex:Match (..)");
	check ("System.Text.Regex/Inner`1<T_REF>:Match ()", 19, "Inner`1<..>:Match");
	check ("System.Private.CoreLib!System.String.Concat(object)", 20, "String.Concat (..)");
	check ("Shop.Orders..ctor (int, string)", 14, "Orders..ctor");
	check ("Shop.Orders..ctor (int, string)", 8, ".ctor");
	check ("Shop.Orders:.ctor (int,string)", 8, ".ctor");
	check ("(wrapper managed-to-native) Interop.Sys.Read (nint, byte*, int)", 20, "Sys.Read (..)");
	check ("Shop.Program.<Main> (string[])", 13, "<Main>");
}

static void
what_tells_a_method_stays_with_it (void **state)
{
	check ("Shop.OrderService.GetAsync (async)", 30, "OrderService.GetAsync (async)");
	check ("Shop.OrderService.GetAsync (async)", 20, "GetAsync (async)");
	check ("Shop.OrderService.GetAsync (async)", 10, "GetAsync");
	check ("Shop.OrderService.Search.lambda2 (Order)", 20, "Search.lambda2");
	check ("Shop.OrderService.Search.lambda (Order)", 15, "Search.lambda");
}

static void
what_is_no_method_loses_its_middle (void **state)
{
	check ("[a library of some name]", 12, "[a li..name]");
	check ("abcdefghijkl", 6, "ab..kl");
	check ("(((((((((", 4, "(..(");
}

/* Anything, at any width: never wider than asked. */
static void
no_name_is_wider_than_asked (void **state)
{
	static const char *const names[] = {
		"(wrapper ",
		"(wrapper x)",
		"<<<<<>>>>",
		"a.b.c.d:e (f (g) h)",
		". (",
		"a<b.c (d",
		"\xe6\x97\xa5\xe6\x9c\xac.\xe8\xaa\x9e (x)",
		"A.<>c__DisplayClass0_0.<Main>b__0 (System.Int32)",
		"::::",
		"a.. (b)",
		"!!!",
		"lambda",
		"x.lambda (y)",
	};
	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		for (size_t columns = 1; columns < 60; columns++) {
			char buffer[128];
			monocle__short_name (names[i], columns, "..", buffer, sizeof buffer);
			assert_true (monocle__utf8_width (buffer) <= columns);
		}
	}
}

int
main (void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test (arguments_go_first_and_the_method_last),
		cmocka_unit_test (each_spelling_is_known),
		cmocka_unit_test (what_tells_a_method_stays_with_it),
		cmocka_unit_test (what_is_no_method_loses_its_middle),
		cmocka_unit_test (no_name_is_wider_than_asked),
	};
	return cmocka_run_group_tests (tests, NULL, NULL);
}
