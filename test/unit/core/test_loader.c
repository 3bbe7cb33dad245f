/*
 * SPDX-License-Identifier: MIT
 *
 * test_loader.c - finding and starting modules.
 *
 * This program is not linked with the core: it opens it with RTLD_LOCAL, as CoreCLR opens a profiler, so that every
 * test proves that the core reaches the global scope by itself. CORE_PATH, MODULE_FOLDER and MONO_PATH come from the
 * build.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>
#include <dlfcn.h>
#include <limits.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <monocle/host.h>
#include "child.h"

#define MODULE(name) MODULE_FOLDER "/libmono-profiler-" name ".so"

static char scratch[] = "/tmp/monocle-loader-XXXXXX";

/* The core's functions, as found in the library. */
static struct {
	int (*init) (const monocle_host_ops *ops);
	int (*load) (const char *desc);
	void (*load_as_mono) (const char *desc);
	int (*load_from_env) (void);
	void (*startup_done) (void);
	void (*shutdown) (void);
	void (*raise_runtime_initialized) (void);
} core;

static const monocle_host_ops host = { .size = sizeof host, .api_version = MONOCLE_HOST_API_VERSION, .name = "test" };

static void *
function (void *library, const char *name)
{
	void *address = dlsym (library, name);

	CHECK (address != NULL);
	return address;
}

static void *
open_core (const char *path)
{
	void *library = dlopen (path, RTLD_NOW | RTLD_LOCAL);

	if (!library)
		fprintf (stderr, "%s\n", dlerror ());
	CHECK (library != NULL);
	core.init = (int (*) (const monocle_host_ops *)) function (library, "monocle_host_init");
	core.load = (int (*) (const char *)) function (library, "monocle_host_load");
	core.load_as_mono = (void (*) (const char *)) function (library, "mono_profiler_load");
	core.load_from_env = (int (*) (void)) function (library, "monocle_host_load_from_env");
	core.startup_done = (void (*) (void)) function (library, "monocle_host_startup_done");
	core.shutdown = (void (*) (void)) function (library, "monocle_host_shutdown");
	core.raise_runtime_initialized = (void (*) (void)) function (library, "monocle_raise_runtime_initialized");
	return library;
}

/* There is no host yet. */
static void
embed (void)
{
	setenv ("MONOCLE_MODULE_PATH", MODULE_FOLDER, 1);
	unsetenv ("MONOCLE_STRICT");
	unsetenv ("MONOCLE_LOG");
	open_core (CORE_PATH);
}

static void
begin (void)
{
	embed ();
	CHECK (core.init (&host) == MONOCLE_OK);
}

/* Delivers one event, to prove that what was loaded is connected. */
static void
run (void)
{
	core.startup_done ();
	core.raise_runtime_initialized ();
}

/* Is a file of this name mapped? */
static int
is_mapped (const char *name)
{
	char line[PATH_MAX + 128];
	int found = 0;
	FILE *maps = fopen ("/proc/self/maps", "r");

	CHECK (maps != NULL);
	while (fgets (line, sizeof line, maps))
		found = found || strstr (line, name);
	fclose (maps);
	return found;
}

/* --- modules that load ------------------------------------------------------------------------------------------- */

CHILD_PRINTS (a_module_that_links_nothing_gets_the_whole_description, "plain: init plain:x,y=z:q\nplain: initialized\n")
{
	begin ();
	CHECK (core.load ("plain:x,y=z:q") == MONOCLE_OK);
	run ();
}

CHILD_PRINTS (a_module_finds_our_functions_by_dlsym, "dlsym: initialized\n")
{
	begin ();
	CHECK (core.load ("dlsym") == MONOCLE_OK);
	run ();
}

static void
load_linked (void)
{
	begin ();
	CHECK (core.load ("linked") == MONOCLE_OK);
	CHECK (!is_mapped ("libmonosgen-2.0"));
	run ();
}

static void
a_module_linked_with_mono_brings_no_mono_in (void **state)
{
	if (!HAVE_MONO) {
		print_message ("no libmonosgen-2.0 to link with\n");
		return;
	}
	child_prints (load_linked, "linked: init linked\nlinked: initialized\n");
}

