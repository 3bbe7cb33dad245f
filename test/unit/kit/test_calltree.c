/*
 * SPDX-License-Identifier: MIT
 *
 * test_calltree.c - what enter and leave count, on one thread, on many, in signal handlers and in forked children.
 *
 * Time is given. What ticks of the CPU show is in test_ticks.c.
 */
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "given-time.h"
#include "tree.h"

#include <cmocka.h>

#define enter(method) monocle_kit_calls_enter (spool, (void *) (method))
#define leave(method) monocle_kit_calls_leave (spool, (void *) (method))

static char main_[] = "main", a[] = "a", b[] = "b", c[] = "c";

static int
setup (void **state)
{
	given_time_begin ();
	monocle__clock_is_given = true;
	return tree_setup (state);
}

static int
teardown (void **state)
{
	int result = tree_teardown (state);
	given_time_end ();
	return result;
}

static void
paths_are_counted_apart (void **state)
{
	monocle_kit_spool *spool = tree_open (false, false, 0);
	enter (main_);
	for (int i = 0; i < 10; i++) {
		enter (a), enter (c), leave (c), leave (a);
		enter (b), enter (c), leave (c), enter (c), leave (c), leave (b);
	}
	leave (main_);
	assert_int_equal (tree_calls (spool, "main"), 1);
	assert_int_equal (tree_calls (spool, "main;a"), 10);
	assert_int_equal (tree_calls (spool, "main;a;c"), 10);
	assert_int_equal (tree_calls (spool, "main;b;c"), 20);
	assert_int_equal (tree_calls (spool, "c"), 0);
}

static void
recursion_is_a_chain (void **state)
{
	monocle_kit_spool *spool = tree_open (false, false, 0);
	for (int i = 0; i < 3; i++)
		enter (a);
	for (int i = 0; i < 3; i++)
		leave (a);
	assert_int_equal (tree_calls (spool, "a"), 1);
	assert_int_equal (tree_calls (spool, "a;a"), 1);
	assert_int_equal (tree_calls (spool, "a;a;a"), 1);
}

static void
time_is_charged_to_the_method_that_runs (void **state)
{
	monocle_kit_spool *spool = tree_open (true, false, 0);
	enter (a);
	given_time_pass (3000000);
	enter (b);
	given_time_pass (6000000);
	leave (b);
	given_time_pass (1000000);
	leave (a);
	assert_int_equal (tree_self_ns (spool, "a"), 4000000);
	assert_int_equal (tree_self_ns (spool, "a;b"), 6000000);
}

static void
a_call_that_is_still_open_has_its_time (void **state)
{
	monocle_kit_spool *spool = tree_open (true, false, 0);
	enter (a);
	given_time_pass (5000000);
	assert_int_equal (tree_self_ns (spool, "a"), 5000000);
	leave (a);
}

static void
the_heart_beats_once_a_second (void **state)
{
	enum { SECOND = 1000000000 };
	monocle_kit_spool *spool = tree_open (true, false, 0);
	const uint64_t *heartbeat = &spool->header->heartbeat;
	given_time_await (1);
	uint64_t begun = __atomic_load_n (heartbeat, __ATOMIC_RELAXED);
	for (int i = 1; i <= 3; i++) {
		given_time_pass (SECOND - 1);
		assert_int_equal (given_time_await (1), 1);
		assert_int_equal (__atomic_load_n (heartbeat, __ATOMIC_RELAXED), begun + (uint64_t) (i - 1) * SECOND);
		given_time_pass (1);
		assert_int_equal (given_time_await (1), SECOND);
		assert_int_equal (__atomic_load_n (heartbeat, __ATOMIC_RELAXED), begun + (uint64_t) i * SECOND);
	}
}

/* Threads begin late here, so that readings of two threads, or of the process, are told apart. */
static void *
use_in_a_thread (void *spool)
{
	pid_t thread = gettid ();
	given_time_use (thread, 1000000);
	enter (a);
	given_time_use (thread, 3000000);
	enter (b);
	given_time_pass (20000000);
	leave (b);
	leave (a);
	enter (c); /* It does not leave, and ends with the thread. */
	given_time_use (thread, 2000000);
	monocle_kit_calls_thread_end (spool);
	given_time_use (thread, 1000000);
	return NULL;
}

