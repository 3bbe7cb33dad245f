/*
 * SPDX-License-Identifier: MIT
 *
 * other-words.h - what people type who know other tools.
 */
#ifndef MONOCLE_TOOLS_OTHER_WORDS_H
#define MONOCLE_TOOLS_OTHER_WORDS_H

#include <stddef.h>

typedef struct {
	const char *word;
	const char *command; /* NULL: it is no command but a module, `profile` */
	const char *profile; /* what --profile= takes */
} monocle__other_word;

/* `length` letters of `word`. NULL: it is none of them. */
const monocle__other_word *monocle__other_words_find (const char *word, size_t length);

#endif
