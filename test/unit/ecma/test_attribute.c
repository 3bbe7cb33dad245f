/*
 * SPDX-License-Identifier: MIT
 *
 * test_attribute.c - custom attributes written by hand (symbols_builder.h).
 *
 * A test states a constructor's parameters and a blob, and what the arguments are as one line: role (F, N field,
 * R property, E element), type, value.
 */
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "attribute.h"
#include "symbols_builder.h"

enum { MARKER = 0x02000002, BY_DEFINITION = 1, BY_REFERENCE = 2 };

struct line {
	char text[512];
	size_t size;
};

static void
add (struct line *line, const char *format, ...)
{
	va_list values;
	va_start (values, format);
	line->size += (size_t) vsnprintf (line->text + line->size, sizeof line->text - line->size, format, values);
	va_end (values);
}

static void
print (struct line *line, const monocle__attribute_argument *a)
{
	add (line, "%s%c%.*s%s%x%s=", line->size ? " " : "", "FNRE"[a->role], (int) a -> name_size,
	     a -> name ? a -> name : "", a->name_size ? " " : "", a->type, a->is_enum ? "e" : "");
	if (a->is_null)
		add (line, "null");
	else if (a->type == MONOCLE__ET_SZARRAY)
		add (line, "[%u", (unsigned) a->count);
	else if (a->text)
		add (line, "'%.*s'", (int) a->text_size, a->text);
	else
		add (line, "%" PRId64, a->number);
}

static uint8_t
resolve_byte (void *context, uint32_t token, const char *name, uint32_t size)
{
	add (context, "(%x%.*s)", (unsigned) token, (int) size, name ? name : "");
	return MONOCLE__ET_U1;
}

static uint8_t
resolve_nothing (void *context, uint32_t token, const char *name, uint32_t size)
{
	return 0;
}

static int
read_all (const monocle__ecma_image *image, uint32_t row, monocle__enum_resolver resolve, struct line *line)
{
	monocle__attribute attribute;
	monocle__attribute_reader reader;
	monocle__attribute_argument argument;
	int result = monocle__attribute_get (image, row, &attribute);
	if (!result)
		result = monocle__attribute_read (&reader, image, &attribute, resolve, line);
	if (result)
		return result;
	while ((result = monocle__attribute_next (&reader, &argument)) > 0)
		print (line, &argument);
	assert_int_equal (monocle__attribute_next (&reader, &argument), result);
	return result;
}

static void
check (uint32_t row, monocle__enum_resolver resolve, const char *signature, size_t signature_size, const char *value,
       size_t value_size, int expected, const char *expected_line)
{
	static monocle__ecma_image image;
	struct line line = { 0 };
	struct bytes metadata = build_attributes (signature, signature_size, value, value_size);
	assert_int_equal (monocle__ecma_open_metadata (&image, metadata.data, metadata.size), 0);
	int result = read_all (&image, row, resolve, &line);
	bytes_free (&metadata);
	assert_string_equal (line.text, expected_line);
	assert_int_equal (result, expected);
}

#define CHECK(row, resolve, signature, value, result, line) \
	check (row, resolve, signature, sizeof (signature) - 1, value, sizeof (value) - 1, result, line)
#define READS(signature, value, line)        CHECK (BY_DEFINITION, NULL, signature, value, 0, line)
#define FAILS(signature, value, error, line) CHECK (BY_DEFINITION, NULL, signature, value, error, line)

static void
numbers_keep_their_width_and_sign (void **state)
{
	READS ("\5\1\2\3\4\5\6",
	       "\1\0\1"
	       "A\0\xFE\xFE\xFE\xFF\0\0",
	       "F2=1 F3=65 F4=-2 F5=254 F6=-2");
	READS ("\4\1\7\10\11\12", "\1\0\xFE\xFF\xFE\xFF\xFF\xFF\xFE\xFF\xFF\xFF\xFE\xFF\xFF\xFF\xFF\xFF\xFF\xFF\0\0",
	       "F7=65534 F8=-2 F9=4294967294 Fa=-2");
	READS ("\3\1\13\14\15", "\1\0\1\0\0\0\0\0\0\0\0\0\x80\xBF\0\0\0\0\0\0\xF0\x3F\0\0",
	       "Fb=1 Fc=3212836864 Fd=4607182418800017408");
}

