/*
 * SPDX-License-Identifier: MIT
 *
 * sampler-ask.c - which pthread_self () a thread has that was there before us.
 *
 * The system's numbers of threads are public, the addresses by which pthread knows them are each thread's own. But
 * glibc gives the kernel an address inside the same structure, the head of the list of robust locks, and the kernel
 * tells that of any thread: so no thread is disturbed.
 *
 * Where a thread has no such list, or another one than glibc's, it is sent the sampling signal once, with a mark of its
 * own, and writes the answer into its place of a table. The table is static, since a thread that was not waited for may
 * still answer: by then its place belongs to another thread, or to none, and it is left alone.
 */
#include "sampler.h"

#include <pthread.h>
#include <sys/syscall.h>
#include <sys/uio.h>
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

/* --- without the thread ------------------------------------------------------------------------------------------- */

/* 0: the thread has none, or has ended. */
static uintptr_t
robust_list_of (pid_t os_id)
{
	void *head = NULL;
	size_t size = 0;
	return syscall (SYS_get_robust_list, (long) os_id, &head, &size) ? 0 : (uintptr_t) head;
}

/* Another thread's memory goes away with it. */
static bool
has_word (uintptr_t address, pid_t word)
{
	pid_t found = 0;
	struct iovec local = { &found, sizeof found };
	struct iovec remote = { (void *) address, sizeof found }; /* NOLINT(performance-no-int-to-ptr) */
	return syscall (SYS_process_vm_readv, getpid (), &local, 1UL, &remote, 1UL, 0UL) == sizeof found && found == word;
}

/* Where a thread's number and its list are in pthread's structure, in bytes. */
typedef struct {
	uintptr_t number, list;
} layout;

/* By the calling thread's own. False: not as in glibc. */
static bool
find_layout (layout *ret_layout)
{
	pid_t own = (pid_t) syscall (SYS_gettid);
	uintptr_t self = (uintptr_t) pthread_self (), list = robust_list_of (own), at = list;
	enum { SIZE_MOST = 4096 };
	if (list <= self || list - self > SIZE_MOST || (list - self) % sizeof (pid_t))
		return false;
	while (at > self && *(const pid_t *) (at - sizeof (pid_t)) != own)
		at -= sizeof (pid_t);
	*ret_layout = (layout) { .number = at - sizeof (pid_t) - self, .list = list - self };
	return at > self;
}

/* 0: not known. */
static uintptr_t
tid_of (const layout *in, pid_t os_id)
{
	uintptr_t head = robust_list_of (os_id);
	return head > in->list && has_word (head - in->list + in->number, os_id) ? head - in->list : 0;
}

/* --- by the thread ------------------------------------------------------------------------------------------------ */

static bool
is_answered (uint32_t i)
{
	return atomic_load_explicit (&asked[i].tid, memory_order_acquire) != 0;
}

/* A thread that the signal cannot be sent to has ended. */
static void
ask (const uint64_t *os_ids, const uintptr_t *tids, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++) {
		atomic_store (&asked[i].tid, tids[i]);
		atomic_store (&asked[i].os_id, tids[i] ? -1 : (pid_t) os_ids[i]);
	}
	for (uint32_t i = 0; i < count; i++)
		if (!tids[i] && monocle__sampler_signal_send ((pid_t) os_ids[i], monocle__sampler_ask_mark ()))
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

static void
ask_and_await (const uint64_t *os_ids, uint32_t count, uint32_t milliseconds, uintptr_t *tids)
{
	if (!monocle__sampler_signal_install ())
		return;
	ask (os_ids, tids, count);
	await (count, milliseconds);
	for (uint32_t i = 0; i < count; i++)
		tids[i] = atomic_load_explicit (&asked[i].tid, memory_order_acquire);
	for (uint32_t i = 0; i < count; i++)
		atomic_store (&asked[i].os_id, 0);
}

void
monocle_threads_ask (const uint64_t *os_ids, uint32_t count, uint32_t milliseconds, uintptr_t *ret_tids)
{
	uint32_t most = count < MONOCLE_THREADS_ASKED ? count : MONOCLE_THREADS_ASKED;
	layout glibcs;
	bool is_known = find_layout (&glibcs), is_any_left = false;
	for (uint32_t i = 0; i < count; i++) {
		ret_tids[i] = is_known ? tid_of (&glibcs, (pid_t) os_ids[i]) : 0;
		is_any_left |= i < most && !ret_tids[i];
	}
	if (is_any_left)
		ask_and_await (os_ids, most, milliseconds, ret_tids);
}
