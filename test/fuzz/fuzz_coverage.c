/*
 * SPDX-License-Identifier: MIT
 *
 * fuzz_coverage.c - any bytes as a coverage file. What can be read is settled, summed and written; what is written can
 * be read, and written again it is the same.
 *
 * An input has only the beginning of a header, then its records: the rest of the page would take most changes.
 */
#include <stdlib.h>
#include <string.h>

#include "cover-file.h"
#include "coverage.h"

enum { HEAD = offsetof (struct monocle__cover_header, boot_id) };

int LLVMFuzzerTestOneInput (const uint8_t *data, size_t size);

/* The file, as often as that. NULL: it is refused. */
static monocle__coverage *
read_files (const void *data, size_t size, int times)
{
	monocle__coverage *coverage = monocle__coverage_new ();
	const char *error = NULL;
	for (int i = 0; i < times; i++) {
		if (!coverage || monocle__coverage_add (coverage, data, size, &error) != 0) {
			if (!error)
				abort (); /* A refusal says why. */
			monocle__coverage_free (coverage);
			return NULL;
		}
	}
	return coverage;
}

static char *
write_file (const monocle__coverage *coverage, size_t *ret_size)
{
	char *bytes = NULL;
	FILE *out = open_memstream (&bytes, ret_size);
	if (!out || monocle__coverage_write (out, coverage) != 0 || fclose (out) != 0)
		abort ();
	return bytes;
}

static void
check_written (const monocle__coverage *coverage)
{
	size_t size, again_size;
	char *bytes = write_file (coverage, &size), *again;
	monocle__coverage *second = read_files (bytes, size, 1);
	if (!second)
		abort ();
	again = write_file (second, &again_size);
	if (again_size != size || memcmp (bytes, again, size) != 0)
		abort ();
	free (again);
	free (bytes);
	monocle__coverage_free (second);
}

/* What is covered of a part is no more than there is. */
static void
check_sums (monocle__coverage_sums s)
{
	if (s.lines_hit > s.lines || s.arms_hit > s.arms || s.methods_hit > s.methods || s.types_hit > s.types)
		abort ();
}

static void
check_settled (monocle__coverage *coverage)
{
	static const char *const map[] = { "/src/=./", "C:=D:", NULL };
	monocle__coverage_options options = { .map = map, .exclude = "**/no*.cs,x?/*" };
	if (monocle__coverage_settle (coverage, &options) != 0)
		abort ();
	check_sums (monocle__coverage_sum (coverage));
	for (uint32_t i = 0; i < coverage->image_count; i++)
		check_sums (monocle__coverage_sum_of_image (coverage, i));
	for (uint32_t i = 0; i < coverage->file_count; i++)
		check_sums (monocle__coverage_sum_of_file (coverage, i));
	for (uint32_t i = 0; i < coverage->type_count; i++)
		check_sums (monocle__coverage_sum_of_type (coverage, i));
	for (uint32_t i = 0; i < coverage->method_count; i++)
		check_sums (monocle__coverage_sum_of_method (coverage, i));
}

static void
check_file (const void *data, size_t size)
{
	for (int times = 1; times <= 2; times++) {
		monocle__coverage *coverage = read_files (data, size, times);
		if (!coverage)
			return;
		check_settled (coverage);
		check_written (coverage);
		monocle__coverage_free (coverage);
	}
}

int
LLVMFuzzerTestOneInput (const uint8_t *data, size_t size)
{
	size_t whole = size < HEAD ? size : MONOCLE__COVER_HEADER + size - HEAD;
	uint8_t *file = calloc (1, whole + 1);
	if (!file)
		abort ();
	memcpy (file, data, size < HEAD ? size : HEAD);
	if (size >= HEAD) {
		uint64_t used = whole;
		memcpy (file + MONOCLE__COVER_HEADER, data + HEAD, size - HEAD);
		memcpy (file + offsetof (struct monocle__cover_header, used), &used, sizeof used);
	}
	check_file (file, whole);
	free (file);
	/* Its own `used`, which is of no whole file. */
	check_file (data, size);
	return 0;
}
