/*
 * SPDX-License-Identifier: MIT
 *
 * test_contract.c - what a runtime's description of its own data says, and that nothing is made of one that is damaged.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>
#include "child.h"
#include "contract.h"

/* As the runtime exports it. */
extern struct {
	char magic[8];
	uint32_t flags, size;
	const char *text;
	uint32_t pointer_count, unused;
	const void *const **pointers;
} DotNetRuntimeContractDescriptor;

static const void *table = "table";
static const void *const *pointers[] = { NULL, &table };

__attribute__ ((
    visibility ("default"))) __typeof__ (DotNetRuntimeContractDescriptor) DotNetRuntimeContractDescriptor = {
	"DNCCDAC", 1, 0, NULL, 2, 0, pointers
};

static const char text[] =
    "{\"version\":0,\"types\":{\"Entry\":{\"!\":16,\"Block\":0,\"Object\":[8,\"pointer\"]},\"Empty\":{}},"
    "\"globals\":{\"Table\":[[1],\"pointer\"],\"None\":[[0],\"pointer\"],\"Far\":[[2],\"pointer\"],\"Mask\":[\"0x7\"]}"
    "}";

static void
describe (const char *what)
{
	DotNetRuntimeContractDescriptor.text = what;
	DotNetRuntimeContractDescriptor.size = (uint32_t) strlen (what);
}

static void
open_with (const char *what)
{
	describe (what);
	monocle__contract_open ();
}

static void
check_nothing (void)
{
	monocle__contract_open ();
	const void *const *variable;
	uint32_t number;
	CHECK (!monocle__contract_offset ("Entry", "Object", &number));
	CHECK (!monocle__contract_size ("Entry", &number));
	CHECK (!monocle__contract_variable ("Table", &variable));
}

CHILD_TEST (offsets_and_sizes_are_found_by_name)
{
	uint32_t number = 99;
	open_with (text);
	CHECK (monocle__contract_offset ("Entry", "Block", &number) && number == 0);
	CHECK (monocle__contract_offset ("Entry", "Object", &number) && number == 8);
	CHECK (monocle__contract_size ("Entry", &number) && number == 16);
	number = 99;
	CHECK (!monocle__contract_offset ("Entry", "Other", &number) &&
	       !monocle__contract_offset ("Other", "Block", &number));
	CHECK (!monocle__contract_size ("Empty", &number) && number == 99);
}

CHILD_TEST (a_variable_is_where_its_pointer_leads)
{
	const void *const *variable = NULL;
	open_with (text);
	CHECK (monocle__contract_variable ("Table", &variable) && *variable == table);
	variable = NULL;
	CHECK (!monocle__contract_variable ("None", &variable) && !monocle__contract_variable ("Far", &variable));
	CHECK (!monocle__contract_variable ("Mask", &variable) && !monocle__contract_variable ("Other", &variable));
	CHECK (!variable);
}

CHILD_TEST (a_text_that_is_cut_says_nothing)
{
	describe (text);
	DotNetRuntimeContractDescriptor.size--;
	check_nothing ();
}

CHILD_TEST (what_is_no_descriptor_says_nothing)
{
	describe (text);
	DotNetRuntimeContractDescriptor.magic[0] = 'X';
	check_nothing ();
}

CHILD_TEST (a_runtime_with_short_pointers_says_nothing)
{
	describe (text);
	DotNetRuntimeContractDescriptor.flags |= 2;
	check_nothing ();
}

CHILD_TEST (a_runtime_without_a_text_says_nothing)
{
	check_nothing ();
}

int
main (void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test (offsets_and_sizes_are_found_by_name),
		cmocka_unit_test (a_variable_is_where_its_pointer_leads),
		cmocka_unit_test (a_text_that_is_cut_says_nothing),
		cmocka_unit_test (what_is_no_descriptor_says_nothing),
		cmocka_unit_test (a_runtime_with_short_pointers_says_nothing),
		cmocka_unit_test (a_runtime_without_a_text_says_nothing),
	};
	return cmocka_run_group_tests (tests, NULL, NULL);
}
