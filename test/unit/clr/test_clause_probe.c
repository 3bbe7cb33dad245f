/*
 * SPDX-License-Identifier: MIT
 *
 * test_clause_probe.c - where probes of handlers are in the IL, and who carries which exception: lib/clr's
 * clause-probe.c alone. Bodies are compared as text (il_text.h). The first local that is added has the number 7.
 */
#include <stdio.h>
#include "exceptions/under-way.h"
#include "heap/object.h"
#include "il_text.h"
#include "probes/clause-probe.h"
#include "probes/rewrite.h"
#include "probes/tokens.h"
#include "state.h"
#include "thread-memory.h"

/* Rows in columns: clang-format leaves them alone. */
/* clang-format off */

monocle__clr monocle__clr_state;
static uint32_t counts[MONOCLE_EVENT_COUNT];
static uint32_t locals;
static char told[200];

/* --- the rest of the adapter, and the core ------------------------------------------------------------------------ */

uint32_t
monocle__tokens_add_locals (monocle__rewriting *job, const uint8_t *type, uint32_t type_size, uint32_t count)
{
	assert_int_equal (type_size, 1);
	assert_int_equal (*type, MONOCLE__ET_OBJECT);
	locals = count;
	return 7;
}

uint32_t
monocle__tokens_calli (monocle__clr_image *image, uint32_t count)
{
	return count;
}

uint32_t
monocle__rewrite_keys (const monocle__rewriting *job, monocle__il_instruction *out)
{
	return 0;
}


uint32_t
monocle__rewrite_call (monocle__il_instruction *out, monocle__probe function, uint32_t signature)
{
	out[0] = monocle__il_op (MONOCLE__IL_CALLI, signature);
	return 1;
}

MonoMethod *
monocle__probe_generic_instance (monocle__clr_generic *generic, const uintptr_t *keys)
{
	return keys[0] == 1 ? (MonoMethod *) 0x31 : NULL;
}

static MonoObject *announced;
static monocle__thread_memory memory;
monocle__thread_word monocle__thread_memory_word;

bool
monocle__under_way_take (MonoMethod *definition, uint32_t type, MonoObject **ret_object, void **ret_held)
{
	if (!announced)
		return false;
	*ret_object = announced;
	return true;
}

void
monocle__clr_object_release (void *held)
{
}

void
monocle_raise_exception_clause (MonoMethod *method, uint32_t index, MonoExceptionEnum type, MonoObject *exception)
{
	snprintf (told, sizeof told, "%lX %u %d %lX", (unsigned long) (uintptr_t) method, index, (int) type,
	          (unsigned long) (uintptr_t) exception);
}

/* --- the IL ------------------------------------------------------------------------------------------------------- */

static void
check (const uint8_t *data, size_t size, const char *expected)
{
	monocle__rewriting job = { .record = 0, .body = il_must_read (data, size) };
	monocle__il_edit *edit = monocle__il_edit_new (&job.body);
	locals = 0;
	assert_int_equal (monocle__clause_probe_insert (&job, edit), 0);
	assert_int_equal (monocle__il_edit_apply (edit), 0);
	assert_il (&job.body, expected);
	monocle__il_free (&job.body);
}

/* One probe: index << 3 | type, and the local that carries, if any. */
#define PROBE(clause) "+ldc.i8 +ldc.i4=" #clause " +conv.i +ldc.i4.0 +conv.u +calli=2 "
#define PROBE_0 "+ldc.i8 +ldc.i4 +conv.i +ldc.i4.0 +conv.u +calli=2 "
#define CARRIER(clause, local) "+ldc.i8 +ldc.i4=" #clause " +conv.i +ldloca=" #local " +conv.u +calli=2 "

static void
a_finally_block_that_no_catch_block_leads_to_carries_nothing (void **state)
{
	/* 0 leave 2; 1 endfinally; 2 ret */
	static const uint8_t data[] = { IL_FAT (0x08, 4), 0xDE, 1, 0xDC, 0x2A,
	                                0x01, 16, 0, 0, 2, 0, 0, 0, 2, 2, 0, 1, 0, 0, 0, 0 };

	check (data, sizeof data, "leave>8 " PROBE (2) "endfinally ret | finally 0-1 1-8");
	assert_int_equal (locals, 0);
}

