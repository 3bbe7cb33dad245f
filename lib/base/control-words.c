/*
 * SPDX-License-Identifier: MIT
 *
 * control-words.c - see control-words.h. What a request may be is decided here, before anything is done: whoever may
 * connect can send any bytes.
 */
#include "control-words.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* clang-format off */
static const struct {
	const char *word;
	int version;
	enum { NOTHING, NOTHING_OR_MODULE, SETTINGS, FILE_NAME } argument;
} verbs[MONOCLE__CONTROL_VERBS] = {
	[MONOCLE__CONTROL_STATUS]   = { "status",   1, NOTHING_OR_MODULE },
	[MONOCLE__CONTROL_START]    = { "start",    1, NOTHING_OR_MODULE },
	[MONOCLE__CONTROL_STOP]     = { "stop",     1, NOTHING_OR_MODULE },
	[MONOCLE__CONTROL_RESET]    = { "reset",    1, NOTHING_OR_MODULE },
	[MONOCLE__CONTROL_SNAPSHOT] = { "snapshot", 1, NOTHING_OR_MODULE },
	[MONOCLE__CONTROL_LOAD]     = { "load",     2, SETTINGS },
	[MONOCLE__CONTROL_UNLOAD]   = { "unload",   2, NOTHING },
	[MONOCLE__CONTROL_STACKS]   = { "stacks",   3, FILE_NAME },
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

/* The same for the versions that are spoken here. */
static const char *
skip_version (const char *line, int *ret_version)
{
	static const char *const versions[] = { "1", "2", "3" };
	const char *rest = NULL;
	for (int i = 0; i < (int) (sizeof versions / sizeof *versions) && !rest; i++) {
		rest = skip_word (line, versions[i]);
		*ret_version = i + 1;
	}
	return rest;
}

static const char *
check_argument (int verb, const char *argument)
{
	bool is_async;
	if (verbs[verb].argument == SETTINGS && !*argument)
		return "what is to be loaded is missing";
	if (verbs[verb].argument == NOTHING && *argument)
		return "unload takes no argument: all that was loaded ends";
	if (verbs[verb].argument == NOTHING_OR_MODULE && strchr (argument, ' '))
		return "one module, or none for all, can be named";
	if (verbs[verb].argument == FILE_NAME && !monocle__control_words_stacks (argument, &is_async))
		return "stacks takes threads or async, and an absolute path";
	return NULL;
}

const char *
monocle__control_words_read (const char *line, size_t length, monocle__control_request *ret_request)
{
	const char *rest;
	int version;
	if (!is_text (line, length))
		return "a request is one line of text";
	if (!(rest = skip_word (line, "monocle")))
		return "a request begins with \"monocle 1\"";
	if (!(rest = skip_version (rest, &version)))
		return "versions 1, 2 and 3 are spoken here";
	for (int verb = 0; verb < MONOCLE__CONTROL_VERBS; verb++) {
		const char *argument = skip_word (rest, verbs[verb].word);
		if (!argument || verbs[verb].version > version)
			continue;
		const char *error = check_argument (verb, argument);
		if (!error)
			*ret_request = (monocle__control_request) { (monocle__control_verb) verb, argument };
		return error;
	}
	return "unknown request: status, start, stop, reset, snapshot; from version 2 load, unload; from 3 stacks";
}

const char *
monocle__control_words_verb (monocle__control_verb verb)
{
	return verbs[verb].word;
}

int
monocle__control_words_version (const char *words)
{
	for (int verb = 0; verb < MONOCLE__CONTROL_VERBS; verb++)
		if (skip_word (words, verbs[verb].word))
			return verbs[verb].version;
	return 1;
}

/* --- settings ----------------------------------------------------------------------------------------------------- */

/* Cuts the word off and takes its backslashes out. What follows it, or NULL: it was the last one. */
static char *
cut_word (char *text)
{
	char *out = text;
	for (; *text && *text != ' '; text++) {
		if (*text == '\\' && text[1])
			text++;
		*out++ = *text;
	}
	char *rest = *text ? text + 1 : NULL;
	*out = '\0';
	return rest;
}

/* Is it NAME=VALUE? */
static bool
is_setting (const char *word)
{
	size_t length = strspn (word, "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_");
	return length && word[length] == '=';
}

static bool
try_milliseconds (const char *word, uint32_t *ret_number)
{
	size_t digits = strspn (word, "0123456789");
	unsigned long long number = strtoull (word, NULL, 10);
	if (!digits || digits > 10 || word[digits] || number > UINT32_MAX)
		return false;
	*ret_number = (uint32_t) number;
	return true;
}

const char *
monocle__control_words_settings (char *argument, monocle__attach_block *ret_settings)
{
	monocle__attach_block settings = { .count = 0 };
	char *rest = cut_word (argument);
	if (!try_milliseconds (argument, &settings.milliseconds))
		return "load begins with a number of milliseconds, or 0";
	for (char *word = rest; word; word = rest) {
		rest = cut_word (word);
		if (!is_setting (word))
			return "what load is given is NAME=VALUE";
		if (settings.count == MONOCLE__ATTACH_BLOCK_TEXTS)
			return "load is given too much";
		settings.texts[settings.count++] = word;
	}
	const char *profile = monocle__attach_block_find (&settings, "MONOCLE_PROFILE");
	if (!profile || !*profile)
		return "load names no module in MONOCLE_PROFILE";
	*ret_settings = settings;
	return NULL;
}

const char *
monocle__control_words_stacks (const char *argument, bool *ret_async)
{
	const char *path = skip_word (argument, "async");
	bool is_async = path != NULL;
	if (!path)
		path = skip_word (argument, "threads");
	if (!path || *path != '/')
		return NULL;
	*ret_async = is_async;
	return path;
}

size_t
monocle__control_words_load (const monocle__attach_block *settings, char *text, size_t room)
{
	int length = snprintf (text, room, "%s %u", verbs[MONOCLE__CONTROL_LOAD].word, (unsigned) settings->milliseconds);
	size_t used = length > 0 ? (size_t) length : room;
	for (uint32_t i = 0; i < settings->count; i++) {
		if (used + 2 * strlen (settings->texts[i]) + 2 > room)
			return 0;
		text[used++] = ' ';
		for (const char *from = settings->texts[i]; *from; from++) {
			if (*from == ' ' || *from == '\\')
				text[used++] = '\\';
			text[used++] = *from;
		}
		text[used] = '\0';
	}
	return used < room && is_text (text, used) ? used : 0;
}
