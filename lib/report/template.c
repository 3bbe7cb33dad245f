/*
 * SPDX-License-Identifier: MIT
 *
 * template.c - see template.h.
 */
#include "template.h"

#include <string.h>

#include "utf8.h"

void
monocle__template_text (FILE *out, const char *text)
{
	size_t left = strlen (text);
	uint32_t code;
	while (left > 0) {
		size_t length = monocle__utf8_decode (text, left, &code);
		if (code == '&' || code == '<' || code == '>')
			fprintf (out, "&#%u;", (unsigned) code);
		else if (monocle__utf8_is_unsafe (code) || !monocle__utf8_is_xml (code) || code == MONOCLE__UTF8_INVALID)
			putc ('?', out);
		else
			fwrite (text, 1, length, out);
		text += length;
		left -= length;
	}
}

const char *
monocle__template_until (FILE *out, const char *from, const char *end, const char *marker)
{
	const char *found = memmem (from, (size_t) (end - from), marker, strlen (marker));
	fwrite (from, 1, (size_t) ((found ? found : end) - from), out);
	return found ? found + strlen (marker) : end;
}
