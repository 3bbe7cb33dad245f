/*
 * SPDX-License-Identifier: MIT
 *
 * test_il_memory.c - method bodies when the n-th allocation fails, and how many there are.
 */
#include "failing-memory.h"
#include "il_text.h"

enum { LARGE = 12 + 5000 };

/* Larger than the scratch memory of reader and writer: nops, a branch back, ret. */
static void
make_large (uint8_t data[LARGE])
{
	static const uint8_t header[] = { IL_FAT (0, 0) };
	static const uint8_t end[] = { 0x38, 0x79, 0xEC, 0xFF, 0xFF, 0x2A }; /* the branch ends at 4999, goes back 4999 */

	memset (data, 0, LARGE);
	memcpy (data, header, sizeof header);
	data[4] = (LARGE - 12) & 0xFF;
	data[5] = (LARGE - 12) >> 8;
	memcpy (data + LARGE - sizeof end, end, sizeof end);
}

static int
edit_large (monocle__il_body *body)
{
	const monocle__il_instruction probe = monocle__il_op (MONOCLE__IL_NOP, 0);
	monocle__il_edit *edit = monocle__il_edit_new (body);
	int error = edit ? 0 : MONOCLE__IL_E_NO_MEMORY;

	for (uint32_t i = 0; !error && i < 20; i++)
		error = monocle__il_insert (edit, i, MONOCLE__IL_JUMPS_SKIP, &probe, 1);
	if (error) {
		monocle__il_edit_free (edit);
		return error;
	}
	return monocle__il_edit_apply (edit);
}

/* Read, edit, add a clause, write. A step that fails leaves the body as the step before left it. */
static int
do_everything (const uint8_t *data)
{
	const monocle__il_clause clause = {
		.flags = MONOCLE__IL_CLAUSE_FAULT, .try_end = 10, .handler_begin = 10, .handler_end = 11
	};
	monocle__il_body body;
	monocle__il_map *map = NULL;
	uint32_t map_count = 0, before;
	uint8_t *written = NULL;
	size_t size;
	int error = monocle__il_read (&body, data, LARGE, NULL);

	if (error)
		return error;
	before = body.count;
	error = edit_large (&body);
	assert_int_equal (body.count, error ? before : before + 20);
	if (!error)
		error = monocle__il_add_clause (&body, &clause);
	if (!error)
		error = monocle__il_write (&body, false, il_malloc, NULL, &written, &size, &map, &map_count);
	assert_int_equal (map_count, error ? 0 : before);
	free (written);
	free (map);
	monocle__il_free (&body);
	return error;
}

static void
each_allocation_that_fails_is_reported_and_leaks_nothing (void **state)
{
	uint8_t *data = malloc (LARGE);
	int error = -1, failures = 0;

	make_large (data);
	for (long n = 0; error; n++) {
		failing_memory_allowed = n;
		error = do_everything (data);
		if (error)
			assert_int_equal (error, MONOCLE__IL_E_NO_MEMORY);
		failures += error != 0;
		assert_in_range (failures, 0, 100);
	}
	failing_memory_allowed = -1;
	assert_in_range (failures, 10, 20);
	free (data);
}

static void
a_usual_body_is_read_with_one_allocation_and_written_with_the_callers (void **state)
{
	static const uint8_t data[] = {
		IL_FAT (0x08, 4), 0xDE, 1, 0xDC, 0x2A, 0x01, 16, 0, 0, 2, 0, 0, 0, 2, 2, 0, 1, 0, 0, 0, 0
	};
	monocle__il_body body;
	uint8_t *written;
	size_t size;

	failing_memory_count = 0;
	assert_int_equal (monocle__il_read (&body, data, sizeof data, NULL), 0);
	assert_int_equal (failing_memory_count, 1);
	written = il_must_write (&body, false, &size);
	assert_int_equal (failing_memory_count, 2);
	free (written);
	monocle__il_free (&body);
}

int
main (void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test (each_allocation_that_fails_is_reported_and_leaks_nothing),
		cmocka_unit_test (a_usual_body_is_read_with_one_allocation_and_written_with_the_callers),
	};

	return cmocka_run_group_tests (tests, NULL, NULL);
}
