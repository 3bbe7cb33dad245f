/*
 * SPDX-License-Identifier: MIT
 *
 * packed.h - data inside an HTML file: deflated (RFC 1950), then as base64, in a script element that nothing runs.
 */
#ifndef MONOCLE_REPORT_PACKED_H
#define MONOCLE_REPORT_PACKED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* Bytes that are put together piece by piece. */
typedef struct {
	char *bytes;
	size_t length, capacity;
	bool failed; /* out of memory; it holds less than was put */
} monocle__packed;

void monocle__packed_put (monocle__packed *packed, const void *bytes, size_t length);
/* The number, then `end` unless it is NUL. */
void monocle__packed_put_number (monocle__packed *packed, unsigned long long number, char end);
/* A string of JSON; `text` is UTF-8. */
void monocle__packed_put_string (monocle__packed *packed, const char *text);

/* Writes the element, and empties. false: out of memory. */
bool monocle__packed_write (FILE *out, monocle__packed *packed);
void monocle__packed_done (monocle__packed *packed);

#endif
