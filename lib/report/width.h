/*
 * SPDX-License-Identifier: MIT
 *
 * width.h - the room that names take on a terminal.
 */
#ifndef MONOCLE_REPORT_WIDTH_H
#define MONOCLE_REPORT_WIDTH_H

#include <stddef.h>
#include <stdint.h>

/* Columns that a string takes on a terminal, as monocle__utf8_elide () leaves it. */
size_t monocle__utf8_width (const char *text);

/*
 * Copies `text` into `buffer` so that it takes at most `columns`: what is too much is taken out of the middle and
 * replaced by `mark` ("…" or ".."). Unsafe characters become "?". columns 0: no limit. Always ends with NUL; cuts at
 * `size` between characters.
 */
void monocle__utf8_elide (const char *text, size_t columns, const char *mark, char *buffer, size_t size);

#endif
