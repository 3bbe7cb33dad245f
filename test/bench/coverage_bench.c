/*
 * SPDX-License-Identifier: MIT
 *
 * coverage_bench.c - what opening a large coverage file costs: reading it, settling it, and writing it again.
 *
 *   coverage-bench [FILES]   [10000 source files, with a class of 4 methods, 40 points and 12 arms each]
 *
 * The file is made in memory. The least of several rounds counts.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "cover-file.h"
#include "coverage.h"

enum { METHODS = 4, POINTS = 10, ARMS = 3, CLASSES_OF_IMAGE = 500, ROUNDS = 5, RECORD_MAX = 1024 };

typedef struct {
	uint8_t *bytes;
	size_t size, capacity;
} file;

static double
now_ms (void)
{
	struct timespec time;
	clock_gettime (CLOCK_MONOTONIC, &time);
	return (double) time.tv_sec * 1e3 + (double) time.tv_nsec / 1e6;
}

/* A record that begins with `fixed`; zeros follow. */
static uint8_t *
add (file *f, uint32_t kind, size_t size, void *fixed, size_t fixed_size)
{
	struct monocle__cover_record *record = fixed;
	uint8_t *at;
	while (f->size + RECORD_MAX > f->capacity) {
		f->capacity = f->capacity ? f->capacity * 2 : 1 << 20;
		f->bytes = realloc (f->bytes, f->capacity);
		if (!f->bytes)
			exit (2);
	}
	record->kind = kind;
	record->size = (uint32_t) monocle__cover_round (size);
	at = f->bytes + f->size;
	memset (at, 0, record->size);
	memcpy (at, fixed, fixed_size);
	f->size += record->size;
	return at;
}

static void
add_method (file *f, uint32_t number, uint32_t method)
{
	char name[64];
	struct monocle__cover_method m = {
		.type = number,
		.token = 0x06000001 + number * METHODS + method,
		.flags = MONOCLE__COVER_PROBED,
		.point_count = POINTS,
		.arm_count = ARMS,
		.counter_count = POINTS + ARMS,
	};
	m.name_length = (uint32_t) snprintf (name, sizeof name, "Method%u (int,string)", method);
	m.counters = (uint32_t) monocle__cover_counters_at (&m);
	uint8_t *record = add (f, MONOCLE__COVER_METHOD, m.counters + monocle__cover_counters_size (&m, 1), &m, sizeof m);
	memcpy (record + monocle__cover_name_at (&m), name, m.name_length);
	for (uint32_t i = 0; i < POINTS; i++) {
		struct monocle__cover_point point = { i * 7, number, method * 20 + i + 5, method * 20 + i + 5, 9, 30, i };
		memcpy (record + sizeof m + i * sizeof point, &point, sizeof point);
		record[m.counters + i] = (number + i) % 3 != 0;
	}
	for (uint32_t i = 0; i < ARMS; i++) {
		struct monocle__cover_arm arm = { 21, 30 + i, 3, i, POINTS + i, 0 };
		memcpy (record + monocle__cover_arms_at (&m) + i * sizeof arm, &arm, sizeof arm);
	}
}

static void
add_class (file *f, uint32_t number)
{
	char name[128];
	size_t at = offsetof (struct monocle__cover_image, text);
	if (number % CLASSES_OF_IMAGE == 0) {
		struct monocle__cover_image image = { .mvid = { 1 } };
		memcpy (image.mvid + 8, &number, sizeof number);
		image.name_length = (uint32_t) snprintf (name, sizeof name, "Assembly%u", number);
		memcpy (add (f, MONOCLE__COVER_IMAGE, at + image.name_length, &image, at) + at, name, image.name_length);
	}
	struct monocle__cover_document document = { .hash_size = 32 };
	at = offsetof (struct monocle__cover_document, text);
	memcpy (document.hash, &number, sizeof number);
	document.path_length = (uint32_t) snprintf (name, sizeof name, "/home/user/work/Project/src/Folder%u/Source%u.cs",
	                                            number % 97, number);
	memcpy (add (f, MONOCLE__COVER_DOCUMENT, at + document.path_length, &document, at) + at, name,
	        document.path_length);
	struct monocle__cover_type type = { .image = number / CLASSES_OF_IMAGE, .token = 0x02000002 + number };
	at = offsetof (struct monocle__cover_type, text);
	type.name_length = (uint32_t) snprintf (name, sizeof name, "Company.Project.Part%u.Class%u", number % 97, number);
	memcpy (add (f, MONOCLE__COVER_TYPE, at + type.name_length, &type, at) + at, name, type.name_length);
	for (uint32_t i = 0; i < METHODS; i++)
		add_method (f, number, i);
}

static file
make (uint32_t classes)
{
	file f = { .size = MONOCLE__COVER_HEADER };
	struct monocle__cover_header header = {
		.magic = MONOCLE__COVER_MAGIC, .version = MONOCLE__COVER_VERSION, .counter_size = 1, .ended_ns = 1
	};
	for (uint32_t i = 0; i < classes; i++)
		add_class (&f, i);
	header.used = f.size;
	memset (f.bytes, 0, MONOCLE__COVER_HEADER);
	memcpy (f.bytes, &header, sizeof header);
	return f;
}

static void
least (double *known, double took)
{
	if (*known == 0 || took < *known)
		*known = took;
}

int
main (int argc, char **argv)
{
	file f = make (argc > 1 ? (uint32_t) atoi (argv[1]) : 10000);
	double read = 0, settle = 0, write = 0;
	FILE *nowhere = fopen ("/dev/null", "w");
	for (int i = 0; i < ROUNDS; i++) {
		const monocle__coverage_options options = { .map = NULL };
		monocle__coverage *coverage = monocle__coverage_new ();
		const char *error = "out of memory";
		double begin = now_ms (), then;
		if (!nowhere || !coverage || monocle__coverage_add (coverage, f.bytes, f.size, &error) != 0) {
			fprintf (stderr, "coverage-bench: %s\n", error);
			return 1;
		}
		then = now_ms ();
		least (&read, then - begin);
		if (monocle__coverage_settle (coverage, &options) != 0)
			return 1;
		begin = now_ms ();
		least (&settle, begin - then);
		if (monocle__coverage_write (nowhere, coverage) != 0)
			return 1;
		least (&write, now_ms () - begin);
		if (i == 0)
			printf ("%zu files, %zu methods, %zu points, %zu arms, %zu lines; %zu bytes\n", coverage->file_count,
			        coverage->method_count, coverage->point_count, coverage->arm_count, coverage->line_count, f.size);
		monocle__coverage_free (coverage);
	}
	printf ("  read    %8.1f ms\n  settle  %8.1f ms\n  write   %8.1f ms\n", read, settle, write);
	fclose (nowhere);
	free (f.bytes);
	return 0;
}
