/*
 * SPDX-License-Identifier: MIT
 *
 * module.c - finding, opening and starting one module, and saying why it could not be.
 *
 * File names, flags and the entry point are Mono's. Mono tries the next candidate when one fails and forgets why; here
 * the first reason is kept. Main thread only, before the runtime starts.
 */
#include <dlfcn.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "core.h"
#include "umbrella.h"

#define ENTRY_POINT "mono_profiler_init_"

typedef void (*init_func) (const char *desc);

typedef struct {
	const char *name, *desc;
	char symbol[NAME_LIMIT + sizeof ENTRY_POINT];
	char *failure; /* the caller's buffer */
	size_t size;
} search;

/* The first trouble is kept: it belongs to the place that comes first. */
__attribute__ ((format (printf, 2, 3)))
static void
note_failure (search *find, const char *format, ...)
{
	va_list arguments;

	if (find->failure[0])
		return;
	va_start (arguments, format);
	vsnprintf (find->failure, find->size, format, arguments);
	va_end (arguments);
}

/* --- why a file does not open ------------------------------------------------------------------------------------- */

typedef struct {
	char names[2048];
	size_t length;
	unsigned count, unnamed;
} missing;

/* The process is searched, which here is Mono and what it has loaded. */
static void
note_missing (const char *name, void *data)
{
	missing *list = data;

	if ((strncmp (name, "mono_", 5) && strncmp (name, "monocle_", 8)) || dlsym (RTLD_DEFAULT, name))
		return;
	list->count++;
	if (list->length + strlen (name) + 3 > sizeof list->names) {
		list->unnamed++;
		return;
	}
	list->length += (size_t) sprintf (list->names + list->length, "%s%s", list->length ? ", " : "", name);
}

/* The linker's own words begin with the path of the file, and name the first missing symbol only. */
static void
explain (search *find, const char *words)
{
	missing list = { .length = 0 };
	char path[PATH_MAX], more[32] = "";

	snprintf (path, sizeof path, "%.*s", (int) strcspn (words, ":"), words);
	monocle__elf_each_needed (path, note_missing, &list);
	if (list.unnamed)
		snprintf (more, sizeof more, " and %u more", list.unnamed);
	if (list.count)
		note_failure (find, "%s needs %s%s, which this Mono does not have", path, list.names, more);
	else
		note_failure (find, "%s", words);
}

/* --- one file ----------------------------------------------------------------------------------------------------- */

/* The entry point, or NULL and the reason. Like Mono we turn away what has the old one, even beside the new one. */
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

/* `folder` "" stands for wherever the dynamic linker looks. */
static bool
search_folder (search *find, const char *folder)
{
	static const char *const prefixes[] = { "mono-profiler-", "libmono-profiler-" };
	static const char *const suffixes[] = { "", ".so" };
	bool started = false;

	for (size_t i = 0; i < 2; i++) {
		char path[PATH_MAX];
		int length = snprintf (path, sizeof path, "%s%s%s%s%s", folder, folder[0] ? "/" : "", prefixes[i], find->name,
		                       suffixes[i]);
		if (length >= (int) sizeof path || (folder[0] && access (path, F_OK) != 0))
			continue;
		if (try_file (find, path, &started))
			break;
	}
	return started;
}

bool
monocle__module_start (const places *list, const char *name, const char *desc, char *ret_failure, size_t size)
{
	search find = { .name = name, .desc = desc, .failure = ret_failure, .size = size };
	bool started = false;

	ret_failure[0] = '\0';
	snprintf (find.symbol, sizeof find.symbol, ENTRY_POINT "%s", name);
	init_func init = (init_func) dlsym (RTLD_DEFAULT, find.symbol);
	if (init) {
		init (desc);
		return true;
	}
	for (size_t i = 0; i < list->count && !started; i++)
		started = search_folder (&find, list->folders[i]);
	return started || search_folder (&find, "");
}
