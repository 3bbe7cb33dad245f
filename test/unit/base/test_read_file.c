/*
 * SPDX-License-Identifier: MIT
 *
 * test_read_file.c - a file is there whole or not at all; a small one is cut to the room that there is.
 */
#include "read-file.h"

#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

#include "failing-memory.h"

static int
file_of (size_t size)
{
	int fd = memfd_create ("file", MFD_CLOEXEC);
	for (size_t i = 0; i < size; i++)
		assert_int_equal (write (fd, &"0123456789"[i % 10], 1), 1);
	lseek (fd, 0, SEEK_SET);
	return fd;
}

static void
a_file_of_any_size_is_read_with_a_nul_behind (void **state)
{
	static const size_t sizes[] = { 0, 1, 4094, 4095, 4096, 4097, 8191, 20000 };
	for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
		int fd = file_of (sizes[i]);
		size_t size = 1;
		char *bytes = monocle__read_file (fd, 1 << 20, &size);
		assert_non_null (bytes);
		assert_int_equal (size, sizes[i]);
		assert_int_equal (bytes[size], 0);
		assert_true (size == 0 || bytes[size - 1] == "0123456789"[(size - 1) % 10]);
		free (bytes);
		close (fd);
	}
}

static void
what_does_not_tell_its_size_is_read_to_its_end (void **state)
{
	static char many[30000];
	int ends[2], proc = open ("/proc/self/maps", O_RDONLY | O_CLOEXEC);
	size_t size;
	char *bytes = monocle__read_file (proc, 1 << 20, &size);
	assert_true (bytes && size > 500 && bytes[size - 1] == '\n');
	free (bytes);
	close (proc);
	assert_int_equal (pipe (ends), 0);
	assert_int_equal (write (ends[1], many, sizeof many), sizeof many);
	close (ends[1]);
	bytes = monocle__read_file (ends[0], sizeof many, &size);
	assert_true (bytes && size == sizeof many);
	free (bytes);
	close (ends[0]);
}

static void
more_than_the_most_is_refused (void **state)
{
	static const size_t sizes[] = { 10, 5000, 20000 };
	for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
		int fd = file_of (sizes[i]);
		size_t size = 7;
		char *bytes;
		errno = 0;
		assert_null (monocle__read_file (fd, sizes[i] - 1, &size));
		assert_int_equal (errno, EFBIG);
		assert_int_equal (size, 7);
		lseek (fd, 0, SEEK_SET);
		bytes = monocle__read_file (fd, sizes[i], &size);
		assert_true (bytes && size == sizes[i]);
		free (bytes);
		close (fd);
	}
}

static void
what_cannot_be_read_says_why (void **state)
{
	int fd = file_of (10000), folder = open ("/", O_RDONLY | O_CLOEXEC);
	size_t size;
	assert_null (monocle__read_file (-1, 10, &size));
	assert_int_equal (errno, EBADF);
	assert_null (monocle__read_file (folder, 10, &size));
	assert_int_equal (errno, EISDIR);
	failing_memory_allowed = 0;
	assert_null (monocle__read_file (fd, 1 << 20, &size));
	close (folder);
	close (fd);
}

static void
a_text_is_cut_to_its_room (void **state)
{
	char text[8] = "before", name[64];
	int fd = file_of (20), folder = open ("/proc/self", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	snprintf (name, sizeof name, "/proc/self/fd/%d", fd);
	assert_int_equal (monocle__read_file_text (AT_FDCWD, name, text, sizeof text), 7);
	assert_string_equal (text, "0123456");
	assert_int_equal (monocle__read_file_text (folder, "comm", text, sizeof text), 7);
	assert_int_equal (monocle__read_file_text (folder, "no such file", text, sizeof text), 0);
	assert_int_equal (monocle__read_file_of_thread ((uint64_t) gettid (), "comm", text, sizeof text), 7);
	assert_int_equal (monocle__read_file_of_thread (0, "comm", text, sizeof text), 0);
	assert_string_equal (text, "");
	close (folder);
	close (fd);
}

int
main (void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test (a_file_of_any_size_is_read_with_a_nul_behind),
		cmocka_unit_test (what_does_not_tell_its_size_is_read_to_its_end),
		cmocka_unit_test (more_than_the_most_is_refused),
		cmocka_unit_test (what_cannot_be_read_says_why),
		cmocka_unit_test (a_text_is_cut_to_its_room),
	};
	return cmocka_run_group_tests (tests, NULL, NULL);
}
