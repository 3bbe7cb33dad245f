/*
 * SPDX-License-Identifier: MIT
 *
 * packed.c - see packed.h.
 */
#include "packed.h"

#include "array.h"

#include <string.h>
#include <zlib.h>

/* Sources of 10,000 files should not take seconds; the better levels save a tenth for three times the time. */
enum { LEVEL = 2 };

void
monocle__packed_put (monocle__packed *packed, const void *bytes, size_t length)
{
	if (packed->failed || !MONOCLE__RESERVE (packed->bytes, packed->capacity, packed->length + length)) {
		packed->failed = true;
		return;
	}
	if (length)
		memcpy (packed->bytes + packed->length, bytes, length);
	packed->length += length;
}

void
monocle__packed_put_number (monocle__packed *packed, unsigned long long number, char end)
{
	char text[24], *at = text + sizeof text;
	if (end)
		*--at = end;
	do {
		*--at = (char) ('0' + number % 10);
		number /= 10;
	} while (number);
	monocle__packed_put (packed, at, (size_t) (text + sizeof text - at));
}

void
monocle__packed_put_string (monocle__packed *packed, const char *text)
{
	monocle__packed_put (packed, "\"", 1);
	while (*text) {
		size_t plain = 0;
		while ((unsigned char) text[plain] >= ' ' && text[plain] != '"' && text[plain] != '\\')
			plain++;
		monocle__packed_put (packed, text, plain);
		text += plain;
		if (*text) {
			char escape[8];
			int length = snprintf (escape, sizeof escape, "\\u%04x", (unsigned) *text++);
			monocle__packed_put (packed, escape, (size_t) length);
		}
	}
	monocle__packed_put (packed, "\"", 1);
}

static void
write_base64 (FILE *out, const unsigned char *bytes, size_t length)
{
	static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	char line[4096];
	size_t used = 0;
	for (size_t i = 0; i < length; i += 3) {
		unsigned more = i + 1 < length ? bytes[i + 1] : 0, last = i + 2 < length ? bytes[i + 2] : 0;
		unsigned word = (unsigned) bytes[i] << 16 | more << 8 | last;
		line[used++] = digits[word >> 18];
		line[used++] = digits[word >> 12 & 63];
		line[used++] = i + 1 < length ? digits[word >> 6 & 63] : '=';
		line[used++] = i + 2 < length ? digits[word & 63] : '=';
		if (used == sizeof line) {
			fwrite (line, 1, used, out);
			used = 0;
		}
	}
	fwrite (line, 1, used, out);
}

bool
monocle__packed_write (FILE *out, monocle__packed *packed)
{
	uLongf size = compressBound (packed->length);
	unsigned char *deflated = packed->failed ? NULL : malloc (size);
	bool is_done =
	    deflated && compress2 (deflated, &size, (const Bytef *) packed->bytes, packed->length, LEVEL) == Z_OK;
	if (is_done) {
		fputs ("<script type=\"application/octet-stream\">", out);
		write_base64 (out, deflated, size);
		fputs ("</script>\n", out);
	}
	free (deflated);
	packed->length = 0;
	return is_done;
}

void
monocle__packed_done (monocle__packed *packed)
{
	free (packed->bytes);
	*packed = (monocle__packed) { 0 };
}
