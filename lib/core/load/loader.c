/*
 * SPDX-License-Identifier: MIT
 *
 * loader.c - finding, opening and starting profiler modules.
 *
 * The grammar of descriptions, the file names, the order of places and the entry point are Mono's; what differs is that
 * a failure is said, in one line, and that a module of the same name is started only once, as Mono documents (Mono
 * finds it in the global scope and starts it again). Normal context. Modules may load modules from their own init
 * function: no lock is held while a module's code runs.
 */
#include "loader.h"

#include <dlfcn.h>
#include <limits.h>
#include <link.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "begin.h"
#include "candidate.h"
#include "dispatch/handle.h"
#include "dispatch/host.h"
#include "environment.h"
#include "internals.h"
#include "log.h"
#include "model/first-body.h"
#include "self.h"
#include "words.h"

enum { ALREADY_LOADED = 1 };

/* One search. `places`, between blanks, says where it looked. */
typedef struct {
	monocle__candidate candidate;
	char places[2048];
} search;

/* Appends as much as fits. */
static void
append (char *text, size_t size, const char *addition)
{
	size_t length = strlen (text);
	snprintf (text + length, size - length, "%s", addition);
}

/* --- names that were loaded --------------------------------------------------------------------------------------- */

typedef struct loaded {
	struct loaded *next;
	void *library;
	void (*leave) (void); /* NULL: the library cannot be closed */
	char name[MONOCLE__NAME_LIMIT];
} loaded;

static loaded *all_loaded;
static pthread_mutex_t loaded_lock = PTHREAD_MUTEX_INITIALIZER;

/* Takes the name before its module is started, so that a module which loads itself does not start twice. */
static int
claim (const char *name)
{
	loaded *entry = calloc (1, sizeof *entry);
	if (!entry)
		return MONOCLE_E_NO_MEMORY;
	snprintf (entry->name, sizeof entry->name, "%s", name);
	pthread_mutex_lock (&loaded_lock);
	loaded *twin = all_loaded;
	while (twin && strcmp (twin->name, name))
		twin = twin->next;
	if (!twin) {
		entry->next = all_loaded;
		all_loaded = entry;
	}
	pthread_mutex_unlock (&loaded_lock);
	if (twin)
		free (entry);
	return twin ? ALREADY_LOADED : MONOCLE_OK;
}

/* Gives the name back: nothing was started under it. */
static void
unclaim (const char *name)
{
	pthread_mutex_lock (&loaded_lock);
	loaded **link = &all_loaded;
	while (*link && strcmp ((*link)->name, name))
		link = &(*link)->next;
	loaded *entry = *link;
	if (entry)
		*link = entry->next;
	pthread_mutex_unlock (&loaded_lock);
	free (entry);
}

/*
 * A module that exports this leaves nothing behind once it was called: no thread, no key, no pointer. Only such a one
 * can be closed and started again. Nothing is known of others, so they stay.
 */
#define LEAVE "monocle_profiler_leave_"

static void
note_library (const char *name, void *library)
{
	char symbol[sizeof LEAVE + MONOCLE__NAME_LIMIT];
	snprintf (symbol, sizeof symbol, LEAVE "%s", name);
	void *leave = library ? dlsym (library, symbol) : NULL;
	pthread_mutex_lock (&loaded_lock);
	for (loaded *entry = leave ? all_loaded : NULL; entry; entry = entry->next)
		if (strcmp (entry->name, name) == 0) {
			entry->library = library;
			entry->leave = (void (*) (void)) leave;
		}
	pthread_mutex_unlock (&loaded_lock);
}

/* False: it is still there, and may not be started a second time. */
static bool
close_module (const loaded *entry)
{
	char path[PATH_MAX];
	struct link_map *map = NULL;
	if (!entry->leave || dlinfo (entry->library, RTLD_DI_LINKMAP, &map))
		return false;
	snprintf (path, sizeof path, "%s", map->l_name);
	entry->leave ();
	dlclose (entry->library);
	void *still = dlopen (path, RTLD_LAZY | RTLD_NOLOAD);
	if (still)
		dlclose (still);
	return !still;
}

