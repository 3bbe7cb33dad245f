/*
 * SPDX-License-Identifier: MIT
 *
 * test_resumed.c - where an async method goes on, it is not called by the one that it has waited for.
 *
 * Names are as the runtimes and the compilers write them. Each test says what a thread does and all the paths of it.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tree.h"

#include <cmocka.h>

#define BOX(machine) \
	"System.Runtime.CompilerServices.AsyncTaskMethodBuilder`1/AsyncStateMachineBox`1<System.VoidTaskResult, " machine \
	">"
#define ENDS \
	"System.Runtime.CompilerServices.AsyncTaskMethodBuilder`1<int>:SetExistingTaskResult (Task`1<int>)", \
	    "System.Threading.Tasks.Task:RunContinuations (object)"

/* Whom a thread has called, up to NULL, the outermost first; counted at the innermost. */
static void
count (monocle_kit_spool *spool, const char *const *names)
{
	size_t depth = 0;
	for (; names[depth]; depth++)
		monocle_kit_calls_enter (spool, (void *) names[depth]);
	while (depth)
		monocle_kit_calls_leave (spool, (void *) names[--depth]);
}

/* "the outermost > ... > the innermost", without parameters, and of a box only what is called. */
static void
put_path (char *text, size_t size, const struct monocle__call_paths *paths, uint32_t path)
{
	const struct monocle__function *function = &paths->functions[paths->paths[path].function];
	char name[256], *shown = name, *member;
	if (paths->paths[path].parent != UINT32_MAX) {
		put_path (text, size, paths, paths->paths[path].parent);
		strcat (text, " > ");
	}
	snprintf (name, sizeof name, "%.*s", (int) function->name_length, function->name);
	if (!strstr (name, " (async)"))
		*strstr (name, " (") = '\0';
	if (strstr (name, "Box") && (member = strstr (name, ">:")))
		shown = member + 2;
	snprintf (text + strlen (text), size - strlen (text), "%s", shown);
}

static int
compare (const void *a, const void *b)
{
	return strcmp (a, b);
}

/* All paths without children, a line each, in order. */
static void
check_paths (monocle_kit_spool *spool, const char *expected)
{
	enum { PATHS = 16, SIZE = 1024 };
	static char lines[PATHS][SIZE], all[PATHS * SIZE];
	struct monocle__spool_view view;
	struct monocle__call_paths paths;
	const char *error;
	size_t found = 0;
	assert_int_equal (monocle__spool_view_init (&view, spool->header, spool->allocated, &error), 0);
	assert_int_equal (monocle__call_paths_init (&paths, &view), 0);
	for (uint32_t i = 0; i < paths.path_count; i++) {
		bool is_parent = false;
		for (uint32_t k = 0; k < paths.path_count; k++)
			is_parent = is_parent || paths.paths[k].parent == i;
		*lines[found] = '\0';
		if (!is_parent)
			put_path (lines[found++], SIZE, &paths, i);
		assert_true (found < PATHS);
	}
	monocle__call_paths_done (&paths);
	qsort (lines, found, SIZE, compare);
	*all = '\0';
	for (size_t i = 0; i < found; i++)
		strcat (strcat (all, lines[i]), "\n");
	assert_string_equal (all, expected);
}

/* One name of each frame, because a method is known by its address. */
static const char pool[] = "System.Threading.ThreadPoolWorkQueue:Dispatch ()", main_[] = "P:Main ()",
                  of_pool[] = BOX ("P/<Inner>d__0") ":ExecuteFromThreadPool (System.Threading.Thread)",
                  inner_box[] = BOX ("P/<Inner>d__0") ":MoveNext (System.Threading.Thread)",
                  context[] = "System.Threading.ExecutionContext:RunInternal (object)",
                  outer_box[] = BOX ("P/<Outer>d__1") ":MoveNext ()", inner[] = "P:Inner (async)",
                  outer[] = "P:Outer (async)", work[] = "P:Work ()",
                  set[] = "System.Threading.Tasks.TaskCompletionSource`1<int>:SetResult (int)",
                  run[] = "System.Threading.Tasks.Task:RunContinuations (object)",
                  mono_runner[] = "System.Runtime.CompilerServices.AsyncMethodBuilderCore/MoveNextRunner:Run ()",
                  mono_ends[] = "System.Runtime.CompilerServices.AsyncTaskMethodBuilder:SetResult ()",
                  yields[] = "System.Threading.Tasks.Sources.ManualResetValueTaskSourceCore`1<bool>:SetResult (bool)";

