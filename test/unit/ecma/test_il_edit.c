/*
 * SPDX-License-Identifier: MIT
 *
 * test_il_edit.c - where inserted code goes and who runs it. Bodies are compared as text (il_text.h): `+` marks what
 * was inserted, `=N` tells the probes apart.
 */
#include "il_text.h"

/* Rows in columns: clang-format leaves them alone. */
/* clang-format off */

#define SKIP MONOCLE__IL_JUMPS_SKIP
#define HIT MONOCLE__IL_JUMPS_HIT
#define ENTRY MONOCLE__IL_JUMPS_ENTRY

/* A probe of one instruction with a number. */
static void
insert_probe (monocle__il_edit *edit, uint32_t before, monocle__il_jumps jumps, int number)
{
	monocle__il_instruction probe = monocle__il_op (MONOCLE__IL_LDC_I4, number);

	assert_int_equal (monocle__il_insert (edit, before, jumps, &probe, 1), 0);
}

/* One probe into the body at `data`, then the comparison. */
static void
check_probe (const uint8_t *data, size_t size, uint32_t before, monocle__il_jumps jumps, const char *expected)
{
	monocle__il_body body = il_must_read (data, size);
	monocle__il_edit *edit = monocle__il_edit_new (&body);

	insert_probe (edit, before, jumps, 1);
	assert_int_equal (monocle__il_edit_apply (edit), 0);
	assert_il (&body, expected);
	monocle__il_free (&body);
}

/* --- jumps ------------------------------------------------------------------------------------------------------ */

static const uint8_t loop[] = IL_TINY (0x16, 0x2D, 0xFD, 0x2A); /* again: ldc.i4.0; brtrue again; ret */

static void
a_loop_to_the_first_instruction_skips_an_entry_probe (void **state)
{
	check_probe (loop, sizeof loop, 0, SKIP, "+ldc.i4=1 ldc.i4.0 brtrue>1 ret");
}

static void
a_loop_to_the_first_instruction_hits_a_probe_to_be_hit (void **state)
{
	check_probe (loop, sizeof loop, 0, HIT, "+ldc.i4=1 ldc.i4.0 brtrue>0 ret");
}

static void
branches_to_ret_run_an_exit_probe_before_it (void **state)
{
	static const uint8_t data[] = IL_TINY (0x16, 0x2D, 0x01, 0x00, 0x2A); /* ldc.i4.0; brtrue end; nop; end: ret */

	check_probe (data, sizeof data, 3, HIT, "ldc.i4.0 brtrue>3 nop +ldc.i4=1 ret");
	check_probe (data, sizeof data, 3, SKIP, "ldc.i4.0 brtrue>4 nop +ldc.i4=1 ret");
}

static void
switch_targets_follow_as_branches_do (void **state)
{
	static const uint8_t data[] =
	    IL_TINY (0x16, 0x45, 3, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0xEE, 0xFF, 0xFF, 0xFF, 0x00, 0x2A);

	check_probe (data, sizeof data, 3, HIT, "ldc.i4.0 switch>2>3>0 nop +ldc.i4=1 ret");
	check_probe (data, sizeof data, 0, SKIP, "+ldc.i4=1 ldc.i4.0 switch>3>4>1 nop ret");
	check_probe (data, sizeof data, 2, SKIP, "ldc.i4.0 switch>3>4>0 +ldc.i4=1 nop ret");
}

static void
code_appended_at_the_end_is_hit_or_skipped_as_asked (void **state)
{
	static const uint8_t data[] = IL_TINY (0x2B, 0x00); /* a branch to the end */

	check_probe (data, sizeof data, 1, HIT, "br>1 +ldc.i4=1");
	check_probe (data, sizeof data, 1, SKIP, "br>2 +ldc.i4=1");
}

/* --- several at one place --------------------------------------------------------------------------------------- */