bool
monocle__loader_close (void)
{
	loaded **at = &all_loaded;
	while (*at) {
		loaded *entry = *at;
		if (!close_module (entry)) {
			entry->leave = NULL;
			at = &entry->next;
			continue;
		}
		*at = entry->next;
		free (entry);
	}
	return !all_loaded;
}

/* --- places ------------------------------------------------------------------------------------------------------- */

/* Notes a folder between the blanks of `places`; false when it is there already. */
static bool
note_place (search *find, const char *folder)
{
	char mark[PATH_MAX + 3];
	snprintf (mark, sizeof mark, " %s ", folder);
	if (strstr (find->places, mark))
		return false;
	append (find->places, sizeof find->places, mark + 1);
	return true;
}

/*
 * A folder that is searched once; "" is skipped. One that the user named is reported although it does not exist, those
 * that are only a convention (`below`) are not.
 */
static bool
search_place (search *find, const char *folder, const char *below)
{
	char path[PATH_MAX], real[PATH_MAX];
	if (!folder[0] || snprintf (path, sizeof path, "%s%s", folder, below) >= (int) sizeof path)
		return false;
	if (realpath (path, real))
		return note_place (find, real) && monocle__candidate_start_in (&find->candidate, real);
	if (!below[0])
		note_place (find, path);
	return false;
}

static bool
search_module_path (search *find)
{
	const char *list = monocle__variable ("MONOCLE_MODULE_PATH");
	char *rest = NULL, *copy = list ? strdup (list) : NULL;
	bool started = false;
	char *folder = copy ? strtok_r (copy, ":", &rest) : NULL;
	for (; folder && !started; folder = strtok_r (NULL, ":", &rest))
		started = search_place (find, folder, "");
	free (copy);
	return started;
}

/*
 * Not with rights that are not the caller's: where the program lies may be the caller's choice, by a hard link to it.
 */
static bool
search_beside_program (search *find)
{
	char program[PATH_MAX];
	ssize_t length = readlink ("/proc/self/exe", program, sizeof program - 1);
	program[length > 0 ? length : 0] = '\0';
	char *slash = strrchr (program, '/');
	if (!slash || !monocle__environment_is_believed ())
		return false;
	*slash = '\0';
	return search_place (find, program, "/.libs") || search_place (find, program, "/../lib") ||
	       search_place (find, program, "/../profiler/.libs");
}

static bool
search_folders (search *find)
{
	const char *here = monocle__self_folder ();
	return monocle__candidate_start_in_process (&find->candidate) || search_module_path (find) ||
	       search_place (find, here, "") || search_place (find, here, "/monocle") ||
	       search_place (find, MONOCLE_MODULEDIR, "") || search_beside_program (find);
}

/* Mono's own coverage profiler need not be installed: ours takes its name then. */
static bool
search_alias (const search *find)
{
	search other = { .places = " " };
	if (strcmp (find->candidate.name, "coverage"))
		return false;
	monocle__candidate_init (&other.candidate, "cover", find->candidate.desc, "Monocle");
	int result = claim (other.candidate.name);
	if (result == ALREADY_LOADED)
		monocle_log ("profiler 'cover' is loaded already; '%s' has no effect", find->candidate.desc);
	if (result != MONOCLE_OK)
		return result == ALREADY_LOADED;
	if (search_folders (&other))
		return true;
	unclaim (other.candidate.name);
	return false;
}

static bool
search_everywhere (search *find)
{
	return search_folders (find) || monocle__candidate_start_in (&find->candidate, "") || search_alias (find);
}

/* --- descriptions ------------------------------------------------------------------------------------------------- */

/* What was written for Mono's internals knows one body of each method. */
static void
starting (const void *code)
{
	monocle__handle_wrap_next (code && monocle__internals_are_needed (code) ? monocle__first_body_wrap : NULL);
}

/* The name is what comes before the first colon; the rest is the module's business. It must not be a path. */
static bool
parse (search *find, const char *desc)
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
		char name[MONOCLE__NAME_LIMIT];
		snprintf (name, sizeof name, "%.*s", (int) length, desc);
		monocle__candidate_init (&find->candidate, name, desc, "Monocle");
		find->candidate.supply = monocle__internals_supply;
		find->candidate.supplier = monocle__internals_supplier;
		find->candidate.starting = starting;
		return true;
	}
	return false;
}

