/*
 * SPDX-License-Identifier: MIT
 *
 * utf16.c - the runtime's text as everybody else's.
 */
#include "utf16.h"

#include "utf8.h"

/* The character at *at, which is moved past it. */
static uint32_t
next_character (const WCHAR **at, const WCHAR *end)
{
	uint32_t c = *(*at)++;
	if (c < 0xD800 || c >= 0xE000)
		return c;
	if (c >= 0xDC00 || *at == end || **at < 0xDC00 || **at >= 0xE000)
		return 0xFFFD;
	return 0x10000 + ((c - 0xD800) << 10) + (*(*at)++ - 0xDC00u);
}

void
monocle__utf16_to_utf8 (const WCHAR *from, size_t length, char *to, size_t size)
{
	const WCHAR *end = from + length;
	char *limit = to + size - 1, bytes[4];
	while (from < end) {
		size_t count = monocle__utf8_encode (next_character (&from, end), bytes);
		if (count > (size_t) (limit - to))
			break;
		for (size_t i = 0; i < count; i++)
			*to++ = bytes[i];
	}
	*to = 0;
}
