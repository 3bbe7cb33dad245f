/*
 * SPDX-License-Identifier: MIT
 *
 * source-text.h - the bytes of a source file, and whether they are what was compiled.
 */
#ifndef MONOCLE_REPORT_SOURCE_TEXT_H
#define MONOCLE_REPORT_SOURCE_TEXT_H

#include "coverage.h"

enum { MONOCLE__SOURCE_TEXT_MAX = 8 * 1024 * 1024 };

typedef enum {
	MONOCLE__SOURCE_TEXT_SAME,    /* or nobody knows: symbols without a hash */
	MONOCLE__SOURCE_TEXT_CHANGED, /* read, but not what was compiled, nor that with other line ends */
	MONOCLE__SOURCE_TEXT_MISSING, /* was not found here */
	MONOCLE__SOURCE_TEXT_REFUSED, /* cannot be read, is no file, or is larger than a source is */
	MONOCLE__SOURCE_TEXT_MEMORY,
} monocle__source_text_state;

typedef struct {
	uint8_t *bytes; /* as they are in the file; NULL: there are none */
	size_t size;
	const char *why; /* REFUSED: static text, or of strerror () */
} monocle__source_text;

/* Reads file->local. The caller frees ret_text->bytes. */
monocle__source_text_state monocle__source_text_read (const monocle__coverage_file *file,
                                                      monocle__source_text *ret_text);

/* What is left of a source. */
typedef struct {
	const char *at;
	size_t size;
} monocle__source_rest;

/* All of it, without a mark of byte order. */
monocle__source_rest monocle__source_text_lines (const monocle__source_text *text);
/* Takes the next line off, without its end. False: there is none. */
bool monocle__source_text_try_next (monocle__source_rest *rest, const char **ret_line, size_t *ret_length);
/* A line for people, and a line feed. Tabs become blanks: what stands before the text would move it. */
void monocle__source_text_print (FILE *out, const char *text, size_t length);

#endif
