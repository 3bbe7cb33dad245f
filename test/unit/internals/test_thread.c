/*
 * SPDX-License-Identifier: MIT
 *
 * test_thread.c - records of threads: found, kept as long as their end was not told, given back.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <mono/metadata/threads.h>
#include <monocle/host.h>
#include "internals.h"

typedef struct {
	int small_id;
	uintptr_t tid;
	bool is_managed;
	void *at_first; /* its word, before it was set */
} seen;

static void *
meet (void *data)
{
	seen *s = data;
	s->tid = mono_native_thread_id_get ();
	if (s->is_managed)
		monocle_thread_attach (s->tid);
	assert_ptr_equal (mono_thread_info_current_unchecked (), NULL);
	s->at_first = mono_thread_info_get_tools_data ();
	s->small_id = mono_thread_info_register_small_id ();
	assert_int_equal (mono_thread_info_register_small_id (), s->small_id);
	assert_true (mono_thread_info_set_tools_data (s));
	return NULL;
}

static void
run (seen *s)
{
	pthread_t thread;
	assert_int_equal (pthread_create (&thread, NULL, meet, s), 0);
	assert_int_equal (pthread_join (thread, NULL), 0);
}

static void
a_thread_has_one_record_and_a_word (void **state)
{
	MonoThreadInfo *info = mono_thread_info_attach ();
	int id = mono_thread_info_register_small_id ();
	assert_non_null (info);
	assert_in_range (id, 1, 32767);
	assert_ptr_equal (mono_thread_info_attach (), info);
	assert_ptr_equal (mono_thread_info_current_unchecked (), info);
	assert_null (mono_thread_info_get_tools_data ());
	assert_true (mono_thread_info_set_tools_data (&id));
	assert_ptr_equal (mono_thread_info_get_tools_data (), &id);
	assert_true (mono_thread_info_set_tools_data ((void *) -1));
	assert_null (mono_thread_info_get_tools_data ());
	assert_int_equal (mono_native_thread_id_get (), pthread_self ());
	memset (mono_thread_internal_current (), 0, 216);
}

static void
ids_are_given_back (void **state)
{
	enum { THREADS = 2000, FEW = 8 };
	for (int i = 0; i < THREADS; i++) {
		seen s = { 0 };
		run (&s);
		assert_in_range (s.small_id, 1, FEW);
		assert_null (s.at_first);
	}
}

/* As a runtime that tells the end of a thread on another one, when it comes to it. */
static void
a_record_outlives_its_thread_until_that_was_told (void **state)
{
	seen managed = { .is_managed = true };
	int own = mono_thread_info_register_small_id ();
	run (&managed);
	assert_int_not_equal (managed.small_id, own);
	monocle_thread_stand_for (managed.tid);
	assert_int_equal (mono_native_thread_id_get (), managed.tid);
	assert_int_equal (mono_thread_info_register_small_id (), managed.small_id);
	assert_ptr_equal (mono_thread_info_get_tools_data (), &managed);
	monocle_thread_stand_for (0);
	assert_int_equal (mono_thread_info_register_small_id (), own);
	monocle_thread_detach (managed.tid);
	seen next = { 0 };
	run (&next);
	assert_null (next.at_first);
	assert_int_equal (next.small_id, managed.small_id);
}

/* Whoever has the tid tells the end of the one before, as CoreCLR does it when the runtime itself ends. */
static void *
tell_the_end_of_the_one_before (void *data)
{
	seen *s = data;
	s->tid = mono_native_thread_id_get ();
	s->at_first = mono_thread_info_get_tools_data ();
	s->small_id = mono_thread_info_register_small_id ();
	assert_ptr_equal (mono_thread_info_get_tools_data (), s->at_first);
	assert_true (mono_thread_info_set_tools_data (NULL));
	monocle_thread_detach (s->tid);
	return NULL;
}

static void
a_thread_meets_the_word_of_a_dead_one_with_its_tid (void **state)
{
	enum { TRIES = 100 };
	seen dead = { .is_managed = true }, next = { 0 };
	pthread_t thread;
	run (&dead);
	for (int i = 0; i < TRIES && next.tid != dead.tid; i++) {
		assert_int_equal (pthread_create (&thread, NULL, tell_the_end_of_the_one_before, &next), 0);
		assert_int_equal (pthread_join (thread, NULL), 0);
	}
	assert_int_equal (next.tid, dead.tid);
	assert_ptr_equal (next.at_first, &dead);
	assert_int_equal (next.small_id, dead.small_id);
	run (&next);
	assert_null (next.at_first);
}

