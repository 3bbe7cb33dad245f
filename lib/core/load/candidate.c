/*
 * SPDX-License-Identifier: MIT
 *
 * candidate.c - see candidate.h. File names, flags and the entry point are Mono's.
 */
#include "candidate.h"

#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "check/check.h"
#include "elf.h"
#include "log-level.h"
#include "log.h"
#include "roster.h"
#include "run-note.h"
#include "trust.h"

typedef void (*init_func) (const char *desc);

__attribute__ ((format (printf, 2, 3))) static void
note_failure (monocle__candidate *candidate, const char *format, ...)
{
	char reason[sizeof candidate->failure];
	va_list arguments;
	va_start (arguments, format);
	vsnprintf (reason, sizeof reason, format, arguments);
	va_end (arguments);
	MONOCLE__LOG_DEBUG ("profiler '%s': %s", candidate->name, reason);
	if (!candidate->failure[0])
		strcpy (candidate->failure, reason);
}

/* --- why a file does not open ------------------------------------------------------------------------------------- */

typedef struct {
	bool (*supply) (const char *name);
	const char *(*supplier) (const char *name);
	unsigned supplied;
	const char *library; /* that has some of the names, and is not there; NULL: there is none */
	char names[2560];
	size_t length;
	unsigned count, unnamed;
} missing;

static void
note_missing (const char *name, void *data)
{
	missing *list = data;
	if ((strncmp (name, "mono_", 5) && strncmp (name, "monocle_", 8)) || dlsym (RTLD_DEFAULT, name))
		return;
	if (list->supply && list->supply (name)) {
		list->supplied++;
		return;
	}
	if (list->supplier && list->supplier (name)) {
		list->library = list->supplier (name);
		return;
	}
	list->count++;
	if (list->length + strlen (name) + 3 > sizeof list->names) {
		list->unnamed++;
		return;
	}
	list->length += (size_t) sprintf (list->names + list->length, "%s%s", list->length ? ", " : "", name);
}

/*
 * The linker's own words begin with the path of the file that it found, and name the first missing symbol only. True:
 * all that it lacked was supplied, and it may be tried again.
 */
static bool
supply_or_explain (monocle__candidate *candidate, const char *words)
{
	missing list = { .supply = candidate->supply, .supplier = candidate->supplier };
	char path[PATH_MAX], more[32] = "";
	snprintf (path, sizeof path, "%.*s", (int) strcspn (words, ":"), words);
	monocle__elf_each_needed (path, note_missing, &list);
	if (list.supplied && !list.count && !list.library)
		return true;
	if (list.unnamed)
		snprintf (more, sizeof more, " and %u more", list.unnamed);
	if (list.count)
		note_failure (candidate, "%s needs %s%s, which %s does not have", path, list.names, more, candidate->process);
	else if (list.library)
		note_failure (candidate, "%s needs %s of %s, which is not there", path, list.library, candidate->process);
	else
		note_failure (candidate, "%s", words);
	return false;
}

/* --- one file ----------------------------------------------------------------------------------------------------- */

/* The entry point, or NULL and the reason. Like Mono we turn away what has the old one, even beside the new one. */
static init_func
entry_point (monocle__candidate *candidate, void *module, const char *path)
{
	init_func init = (init_func) dlsym (module, candidate->symbol);
	bool is_old = dlsym (module, "mono_profiler_startup");
	if (is_old && init)
		note_failure (candidate,
		              "%s has the entry point of Mono's old profiler API (mono_profiler_startup) beside %s;"
		              " Mono turns such a module away, and so do we: the old one must go",
		              path, candidate->symbol);
	else if (is_old)
		note_failure (candidate, "%s is written for Mono's old profiler API (mono_profiler_startup); %s is expected",
		              path, candidate->symbol);
	else if (!init)
		note_failure (candidate, "%s has no entry point %s that is exported", path, candidate->symbol);
	return is_old ? NULL : init;
}

/*
 * A module may end the process while it starts, in ways that cannot be observed afterwards. So a parent finds a note of
 * who was about to start, which is taken back when it has started.
 */
static void
start (const monocle__candidate *candidate, init_func init)
{
	char kind[sizeof "starting." + MONOCLE__NAME_LIMIT];
	snprintf (kind, sizeof kind, "starting.%s", candidate->name);
	monocle__run_note (kind, candidate->symbol);
	if (candidate->starting)
		candidate->starting ((const void *) init);
	monocle__check_start (candidate->name, init, candidate->desc);
	if (candidate->starting)
		candidate->starting (NULL);
	monocle__roster_add (candidate->name, (void *) init);
	monocle__run_note_remove (kind);
}

/* NULL and the linker's words. */
static void *
open_file (const char *path, char *ret_words, size_t size)
{
	void *module = dlopen (path, RTLD_NOW | RTLD_GLOBAL);
	const char *error = module ? "" : dlerror ();
	snprintf (ret_words, size, "%s", error ? error : "cannot be opened");
	return module;
}

