/*
 * SPDX-License-Identifier: MIT
 *
 * fuzz_control.c - any line as a request to a profiled process: what is taken for one lies within the line, and the
 * same words are read again from what it was taken for.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "control-words.h"

int LLVMFuzzerTestOneInput (const uint8_t *data, size_t size);

int
LLVMFuzzerTestOneInput (const uint8_t *data, size_t size)
{
	monocle__control_request request, again;
	char *line = malloc (size + 1), *words = malloc (size + 64);
	if (!line || !words)
		abort ();
	if (size)
		memcpy (line, data, size);
	size -= size && line[size - 1] == '\n'; /* the corpus is made of text files */
	line[size] = '\0';
	if (!monocle__control_words_read (line, size, &request)) {
		size_t left = (size_t) (line + size - request.argument);
		if (request.argument < line || left > size || strlen (request.argument) != left)
			abort ();
		int length = sprintf (words, "monocle %d %s %s", MONOCLE__CONTROL_VERSION,
		                      monocle__control_words_verb (request.verb), request.argument);
		if (monocle__control_words_read (words, (size_t) length, &again) || again.verb != request.verb ||
		    strcmp (again.argument, request.argument))
			abort ();
	}
	free (words);
	free (line);
	return 0;
}
