/*
 * SPDX-License-Identifier: MIT
 *
 * json.c - the JSON that other tools write, read without trusting it.
 */
#include "json.h"

#include <stdlib.h>
#include <string.h>

#include "utf8.h"

enum {
	DEPTH_LIMIT = 256,
	NUMBER_SIZE = 64, /* longer numbers are cut: no double has so many digits that count */
};

static const char *
skip_space (const char *at, const char *end)
{
	while (at < end && (*at == ' ' || *at == '\t' || *at == '\n' || *at == '\r'))
		at++;
	return at;
}

/* --- the check ---------------------------------------------------------------------------------------------------- */

typedef struct {
	const char *at, *end;
	unsigned depth;
	char open[DEPTH_LIMIT]; /* '{' or '[' */
} checker;

static bool
try_character (checker *c, char wanted)
{
	c->at = skip_space (c->at, c->end);
	if (c->at == c->end || *c->at != wanted)
		return false;
	c->at++;
	return true;
}

static bool
is_hex (char letter)
{
	return (letter >= '0' && letter <= '9') || (letter >= 'a' && letter <= 'f') || (letter >= 'A' && letter <= 'F');
}

static bool
try_escape (checker *c)
{
	if (c->at == c->end || !*c->at || !strchr ("\"\\/bfnrtu", *c->at))
		return false;
	if (*c->at++ != 'u')
		return true;
	for (int i = 0; i < 4; i++, c->at++) {
		if (c->at == c->end || !is_hex (*c->at))
			return false;
	}
	return true;
}

static bool
try_string (checker *c)
{
	if (!try_character (c, '"'))
		return false;
	while (c->at < c->end && *c->at != '"') {
		if ((unsigned char) *c->at < 0x20)
			return false;
		if (*c->at++ == '\\' && !try_escape (c))
			return false;
	}
	return try_character (c, '"');
}

static bool
try_digits (checker *c)
{
	const char *first = c->at;
	while (c->at < c->end && *c->at >= '0' && *c->at <= '9')
		c->at++;
	return c->at > first;
}

static bool
try_number (checker *c)
{
	if (*c->at == '-')
		c->at++;
	if (c->at < c->end && *c->at == '0')
		c->at++;
	else if (!try_digits (c))
		return false;
	if (c->at < c->end && *c->at == '.') {
		c->at++;
		if (!try_digits (c))
			return false;
	}
	if (c->at == c->end || (*c->at != 'e' && *c->at != 'E'))
		return true;
	c->at++;
	if (c->at < c->end && (*c->at == '+' || *c->at == '-'))
		c->at++;
	return try_digits (c);
}

static bool
try_word (checker *c)
{
	static const char *const words[] = { "true", "false", "null" };
	for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
		size_t length = strlen (words[i]);
		if ((size_t) (c->end - c->at) >= length && memcmp (c->at, words[i], length) == 0) {
			c->at += length;
			return true;
		}
	}
	return false;
}

static bool
try_key (checker *c)
{
	return try_string (c) && try_character (c, ':');
}

/* A value up to where the next one begins: a scalar whole, of a container the opening and the first key. */
static bool
try_begin (checker *c, bool *ret_more)
{
	char kind;
	c->at = skip_space (c->at, c->end);
	*ret_more = false;
	if (c->at == c->end)
		return false;
	kind = *c->at;
	if (kind == '"')
		return try_string (c);
	if (kind == '-' || (kind >= '0' && kind <= '9'))
		return try_number (c);
	if (kind != '{' && kind != '[')
		return try_word (c);
	if (c->depth == DEPTH_LIMIT)
		return false;
	c->open[c->depth++] = kind;
	c->at = skip_space (c->at + 1, c->end);
	if (c->at < c->end && *c->at == (kind == '{' ? '}' : ']'))
		return true;
	*ret_more = true;
	return kind == '[' || try_key (c);
}

/* After a value: closes what ends there and goes over a comma. */
static bool
try_end (checker *c, bool *ret_more)
{
	*ret_more = false;
	while (c->depth > 0) {
		char open = c->open[c->depth - 1];
		if (try_character (c, ',')) {
			*ret_more = true;
			return open == '[' || try_key (c);
		}
		if (!try_character (c, open == '{' ? '}' : ']'))
			return false;
		c->depth--;
	}
	return true;
}

bool
monocle__json_check (const char *bytes, size_t size, monocle__json *ret_value, size_t *ret_offset)
{
	checker c = { .at = bytes, .end = bytes + size };
	const char *first = skip_space (bytes, c.end);
	bool valid = true, more = true;
	while (valid && more) {
		valid = try_begin (&c, &more);
		if (valid && !more)
			valid = try_end (&c, &more);
	}
	if (valid) {
		const char *last = c.at;
		c.at = skip_space (c.at, c.end);
		valid = c.at == c.end;
		if (valid)
			*ret_value = (monocle__json) { first, last };
	}
	if (!valid)
		*ret_offset = (size_t) (c.at - bytes);
	return valid;
}

