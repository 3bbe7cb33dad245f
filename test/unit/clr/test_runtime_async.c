/*
 * SPDX-License-Identifier: MIT
 *
 * test_runtime_async.c - what metadata says of methods that the runtime suspends, over tables that are made here.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "builder.h"
#include "images/corlib-name.h"
#include "probes/runtime-async.h"

/* There is no runtime. */
monocle__clr_image *
monocle__clr_image_corlib (void)
{
	return NULL;
}

bool
monocle__corlib_name_has (monocle__private_feature feature)
{
	return false;
}

bool
monocle__corlib_name_serves (monocle__private_feature feature)
{
	return false;
}

uint32_t
monocle__corlib_name_token (const monocle__ecma_image *corlib, monocle__private_id id)
{
	return 0;
}

enum { NONE, TASK, TASK_OF, VALUE_TASK, VALUE_TASK_OF, HELPERS, OTHER_TASK, TYPES };

static const struct {
	const char *name_space, *name;
} types[TYPES] = {
	[TASK] = { "System.Threading.Tasks", "Task" },
	[TASK_OF] = { "System.Threading.Tasks", "Task`1" },
	[VALUE_TASK] = { "System.Threading.Tasks", "ValueTask" },
	[VALUE_TASK_OF] = { "System.Threading.Tasks", "ValueTask`1" },
	[HELPERS] = { "System.Runtime.CompilerServices", "AsyncHelpers" },
	[OTHER_TASK] = { "Own", "Task" },
};

static const struct {
	int type;
	const char *name;
} members[] = { { NONE },
	            { HELPERS, "Await" },
	            { HELPERS, "UnsafeAwaitAwaiter" },
	            { HELPERS, "AsyncSuspend" },
	            { HELPERS, "RestoreContexts" },
	            { TASK, "Await" } };

enum { AWAIT = 0x0A000001, UNSAFE_AWAIT, SUSPEND, RESTORE, ANOTHER, MEMBERS = 5 };
enum { AWAIT_OF = 0x2B000001 };

static monocle__ecma_image image;
static struct bytes metadata;

static uint32_t
text (struct bytes *strings, const char *what)
{
	uint32_t at = (uint32_t) strings->size;
	put_bytes (strings, what, strlen (what) + 1);
	return at;
}

static struct bytes blobs;

static uint32_t
add_signature (const uint8_t *data, uint32_t size)
{
	uint32_t at = (uint32_t) blobs.size;
	put (&blobs, 1, size);
	put_bytes (&blobs, data, size);
	return at;
}

static int
open_image (void)
{
	static const uint32_t counts[64] = { [0x01] = TYPES - 1, [0x0A] = MEMBERS, [0x2B] = 1 };
	struct root root = { 0 };
	struct bytes *rows = root_add (&root, "#~"), *strings = root_add (&root, "#Strings");
	put (strings, 1, 0);
	put_tables_header (rows, 0, counts);
	for (int i = 1; i < TYPES; i++) {
		uint32_t name = text (strings, types[i].name);
		put_row (rows, "222", 0, (int) name, (int) text (strings, types[i].name_space));
	}
	for (int i = 1; i <= MEMBERS; i++)
		put_row (rows, "222", members[i].type << 3 | 1, (int) text (strings, members[i].name), 0);
	put_row (rows, "22", 1 << 1 | 1, 0);
	put_bytes (root_add (&root, "#Blob"), blobs.data, blobs.size);
	metadata = root_finish (&root);
	return monocle__ecma_open_metadata (&image, metadata.data, metadata.size);
}

static int
free_image (void **state)
{
	bytes_free (&metadata);
	bytes_free (&blobs);
	return 0;
}

#define REF(type) (uint8_t) ((type) << 2 | 1)

/* What `ret` returns, as "SIZE FIRST" or "nothing", in a method without parameters that returns these bytes. */
static const char *
returned (bool is_async, const uint8_t *type, uint32_t size)
{
	static char answer[32];
	uint8_t signature[32] = { 0x00, 0 };
	const uint8_t *found;
	uint32_t found_size;
	memcpy (signature + 2, type, size);
	put (&blobs, 1, 0);
	monocle__ecma_methoddef row = { .iflags = is_async ? 0x2000 : 0, .signature = add_signature (signature, size + 2) };
	assert_int_equal (open_image (), 0);
	if (monocle__runtime_async_result (&image, &row, &found, &found_size))
		snprintf (answer, sizeof answer, "%u %02x", found_size, *found);
	else
		strcpy (answer, "nothing");
	free_image (NULL);
	return answer;
}