static void
cpu_time_is_the_threads_own_and_without_waits (void **state)
{
	monocle_kit_spool *spool = tree_open_cpu ();
	pthread_t thread;
	enter (main_);
	assert_int_equal (pthread_create (&thread, NULL, use_in_a_thread, spool), 0);
	assert_int_equal (pthread_join (thread, NULL), 0);
	assert_int_equal (tree_calls (spool, "a;b"), 1);
	assert_int_equal (tree_self_ns (spool, "a"), 3000000);
	assert_int_equal (tree_self_ns (spool, "a;b"), 0);
	assert_int_equal (tree_self_ns (spool, "c"), 2000000);
	assert_int_equal (tree_self_ns (spool, "main"), 0); /* Nothing was told since it began. */
	leave (main_);
	assert_int_equal (monocle_kit_spool_close (spool), 0);
}

static void
calls_below_the_limit_fold_under_it (void **state)
{
	monocle_kit_spool *spool = tree_open (true, false, 2);
	enter (main_), enter (a);
	for (int i = 0; i < 4; i++) {
		enter (b), enter (c), enter (b);
		given_time_pass (500000);
		leave (b), leave (c), leave (b);
	}
	leave (a);
	enter (b), leave (b);
	leave (main_);
	assert_int_equal (tree_calls (spool, "main;a;b"), 8);
	assert_int_equal (tree_calls (spool, "main;a;c"), 4);
	assert_int_equal (tree_calls (spool, "main;a;b;c"), 0);
	assert_int_equal (tree_calls (spool, "main;b"), 1);
	assert_int_equal (tree_self_ns (spool, "main;a;b"), 2000000);
	assert_int_equal (tree_loss (spool, MONOCLE__LOSS_UNBALANCED), 0);
}

static void
a_million_open_calls_are_counted (void **state)
{
	enum { MANY = 1000000 };
	monocle_kit_spool *spool = tree_open (false, false, 3);
	for (int i = 0; i < MANY; i++)
		enter (a);
	for (int i = 0; i < MANY; i++)
		leave (a);
	enter (b), leave (b);
	assert_int_equal (tree_calls (spool, "a;a;a;a"), MANY - 3);
	assert_int_equal (tree_calls (spool, "b"), 1);
}

static void
calls_deeper_than_the_stack_still_count (void **state)
{
	enum { MANY = 5000000 }; /* more than the stack's four million */
	monocle_kit_spool *spool = tree_open (false, false, 1);
	for (int i = 0; i < MANY; i++)
		enter (a);
	for (int i = 0; i < MANY; i++)
		leave (a);
	enter (b), leave (b);
	assert_int_equal (tree_calls (spool, "a;a"), MANY - 1);
	assert_int_equal (tree_calls (spool, "b"), 1);
	assert_int_equal (tree_loss (spool, MONOCLE__LOSS_SPACE), 0);
}

static void
a_leave_closes_the_calls_above_its_own (void **state)
{
	monocle_kit_spool *spool = tree_open (true, false, 0);
	enter (main_), enter (a), enter (b), enter (c);
	leave (a);
	enter (c), leave (c);
	leave (main_);
	assert_int_equal (tree_calls (spool, "main;c"), 1);
	assert_int_equal (tree_loss (spool, MONOCLE__LOSS_UNBALANCED), 2);
}

static void
a_leave_without_an_enter_is_ignored (void **state)
{
	monocle_kit_spool *spool = tree_open (true, false, 0);
	leave (a);
	enter (main_);
	leave (a);
	enter (b), leave (b);
	leave (main_);
	leave (main_);
	assert_int_equal (tree_calls (spool, "main;b"), 1);
	assert_int_equal (tree_loss (spool, MONOCLE__LOSS_UNMATCHED), 2);
}

static void
errno_is_kept (void **state)
{
	monocle_kit_spool *spool = tree_open (true, false, 0);
	errno = 12345;
	enter (a), leave (a);
	assert_int_equal (errno, 12345);
}

static void
a_method_without_a_name_gives_its_time_to_its_caller (void **state)
{
	static char hidden[] = "@test.exe";
	monocle_kit_spool *spool = tree_open (true, false, 0);
	enter (a), enter (hidden), enter (b), leave (b);
	given_time_pass (2000000);
	leave (hidden), leave (a);
	assert_int_equal (tree_calls (spool, "a;b"), 1);
	assert_int_equal (tree_self_ns (spool, "a"), 2000000);
}

