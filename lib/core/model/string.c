/*
 * SPDX-License-Identifier: MIT
 *
 * string.c - what is in managed strings.
 *
 * The characters are read where the object lies, so everything here may be called wherever the object may be looked at;
 * what makes a copy allocates and needs normal context besides. A string that the host cannot read (here) is as long as
 * none.
 */
#include <stdlib.h>
#include <string.h>
#include "dispatch/host.h"
#include "error.h"
#include "log.h"
#include "utf8.h"

enum { SURROGATE_FIRST = 0xD800, SURROGATE_SECOND = 0xDC00, SURROGATE_END = 0xE000, BEYOND_BMP = 0x10000 };

typedef struct {
	const uint16_t *units;
	uint32_t length;
} characters;

static bool
characters_of (MonoString *string, characters *ret)
{
	const monocle_host_ops *ops = monocle__host_ops ();
	*ret = (characters) { NULL, 0 };
	if (!string)
		return false;
	if (!ops->string_chars) {
		MONOCLE__LOG_ONCE ("strings are not served by this host; they read as empty");
		return false;
	}
	ret->units = ops->string_chars (ops->host, (MonoObject *) string, &ret->length);
	return ret->units != NULL;
}

mono_unichar2 *
mono_string_chars (MonoString *string)
{
	characters text;
	return characters_of (string, &text) ? (mono_unichar2 *) text.units : NULL;
}

int
mono_string_length (MonoString *string)
{
	characters text;
	return characters_of (string, &text) ? (int) text.length : 0;
}

/*
 * The code point at *at, which moves past it; -1: half a surrogate pair.
 */
static int32_t
next_point (const characters *text, uint32_t *at)
{
	uint32_t first = text->units[(*at)++], second;
	if (first < SURROGATE_FIRST || first >= SURROGATE_END)
		return (int32_t) first;
	second = *at < text->length ? text->units[*at] : 0;
	if (first >= SURROGATE_SECOND || second < SURROGATE_SECOND || second >= SURROGATE_END)
		return -1;
	(*at)++;
	return (int32_t) (BEYOND_BMP + ((first - SURROGATE_FIRST) << 10) + (second - SURROGATE_SECOND));
}

/* Three bytes for each unit are enough: a pair of units makes four. */
static char *
to_utf8 (MonoString *string, MonoError *error)
{
	characters text;
	characters_of (string, &text);
	char *copy = malloc ((size_t) text.length * 3 + 1), *to = copy;
	if (!copy) {
		monocle__error_set (error, MONO_ERROR_OUT_OF_MEMORY, "no memory for the text of a string");
		return NULL;
	}
	for (uint32_t at = 0; at < text.length;) {
		int32_t point = next_point (&text, &at);
		if (point < 0) {
			free (copy);
			monocle__error_set (error, MONO_ERROR_ARGUMENT, "the string holds half a surrogate pair");
			return NULL;
		}
		to += monocle__utf8_encode ((uint32_t) point, to);
	}
	*to = 0;
	return copy;
}

char *
mono_string_to_utf8_checked (MonoString *string, MonoError *error)
{
	mono_error_init (error);
	return string ? to_utf8 (string, error) : NULL;
}

char *
mono_string_to_utf8 (MonoString *string)
{
	MonoError error;
	return mono_string_to_utf8_checked (string, &error);
}

mono_unichar2 *
mono_string_to_utf16 (MonoString *string)
{
	characters text;
	if (!string)
		return NULL;
	characters_of (string, &text);
	mono_unichar2 *copy = malloc (((size_t) text.length + 1) * sizeof *copy);
	if (!copy)
		return NULL;
	if (text.length)
		memcpy (copy, text.units, text.length * sizeof *copy);
	copy[text.length] = 0;
	return copy;
}

mono_unichar4 *
mono_string_to_utf32 (MonoString *string)
{
	characters text;
	if (!string)
		return NULL;
	characters_of (string, &text);
	mono_unichar4 *copy = malloc (((size_t) text.length + 1) * sizeof *copy), *to = copy;
	for (uint32_t at = 0; copy && at < text.length;) {
		int32_t point = next_point (&text, &at);
		if (point < 0) {
			free (copy);
			return NULL;
		}
		*to++ = (mono_unichar4) point;
	}
	if (copy)
		*to = 0;
	return copy;
}

mono_bool
mono_string_equal (MonoString *left, MonoString *right)
{
	characters a, b;
	if (left == right)
		return 1;
	if (!characters_of (left, &a) || !characters_of (right, &b))
		return 0;
	return a.length == b.length && !memcmp (a.units, b.units, a.length * sizeof *a.units);
}

/* Mono's: 31 times what came before, plus the next unit, modulo 2^32. */
unsigned int
mono_string_hash (MonoString *string)
{
	characters text;
	unsigned int hash = 0;
	characters_of (string, &text);
	for (uint32_t i = 0; i < text.length; i++)
		hash = hash * 31 + text.units[i];
	return hash;
}
