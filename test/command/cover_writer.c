/*
 * SPDX-License-Identifier: MIT
 *
 * cover_writer.c - a process that writes a coverage file as probes do, as fast as it can.
 *
 *   cover-writer FILE OFFSET COUNT hits    sets the bytes at OFFSET, and again once they were taken
 *   cover-writer FILE OFFSET COUNT counts  adds to the 32-bit numbers at OFFSET, one after the other
 *   cover-writer FILE OFFSET COUNT answer  answers requests: each renews the numbers with how many there were
 *
 * Says "ready" once the file is mapped, and goes on until its input ends; then prints how often it stored: rounds of
 * hits, additions, answers.
 */
#include "cover-file.h"

#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static bool
is_ending (int wait_ms)
{
	struct pollfd input = { .fd = 0, .events = POLLIN };
	return poll (&input, 1, wait_ms) != 0;
}

/* What was set by then is taken once a reset has begun and ended. */
static bool
wait_for_reset (const struct monocle__cover_header *header)
{
	uint32_t before = __atomic_load_n (&header->reset, __ATOMIC_ACQUIRE);
	while (__atomic_load_n (&header->reset, __ATOMIC_ACQUIRE) - before < 2) {
		if (is_ending (0))
			return false;
	}
	return true;
}

/* The last round is not waited for, so that its hits are there at the end. */
static uint64_t
set_hits (volatile uint8_t *hits, size_t count, const struct monocle__cover_header *header)
{
	uint64_t rounds = 0;
	do {
		for (size_t at = 0; at < count; at++) {
			hits[at] = 1;
			for (volatile int pause = 0; pause < 100; pause++)
				continue;
		}
		rounds++;
	} while (wait_for_reset (header));
	return rounds;
}

static uint64_t
add_counts (volatile uint32_t *counts, size_t count)
{
	uint64_t stored = 0;
	while (!is_ending (0)) {
		for (int i = 0; i < 10000; i++)
			counts[stored++ % count]++;
	}
	return stored;
}

static uint64_t
answer (volatile uint32_t *counts, size_t count, struct monocle__cover_header *header)
{
	uint32_t done = 0;
	while (!is_ending (1)) {
		uint32_t request = __atomic_load_n (&header->request, __ATOMIC_ACQUIRE);
		if (request == done)
			continue;
		for (size_t i = 0; i < count; i++)
			counts[i] = request;
		__atomic_store_n (&header->answer, request, __ATOMIC_RELEASE);
		done = request;
	}
	return done;
}

int
main (int argc, char **argv)
{
	size_t offset = argc == 5 ? strtoul (argv[2], NULL, 10) : 0, count = argc == 5 ? strtoul (argv[3], NULL, 10) : 0;
	int fd = argc == 5 ? open (argv[1], O_RDWR) : -1;
	struct stat status;
	uint64_t stored;
	uint8_t *map;
	if (fd < 0 || fstat (fd, &status) != 0)
		return 2;
	map = mmap (NULL, (size_t) status.st_size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (map == MAP_FAILED)
		return 2;
	puts ("ready");
	fflush (stdout);
	if (strcmp (argv[4], "hits") == 0)
		stored = set_hits (map + offset, count, (struct monocle__cover_header *) map);
	else if (strcmp (argv[4], "counts") == 0)
		stored = add_counts ((uint32_t *) (map + offset), count);
	else
		stored = answer ((uint32_t *) (map + offset), count, (struct monocle__cover_header *) map);
	printf ("%" PRIu64 "\n", stored);
	return 0;
}
