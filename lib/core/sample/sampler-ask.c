/*
 * SPDX-License-Identifier: MIT
 *
 * sampler-ask.c - which pthread_self () a thread has that was there before us.
 *
 * The system's numbers of threads are public, the addresses by which pthread knows them are each thread's own. So each
 * is sent the sampling signal once, with a mark of its own, and writes the answer into its place of a table. The table
 * is static, since a thread that was not waited for may still answer: by then its place is somebody else's, or
 * nobody's, and it is left alone.
 */
#include "sampler.h"

#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <monocle/host.h>
#include "nanoseconds.h"

static struct {
	_Atomic (pid_t) os_id; /* 0: a free place */
	_Atomic (uintptr_t) tid;
} asked[MONOCLE_THREADS_ASKED];
static const char mark; /* its address tells this question from a sample */

union sigval
monocle__sampler_ask_mark (void)
{
	return (union sigval) { .sival_ptr = (void *) &mark };
}

/* Async-safe. */
void
monocle__sampler_ask_answer (void)
{
	pid_t self = (pid_t) syscall (SYS_gettid);
	for (uint32_t i = 0; i < MONOCLE_THREADS_ASKED && atomic_load (&asked[i].os_id); i++)
		if (atomic_load (&asked[i].os_id) == self)
			atomic_store_explicit (&asked[i].tid, (uintptr_t) pthread_self (), memory_order_release);
}

static bool
is_answered (uint32_t i)
{
	return atomic_load_explicit (&asked[i].tid, memory_order_acquire) != 0;
}

/* A thread that the signal cannot be sent to has ended. */
static void
ask (const uint64_t *os_ids, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++) {
		atomic_store (&asked[i].tid, 0);
		atomic_store (&asked[i].os_id, (pid_t) os_ids[i]);
	}
	for (uint32_t i = 0; i < count; i++)
		if (monocle__sampler_signal_send ((pid_t) os_ids[i], monocle__sampler_ask_mark ()))
			atomic_store (&asked[i].os_id, -1);
}

/* It has ended, or it has the signal blocked. */
static bool
cannot_answer (uint32_t i)
{
	pid_t os_id = atomic_load (&asked[i].os_id);
	return os_id <= 0 || syscall (SYS_tgkill, getpid (), os_id, 0) || monocle__sampler_signal_waits (os_id);
}

static void
await (uint32_t count, uint32_t milliseconds)
{
	enum { PAUSE_NS = 200000 };
	uint64_t end = monocle__nanoseconds (CLOCK_MONOTONIC) + milliseconds * UINT64_C (1000000);
	for (uint32_t i = 0; i < count; i++)
		while (!is_answered (i) && !cannot_answer (i) && monocle__nanoseconds (CLOCK_MONOTONIC) < end)
			nanosleep (&(struct timespec) { 0, PAUSE_NS }, NULL);
}

void
monocle_threads_ask (const uint64_t *os_ids, uint32_t count, uint32_t milliseconds, uintptr_t *ret_tids)
{
	uint32_t most = count < MONOCLE_THREADS_ASKED ? count : MONOCLE_THREADS_ASKED;
	bool can_ask = monocle__sampler_signal_install ();
	if (can_ask) {
		ask (os_ids, most);
		await (most, milliseconds);
	}
	for (uint32_t i = 0; i < count; i++)
		ret_tids[i] = can_ask && i < most ? atomic_load_explicit (&asked[i].tid, memory_order_acquire) : 0;
	for (uint32_t i = 0; i < most; i++)
		atomic_store (&asked[i].os_id, 0);
}