static void
insertions_of_one_kind_keep_their_order (void **state)
{
	monocle__il_body body = il_must_read (loop, sizeof loop);
	monocle__il_edit *edit = monocle__il_edit_new (&body);

	insert_probe (edit, 2, HIT, 1);
	insert_probe (edit, 0, SKIP, 2);
	insert_probe (edit, 2, HIT, 3);
	insert_probe (edit, 0, SKIP, 4);
	assert_int_equal (monocle__il_edit_apply (edit), 0);
	assert_il (&body, "+ldc.i4=2 +ldc.i4=4 ldc.i4.0 brtrue>2 +ldc.i4=1 +ldc.i4=3 ret");
	monocle__il_free (&body);
}

static void
what_is_skipped_stands_before_what_is_hit (void **state)
{
	monocle__il_body body = il_must_read (loop, sizeof loop);
	monocle__il_edit *edit = monocle__il_edit_new (&body);

	insert_probe (edit, 0, HIT, 1);
	insert_probe (edit, 0, SKIP, 2);
	insert_probe (edit, 0, HIT, 3);
	assert_int_equal (monocle__il_edit_apply (edit), 0);
	assert_il (&body, "+ldc.i4=2 +ldc.i4=1 +ldc.i4=3 ldc.i4.0 brtrue>1 ret");
	monocle__il_free (&body);
}

static void
a_body_can_be_edited_twice (void **state)
{
	monocle__il_body body = il_must_read (loop, sizeof loop);
	monocle__il_edit *edit = monocle__il_edit_new (&body);

	insert_probe (edit, 0, SKIP, 1);
	assert_int_equal (monocle__il_edit_apply (edit), 0);
	edit = monocle__il_edit_new (&body);
	insert_probe (edit, 1, HIT, 2);
	insert_probe (edit, 3, HIT, 3);
	assert_int_equal (monocle__il_edit_apply (edit), 0);
	assert_il (&body, "+ldc.i4=1 +ldc.i4=2 ldc.i4.0 brtrue>1 +ldc.i4=3 ret");
	monocle__il_free (&body);
}

/* --- branches of inserted code ---------------------------------------------------------------------------------- */

static void
inserted_branches_reach_inserted_and_original_code (void **state)
{
	const monocle__il_instruction code[] = {
		monocle__il_op (MONOCLE__IL_BRTRUE, MONOCLE__IL_INSERTED (2)),
		monocle__il_op (MONOCLE__IL_BR_S, 2),
		monocle__il_op (MONOCLE__IL_BRFALSE, MONOCLE__IL_INSERTED (4)), /* what follows the insertion */
		monocle__il_op (MONOCLE__IL_BR, 0),
	};
	monocle__il_body body = il_must_read (loop, sizeof loop);
	monocle__il_edit *edit = monocle__il_edit_new (&body);

	insert_probe (edit, 0, SKIP, 1);
	insert_probe (edit, 2, HIT, 2);
	assert_int_equal (monocle__il_insert (edit, 0, SKIP, code, 4), 0);
	assert_int_equal (monocle__il_edit_apply (edit), 0);
	assert_il (&body, "+ldc.i4=1 +brtrue>3 +br>7 +brfalse>5 +br>5 ldc.i4.0 brtrue>5 +ldc.i4=2 ret");
	monocle__il_free (&body);
}

static void
an_inserted_branch_to_its_own_place_is_a_jump_like_any_other (void **state)
{
	const monocle__il_instruction again = monocle__il_op (MONOCLE__IL_BR, 2);
	monocle__il_body body = il_must_read (loop, sizeof loop);
	monocle__il_edit *edit = monocle__il_edit_new (&body);

	insert_probe (edit, 2, HIT, 1);
	assert_int_equal (monocle__il_insert (edit, 2, HIT, &again, 1), 0);
	assert_int_equal (monocle__il_edit_apply (edit), 0);
	assert_il (&body, "ldc.i4.0 brtrue>0 +ldc.i4=1 +br>2 ret");
	monocle__il_free (&body);
}

/* --- regions ---------------------------------------------------------------------------------------------------- */

/* 0 leave 3; 1 pop; 2 leave 3; 3 ret -- try 0-1 catch 1-3 */
static const uint8_t catches[] = { IL_FAT (0x08, 6), 0xDE, 3, 0x26, 0xDE, 0, 0x2A, 0, 0,
	                           0x01, 16, 0, 0, 0, 0, 0, 0, 2, 2, 0, 3, 0, 0, 0, 0 };

