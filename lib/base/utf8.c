/*
 * SPDX-License-Identifier: MIT
 *
 * utf8.c - see utf8.h.
 *
 * Names come from assemblies, files and environments that may have been made to deceive: they may hold escape sequences
 * of terminals or turn the writing direction. Nothing here trusts its input.
 */
#include "utf8.h"

#include <string.h>

/* clang-format off */
/* C0, DEL and C1; line and paragraph separators; marks, embeddings, overrides and isolates of writing direction. */
static const struct {
	uint32_t first, last;
} unsafe_ranges[] = {
	{ 0x0000, 0x001f }, { 0x007f, 0x009f }, { 0x061c, 0x061c }, { 0x200e, 0x200f }, { 0x2028, 0x202e },
	{ 0x2066, 0x2069 },
};
/* clang-format on */

/* How many bytes a sequence has by its first one, and the smallest code that needs so many; 0: not a first byte. */
static size_t
sequence_length (unsigned char first, uint32_t *ret_smallest)
{
	if (first < 0x80)
		return *ret_smallest = 0, 1;
	if (first >= 0xc2 && first <= 0xdf)
		return *ret_smallest = 0x80, 2;
	if (first >= 0xe0 && first <= 0xef)
		return *ret_smallest = 0x800, 3;
	if (first >= 0xf0 && first <= 0xf4)
		return *ret_smallest = 0x10000, 4;
	return 0;
}

size_t
monocle__utf8_decode (const char *text, size_t size, uint32_t *ret_code)
{
	const unsigned char *bytes = (const unsigned char *) text;
	uint32_t code, smallest = 0;
	size_t length = sequence_length (bytes[0], &smallest);
	*ret_code = 0xfffd;
	if (length == 0 || length > size)
		return 1;
	code = length == 1 ? bytes[0] : bytes[0] & (0x7fu >> length);
	for (size_t i = 1; i < length; i++) {
		if ((bytes[i] & 0xc0) != 0x80)
			return 1;
		code = code << 6 | (bytes[i] & 0x3f);
	}
	if (code < smallest || code > 0x10ffff || (code >= 0xd800 && code <= 0xdfff))
		return 1;
	*ret_code = code;
	return length;
}

size_t
monocle__utf8_valid (const char *text, size_t size)
{
	size_t at = 0, step;
	uint32_t code;
	while (at < size) {
		if ((unsigned char) text[at] < 0x80) { /* nearly every one */
			at++;
			continue;
		}
		step = monocle__utf8_decode (text + at, size - at, &code);
		if (step == 1)
			break;
		at += step;
	}
	return at;
}

size_t
monocle__utf8_encode (uint32_t code, char bytes[4])
{
	static const unsigned char leads[] = { 0, 0xc0, 0xe0, 0xf0 };
	size_t more = code < 0x80 ? 0 : code < 0x800 ? 1 : code < 0x10000 ? 2 : 3;
	for (size_t i = more; i > 0; i--, code >>= 6)
		bytes[i] = (char) (0x80 | (code & 0x3f));
	bytes[0] = (char) (leads[more] | code);
	return more + 1;
}

bool
monocle__utf8_is_unsafe (uint32_t code)
{
	for (size_t i = 0; i < sizeof unsafe_ranges / sizeof *unsafe_ranges; i++) {
		if (code >= unsafe_ranges[i].first && code <= unsafe_ranges[i].last)
			return true;
	}
	return false;
}

bool
monocle__utf8_is_xml (uint32_t code)
{
	return code == '\t' || code == '\n' || code == '\r' || (code >= 0x20 && code < 0xd800) ||
	       (code >= 0xe000 && code < 0xfffe) || (code >= 0x10000 && code <= 0x10ffff);
}

static size_t
clean (char *text, size_t length, bool keeps_tabs)
{
	size_t kept = 0, step;
	uint32_t code;

	/* Nearly every line is plain ASCII throughout, and stays where it is. */
	while (kept < length && text[kept] >= ' ' && text[kept] < 0x7f)
		kept++;
	for (size_t at = kept; at < length; at += step) {
		step = monocle__utf8_decode (text + at, length - at, &code);
		bool is_invalid = code == MONOCLE__UTF8_INVALID && step == 1;
		if (code == '\t' && keeps_tabs) {
			text[kept++] = '\t';
		} else if (code >= '\t' && code <= '\r') {
			text[kept++] = ' ';
		} else if (is_invalid || monocle__utf8_is_unsafe (code)) {
			text[kept++] = '?';
		} else {
			memmove (text + kept, text + at, step);
			kept += step;
		}
	}
	return kept;
}

size_t
monocle__utf8_clean (char *text, size_t length)
{
	return clean (text, length, false);
}

size_t
monocle__utf8_clean_columns (char *text, size_t length)
{
	return clean (text, length, true);
}