#define RETURNED(is_async, ...) \
	returned (is_async, (const uint8_t[]) { __VA_ARGS__ }, sizeof ((uint8_t[]) { __VA_ARGS__ }))

static void
a_task_of_a_type_is_returned_as_that_type (void **state)
{
	assert_string_equal (RETURNED (true, MONOCLE__ET_GENERICINST, MONOCLE__ET_CLASS, REF (TASK_OF), 1, MONOCLE__ET_I4),
	                     "1 08");
	assert_string_equal (RETURNED (true, MONOCLE__ET_GENERICINST, MONOCLE__ET_VALUETYPE, REF (VALUE_TASK_OF), 1,
	                               MONOCLE__ET_SZARRAY, MONOCLE__ET_STRING),
	                     "2 1d");
}

static void
a_task_of_nothing_is_returned_as_nothing (void **state)
{
	assert_string_equal (RETURNED (true, MONOCLE__ET_CLASS, REF (TASK)), "nothing");
	assert_string_equal (RETURNED (true, MONOCLE__ET_VALUETYPE, REF (VALUE_TASK)), "nothing");
}

static void
what_is_no_task_of_the_framework_is_returned_as_it_stands (void **state)
{
	assert_string_equal (RETURNED (true, MONOCLE__ET_VOID), "nothing");
	assert_string_equal (RETURNED (true, MONOCLE__ET_I8), "1 0a");
	assert_string_equal (RETURNED (true, MONOCLE__ET_CLASS, REF (OTHER_TASK)), "2 12");
	assert_string_equal (
	    RETURNED (true, MONOCLE__ET_GENERICINST, MONOCLE__ET_CLASS, REF (OTHER_TASK), 1, MONOCLE__ET_I4), "5 15");
}

static void
a_method_that_is_not_suspended_returns_its_task (void **state)
{
	assert_string_equal (RETURNED (false, MONOCLE__ET_CLASS, REF (TASK)), "2 12");
	assert_string_equal (RETURNED (false, MONOCLE__ET_GENERICINST, MONOCLE__ET_CLASS, REF (TASK_OF), 1, MONOCLE__ET_I4),
	                     "5 15");
	assert_string_equal (RETURNED (false, MONOCLE__ET_VOID), "nothing");
}

static void
a_broken_signature_returns_nothing (void **state)
{
	assert_string_equal (RETURNED (true, MONOCLE__ET_GENERICINST, MONOCLE__ET_CLASS, REF (TASK_OF), 1), "nothing");
	assert_string_equal (RETURNED (true, MONOCLE__ET_GENERICINST), "nothing");
	assert_string_equal (RETURNED (true, MONOCLE__ET_CLASS, REF (TYPES)), "2 12");
}

static void
helpers_that_await_are_known_by_name (void **state)
{
	put (&blobs, 1, 0);
	assert_int_equal (open_image (), 0);
	assert_true (monocle__runtime_async_awaits (&image, AWAIT));
	assert_true (monocle__runtime_async_awaits (&image, UNSAFE_AWAIT));
	assert_true (monocle__runtime_async_awaits (&image, AWAIT_OF));
	assert_false (monocle__runtime_async_awaits (&image, SUSPEND));
	assert_false (monocle__runtime_async_awaits (&image, RESTORE));
	assert_false (monocle__runtime_async_awaits (&image, ANOTHER));
	assert_false (monocle__runtime_async_awaits (&image, 0x0A000099));
	assert_false (monocle__runtime_async_awaits (&image, 0x11000001));
	assert_true (monocle__runtime_async_leaves (&image, SUSPEND));
	assert_false (monocle__runtime_async_leaves (&image, AWAIT));
}

static void
without_a_core_library_nothing_is_known (void **state)
{
	assert_false (monocle__runtime_async_is_known ());
}

int
main (void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test (a_task_of_a_type_is_returned_as_that_type),
		cmocka_unit_test (a_task_of_nothing_is_returned_as_nothing),
		cmocka_unit_test (what_is_no_task_of_the_framework_is_returned_as_it_stands),
		cmocka_unit_test (a_method_that_is_not_suspended_returns_its_task),
		cmocka_unit_test (a_broken_signature_returns_nothing),
		cmocka_unit_test_teardown (helpers_that_await_are_known_by_name, free_image),
		cmocka_unit_test (without_a_core_library_nothing_is_known),
	};
	return cmocka_run_group_tests (tests, NULL, NULL);
}
