/*
 * SPDX-License-Identifier: MIT
 *
 * test_eh_frame.c - rows of sections written by hand: each instruction that matters, and what is corrupt.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "code/eh-frame.h"

enum { ADDRESS = 0x20000, BASE = 0x10000, CODE = 0x11000, CODE_SIZE = 0x40 };

typedef struct {
	uint8_t bytes[512];
	size_t size;
} section;

static void
put (section *s, uint64_t value, unsigned size)
{
	memcpy (s->bytes + s->size, &value, size);
	s->size += size;
}

static void
close_entry (section *s, size_t start)
{
	while ((s->size - start) % 8)
		put (s, 0, 1);
	uint32_t length = (uint32_t) (s->size - start - 4);
	memcpy (s->bytes + start, &length, sizeof length);
}

/* "zR" or "zRS": pointers relative to themselves, cfa = rsp + 8, return address below it. */
static void
put_cie (section *s, const char *augmentation)
{
	static const uint8_t rest[] = { 1, 0x78, 16, 1, 0x1b, 0x0c, 7, 8, 0x90, 1 };
	size_t start = s->size;
	put (s, 0, 4);
	put (s, 0, 4);
	put (s, 1, 1);
	memcpy (s->bytes + s->size, augmentation, strlen (augmentation) + 1);
	s->size += strlen (augmentation) + 1;
	memcpy (s->bytes + s->size, rest, sizeof rest);
	s->size += sizeof rest;
	close_entry (s, start);
}

static void
put_fde (section *s, uint64_t code, const uint8_t *program, size_t size)
{
	size_t start = s->size;
	put (s, 0, 4);
	put (s, s->size, 4); /* back to the first entry */
	put (s, code - (ADDRESS + s->size), 4);
	put (s, CODE_SIZE, 4);
	put (s, 0, 1);
	memcpy (s->bytes + s->size, program, size);
	s->size += size;
	close_entry (s, start);
}

/* "pc:kind+offset/saved" of each row, after reading. */
static const char *
rows_of (const section *s, size_t *ret_functions, size_t *ret_skipped)
{
	static const char *const kinds[] = { "?", "sp", "fp", "plt", "[fp]", "[sp]", "signal", "root" };
	static char text[1024];
	monocle__unwind_rows rows = { NULL, 0, 0, false };
	uint8_t *copy = malloc (s->size); /* where a sanitizer sees the end */
	size_t at = 0;
	memcpy (copy, s->bytes, s->size);
	*ret_functions = monocle__eh_frame_read (copy, s->size, ADDRESS, BASE, &rows, ret_skipped);
	text[0] = 0;
	for (size_t i = 0; i < rows.count; i++) {
		monocle__unwind_rule r = rows.list[i].rule;
		at += (size_t) snprintf (text + at, sizeof text - at, "%s%x%s%s%+td/%zu", i ? " " : "", rows.list[i].pc,
		                         monocle__rule_is_first (r) ? "!" : ":", kinds[monocle__rule_kind (r)],
		                         monocle__rule_offset (r), monocle__rule_saved (r));
	}
	free (rows.list);
	free (copy);
	return text;
}

#define PROGRAM(...) \
	(const uint8_t[]) { __VA_ARGS__ }, sizeof (const uint8_t[]) \
	{ \
		__VA_ARGS__ \
	}

static const char *
rows_of_program (const char *augmentation, const uint8_t *program, size_t size)
{
	section s = { .size = 0 };
	size_t functions, skipped;
	put_cie (&s, augmentation);
	put_fde (&s, CODE, program, size);
	put (&s, 0, 4);
	const char *text = rows_of (&s, &functions, &skipped);
	assert_int_equal (functions, 1);
	assert_int_equal (skipped, 0);
	return text;
}

static void
a_frame_with_a_frame_pointer (void **state)
{
	/* push rbp; mov rbp, rsp; ...; pop rbp; ret */
	assert_string_equal (rows_of_program ("zR", PROGRAM (0x41, 0x0e, 16, 0x86, 2, 0x43, 0x0d, 6, 0x70, 0x0c, 7, 8)),
	                     "1000!sp+8/0 1001:sp+16/16 1004:fp+16/16 1034:sp+8/16 1040:?+0/0");
}

