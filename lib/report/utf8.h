/* SPDX-License-Identifier: MIT
 *
 * utf8.h - the little that reports need to know of UTF-8.
 */
#ifndef MONOCLE_REPORT_UTF8_H
#define MONOCLE_REPORT_UTF8_H

#include <stddef.h>
#include <stdint.h>

/*
 * Decodes one character of the `size` > 0 bytes at `text` into *ret_code and answers its length in bytes. An invalid
 * sequence (overlong, surrogate, beyond U+10FFFF, cut off) has length 1 and the code U+FFFD.
 */
size_t monocle__utf8_decode (const char *text, size_t size, uint32_t *ret_code);

/* Columns that the character takes on a terminal: 0, 1 or 2. */
unsigned monocle__utf8_columns (uint32_t code);
/* The same for a whole string, as monocle__utf8_print () writes it. */
size_t monocle__utf8_width (const char *text);

/* Must not reach a terminal as it is: control characters, and those that reverse the direction of what follows. */
int monocle__utf8_is_unsafe (uint32_t code);

/*
 * Copies `text` into `buffer` so that it takes at most `columns`: what is too much is taken out of the middle and
 * replaced by `mark` ("…" or ".."). Unsafe characters become "?". columns 0: no limit. Always ends with NUL; cuts at
 * `size` between characters.
 */
void monocle__utf8_elide (const char *text, size_t columns, const char *mark, char *buffer, size_t size);

#endif