/* Answers whether the file could be opened, which ends a place; *ret_started, whether the module runs. */
static bool
try_file (monocle__candidate *candidate, const char *path, bool *ret_started)
{
	char words[1024];
	void *module = open_file (path, words, sizeof words);
	/* The linker looks for a plain name in many places; that it is in none is not news. */
	bool is_news = strchr (path, '/') || strncmp (words, path, strlen (path));
	if (!module && is_news && supply_or_explain (candidate, words)) {
		module = open_file (path, words, sizeof words);
		if (!module)
			note_failure (candidate, "%s", words);
	} else if (!module && !is_news) {
		MONOCLE__LOG_DEBUG ("profiler '%s': %s", candidate->name, words);
	}
	if (!module)
		return false;
	init_func init = entry_point (candidate, module, path);
	if (init) {
		MONOCLE__LOG_DEBUG ("profiler '%s': %s is started as '%s'", candidate->name, path, candidate->desc);
		candidate->library = module;
		start (candidate, init);
		*ret_started = true;
	} else {
		dlclose (module);
	}
	return true;
}

/* --- what searches ask -------------------------------------------------------------------------------------------- */

bool
monocle__candidate_has_comma (const char *desc)
{
	return desc[strcspn (desc, ":,")] == ',';
}

void
monocle__candidate_init (monocle__candidate *ret_candidate, const char *name, const char *desc, const char *process)
{
	ret_candidate->desc = desc;
	ret_candidate->process = process;
	ret_candidate->failure[0] = '\0';
	ret_candidate->supply = NULL;
	ret_candidate->supplier = NULL;
	ret_candidate->starting = NULL;
	ret_candidate->library = NULL;
	snprintf (ret_candidate->name, sizeof ret_candidate->name, "%s", name);
	snprintf (ret_candidate->symbol, sizeof ret_candidate->symbol, MONOCLE__ENTRY_POINT "%s", ret_candidate->name);
}

bool
monocle__candidate_start_in_process (monocle__candidate *candidate)
{
	init_func init = (init_func) dlsym (RTLD_DEFAULT, candidate->symbol);
	if (init) {
		MONOCLE__LOG_DEBUG ("profiler '%s': it is in the process already, and started as '%s'", candidate->name,
		                    candidate->desc);
		start (candidate, init);
	}
	return init;
}

/* Is the file there, and may its code run here? Why not, if it is there, is noted. */
static bool
is_welcome (monocle__candidate *candidate, const char *path)
{
	char reason[2048];
	int error = access (path, F_OK) ? -ENOENT : monocle__trust_path (path, reason, sizeof reason);
	if (error == -ENOENT)
		MONOCLE__LOG_DEBUG ("profiler '%s': there is no %s", candidate->name, path);
	else if (error)
		note_failure (candidate, "%s is not loaded: %s", path, reason);
	return !error;
}

static const char *const prefixes[] = { "mono-profiler-", "libmono-profiler-" };
static const char *const suffixes[] = { "", ".so" };

/* Nobody else can put a file into the folder, nor change those that are there under the candidate's names. */
static bool
folder_is_welcome (const monocle__candidate *candidate, const char *folder, char *ret_reason, size_t size)
{
	int error = monocle__trust_folder (folder, ret_reason, size);
	for (size_t i = 0; i < 2 && !error; i++) {
		char path[PATH_MAX];
		int length = snprintf (path, sizeof path, "%s%s%s%s%s", folder, folder[0] ? "/" : "", prefixes[i],
		                       candidate->name, suffixes[i]);
		if (length < (int) sizeof path && monocle__trust_path (path, ret_reason, size) == -EPERM)
			error = -EPERM;
	}
	return !error || error == -ENOENT;
}

/*
 * A plain name is looked for in folders that only the linker knows, and the code of a file runs when it is opened: so
 * each of the folders must be one that no stranger can put a file into. (What ld.so.conf lists is root's choice.)
 */
bool
monocle__candidate_linker_is_welcome (monocle__candidate *candidate)
{
	void *program = dlopen (NULL, RTLD_LAZY);
	Dl_serinfo head, *list = NULL;
	char reason[2048];
	bool good = true;
	if (program && dlinfo (program, RTLD_DI_SERINFOSIZE, &head) == 0)
		list = malloc (head.dls_size);
	if (list && (dlinfo (program, RTLD_DI_SERINFOSIZE, list) || dlinfo (program, RTLD_DI_SERINFO, list)))
		list->dls_cnt = 0;
	for (unsigned i = 0; list && i < list->dls_cnt && good; i++) {
		good = folder_is_welcome (candidate, list->dls_serpath[i].dls_name, reason, sizeof reason);
		if (!good)
			note_failure (candidate, "the dynamic linker is not asked for it, since it looks in %s: %s",
			              list->dls_serpath[i].dls_name, reason);
	}
	free (list);
	if (program)
		dlclose (program);
	return good;
}

bool
monocle__candidate_start_in (monocle__candidate *candidate, const char *folder)
{
	bool started = false;
	if (!folder[0] && !monocle__candidate_linker_is_welcome (candidate))
		return false;
	for (size_t i = 0; i < 2; i++) {
		char path[PATH_MAX];
		int length = snprintf (path, sizeof path, "%s%s%s%s%s", folder, folder[0] ? "/" : "", prefixes[i],
		                       candidate->name, suffixes[i]);
		if (length >= (int) sizeof path || (folder[0] && !is_welcome (candidate, path)))
			continue;
		if (try_file (candidate, path, &started))
			break;
	}
	return started;
}
