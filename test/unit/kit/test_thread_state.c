/*
 * SPDX-License-Identifier: MIT
 *
 * test_thread_state.c - what a thread did, in words, from what the system said and from its frames.
 */
#include "thread-state.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

/* `names`: innermost first, NULL at the end. */
static const char *
words (uint64_t state, const char *const *names)
{
	enum { MOST = 8 };
	struct monocle__function functions[MOST];
	struct monocle__path frames[MOST];
	struct monocle__label label = { "main", state };
	struct monocle__call_paths paths = { .functions = functions, .paths = frames, .labels = &label };
	uint32_t count = 0;
	for (; names[count]; count++) {
		functions[count] =
		    (struct monocle__function) { .name = names[count], .name_length = (uint32_t) strlen (names[count]) };
		frames[count] =
		    (struct monocle__path) { .parent = names[count + 1] ? count + 1 : UINT32_MAX, .function = count };
	}
	return monocle__thread_state_words (&paths, frames);
}

#define assert_words(expected, state, ...) \
	assert_string_equal (words (MONOCLE_KIT_FRAME_##state, (const char *[]) { __VA_ARGS__, NULL }), expected)

static void
the_method_that_the_program_called_says_what_is_waited_for (void **state)
{
	assert_words ("sleeping", WAITING, "System.Threading.Thread:Sleep (int)", "Shop.Mailer:Run ()");
	assert_words ("waiting for a lock", WAITING, "System.Threading.Monitor:Enter_Slowpath (object)",
	              "System.Threading.Monitor:Enter (object,bool&)", "Shop.Store:Take ()");
	assert_words ("waiting for a lock", WAITING,
	              "(wrapper managed-to-native) object:__icall_wrapper_mono_monitor_enter_v4_internal (object,intptr)",
	              "Shop.Store:Take ()");
	assert_words ("waiting for a pulse", WAITING, "System.Threading.Monitor:Wait (object,int)", "Shop.Store:Take ()");
	assert_words ("waiting for a pulse", WAITING, "System.Threading.WaitHandle:WaitOneNoCheck (int,bool)",
	              "System.Threading.Condition:Wait (int,object)", "Shop.Store:Take ()");
	assert_words ("reading", WAITING,
	              "(wrapper managed-to-native) System.IO.MonoIO:Read (intptr,byte[],int,int,System.IO.MonoIOError&)",
	              "System.IO.FileStream:ReadData ()", "Shop.Store:Load ()");
}

static void
what_a_tool_is_made_of_is_not_what_is_waited_for (void **state)
{
	assert_words ("waiting for an event", WAITING, "System.Threading.Monitor:Wait (object,int)",
	              "System.Threading.ManualResetEventSlim:Wait (int)", "Shop.Store:Take ()");
	assert_words ("waiting for a task", WAITING, "System.Threading.Monitor:Wait (object,int)",
	              "System.Threading.ManualResetEventSlim:Wait (int)",
	              "System.Threading.Tasks.Task:SpinThenBlockingWait (int)", "Shop.Store:Take ()");
	assert_words ("waiting for a lock", WAITING, "System.Threading.Monitor:Enter (object)",
	              "System.Threading.Tasks.Task:InternalWait (int)", "Shop.Store:Take ()");
}

static void
what_is_beyond_the_programs_own_code_says_nothing (void **state)
{
	assert_words ("waiting", WAITING, "Shop.Store:Take ()", "System.Threading.Thread:Sleep (int)");
	assert_words ("waiting", WAITING, "System.Text.Encoding:GetBytes ()", "Shop.Store:Take ()",
	              "System.Threading.Thread:Join ()");
	assert_words ("waiting", WAITING, "(wrapper", "System.Threading.Thread:Join ()");
}

static void
who_runs_waits_for_nothing (void **state)
{
	assert_words ("running", RUNNING, "System.Threading.Monitor:Enter (object)", "Shop.Store:Take ()");
	assert_words ("waiting for the disk", DISK, "Interop/Sys:Read (int)", "Shop.Store:Load ()");
	assert_words ("stopped", STOPPED, "Interop/Sys:Read (int)", "Shop.Store:Load ()");
}

static void
the_runtimes_work_is_the_threads_own (void **state)
{
	assert_words ("collecting", WAITING, "[GC]", "Shop.Store:Load ()");
	assert_words ("collecting", RUNNING, "[GC]");
	assert_words ("compiling", RUNNING, "[JIT]", "Shop.Store:Load ()");
	assert_words ("compiling", RUNNING, "[tiered compilation]");
	assert_words ("waiting", WAITING, "[GC]");
	assert_words ("waiting", WAITING, "[tiered compilation]");
}

static void
only_the_states_are_states (void **state)
{
	assert_true (monocle__thread_state_is_key (MONOCLE_KIT_FRAME_RUNNING));
	assert_true (monocle__thread_state_is_key (MONOCLE_KIT_FRAME_STOPPED));
	assert_false (monocle__thread_state_is_key (MONOCLE_KIT_FRAME_RUNTIME));
	assert_false (monocle__thread_state_is_key (MONOCLE__RESERVED_KEYS));
}

int
main (void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test (the_method_that_the_program_called_says_what_is_waited_for),
		cmocka_unit_test (what_a_tool_is_made_of_is_not_what_is_waited_for),
		cmocka_unit_test (what_is_beyond_the_programs_own_code_says_nothing),
		cmocka_unit_test (who_runs_waits_for_nothing),
		cmocka_unit_test (the_runtimes_work_is_the_threads_own),
		cmocka_unit_test (only_the_states_are_states),
	};
	return cmocka_run_group_tests (tests, NULL, NULL);
}
