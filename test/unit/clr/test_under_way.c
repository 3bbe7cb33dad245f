/*
 * SPDX-License-Identifier: MIT
 *
 * test_under_way.c - which exception is under way, what is told of it, and that each is let go of again: lib/clr's
 * under-way.c alone, called as the runtime calls it.
 *
 * A function is a table of clauses. Code of clause i's handler begins at BEGIN + i, of its filter at FILTER + i.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>
#include "arch/arch.h"
#include "exceptions/clause.h"
#include "exceptions/under-way.h"
#include "heap/object.h"
#include "images/resolve.h"
#include "state.h"
#include "thread-memory.h"

enum { BEGIN = 0x100, FILTER = 0x200, OUTER_FRAME = 0x9000, INNER_FRAME = 0x8000, OBJECT_A = 0xA0, OBJECT_B = 0xB0 };

typedef struct {
	uint32_t flags;
	int inside; /* the handler of this clause; -1: of none */
} fake_clause;

struct monocle__clauses {
	const char *name;
	bool probed, typed, enclosed;
	uint32_t count;
	fake_clause list[4];
};

monocle__clr monocle__clr_state;
static uint32_t counts[MONOCLE_EVENT_COUNT];
static monocle__under_way_list own;
static COR_PRF_EX_CLAUSE_INFO announced;
static unsigned held;
static char told[1000];

/* --- the rest of the adapter, and the core ------------------------------------------------------------------------ */

void *
monocle__clr_object_hold (ObjectID object)
{
	held++;
	return (void *) object;
}

void
monocle__clr_object_release (void *object)
{
	held -= object != NULL;
}

monocle__under_way_list *
monocle__thread_memory_under_way (void)
{
	return &own;
}

monocle__clauses *
monocle__clause_of (FunctionID function)
{
	return (monocle__clauses *) function;
}

uint32_t
monocle__clause_flags (const monocle__clauses *clauses, uint32_t index)
{
	return clauses->list[index].flags;
}

bool
monocle__clause_typed (const monocle__clauses *clauses)
{
	return clauses->typed;
}

bool
monocle__clause_probed (const monocle__clauses *clauses)
{
	return clauses->probed;
}

uint32_t
monocle__clause_at (monocle__clauses *clauses, uintptr_t begin, bool is_filter)
{
	uintptr_t index = begin - (is_filter ? FILTER : BEGIN);
	return index < clauses->count ? (uint32_t) index : UINT32_MAX;
}

bool
monocle__clause_protect (const monocle__clauses *clauses, uintptr_t return_address)
{
	return return_address == BEGIN;
}

bool
monocle__clause_enclose (const monocle__clauses *clauses, uint32_t in)
{
	return clauses->enclosed;
}

bool
monocle__clause_nest (const monocle__clauses *clauses, uint32_t outer, uint32_t inner)
{
	return clauses->list[inner].inside == (int) outer;
}

void
monocle__arch_snapshot_registers (const uint8_t *context, uintptr_t *ret_sp, uintptr_t *ret_fp)
{
	*ret_sp = 0;
	*ret_fp = OUTER_FRAME;
}

MonoMethod *
monocle__resolve_method (FunctionID function)
{
	return (MonoMethod *) function;
}

MonoMethod *
monocle_method_definition (MonoMethod *method)
{
	return method;
}

void
monocle_raise_exception_clause (MonoMethod *method, uint32_t index, MonoExceptionEnum type, MonoObject *exception)
{
	size_t length = strlen (told);
	snprintf (told + length, sizeof told - length, "%s%s %u %d %lX", length ? ", " : "",
	          ((monocle__clauses *) method)->name, index, (int) type, (unsigned long) (uintptr_t) exception);
}

static HRESULT
notified (ICorProfilerInfo15 *self, COR_PRF_EX_CLAUSE_INFO *ret)
{
	*ret = announced;
	return S_OK;
}

/* Two frames of the function that was searched last, the inner one outside of any try. */
static FunctionID on_stack;

static HRESULT
snapshot (ICorProfilerInfo15 *self, ThreadID thread, void *callback, ULONG32 flags, void *data, BYTE *context,
          ULONG32 size)
{
	HRESULT (*visit)
	(FunctionID, UINT_PTR, COR_PRF_FRAME_INFO, ULONG32, uint8_t *, void *) =
	    (HRESULT (*) (FunctionID, UINT_PTR, COR_PRF_FRAME_INFO, ULONG32, uint8_t *, void *)) callback;
	if (visit (on_stack, BEGIN + 1, 0, 0, NULL, data) == S_OK)
		visit (on_stack, BEGIN, 0, 0, NULL, data);
	return S_OK;
}

/* --- what the runtime says ---------------------------------------------------------------------------------------- */

static struct monocle__clauses plain = { .name = "plain", .count = 3, .list = { { 2, -1 }, { 0, -1 }, { 2, 1 } } };
static struct monocle__clauses filters = { .name = "filters", .count = 1, .list = { { 1, -1 } } };
static struct monocle__clauses probed = {
	.name = "probed", .probed = true, .count = 2, .list = { { 2, -1 }, { 0, -1 } }
};
static struct monocle__clauses typed = { .name = "typed", .typed = true, .count = 1, .list = { { 0, -1 } } };

