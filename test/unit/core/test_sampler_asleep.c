/*
 * SPDX-License-Identifier: MIT
 *
 * test_sampler_asleep.c - threads that wait in system calls which a signal would end early, under a scripted host.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
#include <monocle/host.h>
#include "child.h"

enum { LONG_MS = 600000 };

static int
grant (void *host, monocle_feature feature)
{
	return feature == MONOCLE_FEATURE_SAMPLING;
}

static const monocle_host_ops host = {
	.size = sizeof host,
	.api_version = MONOCLE_HOST_API_VERSION,
	.name = "test",
	.enable = grant,
};

/* A thread that waits in `wait` until its pipe is written to. */
typedef struct sleeper {
	int (*wait) (int fd); /* 0, or the errno value that it failed with */
	bool is_hidden;       /* the kernel knows another list of robust locks than glibc's */
	bool is_closed;       /* all signals wait */
	int pipe[2];
	pthread_t thread;
	atomic_int os_id;
	atomic_int result;
} sleeper;

static int
wait_in_poll (int fd)
{
	struct pollfd one = { .fd = fd, .events = POLLIN };
	return poll (&one, 1, LONG_MS) < 0 ? errno : 0;
}

static void
hide (void)
{
	static struct {
		void *next, *offset, *pending;
	} head = { &head, NULL, NULL };
	CHECK (syscall (SYS_set_robust_list, &head, sizeof head) == 0);
}

static void *
sleep_there (void *data)
{
	sleeper *own = data;
	sigset_t all;
	sigfillset (&all);
	if (own->is_hidden)
		hide ();
	if (own->is_closed)
		pthread_sigmask (SIG_SETMASK, &all, NULL);
	monocle_thread_attach ((uintptr_t) pthread_self ());
	atomic_store (&own->os_id, gettid ());
	atomic_store (&own->result, own->wait (own->pipe[0]));
	monocle_thread_detach ((uintptr_t) pthread_self ());
	return NULL;
}

/* "NUMBER (NAME) S ..." once it waits. */
static void
await_sleep (const sleeper *own)
{
	char path[64], text[256] = "";
	const char *end = NULL;
	while (!atomic_load (&own->os_id))
		sched_yield ();
	snprintf (path, sizeof path, "/proc/self/task/%d/stat", atomic_load (&own->os_id));
	while (!end || end[2] != 'S') {
		FILE *file = fopen (path, "r");
		CHECK (file && fgets (text, sizeof text, file));
		fclose (file);
		CHECK ((end = strrchr (text, ')')));
	}
}

static void
lay_down (sleeper *own)
{
	CHECK (pipe (own->pipe) == 0);
	atomic_store (&own->result, -1);
	CHECK (pthread_create (&own->thread, NULL, sleep_there, own) == 0);
	await_sleep (own);
}

/* What its wait came to. */
static int
wake (sleeper *own)
{
	CHECK (write (own->pipe[1], "", 1) == 1);
	CHECK (pthread_join (own->thread, NULL) == 0);
	return atomic_load (&own->result);
}

static uintptr_t
ask (const sleeper *own, uint32_t milliseconds)
{
	const uint64_t os_id = (uint64_t) atomic_load (&own->os_id);
	uintptr_t tid = 1;
	monocle_threads_ask (&os_id, 1, milliseconds, &tid);
	return tid;
}

/* --- which pthread_self () a thread has --------------------------------------------------------------------------- */

CHILD_TEST (a_thread_is_known_and_its_wait_goes_on)
{
	sleeper one = { .wait = wait_in_poll };
	CHECK (monocle_host_init (&host) == MONOCLE_OK);
	lay_down (&one);
	CHECK (ask (&one, LONG_MS) == (uintptr_t) one.thread);
	CHECK (wake (&one) == 0);
}

CHILD_TEST (a_thread_that_blocks_all_signals_is_known)
{
	sleeper one = { .wait = wait_in_poll, .is_closed = true };
	CHECK (monocle_host_init (&host) == MONOCLE_OK);
	lay_down (&one);
	CHECK (ask (&one, 0) == (uintptr_t) one.thread);
	CHECK (wake (&one) == 0);
}

CHILD_TEST (a_thread_that_has_ended_is_not_known)
{
	sleeper one = { .wait = wait_in_poll };
	CHECK (monocle_host_init (&host) == MONOCLE_OK);
	lay_down (&one);
	CHECK (wake (&one) == 0);
	CHECK (ask (&one, LONG_MS) == 0);
}

CHILD_TEST (a_thread_with_another_list_answers_by_itself)
{
	sleeper one = { .wait = wait_in_poll, .is_hidden = true };
	CHECK (monocle_host_init (&host) == MONOCLE_OK);
	lay_down (&one);
	CHECK (ask (&one, LONG_MS) == (uintptr_t) one.thread);
	CHECK (wake (&one) == EINTR);
}

CHILD_TEST (a_thread_with_another_list_that_blocks_all_signals_is_asked_in_vain_and_not_waited_for)
{
	sleeper one = { .wait = wait_in_poll, .is_hidden = true, .is_closed = true };
	CHECK (monocle_host_init (&host) == MONOCLE_OK);
	lay_down (&one);
	CHECK (ask (&one, LONG_MS) == 0);
	CHECK (wake (&one) == 0);
}

int
main (void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test (a_thread_is_known_and_its_wait_goes_on),
		cmocka_unit_test (a_thread_that_blocks_all_signals_is_known),
		cmocka_unit_test (a_thread_that_has_ended_is_not_known),
		cmocka_unit_test (a_thread_with_another_list_answers_by_itself),
		cmocka_unit_test (a_thread_with_another_list_that_blocks_all_signals_is_asked_in_vain_and_not_waited_for),
	};
	return cmocka_run_group_tests (tests, NULL, NULL);
}
