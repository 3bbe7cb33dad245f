/*
 * SPDX-License-Identifier: MIT
 *
 * width.c - measuring and shortening names for people's terminals, independent of the locale.
 */
#include "width.h"

#include "invariant.h"
#include "utf8.h"

#include <string.h>

typedef struct {
	uint32_t first, last;
} code_range;

/* clang-format off */
/* Blocks whose characters are two columns wide (East Asian wide and the pictographs). */
static const code_range wide_ranges[] = {
	{ 0x1100, 0x115f },   { 0x2e80, 0x303e },   { 0x3041, 0xa4cf },   { 0xac00, 0xd7a3 },   { 0xf900, 0xfaff },
	{ 0xfe30, 0xfe6f },   { 0xff01, 0xff60 },   { 0xffe0, 0xffe6 },   { 0x1f300, 0x1f64f }, { 0x1f680, 0x1f6ff },
	{ 0x1f900, 0x1f9ff }, { 0x20000, 0x3fffd },
};
/* Marks that are drawn over the character before them, joiners and variation selectors. */
static const code_range zero_ranges[] = {
	{ 0x0300, 0x036f }, { 0x1ab0, 0x1aff }, { 0x1dc0, 0x1dff }, { 0x200b, 0x200d }, { 0x20d0, 0x20ff },
	{ 0xfe00, 0xfe0f }, { 0xfe20, 0xfe2f }, { 0xfeff, 0xfeff }, { 0xe0100, 0xe01ef },
};
/* clang-format on */

#define IN(ranges, code) in_ranges (ranges, sizeof (ranges) / sizeof *(ranges), code)

static int
in_ranges (const code_range *ranges, size_t count, uint32_t code)
{
	for (size_t i = 0; i < count; i++) {
		if (code >= ranges[i].first && code <= ranges[i].last)
			return 1;
	}
	return 0;
}

/* Columns that the character takes on a terminal: 0, 1 or 2. */
static unsigned
columns_of (uint32_t code)
{
	if (code < 0x300 || monocle__utf8_is_unsafe (code))
		return 1;
	if (IN (zero_ranges, code))
		return 0;
	return IN (wide_ranges, code) ? 2 : 1;
}

size_t
monocle__utf8_width (const char *text)
{
	size_t width = 0, left = strlen (text);
	uint32_t code;
	while (left > 0) {
		size_t length = monocle__utf8_decode (text, left, &code);
		width += columns_of (code);
		text += length;
		left -= length;
	}
	return width;
}

/* Where the first `columns` columns of `text` end. */
static size_t
head_bytes (const char *text, size_t columns)
{
	size_t width = 0, at = 0, size = strlen (text);
	uint32_t code;
	while (at < size) {
		size_t length = monocle__utf8_decode (text + at, size - at, &code);
		if (width + columns_of (code) > columns)
			break;
		width += columns_of (code);
		at += length;
	}
	return at;
}

/*
 * Where the last `columns` columns of `text`, which has `width`, begin; marks stay with the character they belong to.
 */
static size_t
tail_start (const char *text, size_t width, size_t columns)
{
	size_t at = 0, size = strlen (text);
	uint32_t code;
	while (at < size) {
		size_t length = monocle__utf8_decode (text + at, size - at, &code);
		unsigned own = columns_of (code);
		if (width <= columns && own > 0)
			break;
		MONOCLE__INVARIANT (width >= own);
		width -= own;
		at += length;
	}
	return at;
}

typedef struct {
	char *buffer;
	size_t size, length;
} clipped;

static void
append (clipped *out, const char *text, size_t left)
{
	uint32_t code;
	while (left > 0) {
		size_t length = monocle__utf8_decode (text, left, &code);
		const char *bytes = monocle__utf8_is_unsafe (code) ? "?" : code == 0xfffd ? "\xef\xbf\xbd" : text;
		size_t count = bytes == text ? length : strlen (bytes);
		if (out->length + count >= out->size)
			return;
		memcpy (out->buffer + out->length, bytes, count);
		out->length += count;
		text += length;
		left -= length;
	}
}

void
monocle__utf8_elide (const char *text, size_t columns, const char *mark, char *buffer, size_t size)
{
	size_t width = monocle__utf8_width (text), mark_width = monocle__utf8_width (mark);
	clipped out = { .buffer = buffer, .size = size };
	if (size == 0)
		return;
	if (columns == 0 || width <= columns) {
		append (&out, text, strlen (text));
	} else if (columns <= mark_width) {
		append (&out, text, head_bytes (text, columns));
	} else {
		size_t keep = columns - mark_width, tail = tail_start (text, width, keep / 2);
		append (&out, text, head_bytes (text, keep - keep / 2));
		append (&out, mark, strlen (mark));
		append (&out, text + tail, strlen (text + tail));
	}
	MONOCLE__INVARIANT (out.length < size);
	buffer[out.length] = '\0';
}