static void
an_entry_probe_stands_outside_a_region_that_begins_the_body (void **state)
{
	check_probe (catches, sizeof catches, 0, SKIP, "+ldc.i4=1 leave>4 pop leave>4 ret | catch 1-2 2-4");
}

static void
a_probe_to_be_hit_stands_inside_a_region_that_begins_there (void **state)
{
	check_probe (catches, sizeof catches, 0, HIT, "+ldc.i4=1 leave>4 pop leave>4 ret | catch 0-2 2-4");
}

static void
leave_lands_on_an_exit_probe_outside_of_the_regions (void **state)
{
	check_probe (catches, sizeof catches, 3, HIT, "leave>3 pop leave>3 +ldc.i4=1 ret | catch 0-1 1-3");
}

static void
a_region_that_ends_never_grows (void **state)
{
	check_probe (catches, sizeof catches, 3, SKIP, "leave>4 pop leave>4 +ldc.i4=1 ret | catch 0-1 1-3");
}

static void
where_try_ends_and_handler_begins_a_hit_belongs_to_the_handler (void **state)
{
	check_probe (catches, sizeof catches, 1, HIT, "leave>4 +ldc.i4=1 pop leave>4 ret | catch 0-1 1-4");
}

static void
nothing_to_be_skipped_stands_in_front_of_a_handler (void **state)
{
	const monocle__il_instruction nop = monocle__il_op (MONOCLE__IL_NOP, 0);
	monocle__il_body body = il_must_read (catches, sizeof catches);
	monocle__il_edit *edit = monocle__il_edit_new (&body);

	assert_int_equal (monocle__il_insert (edit, 1, SKIP, &nop, 1), MONOCLE__ECMA_E_RANGE);
	insert_probe (edit, 2, SKIP, 1);
	assert_int_equal (monocle__il_edit_apply (edit), 0);
	assert_il (&body, "leave>4 pop +ldc.i4=1 leave>4 ret | catch 0-1 1-4");
	monocle__il_free (&body);
}

static void
a_probe_inside_a_region_stays_inside (void **state)
{
	check_probe (catches, sizeof catches, 2, SKIP, "leave>4 pop +ldc.i4=1 leave>4 ret | catch 0-1 1-4");
	check_probe (catches, sizeof catches, 2, HIT, "leave>4 pop +ldc.i4=1 leave>4 ret | catch 0-1 1-4");
}

/* 0 leave 6; 1 pop; 2 ldc.i4.1; 3 endfilter; 4 pop; 5 leave 6; 6 ret -- try 0-1 filter 1 handler 4-6 */
static const uint8_t filters[] = { IL_FAT (0x08, 10), 0xDE, 7, 0x26, 0x17, 0xFE, 0x11, 0x26, 0xDE, 0, 0x2A, 0, 0,
	                           0x01, 16, 0, 0, 1, 0, 0, 0, 2, 6, 0, 3, 2, 0, 0, 0 };

static void
a_filter_and_its_handler_begin_in_front_of_a_hit (void **state)
{
	check_probe (filters, sizeof filters, 1, HIT,
	             "leave>7 +ldc.i4=1 pop ldc.i4.1 endfilter pop leave>7 ret | filter 0-1 @1 5-7");
	check_probe (filters, sizeof filters, 4, HIT,
	             "leave>7 pop ldc.i4.1 endfilter +ldc.i4=1 pop leave>7 ret | filter 0-1 @1 4-7");
}

