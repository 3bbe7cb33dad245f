/*
 * SPDX-License-Identifier: MIT
 *
 * module-check.c - see module-check.h.
 */
#include "module-check.h"

#include "command/command.h"
#include "command/other-words.h"
#include "command/output.h"
#include "module-ask.h"
#include "module-file.h"
#include "module-list.h"
#include "nearest.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { NAMES_MOST = 64, NAMES_SHOWN = 10 };

/* "calls, sample, ...". The caller frees. */
static char *
join_names (const char *const *names, size_t count)
{
	char *text = monocle__format ("%s", "");
	for (size_t i = 0; i < count && i < NAMES_SHOWN; i++) {
		char *longer = monocle__format ("%s%s%s", text, i ? ", " : "", names[i]);
		free (text);
		text = longer;
	}
	if (count > NAMES_SHOWN) {
		char *longer = monocle__format ("%s and more: monocle list", text);
		free (text);
		text = longer;
	}
	return text;
}

/* Those that people are shown, as the list has them. */
static size_t
gather_names (const monocle__module_list *list, const char *names[NAMES_MOST])
{
	size_t count = 0;
	for (size_t i = 0; i < list->count && count < NAMES_MOST; i++) {
		if (!list->modules[i].is_hidden)
			names[count++] = list->modules[i].name;
	}
	return count;
}

bool
monocle__module_check_guess (const monocle__layout *layout, const char *name, char *ret_meant, size_t size)
{
	monocle__module_list list;
	const char *names[NAMES_MOST];
	monocle__module_list_init (&list, layout);
	const char *meant = monocle__nearest (name, names, gather_names (&list, names));
	if (meant)
		snprintf (ret_meant, size, "%s", meant);
	monocle__module_list_done (&list);
	return meant != NULL;
}

/* Where modules of one's own are looked for, as far as that may be what is wrong. The caller frees. */
static char *
path_hint (bool is_guessed)
{
	const char *path = getenv ("MONOCLE_MODULE_PATH");
	char *folders = monocle__format ("%s", path ? path : ""), *left = folders, *folder, *hint = NULL;
	while (!hint && (folder = strsep (&left, ":")))
		if (*folder && access (folder, R_OK | X_OK) != 0)
			hint = monocle__format ("; MONOCLE_MODULE_PATH names %.200s: %s", folder, strerror (errno));
	if (!hint && !*folders && !is_guessed)
		hint = monocle__format ("%s", "; MONOCLE_MODULE_PATH=FOLDER adds those of a folder of yours");
	free (folders);
	return hint ? hint : monocle__format ("%s", "");
}

static void
say_unknown (const monocle__layout *layout, const char *name)
{
	monocle__module_list list;
	const char *names[NAMES_MOST], *meant;
	const monocle__other_word *other = monocle__other_words_find (name, strlen (name));
	if (other) {
		monocle__say (
		    "there is no module '%s'; that is %s%s", name,
		    other->command ? "the command monocle " : "--profile=", other->command ? other->command : other->profile);
		return;
	}
	monocle__module_list_init (&list, layout);
	size_t count = gather_names (&list, names);
	meant = monocle__nearest (name, names, count);
	char *all = join_names (names, count), *hint = path_hint (meant != NULL);
	if (meant)
		monocle__say ("there is no module '%s'; did you mean '%s'? monocle list shows all%s", name, meant, hint);
	else
		monocle__say ("there is no module '%.60s'; there are: %s%s", name, all, hint);
	free (hint);
	free (all);
	monocle__module_list_done (&list);
}

/* A comma where a colon belongs. Says so and returns true when that makes a module of the name. */
static bool
say_comma (const monocle__layout *layout, const char *desc)
{
	size_t length = strcspn (desc, ",");
	char *name = monocle__format ("%.*s", (int) length, desc);
	bool is_module = desc[length] == ',' && monocle__module_file_is_there (layout, name);
	if (is_module)
		monocle__say ("there is no module '%.60s'; arguments follow a colon: --profile=%s:%s", desc, name,
		              desc + length + 1);
	free (name);
	return is_module;
}