static void
methods_of_one_name_are_one (void **state)
{
	static char first[] = "same@x.dll", second[] = "same@x.dll", other[] = "same@y.dll";
	monocle_kit_spool *spool = tree_open (false, false, 0);
	enter (first), leave (first);
	enter (second), leave (second), enter (second), leave (second);
	enter (other), leave (other);
	struct monocle__spool_view view;
	struct monocle__call_paths paths;
	const char *error;
	assert_int_equal (monocle__spool_view_init (&view, spool->header, spool->allocated, &error), 0);
	assert_int_equal (monocle__call_paths_init (&paths, &view), 0);
	assert_int_equal (paths.function_count, 2);
	assert_int_equal (paths.image_count, 2);
	assert_int_equal (paths.path_count, 2);
	assert_int_equal (paths.paths[0].calls, 3);
	monocle__call_paths_done (&paths);
}

static void
long_names_are_asked_for_again (void **state)
{
	static char name[40001];
	monocle_kit_spool *spool = tree_open (false, false, 0);
	memset (name, 'n', sizeof name - 1);
	enter (name), leave (name);
	name[16384] = '\0';
	assert_int_equal (tree_calls (spool, name), 1);
}

static void
thousands_of_children_are_found_again (void **state)
{
	enum { MANY = 20000 };
	static char names[MANY][8];
	monocle_kit_spool *spool = tree_open (false, false, 0);
	for (int i = 0; i < MANY; i++)
		snprintf (names[i], sizeof names[i], "m%d", i);
	enter (main_);
	for (int round = 0; round < 3; round++)
		for (int i = 0; i < MANY; i++)
			enter (names[i]), leave (names[i]);
	leave (main_);
	assert_int_equal (tree_calls (spool, "main;m0"), 3);
	assert_int_equal (tree_calls (spool, "main;m19999"), 3);
	assert_int_equal (spool->thread_count, 1);
}

/* --- threads ------------------------------------------------------------------------------------------------------ */

struct worker {
	monocle_kit_spool *spool;
	const char *name;
	long calls;
};

static void *
work (void *data)
{
	struct worker *worker = data;
	monocle_kit_spool *spool = worker->spool;
	monocle_kit_calls_thread_name (spool, (uintptr_t) pthread_self (), worker->name);
	enter (main_);
	for (long i = 0; i < worker->calls; i++)
		enter (i % 3 ? a : b), enter (c), leave (c), leave (i % 3 ? a : b);
	leave (main_);
	return NULL;
}

static void
run_workers (monocle_kit_spool *spool, long calls)
{
	pthread_t threads[4];
	struct worker workers[4] = {
		{ spool, "one", calls }, { spool, "two", calls }, { spool, "three", calls }, { spool, NULL, calls }
	};
	for (int i = 0; i < 4; i++)
		assert_int_equal (pthread_create (&threads[i], NULL, work, &workers[i]), 0);
	for (int i = 0; i < 4; i++)
		pthread_join (threads[i], NULL);
}

static void
four_threads_count_exactly (void **state)
{
	monocle_kit_spool *spool = tree_open (true, false, 0);
	run_workers (spool, 30000);
	assert_int_equal (tree_calls (spool, "main"), 4);
	assert_int_equal (tree_calls (spool, "main;a"), 4 * 20000);
	assert_int_equal (tree_calls (spool, "main;b;c"), 4 * 10000);
}

static void
threads_are_kept_apart_by_name (void **state)
{
	monocle_kit_spool *spool = tree_open (true, true, 0);
	run_workers (spool, 300);
	assert_int_equal (tree_calls (spool, "one:main;a"), 200);
	assert_int_equal (tree_calls (spool, "two:main;a"), 200);
	assert_int_equal (tree_calls (spool, "three:main;b"), 100);
}

static void *
one_call (void *data)
{
	monocle_kit_spool *spool = data;
	enter (a), leave (a);
	return NULL;
}