static void
nothing_to_be_skipped_stands_in_front_of_a_filter_or_its_handler (void **state)
{
	const monocle__il_instruction nop = monocle__il_op (MONOCLE__IL_NOP, 0);
	monocle__il_body body = il_must_read (filters, sizeof filters);
	monocle__il_edit *edit = monocle__il_edit_new (&body);

	assert_int_equal (monocle__il_insert (edit, 1, SKIP, &nop, 1), MONOCLE__ECMA_E_RANGE);
	assert_int_equal (monocle__il_insert (edit, 4, SKIP, &nop, 1), MONOCLE__ECMA_E_RANGE);
	assert_int_equal (monocle__il_edit_apply (edit), 0);
	assert_il (&body, "leave>6 pop ldc.i4.1 endfilter pop leave>6 ret | filter 0-1 @1 4-6");
	monocle__il_free (&body);
}

/* 0 leave 4; 1 nop; 2 br 1; 3 endfinally; 4 ret -- try 0-1 handler 1-4: a loop to where the handler begins */
static const uint8_t loops[] = { IL_FAT (0x08, 7), 0xDE, 4, 0x00, 0x2B, 0xFD, 0xDC, 0x2A, 0,
	                         0x01, 16, 0, 0, 2, 0, 0, 0, 2, 2, 0, 4, 0, 0, 0, 0 };

static void
an_entry_is_the_begin_of_its_handler_and_loops_skip_it (void **state)
{
	check_probe (loops, sizeof loops, 1, ENTRY, "leave>5 +ldc.i4=1 nop br>2 endfinally ret | finally 0-1 1-5");
	check_probe (loops, sizeof loops, 1, HIT, "leave>5 +ldc.i4=1 nop br>1 endfinally ret | finally 0-1 1-5");
}

static void
a_filter_and_its_handler_have_an_entry_each (void **state)
{
	check_probe (filters, sizeof filters, 1, ENTRY,
	             "leave>7 +ldc.i4=1 pop ldc.i4.1 endfilter pop leave>7 ret | filter 0-1 @1 5-7");
	check_probe (filters, sizeof filters, 4, ENTRY,
	             "leave>7 pop ldc.i4.1 endfilter +ldc.i4=1 pop leave>7 ret | filter 0-1 @1 4-7");
}

static void
a_try_that_begins_with_the_handler_does_not_cover_its_entry (void **state)
{
	/* 0 leave 4; 1 leave 3; 2 endfinally; 3 endfinally; 4 ret -- finally 1-2 2-3, finally 0-1 1-4 */
	static const uint8_t data[] = { IL_FAT (0x08, 7), 0xDE, 4, 0xDE, 1, 0xDC, 0xDC, 0x2A, 0, 0x01, 28, 0, 0,
		                        2, 0, 2, 0, 2, 4, 0, 1, 0, 0, 0, 0, 2, 0, 0, 0, 2, 2, 0, 4, 0, 0, 0, 0 };

	check_probe (data, sizeof data, 1, ENTRY,
	             "leave>5 +ldc.i4=1 leave>4 endfinally endfinally ret | finally 2-3 3-4 | finally 0-1 1-5");
}

static void
no_entry_stands_where_no_handler_begins (void **state)
{
	const monocle__il_instruction nop = monocle__il_op (MONOCLE__IL_NOP, 0);
	monocle__il_body body = il_must_read (filters, sizeof filters);
	monocle__il_edit *edit = monocle__il_edit_new (&body);

	assert_int_equal (monocle__il_insert (edit, 0, ENTRY, &nop, 1), MONOCLE__ECMA_E_RANGE);
	assert_int_equal (monocle__il_insert (edit, 5, ENTRY, &nop, 1), MONOCLE__ECMA_E_RANGE);
	monocle__il_edit_free (edit);
	monocle__il_free (&body);
}

static void *
allocate (void *context, size_t size)
{
	return malloc (size);
}

static void
an_entry_belongs_to_its_handlers_first_instruction_in_the_map (void **state)
{
	monocle__il_body body = il_must_read (loops, sizeof loops);
	monocle__il_edit *edit = monocle__il_edit_new (&body);
	monocle__il_map *map;
	uint32_t count;
	uint8_t *data;
	size_t size;

	insert_probe (edit, 1, ENTRY, 1);
	insert_probe (edit, 3, HIT, 1);
	assert_int_equal (monocle__il_edit_apply (edit), 0);
	assert_int_equal (monocle__il_write (&body, false, allocate, NULL, &data, &size, &map, &count), 0);
	assert_int_equal (count, 5);
	assert_int_equal (map[1].old_offset, 2);
	assert_int_equal (map[1].new_offset, 5);  /* behind the long leave */
	assert_int_equal (map[3].new_offset, 21); /* itself: ldc.i4, nop, long br, ldc.i4 stand between */
	free (map);
	free (data);
	monocle__il_free (&body);
}