static void
say_missing (const monocle__layout *layout, const char *desc)
{
	char *name = monocle__format ("%.*s", (int) strcspn (desc, ":"), desc);
	if (say_comma (layout, desc)) {
		free (name);
		return;
	}
	if (strchr (name, '/'))
		monocle__say ("'%s' is a path, and --profile= takes a module's name: NAME of libmono-profiler-NAME.so, whose "
		              "folder MONOCLE_MODULE_PATH may name",
		              name);
	else
		say_unknown (layout, name);
	free (name);
}

/* In words of Mono's the argument would be told when the program runs, which goes on without it. 0 or the exit code. */
static int
check_monos (const monocle__layout *layout, const char *path, const char *desc)
{
	int length = (int) strcspn (desc, ":");
	char *unknown = monocle__module_ask_unknown (layout, path, desc);
	if (unknown)
		monocle__say ("%.*s: there is no option '%.60s'; monocle help %.*s prints them", length, desc, unknown, length,
		              desc);
	int code = unknown ? MONOCLE__EXIT_USAGE : 0;
	free (unknown);
	return code;
}

/* 0 or the exit code. */
static int
check_one (const monocle__layout *layout, const char *desc)
{
	char *path, *trouble;
	int code = 0;
	if (strcmp (desc, "standby") == 0) {
		monocle__say ("standby is for a program that somebody else starts: mono --profile=monocle:standby, or what "
		              "monocle env --profile=standby prints");
		return MONOCLE__EXIT_USAGE;
	}
	if (!monocle__module_file_is_there (layout, desc)) {
		say_missing (layout, desc);
		return MONOCLE__EXIT_USAGE;
	}
	path = monocle__module_file_find (layout, desc);
	trouble = path ? monocle__module_file_trouble (path, desc) : NULL;
	if (trouble) {
		monocle__say ("%s", trouble);
		code = MONOCLE__EXIT_USAGE;
	} else if (path && strchr (desc, ':') && monocle__module_file_look (layout, desc) == MONOCLE__WRITES_MONOS)
		code = check_monos (layout, path, desc);
	else if (path && strchr (desc, ':') && monocle__module_ask_is_ours (layout, path) &&
	         monocle__module_ask (layout, path, desc, -1) == MONOCLE__ASK_WRONG)
		code = MONOCLE__EXIT_USAGE;
	free (trouble);
	free (path);
	return code;
}

int
monocle__module_check (const monocle__layout *layout, const monocle__desc_list *descs)
{
	int code = 0;
	for (size_t i = 0; i < descs->count && code == 0; i++)
		code = check_one (layout, descs->descs[i]);
	return code;
}

int
monocle__module_check_help (const monocle__layout *layout, const char *desc)
{
	char *path = monocle__module_file_find (layout, desc), *name;
	monocle__ask_answer answer = MONOCLE__ASK_UNKNOWN;
	if (!path) {
		say_missing (layout, desc);
		return MONOCLE__EXIT_USAGE;
	}
	answer = monocle__module_ask (layout, path, desc, STDOUT_FILENO);
	name = monocle__format ("%.*s", (int) strcspn (desc, ":"), desc);
	if (answer == MONOCLE__ASK_UNKNOWN)
		monocle__say ("%s cannot be asked without a program: monocle run --profile=%s:help -- COMMAND", path, name);
	else if (answer == MONOCLE__ASK_WRONG && !monocle__module_ask_is_ours (layout, path))
		monocle__say ("the module '%s' does not say what arguments it takes", name);
	free (path);
	free (name);
	return answer == MONOCLE__ASK_RIGHT ? MONOCLE__EXIT_OK : MONOCLE__EXIT_FAILED;
}
