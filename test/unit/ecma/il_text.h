/*
 * SPDX-License-Identifier: MIT
 *
 * il_text.h - method bodies as one line of text, and bytes to make them from, for the tests of lib/ecma/il.h.
 */
#ifndef IL_TEXT_H
#define IL_TEXT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "ecma.h"
#include "il_check.h"

/* A tiny body around the code bytes. */
#define IL_TINY(...) \
	{ \
		(uint8_t) (sizeof ((const uint8_t[]) { __VA_ARGS__ }) << 2 | 2), __VA_ARGS__ \
	}

/* A fat body: stack 8, no locals, `more` is 0x08 when a section follows. `size` is that of the code, below 256. */
#define IL_FAT(more, size) 0x03 | (more), 0x30, 8, 0, (size), 0, 0, 0, 0, 0, 0, 0

typedef struct {
	char text[2000];
} il_text;

/*
 * One word per instruction: `+` when it was inserted, the name, `>N` for the index a branch goes to, `=N` for another
 * operand that is not zero. Then the clauses: `catch 1-3 3-5`, a filter with `filter 1-3 @3 5-6`.
 */
il_text il_describe (const monocle__il_body *body);

#define assert_il(body, expected) \
	do { \
		il_text described = il_describe (body); \
		assert_string_equal (described.text, expected); \
	} while (0)

/* Reads what must be readable and must take up all of `data`. */
monocle__il_body il_must_read (const uint8_t *data, size_t size);

/* Writes what must be writable into memory that the caller frees. */
uint8_t *il_must_write (const monocle__il_body *body, bool verbatim, size_t *ret_size);

#endif