CHILD_PRINTS (a_second_load_of_the_same_name_has_no_effect,
              "plain: init plain\n"
              "monocle: profiler 'plain' is loaded already; 'plain:again' has no effect\n"
              "plain: initialized\n")
{
	begin ();
	CHECK (core.load ("plain") == MONOCLE_OK);
	CHECK (core.load ("plain:again") == MONOCLE_OK);
	run ();
}

CHILD_PRINTS (a_module_may_load_modules_but_not_itself,
              "nest: init nest\n"
              "monocle: profiler 'nest' is loaded already; 'nest:again' has no effect\n"
              "plain: init plain:nested\nplain: initialized\n")
{
	begin ();
	CHECK (core.load ("nest") == MONOCLE_OK);
	run ();
}

CHILD_PRINTS (the_search_begins_in_the_global_scope, "plain: init plain:here\n")
{
	setenv ("MONOCLE_MODULE_PATH", "/nowhere", 1);
	open_core (CORE_PATH);
	CHECK (core.init (&host) == MONOCLE_OK);
	CHECK (dlopen (MODULE ("plain"), RTLD_NOW | RTLD_GLOBAL) != NULL);
	CHECK (core.load ("plain:here") == MONOCLE_OK);
}

/* --- modules that do not ----------------------------------------------------------------------------------------- */

static void
load_needy (void)
{
	begin ();
	CHECK (core.load ("needy") == MONOCLE_E_NOT_FOUND);
	CHECK (core.load ("plain") == MONOCLE_OK);
}

static void
each_missing_function_is_named (void **state)
{
	char output[4096];

	assert_int_equal (child_run (load_needy, output, sizeof output), 0);
	assert_ptr_equal (strstr (output, "monocle: profiler 'needy': " MODULE ("needy") " needs mono_no"), output);
	assert_non_null (strstr (output, "mono_nobody_has_this"));
	assert_non_null (strstr (output, "mono_nor_this"));
	assert_null (strstr (output, "mono_not_even_needed"));
	assert_null (strstr (output, "mono_profiler_create"));
	assert_non_null (strstr (output, ", which Monocle does not have\nplain: init plain\n"));
}

CHILD_PRINTS (a_missing_function_of_others_is_said_in_the_linkers_words,
              "monocle: profiler 'other': " MODULE ("other") ": undefined symbol: somebody_elses_function\n")
{
	begin ();
	CHECK (core.load ("other") == MONOCLE_E_NOT_FOUND);
}

CHILD_PRINTS (
    an_old_module_is_told_the_expected_entry_point,
    "monocle: profiler 'old': " MODULE ("old") " is written for Mono's old profiler API "
                                               "(mono_profiler_startup); mono_profiler_init_old is expected\n")
{
	begin ();
	CHECK (core.load ("old") == MONOCLE_E_NOT_FOUND);
}

CHILD_PRINTS (a_missing_entry_point_is_named,
              "monocle: profiler 'none': " MODULE ("none") " has no entry point mono_profiler_init_none "
                                                           "that is exported\n")
{
	begin ();
	CHECK (core.load ("none") == MONOCLE_E_NOT_FOUND);
}

static void
load_unknown (void)
{
	begin ();
	setenv ("MONOCLE_MODULE_PATH", "/nowhere:" MODULE_FOLDER, 1);
	CHECK (core.load ("unknown:x") == MONOCLE_E_NOT_FOUND);
}

static void
an_unknown_module_says_where_it_was_sought (void **state)
{
	char output[8192];

	assert_int_equal (child_run (load_unknown, output, sizeof output), 0);
	assert_ptr_equal (strstr (output, "monocle: profiler 'unknown' not found: neither libmono-profiler-unknown.so nor "
	                                  "mono-profiler-unknown is in /nowhere " MODULE_FOLDER " "),
	                  output);
	assert_non_null (strstr (output, " or where the dynamic linker looks\n"));
	assert_ptr_equal (strchr (output, '\n'), output + strlen (output) - 1);
}

CHILD_PRINTS (a_path_and_an_empty_name_are_refused,
              "monocle: the profiler '/tmp/plain' is a path; a NAME is expected, and "
              "MONOCLE_MODULE_PATH may say where it is\n"
              "monocle: the profiler ':x' has no name: NAME or NAME:ARGUMENTS is expected\n"
              "monocle: the profiler 'plain,output=/tmp/x:y' has a comma in its name: arguments stand "
              "behind a colon, NAME:KEY=VALUE,KEY\n")
{
	begin ();
	CHECK (core.load ("/tmp/plain") == MONOCLE_E_NOT_FOUND);
	CHECK (core.load (":x") == MONOCLE_E_NOT_FOUND);
	CHECK (core.load ("plain,output=/tmp/x:y") == MONOCLE_E_NOT_FOUND);
}

