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

/* Settings that were read are written, and read again, as they are. */
static void
check_settings (const char *argument)
{
	static char text[MONOCLE__CONTROL_LINE * 2 + 64];
	monocle__attach_block settings, again;
	char *words = strdup (argument);
	if (!words)
		abort ();
	if (!monocle__control_words_settings (words, &settings) &&
	    monocle__control_words_load (&settings, text, sizeof text)) {
		if (monocle__control_words_settings (text + sizeof "load " - 1, &again) || again.count != settings.count ||
		    again.milliseconds != settings.milliseconds)
			abort ();
		for (uint32_t i = 0; i < again.count; i++)
			if (strcmp (again.texts[i], settings.texts[i]))
				abort ();
	}
	free (words);
}

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
		int length = sprintf (words, "monocle 2 %s %s", monocle__control_words_verb (request.verb), request.argument);
		if (monocle__control_words_read (words, (size_t) length, &again) || again.verb != request.verb ||
		    strcmp (again.argument, request.argument))
			abort ();
		if (request.verb == MONOCLE__CONTROL_LOAD)
			check_settings (request.argument);
	}
	free (words);
	free (line);
	return 0;
}