/* `note` precedes the reason in the line about a failure. */
static int
load_named (const char *desc, const char *note)
{
	search find = { .places = " " };
	const char *name = find.candidate.name, *failure = find.candidate.failure;
	if (!parse (&find, desc))
		return MONOCLE_E_NOT_FOUND;
	int result = claim (name);
	if (result != MONOCLE_OK) {
		if (result < 0)
			monocle__log_failure ("%sprofiler '%s': out of memory", note, name);
		else
			monocle_log ("profiler '%s' is loaded already; '%s' has no effect", name, desc);
		return result;
	}
	monocle__begin_loading ();
	monocle__self_enter_global_scope ();
	monocle__self_open_compat ();
	if (search_everywhere (&find)) {
		note_library (name, find.candidate.library);
		if (failure[0])
			monocle_log ("%sprofiler '%s': %s; another file was loaded", note, name, failure);
		return MONOCLE_OK;
	}
	unclaim (name);
	if (failure[0])
		monocle__log_failure ("%sprofiler '%s': %s", note, name, failure);
	else
		monocle__log_failure ("%sprofiler '%s' not found: neither libmono-profiler-%s.so nor mono-profiler-%s is in%sor"
		                      " where the dynamic linker looks",
		                      note, name, name, name, find.places);
	return MONOCLE_E_NOT_FOUND;
}

/*
 * No name means Mono's own log profiler. If there is a module of that name, it is loaded; otherwise a line says what
 * the name means.
 */
static int
load (const char *desc)
{
	if (monocle__host_ended ()) {
		monocle__log_failure ("profiler '%s': too late, the runtime is not profiled, or has ended", desc ? desc : "");
		return MONOCLE_E_REFUSED;
	}
	if (desc && !strcmp (desc, "standby")) {
		monocle__log_failure (
		    "standby has no effect beside other modules: no more can be attached while those are there");
		return MONOCLE_E_REFUSED;
	}
	if (!desc || !desc[0] || !strcmp (desc, "default"))
		return load_named ("log:report", "no profiler is named, which means Mono's log:report: ");
	return load_named (desc, "");
}

int
monocle_host_load (const char *desc)
{
	int result = load (desc);
	return result < 0 ? result : MONOCLE_OK;
}

void
mono_profiler_load (const char *desc)
{
	load (desc);
}

/* --- the environment ---------------------------------------------------------------------------------------------- */

/* What a word of MONO_ENV_OPTIONS asks to load; false when it is none of our business. */
static bool
profile_option (const char *word, const char **ret_desc)
{
	static const char option[] = "--profile";
	const size_t length = sizeof option - 1;
	if (strncmp (word, option, length) || (word[length] && word[length] != '='))
		return false;
	*ret_desc = word[length] ? word + length + 1 : NULL;
	return true;
}

/* How many of the words of a variable were loaded; `are_options`: those that are Mono's option. */
static int
load_words (const char *variable, const char *text, bool are_options)
{
	char **words = NULL;
	int started = 0, count = monocle__words_split (text, &words);
	if (count < 0) {
		monocle__log_failure ("%s: %s in: %s", variable,
		                      count == MONOCLE_E_NO_MEMORY ? "out of memory" : "a quote is not closed", text);
		return 0;
	}
	if (count == 0 && *text && !are_options) /* "" is how one says that nothing is meant */
		monocle__log_failure ("%s names no module: NAME[:ARGUMENTS] is expected", variable);
	for (int i = 0; i < count; i++) {
		const char *desc = words[i];
		if ((!are_options || profile_option (words[i], &desc)) && load (desc) == MONOCLE_OK)
			started++;
	}
	free (words);
	return started;
}

/* MONO_PROFILE is one description as it is, without words and quotes; late Monos read it whoever embeds them. */
int
monocle_host_load_from_env (void)
{
	const char *ours = monocle__variable ("MONOCLE_PROFILE"), *options = monocle__variable ("MONO_ENV_OPTIONS"),
	           *desc = monocle__variable ("MONO_PROFILE");
	if (ours)
		return load_words ("MONOCLE_PROFILE", ours, false);
	int started = options ? load_words ("MONO_ENV_OPTIONS", options, true) : 0;
	if (desc && *desc && load (desc) == MONOCLE_OK)
		started++;
	return started;
}