static void
code_appended_behind_a_handler_that_ends_the_body_is_outside_of_it (void **state)
{
	static const uint8_t data[] = { IL_FAT (0x08, 4), 0xDE, 0, 0x26, 0x7A,
		                        0x01, 16, 0, 0, 0, 0, 0, 0, 2, 2, 0, 2, 0, 0, 0, 0 };

	check_probe (data, sizeof data, 3, SKIP, "leave>1 pop throw +ldc.i4=1 | catch 0-1 1-3");
	check_probe (data, sizeof data, 3, HIT, "leave>1 pop throw +ldc.i4=1 | catch 0-1 1-3");
}

static void
nested_regions_with_one_begin_stay_nested (void **state)
{
	/* 0 nop; 1 leave 4; 2 endfinally; 3 endfinally; 4 ret -- finally 0-2 2-3, finally 0-3 3-4 */
	static const uint8_t data[] = { IL_FAT (0x08, 6), 0x00, 0xDE, 2, 0xDC, 0xDC, 0x2A, 0, 0, 0x01, 28, 0, 0,
		                        2, 0, 0, 0, 3, 3, 0, 1, 0, 0, 0, 0, 2, 0, 0, 0, 4, 4, 0, 1, 0, 0, 0, 0 };

	check_probe (data, sizeof data, 0, HIT,
	             "+ldc.i4=1 nop leave>5 endfinally endfinally ret | finally 0-3 3-4 | finally 0-4 4-5");
	check_probe (data, sizeof data, 3, HIT,
	             "nop leave>5 endfinally +ldc.i4=1 endfinally ret | finally 0-2 2-3 | finally 0-3 3-5");
	check_probe (data, sizeof data, 4, SKIP,
	             "nop leave>5 endfinally endfinally +ldc.i4=1 ret | finally 0-2 2-3 | finally 0-3 3-4");
}

static void
an_empty_region_stays_empty (void **state)
{
	static const uint8_t data[] = { IL_FAT (0x08, 4), 0x00, 0x00, 0xDC, 0x2A,
		                        0x01, 16, 0, 0, 2, 0, 1, 0, 0, 2, 0, 1, 0, 0, 0, 0 };

	check_probe (data, sizeof data, 1, SKIP, "nop +ldc.i4=1 nop endfinally ret | finally 2-2 3-4");
	check_probe (data, sizeof data, 1, HIT, "nop +ldc.i4=1 nop endfinally ret | finally 1-1 3-4");
}

/* --- clauses ---------------------------------------------------------------------------------------------------- */

static void
an_added_clause_comes_last_and_covers_inserted_code (void **state)
{
	const monocle__il_instruction tail[] = { monocle__il_op (MONOCLE__IL_ENDFINALLY, 0),
		                                 monocle__il_op (MONOCLE__IL_RET, 0) };
	monocle__il_clause clause = { .flags = MONOCLE__IL_CLAUSE_FAULT, .try_end = 4,
		                      .handler_begin = 4, .handler_end = 5 };
	monocle__il_body body = il_must_read (catches, sizeof catches);
	monocle__il_edit *edit = monocle__il_edit_new (&body);

	assert_int_equal (monocle__il_insert (edit, 4, SKIP, tail, 2), 0);
	assert_int_equal (monocle__il_edit_apply (edit), 0);
	for (int i = 0; i < 9; i++)
		assert_int_equal (monocle__il_add_clause (&body, &clause), 0);
	assert_int_equal (body.clause_count, 10);
	body.clause_count = 2;
	assert_il (&body, "leave>3 pop leave>3 ret +endfinally +ret | catch 0-1 1-3 | fault 0-4 4-5");
	monocle__il_free (&body);
}

