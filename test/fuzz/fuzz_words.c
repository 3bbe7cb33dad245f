/*
 * SPDX-License-Identifier: MIT
 *
 * fuzz_words.c - any text as options in the environment: the words are no longer than the text.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "load/words.h"

int LLVMFuzzerTestOneInput (const uint8_t *data, size_t size);

int
LLVMFuzzerTestOneInput (const uint8_t *data, size_t size)
{
	char *text = malloc (size + 1), **words = NULL;
	size_t length = 0;

	if (!text)
		return 0;
	if (size)
		memcpy (text, data, size);
	text[size && text[size - 1] == '\n' ? size - 1 : size] = '\0'; /* the corpus is made of text files */
	int count = monocle__words_split (text, &words);
	for (int i = 0; i < count; i++)
		length += strlen (words[i]);
	if (length > strlen (text) || (count >= 0 && words[count]))
		abort ();
	if (count >= 0)
		free (words);
	free (text);
	return 0;
}
