/*
 * SPDX-License-Identifier: MIT
 *
 * thread.c - what the module keeps of each thread, in a table that a signal handler may use.
 *
 * The table has a fixed size and is searched by pthread_self (): open addressing, a place is taken by compare and swap
 * and given back when the thread ends, as a tombstone that the next thread takes. Apart from the owner's name and
 * what a snapshot asks for, only the thread itself, or its signal handler, touches a place; while it sleeps in a call
 * that no signal may end, the thread that samples it.
 */
#include "sample.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { PLACES = 1 << 14, FARTHEST = 64 };

#define TOMBSTONE 1

static struct thread_place places[PLACES];

static uint32_t
first_place (uintptr_t thread)
{
	return (uint32_t) ((uint64_t) thread * UINT64_C (0x9e3779b97f4a7c15) >> 40);
}

struct thread_place *
thread_find_of (uintptr_t thread)
{
	for (uint32_t i = first_place (thread), end = i + FARTHEST; i != end; i++) {
		struct thread_place *place = &places[i & (PLACES - 1)];
		uintptr_t owner = place->thread;
		if (owner == thread)
			return place;
		if (!owner)
			return NULL;
	}
	return NULL;
}

struct subject
subject_self (void)
{
	return (struct subject) { .tid = (uintptr_t) pthread_self () };
}

int
subject_number (const struct subject *subject)
{
	return subject->asleep ? subject->asleep : (int) syscall (SYS_gettid);
}

void
subject_name (const struct subject *subject, char name[THREAD_NAME])
{
	char path[64];
	memset (name, 0, THREAD_NAME);
	if (!subject->asleep) {
		prctl (PR_GET_NAME, name);
		return;
	}
	snprintf (path, sizeof path, "/proc/self/task/%d/comm", subject->asleep);
	int fd = open (path, O_RDONLY | O_CLOEXEC);
	ssize_t size = fd < 0 ? 0 : read (fd, name, THREAD_NAME - 1);
	if (fd >= 0)
		close (fd);
	name[size > 0 ? (size_t) size : 0] = '\0';
	name[strcspn (name, "\n")] = '\0';
}

void
subject_program (char name[THREAD_NAME])
{
	const struct subject first = { .asleep = getpid () };
	subject_name (&first, name);
}

struct thread_place *
thread_find (void)
{
	return thread_find_of ((uintptr_t) pthread_self ());
}

struct thread_place *
thread_take (void)
{
	return thread_take_of ((uintptr_t) pthread_self ());
}

struct thread_place *
thread_take_of (uintptr_t thread)
{
	struct thread_place *found = thread_find_of (thread);
	for (uint32_t i = first_place (thread), end = i + FARTHEST; i != end && !found; i++) {
		struct thread_place *place = &places[i & (PLACES - 1)];
		uintptr_t owner = place->thread;
		if (owner > TOMBSTONE || !atomic_compare_exchange_strong (&place->thread, &owner, thread))
			continue;
		place->last = place->hit = place->began = 0;
		place->snapshot = place->epoch = 0;
		place->collects = place->has_name = false;
		found = place;
	}
	return found;
}

bool
thread_is_in_snapshot (int tid, uint32_t snapshot)
{
	for (uint32_t i = 0; i < PLACES; i++)
		if (places[i].tid == tid && places[i].snapshot == snapshot && places[i].thread > TOMBSTONE)
			return true;
	return false;
}

void
thread_end (uintptr_t thread)
{
	struct thread_place *place = thread_find_of (thread);
	if (place)
		place->thread = TOMBSTONE;
}
