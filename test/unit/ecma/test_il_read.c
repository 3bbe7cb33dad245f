/*
 * SPDX-License-Identifier: MIT
 *
 * test_il_read.c - what monocle__il_read makes of bytes, and what it refuses.
 */
#include <stdio.h>

#include "il_text.h"

/* Rows in columns: clang-format leaves them alone. */
/* clang-format off */

static void
a_tiny_header_means_stack_of_eight_and_no_locals (void **state)
{
	static const uint8_t data[] = IL_TINY (0x00, 0x2A);
	monocle__il_body body = il_must_read (data, sizeof data);

	assert_il (&body, "nop ret");
	assert_true (body.was_tiny);
	assert_false (body.init_locals);
	assert_int_equal (body.max_stack, 8);
	assert_int_equal (body.local_signature_token, 0);
	assert_int_equal (body.original_code_size, 2);
	monocle__il_free (&body);
}

static void
a_fat_header_says_stack_locals_and_their_initialisation (void **state)
{
	static const uint8_t data[] = { 0x13, 0x30, 0x34, 0x12, 1, 0, 0, 0, 0x78, 0x56, 0x00, 0x11, 0x2A };
	monocle__il_body body = il_must_read (data, sizeof data);

	assert_il (&body, "ret");
	assert_false (body.was_tiny);
	assert_true (body.init_locals);
	assert_int_equal (body.max_stack, 0x1234);
	assert_int_equal (body.local_signature_token, 0x11005678);
	monocle__il_free (&body);
}

static void
operands_have_the_sign_and_width_of_their_kind (void **state)
{
	static const uint8_t data[] = IL_TINY (0x1F, 0xFF,                                     /* ldc.i4.s -1 */
	                                       0x20, 0xFE, 0xFF, 0xFF, 0xFF,                   /* ldc.i4 -2 */
	                                       0x21, 1, 0, 0, 0, 0, 0, 0, 0x80,                /* ldc.i8 */
	                                       0x22, 0, 0, 0x80, 0xBF,                         /* ldc.r4 -1 */
	                                       0x0E, 0xFF,                                     /* ldarg.s 255 */
	                                       0xFE, 0x0C, 0xFF, 0xFF,                         /* ldloc 65535 */
	                                       0x28, 0x01, 0x00, 0x00, 0xF0);                  /* call, a whole token */
	monocle__il_body body = il_must_read (data, sizeof data);

	assert_true (body.code[0].operand.i == -1);
	assert_true (body.code[1].operand.i == -2);
	assert_true (body.code[2].operand.i == INT64_MIN + 1);
	assert_true (body.code[3].operand.i == 0xBF800000);
	assert_true (body.code[4].operand.i == 255);
	assert_true (body.code[5].operand.i == 65535);
	assert_true (body.code[6].operand.i == 0xF0000001);
	monocle__il_free (&body);
}

static void
short_branches_read_as_long_ones_and_remember_their_form (void **state)
{
	static const uint8_t data[] =
	    IL_TINY (0x2B, 0x01, 0x00, 0x17, 0x2D, 0xFC, 0xDE, 0xFC, 0x38, 0xF3, 0xFF, 0xFF, 0xFF);
	monocle__il_body body = il_must_read (data, sizeof data);

	assert_il (&body, "br>2 nop ldc.i4.1 brtrue>1 leave>3 br>0");
	assert_int_equal (body.code[0].original_opcode, MONOCLE__IL_BR_S);
	assert_int_equal (body.code[3].original_opcode, MONOCLE__IL_BRTRUE_S);
	assert_int_equal (body.code[4].original_opcode, MONOCLE__IL_LEAVE_S);
	assert_int_equal (body.code[5].original_opcode, MONOCLE__IL_BR);
	assert_int_equal (body.code[5].offset, 8);
	monocle__il_free (&body);
}

static void
switch_targets_count_from_the_end_of_the_switch (void **state)
{
	static const uint8_t data[] =
	    IL_TINY (0x16, 0x45, 3, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0xEE, 0xFF, 0xFF, 0xFF,
	             0x00, 0x16, 0x45, 0, 0, 0, 0, 0x2A);
	monocle__il_body body = il_must_read (data, sizeof data);

	assert_il (&body, "ldc.i4.0 switch>2>3>0 nop ldc.i4.0 switch ret");
	monocle__il_free (&body);
}

