/*
 * SPDX-License-Identifier: MIT
 *
 * short-name.h - a function's name in the room that a line has left.
 */
#ifndef MONOCLE_REPORT_SHORT_NAME_H
#define MONOCLE_REPORT_SHORT_NAME_H

#include <stddef.h>

/*
 * As monocle__utf8_elide () (width.h), but what is too long loses its arguments first, then its namespace, its type
 * arguments and its type; only then the middle of the method's own name. Names of either spelling, and of other tools.
 */
void monocle__short_name (const char *name, size_t columns, const char *mark, char *buffer, size_t size);

#endif