CHILD_PRINTS (a_name_that_is_too_long_is_refused,
              "monocle: the profiler name 'xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx...' is too long\n")
{
	char name[1000];

	begin ();
	memset (name, 'x', sizeof name - 1);
	name[sizeof name - 1] = '\0';
	CHECK (core.load (name) == MONOCLE_E_NOT_FOUND);
}

/* A module of that name is found before Mono's own, which a machine has or has not. */
static const char *default_name;

static void
load_default (void)
{
	begin ();
	CHECK (core.load (default_name) == MONOCLE_OK);
}

static void
no_name_and_default_mean_monos_log_profiler (void **state)
{
	static const char *const defaults[] = { NULL, "", "default" };
	char output[8192];
	for (int i = 0; i < 3; i++) {
		default_name = defaults[i];
		assert_int_equal (child_run (load_default, output, sizeof output), 0);
		assert_string_equal (output, "log: init log:report\n");
	}
}

CHILD_PRINTS (nothing_is_loaded_after_shutdown,
              "monocle: profiler 'plain': too late, the runtime is not profiled, or has ended\n")
{
	begin ();
	run ();
	core.shutdown ();
	CHECK (core.load ("plain") == MONOCLE_E_REFUSED);
}

static void
load_strictly (void)
{
	begin ();
	setenv ("MONOCLE_STRICT", "1", 1);
	CHECK (core.load ("none") == 0);
}

static void
strict_makes_a_failure_fatal (void **state)
{
	char output[4096];
	int status = child_run (load_strictly, output, sizeof output);

	assert_true (WIFEXITED (status));
	assert_int_equal (WEXITSTATUS (status), 1);
	assert_string_equal (output,
	                     "monocle: profiler 'none': " MODULE ("none") " has no entry point mono_profiler_init_none "
	                                                                  "that is exported\n");
}

/* --- places ------------------------------------------------------------------------------------------------------- */

/* A folder below the scratch one, made anew. */
static const char *
folder (const char *name)
{
	static char path[2][PATH_MAX];
	static int next;
	char *result = path[next++ % 2];

	snprintf (result, PATH_MAX, "%s/%d-%s", scratch, (int) getpid (), name);
	CHECK (mkdir (result, 0700) == 0);
	return result;
}

static void
put (const char *directory, const char *name, const char *module)
{
	char path[PATH_MAX];

	snprintf (path, sizeof path, "%s/%s", directory, name);
	CHECK (symlink (module, path) == 0);
}

static void
search_through (const char *first, const char *second)
{
	char path[2 * PATH_MAX + 2];

	begin ();
	snprintf (path, sizeof path, "%s::%s", first, second);
	setenv ("MONOCLE_MODULE_PATH", path, 1);
}

CHILD_PRINTS (the_name_without_prefix_and_suffix_comes_first, "bare: init bare\n")
{
	const char *place = folder ("verbatim");

	put (place, "mono-profiler-bare", MODULE ("bare"));
	put (place, "libmono-profiler-bare.so", MODULE ("none"));
	search_through (place, "/nowhere");
	CHECK (core.load ("bare") == MONOCLE_OK);
}

static void
load_later_place (void)
{
	const char *first = folder ("first"), *second = folder ("second");

	put (first, "mono-profiler-plain", MODULE ("none"));
	put (first, "libmono-profiler-plain.so", MODULE ("old"));
	put (second, "libmono-profiler-plain.so", MODULE ("plain"));
	search_through (first, second);
	CHECK (core.load ("plain") == MONOCLE_OK);
}

static void
a_place_is_left_after_its_first_library_and_the_next_one_is_tried (void **state)
{
	char output[4096];

	assert_int_equal (child_run (load_later_place, output, sizeof output), 0);
	assert_non_null (strstr (output, "-first/mono-profiler-plain has no entry point mono_profiler_init_plain "
	                                 "that is exported; another file was loaded\n"));
	assert_memory_equal (output, "plain: init plain\n", 18);
}

