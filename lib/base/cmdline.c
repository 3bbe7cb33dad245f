/*
 * SPDX-License-Identifier: MIT
 *
 * cmdline.c - see cmdline.h.
 */
#include "cmdline.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "path.h"
#include "read-file.h"

size_t
monocle__cmdline_read (char *buffer, size_t size)
{
	return monocle__read_file_text (AT_FDCWD, "/proc/self/cmdline", buffer, size);
}

bool
monocle__cmdline_is_assembly (const char *word)
{
	size_t length = strlen (word);
	return length > 4 && (!strcasecmp (word + length - 4, ".dll") || !strcasecmp (word + length - 4, ".exe"));
}

static bool
is_managed_name (const char *word)
{
	return *word != '-' && monocle__cmdline_is_assembly (word);
}

/* Without the folder, and without so many letters at the end. */
static void
copy_base_name (const char *word, size_t cut, char *name, size_t size)
{
	word = monocle__path_base_name (word);
	snprintf (name, size, "%.*s", (int) (strlen (word) - cut), word);
	for (char *c = name; *c; c++)
		if ((unsigned char) *c < ' ' || *c == 0x7f)
			*c = '_';
}

void
monocle__cmdline_program (const char *words, size_t length, char *name, size_t size)
{
	const char *word = words;
	while (word < words + length && !is_managed_name (word))
		word += strlen (word) + 1;
	if (word < words + length)
		copy_base_name (word, 4, name, size);
	else
		copy_base_name (length && *words ? words : "program", 0, name, size);
}

/* How many letters the word has behind the name of the assembly; 0: it is none of the host's files about one. */
static size_t
test_ending (const char *word)
{
	static const char *const endings[] = { ".deps.json", ".runtimeconfig.json" };
	size_t length = strlen (word);
	for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) {
		size_t own = strlen (endings[i]);
		if (length > own && word[length - own - 1] != '/' && strcmp (word + length - own, endings[i]) == 0)
			return own;
	}
	return 0;
}

void
monocle__cmdline_subject (const char *words, size_t length, char *name, size_t size)
{
	size_t cut = 0;
	monocle__cmdline_program (words, length, name, size);
	if (strcmp (name, "testhost") != 0 && strncmp (name, "testhost.", strlen ("testhost.")) != 0)
		return;
	for (const char *word = words; word < words + length && !cut; word += strlen (word) + 1)
		if ((cut = test_ending (word)))
			copy_base_name (word, cut, name, size);
}
