/*
 * SPDX-License-Identifier: MIT
 *
 * test_sample_state.c - what a thread that is hit did: as the system said before, and as its registers say where it was
 * woken meanwhile.
 */
#include <pthread.h>
#include <semaphore.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include "sample.h"

static struct states states;
static atomic_uintptr_t state;        /* what the hit thread says, and one more */
static atomic_bool may_wait, is_bare; /* no registers are shown */
static atomic_int tid;
static int pipes[2];
static sem_t door;

static void
on_signal (int number, siginfo_t *info, void *context)
{
	atomic_store (&state, state_frame (&states, &(struct subject) { 0 }, atomic_load (&is_bare) ? NULL : context) + 1);
}

static void
wait_by_reading (void)
{
	char byte;
	while (read (pipes[0], &byte, 1) != 1)
		;
}

static void
wait_by_sleeping (void)
{
	struct timespec left = { .tv_sec = 3600 };
	while (sem_trywait (&door) && nanosleep (&left, &left))
		;
}

static void
wait_by_a_futex (void)
{
	while (sem_wait (&door))
		;
}

static void *
spin_and_wait (void *wait)
{
	atomic_store (&tid, (int) syscall (SYS_gettid));
	while (!atomic_load (&may_wait))
		;
	((void (*) (void)) wait) ();
	return NULL;
}

static char
letter (void)
{
	char path[64], text[256] = "", *end;
	snprintf (path, sizeof path, "/proc/self/task/%d/stat", atomic_load (&tid));
	FILE *file = fopen (path, "r");
	if (file) {
		text[fread (text, 1, sizeof text - 1, file)] = '\0';
		fclose (file);
	}
	end = strrchr (text, ')');
	return end ? end[2] : '?';
}

static void
await_letter (char wanted)
{
	while (letter () != wanted)
		usleep (1000);
}

static uintptr_t
ask (pthread_t thread)
{
	atomic_store (&state, 0);
	assert_int_equal (pthread_kill (thread, SIGURG), 0);
	while (!atomic_load (&state))
		usleep (100);
	return atomic_load (&state) - 1;
}

static void
look_and_ask (void (*wait) (void), int flags)
{
	struct sigaction action = { .sa_sigaction = on_signal, .sa_flags = SA_SIGINFO | flags };
	pthread_t thread;
	sigaction (SIGURG, &action, NULL);
	atomic_store (&may_wait, false);
	atomic_store (&tid, 0);
	assert_int_equal (pthread_create (&thread, NULL, spin_and_wait, (void *) wait), 0);
	while (!atomic_load (&tid))
		usleep (100);
	await_letter ('R');
	state_look (&states);
	assert_int_equal (ask (thread), MONOCLE_KIT_FRAME_RUNNING);
	atomic_store (&may_wait, true);
	await_letter ('S');
	/* As if it had been woken just before the look. Without registers the system is believed. */
	atomic_store (&is_bare, true);
	assert_int_equal (ask (thread), MONOCLE_KIT_FRAME_RUNNING);
	atomic_store (&is_bare, false);
	await_letter ('S');
	assert_int_equal (ask (thread), MONOCLE_KIT_FRAME_WAITING);
	await_letter ('S');
	state_look (&states);
	assert_int_equal (ask (thread), MONOCLE_KIT_FRAME_WAITING);
	assert_int_equal (write (pipes[1], "x", 1), 1);
	sem_post (&door);
	pthread_kill (thread, SIGURG);
	pthread_join (thread, NULL);
}

static void
threads_that_wait_are_told_from_those_that_run (void **data)
{
	static void (*const waits[]) (void) = { wait_by_reading, wait_by_sleeping, wait_by_a_futex };
	for (size_t i = 0; i < sizeof waits / sizeof *waits; i++)
		for (int restarts = 0; restarts < 2; restarts++) {
			assert_int_equal (pipe (pipes), 0);
			sem_init (&door, 0, 0);
			look_and_ask (waits[i], restarts ? SA_RESTART : 0);
			close (pipes[0]);
			close (pipes[1]);
		}
}

/* A debugger is a process of its own, and parents may not be traced without their leave (Yama). */
static void
debug (pid_t thread, int begun, int over)
{
	char byte;
	int status;
	if (ptrace (PTRACE_SEIZE, thread, NULL, NULL) || ptrace (PTRACE_INTERRUPT, thread, NULL, NULL) ||
	    waitpid (thread, &status, __WALL) != thread)
		_exit (1);
	if (write (begun, "x", 1) != 1 || read (over, &byte, 1) < 0)
		_exit (2);
	_exit (ptrace (PTRACE_DETACH, thread, NULL, NULL) != 0);
}

static void
a_thread_under_a_debugger_is_stopped (void **data)
{
	struct sigaction action = { .sa_sigaction = on_signal, .sa_flags = SA_SIGINFO };
	pthread_t thread;
	int begun[2], over[2], status;
	char byte;
	sigaction (SIGURG, &action, NULL);
	atomic_store (&may_wait, false);
	atomic_store (&tid, 0);
	sem_init (&door, 0, 0);
	assert_int_equal (pipe (begun), 0);
	assert_int_equal (pipe (over), 0);
	assert_int_equal (pthread_create (&thread, NULL, spin_and_wait, (void *) wait_by_a_futex), 0);
	while (!atomic_load (&tid))
		usleep (100);
	prctl (PR_SET_PTRACER, PR_SET_PTRACER_ANY, 0, 0, 0);
	pid_t debugger = fork ();
	if (debugger == 0) {
		close (over[1]); /* whose last end is the debugger's */
		debug (atomic_load (&tid), begun[1], over[0]);
	}
	close (begun[1]);
	if (read (begun[0], &byte, 1) == 1) {
		await_letter ('t');
		state_look (&states);
	}
	close (over[1]);
	assert_int_equal (waitpid (debugger, &status, 0), debugger);
	if (status == 0)
		assert_int_equal (ask (thread), MONOCLE_KIT_FRAME_STOPPED);
	atomic_store (&may_wait, true);
	sem_post (&door);
	pthread_join (thread, NULL);
	close (begun[0]);
	close (over[0]);
	if (WEXITSTATUS (status) == 1)
		skip (); /* nothing may be traced here */
	assert_int_equal (status, 0);
}

static void
who_asks_is_not_asked_about (void **data)
{
	state_look (&states);
	assert_int_equal (state_frame (&states, &(struct subject) { 0 }, NULL), 0);
}

int
main (void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test (threads_that_wait_are_told_from_those_that_run),
		cmocka_unit_test (a_thread_under_a_debugger_is_stopped),
		cmocka_unit_test (who_asks_is_not_asked_about),
	};
	return cmocka_run_group_tests (tests, NULL, NULL);
}
