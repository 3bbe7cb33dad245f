/*
 * SPDX-License-Identifier: MIT
 *
 * ecma_bench.c - what reading a core library costs. Budgets: opening 200 us, a method's row 200 ns.
 *
 *   ecma-bench FILE...
 */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "ecma.h"

enum { ROUNDS = 21 };

static monocle__ecma_image image;
static volatile uint32_t sink;

static double
now_ns (void)
{
	struct timespec time;
	clock_gettime (CLOCK_MONOTONIC, &time);
	return (double) time.tv_sec * 1e9 + (double) time.tv_nsec;
}

/* A row in an order that no cache line and no branch predictor knows: 7919 is prime. */
static uint32_t
scattered (uint32_t i, uint32_t rows)
{
	return (uint32_t) ((uint64_t) i * 7919 % rows) + 1;
}

static uint32_t
read_methods (void)
{
	uint32_t rows = monocle__ecma_rows (&image, MONOCLE__TABLE_MethodDef);
	monocle__ecma_methoddef method;
	for (uint32_t i = 0; i < rows; i++)
		sink += monocle__ecma_get_methoddef (&image, 0x06000000 | scattered (i, rows), &method) == 0;
	return rows;
}

static uint32_t
read_types (void)
{
	uint32_t rows = monocle__ecma_rows (&image, MONOCLE__TABLE_TypeDef);
	monocle__ecma_typedef type;
	for (uint32_t i = 0; i < rows; i++)
		sink += monocle__ecma_get_typedef (&image, 0x02000000 | scattered (i, rows), &type) == 0;
	return rows;
}

static uint32_t
skip_signatures (void)
{
	uint32_t rows = monocle__ecma_rows (&image, MONOCLE__TABLE_MethodDef), offset, size;
	const uint8_t *data;
	for (uint32_t rid = 1; rid <= rows; rid++) {
		monocle__ecma_column (&image, MONOCLE__TABLE_MethodDef, rid, MONOCLE__COL_MethodDef_Signature, &offset);
		if (monocle__ecma_blob (&image, offset, &data, &size))
			continue;
		monocle__ecma_cursor cursor = monocle__ecma_cursor_over (data, size);
		monocle__ecma_skip_method (&cursor);
		sink += (uint32_t) cursor.error;
	}
	return rows;
}

static uint32_t
find_missing_type (void)
{
	sink += monocle__ecma_find_typedef (&image, "System", "NoSuchType");
	return 1;
}

/* The fastest of some rounds, per item: the others only met something else on the machine. */
static void
report (const char *what, uint32_t (*work) (void))
{
	double best = 1e18;
	for (int round = 0; round < ROUNDS; round++) {
		double start = now_ns ();
		uint32_t items = work ();
		double cost = (now_ns () - start) / (items ? items : 1);
		best = cost < best ? cost : best;
	}
	printf ("  %-28s %10.1f ns\n", what, best);
}

static int
bench_file (const char *path)
{
	struct stat status;
	int file = open (path, O_RDONLY | O_CLOEXEC);
	if (file < 0 || fstat (file, &status)) {
		perror (path);
		return 1;
	}
	void *data = mmap (NULL, (size_t) status.st_size, PROT_READ, MAP_PRIVATE, file, 0);
	close (file);
	if (data == MAP_FAILED) {
		perror (path);
		return 1;
	}
	double start = now_ns ();
	int error = monocle__ecma_open_pe (&image, data, (size_t) status.st_size, false);
	double first = now_ns () - start;
	start = now_ns ();
	error |= monocle__ecma_open_pe (&image, data, (size_t) status.st_size, false);
	printf ("%s: %s\n  %-28s %10.1f ns\n  %-28s %10.1f ns\n", path, error ? "does not open" : "opened",
	        "open, pages untouched", first, "open, pages warm", now_ns () - start);
	report ("get_methoddef, scattered", read_methods);
	report ("get_typedef, scattered", read_types);
	report ("skip a method signature", skip_signatures);
	report ("find_typedef of no type", find_missing_type);
	munmap (data, (size_t) status.st_size);
	return error;
}

int
main (int argc, char **argv)
{
	int failed = argc < 2;
	for (int i = 1; i < argc; i++)
		failed |= bench_file (argv[i]);
	return failed;
}
