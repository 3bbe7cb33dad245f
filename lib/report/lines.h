/*
 * SPDX-License-Identifier: MIT
 *
 * lines.h - sources and lines of what a profile knows by image, token and IL offset, out of the images' symbols.
 */
#ifndef MONOCLE_REPORT_LINES_H
#define MONOCLE_REPORT_LINES_H

#include "profile.h"

/* A line for people about an image whose symbols cannot be used. */
typedef void monocle__lines_say (const char *text);

/*
 * Fills in the source and first line of each function, and the line of each place, where symbols that belong to the
 * image are found. What is known already stays. No line is better than a wrong one: a place in another document than
 * its function's, and one that cannot be told from the next line's, have none. How many functions and
 * places were filled in; SIZE_MAX: out of memory.
 */
size_t monocle__lines_find (monocle__profile *profile, monocle__lines_say *say);

#endif