static void
rules_are_remembered_and_restored (void **state)
{
	assert_string_equal (
	    rows_of_program ("zR", PROGRAM (0x41, 0x0e, 24, 0x86, 3, 0x48, 0x0a, 0x0e, 8, 0xc6, 0x41, 0x0b)),
	    "1000!sp+8/0 1001:sp+24/24 1009:sp+8/0 100a:sp+24/24 1040:?+0/0");
}

static void
expressions_that_are_known (void **state)
{
	assert_string_equal (
	    rows_of_program ("zR", PROGRAM (0x0f, 11, 0x77, 8, 0x80, 0, 0x3f, 0x1a, 0x3b, 0x2a, 0x33, 0x24, 0x22)),
	    "1000!plt+0/0 1040:?+0/0");
	assert_string_equal (rows_of_program ("zR", PROGRAM (0x0f, 3, 0x76, 0x78, 0x06, 0x10, 6, 2, 0x76, 0)),
	                     "1000![fp]-8/0 1040:?+0/0");
	assert_string_equal (rows_of_program ("zR", PROGRAM (0x0f, 5, 0x77, 0x28, 0x06, 0x23, 0x08)),
	                     "1000![sp]+40/0 1040:?+0/0");
	assert_string_equal (rows_of_program ("zR", PROGRAM (0x0f, 2, 0x77, 0x28)), "1000!?+0/0 1040:?+0/0");
}

static void
signals_and_roots (void **state)
{
	assert_string_equal (rows_of_program ("zRS", PROGRAM (0x00)), "1000!signal+0/0 1040:?+0/0");
	assert_string_equal (rows_of_program ("zR", PROGRAM (0x07, 16)), "1000!root+0/0 1040:?+0/0");
}

/* What cannot be said in a row is said to be unknown. */
static void
other_registers_are_unknown (void **state)
{
	assert_string_equal (rows_of_program ("zR", PROGRAM (0x41, 0x0c, 3, 16, 0x41, 0x0c, 7, 8)),
	                     "1000!sp+8/0 1001:?+0/0 1002:sp+8/0 1040:?+0/0");
	assert_string_equal (rows_of_program ("zR", PROGRAM (0x0e, 9)), "1000!?+0/0 1040:?+0/0");
	assert_string_equal (rows_of_program ("zR", PROGRAM (0x09, 6, 3)), "1000!?+0/0 1040:?+0/0");
	assert_string_equal (rows_of_program ("zR", PROGRAM (0x90, 3)), "1000!?+0/0 1040:?+0/0");
}

static void
an_instruction_that_nobody_knows_ends_the_function (void **state)
{
	assert_string_equal (rows_of_program ("zR", PROGRAM (0x41, 0x0e, 16, 0x41, 0x3f, 0x41)),
	                     "1000!sp+8/0 1001:sp+16/0 1002:?+0/0");
}

/* Order of entries and overlap of gaps do not matter; equal neighbours are one row. */
static void
functions_are_sorted (void **state)
{
	section s = { .size = 0 };
	size_t functions, skipped;
	put_cie (&s, "zR");
	put_fde (&s, CODE + CODE_SIZE, PROGRAM (0x41, 0x0e, 16));
	put_fde (&s, CODE, PROGRAM (0x0e, 8));
	assert_string_equal (rows_of (&s, &functions, &skipped), "1000!sp+8/0 1040!sp+8/0 1041:sp+16/0 1080:?+0/0");
	assert_int_equal (functions, 2);
}

/* Nobody writes such a thing: it is read all the same, as rows that ascend. */
static void
functions_that_overlap_are_sorted_too (void **state)
{
	section s = { .size = 0 };
	size_t functions, skipped;
	put_cie (&s, "zR");
	put_fde (&s, CODE + 0x10, PROGRAM (0x50, 0x0e, 24));
	put_fde (&s, CODE, PROGRAM (0x78, 0x0e, 16));
	put (&s, 0, 4);
	assert_string_equal (rows_of (&s, &functions, &skipped),
	                     "1000!sp+8/0 1010!sp+8/0 1020:sp+24/0 1038:sp+16/0 1040:?+0/0");
	assert_int_equal (functions, 2);
}

