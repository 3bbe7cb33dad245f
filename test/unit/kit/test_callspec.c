/*
 * SPDX-License-Identifier: MIT
 *
 * test_callspec.c - which methods a spec means, and whose image is the program's own.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <limits.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tree.h"

#include <cmocka.h>

static const monocle_kit_callspec_names own = { "app", "My.Space", "Outer/Inner", "Run", false, true };
static const monocle_kit_callspec_names foreign = { "mscorlib", "System", "String", "Concat", false, false };
static const monocle_kit_callspec_names wrapper = { "app", "My.Space", "Outer/Inner", "Run", true, true };

/* "o" if the own method matches, "f" the foreign one, "w" the wrapper. */
static const char *
matches (const char *text)
{
	static char found[4];
	const char *error = NULL;
	monocle_kit_callspec *spec = monocle_kit_callspec_new (text, &error);
	assert_non_null (spec);
	snprintf (found, sizeof found, "%s%s%s", monocle_kit_callspec_match (spec, &own) ? "o" : "",
	          monocle_kit_callspec_match (spec, &foreign) ? "f" : "",
	          monocle_kit_callspec_match (spec, &wrapper) ? "w" : "");
	monocle_kit_callspec_free (spec);
	return found;
}

static void
each_word_means_its_methods (void **state)
{
	assert_string_equal (matches ("all"), "of");
	assert_string_equal (matches ("none"), "");
	assert_string_equal (matches ("program"), "o");
	assert_string_equal (matches ("wrapper"), "w");
	assert_string_equal (matches ("mscorlib"), "f");
	assert_string_equal (matches ("app"), "o");
	assert_string_equal (matches ("N:System"), "f");
	assert_string_equal (matches ("N:My.Space"), "o");
	assert_string_equal (matches ("N:My"), "");
}

static void
types_and_methods_are_named_with_or_without_namespace (void **state)
{
	assert_string_equal (matches ("T:String"), "f");
	assert_string_equal (matches ("T:System.String"), "f");
	assert_string_equal (matches ("T:Other.String"), "");
	assert_string_equal (matches ("T:My.Space.Outer/Inner"), "o");
	assert_string_equal (matches ("T:My.Space.Outer+Inner"), "o");
	assert_string_equal (matches ("T:Outer"), "");
	assert_string_equal (matches ("M:String:Concat"), "f");
	assert_string_equal (matches ("M:System.String::Concat"), "f");
	assert_string_equal (matches ("M:Outer/Inner:Run (int)"), "o");
	assert_string_equal (matches ("M:Outer/Inner:*"), "o");
	assert_string_equal (matches ("M:String:Format"), "");
}

static void
globs_stand_for_parts_of_names (void **state)
{
	assert_string_equal (matches ("ms*"), "f");
	assert_string_equal (matches ("*"), "of");
	assert_string_equal (matches ("a?p"), "o");
	assert_string_equal (matches ("a?"), "");
	assert_string_equal (matches ("N:My.*"), "o");
	assert_string_equal (matches ("N:My*"), "o");
	assert_string_equal (matches ("N:*.Space"), "o");
	assert_string_equal (matches ("N:My.Space.*"), "");
	assert_string_equal (matches ("T:Str*"), "f");
	assert_string_equal (matches ("T:*er/*"), "o");
	assert_string_equal (matches ("T:*er+In??r"), "o");
	assert_string_equal (matches ("M:*:Con*t"), "f");
	assert_string_equal (matches ("M:*:*n*"), "of");
	assert_string_equal (matches ("M:Outer/Inner:?un"), "o");
	assert_string_equal (matches ("M:My.*:Run"), "o");
	assert_string_equal (matches ("all,-T:Str*"), "o");
}

static void
a_glob_with_a_dot_is_compared_with_the_namespace_too (void **state)
{
	assert_string_equal (matches ("T:My.*"), "o");
	assert_string_equal (matches ("T:My*"), "");
	assert_string_equal (matches ("T:*.String"), "f");
	assert_string_equal (matches ("T:System.S*"), "f");
	assert_string_equal (matches ("T:*stem.String"), "f");
	assert_string_equal (matches ("T:.*"), "");
}

static void
the_last_item_that_speaks_decides (void **state)
{
	assert_string_equal (matches ("all,-N:System"), "o");
	assert_string_equal (matches ("all,-mscorlib,M:String:Concat"), "of");
	assert_string_equal (matches ("program,wrapper"), "ow");
	assert_string_equal (matches ("all,none,T:String"), "f");
	assert_string_equal (matches ("program,-all"), "");
	assert_string_equal (matches ("none,-none"), "of");
}

static void
exclusions_alone_exclude_from_the_program (void **state)
{
	assert_string_equal (matches ("-T:Other"), "o");
	assert_string_equal (matches ("-T:Outer/Inner"), "");
}