static void
code_may_fall_off_its_end_or_branch_to_it (void **state)
{
	static const uint8_t falls[] = IL_TINY (0x00), branches[] = IL_TINY (0x2B, 0x00), empty[] = { 0x02 };
	monocle__il_body body = il_must_read (falls, sizeof falls);

	assert_il (&body, "nop");
	monocle__il_free (&body);
	body = il_must_read (branches, sizeof branches);
	assert_il (&body, "br>1");
	monocle__il_free (&body);
	body = il_must_read (empty, sizeof empty);
	assert_int_equal (body.count, 0);
	monocle__il_free (&body);
}

static void
small_and_fat_sections_say_the_same (void **state)
{
	/* try { leave.s 4 } finally { endfinally } nop; ret  -- one byte of padding */
	static const uint8_t small[] = { IL_FAT (0x08, 5), 0xDE, 1, 0xDC, 0x00, 0x2A, 0, 0, 0,
		                         0x01, 16, 0, 0, 2, 0, 0, 0, 2, 2, 0, 1, 0, 0, 0, 0 };
	static const uint8_t fat[] = { IL_FAT (0x08, 5), 0xDE, 1, 0xDC, 0x00, 0x2A, 0, 0, 0, 0x41, 28, 0, 0, 2, 0, 0, 0,
		                       0, 0, 0, 0, 2, 0, 0, 0, 2, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0 };
	monocle__il_body a = il_must_read (small, sizeof small), b = il_must_read (fat, sizeof fat);

	assert_il (&a, "leave>2 endfinally nop ret | finally 0-1 1-2");
	assert_il (&b, "leave>2 endfinally nop ret | finally 0-1 1-2");
	monocle__il_free (&a);
	monocle__il_free (&b);
}

static void
clauses_of_several_sections_follow_one_another (void **state)
{
	static const uint8_t data[] = { IL_FAT (0x08, 4), 0xDE, 1, 0xDC, 0x2A,
		                        0x81, 16, 0, 0, 4, 0, 0, 0, 2, 2, 0, 1, 0, 0, 0, 0,
		                        0xC1, 4, 0, 0, /* no clause at all */
		                        0x41, 28, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0, 2, 0, 0, 0, 1, 0, 0, 0,
		                        7, 0, 0, 2 };
	monocle__il_body body = il_must_read (data, sizeof data);

	assert_il (&body, "leave>2 endfinally ret | fault 0-1 1-2 | catch 0-1 1-2");
	assert_int_equal (body.clauses[1].class_token, 0x02000007);
	monocle__il_free (&body);
}

static void
a_filter_begins_where_its_last_field_says (void **state)
{
	/* try { leave.s } filter { pop ldc.i4.1 endfilter } { pop leave.s } ret */
	static const uint8_t data[] = { IL_FAT (0x08, 10), 0xDE, 7, 0x26, 0x17, 0xFE, 0x11, 0x26, 0xDE, 0, 0x2A, 0, 0,
		                        0x01, 16, 0, 0, 1, 0, 0, 0, 2, 6, 0, 3, 2, 0, 0, 0 };
	monocle__il_body body = il_must_read (data, sizeof data);

	assert_il (&body, "leave>6 pop ldc.i4.1 endfilter pop leave>6 ret | filter 0-1 @1 4-6");
	monocle__il_free (&body);
}

static void
a_section_size_without_its_own_header_is_tolerated (void **state)
{
	static const uint8_t data[] = { IL_FAT (0x08, 4), 0xDE, 1, 0xDC, 0x2A,
		                        0x01, 12, 0, 0, 2, 0, 0, 0, 2, 2, 0, 1, 0, 0, 0, 0 };
	monocle__il_body body = il_must_read (data, sizeof data);

	assert_il (&body, "leave>2 endfinally ret | finally 0-1 1-2");
	monocle__il_free (&body);
}

static void
a_region_may_end_where_the_code_ends (void **state)
{
	static const uint8_t data[] = { IL_FAT (0x08, 4), 0xDE, 0, 0x26, 0x7A,
		                        0x01, 16, 0, 0, 0, 0, 0, 0, 2, 2, 0, 2, 0, 0, 0, 0 };
	monocle__il_body body = il_must_read (data, sizeof data);

	assert_il (&body, "leave>1 pop throw | catch 0-1 1-3");
	monocle__il_free (&body);
}

/* --- refusals --------------------------------------------------------------------------------------------------- */

typedef struct { const char *why; int error; uint8_t size, bytes[44]; } refusal;

