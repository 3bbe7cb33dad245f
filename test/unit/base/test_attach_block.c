/*
 * SPDX-License-Identifier: MIT
 *
 * test_attach_block.c - what comes out of a block that was handed over, and what is refused.
 */
#include "attach-block.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static uint8_t bytes[256];

static size_t
written (void)
{
	monocle__attach_block block = { 1500, 2, { "MONOCLE_PROFILE=sample", "MONOCLE_LOG=" } };
	return monocle__attach_block_write (&block, bytes, sizeof bytes);
}

static void
what_is_written_is_read_back (void **state)
{
	monocle__attach_block block;
	size_t size = written ();
	assert_int_equal (size, 16 + 23 + 13);
	assert_int_equal (monocle__attach_block_read (&block, bytes, size), 0);
	assert_int_equal (block.milliseconds, 1500);
	assert_int_equal (block.count, 2);
	assert_string_equal (block.texts[0], "MONOCLE_PROFILE=sample");
	assert_string_equal (block.texts[1], "MONOCLE_LOG=");
	assert_null (block.texts[2]);
}

static void
a_part_of_a_block_is_refused (void **state)
{
	monocle__attach_block block;
	size_t size = written ();
	for (size_t part = 0; part < size; part++) {
		uint8_t *copy = malloc (part ? part : 1); /* what lies behind it is not read */
		memcpy (copy, bytes, part);
		assert_int_equal (monocle__attach_block_read (&block, copy, part), -EINVAL);
		free (copy);
	}
	assert_int_equal (monocle__attach_block_read (&block, bytes, size + 1), -EINVAL);
	assert_int_equal (monocle__attach_block_read (&block, NULL, 0), -EINVAL);
}

static void
another_version_is_told_from_nonsense (void **state)
{
	monocle__attach_block block;
	size_t size = written ();
	bytes[4] = 2;
	assert_int_equal (monocle__attach_block_read (&block, bytes, size), -EPROTO);
	bytes[0] = 'm';
	assert_int_equal (monocle__attach_block_read (&block, bytes, size), -EINVAL);
}

static void
more_texts_than_there_are_or_may_be_are_refused (void **state)
{
	monocle__attach_block block;
	size_t size = written ();
	bytes[12] = 3;
	assert_int_equal (monocle__attach_block_read (&block, bytes, size), -EINVAL);
	bytes[12] = bytes[15] = 0xff;
	assert_int_equal (monocle__attach_block_read (&block, bytes, size), -EINVAL);
}

static void
a_text_without_a_name_is_refused (void **state)
{
	monocle__attach_block block;
	size_t size = written ();
	*strchr ((char *) bytes + 16, '=') = '_';
	assert_int_equal (monocle__attach_block_read (&block, bytes, size), -EINVAL);
}

static void
what_has_no_room_is_not_written (void **state)
{
	monocle__attach_block block = { 0, 1, { "A=12345" } };
	assert_int_equal (monocle__attach_block_write (&block, bytes, 24), 24);
	assert_int_equal (monocle__attach_block_write (&block, bytes, 23), 0);
	assert_int_equal (monocle__attach_block_write (&block, bytes, 15), 0);
	block.count = MONOCLE__ATTACH_BLOCK_TEXTS + 1;
	assert_int_equal (monocle__attach_block_write (&block, bytes, sizeof bytes), 0);
}

int
main (void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test (what_is_written_is_read_back),
		cmocka_unit_test (a_part_of_a_block_is_refused),
		cmocka_unit_test (another_version_is_told_from_nonsense),
		cmocka_unit_test (more_texts_than_there_are_or_may_be_are_refused),
		cmocka_unit_test (a_text_without_a_name_is_refused),
		cmocka_unit_test (what_has_no_room_is_not_written),
	};
	return cmocka_run_group_tests (tests, NULL, NULL);
}