static void
load_garbage (void)
{
	char path[PATH_MAX];
	const char *place = folder ("garbage");

	snprintf (path, sizeof path, "%s/libmono-profiler-plain.so", place);
	FILE *file = fopen (path, "w");
	CHECK (file && fputs ("this is no library", file) >= 0 && fclose (file) == 0);
	search_through (place, MODULE_FOLDER);
	CHECK (core.load ("plain") == MONOCLE_OK);
}

static void
a_file_that_is_no_library_is_passed_over (void **state)
{
	char output[4096];

	assert_int_equal (child_run (load_garbage, output, sizeof output), 0);
	assert_memory_equal (output, "plain: init plain\n", 18);
	assert_non_null (strstr (output, "-garbage/libmono-profiler-plain.so: "));
}

CHILD_PRINTS (a_folder_is_searched_although_its_path_ends_another_one, "bare: init bare\n")
{
	char inner[2 * PATH_MAX], command[3 * PATH_MAX];
	const char *outer = folder ("outer"), *plain = folder ("plain");

	snprintf (inner, sizeof inner, "%s%s", outer, plain);
	snprintf (command, sizeof command, "mkdir -p '%s'", inner);
	CHECK (system (command) == 0);
	put (plain, "libmono-profiler-bare.so", MODULE ("bare"));
	search_through (inner, plain);
	CHECK (core.load ("bare") == MONOCLE_OK);
}

static void
load_from_open_folders (void)
{
	const char *first = folder ("open"), *second = folder ("own");

	put (first, "libmono-profiler-plain.so", MODULE ("none"));
	put (first, "libmono-profiler-none.so", MODULE ("none"));
	put (second, "libmono-profiler-plain.so", MODULE ("plain"));
	CHECK (chmod (first, 0777) == 0);
	search_through (first, second);
	CHECK (core.load ("plain") == MONOCLE_OK);
	CHECK (core.load ("none") == MONOCLE_E_NOT_FOUND);
}

static void
nothing_is_loaded_from_a_folder_that_others_can_write_to (void **state)
{
	char output[4096];

	assert_int_equal (child_run (load_from_open_folders, output, sizeof output), 0);
	assert_memory_equal (output, "plain: init plain\n", 18);
	assert_non_null (strstr (output, "-open/libmono-profiler-plain.so is not loaded: every user can write to /tmp/"));
	assert_non_null (strstr (output, "-open mends that; another file was loaded\nmonocle: profiler 'none': /tmp/"));
	assert_non_null (strstr (output, "-open mends that\n"));
	assert_null (strstr (output, "mono_profiler_init_none"));
}

/* --- before and after the host ------------------------------------------------------------------------------------ */

static int
grant_allocations (void *data, monocle_feature feature)
{
	return feature == MONOCLE_FEATURE_ALLOCATIONS;
}

static const monocle_host_ops granting_host = {
	.size = sizeof granting_host,
	.api_version = MONOCLE_HOST_API_VERSION,
	.name = "test",
	.enable = grant_allocations,
};

CHILD_PRINTS (a_module_that_is_loaded_before_the_host_has_an_init_window,
              "early: init: allocations 1, clauses 1\n"
              "monocle: a module that was loaded early was promised exception clauses, which the host test does not "
              "grant\n"
              "early: initialized: allocations 0, clauses 0\n"
              "early: cleanup\n")
{
	embed ();
	core.load_as_mono ("early");
	CHECK (core.init (&granting_host) == MONOCLE_OK);
	run ();
	core.shutdown ();
}

CHILD_PRINTS (two_early_loads_and_one_in_the_window_are_all_served,
              "plain: init plain:1\n"
              "early: init: allocations 1, clauses 1\n"
              "monocle: profiler 'plain' is loaded already; 'plain:2' has no effect\n"
              "monocle: a module that was loaded early was promised exception clauses, which the host test does not "
              "grant\n"
              "bare: init bare\n"
              "bare: initialized\n"
              "early: initialized: allocations 0, clauses 0\n"
              "plain: initialized\n")
{
	embed ();
	core.load_as_mono ("plain:1");
	core.load_as_mono ("early");
	core.load_as_mono ("plain:2");
	CHECK (core.init (&granting_host) == MONOCLE_OK);
	CHECK (core.load ("bare") == MONOCLE_OK);
	run ();
}