static void
strings_and_types_are_text_or_null (void **state)
{
	READS ("\4\1\16\16\16\22\5", "\1\0\3abc\0\xFF\4Name\0\0", "Fe='abc' Fe='' Fe=null F50='Name'");
}

static void
an_attribute_without_a_blob_has_no_arguments (void **state)
{
	READS ("\0\1", "", "");
	READS ("\0\1", "\1\0", "");
	FAILS ("\1\1\10", "", MONOCLE__ECMA_E_TRUNCATED, "");
}

static void
fields_and_properties_have_names (void **state)
{
	READS ("\0\1", "\1\0\2\0\x53\10\2ab\7\0\0\0\x54\16\1c\1d", "Nab 8=7 Rc e='d'");
}

static void
elements_follow_their_array (void **state)
{
	READS ("\2\1\35\10\10", "\1\0\2\0\0\0\1\0\0\0\2\0\0\0\3\0\0\0\0\0", "F1d=[2 E8=1 E8=2 F8=3");
	READS ("\2\1\35\16\35\16", "\1\0\xFF\xFF\xFF\xFF\0\0\0\0\0\0", "F1d=null F1d=[0");
}

static void
objects_say_what_they_hold (void **state)
{
	READS ("\3\1\34\34\34", "\1\0\10\1\0\0\0\16\1s\x50\1T\0\0", "F8=1 Fe='s' F50='T'");
	READS ("\1\1\34", "\1\0\35\16\1\0\0\0\1s\0\0", "F1d=[1 Ee='s'");
	READS ("\1\1\35\34", "\1\0\2\0\0\0\10\1\0\0\0\35\x51\1\0\0\0\16\1s\0\0", "F1d=[2 E8=1 E1d=[1 Ee='s'");
}

static void
enums_of_the_image_are_as_wide_as_they_are (void **state)
{
	READS ("\2\1\21\14\21\20", "\1\0\1\xFE\xFF\0\0", "F5e=1 F6e=-2");
	READS ("\1\1\34", "\1\0\x55\7N.Small\x80\0\0", "F5e=128");
	READS ("\1\1\34", "\1\0\x55\x0CN.Small, own\x80\0\0", "F5e=128");
	READS ("\1\1\34", "\1\0\x55\x17N.Small, own, Version=1\x80\0\0", "F5e=128");
	READS ("\1\1\34", "\1\0\x55\x0EN.Marker+Inner\x80\0\0\0", "F6e=128");
}

static void
enums_of_other_images_are_asked_for (void **state)
{
	CHECK (BY_DEFINITION, resolve_byte, "\1\1\21\11", "\1\0\7\0\0", 0, "(1000002) F5e=7");
	CHECK (BY_DEFINITION, resolve_byte, "\1\1\34", "\1\0\x55\x0EN.Small, other\7\0\0", 0, "(0N.Small, other) F5e=7");
	CHECK (BY_DEFINITION, NULL, "\1\1\21\11", "\1\0\7\0\0\0\0\0", 0, "F8e=7");
	CHECK (BY_DEFINITION, resolve_nothing, "\1\1\21\11", "\1\0\7\0\0\0\0\0", MONOCLE__ECMA_E_RANGE, "");
}

static void
parameters_of_a_generic_class_have_the_types_of_its_instance (void **state)
{
	CHECK (BY_REFERENCE, NULL, "\2\1\23\0\23\1", "\1\0\7\0\0\0\1\0\0\0\1s\0\0", 0, "F8=7 F1d=[1 Ee='s'");
	CHECK (BY_REFERENCE, NULL, "\1\1\23\2", "\1\0\7\0\0\0\0\0", MONOCLE__ECMA_E_TRUNCATED, "");
	CHECK (BY_DEFINITION, NULL, "\1\1\23\0", "\1\0\7\0\0\0\0\0", MONOCLE__ECMA_E_TRUNCATED, "");
}

static void
a_modifier_changes_nothing (void **state)
{
	READS ("\1\1\40\5\10", "\1\0\7\0\0\0\0\0", "F8=7");
}

