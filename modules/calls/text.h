/*
 * SPDX-License-Identifier: MIT
 *
 * text.h - text that is put together in a buffer, and ends with three dots where it did not fit.
 */
#ifndef MONOCLE_MODULES_CALLS_TEXT_H
#define MONOCLE_MODULES_CALLS_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct {
	char *at, *end; /* where the next character goes; room for dots and a NUL is behind `end` */
	bool is_full;
} text;

/* `buffer` is "" then. `size`: 16 at least. */
void text_begin (text *out, char *buffer, size_t size);
/* What does not fit as a whole is left out, and so is all that follows. */
void text_put (text *out, const char *bytes);
void text_format (text *out, const char *format, ...) __attribute__ ((format (printf, 2, 3)));
/* Characters in UTF-16, escaped as in C# between quotes of this kind. */
void text_quote (text *out, const uint16_t *units, size_t count, char quote);

#endif