static void
a_thread_that_is_nobody_has_no_record (void **state)
{
	monocle_thread_stand_for (1234560);
	assert_null (mono_thread_info_attach ());
	assert_null (mono_thread_info_current_unchecked ());
	assert_null (mono_thread_info_get_tools_data ());
	assert_false (mono_thread_info_set_tools_data (state));
	assert_non_null (mono_hazard_pointer_get ());
	assert_non_null (mono_thread_internal_current ());
	monocle_thread_stand_for (0);
}

static void
hazards_of_all_threads_are_seen (void **state)
{
	int something, other;
	MonoThreadHazardPointers *hazards = mono_hazard_pointer_get ();
	assert_false (monocle__thread_holds (&something));
	hazards->hazards[2] = &something;
	assert_true (monocle__thread_holds (&something));
	assert_false (monocle__thread_holds (&other));
	hazards->hazards[2] = NULL;
	assert_false (monocle__thread_holds (&something));
}

static void *
look_at_signals (void *data)
{
	pthread_sigmask (SIG_SETMASK, NULL, data);
	return NULL;
}

static void
a_helper_gets_no_signal_of_the_program (void **state)
{
	uintptr_t tid = 0;
	sigset_t its, before, after;
	pthread_sigmask (SIG_SETMASK, NULL, &before);
	assert_true (mono_native_thread_create (&tid, (void *) look_at_signals, &its));
	assert_int_equal (pthread_join ((pthread_t) tid, NULL), 0);
	pthread_sigmask (SIG_SETMASK, NULL, &after);
	assert_true (sigismember (&its, SIGPROF) && sigismember (&its, SIGTERM) && sigismember (&its, SIGCHLD));
	assert_int_equal (sigismember (&before, SIGTERM), sigismember (&after, SIGTERM));
}

static void *
be_a_tool (void *data)
{
	mono_thread_info_set_flags (3);
	assert_non_null (mono_thread_current ());
	*(uintptr_t *) data = mono_native_thread_id_get ();
	mono_thread_info_set_flags (0);
	return NULL;
}

/* Else a thread of the program that gets the id later would be taken for a tool, and not be sampled. */
static void
a_tool_is_forgotten_with_its_thread (void **state)
{
	pthread_t thread;
	uintptr_t tid = 0;
	assert_int_equal (pthread_create (&thread, NULL, be_a_tool, &tid), 0);
	assert_int_equal (pthread_join (thread, NULL), 0);
	assert_false (monocle_thread_is_attached (tid));
}

/* The kernel says so of pages that are not there. Another thread may have taken the place: there is none here. */
static bool
is_mapped (void *page)
{
	unsigned char resident;
	return mincore (page, 1, &resident) == 0;
}

static void
pages_are_given_back_whole (void **state)
{
	enum { READ_WRITE = 3, LENGTH = 300000, USUAL = 65536 };
	for (int i = 0; i < 1000; i++) {
		unsigned char *memory = mono_valloc (NULL, LENGTH, READ_WRITE, 0);
		assert_non_null (memory);
		assert_int_equal ((uintptr_t) memory % (unsigned) mono_pagesize (), 0);
		assert_int_equal (memory[0] | memory[LENGTH - 1], 0);
		memset (memory, 1, LENGTH);
		assert_int_equal (mono_vfree (memory, USUAL, 0), 0);
		assert_false (is_mapped (memory + LENGTH / 4096 * 4096));
	}
	assert_null (mono_valloc (NULL, 0, READ_WRITE, 0));
	assert_null (mono_valloc (NULL, SIZE_MAX - 10, READ_WRITE, 0));
	assert_int_equal (mono_vfree (NULL, 10, 0), 0);
}

int
main (void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test (a_thread_has_one_record_and_a_word),
		cmocka_unit_test (ids_are_given_back),
		cmocka_unit_test (a_record_outlives_its_thread_until_that_was_told),
		cmocka_unit_test (a_thread_meets_the_word_of_a_dead_one_with_its_tid),
		cmocka_unit_test (a_thread_that_is_nobody_has_no_record),
		cmocka_unit_test (hazards_of_all_threads_are_seen),
		cmocka_unit_test (a_helper_gets_no_signal_of_the_program),
		cmocka_unit_test (a_tool_is_forgotten_with_its_thread),
		cmocka_unit_test (pages_are_given_back_whole),
	};
	return cmocka_run_group_tests (tests, NULL, NULL);
}
