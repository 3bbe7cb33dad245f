/*
 * SPDX-License-Identifier: MIT
 *
 * test_shadow.c - the shadow stack where frames vanished without a word, where an entry was lost, and where a stub is
 * between a frame and its probes.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include "arch/arch.h"
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

/* --- stubs -------------------------------------------------------------------------------------------------------- */

/* Two stubs of the runtime, whose frames have 64 and 80 bytes with the return address, and code that is no stub. */
static const uint8_t narrow[] = { 0x55, 0x48, 0x83, 0xec, 0x30, 0x48, 0x8d, 0x6c, 0x24, 0x30, 0x90, 0xff, 0xd0, 0x90 };
static const uint8_t wide[] = { 0x55, 0x48, 0x83, 0xec, 0x40, 0x48, 0x8d, 0x6c, 0x24, 0x40, 0x90, 0xff, 0xd0, 0x90 };
static const uint8_t odd[] = { 0xcc, 0xcc, 0xff, 0xd0, 0x90 };
static const uint8_t code[16];
enum { NARROW = 64, WIDE = 80, CALL_END = 13, STUB_SLACK = 16 };
static unsigned asked;
static bool tells_stubs;

static bool
is_in (const uint8_t *piece, size_t size, LPCBYTE address)
{
	return (uintptr_t) address - (uintptr_t) piece < size;
}

static HRESULT
function_from_ip (ICorProfilerInfo15 *self, LPCBYTE address, FunctionID *ret_function)
{
	*ret_function = (FunctionID) code;
	return is_in (code, sizeof code, address) ? S_OK : E_FAIL;
}

static HRESULT
function_from_ip3 (ICorProfilerInfo15 *self, LPCBYTE address, FunctionID *ret_function, ReJITID *ret_version)
{
	asked++;
	*ret_version = 0;
	*ret_function = (FunctionID) (is_in (narrow, sizeof narrow, address) ? narrow
	                              : is_in (wide, sizeof wide, address)   ? wide
	                                                                     : odd);
	return tells_stubs ? S_OK : E_FAIL;
}

static HRESULT
start_addresses (ICorProfilerInfo15 *self, FunctionID function, ReJITID version, ULONG32 size, ULONG32 *ret_count,
                 UINT_PTR *starts)
{
	*starts = function;
	*ret_count = 1;
	return S_OK;
}

static int
script_stubs (void **state)
{
	static ICorProfilerInfo15Vtbl slots;
	static ICorProfilerInfo15 scripted = { &slots };
	clear (state);
	slots = *fake_runtime.vtbl;
	slots.GetFunctionFromIP = function_from_ip;
	slots.GetFunctionFromIP3 = function_from_ip3;
	slots.GetNativeCodeStartAddresses = start_addresses;
	monocle__clr_state.info = &scripted;
	monocle__clr_state.info_version = 15;
	asked = 0;
	tells_stubs = true;
	return 0;
}

/* A frame whose stack pointer is `frame` calls its probe through a stub. */
static void
push_through (int number, uintptr_t frame, const uint8_t *stub)
{
	uintptr_t size = stub == narrow ? NARROW : stub == wide ? WIDE : STUB_SLACK;
	uintptr_t back = (uintptr_t) stub + (stub == odd ? sizeof odd - 1 : CALL_END);
	monocle__shadow_push (METHOD (number), METHOD (number), frame - size, back);
}

static uint32_t
depth_handled (uintptr_t frame)
{
	monocle__shadow_handled (0, frame, 0);
	return monocle__shadow_depth ();
}

/* Frames of unoptimised code may be smaller than the stub's. */
static void
a_handler_ends_what_is_deeper_than_its_frame_and_no_more (void **state)
{
	push_through (A, 0x9000, narrow);
	push_through (A, 0x8fe0, narrow);
	push_through (A, 0x8fc0, narrow);
	push_through (A, 0x8fa0, narrow);
	monocle__shadow_thrown ();
	assert_int_equal (depth_handled (0x8fa0), 4);
	assert_int_equal (depth_handled (0x8fc0), 3);
	assert_int_equal (depth_handled (0x9000), 1);
	assert_int_equal (pop (A, 0x9000 - NARROW), A);
}

static void
each_stub_has_a_frame_of_its_own_size (void **state)
{
	push_through (A, 0x9000, wide);
	push_through (B, 0x8f80, narrow);
	monocle__shadow_push (METHOD (C), METHOD (C), 0x8f00, (uintptr_t) code + 8);
	push_through (D, 0x8e80, wide);
	monocle__shadow_thrown ();
	assert_int_equal (depth_handled (0x8e80), 4);
	assert_int_equal (depth_handled (0x8f00), 3);
	assert_int_equal (depth_handled (0x8f80), 2);
	assert_int_equal (depth_handled (0x9000), 1);
}

/* As localloc does, and a body that takes over the frame. */
static void
a_frame_that_has_grown_is_named_below_its_beginning (void **state)
{
	push_through (A, 0x9000, narrow);
	push_through (A, 0x8800, narrow);
	monocle__shadow_thrown ();
	assert_int_equal (depth_handled (0x8810), 1);
}

static void
a_stub_is_measured_once (void **state)
{
	push_through (A, 0x9000, narrow);
	monocle__shadow_thrown ();
	unsigned once = asked;
	push_through (B, 0x8f00, narrow);
	monocle__shadow_thrown ();
	assert_true (once <= 1);
	assert_int_equal (asked, once);
	tells_stubs = false;
	assert_int_equal (depth_handled (0x8f00), 2);
	assert_int_equal (depth_handled (0x9000), 1);
}

/* Its frame is not known: it goes by the stack pointer that its probe was called with. */
static void
what_is_no_stub_is_left_as_it_is (void **state)
{
	push_through (A, 0x9000, narrow);
	push_through (B, 0x8f00, odd);
	monocle__shadow_thrown ();
	assert_int_equal (depth_handled (0x8f00 - STUB_SLACK), 2);
	assert_int_equal (depth_handled (0x9000), 1);
}

/* What is popped by a probe is compared with what its own probe was called with. */
static void
probes_match_after_a_throw (void **state)
{
	push_through (A, 0x9000, wide);
	push_through (B, 0x8fe0, wide);
	monocle__shadow_thrown ();
	push_through (C, 0x8fc0, wide);
	assert_int_equal (pop (C, 0x8fc0 - WIDE), C);
	assert_int_equal (pop (B, 0x8fe0 - WIDE), B);
	assert_int_equal (pop (A, 0x9000 - WIDE), A);
	assert_int_equal (monocle__shadow_depth (), 0);
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
	const struct CMUnitTest stubs[] = {
		cmocka_unit_test_setup (a_handler_ends_what_is_deeper_than_its_frame_and_no_more, script_stubs),
		cmocka_unit_test_setup (each_stub_has_a_frame_of_its_own_size, script_stubs),
		cmocka_unit_test_setup (a_frame_that_has_grown_is_named_below_its_beginning, script_stubs),
		cmocka_unit_test_setup (a_stub_is_measured_once, script_stubs),
		cmocka_unit_test_setup (what_is_no_stub_is_left_as_it_is, script_stubs),
		cmocka_unit_test_setup (probes_match_after_a_throw, script_stubs),
	};
	/* On a CPU whose code is not read nothing is known of stubs. */
	if (MONOCLE__ARCH_WALKS && cmocka_run_group_tests (stubs, NULL, NULL))
		return 1;
	return cmocka_run_group_tests (tests, NULL, NULL);
}
