/*
 * SPDX-License-Identifier: MIT
 *
 * test_elf.c - reading what a library needs, from a good file and from thousands of damaged ones. NEEDY_PATH comes from
 * the build.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <monocle/host.h>
#include "load/elf.h"

static uint8_t *file;
static size_t file_size;

static void
join (const char *name, void *data)
{
	char *joined = data;

	snprintf (joined + strlen (joined), 4096 - strlen (joined), "[%s]", name);
}

static void
measure (const char *name, void *data)
{
	*(size_t *) data += strlen (name);
}

static void
needed_symbols_are_listed_without_weak_and_defined_ones (void **state)
{
	char joined[4096] = "";

	assert_int_equal (monocle__elf_each_needed (NEEDY_PATH, join, joined), MONOCLE_OK);
	assert_non_null (strstr (joined, "[mono_profiler_create]"));
	assert_non_null (strstr (joined, "[mono_nobody_has_this]"));
	assert_non_null (strstr (joined, "[mono_nor_this]"));
	assert_null (strstr (joined, "mono_not_even_needed"));
	assert_null (strstr (joined, "mono_profiler_init_needy"));
}

static void
what_is_no_library_is_said_so (void **state)
{
	char joined[4096] = "";

	assert_int_equal (monocle__elf_each_needed ("/nowhere", join, joined), MONOCLE_E_NOT_FOUND);
	assert_int_equal (monocle__elf_each_needed ("/tmp", join, joined), MONOCLE_E_NOT_FOUND);
	assert_int_equal (monocle__elf_each_needed ("/dev/null", join, joined), MONOCLE_E_NOT_FOUND);
	assert_int_equal (monocle__elf_each_needed ("/etc/passwd", join, joined), MONOCLE_E_INVALID);
	assert_string_equal (joined, "");
}

static int
read_exactly (const uint8_t *bytes, size_t size, size_t *total)
{
	int fd = memfd_create ("elf", MFD_CLOEXEC);

	assert_int_equal (write (fd, bytes, size), size);
	int result = monocle__elf_each_needed_in (fd, measure, total);
	close (fd);
	return result;
}

static void
a_file_that_is_cut_anywhere_is_read_within_its_bounds (void **state)
{
	size_t total = 0, intact = 0;

	for (size_t size = 0; size < file_size; size += size < 4096 ? 1 : 97)
		intact += read_exactly (file, size, &total) == MONOCLE_OK;
	assert_true (intact < file_size);
	assert_int_equal (read_exactly (file, 0, &total), MONOCLE_E_INVALID);
	assert_int_equal (read_exactly (file, 63, &total), MONOCLE_E_INVALID);
}

static void
a_file_with_any_header_byte_wrong_is_read_within_its_bounds (void **state)
{
	static const uint8_t wrong[] = { 0x00, 0x7f, 0x80, 0xff };
	size_t total = 0, invalid = 0;

	for (size_t at = 0; at < file_size && at < 1024; at++)
		for (size_t i = 0; i < sizeof wrong; i++) {
			uint8_t right = file[at];
			file[at] = wrong[i];
			invalid += read_exactly (file, file_size, &total) != MONOCLE_OK;
			file[at] = right;
		}
	assert_true (invalid > 0);
	assert_int_equal (read_exactly (file, file_size, &total), MONOCLE_OK);
}

static int
read_file (void **state)
{
	FILE *stream = fopen (NEEDY_PATH, "rb");

	if (!stream)
		return -1;
	file = malloc (1 << 20);
	file_size = file ? fread (file, 1, 1 << 20, stream) : 0;
	fclose (stream);
	return file_size ? 0 : -1;
}

static int
free_file (void **state)
{
	free (file);
	return 0;
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test (needed_symbols_are_listed_without_weak_and_defined_ones),
	cmocka_unit_test (what_is_no_library_is_said_so),
	cmocka_unit_test (a_file_that_is_cut_anywhere_is_read_within_its_bounds),
	cmocka_unit_test (a_file_with_any_header_byte_wrong_is_read_within_its_bounds),
};

int
main (void)
{
	return cmocka_run_group_tests (tests, read_file, free_file);
}