static void
lookups_find_the_row_before (void **state)
{
	static const monocle__unwind_row rows[] = { { 0x10, 1 }, { 0x20, 2 }, { 0x30, 0 } };
	bool starts;
	assert_int_equal (monocle__eh_frame_find (rows, 3, 0xf, &starts), 0);
	assert_false (starts);
	assert_int_equal (monocle__eh_frame_find (rows, 3, 0x10, &starts), 1);
	assert_true (starts);
	assert_int_equal (monocle__eh_frame_find (rows, 3, 0x2f, &starts), 2);
	assert_false (starts);
	assert_int_equal (monocle__eh_frame_find (rows, 3, 0x3000, &starts), 0);
	assert_int_equal (monocle__eh_frame_find (rows, 0, 0x3000, &starts), 0);
}

static void
extremes_fit_into_a_rule (void **state)
{
	monocle__unwind_rule rule = monocle__rule (MONOCLE__CFA_FP_READ, true, -MONOCLE__OFFSET_MAX, MONOCLE__SAVED_MAX);
	assert_int_equal (monocle__rule_kind (rule), MONOCLE__CFA_FP_READ);
	assert_int_equal (monocle__rule_offset (rule), -8 * MONOCLE__OFFSET_MAX);
	assert_int_equal (monocle__rule_saved (rule), 8 * MONOCLE__SAVED_MAX);
	assert_true (monocle__rule_is_first (rule));
}

/* Whatever a byte is changed to: no read past the end, rows by ascending pc. */
static void
corrupt_sections_do_no_harm (void **state)
{
	section good = { .size = 0 };
	put_cie (&good, "zR");
	put_fde (&good, CODE, PROGRAM (0x41, 0x0e, 16, 0x86, 2, 0x43, 0x0d, 6, 0x0a, 0x0b, 0x70, 0x0c, 7, 8));
	put_fde (&good, CODE + CODE_SIZE, PROGRAM (0x0f, 3, 0x76, 0x78, 0x06, 0x10, 6, 2, 0x76, 0));
	for (size_t i = 0; i < good.size * 256; i++) {
		section s = good;
		size_t functions, skipped;
		s.bytes[i / 256] = (uint8_t) i;
		rows_of (&s, &functions, &skipped);
		assert_true (functions <= 2);
	}
	for (size_t size = 0; size < good.size; size++) {
		section s = good;
		size_t functions, skipped;
		s.size = size;
		rows_of (&s, &functions, &skipped);
		assert_true (functions < 2);
	}
}

static void
headers_say_where_it_begins (void **state)
{
	static const uint8_t header[] = { 1, 0x1b, 0x03, 0x3b, 0x10, 0, 0, 0, 0, 0, 0, 0 };
	static const uint8_t old[] = { 2, 0x1b, 3, 0x3b, 0, 0, 0, 0 };
	assert_int_equal (monocle__eh_frame_of_header (header, sizeof header, 0x1000), 0x1014);
	assert_int_equal (monocle__eh_frame_of_header (old, sizeof old, 0x1000), 0);
	assert_int_equal (monocle__eh_frame_of_header (header, 6, 0x1000), 0);
}

int
main (void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test (a_frame_with_a_frame_pointer),
		cmocka_unit_test (rules_are_remembered_and_restored),
		cmocka_unit_test (expressions_that_are_known),
		cmocka_unit_test (signals_and_roots),
		cmocka_unit_test (other_registers_are_unknown),
		cmocka_unit_test (an_instruction_that_nobody_knows_ends_the_function),
		cmocka_unit_test (functions_are_sorted),
		cmocka_unit_test (functions_that_overlap_are_sorted_too),
		cmocka_unit_test (lookups_find_the_row_before),
		cmocka_unit_test (extremes_fit_into_a_rule),
		cmocka_unit_test (corrupt_sections_do_no_harm),
		cmocka_unit_test (headers_say_where_it_begins),
	};
	return cmocka_run_group_tests (tests, NULL, NULL);
}