static void
a_clause_that_points_nowhere_is_refused (void **state)
{
	const monocle__il_clause bad[] = {
		{ .try_begin = 0, .try_end = 5, .handler_begin = 1, .handler_end = 2 },
		{ .try_begin = 1, .try_end = 1, .handler_begin = 1, .handler_end = 2 },
		{ .try_begin = 0, .try_end = 1, .handler_begin = 3, .handler_end = 2 },
		{ .flags = MONOCLE__IL_CLAUSE_FILTER, .try_end = 1, .filter_begin = 2, .handler_begin = 2, .handler_end = 3 },
	};
	monocle__il_body body = il_must_read (catches, sizeof catches);

	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
		assert_int_equal (monocle__il_add_clause (&body, &bad[i]), MONOCLE__ECMA_E_RANGE);
	assert_int_equal (body.clause_count, 1);
	monocle__il_free (&body);
}

/* --- refusals --------------------------------------------------------------------------------------------------- */

static void
code_that_cannot_be_encoded_is_not_inserted (void **state)
{
	const struct { monocle__il_instruction code; int error; } bad[] = {
		{ monocle__il_op (0x24, 0), MONOCLE__ECMA_E_FORMAT },
		{ monocle__il_op (0x1234, 0), MONOCLE__ECMA_E_FORMAT },
		{ monocle__il_op (MONOCLE__IL_SWITCH, 0), MONOCLE__ECMA_E_FORMAT },
		{ monocle__il_op (MONOCLE__IL_LDLOC_S, 256), MONOCLE__ECMA_E_RANGE },
		{ monocle__il_op (MONOCLE__IL_LDLOC, 65536), MONOCLE__ECMA_E_RANGE },
		{ monocle__il_op (MONOCLE__IL_LDC_I4_S, 128), MONOCLE__ECMA_E_RANGE },
		{ monocle__il_op (MONOCLE__IL_LDC_I4, INT64_C (0x80000000)), MONOCLE__ECMA_E_RANGE },
		{ monocle__il_op (MONOCLE__IL_CALL, -1), MONOCLE__ECMA_E_RANGE },
		{ monocle__il_op (MONOCLE__IL_BR, 4), MONOCLE__ECMA_E_RANGE },
		{ monocle__il_op (MONOCLE__IL_BR, MONOCLE__IL_INSERTED (2)), MONOCLE__ECMA_E_RANGE },
	};
	monocle__il_body body = il_must_read (loop, sizeof loop);
	monocle__il_edit *edit = monocle__il_edit_new (&body);

	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
		assert_int_equal (monocle__il_insert (edit, 0, SKIP, &bad[i].code, 1), bad[i].error);
	assert_int_equal (monocle__il_insert (edit, 4, SKIP, NULL, 0), MONOCLE__ECMA_E_RANGE);
	assert_int_equal (monocle__il_edit_apply (edit), 0);
	assert_il (&body, "ldc.i4.0 brtrue>0 ret");
	monocle__il_free (&body);
}

static void
nothing_is_inserted_between_a_prefix_and_its_instruction (void **state)
{
	static const uint8_t data[] = IL_TINY (0xFE, 0x14, 0x28, 1, 0, 0, 6, 0x2A); /* tail. call; ret */
	const monocle__il_instruction nop = monocle__il_op (MONOCLE__IL_NOP, 0);
	monocle__il_body body = il_must_read (data, sizeof data);
	monocle__il_edit *edit = monocle__il_edit_new (&body);

	assert_int_equal (monocle__il_insert (edit, 1, SKIP, &nop, 1), MONOCLE__ECMA_E_RANGE);
	assert_int_equal (monocle__il_insert (edit, monocle__il_first_prefix (&body, 1), HIT, &nop, 1), 0);
	assert_int_equal (monocle__il_edit_apply (edit), 0);
	assert_il (&body, "+nop tail. call=100663297 ret");
	monocle__il_free (&body);
}