static void
broken_blobs_keep_what_came_before (void **state)
{
	FAILS ("\0\1", "\2\0\0\0", MONOCLE__ECMA_E_FORMAT, "");
	FAILS ("\0\1", "\1", MONOCLE__ECMA_E_TRUNCATED, "");
	FAILS ("\0\1", "\1\0\1", MONOCLE__ECMA_E_TRUNCATED, "");
	FAILS ("\2\1\10\10", "\1\0\1\0\0\0\2", MONOCLE__ECMA_E_TRUNCATED, "F8=1");
	FAILS ("\1\1\16", "\1\0\5abc", MONOCLE__ECMA_E_TRUNCATED, "");
	FAILS ("\1\1\35\10", "\1\0\xFF\xFF\xFF\x7F", MONOCLE__ECMA_E_TRUNCATED, "");
	FAILS ("\0\1", "\1\0\1\0\x52\10\1a\0\0\0\0", MONOCLE__ECMA_E_FORMAT, "");
	FAILS ("\0\1", "\1\0\1\0\x53\10\xFF\0\0\0\0", MONOCLE__ECMA_E_FORMAT, "");
	FAILS ("\0\1", "\1\0\1\0\x53\1\1a", MONOCLE__ECMA_E_FORMAT, "");
	FAILS ("\1\1\34", "\1\0\35\35\10\0\0\0\0", MONOCLE__ECMA_E_FORMAT, "");
	FAILS ("\1\1\34", "\1\0\x51\x51\x51", MONOCLE__ECMA_E_TRUNCATED, "");
}

static void
constructors_that_no_attribute_has_are_refused (void **state)
{
	FAILS ("\1\1\22\15", "\1\0\1a\0\0", MONOCLE__ECMA_E_FORMAT, "");         /* a class but System.Type */
	FAILS ("\1\1\35\35\10", "\1\0\0\0\0\0\0\0", MONOCLE__ECMA_E_FORMAT, ""); /* an array of arrays */
	FAILS ("\1\1\17\10", "\1\0\0\0\0\0\0\0", MONOCLE__ECMA_E_FORMAT, "");    /* a pointer */
	FAILS ("\1\1\21\10", "\1\0\0\0\0\0\0\0", MONOCLE__ECMA_E_RANGE, "");     /* a structure: N.Marker */
	FAILS ("\2\1\10", "\1\0\1\0\0\0\0\0", MONOCLE__ECMA_E_TRUNCATED, "F8=1");
}

/* object[] in object[] in ...: the type and the count, once for each level. */
static void
arrays_nest_only_so_deep (void **state)
{
	char value[2 + 16 * 6 + 2] = "\1";
	size_t size = 2;
	for (int i = 0; i < 16; i++, size += 6)
		memcpy (value + size, "\35\x51\1\0\0\0", 6);
	check (BY_DEFINITION, NULL, "\1\1\34", 3, value, size + 2, MONOCLE__ECMA_E_FORMAT,
	       "F1d=[1 E1d=[1 E1d=[1 E1d=[1 E1d=[1 E1d=[1 E1d=[1 E1d=[1");
}

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
	assert_int_equal (monocle__attribute_class (&image, &attribute), 0x01000003);
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
		cmocka_unit_test (numbers_keep_their_width_and_sign),
		cmocka_unit_test (strings_and_types_are_text_or_null),
		cmocka_unit_test (an_attribute_without_a_blob_has_no_arguments),
		cmocka_unit_test (fields_and_properties_have_names),
		cmocka_unit_test (elements_follow_their_array),
		cmocka_unit_test (objects_say_what_they_hold),
		cmocka_unit_test (enums_of_the_image_are_as_wide_as_they_are),
		cmocka_unit_test (enums_of_other_images_are_asked_for),
		cmocka_unit_test (parameters_of_a_generic_class_have_the_types_of_its_instance),
		cmocka_unit_test (a_modifier_changes_nothing),
		cmocka_unit_test (broken_blobs_keep_what_came_before),
		cmocka_unit_test (constructors_that_no_attribute_has_are_refused),
		cmocka_unit_test (arrays_nest_only_so_deep),
		cmocka_unit_test (attributes_of_a_token_are_found_by_their_class),
	};
	return cmocka_run_group_tests (tests, NULL, NULL);
}
