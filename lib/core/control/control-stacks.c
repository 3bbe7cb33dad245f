/*
 * SPDX-License-Identifier: MIT
 *
 * control-stacks.c - see control-stacks.h. The library is opened for one question and closed after it, so that a
 * process that lets Monocle go is as it was. Where the module is loaded the same library is opened once more, which
 * keeps it while it is asked.
 */
#include "control-stacks.h"

#include <dlfcn.h>
#include <limits.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "environment.h"
#include "load/candidate.h"
#include "log-level.h"
#include "log.h"
#include "trust.h"

static const char file_name[] = "libmono-profiler-sample.so";
static char *module_path; /* NULL: not set */
static bool is_stuck;     /* what was looked at once is still in use */

static pthread_mutex_t taking = PTHREAD_MUTEX_INITIALIZER;
static atomic_bool is_wanted;
static bool is_held; /* of the thread that holds */

void
monocle__control_stacks_begin (void)
{
	const char *text = monocle__variable ("MONOCLE_MODULE_PATH");
	free (module_path);
	module_path = text ? strdup (text) : NULL;
}

/* Whose symbol it is, once more. */
static void *
open_loaded (void)
{
	void *symbol = dlsym (RTLD_DEFAULT, MONOCLE_STACKS_TAKE);
	Dl_info info;
	return symbol && dladdr (symbol, &info) ? dlopen (info.dli_fname, RTLD_NOW | RTLD_NOLOAD) : NULL;
}

static void *
open_in (const char *folder)
{
	char path[PATH_MAX], reason[512];
	if (!*folder || snprintf (path, sizeof path, "%s/%s", folder, file_name) >= (int) sizeof path ||
	    monocle__trust_path (path, reason, sizeof reason))
		return NULL;
	void *library = dlopen (path, RTLD_NOW | RTLD_LOCAL);
	if (!library)
		MONOCLE__LOG_DEBUG ("stacks: %s", dlerror ());
	return library;
}

static void *
open_along (const char *folders)
{
	char *rest = NULL, *copy = folders ? strdup (folders) : NULL;
	void *library = NULL;
	for (char *folder = copy ? strtok_r (copy, ":", &rest) : NULL; folder && !library;
	     folder = strtok_r (NULL, ":", &rest))
		library = open_in (folder);
	free (copy);
	return library;
}

/* As modules are looked for. */
static void *
open_by_linker (void)
{
	monocle__candidate candidate;
	monocle__candidate_init (&candidate, "sample", "sample", "Monocle");
	return monocle__candidate_linker_is_welcome (&candidate) ? dlopen (file_name, RTLD_NOW | RTLD_LOCAL) : NULL;
}

void
monocle__control_stacks_hold (bool hold)
{
	struct timespec until;
	atomic_store (&is_wanted, hold);
	if (hold == is_held)
		return;
	if (!hold) {
		is_held = false;
		pthread_mutex_unlock (&taking);
		return;
	}
	clock_gettime (CLOCK_REALTIME, &until);
	until.tv_sec += 2;
	is_held = pthread_mutex_timedlock (&taking, &until) == 0;
}

bool
monocle__control_stacks_is_wanted (void)
{
	return atomic_load (&is_wanted);
}

static const char *
take (const MonocleStacks *request, const char *const *folders)
{
	if (is_stuck)
		return MONOCLE_STACKS_STAYS;
	void *library = open_loaded ();
	if (!library)
		library = open_along (module_path);
	for (size_t i = 0; folders[i] && !library; i++)
		library = open_in (folders[i]);
	if (!library)
		library = open_by_linker ();
	if (!library)
		return "the module sample, which knows how stacks are written, was not found where its Monocle is";
	MonocleStacksTake write = (MonocleStacksTake) dlsym (library, MONOCLE_STACKS_TAKE);
	static char error[160];
	const char *result = write ? write (request) : "its module sample is of another version";
	is_stuck = result && !strcmp (result, MONOCLE_STACKS_STAYS);
	snprintf (error, sizeof error, "%s", result ? result : "");
	if (!is_stuck)
		dlclose (library);
	return result ? error : NULL;
}

const char *
monocle__control_stacks_take (const MonocleStacks *request, const char *const *folders)
{
	if (atomic_load (&is_wanted) || pthread_mutex_trylock (&taking))
		return "it is ending";
	const char *error = take (request, folders);
	pthread_mutex_unlock (&taking);
	return error;
}