CHILD_PRINTS (a_module_that_is_loaded_after_the_start_is_told_no, "early: init: allocations 0, clauses 0\n"
                                                                  "early: initialized: allocations 0, clauses 0\n")
{
	embed ();
	CHECK (core.init (&granting_host) == MONOCLE_OK);
	core.startup_done ();
	core.load_as_mono ("early");
	core.raise_runtime_initialized ();
}

/* It ends by exit (), as a program does that never came to start its runtime. */
CHILD_PRINTS (without_a_host_a_module_is_started_and_hears_no_more, "early: init: allocations 1, clauses 1\n")
{
	embed ();
	core.load_as_mono ("early");
	core.startup_done ();
	core.raise_runtime_initialized ();
	core.shutdown ();
	exit (0);
}

/* --- the environment ---------------------------------------------------------------------------------------------- */

CHILD_PRINTS (monocle_profile_holds_words_and_precedes_monos_variable,
              "plain: init plain:a b,c d\n"
              "monocle: the profiler 'unknown/x' is a path; a NAME is expected, and "
              "MONOCLE_MODULE_PATH may say where it is\n"
              "bare: init bare\n")
{
	begin ();
	setenv ("MONOCLE_PROFILE", "plain:'a b',c\\ d  unknown/x bare", 1);
	setenv ("MONO_ENV_OPTIONS", "--profile=nest", 1);
	CHECK (core.load_from_env () == 2);
}

CHILD_PRINTS (monos_variable_serves_when_ours_is_unset, "plain: init plain:1\nbare: init bare:x y\n")
{
	begin ();
	unsetenv ("MONOCLE_PROFILE");
	setenv ("MONO_ENV_OPTIONS", "--debug --profile=plain:1 --profiles=bare -O=all '--profile=bare:x y' plain", 1);
	CHECK (core.load_from_env () == 2);
	unsetenv ("MONO_ENV_OPTIONS");
	CHECK (core.load_from_env () == 0);
}

CHILD_PRINTS (later_monos_variable_names_one_module_as_it_is, "bare: init bare\nplain: init plain:a b,'c\n")
{
	begin ();
	unsetenv ("MONOCLE_PROFILE");
	setenv ("MONO_ENV_OPTIONS", "--profile=bare", 1);
	setenv ("MONO_PROFILE", "plain:a b,'c", 1);
	CHECK (core.load_from_env () == 2);
	setenv ("MONOCLE_PROFILE", "", 1); /* which precedes both */
	setenv ("MONO_PROFILE", "dlsym", 1);
	CHECK (core.load_from_env () == 0);
	unsetenv ("MONOCLE_PROFILE");
	unsetenv ("MONO_ENV_OPTIONS");
	setenv ("MONO_PROFILE", "", 1); /* no name, and not Mono's log profiler either */
	CHECK (core.load_from_env () == 0);
}

CHILD_PRINTS (an_open_quote_is_one_line_and_nothing_is_loaded,
              "monocle: MONOCLE_PROFILE: a quote is not closed in: plain 'bare\n")
{
	begin ();
	setenv ("MONOCLE_PROFILE", "plain 'bare", 1);
	CHECK (core.load_from_env () == 0);
	setenv ("MONOCLE_PROFILE", "", 1);
	setenv ("MONO_ENV_OPTIONS", "--profile=plain", 1);
	CHECK (core.load_from_env () == 0);
}

/* --- others in the process ---------------------------------------------------------------------------------------- */

static void
beside_mono (void)
{
	CHECK (dlopen (MONO_PATH, RTLD_NOW | RTLD_LOCAL) != NULL);
	open_core (CORE_PATH);
	CHECK (core.init (&host) == MONOCLE_E_BUSY);
}

static void
a_mono_in_the_process_is_respected (void **state)
{
	char output[4096];

	if (!HAVE_MONO) {
		print_message ("no libmonosgen-2.0\n");
		return;
	}
	assert_int_equal (child_run (beside_mono, output, sizeof output), 0);
	assert_memory_equal (output, "monocle: not profiling: a Mono (", 32);
	assert_non_null (strstr (output, ") is in this process\n"));
}

