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
#include <dlfcn.h>
#include <limits.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "core.h"

#define ENTRY_POINT "mono_profiler_init_"

enum { NAME_LIMIT = 128, ALREADY_LOADED = 1 };

typedef void (*init_func) (const char *desc);

/* One search. `failure` gets the first candidate's trouble; `places`, between blanks, where it looked. */
typedef struct {
	const char *desc;
	char name[NAME_LIMIT], symbol[NAME_LIMIT + sizeof ENTRY_POINT];
	char failure[3072], places[2048];
} search;

/* --- words to the user -------------------------------------------------------------------------------------------- */

/* One line; with MONOCLE_STRICT=1 it is the program's last. */
#ifdef __GNUC__
__attribute__ ((format (printf, 1, 2)))
#endif
static void
fail (const char *format, ...)
{
	char line[4096];
	const char *strict = getenv ("MONOCLE_STRICT");
	va_list arguments;

	va_start (arguments, format);
	vsnprintf (line, sizeof line, format, arguments);
	va_end (arguments);
	monocle_log ("%s", line);
	if (strict && !strcmp (strict, "1"))
		exit (1);
}

/* The first trouble is kept: it belongs to the place that comes first. */
#ifdef __GNUC__
__attribute__ ((format (printf, 2, 3)))
#endif
static void
note_failure (search *find, const char *format, ...)
{
	va_list arguments;

	if (find->failure[0])
		return;
	va_start (arguments, format);
	vsnprintf (find->failure, sizeof find->failure, format, arguments);
	va_end (arguments);
}

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
	char name[NAME_LIMIT];
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

/* --- one candidate ------------------------------------------------------------------------------------------------ */

typedef struct {
	char names[2560];
	unsigned count, unnamed;
} missing;

static void
note_missing (const char *name, void *data)
{
	missing *list = data;

	if ((strncmp (name, "mono_", 5) && strncmp (name, "monocle_", 8)) || dlsym (RTLD_DEFAULT, name))
		return;
	list->count++;
	if (strlen (list->names) + strlen (name) + 3 > sizeof list->names) {
		list->unnamed++;
		return;
	}
	if (list->names[0])
		append (list->names, sizeof list->names, ", ");
	append (list->names, sizeof list->names, name);
}

/* The linker's own words begin with the path of the file that it found, and name the first missing symbol only. */
static void
explain (search *find, const char *words)
{
	missing list = { "", 0, 0 };
	char path[PATH_MAX], more[32] = "";
	int length = (int) strcspn (words, ":");

	snprintf (path, sizeof path, "%.*s", length, words);
	monocle__elf_each_needed (path, note_missing, &list);
	if (list.unnamed)
		snprintf (more, sizeof more, " and %u more", list.unnamed);
	if (list.count)
		note_failure (find, "%s needs %s%s, which Monocle does not have", path, list.names, more);
	else
		note_failure (find, "%s", words);
}

/* The module's entry point, or NULL and the reason. A module of the first API is turned away, may it have both. */
static init_func
entry_point (search *find, void *module, const char *path)
{
	bool is_old = dlsym (module, "mono_profiler_startup");
	init_func init = is_old ? NULL : (init_func) dlsym (module, find->symbol);

	if (is_old)
		note_failure (find, "%s is written for Mono's old profiler API (mono_profiler_startup); %s is expected", path,
		              find->symbol);
	else if (!init)
		note_failure (find, "%s has no entry point %s", path, find->symbol);
	return init;
}

/* Answers whether the file could be opened, which ends a place; *ret_started, whether the module runs. */
static bool
try_file (search *find, const char *path, bool *ret_started)
{
	void *module = dlopen (path, RTLD_NOW | RTLD_GLOBAL);

	if (!module) {
		char words[1024];
		const char *error = dlerror ();
		snprintf (words, sizeof words, "%s", error ? error : "cannot be opened");
		/* The linker looks for a plain name in many places; that it is in none is no news. */
		if (strchr (path, '/') || strncmp (words, path, strlen (path)))
			explain (find, words);
		return false;
	}
	init_func init = entry_point (find, module, path);
	if (init) {
		init (find->desc);
		*ret_started = true;
	} else {
		dlclose (module);
	}
	return true;
}

/* --- places ------------------------------------------------------------------------------------------------------- */

static bool
search_global_scope (search *find)
{
	init_func init = (init_func) dlsym (RTLD_DEFAULT, find->symbol);

	if (init)
		init (find->desc);
	return init;
}

/* `folder` "" stands for wherever the dynamic linker looks. */
static bool
search_folder (search *find, const char *folder)
{
	static const char *const forms[] = { "%s%smono-profiler-%s", "%s%slibmono-profiler-%s.so" };
	bool started = false;

	for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
		char path[PATH_MAX];
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
		int length = snprintf (path, sizeof path, forms[i], folder, folder[0] ? "/" : "", find->name);
#pragma GCC diagnostic pop
		if (length >= (int) sizeof path || (folder[0] && access (path, F_OK) != 0))
			continue;
		if (try_file (find, path, &started))
			break;
	}
	return started;
}