static void
a_leave_in_a_catch_block_carries_its_exception_through_the_finally_block (void **state)
{
	/* 0 leave 4; 1 pop; 2 leave 4; 3 endfinally; 4 ret -- catch 0-1 1-3, finally 0-3 3-4 */
	static const uint8_t data[] = { IL_FAT (0x08, 7), 0xDE, 4, 0x26, 0xDE, 1, 0xDC, 0x2A, 0, 0x01, 28, 0, 0,
	                                0, 0, 0, 0, 2, 2, 0, 3, 0, 0, 0, 0, 2, 0, 0, 0, 5, 5, 0, 1, 0, 0, 0, 0 };

	check (data, sizeof data,
	       "+ldnull +stloc=8 leave>22 +dup +stloc=7 " PROBE_0 "pop +ldloc=7 +stloc=8 leave>22 " CARRIER (10, 8)
	       "endfinally ret | catch 0-3 3-15 | finally 0-15 15-22");
	assert_int_equal (locals, 2);
}

static void
a_filter_and_its_handler_have_a_probe_each (void **state)
{
	/* 0 leave 6; 1 pop; 2 ldc.i4.1; 3 endfilter; 4 pop; 5 leave 6; 6 ret -- try 0-1 filter 1 handler 4-6 */
	static const uint8_t data[] = { IL_FAT (0x08, 10), 0xDE, 7, 0x26, 0x17, 0xFE, 0x11, 0x26, 0xDE, 0, 0x2A, 0, 0,
	                                0x01, 16, 0, 0, 1, 0, 0, 0, 2, 6, 0, 3, 2, 0, 0, 0 };

	check (data, sizeof data,
	       "leave>18 " PROBE (1) "pop ldc.i4.1 endfilter " PROBE_0 "pop leave>18 ret | filter 0-1 @1 10-18");
}

/* --- the probe ---------------------------------------------------------------------------------------------------- */

typedef void (*plain_probe) (MonoMethod *, uintptr_t, MonoObject *const *);
typedef void (*generic_probe) (monocle__clr_generic *, uintptr_t, MonoObject *const *, uintptr_t, uintptr_t, uintptr_t,
                               uintptr_t, uintptr_t);

static void
a_finally_block_tells_what_it_carries_or_what_was_announced (void **state)
{
	MonoObject *carried = (MonoObject *) 0xC0;
	plain_probe run = (plain_probe) monocle__clause_probe_function (false);
	run ((MonoMethod *) 0x10, 3 << 3 | 2, &carried);
	assert_string_equal (told, "10 3 2 C0");
	run ((MonoMethod *) 0x10, 3 << 3 | 2, NULL);
	assert_string_equal (told, "10 3 2 0");
	assert_true (monocle__thread_word_make (&monocle__thread_memory_word, NULL));
	assert_true (monocle__thread_word_set (&monocle__thread_memory_word, &memory));
	run ((MonoMethod *) 0x10, 3 << 3 | 2, &carried);
	assert_string_equal (told, "10 3 2 C0");
	memory.under_way.announced.definition = (MonoMethod *) 0x10;
	announced = (MonoObject *) 0xA0;
	run ((MonoMethod *) 0x10, 3 << 3 | 2, &carried);
	assert_string_equal (told, "10 3 2 A0");
	run ((MonoMethod *) 0x10, 1 << 3 | 4, NULL);
	assert_string_equal (told, "10 1 4 A0");
	monocle__clr_generic generic = { .definition = (MonoMethod *) 0x30 };
	((generic_probe) monocle__clause_probe_function (true)) (&generic, 0, NULL, 1, 0, 0, 0, 0);
	assert_string_equal (told, "31 0 0 A0");
}

static void
a_catch_block_that_was_not_announced_tells_nothing (void **state)
{
	announced = NULL;
	*told = 0;
	memory.under_way.announced.definition = NULL;
	((plain_probe) monocle__clause_probe_function (false)) ((MonoMethod *) 0x10, 0, NULL);
	memory.under_way.announced.definition = (MonoMethod *) 0x20;
	((plain_probe) monocle__clause_probe_function (false)) ((MonoMethod *) 0x10, 0, NULL);
	counts[MONOCLE_EVENT_exception_clause] = 0;
	((plain_probe) monocle__clause_probe_function (false)) ((MonoMethod *) 0x10, 2, NULL);
	assert_string_equal (told, "");
}

int
main (void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test (a_finally_block_that_no_catch_block_leads_to_carries_nothing),
		cmocka_unit_test (a_leave_in_a_catch_block_carries_its_exception_through_the_finally_block),
		cmocka_unit_test (a_filter_and_its_handler_have_a_probe_each),
		cmocka_unit_test (a_finally_block_tells_what_it_carries_or_what_was_announced),
		cmocka_unit_test (a_catch_block_that_was_not_announced_tells_nothing),
	};
	counts[MONOCLE_EVENT_exception_clause] = 1;
	monocle__clr_state.counts = counts;
	return cmocka_run_group_tests (tests, NULL, NULL);
}
