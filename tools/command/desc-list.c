/*
 * SPDX-License-Identifier: MIT
 *
 * desc-list.c - see desc-list.h.
 */
#include "desc-list.h"

#include "command.h"

#include <stdlib.h>
#include <string.h>

static const char default_desc[] = "sample";

static void
add (monocle__desc_list *list, const char *desc)
{
	list->descs = realloc (list->descs, (list->count + 1) * sizeof *list->descs);
	if (!list->descs) {
		monocle__say ("out of memory");
		exit (MONOCLE__EXIT_RUN_FAILED);
	}
	list->descs[list->count++] = monocle__format ("%s", desc);
}

bool
monocle__desc_list_try_add (const char *desc, void *list)
{
	if (!*desc || *desc == ':')
		return false;
	add (list, desc);
	return true;
}

void
monocle__desc_list_complete (monocle__desc_list *list)
{
	if (list->count == 0)
		add (list, default_desc);
}

void
monocle__desc_list_done (monocle__desc_list *list)
{
	for (size_t i = 0; i < list->count; i++)
		free (list->descs[i]);
	free (list->descs);
}

bool
monocle__desc_list_is_help (const char *desc)
{
	const char *found = strstr (desc, ":help");
	return found && (found[5] == '\0' || found[5] == ',');
}

bool
monocle__desc_list_asks_help (const monocle__desc_list *list)
{
	for (size_t i = 0; i < list->count; i++) {
		if (monocle__desc_list_is_help (list->descs[i]))
			return true;
	}
	return false;
}

/* What follows output= in the desc; NULL: it is not there. */
static const char *
find_output (const char *desc)
{
	for (const char *found = desc; (found = strpbrk (found, ":,")); found++) {
		if (strncmp (found + 1, "output=", strlen ("output=")) == 0)
			return found + 1 + strlen ("output=");
	}
	return NULL;
}

bool
monocle__desc_list_has_output (const monocle__desc_list *list, size_t index)
{
	return find_output (list->descs[index]) != NULL;
}

bool
monocle__desc_list_has_stream (const monocle__desc_list *list, size_t index)
{
	const char *output = find_output (list->descs[index]);
	return output && strchr ("|#", output[strspn (output, "\"'")]);
}

/* A value in a module's arguments: commas and quotes are escaped, and a percent sign is kept as it is. */
static char *
quote_value (const char *text)
{
	char *quoted = monocle__format ("%*s", (int) (2 * strlen (text)), ""), *out = quoted;
	for (; *text; text++) {
		if (strchr (",'\"\\", *text))
			*out++ = '\\';
		if (*text == '%')
			*out++ = '%';
		*out++ = *text;
	}
	*out = '\0';
	return quoted;
}

void
monocle__desc_list_set_output (monocle__desc_list *list, size_t index, const char *folder, const char *name)
{
	char *quoted = quote_value (folder), *old = list->descs[index];
	list->descs[index] = monocle__format ("%s%soutput=%s/%s", old, strchr (old, ':') ? "," : ":", quoted, name);
	free (old);
	free (quoted);
}
