/*
 * SPDX-License-Identifier: MIT
 *
 * naps.c - see naps.h.
 */
#include "naps.h"
#include <semaphore.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <time.h>

typedef struct {
	sem_t begun, over;
	atomic_bool is_free;
} bed;

static bed beds[NAPS_BEDS];
static _Thread_local bed *own;
static _Thread_local uint64_t slept;

int __wrap_nanosleep (const struct timespec *time, struct timespec *ret_rest);

static void
await (sem_t *semaphore)
{
	while (sem_wait (semaphore))
		;
}

int
__wrap_nanosleep (const struct timespec *time, struct timespec *ret_rest)
{
	slept += (uint64_t) time->tv_sec * 1000000000 + (uint64_t) time->tv_nsec;
	if (!own || atomic_load (&own->is_free))
		return 0;
	sem_post (&own->begun);
	await (&own->over);
	return 0;
}

__attribute__ ((constructor)) static void
make_beds (void)
{
	for (int i = 0; i < NAPS_BEDS; i++) {
		sem_init (&beds[i].begun, 0, 0);
		sem_init (&beds[i].over, 0, 0);
	}
}

void
naps_take_bed (int number)
{
	own = &beds[number];
	atomic_store (&own->is_free, false);
}

void
naps_await (int number)
{
	await (&beds[number].begun);
}

void
naps_wake (int number)
{
	sem_post (&beds[number].over);
}

void
naps_free_bed (int number)
{
	atomic_store (&beds[number].is_free, true);
	naps_wake (number);
}

uint64_t
naps_time (void)
{
	return slept;
}
