/*
 * SPDX-License-Identifier: MIT
 *
 * value.c - see value.h.
 *
 *   a copy   STATE (1 byte), then, if it is KNOWN: the value's bytes, or of a Nullable its flag and its value;
 *            of a string its length (4 bytes), how many characters follow (2 bytes), and these;
 *            of an object its class (8 bytes) and how many images had gone by then (4 bytes);
 *            if it is TEXT: what a string has, where any object may be
 */
#include "value.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <mono/metadata/appdomain.h>
#include <mono/metadata/class.h>
#include <mono/metadata/object.h>

uint32_t value_string_most = 64;

static uint32_t unloads; /* relaxed */

enum state { UNKNOWN, KNOWN, NOTHING, TEXT };

void
value_image_unloading (void)
{
	__atomic_fetch_add (&unloads, 1, __ATOMIC_RELAXED);
}

/* --- copying ------------------------------------------------------------------------------------------------------ */

static size_t
put (uint8_t *to, const void *from, size_t size)
{
	memcpy (to, from, size);
	return size;
}

static size_t
copy_string (MonoString *string, uint8_t *to)
{
	uint32_t length = (uint32_t) mono_string_length (string);
	uint16_t count = (uint16_t) (length < value_string_most ? length : value_string_most);
	size_t at = put (to, &length, sizeof length);
	at += put (to + at, &count, sizeof count);
	return count ? at + put (to + at, mono_string_chars (string), count * sizeof (uint16_t)) : at;
}

/* With the state. */
static size_t
copy_object (MonoObject *object, uint8_t *to)
{
	MonoClass *klass = mono_object_get_class (object);
	uint32_t gone = __atomic_load_n (&unloads, __ATOMIC_RELAXED);
	*to++ = klass && klass == mono_get_string_class () ? TEXT : KNOWN;
	if (to[-1] == TEXT)
		return 1 + copy_string ((MonoString *) object, to);
	size_t at = put (to, &klass, sizeof klass);
	return 1 + at + put (to + at, &gone, sizeof gone);
}

size_t
value_copy (const value_shape *shape, const void *from, uint8_t *to)
{
	const uint8_t *bytes = from;
	void *reference;
	if (shape->kind == VALUE_NAMED)
		return 0;
	*to = from ? KNOWN : UNKNOWN;
	if (!from)
		return 1;
	if (shape->is_nullable) {
		*to = bytes[shape->has_at] ? KNOWN : NOTHING;
		return 1 + put (to + 1, bytes + shape->at, shape->size);
	}
	if (shape->kind < VALUE_STRING)
		return 1 + put (to + 1, from, shape->size);
	memcpy (&reference, from, sizeof reference);
	if (!reference) {
		*to = NOTHING;
		return 1;
	}
	return shape->kind == VALUE_STRING ? 1 + copy_string (reference, to + 1) : copy_object (reference, to);
}

/* --- printing ----------------------------------------------------------------------------------------------------- */

/* The shortest text that is the same number; whatever the program's locale has for a point. */
static void
print_float (double number, bool is_single, text *out)
{
	char buffer[48];
	if (isnan (number) || isinf (number)) {
		text_put (out, isnan (number) ? "NaN" : number < 0 ? "-Infinity" : "Infinity");
		return;
	}
	for (int digits = is_single ? 6 : 15; digits <= 17; digits++) {
		snprintf (buffer, sizeof buffer, "%.*g", digits, number);
		if (is_single ? (float) strtod (buffer, NULL) == (float) number : strtod (buffer, NULL) == number)
			break;
	}
	for (char *c = buffer; *c; c++)
		if (!strchr ("0123456789+-e", *c))
			*c = '.';
	text_put (out, buffer);
}

static const char *
member_name (const value_shape *shape, uint64_t value)
{
	for (uint32_t i = 0; i < shape->count; i++)
		if (shape->members[i].value == value)
			return shape->members[i].name;
	return NULL;
}

/* "One | Two", where single bits have names. False: some have none. */
static bool
print_bits (const value_shape *shape, uint64_t value, text *out)
{
	const char *between = "";
	for (uint64_t bit = 1; bit; bit <<= 1)
		if (value & bit && !member_name (shape, bit))
			return false;
	for (uint64_t bit = 1; bit && value; bit <<= 1)
		if (value & bit) {
			text_put (out, between);
			text_put (out, member_name (shape, bit));
			between = " | ";
		}
	return value != 0;
}