static void
who_ends_is_no_caller_of_who_goes_on (void **state)
{
	static const char *const ends[] = { ENDS };
	monocle_kit_spool *spool = tree_open (false, false, 0);
	count (spool, (const char *[]) { pool, of_pool, inner_box, context, inner, ends[0], ends[1], outer_box, context,
	                                 outer, work, NULL });
	check_paths (spool, "System.Threading.ThreadPoolWorkQueue:Dispatch > ExecuteFromThreadPool > MoveNext > "
	                    "System.Threading.ExecutionContext:RunInternal > P:Inner (async) > "
	                    "System.Runtime.CompilerServices.AsyncTaskMethodBuilder`1<int>:SetExistingTaskResult > "
	                    "System.Threading.Tasks.Task:RunContinuations\n"
	                    "System.Threading.ThreadPoolWorkQueue:Dispatch > MoveNext > "
	                    "System.Threading.ExecutionContext:RunInternal > P:Outer (async) > P:Work\n");
}

static void
on_mono_neither (void **state)
{
	monocle_kit_spool *spool = tree_open (false, false, 0);
	count (spool, (const char *[]) { main_, mono_runner, inner, mono_ends, run, mono_runner, outer, work, NULL });
	check_paths (spool, "P:Main > System.Runtime.CompilerServices.AsyncMethodBuilderCore/MoveNextRunner:Run > "
	                    "P:Inner (async) > System.Runtime.CompilerServices.AsyncTaskMethodBuilder:SetResult > "
	                    "System.Threading.Tasks.Task:RunContinuations\n"
	                    "P:Main > System.Runtime.CompilerServices.AsyncMethodBuilderCore/MoveNextRunner:Run > "
	                    "P:Outer (async) > P:Work\n");
}

static void
an_iterator_that_yields_is_none_either (void **state)
{
	monocle_kit_spool *spool = tree_open (false, false, 0);
	count (spool, (const char *[]) { pool, inner_box, inner, yields, outer_box, outer, NULL });
	check_paths (spool, "System.Threading.ThreadPoolWorkQueue:Dispatch > MoveNext > P:Inner (async) > System.Threading"
	                    ".Tasks.Sources.ManualResetValueTaskSourceCore`1<bool>:SetResult\n"
	                    "System.Threading.ThreadPoolWorkQueue:Dispatch > MoveNext > P:Outer (async)\n");
}

static void
a_program_that_sets_a_result_has_called_it (void **state)
{
	monocle_kit_spool *spool = tree_open (false, false, 0);
	count (spool, (const char *[]) { main_, work, set, run, outer_box, outer, NULL });
	check_paths (spool, "P:Main > P:Work > System.Threading.Tasks.TaskCompletionSource`1<int>:SetResult > "
	                    "System.Threading.Tasks.Task:RunContinuations > MoveNext > P:Outer (async)\n");
}

static void
a_loop_that_an_async_method_runs_stays_below_it (void **state)
{
	static const char *const ends[] = { ENDS };
	static const char loop[] = "P:Loop ()", other_box[] = BOX ("P/<Other>d__2") ":MoveNext ()";
	monocle_kit_spool *spool = tree_open (false, false, 0);
	count (spool, (const char *[]) { pool, other_box, "P:Other (async)", loop, inner_box, inner, ends[0], ends[1],
	                                 outer_box, outer, NULL });
	check_paths (spool, "System.Threading.ThreadPoolWorkQueue:Dispatch > MoveNext > P:Other (async) > P:Loop > "
	                    "MoveNext > P:Inner (async) > "
	                    "System.Runtime.CompilerServices.AsyncTaskMethodBuilder`1<int>:SetExistingTaskResult > "
	                    "System.Threading.Tasks.Task:RunContinuations\n"
	                    "System.Threading.ThreadPoolWorkQueue:Dispatch > MoveNext > P:Other (async) > P:Loop > "
	                    "MoveNext > P:Outer (async)\n");
}