static int
image (const char *text, const char *assembly, bool is_own)
{
	const char *error;
	monocle_kit_callspec *spec = monocle_kit_callspec_new (text, &error);
	int answer = monocle_kit_callspec_match_image (spec, assembly, is_own);
	monocle_kit_callspec_free (spec);
	return answer;
}

static void
an_image_is_answered_whole_where_it_can_be (void **state)
{
	assert_int_equal (image ("program", "app", true), 1);
	assert_int_equal (image ("program", "mscorlib", false), 0);
	assert_int_equal (image ("all", "mscorlib", false), 1);
	assert_int_equal (image ("all,-mscorlib", "mscorlib", false), 0);
	assert_int_equal (image ("program,T:String", "mscorlib", false), -1);
	assert_int_equal (image ("program,T:String", "app", true), 1);
	assert_int_equal (image ("all,-N:System", "mscorlib", false), -1);
	assert_int_equal (image ("T:String,all", "mscorlib", false), 1);
	assert_int_equal (image ("program,wrapper", "mscorlib", false), 0);
	assert_int_equal (image ("-N:My", "mscorlib", false), 0);
	assert_int_equal (image ("mscor*", "mscorlib", false), 1);
	assert_int_equal (image ("mscor*,-N:*", "mscorlib", false), -1);
}

static void
assert_wrong (const char *text, const char *message)
{
	const char *error = NULL;
	assert_null (monocle_kit_callspec_new (text, &error));
	assert_string_equal (error, message);
}

static void
errors_name_the_item (void **state)
{
	static const char none_of[] = "is none of all, none, program, wrapper, ASSEMBLY, M:Type:Method, "
	                              "N:Namespace, T:Type";
	char message[400], text[400];
	snprintf (message, sizeof message, "\"X:thing\" %s", none_of);
	assert_wrong ("X:thing,all", message);
	assert_wrong ("all,M:NoMethod", "\"M:NoMethod\" names no type and method: M:Type:Method is wanted");
	assert_wrong ("M:Type:", "\"M:Type:\" names no type and method: M:Type:Method is wanted");
	assert_wrong ("-T:", "\"-T:\" names no type: T:Type is wanted");
	assert_wrong ("N:,all", "\"N:\" names no namespace: N:Namespace is wanted");
	assert_wrong ("all,,none", "\"\" is an empty item");
	assert_wrong ("", "\"\" is an empty item");
	assert_wrong ("-", "\"-\" is an empty item");
	assert_wrong ("--T:X", "\"--T:X\" is excluded twice: one - is wanted");
	snprintf (text, sizeof text, "Y:%0300d", 0);
	snprintf (message, sizeof message, "\"%.160s...\" %s", text, none_of);
	assert_wrong (text, message);
}

/* --- own images --------------------------------------------------------------------------------------------------- */

static void
shared_images_are_known_by_their_path (void **state)
{
	assert_false (monocle_kit_image_is_own ("/usr/lib/mono/4.5/mscorlib.dll"));
	assert_false (monocle_kit_image_is_own ("/usr/lib/mono/gac/System/4.0.0.0__b77a5c561934e089/System.dll"));
	assert_false (monocle_kit_image_is_own ("/usr/share/dotnet/shared/Microsoft.NETCore.App/10.0.0/System.Linq.dll"));
	assert_false (
	    monocle_kit_image_is_own ("/home/me/.nuget/packages/newtonsoft.json/13.0.1/lib/net6.0/Newtonsoft.Json.dll"));
	assert_true (monocle_kit_image_is_own ("/home/me/app/app.exe"));
	assert_true (monocle_kit_image_is_own ("/home/me/app/Library.dll"));
	assert_true (monocle_kit_image_is_own ("app.exe"));
}

static void
libraries_beside_a_program_are_known_by_their_name (void **state)
{
	assert_false (monocle_kit_image_is_own ("/home/me/app/System.Text.Json.dll"));
	assert_false (monocle_kit_image_is_own ("/home/me/app/netstandard.dll"));
	assert_false (monocle_kit_image_is_own ("System.Private.CoreLib"));
	assert_true (monocle_kit_image_is_own ("/home/me/app/Systematic.dll"));
	assert_true (monocle_kit_image_is_own ("/home/me/app/System2.dll"));
	assert_false (monocle_kit_image_is_own (""));
	assert_false (monocle_kit_image_is_own (NULL));
}

static void
write_deps (const char *text)
{
	FILE *file = fopen (tree_file ("app.deps.json"), "w");
	assert_non_null (file);
	fputs (text, file);
	fclose (file);
}

