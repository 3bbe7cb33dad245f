/*
 * SPDX-License-Identifier: MIT
 *
 * shell-word.c - see shell-word.h.
 */
#include "shell-word.h"

#include "command.h"
#include "utf8.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* $'...', where a byte has a spelling that can be printed. The caller frees. */
static char *
escaped (const char *text)
{
	char *word = monocle__format ("%*s", (int) (4 * strlen (text) + 3), ""), *out = stpcpy (word, "$'");
	for (; *text; text++) {
		if (*text == '\'' || *text == '\\')
			out += sprintf (out, "\\%c", *text);
		else if (*text < 0x20 || *text >= 0x7f)
			out += sprintf (out, "\\x%02x", (unsigned char) *text);
		else
			*out++ = *text;
	}
	strcpy (out, "'");
	return word;
}

static bool
is_printable (const char *text)
{
	size_t length = strlen (text);
	char *copy = monocle__format ("%s", text);
	bool same = monocle__utf8_clean (copy, length) == length && strcmp (copy, text) == 0;
	free (copy);
	return same;
}

char *
monocle__shell_word (const char *text)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=./:,@%";
	char *word, *out;
	if (!is_printable (text))
		return escaped (text);
	if (*text && text[strspn (text, plain)] == '\0')
		return monocle__format ("%s", text);
	word = monocle__format ("%*s", (int) (4 * strlen (text) + 2), "");
	out = word;
	*out++ = '\'';
	for (; *text; text++) {
		if (*text == '\'')
			out = stpcpy (out, "'\\'");
		*out++ = *text;
	}
	strcpy (out, "'");
	return word;
}
