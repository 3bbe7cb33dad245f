/*
 * SPDX-License-Identifier: MIT
 *
 * origin.c - see origin.h. "MVID TOKEN OFFSET", as metadata's GUIDs are written: 8-4-4-4-12 digits, of which the first
 * three groups are little-endian numbers.
 */
#include "origin.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include <monocle/kit.h>

enum { MVID_LENGTH = 36, METHOD_TABLE = 0x06, UNKNOWN = UINT32_MAX };

/* Where each byte of a GUID has its two digits. */
static const uint8_t digits_of[16] = { 6, 4, 2, 0, 11, 9, 16, 14, 19, 21, 24, 26, 28, 30, 32, 34 };

/* -1: it is no digit. */
static int
digit (char character)
{
	if (character >= '0' && character <= '9')
		return character - '0';
	character |= 0x20;
	return character >= 'a' && character <= 'f' ? character - 'a' + 10 : -1;
}

static bool
read_mvid (const char *text, uint8_t ret_mvid[16])
{
	if (strnlen (text, MVID_LENGTH) < MVID_LENGTH || text[8] != '-' || text[13] != '-' || text[18] != '-' ||
	    text[23] != '-')
		return false;
	for (int i = 0; i < 16; i++) {
		int high = digit (text[digits_of[i]]), low = digit (text[digits_of[i] + 1]);
		if (high < 0 || low < 0)
			return false;
		ret_mvid[i] = (uint8_t) (high << 4 | low);
	}
	return true;
}

/* A blank and up to eight digits. */
static bool
read_number (const char **text, uint32_t *ret_number)
{
	const char *at = *text;
	uint32_t number = 0;
	int count = 0;
	if (*at++ != ' ')
		return false;
	for (; count < 8 && digit (*at) >= 0; count++)
		number = number << 4 | (uint32_t) digit (*at++);
	*ret_number = number;
	*text = at;
	return count > 0;
}

static char *
write_number (char *at, uint32_t number)
{
	*at++ = ' ';
	for (int shift = 28; shift >= 0; shift -= 4)
		*at++ = "0123456789abcdef"[number >> shift & 15];
	return at;
}

void
monocle_kit_origin (const char *mvid, uint32_t token, uint32_t il_offset, char buffer[MONOCLE_KIT_ORIGIN_SIZE])
{
	uint8_t bytes[16];
	char *at = buffer;
	if (mvid && token >> 24 == METHOD_TABLE && token & 0xffffff && read_mvid (mvid, bytes)) {
		memcpy (at, mvid, MVID_LENGTH);
		at = write_number (at + MVID_LENGTH, token);
		at = il_offset == UNKNOWN ? at : write_number (at, il_offset);
	}
	*at = '\0';
}

struct monocle__origin
monocle__origin_parse (const char *text)
{
	static const struct monocle__origin unknown = MONOCLE__ORIGIN_UNKNOWN;
	struct monocle__origin origin = unknown;
	if (!read_mvid (text, origin.mvid))
		return unknown;
	text += MVID_LENGTH;
	if (!read_number (&text, &origin.token) || origin.token >> 24 != METHOD_TABLE)
		return unknown;
	if (*text && !read_number (&text, &origin.il_offset))
		return unknown;
	return *text ? unknown : origin;
}