static void
write_project_and_package (void)
{
	write_deps (
	    "{ \"runtimeTarget\": { \"name\": \"net\", \"signature\": \"\" }, \"compilationOptions\": {},\n"
	    "  \"targets\": { \"net10.0\": {\n"
	    "    \"app/1.0.0\": { \"dependencies\": { \"Lib\": \"1.0.0\", \"Pack\": \"2.0\" },"
	    " \"runtime\": { \"app.dll\": {} } },\n"
	    "    \"Lib/1.0.0\": { \"runtime\": { \"Microsoft.Ours.dll\": { \"assemblyVersion\": \"1.0\" } } },\n"
	    "    \"Lib.Reference/1.0\": { \"runtime\": { \"Microsoft.Ours.dll\": {} } },\n"
	    "    \"Pack/2.0\": { \"runtime\": { \"lib/net8.0/Pack.dll\": { \"n\": [1, {\"x\": -1.5e3}, true, null] } } }\n"
	    "  } },\n"
	    "  \"libraries\": {\n"
	    "    \"app/1.0.0\": { \"type\": \"project\", \"serviceable\": false, \"sha512\": \"\" },\n"
	    "    \"Lib/1.0.0\": { \"serviceable\": false, \"type\": \"project\" },\n"
	    "    \"Lib.Reference/1.0\": { \"type\": \"reference\" },\n"
	    "    \"Pack/2.0\": { \"type\": \"package\", \"serviceable\": true, \"path\": \"pack/2.0\" }\n"
	    "  } }\n");
}

static void
a_deps_file_tells_projects_from_packages (void **state)
{
	write_project_and_package ();
	assert_true (monocle_kit_image_is_own (tree_file ("app.dll")));
	assert_true (monocle_kit_image_is_own (tree_file ("Microsoft.Ours.dll")));
	assert_false (monocle_kit_image_is_own (tree_file ("Pack.dll")));
	assert_true (monocle_kit_image_is_own (tree_file ("Plugin.dll")));
}

/* As the host of `dotnet test`: what is tested is own, the host and the runner are not. How many answers are wrong. */
static int
play_test_host (const char *folder)
{
	static const struct {
		const char *file;
		bool is_own;
	} images[] = { { "app.dll", true },
		           { "Microsoft.Ours.dll", true },
		           { "testhost.dll", false },
		           { "runner.testadapter.dll", false },
		           { "Pack.dll", false } };
	int wrong = 0;
	for (size_t i = 0; i < sizeof images / sizeof *images; i++) {
		char path[PATH_MAX];
		snprintf (path, sizeof path, "%s/%s", folder, images[i].file);
		wrong += monocle_kit_image_is_own (path) != images[i].is_own;
	}
	return wrong;
}

static void
the_host_of_tests_and_its_runner_are_not_the_program (void **state)
{
	char host[PATH_MAX], folder[PATH_MAX];
	int status = -1;
	write_project_and_package ();
	snprintf (host, sizeof host, "%s", tree_file ("testhost.dll"));
	snprintf (folder, sizeof folder, "%s", tree_file (""));
	folder[strlen (folder) - 1] = '\0';
	fclose (fopen (host, "w"));
	pid_t child = fork ();
	if (child == 0) {
		execl ("/proc/self/exe", "dotnet", "exec", host, "--play-test-host", folder, NULL);
		_exit (127);
	}
	assert_int_equal (waitpid (child, &status, 0), child);
	assert_int_equal (status, 0);
}

static void
a_damaged_deps_file_is_survived (void **state)
{
	static const char *const texts[] = { "",
		                                 "{",
		                                 "{\"targets\":",
		                                 "{\"targets\":{\"a\":{\"b\":[[[[",
		                                 "{\"libraries\":{\"a\"",
		                                 "[]",
		                                 "{\"targets\":{\"n\":{\"P/1\":{\"runtime\":{\"lib/P.dll\":\"\\" };
	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
		tree_setup (NULL);
		write_deps (texts[i]);
		assert_true (monocle_kit_image_is_own (tree_file ("app.dll")));
		tree_teardown (NULL);
	}
}

#define tree_test(name) cmocka_unit_test_setup_teardown (name, tree_setup, tree_teardown)

int
main (int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test (each_word_means_its_methods),
		cmocka_unit_test (types_and_methods_are_named_with_or_without_namespace),
		cmocka_unit_test (globs_stand_for_parts_of_names),
		cmocka_unit_test (a_glob_with_a_dot_is_compared_with_the_namespace_too),
		cmocka_unit_test (the_last_item_that_speaks_decides),
		cmocka_unit_test (exclusions_alone_exclude_from_the_program),
		cmocka_unit_test (an_image_is_answered_whole_where_it_can_be),
		cmocka_unit_test (errors_name_the_item),
		cmocka_unit_test (shared_images_are_known_by_their_path),
		cmocka_unit_test (libraries_beside_a_program_are_known_by_their_name),
		tree_test (a_deps_file_tells_projects_from_packages),
		tree_test (the_host_of_tests_and_its_runner_are_not_the_program),
		cmocka_unit_test (a_damaged_deps_file_is_survived),
	};
	if (argc == 5 && strcmp (argv[3], "--play-test-host") == 0)
		return play_test_host (argv[4]);
	return cmocka_run_group_tests (tests, NULL, NULL);
}