static void
a_thread_takes_over_the_memory_of_one_that_ended (void **state)
{
	monocle_kit_spool *spool = tree_open (true, false, 0);
	pthread_t thread;
	for (int i = 0; i < 200; i++) {
		assert_int_equal (pthread_create (&thread, NULL, one_call, spool), 0);
		pthread_join (thread, NULL);
	}
	assert_int_equal (tree_calls (spool, "a"), 200);
	assert_int_equal (spool->thread_count, 1);
	assert_true (spool->header->extent_count < 8);
}

static void
threads_without_a_name_are_kept_apart_by_number (void **state)
{
	monocle_kit_spool *spool = tree_open (false, true, 0);
	pthread_t thread;
	for (int i = 0; i < 500; i++) {
		assert_int_equal (pthread_create (&thread, NULL, one_call, spool), 0);
		pthread_join (thread, NULL);
	}
	assert_int_equal (tree_calls (spool, "Thread 1:a"), 1);
	assert_int_equal (tree_calls (spool, "Thread 500:a"), 1);
	assert_int_equal (tree_calls (spool, "Thread 501:a"), 0);
}

static void
a_profile_can_be_read_while_threads_write (void **state)
{
	monocle_kit_spool *spool = tree_open (true, false, 0);
	pthread_t thread;
	struct worker worker = { spool, "busy", 300000 };
	assert_int_equal (pthread_create (&thread, NULL, work, &worker), 0);
	uint64_t before = 0;
	for (int i = 0; i < 20; i++) {
		uint64_t calls = tree_calls (spool, "main;a");
		assert_true (calls >= before);
		before = calls;
	}
	pthread_join (thread, NULL);
	assert_int_equal (tree_calls (spool, "main;a"), 200000);
}

static void
close_while_threads_write_leaves_a_profile (void **state)
{
	monocle_kit_spool *spool = tree_open (true, false, 0);
	pthread_t thread;
	struct worker worker = { spool, "busy", 300000 };
	assert_int_equal (pthread_create (&thread, NULL, work, &worker), 0);
	assert_int_equal (monocle_kit_spool_close (spool), 0);
	assert_int_equal (access (tree_file ("p.pb.gz"), R_OK), 0);
	pthread_join (thread, NULL);
	assert_int_not_equal (access (tree_file ("p.pb.gz.spool"), F_OK), 0);
}

/* --- signals ------------------------------------------------------------------------------------------------------ */

static monocle_kit_spool *volatile handler_spool;
static volatile sig_atomic_t handler_runs;

static void
on_signal (int signal)
{
	monocle_kit_spool *spool = handler_spool;
	handler_runs++;
	enter (c), leave (c);
}

static size_t
name_and_raise (void *method, char *buffer, size_t size)
{
	raise (SIGUSR1);
	return tree_name (method, buffer, size);
}

static void
calls_of_a_handler_inside_an_event_are_lost_and_counted (void **state)
{
	monocle_kit_spool *spool = tree_open (false, false, 0);
	struct sigaction action = { .sa_handler = on_signal }, before;
	spool->name_method = name_and_raise;
	handler_spool = spool;
	sigaction (SIGUSR1, &action, &before);
	enter (a), leave (a), enter (a), leave (a);
	sigaction (SIGUSR1, &before, NULL);
	assert_int_equal (tree_calls (spool, "a"), 2);
	assert_int_equal (tree_loss (spool, MONOCLE__LOSS_NESTED), 1);
}

/* --- fork --------------------------------------------------------------------------------------------------------- */

#ifdef __SANITIZE_THREAD__
__attribute__ ((visibility ("default"))) const char *__tsan_default_options (void);

/* The child starts a thread on purpose. */
const char *
__tsan_default_options (void)
{
	return "die_after_fork=0";
}
#endif

static void *
call_in_thread (void *data)
{
	monocle_kit_spool *spool = data;
	enter (b), leave (b);
	return NULL;
}

