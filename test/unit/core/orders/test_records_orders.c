/*
 * SPDX-License-Identifier: MIT
 *
 * test_records_orders.c - threads that are told of the same code at once, in every order.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <mono/metadata/appdomain.h>
#include "orders.h"
#include "shapes-host.h"

static void *const code = (void *) 0x60000000;
enum { SIZE = 0x1000 };

static void
add (void)
{
	CHECK (mono_jit_info_get_method (monocle_jit_info_new (shapes_method ("Fire"), code, SIZE)));
}

static void
free_and_look (void)
{
	CHECK (mono_jit_info_get_method (mono_jit_info_table_find (NULL, code)) == shapes_method ("Fire"));
	monocle_jit_info_free_code (code);
	CHECK (!mono_jit_info_table_find (NULL, code));
}

static void
freed_code_has_no_record_however_many_threads_made_one (void **state)
{
	shapes_host_start ();
	orders_run (&(orders) {
	    .name = "code_that_two_add",
	    .threads = { { "one", add }, { "other", add } },
	    .check = free_and_look,
	    .meets = "jit_info_adds",
	});
}

int
main (void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test (freed_code_has_no_record_however_many_threads_made_one),
	};
	return cmocka_run_group_tests (tests, NULL, NULL);
}