/* Notes a folder between the blanks of `places`; false when it stands there already. */
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
 * A folder that is searched once; "" is skipped. One that somebody named is reported although it does not exist, those
 * that are only a convention (`below`) are not.
 */
static bool
search_place (search *find, const char *folder, const char *below)
{
	char path[PATH_MAX], real[PATH_MAX];

	if (!folder[0] || snprintf (path, sizeof path, "%s%s", folder, below) >= (int) sizeof path)
		return false;
	if (realpath (path, real))
		return note_place (find, real) && search_folder (find, real);
	if (!below[0])
		note_place (find, path);
	return false;
}

static bool
search_module_path (search *find)
{
	const char *list = secure_getenv ("MONOCLE_MODULE_PATH");
	char *rest = NULL, *copy = list ? strdup (list) : NULL;
	bool started = false;

	char *folder = copy ? strtok_r (copy, ":", &rest) : NULL;
	for (; folder && !started; folder = strtok_r (NULL, ":", &rest))
		started = search_place (find, folder, "");
	free (copy);
	return started;
}

static bool
search_beside_program (search *find)
{
	char program[PATH_MAX];
	ssize_t length = readlink ("/proc/self/exe", program, sizeof program - 1);

	program[length > 0 ? length : 0] = '\0';
	char *slash = strrchr (program, '/');
	if (!slash)
		return false;
	*slash = '\0';
	return search_place (find, program, "/.libs") || search_place (find, program, "/../lib") ||
	       search_place (find, program, "/../profiler/.libs");
}

static bool
search_everywhere (search *find)
{
	const char *here = monocle__self_folder ();

	return search_global_scope (find) || search_module_path (find) || search_place (find, here, "") ||
	       search_place (find, here, "/monocle") || search_place (find, MONOCLE_MODULEDIR, "") ||
	       search_beside_program (find) || search_folder (find, "");
}

/* --- descriptions ------------------------------------------------------------------------------------------------- */

/* The name is what stands before the first colon; the rest is the module's business. It must not be a path. */
static bool
parse (search *find, const char *desc)
{
	size_t length = strcspn (desc, ":");

	if (length == 0)
		fail ("the profiler '%s' has no name: NAME or NAME:ARGUMENTS is expected", desc);
	else if (length >= sizeof find->name)
		fail ("the profiler name '%.32s...' is too long", desc);
	else if (memchr (desc, '/', length))
		fail ("the profiler '%s' is a path; a NAME is expected, and MONOCLE_MODULE_PATH may say where it is", desc);
	else {
		find->desc = desc;
		snprintf (find->name, sizeof find->name, "%.*s", (int) length, desc);
		snprintf (find->symbol, sizeof find->symbol, ENTRY_POINT "%s", find->name);
		return true;
	}
	return false;
}

/* `note` precedes the reason in the line about a failure. */
static int
load_named (const char *desc, const char *note)
{
	search find = { .places = " " };

	if (!parse (&find, desc))
		return MONOCLE_E_NOT_FOUND;
	int result = claim (find.name);
	if (result != MONOCLE_OK) {
		if (result < 0)
			fail ("%sprofiler '%s': out of memory", note, find.name);
		return result;
	}
	monocle__self_enter_global_scope ();
	monocle__self_open_compat ();
	if (search_everywhere (&find)) {
		if (find.failure[0])
			monocle_log ("%sprofiler '%s': %s; another file was loaded", note, find.name, find.failure);
		return MONOCLE_OK;
	}
	unclaim (find.name);
	if (find.failure[0])
		fail ("%sprofiler '%s': %s", note, find.name, find.failure);
	else
		fail ("%sprofiler '%s' not found: neither libmono-profiler-%s.so nor mono-profiler-%s is in%sor where the"
		      " dynamic linker looks", note, find.name, find.name, find.name, find.places);
	return MONOCLE_E_NOT_FOUND;
}

/* No name means Mono's own log profiler. Whoever has a module of that name gets it; others are told what it means. */
static int
load (const char *desc)
{
	if (monocle__host_ended ()) {
		fail ("profiler '%s': too late, the program is ending", desc ? desc : "");
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

int
monocle_host_load_from_env (void)
{
	const char *profile = secure_getenv ("MONOCLE_PROFILE");
	const char *text = profile ? profile : secure_getenv ("MONO_ENV_OPTIONS");
	char **words = NULL;
	int started = 0;

	if (!text)
		return 0;
	int count = monocle__words_split (text, &words);
	if (count < 0) {
		fail ("%s: %s in: %s", profile ? "MONOCLE_PROFILE" : "MONO_ENV_OPTIONS",
		      count == MONOCLE_E_NO_MEMORY ? "out of memory" : "a quote is not closed", text);
		return 0;
	}
	for (int i = 0; i < count; i++) {
		const char *desc = words[i];
		if ((profile || profile_option (words[i], &desc)) && load (desc) == MONOCLE_OK)
			started++;
	}
	free (words);
	return started;
}
