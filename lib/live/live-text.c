/*
 * SPDX-License-Identifier: MIT
 *
 * live-text.c - see live-text.h.
 */
#include "live-text.h"

#include "bytes.h"
#include "utf8.h"

#include <stdio.h>
#include <string.h>

static uint32_t
take_code (const uint8_t *units, size_t count, size_t *at)
{
	uint32_t unit = monocle__le16 (units + 2 * (*at)++), low;
	if (unit < 0xd800 || unit > 0xdfff)
		return unit;
	low = unit < 0xdc00 && *at < count ? monocle__le16 (units + 2 * *at) : 0;
	if (low < 0xdc00 || low > 0xdfff)
		return MONOCLE__UTF8_INVALID;
	(*at)++;
	return 0x10000 + ((unit - 0xd800) << 10) + (low - 0xdc00);
}

void
monocle__live_text (const uint8_t *units, size_t count, char *buffer, size_t size)
{
	size_t used = 0;
	for (size_t i = 0; i < count;) {
		char bytes[4];
		uint32_t code = take_code (units, count, &i);
		size_t length = code ? monocle__utf8_encode (code, bytes) : 0;
		if (used + length + 1 > size || !code)
			break;
		memcpy (buffer + used, bytes, length);
		used += length;
	}
	buffer[monocle__utf8_clean (buffer, used)] = '\0';
}

void
monocle__live_text_clean (char *text)
{
	text[monocle__utf8_clean (text, strlen (text))] = '\0';
}

void
monocle__live_text_copy (char *to, size_t size, const char *from)
{
	snprintf (to, size, "%s", from);
	monocle__live_text_clean (to);
}
