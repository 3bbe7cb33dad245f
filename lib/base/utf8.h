/*
 * SPDX-License-Identifier: MIT
 *
 * utf8.h - reading UTF-8 that was not checked, and which of its characters must not be printed.
 *
 * Everything is async-safe, thread safe and independent of the locale.
 */
#ifndef MONOCLE_BASE_UTF8_H
#define MONOCLE_BASE_UTF8_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { MONOCLE__UTF8_INVALID = 0xfffd };

/*
 * Decodes one character of the `size` > 0 bytes at `text` into *ret_code and answers its length in bytes. An invalid
 * sequence (overlong, surrogate, beyond U+10FFFF, cut off) has length 1 and the code U+FFFD.
 */
size_t monocle__utf8_decode (const char *text, size_t size, uint32_t *ret_code);

/* How many of the `size` bytes at `text` are valid from the first one on. */
size_t monocle__utf8_valid (const char *text, size_t size);

/* Writes the 1 to 4 bytes of `code`, which is at most U+10FFFF, and answers how many. */
size_t monocle__utf8_encode (uint32_t code, char bytes[4]);

/*
 * Must not be printed as it is: control characters (C0, DEL, C1), line and paragraph separators, and what turns the
 * direction of the text around it. All of these lie below U+10000.
 */
bool monocle__utf8_is_unsafe (uint32_t code);

/*
 * XML 1.0 (2.2) allows it in a document, and so may HTML: most control characters, the halves of surrogate pairs,
 * U+FFFE and U+FFFF it does not, written as they are or as a reference. All of these lie below U+10000.
 */
bool monocle__utf8_is_xml (uint32_t code);

/*
 * Makes one line, fit to be printed, of `length` bytes: white space that is a control character becomes a blank; any
 * other unsafe character, and each byte that is not UTF-8, a question mark. Works in place and answers the new length,
 * which is never larger. Writes no NUL.
 */
size_t monocle__utf8_clean (char *text, size_t length);
/* The same, but for tabs, which stay: they are between columns. */
size_t monocle__utf8_clean_columns (char *text, size_t length);

#endif
