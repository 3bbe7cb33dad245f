/*
 * SPDX-License-Identifier: MIT
 *
 * other-words.c - see other-words.h.
 */
#include "other-words.h"

#include <string.h>

static const monocle__other_word words[] = {
#define WORD(word, command, profile) { word, command, profile },
#include "other-words.def"
#undef WORD
};

const monocle__other_word *
monocle__other_words_find (const char *word, size_t length)
{
	for (size_t i = 0; i < sizeof words / sizeof *words; i++)
		if (strlen (words[i].word) == length && memcmp (words[i].word, word, length) == 0)
			return &words[i];
	return NULL;
}