#define FORMAT MONOCLE__ECMA_E_FORMAT
#define CUT MONOCLE__ECMA_E_TRUNCATED
#define BYTES(...) sizeof ((const uint8_t[]) { __VA_ARGS__ }), { __VA_ARGS__ }

#define MORE IL_FAT (0x08, 4) /* a header that announces a section behind four bytes of code */
#define SMALL 0x01, 16, 0, 0  /* a section of one small clause */

static const refusal refusals[] = {
	{ "neither tiny nor fat",      FORMAT, BYTES (0x01, 0x2A) },
	{ "fat with the third bit",    FORMAT, BYTES (0x07, 0x30, 8, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0x2A) },
	{ "fat header of 4 words",     FORMAT, BYTES (0x03, 0x40, 8, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0x2A) },
	{ "fat header cut",            CUT,    BYTES (0x03, 0x30, 8, 0, 1, 0, 0, 0, 0, 0, 0) },
	{ "tiny code cut",             CUT,    BYTES (0x0A, 0x00) },
	{ "fat code cut",              CUT,    BYTES (0x03, 0x30, 8, 0, 0xFF, 0xFF, 0xFF, 0xFF, 0, 0, 0, 0, 0x2A) },
	{ "no such opcode",            FORMAT, BYTES (0x06, 0x24) },
	{ "no such second byte",       FORMAT, BYTES (0x0A, 0xFE, 0x08) },
	{ "second byte beyond table",  FORMAT, BYTES (0x0A, 0xFE, 0xFF) },
	{ "second byte missing",       CUT,    BYTES (0x06, 0xFE) },
	{ "operand cut",               CUT,    BYTES (0x12, 0x20, 0, 0, 0) },
	{ "switch count cut",          CUT,    BYTES (0x12, 0x45, 0, 0, 0) },
	{ "switch targets cut",        CUT,    BYTES (0x16, 0x45, 1, 0, 0, 0) },
	{ "switch of 2^30 targets",    CUT,    BYTES (0x16, 0x45, 0, 0, 0, 0x40) },
	{ "branch into an operand",    FORMAT, BYTES (0x12, 0x2B, 0xFF, 0x00, 0x2A) },
	{ "branch in front of code",   FORMAT, BYTES (0x0E, 0x2B, 0xFD, 0x2A) },
	{ "branch behind the end",     FORMAT, BYTES (0x0E, 0x2B, 0x02, 0x2A) },
	{ "long branch far away",      FORMAT, BYTES (0x16, 0x38, 0, 0, 0, 0x80) },
	{ "switch into an operand",    FORMAT, BYTES (0x26, 0x45, 1, 0, 0, 0, 0xFC, 0xFF, 0xFF, 0xFF) },
	{ "section missing",           CUT,    BYTES (MORE, 0, 0, 0, 0x2A) },
	{ "section of other kind",     FORMAT, BYTES (MORE, 0, 0, 0, 0x2A, 0x02, 4, 0, 0) },
	{ "section with unknown bit",  FORMAT, BYTES (MORE, 0, 0, 0, 0x2A, 0x11, 4, 0, 0) },
	{ "section of no size",        FORMAT, BYTES (MORE, 0, 0, 0, 0x2A, 0x01, 0, 0, 0) },
	{ "section of a broken size",  FORMAT, BYTES (MORE, 0, 0, 0, 0x2A, 0x01, 5, 0, 0) },
	{ "clauses cut",               CUT,    BYTES (MORE, 0, 0, 0, 0x2A, SMALL, 0, 0, 0, 0, 1, 1, 0, 1, 0, 0, 0) },
	{ "second section cut",        CUT,    BYTES (MORE, 0, 0, 0, 0x2A, 0x81, 4, 0, 0, 0x01, 4, 0) },
	{ "short size, then more",     FORMAT,
	  BYTES (MORE, 0, 0, 0, 0x2A, 0x81, 12, 0, 0, 2, 0, 0, 0, 1, 1, 0, 1, 0, 0, 0, 0, 0x01, 4, 0, 0) },
	{ "clause of another kind",    FORMAT, BYTES (MORE, 0, 0, 0, 0x2A, SMALL, 8, 0, 0, 0, 1, 1, 0, 1, 0, 0, 0, 0) },
	{ "clause of two kinds",       FORMAT, BYTES (MORE, 0, 0, 0, 0x2A, SMALL, 3, 0, 0, 0, 1, 1, 0, 1, 0, 0, 0, 0) },
	{ "try begins in operand",     FORMAT, BYTES (MORE, 0x1F, 0, 0, 0x2A, SMALL, 2, 0, 1, 0, 1, 3, 0, 1, 0, 0, 0, 0) },
	{ "try ends in operand",       FORMAT, BYTES (MORE, 0x1F, 0, 0, 0x2A, SMALL, 2, 0, 0, 0, 1, 3, 0, 1, 0, 0, 0, 0) },
	{ "handler begins in operand", FORMAT, BYTES (MORE, 0x1F, 0, 0, 0x2A, SMALL, 2, 0, 2, 0, 1, 1, 0, 1, 0, 0, 0, 0) },
	{ "handler begins at end",     FORMAT, BYTES (MORE, 0, 0, 0, 0x2A, SMALL, 2, 0, 0, 0, 1, 4, 0, 0, 0, 0, 0, 0) },
	{ "handler ends behind end",   FORMAT, BYTES (MORE, 0, 0, 0, 0x2A, SMALL, 2, 0, 0, 0, 1, 3, 0, 2, 0, 0, 0, 0) },
	{ "filter begins in operand",  FORMAT, BYTES (MORE, 0x1F, 0, 0, 0x2A, SMALL, 1, 0, 2, 0, 1, 3, 0, 1, 1, 0, 0, 0) },
	{ "filter begins behind end",  FORMAT, BYTES (MORE, 0, 0, 0, 0x2A, SMALL, 1, 0, 2, 0, 1, 3, 0, 1, 0, 0, 0, 0x80) },
};

