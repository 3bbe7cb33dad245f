/*
 * SPDX-License-Identifier: MIT
 *
 * test_shadow.c - the shadow stack where frames vanished without a word, or where an entry was lost.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include "fake-runtime.h"
#include "probes/shadow.h"

/* Methods are only compared; addresses are no code that the runtime knows. */
#define METHOD(number) ((MonoMethod *) (uintptr_t) (0x1000 * (number)))
enum { A = 1, B, C, D };

static void
push (int number, uintptr_t sp)
{
	monocle__shadow_push (METHOD (number), METHOD (number), sp, 0x77);
}

/* The number of the method that a leave probe is to name; 0: none. */
static int
pop (int number, uintptr_t sp)
{
	return (int) ((uintptr_t) monocle__shadow_pop (METHOD (number), sp) / 0x1000);
}

static int
clear (void **state)
{
	monocle__clr_state.info = &fake_runtime;
	monocle__clr_state.late = false;
	monocle__shadow_cut (0);
	return 0;
}

static void
frames_that_vanished_are_over_when_one_below_leaves (void **state)
{
	push (A, 0x1400);
	push (B, 0x1300);
	push (C, 0x1200);
	assert_int_equal (pop (A, 0x1400), A);
	assert_int_equal (monocle__shadow_depth (), 0);
}

static void
frames_that_vanished_are_over_when_another_takes_their_place (void **state)
{
	push (A, 0x9000);
	push (B, 0x8000);
	push (C, 0x7000);
	push (D, 0x8800);
	assert_int_equal (monocle__shadow_depth (), 2);
	assert_int_equal (pop (D, 0x8800), D);
	assert_int_equal (pop (A, 0x9000), A);
}

/* A frame and what was inlined into it have one stack pointer. */
static void
a_frame_without_an_entry_ends_only_what_is_deeper (void **state)
{
	push (A, 0x1400);
	push (B, 0x1300);
	push (C, 0x1200);
	assert_int_equal (pop (D, 0x1300), D);
	assert_int_equal (monocle__shadow_depth (), 2);
	assert_int_equal (pop (B, 0x1300), B);
	assert_int_equal (pop (A, 0x1400), A);
}

static void
after_an_attach_a_frame_without_an_entry_is_not_told (void **state)
{
	monocle__clr_state.late = true;
	push (A, 0x1400);
	assert_int_equal (pop (D, 0x1300), 0);
	assert_int_equal (pop (A, 0x1400), A);
	assert_int_equal (pop (B, 0x1500), 0);
}

static void
entries_for_which_there_was_no_room_are_counted (void **state)
{
	for (uint32_t i = 0; i < MONOCLE__SHADOW_ENTRIES; i++)
		push (A, 0x7f0000000000 - i * 16);
	push (B, 0x1000);
	push (C, 0x0ff0);
	assert_int_equal (monocle__shadow_depth (), MONOCLE__SHADOW_ENTRIES);
	assert_int_equal (pop (C, 0x0ff0), C);
	assert_int_equal (pop (B, 0x1000), B);
	assert_int_equal (pop (A, 0x7f0000000000 - (MONOCLE__SHADOW_ENTRIES - 1) * 16), A);
	assert_int_equal (monocle__shadow_depth (), MONOCLE__SHADOW_ENTRIES - 1);
}

int
main (void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup (frames_that_vanished_are_over_when_one_below_leaves, clear),
		cmocka_unit_test_setup (frames_that_vanished_are_over_when_another_takes_their_place, clear),
		cmocka_unit_test_setup (a_frame_without_an_entry_ends_only_what_is_deeper, clear),
		cmocka_unit_test_setup (after_an_attach_a_frame_without_an_entry_is_not_told, clear),
		cmocka_unit_test_setup (entries_for_which_there_was_no_room_are_counted, clear),
	};
	return cmocka_run_group_tests (tests, NULL, NULL);
}
