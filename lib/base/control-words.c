/*
 * SPDX-License-Identifier: MIT
 *
 * control-words.c - see control-words.h. What a request may be is decided here, before anything is done: whoever may
 * connect can send any bytes.
 */
#include "control-words.h"

#include <stdbool.h>
#include <string.h>

/* clang-format off */
static const struct {
	const char *word;
	enum { NOTHING_OR_MODULE, SOMETHING } argument;
} verbs[MONOCLE__CONTROL_VERBS] = {
	[MONOCLE__CONTROL_STATUS]   = { "status",   NOTHING_OR_MODULE },
	[MONOCLE__CONTROL_START]    = { "start",    NOTHING_OR_MODULE },
	[MONOCLE__CONTROL_STOP]     = { "stop",     NOTHING_OR_MODULE },
	[MONOCLE__CONTROL_RESET]    = { "reset",    NOTHING_OR_MODULE },
	[MONOCLE__CONTROL_SNAPSHOT] = { "snapshot", NOTHING_OR_MODULE },
	[MONOCLE__CONTROL_LOAD]     = { "load",     SOMETHING },
};
/* clang-format on */

static bool
is_text (const char *line, size_t length)
{
	for (size_t i = 0; i < length; i++)
		if ((unsigned char) line[i] < ' ' || line[i] == 127)
			return false;
	return true;
}

/* Goes past a word and the blank behind it; NULL: the line begins with another one. */
static const char *
skip_word (const char *line, const char *word)
{
	size_t length = strlen (word);
	if (strncmp (line, word, length) || (line[length] && line[length] != ' '))
		return NULL;
	return line + length + (line[length] == ' ');
}

const char *
monocle__control_words_read (const char *line, size_t length, monocle__control_request *ret_request)
{
	const char *rest;
	if (!is_text (line, length))
		return "a request is one line of text";
	if (!(rest = skip_word (line, "monocle")))
		return "a request begins with \"monocle 1\"";
	if (!(rest = skip_word (rest, "1")))
		return "version 1 is spoken here";
	for (int verb = 0; verb < MONOCLE__CONTROL_VERBS; verb++) {
		const char *argument = skip_word (rest, verbs[verb].word);
		if (!argument)
			continue;
		if (verbs[verb].argument == SOMETHING && !*argument)
			return "NAME[:ARGUMENTS] is missing";
		if (verbs[verb].argument == NOTHING_OR_MODULE && strchr (argument, ' '))
			return "one module, or none for all, can be named";
		*ret_request = (monocle__control_request) { (monocle__control_verb) verb, argument };
		return NULL;
	}
	return "unknown request: status, start, stop, reset, snapshot and load are known";
}

const char *
monocle__control_words_verb (monocle__control_verb verb)
{
	return verbs[verb].word;
}