/* --- values of a checked text ------------------------------------------------------------------------------------- */

static const char *
string_end (const char *at)
{
	for (at++; *at != '"'; at++) {
		if (*at == '\\')
			at++;
	}
	return at + 1;
}

/* Where the value that begins at `at` ends. */
static const char *
value_end (const char *at, const char *end)
{
	size_t depth = 0;
	if (*at == '"')
		return string_end (at);
	if (*at != '{' && *at != '[') {
		while (at < end && !strchr (",]} \t\r\n", *at))
			at++;
		return at;
	}
	do {
		if (*at == '"') {
			at = string_end (at);
			continue;
		}
		if (*at == '{' || *at == '[')
			depth++;
		else if (*at == '}' || *at == ']')
			depth--;
		at++;
	} while (depth > 0);
	return at;
}

char
monocle__json_kind (monocle__json value)
{
	if (value.at == value.end)
		return 0;
	return *value.at == '-' || (*value.at >= '0' && *value.at <= '9') ? '0' : *value.at;
}

monocle__json
monocle__json_items (monocle__json array)
{
	if (monocle__json_kind (array) != '[')
		return (monocle__json) { 0 };
	return (monocle__json) { array.at + 1, array.end - 1 };
}

bool
monocle__json_next (monocle__json *rest, monocle__json *ret_item)
{
	const char *at = rest->at ? skip_space (rest->at, rest->end) : rest->end;
	if (at == rest->end)
		return false;
	*ret_item = (monocle__json) { at, value_end (at, rest->end) };
	rest->at = skip_space (ret_item->end, rest->end);
	if (rest->at < rest->end)
		rest->at++; /* the comma, or the colon behind a key */
	return true;
}

monocle__json
monocle__json_members (monocle__json object)
{
	if (monocle__json_kind (object) != '{')
		return (monocle__json) { 0 };
	return (monocle__json) { object.at + 1, object.end - 1 };
}

bool
monocle__json_next_member (monocle__json *rest, monocle__json *ret_name, monocle__json *ret_value)
{
	return monocle__json_next (rest, ret_name) && monocle__json_next (rest, ret_value);
}

monocle__json
monocle__json_member (monocle__json object, const char *name)
{
	monocle__json rest = monocle__json_members (object), key, value;
	while (monocle__json_next_member (&rest, &key, &value)) {
		if (monocle__json_equals (key, name))
			return value;
	}
	return (monocle__json) { 0 };
}

bool
monocle__json_number (monocle__json value, double *ret_number)
{
	char digits[NUMBER_SIZE];
	size_t length = (size_t) (value.end - value.at);
	if (monocle__json_kind (value) != '0' || length >= sizeof digits)
		return false;
	memcpy (digits, value.at, length);
	digits[length] = '\0';
	*ret_number = strtod (digits, NULL);
	return true;
}

bool
monocle__json_index (monocle__json value, size_t *ret_index)
{
	double number;
	if (!monocle__json_number (value, &number) || !(number >= 0 && number < 9e15) || number != (double) (size_t) number)
		return false;
	*ret_index = (size_t) number;
	return true;
}

bool
monocle__json_equals (monocle__json value, const char *text)
{
	size_t length = strlen (text);
	return monocle__json_kind (value) == '"' && (size_t) (value.end - value.at) == length + 2 &&
	       memcmp (value.at + 1, text, length) == 0;
}

/* --- strings ------------------------------------------------------------------------------------------------------ */

static unsigned
hex4 (const char *at)
{
	unsigned code = 0;
	for (int i = 0; i < 4; i++)
		code = code << 4 | (unsigned) (at[i] <= '9' ? at[i] - '0' : (at[i] | 0x20) - 'a' + 10);
	return code;
}

/* What follows "\u"; half of a surrogate pair alone is no character. Answers where the text goes on. */
static const char *
unescape_unicode (const char *at, char **out)
{
	unsigned code = hex4 (at), low;
	at += 4;
	if (code >= 0xd800 && code <= 0xdbff && at[0] == '\\' && at[1] == 'u') {
		low = hex4 (at + 2);
		if (low >= 0xdc00 && low <= 0xdfff) {
			code = 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00);
			at += 6;
		}
	}
	*out += monocle__utf8_encode (code >= 0xd800 && code <= 0xdfff ? 0xfffd : code, *out);
	return at;
}

/* No escape is shorter than what it stands for. */
size_t
monocle__json_unescape (monocle__json value, char *out)
{
	static const char letters[] = "bfnrt", meanings[] = "\b\f\n\r\t";
	const char *at, *end, *found;
	char *first = out;
	if (monocle__json_kind (value) != '"')
		return 0;
	at = value.at + 1;
	end = value.end - 1;
	while (at < end) {
		if (*at != '\\') {
			*out++ = *at++;
			continue;
		}
		at++;
		if (*at == 'u') {
			at = unescape_unicode (at + 1, &out);
			continue;
		}
		found = strchr (letters, *at);
		*out++ = found ? meanings[found - letters] : *at;
		at++;
	}
	return (size_t) (out - first);
}