static void
an_edit_of_a_body_changed_meanwhile_is_refused (void **state)
{
	monocle__il_body body = il_must_read (loop, sizeof loop);
	monocle__il_edit *first = monocle__il_edit_new (&body), *second = monocle__il_edit_new (&body);

	insert_probe (first, 0, SKIP, 1);
	insert_probe (second, 0, SKIP, 2);
	assert_int_equal (monocle__il_edit_apply (first), 0);
	assert_int_equal (monocle__il_edit_apply (second), MONOCLE__ECMA_E_RANGE);
	assert_il (&body, "+ldc.i4=1 ldc.i4.0 brtrue>1 ret");
	monocle__il_free (&body);
}

static void
an_edit_can_be_given_up (void **state)
{
	monocle__il_body body = il_must_read (loop, sizeof loop);
	monocle__il_edit *edit = monocle__il_edit_new (&body);

	insert_probe (edit, 0, SKIP, 1);
	monocle__il_edit_free (edit);
	monocle__il_edit_free (NULL);
	assert_il (&body, "ldc.i4.0 brtrue>0 ret");
	monocle__il_free (&body);
	monocle__il_free (&body);
}

int
main (void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test (a_loop_to_the_first_instruction_skips_an_entry_probe),
		cmocka_unit_test (a_loop_to_the_first_instruction_hits_a_probe_to_be_hit),
		cmocka_unit_test (branches_to_ret_run_an_exit_probe_before_it),
		cmocka_unit_test (switch_targets_follow_as_branches_do),
		cmocka_unit_test (code_appended_at_the_end_is_hit_or_skipped_as_asked),
		cmocka_unit_test (insertions_of_one_kind_keep_their_order),
		cmocka_unit_test (what_is_skipped_stands_before_what_is_hit),
		cmocka_unit_test (a_body_can_be_edited_twice),
		cmocka_unit_test (inserted_branches_reach_inserted_and_original_code),
		cmocka_unit_test (an_inserted_branch_to_its_own_place_is_a_jump_like_any_other),
		cmocka_unit_test (an_entry_probe_stands_outside_a_region_that_begins_the_body),
		cmocka_unit_test (a_probe_to_be_hit_stands_inside_a_region_that_begins_there),
		cmocka_unit_test (leave_lands_on_an_exit_probe_outside_of_the_regions),
		cmocka_unit_test (a_region_that_ends_never_grows),
		cmocka_unit_test (where_try_ends_and_handler_begins_a_hit_belongs_to_the_handler),
		cmocka_unit_test (nothing_to_be_skipped_stands_in_front_of_a_handler),
		cmocka_unit_test (a_probe_inside_a_region_stays_inside),
		cmocka_unit_test (a_filter_and_its_handler_begin_in_front_of_a_hit),
		cmocka_unit_test (nothing_to_be_skipped_stands_in_front_of_a_filter_or_its_handler),
		cmocka_unit_test (an_entry_is_the_begin_of_its_handler_and_loops_skip_it),
		cmocka_unit_test (a_filter_and_its_handler_have_an_entry_each),
		cmocka_unit_test (a_try_that_begins_with_the_handler_does_not_cover_its_entry),
		cmocka_unit_test (no_entry_stands_where_no_handler_begins),
		cmocka_unit_test (an_entry_belongs_to_its_handlers_first_instruction_in_the_map),
		cmocka_unit_test (code_appended_behind_a_handler_that_ends_the_body_is_outside_of_it),
		cmocka_unit_test (nested_regions_with_one_begin_stay_nested),
		cmocka_unit_test (an_empty_region_stays_empty),
		cmocka_unit_test (an_added_clause_comes_last_and_covers_inserted_code),
		cmocka_unit_test (a_clause_that_points_nowhere_is_refused),
		cmocka_unit_test (code_that_cannot_be_encoded_is_not_inserted),
		cmocka_unit_test (nothing_is_inserted_between_a_prefix_and_its_instruction),
		cmocka_unit_test (an_edit_of_a_body_changed_meanwhile_is_refused),
		cmocka_unit_test (an_edit_can_be_given_up),
	};

	return cmocka_run_group_tests (tests, NULL, NULL);
}