static void
at (uintptr_t frame, uintptr_t begin)
{
	announced = (COR_PRF_EX_CLAUSE_INFO) { .framePointer = frame, .programCounter = begin };
}

static void
finally_enter (monocle__clauses *function, uintptr_t frame, uint32_t index)
{
	at (frame, BEGIN + index);
	monocle__under_way_finally_enter ((FunctionID) function);
}

static void
finally_leave (uintptr_t frame, uint32_t index)
{
	at (frame, BEGIN + index);
	monocle__under_way_handler_leave ();
}

static void
catcher_enter (monocle__clauses *function, uintptr_t frame, uint32_t index, ObjectID object)
{
	at (frame, BEGIN + index);
	monocle__under_way_catcher_enter ((FunctionID) function, object);
}

static void
search (monocle__clauses *function, bool found)
{
	monocle__under_way_search_enter ((FunctionID) function);
	if (found)
		monocle__under_way_found ();
	on_stack = (FunctionID) function;
	monocle__under_way_search_leave ();
}

static int
setup (void **state)
{
	static const ICorProfilerInfo15Vtbl vtbl = { .GetNotifiedExceptionClauseInfo = notified,
		                                         .DoStackSnapshot = snapshot };
	static ICorProfilerInfo15 info = { &vtbl };
	memset (&own, 0, sizeof own);
	memset (counts, 0, sizeof counts);
	counts[MONOCLE_EVENT_exception_clause] = counts[MONOCLE_EVENT_method_exception_leave] = 1;
	monocle__clr_state.info = &info;
	monocle__clr_state.counts = counts;
	atomic_store (&monocle__clr_state.clauses, true);
	held = 0;
	*told = 0;
	return 0;
}

static int
all_is_let_go (void **state)
{
	return (int) held;
}

/* --- telling ------------------------------------------------------------------------------------------------------ */

static void
a_finally_block_and_the_catch_block_get_the_object (void **state)
{
	monocle__under_way_thrown (OBJECT_A);
	finally_enter (&plain, INNER_FRAME, 0);
	finally_leave (INNER_FRAME, 0);
	catcher_enter (&plain, OUTER_FRAME, 1, OBJECT_A);
	assert_string_equal (told, "plain 0 2 A0, plain 1 0 A0");
}

static void
an_exception_that_takes_the_place_of_another_ends_both (void **state)
{
	monocle__under_way_thrown (OBJECT_A);
	finally_enter (&plain, INNER_FRAME, 0);
	monocle__under_way_thrown (OBJECT_B);
	assert_int_equal (held, 2);
	catcher_enter (&plain, OUTER_FRAME, 1, OBJECT_B);
	assert_string_equal (told, "plain 0 2 A0, plain 1 0 B0");
}

static void
what_a_finally_block_throws_and_catches_leaves_the_outer_one_alone (void **state)
{
	monocle__under_way_thrown (OBJECT_A);
	finally_enter (&plain, OUTER_FRAME, 0);
	monocle__under_way_thrown (OBJECT_B);
	catcher_enter (&plain, INNER_FRAME, 1, OBJECT_B);
	assert_int_equal (held, 1);
	at (INNER_FRAME, BEGIN + 1);
	monocle__under_way_handler_leave ();
	finally_leave (OUTER_FRAME, 0);
	finally_enter (&filters, OUTER_FRAME + 1, 0);
	catcher_enter (&plain, OUTER_FRAME + 2, 1, OBJECT_A);
	assert_string_equal (told, "plain 0 2 A0, plain 1 0 B0, filters 0 0 A0, plain 1 0 A0");
}

static void
what_a_filter_throws_is_forgotten_when_the_filter_ends (void **state)
{
	monocle__under_way_thrown (OBJECT_A);
	monocle__under_way_search_enter ((FunctionID) &filters);
	at (OUTER_FRAME, FILTER);
	monocle__under_way_filter_enter ((FunctionID) &filters);
	monocle__under_way_thrown (OBJECT_B);
	at (OUTER_FRAME, FILTER);
	monocle__under_way_handler_leave ();
	assert_int_equal (held, 1);
	catcher_enter (&filters, OUTER_FRAME, 0, OBJECT_A);
	assert_string_equal (told, "filters 0 1 A0, filters 0 0 A0");
}

static void
a_handler_with_a_probe_tells_of_itself (void **state)
{
	MonoObject *object = NULL;
	void *rest = NULL;
	monocle__under_way_thrown (OBJECT_A);
	finally_enter (&probed, INNER_FRAME, 0);
	assert_string_equal (told, "");
	assert_true (monocle__under_way_take ((MonoMethod *) &probed, MONO_EXCEPTION_CLAUSE_FINALLY, &object, &rest));
	assert_ptr_equal (object, OBJECT_A);
	assert_null (rest);
	assert_false (monocle__under_way_take ((MonoMethod *) &probed, MONO_EXCEPTION_CLAUSE_FINALLY, &object, &rest));
	catcher_enter (&probed, OUTER_FRAME, 1, OBJECT_A);
	assert_true (monocle__under_way_take ((MonoMethod *) &probed, MONO_EXCEPTION_CLAUSE_NONE, &object, &rest));
	monocle__clr_object_release (rest);
}

