/*
 * SPDX-License-Identifier: MIT
 *
 * stacks_bench.c - what it costs to add a stack (budget 300 ns for 30 frames), and to count it on the drain thread.
 *
 *   stacks-bench [ROUNDS]
 *
 * Adding is timed in batches that fit into the ring, with the drain thread at work beside it. Counting is the CPU time
 * of the rest of the process: stacks that were seen before, new ones, and new frames that must be resolved and named
 * too.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <monocle/kit.h>

enum { FRAMES = 30, BATCH = 1000, STACKS = 200 };

static double
clock_of (clockid_t clock)
{
	struct timespec time;
	clock_gettime (clock, &time);
	return (double) time.tv_sec * 1e9 + (double) time.tv_nsec;
}

/* What all other threads of the process have used. */
static double
others (void)
{
	return clock_of (CLOCK_PROCESS_CPUTIME_ID) - clock_of (CLOCK_THREAD_CPUTIME_ID);
}

static uint32_t
resolve (void *data, uintptr_t address, void **ret_keys, uint32_t capacity)
{
	ret_keys[0] = (void *) (address << 4);
	return 1;
}

static size_t
name (void *method, char *buffer, size_t size)
{
	char text[64];
	int length = snprintf (text, sizeof text, "Namespace.Class:Method%lu (int,string)", (unsigned long) method);
	if ((size_t) length + 2 <= size) {
		strcpy (buffer, text);
		buffer[length + 1] = '\0';
	}
	return (size_t) length + 2;
}

static int
by_value (const void *a, const void *b)
{
	double x = *(const double *) a, y = *(const double *) b;
	return (x > y) - (x < y);
}

enum kind { SEEN, NEW_STACKS, NEW_FRAMES };

static void
fill (monocle_kit_frame *frames, enum kind kind, uint32_t number)
{
	for (uint32_t i = 0; i < FRAMES; i++)
		frames[i] = (monocle_kit_frame) { (void *) (uintptr_t) (0x1000 + 16 * i), 0 };
	if (kind == SEEN)
		frames[0].method = (void *) (uintptr_t) (0x10000 + 16 * (number % STACKS));
	else if (kind == NEW_STACKS) /* Known methods in new orders. */
		for (uint32_t i = 0; i < 12; i++)
			frames[i].method = (void *) (uintptr_t) (0x1000 + 16 * ((number >> i) % 2 + 2 * i));
	else
		frames[0] = (monocle_kit_frame) { NULL, 0x20000 + number };
}

static void
measure (monocle_kit_stacks *stacks, const char *what, enum kind kind, uint32_t rounds, double budget)
{
	double *added = malloc (rounds * sizeof *added), before = others ();
	uint64_t values[2] = { 1, 1000 }, lost = monocle_kit_stacks_lost (stacks);
	monocle_kit_frame (*frames)[FRAMES] = malloc (BATCH * sizeof *frames);
	for (uint32_t round = 0; round < rounds; round++) {
		for (uint32_t i = 0; i < BATCH; i++)
			fill (frames[i], kind, round * BATCH + i);
		double start = clock_of (CLOCK_MONOTONIC);
		for (uint32_t i = 0; i < BATCH; i++)
			monocle_kit_stacks_add (stacks, frames[i], FRAMES, 1, values);
		added[round] = (clock_of (CLOCK_MONOTONIC) - start) / BATCH;
		monocle_kit_stacks_sync (stacks, 10000);
	}
	/* What sync forgets is found again: a batch is long enough for that not to count. */
	double counted = (others () - before) / ((double) rounds * BATCH);
	qsort (added, rounds, sizeof *added, by_value);
	lost = monocle_kit_stacks_lost (stacks) - lost;
	printf ("  %-34s add %6.0f ns (median of %u batches; best %.0f)   count %6.0f ns   lost %llu%s\n", what,
	        added[rounds / 2], rounds, added[0], counted, (unsigned long long) lost,
	        added[rounds / 2] > budget ? " !" : "");
	free (added);
	free (frames);
}

int
main (int argc, char **argv)
{
	uint32_t rounds = argc > 1 ? (uint32_t) atoi (argv[1]) : 200;
	char folder[] = "/tmp/monocle-bench-XXXXXX", path[64];
	if (!mkdtemp (folder))
		return 1;
	snprintf (path, sizeof path, "%s/p.pb.gz", folder);
	monocle_kit_stacks_config config = {
		.size = sizeof config,
		.module = "bench",
		.output = path,
		.desc = "bench",
		.values = { { "samples", "count" }, { "cpu", "nanoseconds" } },
		.resolve = resolve,
		.name = name,
	};
	monocle_kit_stacks *stacks = monocle_kit_stacks_open (&config);
	if (!stacks || !rounds)
		return 1;
	printf ("a stack of %d frames, budget of add 300 ns\n", FRAMES);
	measure (stacks, "stacks that were seen before", SEEN, rounds, 300);
	measure (stacks, "new stacks of known methods", NEW_STACKS, rounds < 4 ? rounds : 4, 300);
	measure (stacks, "a new function each", NEW_FRAMES, rounds < 20 ? rounds : 20, 300);
	int result = monocle_kit_stacks_close (stacks);
	unlink (path);
	rmdir (folder);
	return result ? 1 : 0;
}
