/*
 * SPDX-License-Identifier: MIT
 *
 * text.c - see text.h.
 */
#include "text.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static const char dots[] = "...";

void
text_begin (text *out, char *buffer, size_t size)
{
	out->at = buffer;
	out->end = buffer + size - sizeof dots;
	out->is_full = false;
	*buffer = '\0';
}

static void
put_bytes (text *out, const char *bytes, size_t length)
{
	if (out->is_full)
		return;
	out->is_full = length > (size_t) (out->end - out->at);
	if (out->is_full) {
		memcpy (out->at, dots, sizeof dots);
		return;
	}
	memcpy (out->at, bytes, length);
	out->at += length;
	*out->at = '\0';
}

void
text_put (text *out, const char *bytes)
{
	put_bytes (out, bytes, strlen (bytes));
}

void
text_format (text *out, const char *format, ...)
{
	char buffer[64];
	va_list arguments;
	va_start (arguments, format);
	vsnprintf (buffer, sizeof buffer, format, arguments);
	va_end (arguments);
	text_put (out, buffer);
}

/* --- characters --------------------------------------------------------------------------------------------------- */

/* What a terminal would act on, or what cannot be seen. */
static bool
is_unsafe (uint32_t code)
{
	return code < 0x20 || (code >= 0x7f && code < 0xa0) || (code >= 0x200b && code <= 0x200f) ||
	       (code >= 0x2028 && code <= 0x202e) || (code >= 0x2060 && code <= 0x206f) || code == 0xfeff ||
	       (code >= 0xd800 && code <= 0xdfff) || code == 0x61c;
}

static void
put_code (text *out, uint32_t code, char quote)
{
	static const char letters[] = "\n\r\t", names[] = "nrt";
	const char *found = code && code < 0x80 ? strchr (letters, (int) code) : NULL;
	char bytes[8];
	if (found)
		snprintf (bytes, sizeof bytes, "\\%c", names[found - letters]);
	else if (code == (unsigned char) quote || code == '\\')
		snprintf (bytes, sizeof bytes, "\\%c", (int) code);
	else if (is_unsafe (code))
		snprintf (bytes, sizeof bytes, "\\u%04x", (unsigned) code & 0xffff);
	else if (code < 0x80)
		snprintf (bytes, sizeof bytes, "%c", (int) code);
	else if (code < 0x800)
		snprintf (bytes, sizeof bytes, "%c%c", (int) (0xc0 | code >> 6), (int) (0x80 | (code & 0x3f)));
	else if (code < 0x10000)
		snprintf (bytes, sizeof bytes, "%c%c%c", (int) (0xe0 | code >> 12), (int) (0x80 | (code >> 6 & 0x3f)),
		          (int) (0x80 | (code & 0x3f)));
	else
		snprintf (bytes, sizeof bytes, "%c%c%c%c", (int) (0xf0 | code >> 18), (int) (0x80 | (code >> 12 & 0x3f)),
		          (int) (0x80 | (code >> 6 & 0x3f)), (int) (0x80 | (code & 0x3f)));
	text_put (out, bytes);
}

void
text_quote (text *out, const uint16_t *units, size_t count, char quote)
{
	const char mark[] = { quote, '\0' };
	text_put (out, mark);
	for (size_t i = 0; i < count; i++) {
		uint32_t code = units[i];
		bool is_pair =
		    code >= 0xd800 && code < 0xdc00 && i + 1 < count && units[i + 1] >= 0xdc00 && units[i + 1] < 0xe000;
		if (is_pair)
			code = 0x10000 + ((code - 0xd800) << 10) + (units[++i] - 0xdc00u);
		put_code (out, code, quote);
	}
	text_put (out, mark);
}
