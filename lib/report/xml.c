/*
 * SPDX-License-Identifier: MIT
 *
 * xml.c - see xml.h.
 */
#include "xml.h"

#include "invariant.h"
#include "utf8.h"

#include <inttypes.h>
#include <string.h>

/*
 * Writes a reference in the place of a character: of markup, of space that would be read as a blank in attributes, and
 * of what a terminal would obey. False: the character is written as it is.
 */
static bool
write_reference (FILE *out, uint32_t code)
{
	switch (code) {
	case '<': fputs_unlocked ("&lt;", out); return true;
	case '>': fputs_unlocked ("&gt;", out); return true;
	case '&': fputs_unlocked ("&amp;", out); return true;
	case '"': fputs_unlocked ("&quot;", out); return true;
	default: break;
	}
	if (monocle__utf8_is_unsafe (code))
		fprintf (out, "&#%" PRIu32 ";", code);
	return monocle__utf8_is_unsafe (code);
}

static bool
is_plain (unsigned char byte)
{
	return byte >= 0x20 && byte < 0x7f && byte != '<' && byte != '>' && byte != '&' && byte != '"';
}

/* One character that is not plain; how many bytes it has. */
static size_t
write_letter (FILE *out, const char *text, size_t size)
{
	uint32_t code;
	size_t length = monocle__utf8_decode (text, size, &code);
	if (!monocle__utf8_is_xml (code) || code == MONOCLE__UTF8_INVALID)
		fputs_unlocked ("\xef\xbf\xbd", out);
	else if (!write_reference (out, code))
		fwrite_unlocked (text, 1, length, out);
	return length;
}

static void
write_text (FILE *out, const char *text, size_t size)
{
	size_t plain = 0;
	for (size_t i = 0; i < size;) {
		if (is_plain ((unsigned char) text[i])) {
			i++;
			continue;
		}
		fwrite_unlocked (text + plain, 1, i - plain, out);
		i += write_letter (out, text + i, size - i);
		plain = i;
	}
	fwrite_unlocked (text + plain, 1, size - plain, out);
}

static void
close_tag (monocle__xml *xml)
{
	if (xml->in_tag)
		putc_unlocked ('>', xml->out);
	xml->in_tag = false;
}

static void
begin_line (monocle__xml *xml)
{
	static const char blanks[MONOCLE__XML_DEPTH + 1] = "                ";
	putc_unlocked ('\n', xml->out);
	fwrite_unlocked (blanks, 1, xml->depth, xml->out);
}

monocle__xml
monocle__xml_begin (FILE *out)
{
	fputs_unlocked ("<?xml version=\"1.0\" encoding=\"utf-8\"?>", out);
	return (monocle__xml) { .out = out };
}

void
monocle__xml_start (monocle__xml *xml, const char *name)
{
	MONOCLE__INVARIANT (xml->depth < MONOCLE__XML_DEPTH);
	close_tag (xml);
	begin_line (xml);
	putc_unlocked ('<', xml->out);
	fputs_unlocked (name, xml->out);
	xml->names[xml->depth++] = name;
	xml->in_tag = true;
	xml->in_text = false;
}

void
monocle__xml_end (monocle__xml *xml)
{
	MONOCLE__INVARIANT (xml->depth > 0);
	xml->depth--;
	if (xml->in_tag) {
		fputs_unlocked ("/>", xml->out);
	} else {
		if (!xml->in_text)
			begin_line (xml);
		fprintf (xml->out, "</%s>", xml->names[xml->depth]);
	}
	xml->in_tag = xml->in_text = false;
	if (xml->depth == 0)
		putc_unlocked ('\n', xml->out);
}

static void
begin_attribute (monocle__xml *xml, const char *name)
{
	MONOCLE__INVARIANT (xml->in_tag);
	putc_unlocked (' ', xml->out);
	fputs_unlocked (name, xml->out);
	fputs_unlocked ("=\"", xml->out);
}

void
monocle__xml_bytes (monocle__xml *xml, const char *name, const char *value, size_t size)
{
	begin_attribute (xml, name);
	write_text (xml->out, value, size);
	putc_unlocked ('"', xml->out);
}

void
monocle__xml_string (monocle__xml *xml, const char *name, const char *value)
{
	monocle__xml_bytes (xml, name, value, strlen (value));
}

/* The digits of value, at least `least` of them, at the end of `digits`; where they begin. */
static const char *
format_number (char digits[24], uint64_t value, unsigned least)
{
	char *begin = digits + 23;
	*begin = '\0';
	do
		*--begin = (char) ('0' + value % 10);
	while (value /= 10, value > 0 || digits + 23 - begin < (ptrdiff_t) least);
	return begin;
}

void
monocle__xml_number (monocle__xml *xml, const char *name, uint64_t value)
{
	char digits[24];
	begin_attribute (xml, name);
	fputs_unlocked (format_number (digits, value, 1), xml->out);
	putc_unlocked ('"', xml->out);
}

void
monocle__xml_decimal (monocle__xml *xml, const char *name, uint64_t value, unsigned decimals)
{
	char digits[24];
	const char *text = format_number (digits, value, decimals + 1);
	int whole = (int) (strlen (text) - decimals);
	begin_attribute (xml, name);
	fprintf (xml->out, "%.*s.%s\"", whole, text, text + whole);
}

void
monocle__xml_text (monocle__xml *xml, const char *text, size_t size)
{
	close_tag (xml);
	write_text (xml->out, text, size);
	xml->in_text = true;
}

void
monocle__xml_leaf (monocle__xml *xml, const char *name, const char *text)
{
	monocle__xml_start (xml, name);
	monocle__xml_text (xml, text, strlen (text));
	monocle__xml_end (xml);
}