static void
a_forked_child_writes_nothing (void **state)
{
	monocle_kit_spool *spool = tree_open (true, true, 0);
	enter (main_), enter (a), leave (a);
	pid_t child = fork ();
	if (child == 0) {
		pthread_t thread;
		for (int i = 0; i < 1000; i++)
			enter (a), leave (a), enter (c), leave (c);
		pthread_create (&thread, NULL, call_in_thread, spool);
		pthread_join (thread, NULL);
		monocle_kit_calls_thread_name (spool, (uintptr_t) pthread_self (), "child");
		monocle_kit_calls_thread_end (spool);
		_exit (monocle_kit_spool_close (spool));
	}
	int status;
	assert_int_equal (waitpid (child, &status, 0), child);
	assert_int_equal (status, 0);
	enter (a), leave (a), leave (main_);
	assert_int_equal (access (tree_file ("p.pb.gz"), F_OK), -1);
	assert_int_equal (access (tree_file ("p.pb.gz.spool"), F_OK), 0);
	assert_int_equal (tree_calls (spool, "Thread 1:main;a"), 2);
	assert_int_equal (tree_calls (spool, "Thread 1:main;c"), 0);
	assert_int_equal (spool->thread_count, 1);
}

/* --- after an attach ---------------------------------------------------------------------------------------------- */

static pthread_barrier_t turns;

static void
count_thread (struct monocle__call_thread *thread, void *data)
{
	++*(unsigned *) data;
}

/* Lives longer than a tree, and is in the middle of a call when that goes. */
static void *
call_in_two_trees (void *data)
{
	monocle_kit_spool **spool = data;
	monocle_kit_calls_enter (*spool, main_), monocle_kit_calls_enter (*spool, a);
	for (int i = 0; i < 3; i++) /* the tree is looked at; goes; there is another */
		pthread_barrier_wait (&turns);
	monocle_kit_calls_leave (*spool, a), monocle_kit_calls_leave (*spool, main_);
	monocle_kit_calls_enter (*spool, b), monocle_kit_calls_leave (*spool, b);
	return NULL;
}

static void
a_tree_may_go_before_its_threads_and_another_one_counts_anew (void **state)
{
	monocle_kit_spool *spool = tree_open (false, false, 0);
	pthread_t thread;
	pthread_barrier_init (&turns, NULL, 2);
	pthread_create (&thread, NULL, call_in_two_trees, &spool);
	pthread_barrier_wait (&turns);
	assert_int_equal (tree_calls (spool, "main;a"), 1);
	assert_int_equal (monocle_kit_spool_close (spool), 0);
	monocle_kit_spool_free (spool);
	pthread_barrier_wait (&turns);
	unlink (tree_file ("p.pb.gz"));
	spool = tree_open (false, false, 0);
	assert_non_null (spool);
	enter (b), leave (b);
	pthread_barrier_wait (&turns);
	pthread_join (thread, NULL);
	assert_int_equal (tree_calls (spool, "b"), 2);
	assert_int_equal (tree_calls (spool, "main"), 0);
	assert_int_equal (monocle_kit_spool_close (spool), 0);
}

static void *
end_without_a_tree (void *data)
{
	monocle_kit_spool **spool = data;
	monocle_kit_calls_enter (*spool, a), monocle_kit_calls_leave (*spool, a);
	pthread_barrier_wait (&turns);
	pthread_barrier_wait (&turns);
	return NULL;
}

static void
what_a_thread_held_is_taken_over_when_it_ends_between_two_trees (void **state)
{
	monocle_kit_spool *spool = tree_open (false, false, 0);
	pthread_t thread;
	pthread_barrier_init (&turns, NULL, 2);
	for (int i = 0; i < 20; i++) {
		pthread_create (&thread, NULL, end_without_a_tree, &spool);
		pthread_barrier_wait (&turns);
		monocle_kit_spool_close (spool);
		monocle_kit_spool_free (spool);
		pthread_barrier_wait (&turns);
		pthread_join (thread, NULL);
		unlink (tree_file ("p.pb.gz"));
		spool = tree_open (false, false, 0);
	}
	unsigned threads = 0;
	monocle__call_thread_each (count_thread, &threads);
	assert_int_equal (threads, 1);
}

/* --- no room ------------------------------------------------------------------------------------------------------ */

