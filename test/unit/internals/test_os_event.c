/*
 * SPDX-License-Identifier: MIT
 *
 * test_os_event.c - an event stays set, and those who wait for it are woken.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <pthread.h>
#include "child.h"
#include "crowd.h"
#include "internals.h"
#include "nanoseconds.h"

static const uint32_t for_ever = UINT32_MAX;

static void
an_event_stays_set (void **state)
{
	MonoOSEvent event;

	mono_os_event_init (&event, 0);
	assert_int_equal (mono_os_event_wait_one (&event, 0, 0), MONO_OS_EVENT_WAIT_RET_TIMEOUT);
	mono_os_event_set (&event);
	for (int i = 0; i < 3; i++)
		assert_int_equal (mono_os_event_wait_one (&event, for_ever, 0), MONO_OS_EVENT_WAIT_RET_SUCCESS_0);
	mono_os_event_destroy (&event);
}

static void
an_event_may_be_set_from_the_beginning (void **state)
{
	MonoOSEvent event;

	mono_os_event_init (&event, 1);
	assert_int_equal (mono_os_event_wait_one (&event, 0, 1), MONO_OS_EVENT_WAIT_RET_SUCCESS_0);
}

static void
a_wait_ends_when_its_time_is_over (void **state)
{
	uint64_t begin = monocle__nanoseconds (CLOCK_MONOTONIC);
	MonoOSEvent event;

	mono_os_event_init (&event, 0);
	assert_int_equal (mono_os_event_wait_one (&event, 30, 0), MONO_OS_EVENT_WAIT_RET_TIMEOUT);
	assert_true (monocle__nanoseconds (CLOCK_MONOTONIC) - begin >= 30 * (MONOCLE__NANOSECONDS_SECOND / 1000));
}

static MonoOSEvent ready[CROWD], go;

/* All wait for the first, which waits for all. */
static void
meet (crowd_member *self)
{
	if (self->number != 0) {
		mono_os_event_set (&ready[self->number]);
		CHECK (mono_os_event_wait_one (&go, for_ever, 0) == 0);
		return;
	}
	for (int i = 1; i < CROWD; i++)
		CHECK (mono_os_event_wait_one (&ready[i], 100000, 0) == 0);
	mono_os_event_set (&go);
}

static void
all_who_wait_are_woken (void **state)
{
	for (int i = 0; i < 50; i++) {
		for (int k = 0; k < CROWD; k++)
			mono_os_event_init (&ready[k], 0);
		mono_os_event_init (&go, 0);
		crowd_run (meet);
	}
}

/* The event is on the stack of the thread that waits, and gone when it is back. */
static void *
set_it (void *event)
{
	mono_os_event_set (event);
	return NULL;
}

static void
set_and_forget (crowd_member *self)
{
	pthread_t setter;
	MonoOSEvent event;

	for (int i = 0; i < 20; i++) {
		mono_os_event_init (&event, 0);
		CHECK (!pthread_create (&setter, NULL, set_it, &event));
		CHECK (mono_os_event_wait_one (&event, for_ever, 0) == 0);
		memset (&event, 0xa5, sizeof event);
		pthread_join (setter, NULL);
	}
}

static void
an_event_may_go_when_the_wait_is_over (void **state)
{
	crowd_run (set_and_forget);
}

int
main (void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test (an_event_stays_set),
		cmocka_unit_test (an_event_may_be_set_from_the_beginning),
		cmocka_unit_test (a_wait_ends_when_its_time_is_over),
		cmocka_unit_test (all_who_wait_are_woken),
		cmocka_unit_test (an_event_may_go_when_the_wait_is_over),
	};
	return cmocka_run_group_tests_name ("internals: event", tests, NULL, NULL);
}
