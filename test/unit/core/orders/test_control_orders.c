/*
 * SPDX-License-Identifier: MIT
 *
 * test_control_orders.c - the thread of a control session against its end, in every order.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include "control/control-command.h"
#include "control/control-stacks.h"
#include "orders.h"

static atomic_int inside;
static atomic_bool is_over;

/* What takes a while: modules are loaded. */
static const char *
load (const monocle__attach_block *settings)
{
	CHECK (!atomic_load (&is_over));
	atomic_fetch_add (&inside, 1);
	MONOCLE__PAUSE (control_loads);
	atomic_fetch_sub (&inside, 1);
	return NULL;
}

static bool
is_loaded (void)
{
	return true;
}

/* So do stacks, but not for long when the session is over. */
static const char *
stacks (MonocleStacks *asked)
{
	enum { LOOKS = 3 };
	CHECK (!atomic_load (&is_over));
	atomic_fetch_add (&inside, 1);
	for (int i = 0; i < LOOKS && !asked->is_over (); i++)
		MONOCLE__PAUSE (control_looks);
	atomic_fetch_sub (&inside, 1);
	return NULL;
}

static const monocle__control_host host = {
	.runtime = "orders", .load = load, .is_loaded = is_loaded, .stacks = stacks
};

/* Time does not pass. */
int __wrap_pthread_mutex_timedlock (pthread_mutex_t *mutex, const struct timespec *until);

int
__wrap_pthread_mutex_timedlock (pthread_mutex_t *mutex, const struct timespec *until)
{
	return pthread_mutex_lock (mutex);
}

static const monocle__control_request request = { MONOCLE__CONTROL_LOAD, "0 MONOCLE_PROFILE=m" };

static void
begin_and_ask (void)
{
	atomic_store (&is_over, false);
	CHECK (monocle__control_command_begin (&host, UINT64_MAX, UINT64_MAX));
	CHECK (monocle__control_command_post (monocle__control_command_session (), &request));
}

static void
end (void)
{
	monocle__control_command_end ();
	CHECK (atomic_load (&inside) == 0);
	atomic_store (&is_over, true);
	MONOCLE__PAUSE (session_is_over);
}

static void
nothing_is_under_way_when_a_session_has_ended (void **state)
{
	orders_run (&(orders) {
	    .name = "end_against_command",
	    .prepare = begin_and_ask,
	    .threads = { { "host", end }, { "session", .adopts = "control_begins" } },
	    .fresh = true, /* its thread is not waited for at the end */
	    .meets = "control_session_known control_loads control_session_over session_is_over",
	});
}

static const monocle__control_request for_stacks = { MONOCLE__CONTROL_STACKS, "threads /nowhere" };

static void
begin_and_ask_for_stacks (void)
{
	atomic_store (&is_over, false);
	CHECK (monocle__control_command_begin (&host, UINT64_MAX, UINT64_MAX));
	CHECK (monocle__control_command_post (monocle__control_command_session (), &for_stacks));
}

static void
no_stacks_are_taken_when_a_session_has_ended (void **state)
{
	orders_run (&(orders) {
	    .name = "end_against_stacks",
	    .prepare = begin_and_ask_for_stacks,
	    .threads = { { "host", end }, { "session", .adopts = "control_begins" } },
	    .fresh = true,
	    .meets = "control_session_known control_looks control_session_over session_is_over",
	});
}

/* --- the library of stacks ---------------------------------------------------------------------------------------- */

static int
look (const MonocleLook *at, uint32_t milliseconds)
{
	CHECK (!atomic_load (&is_over));
	atomic_fetch_add (&inside, 1);
	MONOCLE__PAUSE (library_looks);
	atomic_fetch_sub (&inside, 1);
	return 0;
}

static void
library_is_there (void)
{
	atomic_store (&is_over, false);
	setenv ("MONOCLE_MODULE_PATH", LIBRARY_FOLDER, 1);
	monocle__control_stacks_begin ();
}

/* It was asked, or was not to be. */
static void
take (void)
{
	static const char *const none[] = { NULL };
	const MonocleStacks wish = { .size = sizeof wish, .look = look };
	const char *error = monocle__control_stacks_take (&wish, none);
	CHECK (!error || !strcmp (error, "it is ending"));
}

/* As who takes modules out of the process. */
static void
hold (void)
{
	monocle__control_stacks_hold (true);
	CHECK (atomic_load (&inside) == 0);
	atomic_store (&is_over, true);
	MONOCLE__PAUSE (library_is_held);
	atomic_store (&is_over, false);
	monocle__control_stacks_hold (false);
}

static void
no_library_is_asked_while_modules_go (void **state)
{
	orders_run (&(orders) {
	    .name = "hold_against_take",
	    .prepare = library_is_there,
	    .threads = { { "takes", take }, { "holds", hold } },
	    .meets = "library_looks library_is_held",
	});
}

/* Its thread may look once more, when the next session has begun: 8 of 360 times a client then waited for ever. */
static void
the_server_of_a_session_that_is_over_takes_no_answer_of_the_next (void **state)
{
	static char text[MONOCLE__CONTROL_ANSWER];
	begin_and_ask ();
	unsigned over = monocle__control_command_session ();
	monocle__control_command_end ();
	begin_and_ask ();
	unsigned now = monocle__control_command_session ();
	assert_int_not_equal (over, now);
	size_t length = 0;
	while (!length) {
		assert_int_equal (monocle__control_command_take (over, text), 0);
		assert_false (monocle__control_command_post (over, &request));
		length = monocle__control_command_take (now, text);
	}
	assert_true (length >= 3);
	assert_memory_equal (text + length - 3, "ok\n", 3);
	assert_int_equal (monocle__control_command_take (now, text), 0);
	monocle__control_command_end ();
}

int
main (void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test (the_server_of_a_session_that_is_over_takes_no_answer_of_the_next),
		cmocka_unit_test (nothing_is_under_way_when_a_session_has_ended),
		cmocka_unit_test (no_stacks_are_taken_when_a_session_has_ended),
		cmocka_unit_test (no_library_is_asked_while_modules_go),
	};
	return cmocka_run_group_tests (tests, NULL, NULL);
}