static void
what_is_malformed_is_refused_and_leaves_the_result_alone (void **state)
{
	for (size_t i = 0; i < sizeof refusals / sizeof *refusals; i++) {
		monocle__il_body body;
		size_t size = 12345;
		/* An exact copy on the heap, so that ASan sees a read behind it. */
		uint8_t *copy = malloc (refusals[i].size);
		int error;

		memcpy (copy, refusals[i].bytes, refusals[i].size);
		memset (&body, 0xAA, sizeof body);
		error = monocle__il_read (&body, copy, refusals[i].size, &size);
		if (error != refusals[i].error)
			fail_msg ("%s: %d", refusals[i].why, error);
		assert_int_equal (size, 12345);
		assert_int_equal (body.count, 0xAAAAAAAA);
		free (copy);
	}
	assert_int_equal (monocle__il_read (&(monocle__il_body) { 0 }, NULL, 0, NULL), CUT);
}

/* --- every opcode ----------------------------------------------------------------------------------------------- */

static uint32_t
operand_size (const char *kind)
{
	static const struct { const char *kind; uint32_t size; } sizes[] = {
		{ "InlineNone", 0 }, { "ShortInlineVar", 1 }, { "ShortInlineI", 1 }, { "ShortInlineBrTarget", 1 },
		{ "InlineVar", 2 }, { "InlineI8", 8 }, { "InlineR", 8 },
	};

	for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
		if (!strcmp (sizes[i].kind, kind))
			return sizes[i].size;
	}
	return 4;
}

/* `name`, zero operand, ret: the branch of a zero operand goes to the ret, a switch has no targets. */
static void
check_opcode (const char *name, const char *kind, const char *byte1, const char *byte2, bool two)
{
	uint8_t data[1 + 2 + 8 + 1] = { 0 };
	uint32_t size = 0, opcode_size = two ? 2 : 1;
	monocle__il_body body;

	if (two)
		data[1] = (uint8_t)strtoul (byte1, NULL, 16);
	data[opcode_size] = (uint8_t)strtoul (byte2, NULL, 16);
	size = opcode_size + operand_size (kind);
	data[1 + size] = 0x2A;
	data[0] = (uint8_t)((size + 1) << 2 | 2);
	body = il_must_read (data, size + 2);
	assert_int_equal (body.count, 2);
	assert_string_equal (monocle__il_name (body.code[0].original_opcode), name);
	assert_int_equal (body.code[1].opcode, MONOCLE__IL_RET);
	assert_int_equal (body.code[1].offset, size);
	assert_int_equal (monocle__il_is_branch (body.code[0].opcode), strstr (kind, "BrTarget") != NULL);
	monocle__il_free (&body);
}

