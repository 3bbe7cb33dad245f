/*
 * SPDX-License-Identifier: MIT
 *
 * test_native.c - functions by address: our own, libraries', perf maps', and files that are damaged.
 */
#include <dlfcn.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <monocle/kit.h>

#include "../../seed.h"
#include "given-time.h"
#include "native.h"
#include "read-part.h"

#include <cmocka.h>

int a_function_to_be_found (int n);

__attribute__ ((noinline)) int
a_function_to_be_found (int n)
{
	return n * 3 + getpid ();
}

static const char *
name_at (uintptr_t address, const char **ret_image)
{
	static char text[600];
	uintptr_t function = monocle_kit_native_function (address);
	if (!function)
		return NULL;
	size_t length = monocle_kit_native_name (function, text, sizeof text);
	assert_true (length <= sizeof text);
	*ret_image = text + strlen (text) + 1;
	return text;
}

static void
our_own_function_is_found_from_any_address_in_it (void **state)
{
	const char *image;
	uintptr_t start = (uintptr_t) a_function_to_be_found;
	assert_int_equal (monocle_kit_native_function (start), start);
	assert_int_equal (monocle_kit_native_function (start + 3), start);
	assert_string_equal (name_at (start + 3, &image), "a_function_to_be_found");
	assert_non_null (strstr (image, "test_kit_native"));
}

static void
a_librarys_function_is_found (void **state)
{
	const char *image, *name = name_at ((uintptr_t) dlsym (RTLD_DEFAULT, "getpid") + 1, &image);
	assert_non_null (name);
	assert_non_null (strstr (name, "getpid"));
	assert_non_null (strstr (image, "libc"));
}

static void
what_is_no_code_has_no_function (void **state)
{
	int local;
	assert_int_equal (monocle_kit_native_function (0x10), 0);
	assert_int_equal (monocle_kit_native_function ((uintptr_t) &local), 0);
	char text[64];
	assert_int_equal (monocle_kit_native_name (0x10, text, sizeof text), sizeof "[unknown]" + 1);
	assert_string_equal (text, "[unknown]");
	assert_true (monocle_kit_native_name ((uintptr_t) a_function_to_be_found, text, 3) > 3);
}

static void
code_that_came_later_is_found_through_a_perf_map (void **state)
{
	char path[64];
	const char *image;
	uint8_t *code = mmap (NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	assert_true (code != MAP_FAILED);
	snprintf (path, sizeof path, "/tmp/perf-%d.map", (int) getpid ());
	FILE *map = fopen (path, "w");
	fprintf (map, "%lx 20 made at run time\nnonsense\n%lx zz bad\n%lx 10 second\n%lx 10 not yet wh", (long) code,
	         (long) code, (long) code + 0x40, (long) code + 0x60);
	fclose (map);
	given_time_begin ();
	given_time_pass (100000000); /* from then on it is looked for */
	assert_string_equal (name_at ((uintptr_t) code + 0x1f, &image), "made at run time");
	assert_string_equal (image, "");
	assert_string_equal (name_at ((uintptr_t) code + 0x40, &image), "second");
	assert_null (name_at ((uintptr_t) code + 0x20, &image));
	assert_null (name_at ((uintptr_t) code + 0x60, &image));
	unlink (path);
	munmap (code, 4096);
}

static int
file_of (const void *bytes, size_t size)
{
	int fd = memfd_create ("elf", MFD_CLOEXEC);
	assert_true (fd >= 0);
	assert_int_equal (write (fd, bytes, size), size);
	return fd;
}

static void
look_through (int fd)
{
	struct monocle__symbols symbols;
	if (!monocle__elf_symbols (fd, &symbols)) {
		for (size_t i = 0; i < symbols.count; i++) {
			assert_true (symbols.symbols[i].name < symbols.texts_size);
			assert_true (!i || symbols.symbols[i - 1].start < symbols.symbols[i].start);
			assert_true (strlen (symbols.texts + symbols.symbols[i].name) <= symbols.texts_size);
		}
		monocle__symbols_find (&symbols, 0);
		monocle__symbols_find (&symbols, UINT64_MAX);
		monocle__symbols_done (&symbols);
	}
	close (fd);
}

/* This program itself, cut short, and with bytes changed in its headers and tables. */
static void
damaged_files_are_refused_or_read_as_far_as_they_are_whole (void **state)
{
	struct stat status;
	int self = open ("/proc/self/exe", O_RDONLY);
	assert_int_equal (fstat (self, &status), 0);
	size_t size = (size_t) status.st_size;
	uint8_t *whole = monocle__read_part (self, 0, size);
	assert_non_null (whole);
	close (self);
	unsigned seed = (unsigned) seed_of (1);
	for (int round = 0; round < 300; round++) {
		uint8_t *bytes = malloc (size);
		memcpy (bytes, whole, size);
		uint64_t sections;
		memcpy (&sections, whole + 40, sizeof sections); /* e_shoff */
		for (int i = 0; i < 4; i++) {
			size_t any = (size_t) rand_r (&seed), at = round % 2 ? any % 64 : sections + any % (size - sections);
			bytes[at] = (uint8_t) rand_r (&seed);
		}
		look_through (file_of (bytes, round % 3 ? size : (size_t) rand_r (&seed) % size));
		free (bytes);
	}
	free (whole);
	look_through (file_of ("", 0));
}

int
main (void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test (our_own_function_is_found_from_any_address_in_it),
		cmocka_unit_test (a_librarys_function_is_found),
		cmocka_unit_test (what_is_no_code_has_no_function),
		cmocka_unit_test (code_that_came_later_is_found_through_a_perf_map),
		cmocka_unit_test (damaged_files_are_refused_or_read_as_far_as_they_are_whole),
	};
	return cmocka_run_group_tests (tests, NULL, NULL);
}
