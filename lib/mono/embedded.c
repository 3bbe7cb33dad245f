/*
 * SPDX-License-Identifier: MIT
 *
 * embedded.c - see embedded.h. Compiled into both ways in; each has its own state, and the umbrella starts a module
 * once, however often it is loaded.
 */
#include "embedded.h"

#include <dlfcn.h>
#include <limits.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include "environment.h"
#include "log.h"
#include "run-note.h"
#include "trust.h"

static atomic_bool is_loading;

/*
 * It lies beside us, and Mono looks among what is in the global scope before it looks for files. That is the program's
 * scope, which is not ours where the dynamic linker has put us aside.
 */
static bool
open_umbrella (char *ret_failure, size_t size)
{
	static const char name[] = "libmono-profiler-monocle.so";
	char path[PATH_MAX];
	Dl_info self;
	snprintf (ret_failure, size, "%s is not beside what should load it", name);
	if (!dladdr ((void *) open_umbrella, &self) || !self.dli_fname || !strrchr (self.dli_fname, '/'))
		return false;
	int length = (int) (strrchr (self.dli_fname, '/') - self.dli_fname);
	if (snprintf (path, sizeof path, "%.*s/%s", length, self.dli_fname, name) >= (int) sizeof path ||
	    monocle__trust_path (path, ret_failure, size))
		return false;
	if (dlmopen (LM_ID_BASE, path, RTLD_NOW | RTLD_GLOBAL))
		return true;
	snprintf (ret_failure, size, "%s", dlerror ());
	return false;
}

void
monocle__embedded_load (monocle__profiler_load_fn load)
{
	static atomic_bool done;
	const char *profile = monocle__variable ("MONOCLE_PROFILE");
	char failure[2 * PATH_MAX] = "the Mono that it embeds has no mono_profiler_load ()";
	if (!profile || !*profile || atomic_exchange (&done, true))
		return;
	if (!load || !open_umbrella (failure, sizeof failure)) {
		monocle__run_note ("declined", failure);
		return;
	}
	is_loading = true;
	load ("monocle");
	is_loading = false;
}

mono_bool
monocle__embedded_refuses (void)
{
	if (is_loading)
		MONOCLE__LOG_ONCE ("a module asks for call contexts, and does not get them: this early, Mono would end the "
		                   "program");
	return is_loading;
}
