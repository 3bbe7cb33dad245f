/*
 * SPDX-License-Identifier: MIT
 *
 * umbrella.c - `mono --profile=monocle:NAME[:ARGS]`; `monocle` alone means the modules that MONOCLE_PROFILE names, and
 * `monocle:standby` that modules come when they are asked for (standby.c).
 *
 * Mono says nothing when it cannot load a profiler, and looks in its own places only. This module, which is one file
 * among Mono's, loads others: it finds them in our folders, says in one line what is wrong, and lets the program run
 * unprofiled. It is linked to nothing of Mono; the modules it opens bind to the Mono in the process. Main thread only,
 * before the runtime starts.
 */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "control/control.h"
#include "environment.h"
#include "lending.h"
#include "load/begin.h"
#include "load/candidate.h"
#include "load/roster.h"
#include "load/words.h"
#include "log.h"
#include "log-level.h"
#include "look.h"
#include "run-note.h"
#include "umbrella.h"

void mono_profiler_init_monocle (const char *desc) __attribute__ ((visibility ("default")));

/*
 * Mono starts a module once per --profile, against its own documentation. The name is taken before the module starts,
 * and kept when it cannot: the second line about it would say nothing new.
 */
static bool
is_second_time (const char *name)
{
	static struct taken {
		struct taken *next;
		char name[MONOCLE__NAME_LIMIT];
	} * all;
	for (const struct taken *one = all; one; one = one->next)
		if (!strcmp (one->name, name))
			return true;
	struct taken *mine = calloc (1, sizeof *mine);
	if (mine) {
		snprintf (mine->name, sizeof mine->name, "%s", name);
		mine->next = all;
		all = mine;
	}
	return false;
}

static void
explain_absence (const places *list, const char *name)
{
	char modules[1024], folders[2048] = "";
	size_t length = 0;
	for (size_t i = 0; i < list->count && length < sizeof folders; i++)
		length += (size_t) snprintf (folders + length, sizeof folders - length, "%s ", list->folders[i]);
	monocle__place_list_modules (list, modules, sizeof modules);
	monocle__log_failure ("profiler '%s' not found: neither libmono-profiler-%s.so nor mono-profiler-%s is in %sor"
	                      " where the dynamic linker looks; there %s%s",
	                      name, name, name, folders, modules[0] ? "are: " : "is none", modules);
}

/* `desc` is "NAME" or "NAME:ARGS". False after one line. */
static bool
read_name (const char *desc, char ret_name[MONOCLE__NAME_LIMIT])
{
	size_t length = strcspn (desc, ":");
	if (monocle__candidate_has_comma (desc))
		monocle__log_failure ("the profiler '%s' has a comma in its name: arguments stand behind a colon,"
		                      " NAME:KEY=VALUE,KEY",
		                      desc);
	else if (length == 0)
		monocle__log_failure ("the profiler '%s' has no name: NAME or NAME:ARGUMENTS is expected", desc);
	else if (length >= MONOCLE__NAME_LIMIT)
		monocle__log_failure ("the profiler name '%.32s...' is too long", desc);
	else if (memchr (desc, '/', length))
		monocle__log_failure ("the profiler '%s' is a path; a NAME is expected, and MONOCLE_MODULE_PATH may say where"
		                      " it is",
		                      desc);
	else {
		snprintf (ret_name, MONOCLE__NAME_LIMIT, "%.*s", (int) length, desc);
		return true;
	}
	return false;
}

bool
monocle__umbrella_start (const places *list, const char *desc, monocle__late_module *late)
{
	char name[MONOCLE__NAME_LIMIT], failure[3072];
	if (!read_name (desc, name))
		return false;
	bool started = monocle__module_start (list, name, desc, late, failure, sizeof failure);
	if (started && failure[0])
		monocle_log ("profiler '%s': %s; another file was loaded", name, failure);
	else if (failure[0])
		monocle__log_failure ("profiler '%s': %s", name, failure);
	else if (!started)
		explain_absence (list, name);
	return started;
}

static bool stands_by;