static void
an_announcement_is_nobody_elses (void **state)
{
	MonoObject *object = NULL;
	void *rest = NULL;
	monocle__under_way_thrown (OBJECT_A);
	catcher_enter (&probed, OUTER_FRAME, 1, OBJECT_A);
	assert_false (monocle__under_way_take ((MonoMethod *) &plain, MONO_EXCEPTION_CLAUSE_NONE, &object, &rest));
	catcher_enter (&probed, OUTER_FRAME, 1, OBJECT_A);
	assert_false (monocle__under_way_take ((MonoMethod *) &probed, MONO_EXCEPTION_CLAUSE_FINALLY, &object, &rest));
	assert_null (object);
}

static void
deeper_than_anybody_follows_nothing_is_lost_but_objects (void **state)
{
	for (int i = 0; i < 100; i++) {
		monocle__under_way_thrown (OBJECT_A);
		finally_enter (&plain, (uintptr_t) OUTER_FRAME - (uintptr_t) i, 0);
	}
	catcher_enter (&plain, OUTER_FRAME + 1, 1, OBJECT_A);
}

static void
nobody_listens_and_nothing_is_held (void **state)
{
	memset (counts, 0, sizeof counts);
	monocle__under_way_thrown (OBJECT_A);
	finally_enter (&plain, INNER_FRAME, 0);
	assert_int_equal (held, 0);
	assert_string_equal (told, "");
}

/* --- the object of method_exception_leave ------------------------------------------------------------------------- */

static void
a_frame_leaves_without_object_until_a_clause_was_met (void **state)
{
	monocle__under_way_thrown (OBJECT_A);
	search (&plain, true);
	monocle__under_way_unwind_enter ((FunctionID) &plain);
	assert_null (monocle__under_way_left ());
	finally_enter (&plain, INNER_FRAME, 0);
	assert_null (monocle__under_way_left ()); /* what leaves now is the finally block's */
	finally_leave (INNER_FRAME, 0);
	assert_ptr_equal (monocle__under_way_left (), OBJECT_A);
	catcher_enter (&plain, OUTER_FRAME, 1, OBJECT_A);
	assert_null (monocle__under_way_left ());
}

static void
a_catch_block_for_another_type_counts_where_it_stands_around (void **state)
{
	monocle__under_way_thrown (OBJECT_A);
	search (&typed, false); /* the inner frame is outside of the try */
	search (&typed, false);
	search (&plain, true);
	monocle__under_way_unwind_enter ((FunctionID) &typed);
	assert_null (monocle__under_way_left ());
	monocle__under_way_unwind_enter ((FunctionID) &typed);
	assert_ptr_equal (monocle__under_way_left (), OBJECT_A);
	catcher_enter (&plain, OUTER_FRAME, 1, OBJECT_A);
}

static void
a_frame_in_a_handler_is_judged_by_what_stands_around_that (void **state)
{
	for (int enclosed = 0; enclosed < 2; enclosed++) {
		typed.enclosed = enclosed;
		monocle__under_way_thrown (OBJECT_A);
		catcher_enter (&typed, OUTER_FRAME, 0, OBJECT_A);
		monocle__under_way_thrown (OBJECT_B);
		search (&typed, false);
		monocle__under_way_unwind_enter ((FunctionID) &typed);
		assert_ptr_equal (monocle__under_way_left (), enclosed ? OBJECT_B : 0);
		catcher_enter (&plain, OUTER_FRAME + 1, 1, OBJECT_B);
	}
}

int
main (void)
{
#define TEST(test) cmocka_unit_test_setup_teardown (test, setup, all_is_let_go)
	const struct CMUnitTest tests[] = {
		TEST (a_finally_block_and_the_catch_block_get_the_object),
		TEST (an_exception_that_takes_the_place_of_another_ends_both),
		TEST (what_a_finally_block_throws_and_catches_leaves_the_outer_one_alone),
		TEST (what_a_filter_throws_is_forgotten_when_the_filter_ends),
		TEST (a_handler_with_a_probe_tells_of_itself),
		TEST (an_announcement_is_nobody_elses),
		TEST (deeper_than_anybody_follows_nothing_is_lost_but_objects),
		TEST (nobody_listens_and_nothing_is_held),
		TEST (a_frame_leaves_without_object_until_a_clause_was_met),
		TEST (a_catch_block_for_another_type_counts_where_it_stands_around),
		TEST (a_frame_in_a_handler_is_judged_by_what_stands_around_that),
	};
	return cmocka_run_group_tests (tests, NULL, NULL);
}