/* --- where only the program's own methods are known --------------------------------------------------------------- */

static void
begun_by_its_own_method_it_is_called (void **state)
{
	static const char start_outer[] = "P`1<int>:Outer<int> (int)", outer_code[] = "P`1/<Outer>d__1`1<int>:MoveNext ()",
	                  start_inner[] = "P/<>c:<Main>b__0_3 ()", inner_code[] = "P/<>c/<<Main>b__0_3>d:MoveNext ()",
	                  lines[] = "P/<Lines>d__3:MoveNext ()";
	monocle_kit_spool *spool = tree_open (false, false, 0);
	count (spool, (const char *[]) { main_, start_outer, outer_code, start_inner, inner_code, NULL });
	count (spool, (const char *[]) { inner_code, outer_code, start_inner, inner_code, NULL });
	count (spool, (const char *[]) { inner_code, outer_code, lines, work, NULL });
	check_paths (spool, "P/<>c/<<Main>b__0_3>d:MoveNext\n"
	                    "P:Main > P`1<int>:Outer<int> > P`1/<Outer>d__1`1<int>:MoveNext > P/<>c:<Main>b__0_3 > "
	                    "P/<>c/<<Main>b__0_3>d:MoveNext\n"
	                    "P`1/<Outer>d__1`1<int>:MoveNext > P/<>c:<Main>b__0_3 > P/<>c/<<Main>b__0_3>d:MoveNext\n"
	                    "P`1/<Outer>d__1`1<int>:MoveNext > P/<Lines>d__3:MoveNext > P:Work\n");
}

static void
other_compilers_names_are_known (void **state)
{
	static const char start_basic[] = "P:Fetch ()", basic[] = "P/VB$StateMachine_12_Fetch:MoveNext ()",
	                  mcs[] = "P/<Outer>c__async1:MoveNext ()";
	monocle_kit_spool *spool = tree_open (false, false, 0);
	count (spool, (const char *[]) { main_, start_basic, basic, NULL });
	count (spool, (const char *[]) { mcs, basic, NULL });
	check_paths (spool, "P/<Outer>c__async1:MoveNext\n"
	                    "P/VB$StateMachine_12_Fetch:MoveNext\n"
	                    "P:Main > P:Fetch > P/VB$StateMachine_12_Fetch:MoveNext\n");
}

static void
where_no_method_has_begun_it_nothing_is_known_of_it (void **state)
{
	static const char one[] = "P/<One>d__1:MoveNext ()", two[] = "P/<Two>d__2:MoveNext ()";
	monocle_kit_spool *spool = tree_open (false, false, 0);
	count (spool, (const char *[]) { one, two, NULL });
	check_paths (spool, "P/<One>d__1:MoveNext > P/<Two>d__2:MoveNext\n");
}

static void
a_snapshot_has_the_stack_as_it_is (void **state)
{
	static const char *const ends[] = { ENDS };
	monocle_kit_spool *spool = tree_open (false, false, 0);
	spool->header->flags |= MONOCLE__SPOOL_PIECES;
	count (spool, (const char *[]) { inner_box, inner, ends[0], outer_box, outer, NULL });
	check_paths (spool, "MoveNext > P:Inner (async) > "
	                    "System.Runtime.CompilerServices.AsyncTaskMethodBuilder`1<int>:SetExistingTaskResult > "
	                    "MoveNext > P:Outer (async)\n");
}

int
main (void)
{
#define TEST(name) cmocka_unit_test_setup_teardown (name, tree_setup, tree_teardown)
	const struct CMUnitTest tests[] = {
		TEST (who_ends_is_no_caller_of_who_goes_on),
		TEST (on_mono_neither),
		TEST (an_iterator_that_yields_is_none_either),
		TEST (a_program_that_sets_a_result_has_called_it),
		TEST (a_loop_that_an_async_method_runs_stays_below_it),
		TEST (begun_by_its_own_method_it_is_called),
		TEST (other_compilers_names_are_known),
		TEST (where_no_method_has_begun_it_nothing_is_known_of_it),
		TEST (a_snapshot_has_the_stack_as_it_is),
	};
	return cmocka_run_group_tests_name ("kit resumed", tests, NULL, NULL);
}
