/*
 * SPDX-License-Identifier: MIT
 *
 * xml.h - writing XML: elements with attributes in the order of the calls, a line each.
 *
 * Texts are UTF-8. What XML cannot say (most control characters) becomes U+FFFD; what a terminal would obey is written
 * by its number, which readers take for the character itself. Numbers look the same in every locale. The stream keeps
 * its errors.
 */
#ifndef MONOCLE_REPORT_XML_H
#define MONOCLE_REPORT_XML_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

enum { MONOCLE__XML_DEPTH = 16 };

typedef struct {
	FILE *out;
	const char *names[MONOCLE__XML_DEPTH]; /* of the elements that are open; static texts */
	unsigned depth;
	bool in_tag;  /* the last start tag has no end yet: attributes may follow */
	bool in_text; /* the innermost element has text: its end tag follows that at once */
} monocle__xml;

/* Writes the declaration. */
monocle__xml monocle__xml_begin (FILE *out);
/* Opens an element, or ends the last one that was opened. */
void monocle__xml_start (monocle__xml *xml, const char *name);
void monocle__xml_end (monocle__xml *xml);

/* An attribute of the element that was opened last, before anything else is written into that. */
void monocle__xml_string (monocle__xml *xml, const char *name, const char *value);
void monocle__xml_bytes (monocle__xml *xml, const char *name, const char *value, size_t size);
void monocle__xml_number (monocle__xml *xml, const char *name, uint64_t value);
/* value / 10^decimals, as "0.0625" is of 625 and 4. */
void monocle__xml_decimal (monocle__xml *xml, const char *name, uint64_t value, unsigned decimals);

void monocle__xml_text (monocle__xml *xml, const char *text, size_t size);
/* An element that has text only. */
void monocle__xml_leaf (monocle__xml *xml, const char *name, const char *text);

#endif
