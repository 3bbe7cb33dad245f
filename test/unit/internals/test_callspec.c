/*
 * SPDX-License-Identifier: MIT
 *
 * test_callspec.c - the log profiler's callspec. What Mono 6.8 answers to the texts was seen by asking its library.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>
#include <monocle/host.h>
#include "internals.h"

/* --- texts -------------------------------------------------------------------------------------------------------- */

typedef struct {
	const char *text;
	int length; /* -1: it is refused */
	const char *error;
	bool is_disabled;
} text_row;

/* clang-format off */
static const text_row rows[] = {
	{ "", 1 }, { "all", 1 }, { "program", 1 }, { "wrapper", 1 }, { "-all", 1 }, { "+all", 1 }, { "-+all", 1 },
	{ "+-all", 1 }, { "all,-program", 2 }, { "all,,program", 2 }, { ",all", 1 }, { "all,", 1 }, { "all,-", 1 },
	{ "-,all", 1 }, { "all,-,program", 2 }, { "-", 0 }, { "+", 0 }, { "+,+", 0 }, { "all-program", 1 },
	{ "M:Foo:Bar", 1 }, { "M:Foo.Bar:Baz", 1 }, { "M::Foo", 1 }, { "T:Foo.Bar", 1 }, { "T:Foo", 1 }, { "T:", 1 },
	{ "T:System.Collections.Generic.List`1", 1 }, { "N:System", 1 }, { "N:", 1 }, { "E:System.Exception", 1 },
	{ "E:all", 1 }, { "Foo.Exe", 1 }, { "Foo_Bar-Baz", 1 }, { "-Foo-Bar", 1 }, { "X:foo", 1 }, { "none", 1 },
	{ "disabled", 0, NULL, true }, { "disabled,all", 1, NULL, true },
	{ "-disabled", -1, "Expecting an expression" },
	{ "--all", -1, "Expecting an expression" },
	{ "M:Foo:Bar(int)", -1, "Syntax error at or around '(int)'" },
	{ "M:FooBar", -1, "Invalid method name: FooBar" },
	{ "M:", -1, "Invalid method name: " },
	{ "M:*:Foo", -1, "Invalid method name: " },
	{ "T:*", -1, "Syntax error at or around '*'" },
	{ "all program", -1, "Syntax error at or around ' program'" },
	{ "- all", -1, "Syntax error at or around ' all'" },
	{ "foo/bar", -1, "Syntax error at or around '/bar'" },
	{ "all;program", -1, "Syntax error at or around ';program'" },
	{ "!", -1, "Syntax error at or around '!'" },
};
/* clang-format on */

static void
texts_are_read_as_mono_reads_them (void **state)
{
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		MonoCallSpec spec = { .length = -5 };
		char *error = NULL;
		print_message ("%s\n", rows[i].text);
		assert_int_equal (mono_callspec_parse (rows[i].text, &spec, &error), rows[i].length >= 0);
		if (rows[i].length >= 0) {
			assert_null (error);
			assert_int_equal (spec.length, rows[i].length);
			assert_int_equal (!spec.enabled, rows[i].is_disabled);
		} else {
			assert_string_equal (error, rows[i].error);
			assert_null (spec.items);
		}
		free (error);
		mono_callspec_cleanup (&spec);
		assert_int_equal (spec.length, 0);
	}
}

/* --- methods ------------------------------------------------------------------------------------------------------ */

enum { TYPEDEF = 0x02000000, METHODDEF = 0x06000000 };

static MonoImage *program, *library;

static int
describe_image (void *host, MonoImage *image, monocle_image_info *ret_info)
{
	ret_info->assembly_name = image == program ? "app" : "lib";
	return 0;
}

static int
describe_class (void *host, MonoClass *klass, monocle_class_info *ret_info)
{
	bool is_second = monocle_class_token (klass) == TYPEDEF + 2;
	ret_info->name = is_second ? "Second" : "First";
	ret_info->name_space = is_second ? "Deep.Space" : "";
	ret_info->element_type = 0x12;
	return 0;
}

static int
describe_method (void *host, MonoMethod *method, monocle_method_info *ret_info)
{
	uint32_t row = monocle_method_token (method) - METHODDEF;
	ret_info->name = row == 1 ? "Run" : "Stop";
	ret_info->klass = monocle_class_def (monocle_method_image (method), TYPEDEF + row);
	return 0;
}

static int
start_host (void **state)
{
	static const monocle_host_ops ops = {
		.size = sizeof ops,
		.api_version = MONOCLE_HOST_API_VERSION,
		.name = "callspec",
		.describe_image = describe_image,
		.describe_class = describe_class,
		.describe_method = describe_method,
	};
	assert_int_equal (monocle_host_init (&ops), 0);
	program = monocle_image_new ("/srv/app.exe", MONOCLE_IMAGE_MAIN, 2, 2, NULL);
	library = monocle_image_new ("/srv/lib.dll", 0, 2, 2, NULL);
	monocle_image_set_assembly_visible (program);
	return !program || !library;
}

/* The four methods as letters: First:Run and Deep.Space.Second:Stop of the program, then of the library; a wrapper. */
static void
chosen (const char *text, char ret_letters[8])
{
	monocle_wrapper_info info = { sizeof info, .wrapper = "dynamic-method", .name = "Made" };
	info.klass = monocle_class_def (library, TYPEDEF + 2);
	MonoMethod *wrapper = monocle_method_wrapper_new (&info);
	MonoMethod *const methods[] = { monocle_method_def (program, METHODDEF + 1),
		                            monocle_method_def (program, METHODDEF + 2),
		                            monocle_method_def (library, METHODDEF + 1),
		                            monocle_method_def (library, METHODDEF + 2), wrapper };
	MonoCallSpec spec;
	char *error = NULL, *letter = ret_letters;
	assert_true (mono_callspec_parse (text, &spec, &error));
	for (size_t i = 0; i < sizeof methods / sizeof *methods; i++)
		if (mono_callspec_eval (methods[i], &spec))
			*letter++ = "aAbBw"[i];
	*letter = '\0';
	mono_callspec_cleanup (&spec);
	monocle_method_wrapper_free (wrapper);
}

static void
the_last_item_that_speaks_of_a_method_decides (void **state)
{
	static const char *const wanted[][2] = {
		{ "", "aAbBw" },
		{ "all", "aAbBw" },
		{ "-all", "" },
		{ "program", "aA" },
		{ "all,-program", "bBw" },
		{ "wrapper", "w" },
		{ "all,-wrapper", "aAbB" },
		{ "lib", "bBw" },
		{ "app,lib,-lib", "aA" },
		{ "T:First", "ab" },
		{ "T:Deep.Space.Second", "ABw" },
		{ "T:Second", "" },
		{ "N:Deep.Space", "ABw" },
		{ "N:Deep", "" },
		{ "M:First:Run", "ab" },
		{ "M:Deep.Space.Second:Stop,-lib", "A" },
		{ "-lib,all", "aAbBw" },
		{ "E:all", "" },
	};
	for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++) {
		char letters[8];
		print_message ("%s\n", wanted[i][0]);
		chosen (wanted[i][0], letters);
		assert_string_equal (letters, wanted[i][1]);
	}
}

int
main (void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test (texts_are_read_as_mono_reads_them),
		cmocka_unit_test (the_last_item_that_speaks_of_a_method_decides),
	};
	return cmocka_run_group_tests (tests, start_host, NULL);
}
