/*
 * SPDX-License-Identifier: MIT
 *
 * test_attribute.c - rows of custom attributes written by hand (symbols_builder.h).
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "attribute.h"
#include "symbols_builder.h"

enum { MARKER = 0x02000002 };

static void
attributes_of_a_token_are_found_by_their_class (void **state)
{
	static monocle__ecma_image image;
	monocle__attribute attribute;
	struct bytes metadata = build_attributes ("\0\1", 2, "", 0);
	assert_int_equal (monocle__ecma_open_metadata (&image, metadata.data, metadata.size), 0);
	assert_int_equal (monocle__attribute_row (&image, MARKER, 0), 1);
	assert_int_equal (monocle__attribute_row (&image, MARKER, 1), 2);
	assert_int_equal (monocle__attribute_row (&image, MARKER, 2), 0);
	assert_int_equal (monocle__attribute_row (&image, 0x02000001, 0), 0);
	assert_int_equal (monocle__attribute_row (&image, 0x70000001, 0), 0);
	assert_int_equal (monocle__attribute_get (&image, 2, &attribute), 0);
	assert_int_equal (attribute.parent_token, MARKER);
	assert_int_equal (attribute.constructor_token, 0x0A000001);
	assert_int_equal (monocle__attribute_find (&image, MARKER, "Else", "Generic`1"), 2);
	assert_int_equal (monocle__attribute_find (&image, MARKER, "N", "Marker"), 1);
	assert_int_equal (monocle__attribute_find (&image, MARKER, NULL, "Marker"), 0);
	assert_int_equal (monocle__attribute_get (&image, 3, &attribute), MONOCLE__ECMA_E_RANGE);
	bytes_free (&metadata);
}

int
main (void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test (attributes_of_a_token_are_found_by_their_class),
	};
	return cmocka_run_group_tests (tests, NULL, NULL);
}