static void
every_row_of_the_opcode_table_can_be_read (void **state)
{
	char line[256], name[40], kind[40], family[40], byte1[8], byte2[8];
	FILE *file = fopen (OPCODES_TSV, "r");
	int length, checked = 0;

	assert_non_null (file);
	while (fgets (line, sizeof line, file)) {
		if (sscanf (line, "%*d %*s %39s %*s %*s %39s %39s %d %7s %7s", name, kind, family, &length, byte1, byte2) != 6)
			continue;
		if (!strcmp (name, "unused") || !strcmp (family, "IInternal"))
			continue;
		check_opcode (name, kind, byte1, byte2, length == 2);
		checked++;
	}
	fclose (file);
	check_opcode ("no.", "ShortInlineI", "0xFE", "0x19", true);
	assert_int_equal (checked, 218);
}

static void
facts_answer_for_every_opcode_and_for_none (void **state)
{
	assert_true (monocle__il_is_prefix (MONOCLE__IL_TAIL));
	assert_true (monocle__il_is_prefix (MONOCLE__IL_VOLATILE));
	assert_true (monocle__il_is_prefix (MONOCLE__IL_UNALIGNED));
	assert_true (monocle__il_is_prefix (MONOCLE__IL_CONSTRAINED));
	assert_true (monocle__il_is_prefix (MONOCLE__IL_READONLY));
	assert_true (monocle__il_is_prefix (MONOCLE__IL_NO));
	assert_false (monocle__il_is_prefix (MONOCLE__IL_CALL));
	assert_false (monocle__il_is_branch (MONOCLE__IL_SWITCH));
	assert_int_equal (monocle__il_flow_of (MONOCLE__IL_SWITCH), MONOCLE__IL_FLOW_COND_BRANCH);
	assert_int_equal (monocle__il_flow_of (MONOCLE__IL_ENDFILTER), MONOCLE__IL_FLOW_RETURN);
	assert_int_equal (monocle__il_pops (MONOCLE__IL_STELEM_REF), 3);
	assert_int_equal (monocle__il_pops (MONOCLE__IL_CALLI), -1);
	assert_int_equal (monocle__il_pushes (MONOCLE__IL_DUP), 2);
	for (uint32_t opcode = 0; opcode <= UINT16_MAX; opcode++)
		assert_non_null (monocle__il_name ((uint16_t)opcode));
	assert_string_equal (monocle__il_name (0x1200), "unknown");
	assert_string_equal (monocle__il_name (0xFE08), "unknown");
}

static void
the_first_prefix_is_found_over_several (void **state)
{
	/* nop; unaligned. 1 volatile. ldind.i1; ret */
	static const uint8_t data[] = IL_TINY (0x00, 0xFE, 0x12, 1, 0xFE, 0x13, 0x46, 0x2A);
	monocle__il_body body = il_must_read (data, sizeof data);

	assert_int_equal (monocle__il_first_prefix (&body, 3), 1);
	assert_int_equal (monocle__il_first_prefix (&body, 1), 1);
	assert_int_equal (monocle__il_first_prefix (&body, 4), 4);
	assert_int_equal (monocle__il_first_prefix (&body, 0), 0);
	monocle__il_free (&body);
}

int
main (void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test (a_tiny_header_means_stack_of_eight_and_no_locals),
		cmocka_unit_test (a_fat_header_says_stack_locals_and_their_initialisation),
		cmocka_unit_test (operands_have_the_sign_and_width_of_their_kind),
		cmocka_unit_test (short_branches_read_as_long_ones_and_remember_their_form),
		cmocka_unit_test (switch_targets_count_from_the_end_of_the_switch),
		cmocka_unit_test (code_may_fall_off_its_end_or_branch_to_it),
		cmocka_unit_test (small_and_fat_sections_say_the_same),
		cmocka_unit_test (clauses_of_several_sections_follow_one_another),
		cmocka_unit_test (a_filter_begins_where_its_last_field_says),
		cmocka_unit_test (a_section_size_without_its_own_header_is_tolerated),
		cmocka_unit_test (a_region_may_end_where_the_code_ends),
		cmocka_unit_test (what_is_malformed_is_refused_and_leaves_the_result_alone),
		cmocka_unit_test (every_row_of_the_opcode_table_can_be_read),
		cmocka_unit_test (facts_answer_for_every_opcode_and_for_none),
		cmocka_unit_test (the_first_prefix_is_found_over_several),
	};

	return cmocka_run_group_tests (tests, NULL, NULL);
}
