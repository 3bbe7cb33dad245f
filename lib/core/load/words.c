/*
 * SPDX-License-Identifier: MIT
 *
 * words.c - a line of options into words, by the rules that Mono 6.8 was seen to apply to MONO_ENV_OPTIONS.
 *
 * Blanks, tabs and newlines separate. Both kinds of quotes keep what they enclose together and may begin inside a word.
 * A backslash makes the next character ordinary everywhere, inside either kind of quotes too (unlike in a shell); one
 * at the very end is dropped. Words without a character are dropped.
 */
#include "words.h"
#include "invariant.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <monocle/host.h>

typedef struct {
	char **words;
	int count;
	char *start, *end; /* of the word being written */
} output;

static void
end_word (output *out)
{
	if (out->end == out->start)
		return;
	*out->end++ = '\0';
	out->words[out->count++] = out->start;
	out->start = out->end;
}

/* Room for every pointer and byte that `length` characters can become: a word costs at least one, and a NUL more. */
static bool
prepare (output *out, size_t length)
{
	size_t pointers = length / 2 + 2;
	out->words = malloc (pointers * sizeof *out->words + length + 2);
	out->count = 0;
	if (out->words)
		out->start = out->end = (char *) (out->words + pointers);
	return out->words;
}

int
monocle__words_split (const char *text, char ***ret_words)
{
	output out;
	char quote = '\0';
	if (!prepare (&out, strlen (text)))
		return MONOCLE_E_NO_MEMORY;
	for (; *text; text++) {
		if (*text == '\\') {
			if (!text[1])
				break;
			*out.end++ = *++text;
		} else if (quote ? *text == quote : *text == '\'' || *text == '"') {
			quote = quote ? '\0' : *text;
		} else if (!quote && strchr (" \t\n", *text)) {
			end_word (&out);
		} else {
			*out.end++ = *text;
		}
	}
	if (quote) {
		free (out.words);
		return MONOCLE_E_INVALID;
	}
	end_word (&out);
	out.words[out.count] = NULL;
	MONOCLE__INVARIANT ((char *) (out.words + out.count + 1) <= out.end || !out.count);
	*ret_words = out.words;
	return out.count;
}