/* Calls a tree of 40 methods twice while the n-th allocation and all later ones fail. */
static void
run_with_failure (long nth)
{
	static char names[40][8];
	monocle__fail_after = nth;
	monocle_kit_spool *spool = tree_open (true, false, 0);
	for (int round = 0; round < 2; round++) {
		enter (main_);
		for (int i = 0; i < 40; i++) {
			snprintf (names[i], sizeof names[i], "m%d", i);
			enter (names[i]), enter (a), leave (a), leave (names[i]);
		}
		leave (main_);
	}
	if (spool) {
		uint64_t counted = tree_calls (spool, "main;m7"), main_calls = tree_calls (spool, "main");
		uint64_t lost = tree_loss (spool, MONOCLE__LOSS_SPACE) + tree_loss (spool, MONOCLE__LOSS_THREADS) +
		                tree_loss (spool, MONOCLE__LOSS_NAMES);
		assert_true (counted == 2 || lost > 0);
		assert_true (main_calls == 2 || lost > 0);
		monocle__fail_after = 0;
		assert_int_equal (monocle_kit_spool_close (spool), 0);
	}
	monocle__spool_open_reset ();
}

static void
every_failed_allocation_is_survived_and_counted (void **state)
{
	setenv ("MONOCLE_LOG", tree_file ("log"), 1);
	for (long nth = 1; nth < 12; nth++)
		run_with_failure (nth);
	unsetenv ("MONOCLE_LOG");
}

static void
when_the_file_cannot_grow_known_paths_still_count (void **state)
{
	enum { MANY = 60000 };
	static char names[MANY][8];
	monocle_kit_spool *spool = tree_open (false, false, 0);
	enter (main_), enter (a), leave (a);
	monocle__fail_after = 1;
	for (int i = 0; i < MANY; i++) {
		snprintf (names[i], sizeof names[i], "m%d", i);
		enter (names[i]), enter (b), leave (b), leave (names[i]);
	}
	enter (a), leave (a), leave (main_);
	assert_int_equal (tree_calls (spool, "main;a"), 2);
	assert_true (tree_loss (spool, MONOCLE__LOSS_SPACE) > 0);
	assert_int_equal (tree_loss (spool, MONOCLE__LOSS_UNBALANCED), 0);
}

static void
a_stop_ends_the_time_of_open_calls (void **state)
{
	monocle_kit_spool *spool = tree_open (true, false, 0);
	monocle_kit_calls_enter (spool, "open");
	given_time_pass (1000000);
	monocle_kit_spool_stop (spool);
	given_time_pass (5000000);
	assert_int_equal (tree_self_ns (spool, "open"), 1000000);
	monocle_kit_spool_stop (spool);
	monocle_kit_calls_thread_end (spool);
	assert_int_equal (tree_self_ns (spool, "open"), 1000000);
}

/* --- pause -------------------------------------------------------------------------------------------------------- */

static void
while_it_is_paused_nothing_counts_and_no_time_passes (void **state)
{
	monocle_kit_spool *spool = tree_open (true, false, 0);
	enter (a);
	given_time_pass (3000000);
	monocle_kit_calls_pause (spool);
	assert_int_equal (tree_self_ns (spool, "a"), 3000000);
	enter (b), leave (b); /* One that comes too late. */
	given_time_pass (60000000);
	assert_int_equal (tree_calls (spool, "a;b"), 0);
	assert_int_equal (tree_self_ns (spool, "a"), 3000000);
	monocle_kit_calls_resume (spool);
	given_time_pass (3000000);
	assert_int_equal (tree_self_ns (spool, "a"), 3000000);
	leave (a); /* It was open: nobody counts its end. */
	enter (b), leave (b);
	assert_int_equal (tree_calls (spool, "b"), 1);
	assert_int_equal (tree_calls (spool, "a"), 1);
	assert_int_equal (tree_self_ns (spool, "a"), 3000000);
}

static void
what_was_counted_is_forgotten_while_it_is_paused_only (void **state)
{
	monocle_kit_spool *spool = tree_open (true, false, 0);
	for (int i = 0; i < 5; i++)
		enter (a), enter (b), leave (b), leave (a);
	assert_false (monocle_kit_calls_reset (spool));
	assert_int_equal (tree_calls (spool, "a;b"), 5);
	monocle_kit_calls_pause (spool);
	spool->header->realtime_ns = 1; /* the profile began long ago, and begins anew */
	assert_true (monocle_kit_calls_reset (spool));
	assert_true (spool->header->realtime_ns > 1);
	monocle_kit_calls_resume (spool);
	assert_int_equal (tree_calls (spool, "a;b"), 0);
	assert_int_equal (tree_self_ns (spool, "a"), 0);
	enter (a), enter (b), leave (b), leave (a);
	assert_int_equal (tree_calls (spool, "a;b"), 1);
}

