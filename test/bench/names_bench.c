/*
 * SPDX-License-Identifier: MIT
 *
 * names_bench.c - what opening an image costs, and the full name of a method, the first time (budget 20 us) and later
 * (1 us).
 *
 *   names-bench FILE...   [the first is the core library]
 *
 * Every method of every file, in an order that no cache knows, through the host that opens files. The percentiles are
 * of single calls, so they hold what the machine does meanwhile; "least" is the least of three further calls of each
 * method, whose maximum is the most expensive name that there is.
 */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include <mono/metadata/debug-helpers.h>
#include "file-host.h"

enum { STEP = 7919 /* prime */, LATER = 3 };

typedef struct {
	double *values; /* ns, one a call */
	uint32_t count;
} samples;

static double
now_ns (void)
{
	struct timespec time;
	clock_gettime (CLOCK_MONOTONIC, &time);
	return (double) time.tv_sec * 1e9 + (double) time.tv_nsec;
}

static int
by_value (const void *a, const void *b)
{
	double x = *(const double *) a, y = *(const double *) b;
	return (x > y) - (x < y);
}

/* Sorts them. */
static void
print (const char *what, samples *s, double budget)
{
	qsort (s->values, s->count, sizeof *s->values, by_value);
	double median = s->values[s->count / 2], p99 = s->values[s->count - 1 - s->count / 100];
	printf ("  %-10s %8.0f %8.0f %8.0f   <= %.0f%s\n", what, median, p99, s->values[s->count - 1], budget,
	        median > budget ? " !" : "");
}

/* Every method once; what was measured before stays where it was less. */
static void
name_all (MonoImage *image, uint32_t rows, samples *out)
{
	for (uint32_t i = 0; i < rows; i++) {
		uint32_t row = (uint32_t) ((uint64_t) i * STEP % rows) + 1;
		double before = now_ns ();
		char *name = mono_method_full_name (monocle_method_def (image, row), 1);
		double took = now_ns () - before;
		mono_free (name);
		if (out->count <= i)
			out->values[out->count++] = took;
		else if (took < out->values[i])
			out->values[i] = took;
	}
}

static void
measure_names (MonoImage *image, uint32_t rows, samples *s)
{
	name_all (image, rows, s);
	print ("first", s, 20000);
	s->count = 0;
	name_all (image, rows, s);
	print ("second", s, 1000);
	s->count = 0;
	for (int round = 0; round < LATER; round++)
		name_all (image, rows, s);
	print ("least", s, 1000);
}

static int
measure (const char *path)
{
	double before = now_ns ();
	MonoImage *image = file_host_open (path);
	double opened = (now_ns () - before) / 1000;
	uint32_t rows = image ? (uint32_t) mono_image_get_table_rows (image, MONO_TABLE_METHOD) : 0;
	samples s = { malloc ((rows + 1u) * sizeof *s.values), 0 };
	if (image && s.values)
		printf ("%s: opened in %.0f us; names of %u methods, ns\n%12s %8s %8s %8s\n", path, opened, rows, "", "median",
		        "p99", "max");
	else
		fprintf (stderr, "%s: cannot be measured\n", path);
	if (rows && s.values)
		measure_names (image, rows, &s);
	free (s.values);
	return !image || !s.values;
}

int
main (int argc, char **argv)
{
	int failed = argc < 2;
	file_host_start ();
	for (int i = 1; i < argc; i++)
		failed |= measure (argv[i]);
	return failed;
}