static const char *
copy_of_core (void)
{
	static char path[PATH_MAX];
	char command[3 * PATH_MAX];

	snprintf (path, sizeof path, "%s/%d-copy.so", scratch, (int) getpid ());
	snprintf (command, sizeof command, "cp '%s' '%s'", CORE_PATH, path);
	CHECK (system (command) == 0);
	return path;
}

static void
second_core (void)
{
	begin ();
	open_core (copy_of_core ());
	CHECK (core.init (&host) == MONOCLE_E_BUSY);
}

static void
a_second_copy_of_the_core_notices_the_first (void **state)
{
	char output[4096];

	assert_int_equal (child_run (second_core, output, sizeof output), 0);
	assert_memory_equal (output, "monocle: not profiling: another copy of this library (", 54);
	assert_non_null (strstr (output, ") serves the host test in this process\n"));
}

static void
second_core_first (void)
{
	CHECK (dlopen (copy_of_core (), RTLD_NOW | RTLD_GLOBAL) != NULL);
	open_core (CORE_PATH);
	CHECK (core.init (&host) == MONOCLE_E_BUSY);
}

static void
a_copy_that_modules_would_find_first_is_noticed (void **state)
{
	char output[4096];

	int status = child_run (second_core_first, output, sizeof output);

	if (status)
		fail_msg ("0x%x: %s", (unsigned) status, output);
	assert_non_null (strstr (output, " come before ours\n"));
}

static int
make_scratch (void **state)
{
	return mkdtemp (scratch) ? 0 : -1;
}

static int
remove_scratch (void **state)
{
	char command[PATH_MAX];

	snprintf (command, sizeof command, "rm -rf '%s'", scratch);
	return system (command);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test (a_module_that_links_nothing_gets_the_whole_description),
	cmocka_unit_test (a_module_finds_our_functions_by_dlsym),
	cmocka_unit_test (a_module_linked_with_mono_brings_no_mono_in),
	cmocka_unit_test (a_second_load_of_the_same_name_has_no_effect),
	cmocka_unit_test (a_module_may_load_modules_but_not_itself),
	cmocka_unit_test (the_search_begins_in_the_global_scope),
	cmocka_unit_test (each_missing_function_is_named),
	cmocka_unit_test (a_missing_function_of_others_is_said_in_the_linkers_words),
	cmocka_unit_test (an_old_module_is_told_the_expected_entry_point),
	cmocka_unit_test (a_missing_entry_point_is_named),
	cmocka_unit_test (an_unknown_module_says_where_it_was_sought),
	cmocka_unit_test (a_path_and_an_empty_name_are_refused),
	cmocka_unit_test (a_name_that_is_too_long_is_refused),
	cmocka_unit_test (no_name_and_default_mean_monos_log_profiler),
	cmocka_unit_test (nothing_is_loaded_after_shutdown),
	cmocka_unit_test (strict_makes_a_failure_fatal),
	cmocka_unit_test (the_name_without_prefix_and_suffix_comes_first),
	cmocka_unit_test (a_place_is_left_after_its_first_library_and_the_next_one_is_tried),
	cmocka_unit_test (a_file_that_is_no_library_is_passed_over),
	cmocka_unit_test (a_folder_is_searched_although_its_path_ends_another_one),
	cmocka_unit_test (nothing_is_loaded_from_a_folder_that_others_can_write_to),
	cmocka_unit_test (a_module_that_is_loaded_before_the_host_has_an_init_window),
	cmocka_unit_test (two_early_loads_and_one_in_the_window_are_all_served),
	cmocka_unit_test (a_module_that_is_loaded_after_the_start_is_told_no),
	cmocka_unit_test (without_a_host_a_module_is_started_and_hears_no_more),
	cmocka_unit_test (monocle_profile_holds_words_and_precedes_monos_variable),
	cmocka_unit_test (monos_variable_serves_when_ours_is_unset),
	cmocka_unit_test (later_monos_variable_names_one_module_as_it_is),
	cmocka_unit_test (an_open_quote_is_one_line_and_nothing_is_loaded),
	cmocka_unit_test (a_mono_in_the_process_is_respected),
	cmocka_unit_test (a_second_copy_of_the_core_notices_the_first),
	cmocka_unit_test (a_copy_that_modules_would_find_first_is_noticed),
};

int
main (void)
{
	return cmocka_run_group_tests (tests, make_scratch, remove_scratch);
}
