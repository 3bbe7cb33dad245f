/*
 * SPDX-License-Identifier: MIT
 *
 * template.h - what the HTML pages and the picture share: texts between tags, and a template that is filled in.
 */
#ifndef MONOCLE_REPORT_TEMPLATE_H
#define MONOCLE_REPORT_TEMPLATE_H

#include <stdio.h>

/*
 * Writes a text as HTML and XML have it between tags; what would change a terminal or a page's direction, and what XML
 * does not allow, becomes a question mark.
 */
void monocle__template_text (FILE *out, const char *text);
/* Copies the template from `from` up to the marker and answers what follows it, or its end. */
const char *monocle__template_until (FILE *out, const char *from, const char *end, const char *marker);

#endif