struct runner {
	monocle_kit_spool *spool;
	_Atomic bool is_silent, is_over;
	_Atomic int silent; /* threads that know */
	_Atomic uint64_t rounds;
};

/* As a module does it: its callbacks are silent, or count. */
static void *
run_calls (void *data)
{
	struct runner *runner = data;
	while (!runner->is_over) {
		if (runner->is_silent) {
			runner->silent++;
			while (runner->is_silent)
				sched_yield ();
			runner->silent--;
		}
		monocle_kit_calls_enter (runner->spool, (void *) c);
		monocle_kit_calls_leave (runner->spool, (void *) c);
		runner->rounds++;
	}
	return NULL;
}

static void
threads_that_run_are_paused_and_counted_exactly (void **state)
{
	struct runner runner = { .spool = tree_open (true, false, 0) };
	pthread_t threads[4];
	for (int i = 0; i < 4; i++)
		pthread_create (&threads[i], NULL, run_calls, &runner);
	for (int round = 0; round < 5; round++) {
		while (runner.rounds < 1000)
			sched_yield ();
		while (runner.silent)
			sched_yield ();
		runner.is_silent = true;
		while (runner.silent < 4)
			sched_yield ();
		monocle_kit_calls_pause (runner.spool);
		assert_int_equal (tree_calls (runner.spool, "c"), runner.rounds);
		assert_true (monocle_kit_calls_reset (runner.spool));
		runner.rounds = 0;
		monocle_kit_calls_resume (runner.spool);
		runner.is_silent = false;
	}
	runner.is_over = true;
	for (int i = 0; i < 4; i++)
		pthread_join (threads[i], NULL);
	assert_int_equal (tree_calls (runner.spool, "c"), runner.rounds);
}

#define tree_test(name) cmocka_unit_test_setup_teardown (name, setup, teardown)

int
main (void)
{
	const struct CMUnitTest tests[] = {
		tree_test (paths_are_counted_apart),
		tree_test (recursion_is_a_chain),
		tree_test (time_is_charged_to_the_method_that_runs),
		tree_test (a_call_that_is_still_open_has_its_time),
		tree_test (a_stop_ends_the_time_of_open_calls),
		tree_test (the_heart_beats_once_a_second),
		tree_test (cpu_time_is_the_threads_own_and_without_waits),
		tree_test (calls_below_the_limit_fold_under_it),
		tree_test (a_million_open_calls_are_counted),
		tree_test (calls_deeper_than_the_stack_still_count),
		tree_test (a_leave_closes_the_calls_above_its_own),
		tree_test (a_leave_without_an_enter_is_ignored),
		tree_test (errno_is_kept),
		tree_test (a_method_without_a_name_gives_its_time_to_its_caller),
		tree_test (methods_of_one_name_are_one),
		tree_test (long_names_are_asked_for_again),
		tree_test (thousands_of_children_are_found_again),
		tree_test (four_threads_count_exactly),
		tree_test (threads_are_kept_apart_by_name),
		tree_test (a_thread_takes_over_the_memory_of_one_that_ended),
		tree_test (threads_without_a_name_are_kept_apart_by_number),
		tree_test (a_profile_can_be_read_while_threads_write),
		tree_test (close_while_threads_write_leaves_a_profile),
		tree_test (calls_of_a_handler_inside_an_event_are_lost_and_counted),
		tree_test (a_forked_child_writes_nothing),
		tree_test (while_it_is_paused_nothing_counts_and_no_time_passes),
		tree_test (what_was_counted_is_forgotten_while_it_is_paused_only),
		tree_test (threads_that_run_are_paused_and_counted_exactly),
		tree_test (a_tree_may_go_before_its_threads_and_another_one_counts_anew),
		tree_test (what_a_thread_held_is_taken_over_when_it_ends_between_two_trees),
		tree_test (every_failed_allocation_is_survived_and_counted),
		tree_test (when_the_file_cannot_grow_known_paths_still_count),
	};
	return cmocka_run_group_tests (tests, NULL, NULL);
}
