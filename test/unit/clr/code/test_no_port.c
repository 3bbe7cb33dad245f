/*
 * SPDX-License-Identifier: MIT
 *
 * test_no_port.c - a CPU without a port (arch/none): walks and samples are refused at once, and code is not decoded.
 *
 * What the walker would ask is stood in for; nobody may ask.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include "arch/arch.h"
#include "code/codemap.h"
#include "code/native.h"
#include "code/sampling.h"
#include "code/shape.h"
#include "code/walk.h"
#include "service.h"
#include "state.h"
#include "thread-memory.h"

static unsigned complaints;

void
monocle__clr_complain (const char *format, ...)
{
	complaints++;
}

bool
monocle__codemap_find (uintptr_t ip, monocle__code *ret)
{
	fail ();
	return false;
}

void
monocle__codemap_learn (uintptr_t ip)
{
	fail ();
}

void
monocle__codemap_end (void)
{
	fail ();
}

void
monocle__codemap_begin (void)
{
	fail ();
}

bool
monocle__service_run (void (*work) (void *data), void *data, size_t size, unsigned milliseconds)
{
	fail ();
	return false;
}

const monocle__thread_stack *
monocle__thread_memory_stack (void)
{
	fail ();
	return NULL;
}

void
monocle__thread_memory_set_stack (uintptr_t low, uintptr_t high)
{
}

static int
visit (const monocle_frame *frame, void *data)
{
	fail ();
	return 1;
}

static void
walks_of_interrupted_threads_are_refused (void **state)
{
	static ucontext_t context;
	assert_int_equal (getcontext (&context), 0);
	assert_true (monocle__walk_prepare ());
	assert_int_equal (monocle__walk (&context, MONOCLE_WALK_NATIVE, visit, NULL), MONOCLE_E_UNKNOWN);
}

static void
sampling_is_not_granted_and_one_line_says_so (void **state)
{
	assert_false (monocle__sampling_grant ());
	assert_int_equal (complaints, 1);
	monocle__sampling_thread_began ();
	monocle__sampling_thrown ();
}

static void
no_code_is_decoded (void **state)
{
	static const uint8_t code[] = { 0x55, 0x48, 0x8B, 0xEC, 0xE8, 0, 0, 0, 0, 0xC3 };
	monocle__shape shape;
	monocle__epilogue epilogue;
	assert_false (monocle__arch_prologue (code, sizeof code, SIZE_MAX, &shape));
	assert_false (monocle__arch_native_prologue (code, sizeof code, &shape));
	assert_false (monocle__arch_unwind_data (code, sizeof code, SIZE_MAX, &shape));
	assert_false (monocle__arch_epilogue (code, sizeof code, 9, 0, sizeof code, &epilogue));
	assert_false (monocle__arch_ends_with_call (code, 9));
	assert_int_equal (monocle__arch_call_target ((uintptr_t) code + 9), 0);
}

/* Of this very program: the rows are there, and none of them leads anywhere. */
static void
native_code_is_found_but_not_unwound (void **state)
{
	monocle__unwind_rule rule;
	bool starts;
	assert_true (monocle__native_read ());
	monocle__native_hold hold = monocle__native_enter ();
	assert_true (monocle__native_find (hold, (uintptr_t) visit + 1, &rule, &starts));
	assert_int_equal (monocle__rule_kind (rule), MONOCLE__CFA_UNKNOWN);
	monocle__native_leave (hold);
}

int
main (void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test (walks_of_interrupted_threads_are_refused),
		cmocka_unit_test (sampling_is_not_granted_and_one_line_says_so),
		cmocka_unit_test (no_code_is_decoded),
		cmocka_unit_test (native_code_is_found_but_not_unwound),
	};
	return cmocka_run_group_tests_name ("no port", tests, NULL, NULL);
}