/* No module is called so: it is ours, and says that modules will come later. */
static bool
is_standby (const char *desc)
{
	static const char word[] = "standby";
	const char *rest = desc + sizeof word - 1;
	if (strncmp (desc, word, sizeof word - 1) || (*rest && *rest != ':'))
		return false;
	if (rest[0] && rest[1])
		monocle__log_failure ("standby takes no arguments, and got '%s'; modules that are loaded later do", rest + 1);
	stands_by = true;
	return true;
}

static void
load (const places *list, const char *desc)
{
	char name[MONOCLE__NAME_LIMIT];
	if (!is_standby (desc) && read_name (desc, name) && !is_second_time (name))
		monocle__umbrella_start (list, desc, NULL);
}

/* What was asked for is the output: it goes to stdout, and nothing is run, as Mono's own modules do. */
static void
help (const places *list)
{
	char modules[1024];
	monocle__place_list_modules (list, modules, sizeof modules);
	printf ("mono --profile=monocle:NAME[:ARGUMENTS]   loads the profiler module NAME\n"
	        "modules: %s\n",
	        modules[0] ? modules : "none");
	for (size_t i = 0; i < list->count; i++)
		printf ("  in %s\n", list->folders[i]);
	fflush (stdout);
	exit (0);
}

static void
complain_nameless (const places *list)
{
	char modules[1024];
	monocle__place_list_modules (list, modules, sizeof modules);
	monocle__log_failure ("no profiler is named: --profile=monocle:NAME[:ARGUMENTS] is expected; there %s%s",
	                      modules[0] ? "are: " : "is none", modules);
}

/* MONO_PROFILE has room for one module, and is not read as words: it names this one, and we read the words. */
static void
load_words (const places *list, const char *text)
{
	char **words = NULL;
	int count = monocle__words_split (text, &words);
	if (count < 0)
		monocle__log_failure ("MONOCLE_PROFILE: %s in: %s",
		                      count == MONOCLE_E_NO_MEMORY ? "out of memory" : "a quote is not closed", text);
	if (count == 0)
		complain_nameless (list);
	for (int i = 0; i < count; i++)
		load (list, words[i]);
	free (words);
}

static char runtime[128]; /* "Mono 6.8.0.105" */
static monocle__control_host control = { .runtime = runtime };

/* Mono allocates the text. Later and embedded ones may lack the function. */
static void
say_loaded (void)
{
	char *(*version) (void) = (char *(*) (void) ) dlsym (RTLD_DEFAULT, "mono_get_runtime_build_info");
	void (*release) (void *text) = (void (*) (void *)) dlsym (RTLD_DEFAULT, "mono_free");
	char *text = version && release ? version () : NULL;
	snprintf (runtime, sizeof runtime, "Mono%s%.*s", text ? " " : "", text ? (int) strcspn (text, " ") : 0,
	          text ? text : "");
	if (text)
		release (text);
	monocle__roster_say (runtime);
}

void
mono_profiler_init_monocle (const char *desc)
{
	const char *rest = desc + strcspn (desc, ":"), *reason = "it is not wanted";
	const char *ours = monocle__variable ("MONOCLE_PROFILE");
	places list;
	if (!monocle_host_process_enabled (&reason)) {
		monocle__run_note ("declined", reason);
		MONOCLE__LOG_DEBUG ("this process is not profiled: %s", reason);
		return;
	}
	monocle__run_note ("loaded", "Mono");
	rest += *rest == ':';
	monocle__begin_loading ();
	if (monocle__lending_begin ())
		control.stacks = monocle__look_take;
	monocle__place_find_all (&list);
	if (!*rest && ours && *ours)
		load_words (&list, ours);
	else if (!*rest || *rest == ':')
		complain_nameless (&list);
	else if (!strcmp (rest, "help"))
		help (&list);
	else
		load (&list, rest);
	monocle__place_free_all (&list);
	say_loaded ();
	if (stands_by)
		monocle__standby_begin (&control);
	if (stands_by || !monocle__roster_is_empty ())
		monocle__control_begin (&control);
}