static bool
print_member (const value_shape *shape, const uint8_t *bytes, text *out)
{
	uint64_t value = 0;
	memcpy (&value, bytes, shape->size);
	const char *name = member_name (shape, value);
	if (name)
		text_put (out, name);
	return name || print_bits (shape, value, out);
}

#define READ(type, bytes) \
	type number; \
	memcpy (&number, bytes, sizeof number)

static void
print_integer (value_kind kind, const uint8_t *bytes, text *out)
{
	int64_t number = 0;
	switch (kind) {
	case VALUE_I1: number = (int8_t) *bytes; break;
	case VALUE_I2: {
		int16_t two;
		memcpy (&two, bytes, sizeof two);
		number = two;
		break;
	}
	case VALUE_I4: {
		int32_t four;
		memcpy (&four, bytes, sizeof four);
		number = four;
		break;
	}
	case VALUE_I8: memcpy (&number, bytes, 8); break;
	case VALUE_U1: number = *bytes; break;
	case VALUE_U2: memcpy (&number, bytes, 2); break;
	default: memcpy (&number, bytes, 4); break;
	}
	text_format (out, "%" PRId64, number);
}

static void
print_plain (const value_shape *shape, const uint8_t *bytes, text *out)
{
	if (shape->count && print_member (shape, bytes, out))
		return;
	if (shape->kind == VALUE_R4) {
		READ (float, bytes);
		print_float ((double) number, true, out);
	} else if (shape->kind == VALUE_R8) {
		READ (double, bytes);
		print_float (number, false, out);
	} else if (shape->kind == VALUE_U8) {
		READ (uint64_t, bytes);
		text_format (out, "%" PRIu64, number);
	} else if (shape->kind == VALUE_POINTER) {
		READ (uint64_t, bytes);
		text_format (out, "0x%" PRIx64, number);
	} else if (shape->kind == VALUE_CHAR) {
		READ (uint16_t, bytes);
		text_quote (out, &number, 1, '\'');
	} else if (shape->kind == VALUE_BOOL) {
		text_put (out, *bytes ? "true" : "false");
	} else {
		print_integer (shape->kind, bytes, out);
	}
}

static void
print_string (const uint8_t **at, const uint8_t *end, text *out)
{
	uint16_t units[STRING_MOST], count = 0;
	uint32_t length = 0;
	if (end - *at < 6)
		return;
	memcpy (&length, *at, sizeof length);
	memcpy (&count, *at + 4, sizeof count);
	*at += 6;
	if (count > STRING_MOST || (size_t) (end - *at) < count * sizeof *units)
		return;
	memcpy (units, *at, count * sizeof *units);
	*at += count * sizeof *units;
	text_quote (out, units, count, '"');
	if (count < length)
		text_put (out, "...");
}

static void
print_name (const char *name, text *out)
{
	text_put (out, "{");
	text_put (out, name);
	text_put (out, "}");
}

/* An image that has gone since may have been that of the class. */
static void
print_object (const uint8_t **at, const uint8_t *end, text *out)
{
	MonoClass *klass;
	uint32_t gone;
	if ((size_t) (end - *at) < sizeof klass + sizeof gone)
		return;
	memcpy (&klass, *at, sizeof klass);
	memcpy (&gone, *at + sizeof klass, sizeof gone);
	*at += sizeof klass + sizeof gone;
	bool is_there = klass && gone == __atomic_load_n (&unloads, __ATOMIC_RELAXED);
	print_name (is_there ? mono_class_get_name (klass) : "object", out);
}

void
value_print (const value_shape *shape, const uint8_t **at, const uint8_t *end, text *out)
{
	if (shape->kind == VALUE_NAMED) {
		if (shape->is_byref)
			text_put (out, "ref");
		else
			print_name (shape->type, out);
		return;
	}
	enum state state = *at < end ? (enum state) * (*at)++ : UNKNOWN;
	bool is_plain = shape->kind < VALUE_STRING;
	const uint8_t *bytes = *at;
	if (is_plain && state != UNKNOWN) {
		if (end - *at < shape->size)
			return;
		*at += shape->size;
	}
	if (state == UNKNOWN)
		text_put (out, "?");
	else if (state == NOTHING)
		text_put (out, "null");
	else if (is_plain)
		print_plain (shape, bytes, out);
	else if (shape->kind == VALUE_STRING || state == TEXT)
		print_string (at, end, out);
	else
		print_object (at, end, out);
}
